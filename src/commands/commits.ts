/**
 * Implements `commits cherry-pick`, `revert` and `diff`, with previews, explained failures and unified diffs
 * (`catalogue/reference/commits.md`).
 */
import { type Fields, isObject, listObjects } from '../base/objects.js'
import type { Context } from '../engine/command/context.js'
import { toCallAnswer } from '../engine/command/outcomes.js'
import type { Given, Plan } from '../engine/command/types.js'
import { type Rows, yieldRecords } from '../engine/rows.js'
import { Failure, recoverFrom } from '../errors.js'
import { define } from './define.js'

// The unified diff of a commit, if the records of the answer have one (`diff`, `old_path`, `new_path`).

const hasDiff = (item: unknown): item is Fields =>
  isObject(item) &&
  typeof item.diff === 'string' &&
  typeof item.old_path === 'string' &&
  typeof item.new_path === 'string'

/** True if records are changes with a diff. */
export const hasDiffs = (data: unknown): data is readonly Fields[] =>
  Array.isArray(data) && data.length > 0 && data.every(hasDiff)

interface DiffLine {
  readonly text: string
  /** True if the line names a file or a place in it. */
  readonly heading: boolean
}

const createHeading = (text: string): DiffLine => ({ text, heading: true })

/** Returns the lines about changes of the file other than those of its content. */
const describeFileChange = (item: Fields): DiffLine[] => {
  const { new_file, deleted_file, renamed_file, a_mode, b_mode } = item
  if (new_file === true) return [createHeading(`new file mode ${String(b_mode)}`)]
  if (deleted_file === true) return [createHeading(`deleted file mode ${String(a_mode)}`)]
  return [
    ...(a_mode !== b_mode
      ? [createHeading(`old mode ${String(a_mode)}`), createHeading(`new mode ${String(b_mode)}`)]
      : []),
    ...(renamed_file === true
      ? [
          createHeading(`rename from ${String(item.old_path)}`),
          createHeading(`rename to ${String(item.new_path)}`),
        ]
      : []),
  ]
}

const formatFileDiff = (item: Fields): DiffLine[] => {
  const text = String(item.diff).replace(/\n$/, '')
  const old = item.new_file === true ? '/dev/null' : `a/${String(item.old_path)}`
  const now = item.deleted_file === true ? '/dev/null' : `b/${String(item.new_path)}`
  const named = text === '' || text.startsWith('--- ') || text.startsWith('Binary')
  return [
    createHeading(`diff --git a/${String(item.old_path)} b/${String(item.new_path)}`),
    ...describeFileChange(item),
    ...(named ? [] : [createHeading(`--- ${old}`), createHeading(`+++ ${now}`)]),
    ...(text === '' ? [] : text.split('\n')).map((line) => ({
      text: line,
      heading: line.startsWith('@@'),
    })),
  ]
}

/** Formats the changes of a commit like `git diff`, line by line. */
export const formatUnifiedDiff = (items: readonly Fields[]): DiffLine[] =>
  items.flatMap(formatFileDiff)

export { create } from './commits-create.js'

type Verb = 'cherry-pick' | 'revert'

/** The explanation and the hint for each documented error code. */
const explained: Readonly<
  Record<Verb, Readonly<Record<string, (sha: string, branch: string) => [string, string]>>>
> = {
  'cherry-pick': {
    conflict: (sha, branch) => [
      `${sha} conflicts with ${branch}`,
      `Cherry-pick the commit in a clone (git cherry-pick -x ${sha}), resolve the conflicts and push ${branch}.`,
    ],
    empty: (sha, branch) => [
      `${sha} changes nothing on ${branch}: the branch already contains the change`,
      'Nothing to do.',
    ],
  },
  revert: {
    conflict: (sha, branch) => [
      `reverting ${sha} conflicts with later commits on ${branch}`,
      `Revert the commit in a clone (git revert ${sha}), resolve the conflicts and push ${branch}.`,
    ],
    empty: (sha, branch) => [
      `reverting ${sha} changes nothing on ${branch}: it is already reverted`,
      'Nothing to do.',
    ],
  },
}

/** Explains why a cherry-pick or revert failed. Other failures are returned unchanged. */
export const explainFailure = (
  verb: Verb,
  failure: Failure,
  sha: string,
  branch: string,
): Failure => {
  const words = explained[verb][failure.details.code ?? '']?.(sha, branch)
  if (words === undefined) return failure
  const [message, hint] = words
  return new Failure(failure.category, message, { ...failure.details, hint, cause: failure })
}

const createApplying = (verb: Verb) =>
  async function* (context: Context, given: Given): Rows {
    yield* context.write(await context.planActions(given), {
      finish: async ({ values }, came) => {
        const sha = String(values.sha)
        const branch = String(values.branch)
        if ('failure' in came) throw explainFailure(verb, came.failure, sha, branch)
        if (!('whole' in came)) return {}
        const { data } = came.whole
        if (isObject(data) && data.dry_run === 'success')
          context.ui.note(`${sha}: ${verb} applies cleanly to ${branch}; no commit was created`)
        return toCallAnswer(came.whole)
      },
    })
  }

export const cherryPick = define({
  gathers: true,
  rows: createApplying('cherry-pick'),
})

export const revert = define({
  gathers: true,
  rows: createApplying('revert'),
})

const getDiffColumns = (items: readonly unknown[]): readonly string[] =>
  ['old_path', 'new_path', 'new_file', 'deleted_file', 'renamed_file', 'diff'].filter((name) =>
    items.every((item) => isObject(item) && Object.hasOwn(item, name)),
  )

const createLineFormatter =
  ({ answer }: Context) =>
  ({ text, heading }: DiffLine): string => {
    // Tabs are part of the diff, so they are not escaped.
    const shown = text.split('\t').map(answer.text.safe).join('\t')
    return `${heading ? answer.text.emphasize(shown) : shown}\n`
  }

async function* showDiff(context: Context, plan: Plan): Rows {
  const whole = await context.instance.send(plan)
  const { data } = whole
  const columns = Array.isArray(data) ? getDiffColumns(data) : []
  const view = {
    endpoint: plan.endpoint,
    ...(columns.length === 0 ? {} : { columns }),
    ...(hasDiffs(data)
      ? { people: { page: () => formatUnifiedDiff(data).map(createLineFormatter(context)) } }
      : {}),
  }
  yield { kind: 'answer', answer: toCallAnswer(whole), view }
}

type Changes = Fields

/** Loads the diff of one of several commits, and adds the commit to each record. */
const loadDiff = async ({ instance }: Context, plan: Plan): Promise<readonly Changes[]> => {
  const { data } = await instance.send(plan)
  const items = listObjects(data)
  return items.map((item) => ({ object: plan.label, ...item }))
}

const formatDiffPage = (context: Context, items: readonly Changes[]): readonly string[] => {
  const commits = [...new Set(items.map(({ object }) => String(object)))]
  return commits.flatMap((commit) => [
    `${context.answer.text.emphasize(`commit ${context.answer.text.safe(commit)}`)}\n`,
    ...formatUnifiedDiff(items.filter(({ object }) => object === commit)).map(
      createLineFormatter(context),
    ),
  ])
}

/** Loads the diffs of all commits in order. A failure takes the place of a diff that cannot be loaded. */
const loadDiffs = async (
  context: Context,
  plans: readonly Plan[],
): Promise<readonly (readonly Changes[] | Failure)[]> => {
  const results: (readonly Changes[] | Failure)[] = []
  await context.instance.each(plans, async (plan, i) => {
    results[i] = await loadDiff(context, plan).catch(recoverFrom)
  })
  return results
}

/** Yields the diffs as one list. Each record names its commit; on a terminal, headings do. */
async function* showDiffs(context: Context, plans: readonly Plan[]): Rows {
  const { ui } = context
  const results = await loadDiffs(context, plans)
  const failures = results.flatMap((one) => (one instanceof Failure ? [one] : []))
  for (const [i, one] of results.entries())
    if (one instanceof Failure) ui.report(one, plans[i]?.label)
  const items = results.flatMap((one) => (one instanceof Failure ? [] : one))
  const people = hasDiffs(items) ? { people: { page: () => formatDiffPage(context, items) } } : {}
  if (items.length > 0 || failures.length === 0)
    yield* yieldRecords(items, {
      columns: ['object', ...getDiffColumns(items)],
      lead: 'object',
      ...people,
    })
  const [first] = failures
  if (first === undefined) return
  const all =
    failures.length === plans.length && failures.every((f) => f.category === first.category)
  throw new Failure(
    all ? first.category : 'partial',
    all ? `all ${plans.length} failed` : `${failures.length} of ${plans.length} failed`,
  )
}

export const diff = define({
  description: [
    'On a terminal, svcctl prints a unified diff if the response contains one. Otherwise it prints the response.',
  ],
  gathers: true,
  eachParent: true,
  rows: async function* (context, given) {
    const plans = await context.instance.createPlans(given)
    const [only] = plans
    if (only !== undefined && plans.length === 1) yield* showDiff(context, only)
    else yield* showDiffs(context, plans)
  },
})

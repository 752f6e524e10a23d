/** `commits cherry-pick`, `revert` and `diff` (`catalogue/reference/commits.md`). */

import { isObject } from '../../base/objects.js'
import { Failure } from '../../errors.js'
import type { Context, Given, Outcome, Plan, Special } from '../types.js'
import { type DiffLine, hasDiffs, unified } from './diff.js'

export { create } from './create.js'

type Verb = 'cherry-pick' | 'revert'

/** The documented codes, each as what happened and what to do. */
const explained: Readonly<
  Record<Verb, Readonly<Record<string, (sha: string, branch: string) => [string, string]>>>
> = {
  'cherry-pick': {
    conflict: (sha, branch) => [
      `${sha} conflicts with ${branch}`,
      `Cherry-pick it in a clone (git cherry-pick -x ${sha}), resolve the conflicts and push ${branch}.`,
    ],
    empty: (sha, branch) => [
      `${sha} changes nothing on ${branch}: its change is there already`,
      'Nothing is left to do.',
    ],
  },
  revert: {
    conflict: (sha, branch) => [
      `undoing ${sha} conflicts with what came after it on ${branch}`,
      `Revert it in a clone (git revert ${sha}), resolve the conflicts and push ${branch}.`,
    ],
    empty: (sha, branch) => [
      `undoing ${sha} changes nothing on ${branch}: it is reverted already`,
      'Nothing is left to do.',
    ],
  },
}

/** The failure of a cherry-pick or revert in words; other failures stay as they are. */
export const inWords = (verb: Verb, failure: Failure, sha: string, branch: string): Failure => {
  const words = explained[verb][failure.details.code ?? '']?.(sha, branch)
  if (words === undefined) return failure
  const [message, hint] = words
  return new Failure(failure.category, message, { ...failure.details, hint, cause: failure })
}

const apply = async (ctx: Context, verb: Verb, plan: Plan): Promise<Outcome> => {
  const sha = String(plan.values.sha)
  const branch = String(plan.values.branch)
  try {
    const { data, bytes } = await ctx.call(plan)
    if (isObject(data) && data.dry_run === 'success')
      ctx.note(`${sha}: ${verb} applies cleanly to ${branch}; nothing was committed`)
    return { bytes, value: data }
  } catch (error) {
    throw error instanceof Failure ? inWords(verb, error, sha, branch) : error
  }
}

const applying =
  (verb: Verb) =>
  async (ctx: Context, given: Given): Promise<void> =>
    ctx.perform(await ctx.plans(given), { run: (plan) => apply(ctx, verb, plan) })

export const cherryPick: Special = {
  examples: [
    'commits cherry-pick feature/auto --branch main --dry-run --project platform/app',
    "commits cherry-pick feature/draft --branch main --message 'Try another port' --project platform/app",
  ],
  run: applying('cherry-pick'),
}

export const revert: Special = {
  examples: [
    'commits revert main --branch main --dry-run --project platform/app',
    'commits revert main --branch main --project platform/app',
  ],
  run: applying('revert'),
}

const columnsOf = (items: readonly unknown[]): readonly string[] =>
  ['old_path', 'new_path', 'new_file', 'deleted_file', 'renamed_file', 'diff'].filter((name) =>
    items.every((item) => isObject(item) && name in item),
  )

const lineOf =
  (ctx: Context) =>
  ({ text, heading }: DiffLine): string => {
    // Tabs are part of what changed.
    const shown = text.split('\t').map(ctx.safe).join('\t')
    return `${heading ? ctx.strong(shown) : shown}\n`
  }

const showDiff = async (ctx: Context, plan: Plan): Promise<void> => {
  const { data, bytes } = await ctx.call(plan)
  const columns = Array.isArray(data) ? columnsOf(data) : []
  await ctx.printAnswer(
    plan,
    { bytes, value: data },
    {
      ...(columns.length === 0 ? {} : { columns }),
      ...(hasDiffs(data) ? { people: { page: () => unified(data).map(lineOf(ctx)) } } : {}),
    },
  )
}

type Changes = Readonly<Record<string, unknown>>

/** The diff of one of several commits, each item with the commit as it was given. */
const itemsOf = async (ctx: Context, plan: Plan): Promise<readonly Changes[]> => {
  const { data } = await ctx.call(plan)
  const items = Array.isArray(data) ? data.filter(isObject) : []
  return items.map((item) => ({ object: plan.label, ...item }))
}

const pageOf = (ctx: Context, items: readonly Changes[]): readonly string[] => {
  const commits = [...new Set(items.map(({ object }) => String(object)))]
  return commits.flatMap((commit) => [
    `${ctx.strong(`commit ${ctx.safe(commit)}`)}\n`,
    ...unified(items.filter(({ object }) => object === commit)).map(lineOf(ctx)),
  ])
}

/** One list, in which each change says whose it is; on a terminal a heading does. */
const showDiffs = async (ctx: Context, plans: readonly Plan[]): Promise<void> => {
  const items: Changes[] = []
  const failures: Failure[] = []
  for (const plan of plans)
    try {
      items.push(...(await itemsOf(ctx, plan)))
    } catch (error) {
      if (!(error instanceof Failure) || error.category === 'interrupted') throw error
      failures.push(error)
      const { category, message, details } = error
      ctx.report(new Failure(category, `${plan.label}: ${message}`, details))
    }
  const people = hasDiffs(items) ? { people: { page: () => pageOf(ctx, items) } } : {}
  if (items.length > 0 || failures.length === 0)
    await ctx.printMany(items, {
      columns: ['object', ...columnsOf(items)],
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

export const diff: Special = {
  description: [
    'On a terminal a unified diff where the answer holds one; elsewhere what the instance sends.',
  ],
  examples: [
    'commits diff main --project platform/app',
    "commits diff main --project platform/app -o json | jq -r '.[].new_path'",
  ],
  run: async (ctx, given) => {
    const plans = await ctx.plans(given)
    if (ctx.globals.curl) return ctx.perform(plans)
    const [only] = plans
    if (only !== undefined && plans.length === 1) await showDiff(ctx, only)
    else await showDiffs(ctx, plans)
  },
}

/** Implements `ci lint`, which checks CI configurations and reports problems with their lines (`catalogue/reference/ci.md`). */

import { getFields, type JsonValue } from '../../base/objects.js'
import { version } from '../../base/version.js'
import { ci } from '../../catalogue/areas/ci.js'
import { boolean } from '../../catalogue/params.js'
import { defaultTimeout } from '../../client/defaults.js'
import type { Context } from '../../engine/command/context.js'
import type { Plan } from '../../engine/command/types.js'
import { createExitRow, type Rows, yieldRecords, yieldText } from '../../engine/rows.js'
import { exitCodes, Failure, type FailureDetails, recoverFrom, usage } from '../../errors.js'
import { createWaitOptions } from '../../profile/index.js'
import { type Arguments, define, reportFlag } from '../define.js'
import {
  type JunitCase,
  renderJunit,
  renderSarif,
  type SarifResult,
  writeReports,
} from '../reports.js'
import { createAsOfFlag, parseAsOfVersion } from '../sandbox.js'
import { findDefaultSource, type LintSource, readLintSources } from './files.js'
import { type Checked, findSyntaxProblem, type Problem, toProblems } from './problems.js'

/** The result of checking one file. */
interface Verdict {
  /** The path as the line has it; `-` for standard input, and `HEAD` for the project's own configuration. */
  readonly file: string
  readonly valid: boolean
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly merged?: string
  /** True if the file was rejected before it was sent, because it is not YAML. */
  readonly local?: true
}

/** A file that could not be checked. */
interface UncheckedFile {
  readonly file: string
  readonly failure: Failure
}

type Outcome = Verdict | UncheckedFile

const isUnchecked = (outcome: Outcome): outcome is UncheckedFile => 'failure' in outcome
const isVerdict = (outcome: Outcome): outcome is Verdict => 'valid' in outcome

/** Formats the place of a problem as compilers write it: `file:line:column`. */
const formatPlace = (checked: string, { file = checked, line, column }: Problem): string =>
  [file, line, column].filter((part) => part !== undefined).join(':')

// The answer of an instance, whose two forms are converted to one.

/** Converts the messages of an answer to texts, whatever their form is, so that none is lost. */
const toStrings = (value: unknown): readonly string[] =>
  [value ?? []].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))

/** Converts both forms of the answer to a verdict: `status` from the instance, and `valid` from a project. */
const toVerdict = async (file: string, data: unknown, checked?: Checked): Promise<Verdict> => {
  const answer = getFields(data)
  const { status, valid, errors, warnings, merged_yaml: merged } = answer
  if (status === undefined && valid === undefined)
    throw new Failure('unreachable', `the response for ${file} is not a lint result`)
  return {
    file,
    valid: valid === undefined ? status === 'valid' : valid === true,
    errors: await toProblems(toStrings(errors), checked),
    warnings: await toProblems(toStrings(warnings), checked),
    ...(typeof merged === 'string' ? { merged } : {}),
  }
}

/** True if a file fails the check. With `strict`, warnings fail it, too. */
const isFailing = (verdict: Verdict, strict: boolean): boolean =>
  !verdict.valid || (strict && verdict.warnings.length > 0)

// Printing verdicts: pages for people, rows for spreadsheets, and records for programs.

/** The options for checking and printing. */
interface Choices {
  readonly strict: boolean
  readonly merged: boolean
}

/** Formats a problem with its place, if that is known. */
const describeProblem = (file: string, problem: Problem): string =>
  problem.line === undefined ? problem.message : `${formatPlace(file, problem)}: ${problem.message}`

/** Lists the errors and then the warnings, each with its level and its place. */
const listProblems = ({ file: checked, errors, warnings }: Verdict) =>
  [...errors, ...warnings].map(({ message, file = checked, line, column }, i) => {
    const level: 'error' | 'warning' = i < errors.length ? 'error' : 'warning'
    return { level, message, file, line, column }
  })

/** Returns the record of a verdict for programs. Syntax errors contain their place, and `problems` has all places. */
const toLintRecord = (verdict: Verdict) => {
  const { file, valid, errors, warnings, merged, local } = verdict
  const isSyntax = ({ message }: Problem): boolean => local === true || / line \d+/.test(message)
  const problems = listProblems(verdict)
  return {
    file,
    valid,
    errors: errors.map((one) => (isSyntax(one) ? describeProblem(file, one) : one.message)),
    warnings: warnings.map(({ message }) => message),
    merged_yaml: merged,
    problems: problems.some(({ line }) => line !== undefined) ? problems : undefined,
  }
}

/** Returns the row of a verdict, with all errors in one cell and all warnings in another. */
const toRow = ({ file, valid, errors, warnings, merged }: Verdict) => {
  const join = (problems: readonly Problem[]): string =>
    problems.map((problem) => describeProblem(file, problem)).join('; ')
  return { file, valid, errors: join(errors), warnings: join(warnings), merged_yaml: merged }
}

/** Formats a verdict for a person: one line for the file, followed by its errors and warnings. */
const formatVerdict = ({ answer }: Context, v: Verdict, strict: boolean): string => {
  const warned = v.warnings.length > 0
  const word = v.valid ? (warned ? 'valid, with warnings' : 'valid') : 'invalid'
  const mark = answer.text.mark(isFailing(v, strict) ? 'bad' : warned ? 'warn' : 'good')
  const lines = [
    `${mark} ${answer.text.safe(v.file)}  ${word}`,
    ...listProblems(v).map((p) => {
      const kind = answer.text.mark(p.level === 'error' ? 'bad' : 'warn')
      return `    ${kind} ${answer.text.wrapHanging(describeProblem(v.file, p), 6)}`
    }),
  ]
  return `${lines.join('\n')}\n`
}

const joinMerged = (verdicts: readonly Verdict[]): string =>
  verdicts
    .flatMap((v) =>
      v.merged === undefined ? [] : [verdicts.length > 1 ? `# ${v.file}\n${v.merged}` : v.merged],
    )
    .map((text) => (text.endsWith('\n') ? text : `${text}\n`))
    .join('---\n')

/** Prints the verdicts. With `merged`, people get only the expanded configurations. */
const yieldVerdicts = (context: Context, verdicts: readonly Verdict[], choices: Choices): Rows => {
  if (choices.merged && context.answer.reader === 'people') {
    for (const v of verdicts)
      for (const p of listProblems(v)) context.ui.warn(`${formatPlace(v.file, p)}: ${p.message}`)
    return yieldText(joinMerged(verdicts))
  }
  return yieldRecords(verdicts.map(toLintRecord), {
    known: ['merged_yaml', 'problems'],
    people: {
      columns: ['file', 'valid', 'errors', 'warnings'],
      rows: () => verdicts.map(toRow),
      page: () => verdicts.map((verdict) => formatVerdict(context, verdict, choices.strict)),
    },
  })
}

// Reports for CI: JUnit XML and SARIF 2.1.0.

const formatProblems = (verdict: Verdict, problems: readonly Problem[]): string =>
  problems.map((p) => `${formatPlace(verdict.file, p)}: ${p.message}`).join('\n')

/** Returns the test case of a file. Errors fail it; with --strict, warnings do, too. A file that was not checked is an error. */
const toJunitCase = (outcome: Outcome, strict: boolean): JunitCase => {
  if (isUnchecked(outcome)) {
    const { file, failure } = outcome
    const message = `${file} was not checked`
    return { name: file, file, error: { type: failure.category, message, text: failure.message } }
  }
  const { file, valid, errors, warnings } = outcome
  const failing = strict ? [...errors, ...warnings] : errors
  const failure = {
    type: 'invalid',
    message: failing[0]?.message ?? 'invalid',
    text: formatProblems(outcome, failing),
  }
  return {
    name: file,
    file,
    ...(!valid || failing.length > 0 ? { failure } : {}),
    ...(warnings.length > 0 ? { output: formatProblems(outcome, warnings) } : {}),
  }
}

const rules = {
  'yaml-syntax': 'The file is not YAML',
  'ci-configuration': 'The instance reported errors or warnings',
  unchecked: 'The file could not be checked',
} as const

const toSarifResults = (outcome: Outcome): readonly SarifResult[] => {
  if (isUnchecked(outcome)) {
    const { file, failure } = outcome
    const text = `${file} was not checked: ${failure.message}`
    return [{ ruleId: 'unchecked', level: 'error', text, file }]
  }
  return listProblems(outcome).map(({ message: text, ...problem }) => ({
    ruleId: outcome.local === true ? 'yaml-syntax' : 'ci-configuration',
    text,
    ...problem,
  }))
}

/** Writes the reports with all files, also those that were not checked. */
const reportOutcomes = (
  { place }: Context,
  { flags: { report, strict } }: LintArguments,
  outcomes: readonly Outcome[],
): Rows => {
  const createCases = () => outcomes.map((outcome) => toJunitCase(outcome, strict === true))
  return writeReports(place, report, {
    junit: () => renderJunit('ci lint', createCases()),
    sarif: () => renderSarif(version, rules, outcomes.flatMap(toSarifResults)),
  })
}

const flags = {
  'include-merged-yaml': boolean('print the expanded (merged) configuration', {
    name: 'include-merged-yaml',
  }),
  'merged-yaml': boolean('short form of --include-merged-yaml'),
  strict: boolean('fail on warnings, too'),
  'as-of': createAsOfFlag(
    'check as this version does, such as 14.5 (only with --sandbox) [latest]',
  ),
  report: reportFlag(['junit', 'sarif']),
} as const
type LintArguments = Arguments<typeof flags, typeof ci.lintOfProject>

const createLintPlan = async (
  { instance }: Context,
  given: LintArguments,
  content: string | undefined,
  merged: boolean,
): Promise<Plan> => {
  const scoped = given.flags.project !== undefined
  const override: Record<string, JsonValue> = {}
  if (content !== undefined) override.content = content
  if (merged && !scoped) override.include_merged_yaml = true
  const [made] = await instance.createPlans({ ...given, args: [] }, override)
  if (made === undefined) throw new Failure('internal', 'a check without a plan')
  const asOf = given.flags['as-of']
  return asOf === undefined ? made : { ...made, extra: { ...made.extra, as_of: asOf } }
}

const checkOne = async (
  context: Context,
  given: LintArguments,
  source: LintSource,
  choices: Choices,
): Promise<Verdict> => {
  // A pipe without input times out like an instance that does not respond.
  const timeout = context.place.globals.timeout ?? defaultTimeout
  const patience = { ...createWaitOptions(context), timeout }
  const content = await source.content(patience)
  const problem = await findSyntaxProblem(content)
  if (problem !== undefined)
    return { file: source.name, valid: false, errors: [problem], warnings: [], local: true }
  const whole = await context.instance.send(
    await createLintPlan(context, given, content, choices.merged),
  )
  return toVerdict(source.name, whole.data, { content, asOf: given.flags['as-of'] })
}

/** Adds a hint to a 404 without a project, because newer instances do not have that endpoint. */
const getFailureDetails = (
  { category, details }: Failure,
  { flags }: LintArguments,
): FailureDetails =>
  category === 'not_found' && flags.project === undefined && !details.hint?.includes('--project')
    ? {
        ...details,
        hint: 'Newer instances check files only in the context of a project. Add --project.',
      }
    : details

/** Checks the project's own configuration on its default branch. */
const checkHead = async (context: Context, given: LintArguments): Promise<Outcome> => {
  const file = 'HEAD'
  const plan = await createLintPlan(context, given, undefined, false)
  try {
    const { data } = await context.instance.send(plan)
    return await toVerdict(file, data)
  } catch (error) {
    return { file, failure: recoverFrom(error) }
  }
}

/** Checks all files, and returns the outcomes in their order. Prints why a file could not be checked. */
const checkAll = async (
  context: Context,
  given: LintArguments,
  choices: Choices,
): Promise<readonly Outcome[]> => {
  const { place } = context
  const sources =
    given.args.length === 0
      ? [await findDefaultSource(place)]
      : await readLintSources(place, given.args)
  await place.checkInputs(sources.map(({ name }) => name))
  const found = new Map<LintSource, Outcome>()
  await context.instance.each(sources, async (source) => {
    try {
      found.set(source, await checkOne(context, given, source, choices))
    } catch (error) {
      const refused = recoverFrom(error)
      context.ui.report(
        new Failure(
          refused.category,
          `${source.name} was not checked: ${refused.message}`,
          getFailureDetails(refused, given),
        ),
      )
      found.set(source, { file: source.name, failure: refused })
    }
  })
  return sources.flatMap((s) => found.get(s) ?? [])
}

/** Advice for problems whose message has none. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /unspecified class: (?:Date|Time)/,
    "Quote a date, such as '2024-05-01': unquoted, it is no text.",
  ],
]
const needsProject = /does not have project!$|^Project `[^`]+` not found or access denied/

/** Prints advice for the problems, without duplicates. */
const advise = ({ ui }: Context, verdicts: readonly Verdict[], isScoped: boolean): void => {
  const messages = verdicts.flatMap(({ errors }) => errors.map(({ message }) => message))
  const found = advice.filter(([pattern]) => messages.some((message) => pattern.test(message)))
  for (const [, hint] of found) ui.note(`hint: ${hint}`)
  if (!isScoped && messages.some((message) => needsProject.test(message)))
    ui.note('hint: Includes are read in the context of a project. Add --project.')
}

/**
 * Checks that `--as-of` is used only with the embedded instance, because a real one always checks with its own version.
 * @throws Failure `usage`
 */
const checkVersion = async ({ place }: Context, asOf: string | undefined): Promise<void> => {
  if (asOf === undefined) return
  if (!place.globals.sandbox)
    throw usage('the instance checks with its own version', 'Use --as-of together with --sandbox.')
  await parseAsOfVersion(asOf)
}

async function* lintGiven(context: Context, given: LintArguments): Rows {
  const { flags } = given
  await checkVersion(context, flags['as-of'])
  const choices = {
    strict: flags.strict === true,
    merged: flags['merged-yaml'] === true || flags['include-merged-yaml'] === true,
  }
  const scoped = flags.project !== undefined
  if (flags['dry-run'] !== undefined && !scoped)
    throw usage('--dry-run simulates a pipeline and requires --project')
  const isHead = scoped && given.args.length === 0
  const outcomes = isHead
    ? [await checkHead(context, given)]
    : await checkAll(context, given, choices)
  const unchecked = outcomes.filter(isUnchecked).at(-1)
  if (isHead && unchecked !== undefined) {
    yield* reportOutcomes(context, given, outcomes)
    throw unchecked.failure
  }
  const verdicts = outcomes.filter(isVerdict)
  yield* yieldVerdicts(context, verdicts, choices)
  advise(context, verdicts, scoped)
  yield* reportOutcomes(context, given, outcomes)
  if (unchecked !== undefined) yield createExitRow(exitCodes[unchecked.failure.category])
  else if (verdicts.some((v) => isFailing(v, choices.strict))) yield createExitRow(exitCodes.failed)
}

export const lint = define({
  of: [ci.lintOfProject],
  summary: 'Check CI configuration files',
  description: [
    'Without a file, svcctl checks .gitlab-ci.yml or .svc-ci.yml in the working directory. With --project and no file, it checks the configuration on the project’s default branch. Exit code 0: all are valid; 1: at least one is invalid; 7: the instance could not be reached.',
  ],
  args: [
    {
      name: 'file',
      required: false,
      variadic: true,
      help: 'files, glob patterns, or - for standard input',
      file: true,
    },
  ],
  without: ['content', 'include_merged_yaml'],
  flags,
  gathers: true,
  eachParent: true,
  rows: lintGiven,
})

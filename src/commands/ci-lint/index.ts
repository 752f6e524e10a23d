/** `svcctl ci lint` (`catalogue/reference/ci.md`), as CI scripts need it. */
import { resolve } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import { ci } from '../../catalogue/areas/ci.js'
import { boolean, hash, string } from '../../catalogue/params.js'
import { defaultTimeout } from '../../client/defaults.js'
import { exitCodes, Failure, type FailureDetails, reasonOf, survived, usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import { patient } from '../patient.js'
import type { Services } from '../services.js'
import type { Plan } from '../types.js'
import { defaultSource, type Source, sourcesOf } from './files.js'
import { junit, sarif } from './reports.js'
import { syntaxProblems } from './syntax.js'
import { type Problem, placeOf, type Verdict } from './types.js'

const texts = (value: unknown): Problem[] =>
  Array.isArray(value)
    ? value.map((message) => ({ message: String(message), ...lineIn(String(message)) }))
    : []

/** Instances name the line of a syntax error in its text only. */
const lineIn = (message: string): Partial<Problem> => {
  const match = /line (\d+)(?: column (\d+))?/.exec(message)
  if (match?.[1] === undefined) return {}
  return { line: Number(match[1]), ...(match[2] === undefined ? {} : { column: Number(match[2]) }) }
}

/** Both forms of the answer, `{status}` of the instance and `{valid}` of a project, as one. */
const verdictOf = (file: string, data: unknown): Verdict => {
  const answer = data !== null && typeof data === 'object' ? (data as Record<string, unknown>) : {}
  const { status, valid, errors, warnings, merged_yaml: merged } = answer
  if (status === undefined && valid === undefined)
    throw new Failure('unreachable', `the answer for ${file} is no lint result`)
  return {
    file,
    valid: valid === undefined ? status === 'valid' : valid === true,
    errors: texts(errors),
    warnings: texts(warnings),
    ...(typeof merged === 'string' ? { merged } : {}),
  }
}

const flags = {
  'include-merged-yaml': boolean('print the expanded configuration', {
    name: 'include-merged-yaml',
  }),
  'merged-yaml': boolean('the same, shorter'),
  strict: boolean('fail on warnings too'),
  report: {
    ...hash('write a report', {
      placeholder: 'junit|sarif> <file',
      completes: 'file',
      keys: { junit: string('JUnit XML'), sarif: string('SARIF 2.1.0') },
    }),
    pair: true,
  },
} as const
type Mine = GivenBy<typeof flags, typeof ci.lintOfProject>

interface Choices {
  readonly strict: boolean
  readonly merged: boolean
}

const plan = (
  { instance }: Services,
  given: Mine,
  content: string | undefined,
  merged: boolean,
): Promise<Plan> => {
  const scoped = given.flags.project !== undefined
  const override: Record<string, unknown> = {}
  if (content !== undefined) override.content = content
  if (merged && !scoped) override.include_merged_yaml = true
  return instance.plan({ ...given, args: [] }, override)
}

const checkOne = async (
  services: Services,
  given: Mine,
  source: Source,
  choices: Choices,
): Promise<Verdict> => {
  // A pipe that gives nothing is given up like an instance that does not answer.
  const timeout = services.place.globals.timeout ?? defaultTimeout
  const patience = { ...patient(services), timeout }
  const content = await source.content(patience)
  const problems = await syntaxProblems(content)
  if (problems.length > 0)
    return { file: source.name, valid: false, errors: problems, warnings: [], local: true }
  const whole = await services.instance.send(await plan(services, given, content, choices.merged))
  return verdictOf(source.name, whole.data)
}

/** No object is named where there is no project: a 404 is the instance's word on the endpoint. */
const detailsOf = ({ details }: Failure, { flags }: Mine): FailureDetails =>
  details.status === 404 && flags.project === undefined
    ? { ...details, hint: 'Newer instances check files only within a project: add --project.' }
    : details

/** The verdicts, in the order of the files; those that could not be had are reported and left out. */
const checkAll = async (
  services: Services,
  given: Mine,
  sources: readonly Source[],
  choices: Choices,
): Promise<{ verdicts: Verdict[]; failure: Failure | undefined }> => {
  const found = new Map<Source, Verdict>()
  let failure: Failure | undefined
  await services.instance.each(sources, async (source) => {
    try {
      found.set(source, await checkOne(services, given, source, choices))
    } catch (error) {
      const refused = survived(error)
      services.person.report(
        new Failure(
          refused.category,
          `${source.name} was not checked: ${refused.message}`,
          detailsOf(refused, given),
        ),
      )
      failure = refused
    }
  })
  return { verdicts: sources.flatMap((s) => found.get(s) ?? []), failure }
}

const fails = (verdict: Verdict, strict: boolean): boolean =>
  !verdict.valid || (strict && verdict.warnings.length > 0)

const record = ({ file, valid, errors, warnings, merged }: Verdict) => ({
  file,
  valid,
  errors: errors.map((p) =>
    p.line === undefined ? p.message : `${placeOf(file, p)}: ${p.message}`,
  ),
  warnings: warnings.map((p) => p.message),
  ...(merged === undefined ? {} : { merged_yaml: merged }),
})

const place = (v: Verdict, p: Problem): string =>
  v.local === true && p.line !== undefined ? `${placeOf(v.file, p)}: ` : ''

/** A verdict with its problems in one cell each. */
const rowOf = (verdict: Verdict) => {
  const { errors, warnings, ...row } = record(verdict)
  return { ...row, errors: errors.join('; '), warnings: warnings.join('; ') }
}

/** A verdict for a person: a line for the file, its errors and warnings below. */
const pageOf = ({ answer }: Services, v: Verdict, strict: boolean): string => {
  const warned = v.warnings.length > 0
  const word = v.valid ? (warned ? 'valid, with warnings' : 'valid') : 'invalid'
  const mark = answer.text.mark(fails(v, strict) ? 'bad' : warned ? 'warn' : 'good')
  const below = (kind: 'bad' | 'warn') => (p: Problem) =>
    `    ${answer.text.mark(kind)} ${answer.text.hanging(place(v, p) + p.message, 6)}`
  const lines = [
    `${mark} ${answer.text.safe(v.file)}  ${word}`,
    ...v.errors.map(below('bad')),
    ...v.warnings.map(below('warn')),
  ]
  return `${lines.join('\n')}\n`
}

const mergedText = (verdicts: readonly Verdict[]): string =>
  verdicts
    .flatMap((v) =>
      v.merged === undefined ? [] : [verdicts.length > 1 ? `# ${v.file}\n${v.merged}` : v.merged],
    )
    .map((text) => (text.endsWith('\n') ? text : `${text}\n`))
    .join('---\n')

const show = async (
  services: Services,
  verdicts: readonly Verdict[],
  choices: Choices,
): Promise<void> => {
  if (choices.merged && services.answer.reader === 'people') {
    for (const v of verdicts)
      for (const p of [...v.errors, ...v.warnings])
        services.person.warn(`${placeOf(v.file, p)}: ${p.message}`)
    return services.answer.write(mergedText(verdicts))
  }
  return services.answer.printMany(verdicts.map(record), {
    people: {
      columns: ['file', 'valid', 'errors', 'warnings'],
      rows: () => verdicts.map(rowOf),
      page: () => verdicts.map((verdict) => pageOf(services, verdict, choices.strict)),
    },
  })
}

/** A report is there whole or not at all: CI would take half a one for the result. */
const writeReports = async (
  { place }: Services,
  reports: Readonly<Record<string, unknown>>,
  verdicts: readonly Verdict[],
  strict: boolean,
): Promise<void> => {
  for (const [kind, file] of Object.entries(reports)) {
    const text =
      kind === 'junit' ? await junit(verdicts, strict) : sarif(verdicts, place.about().version)
    try {
      await writeWhole(resolve(place.cwd, String(file)), text, { signal: place.clock.signal })
    } catch (cause) {
      if (cause instanceof Failure) throw cause
      const what = `cannot write the ${kind} report ${String(file)}`
      throw new Failure('failed', `${what}: ${reasonOf(cause)}`, { cause })
    }
  }
}

const run = async (services: Services, given: Mine): Promise<void> => {
  const { flags } = given
  const choices = {
    strict: flags.strict === true,
    merged: flags['merged-yaml'] === true || flags['include-merged-yaml'] === true,
  }
  const scoped = flags.project !== undefined
  if (flags['dry-run'] !== undefined && !scoped)
    throw usage('--dry-run simulates a pipeline of a project: give --project')
  const ofProject = scoped && given.args.length === 0
  const sources = ofProject
    ? []
    : given.args.length === 0
      ? [await defaultSource(services.place.cwd)]
      : await sourcesOf(services.place.cwd, given.args)
  const { verdicts, failure } = ofProject
    ? {
        verdicts: [
          verdictOf(
            'HEAD',
            (await services.instance.send(await plan(services, given, undefined, false))).data,
          ),
        ],
        failure: undefined,
      }
    : await checkAll(services, given, sources, choices)
  await show(services, verdicts, choices)
  const reports = flags.report
  if (reports !== null && typeof reports === 'object')
    await writeReports(services, { ...reports }, verdicts, choices.strict)
  if (failure !== undefined) services.answer.exit(exitCodes[failure.category])
  else if (verdicts.some((v) => fails(v, choices.strict))) services.answer.exit(exitCodes.failed)
}

export const lint = define({
  of: [ci.lintOfProject],
  summary: 'Check CI configurations: files, standard input, or that of a project',
  description: [
    'Without a file, .gitlab-ci.yml or .svc-ci.yml of the working directory is checked; with --project and no file, the configuration at the head of the default branch. Exit 0: all are valid; 1: any is not; 7: the instance was not reached.',
  ],
  args: [
    {
      name: 'file',
      required: false,
      variadic: true,
      help: 'files, globs, or - for standard input',
      file: true,
    },
  ],
  without: ['content', 'include_merged_yaml'],
  flags,
  examples: [
    'ci lint',
    'ci lint .gitlab-ci.yml deploy/*.yml --strict',
    'ci lint - < .gitlab-ci.yml',
    'ci lint --report junit lint.xml',
  ],
  run,
})

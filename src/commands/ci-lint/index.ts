/** `svcctl ci lint` (`catalogue/reference/ci.md`), as CI scripts need it. */
import type { JsonValue } from '../../base/json/value.js'
import { ci } from '../../catalogue/areas/ci.js'
import { boolean, hash, string } from '../../catalogue/params.js'
import { defaultTimeout } from '../../client/defaults.js'
import { exitCodes, Failure, type FailureDetails, survived, usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import { patient } from '../patient.js'
import { asOfFlag, asOfVersion } from '../sandbox/as-of.js'
import type { Services } from '../services.js'
import type { Plan } from '../types.js'
import { defaultSource, type Source, sourcesOf } from './files.js'
import { type Choices, show } from './page.js'
import { writeReports } from './reports.js'
import { syntaxProblems } from './syntax.js'
import type { Verdict } from './types.js'
import { fails, verdictOf } from './verdict.js'

const flags = {
  'include-merged-yaml': boolean('print the expanded configuration', {
    name: 'include-merged-yaml',
  }),
  'merged-yaml': boolean('the same, shorter'),
  strict: boolean('fail on warnings too'),
  'as-of': asOfFlag('check as this version does (14.5); with --sandbox only [latest]'),
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

const plan = async (
  { instance }: Services,
  given: Mine,
  content: string | undefined,
  merged: boolean,
): Promise<Plan> => {
  const scoped = given.flags.project !== undefined
  const override: Record<string, JsonValue> = {}
  if (content !== undefined) override.content = content
  if (merged && !scoped) override.include_merged_yaml = true
  const made = await instance.plan({ ...given, args: [] }, override)
  const asOf = given.flags['as-of']
  return asOf === undefined ? made : { ...made, extra: { ...made.extra, as_of: asOf } }
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
const detailsOf = ({ category, details }: Failure, { flags }: Mine): FailureDetails =>
  category === 'not_found' && flags.project === undefined && !details.hint?.includes('--project')
    ? { ...details, hint: 'Newer instances check files only within a project: add --project.' }
    : details

interface Checked {
  readonly verdicts: readonly Verdict[]
  /** Why the last could not be had that was not. */
  readonly failure: Failure | undefined
}

/** The project's own configuration, at the head of its default branch. */
const checkHead = async (services: Services, given: Mine): Promise<Checked> => {
  const { data } = await services.instance.send(await plan(services, given, undefined, false))
  return { verdicts: [verdictOf('HEAD', data)], failure: undefined }
}

/** The verdicts, in the order of the files; those that could not be had are reported and left out. */
const checkAll = async (services: Services, given: Mine, choices: Choices): Promise<Checked> => {
  const { cwd } = services.place
  const sources =
    given.args.length === 0 ? [await defaultSource(cwd)] : await sourcesOf(cwd, given.args)
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

/** A version can be chosen of the embedded instance alone: any other lints as what it is. */
const checkVersion = async ({ place }: Services, asOf: string | undefined): Promise<void> => {
  if (asOf === undefined) return
  if (!place.globals.sandbox)
    throw usage('this instance lints as of its own version', 'Give --sandbox with --as-of.')
  await asOfVersion(asOf)
}

const run = async (services: Services, given: Mine): Promise<void> => {
  const { flags } = given
  await checkVersion(services, flags['as-of'])
  const choices = {
    strict: flags.strict === true,
    merged: flags['merged-yaml'] === true || flags['include-merged-yaml'] === true,
  }
  const scoped = flags.project !== undefined
  if (flags['dry-run'] !== undefined && !scoped)
    throw usage('--dry-run simulates a pipeline of a project: give --project')
  const { verdicts, failure } =
    scoped && given.args.length === 0
      ? await checkHead(services, given)
      : await checkAll(services, given, choices)
  await show(services, verdicts, choices)
  const reports = flags.report
  if (reports !== undefined) await writeReports(services, reports, verdicts, choices.strict)
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
    'ci lint --sandbox --as-of 14.5',
  ],
  run,
})

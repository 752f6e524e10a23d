/** Reads the possible causes of a waiting job for `jobs why`: its runners, earlier jobs, and its resource group. */
import { isObject, toText } from '../base/objects.js'
import { ci } from '../catalogue/areas/ci.js'
import { jobs } from '../catalogue/areas/jobs.js'
import { resourceGroups } from '../catalogue/areas/resource-groups.js'
import { runners } from '../catalogue/areas/runners.js'
import type { Data, RecordOf } from '../client/types.js'
import type { InstanceService } from '../engine/command/context.js'
import { explainUnread, recoverFrom } from '../errors.js'
import { getRunnerState, type RunnerState } from './health.js'

type Details = Data<(typeof runners)['get']>

/** A runner, and the reason why it does or does not match a job. */
export interface RunnerFit {
  readonly id: number
  readonly description: string
  readonly state: RunnerState
  /** True if the runner can take the job according to its tags and settings; null if the API does not show that. */
  readonly fits: boolean | null
  readonly missing_tags: readonly string[]
  readonly why: string
}

interface JobRequirements {
  readonly tag_list: readonly string[]
  readonly ref: string
}

/** Checks the settings of a runner apart from its tags. */
const judgeSettings = (
  { access_level: access, run_untagged: untagged }: Partial<Details>,
  { tag_list: tags, ref }: JobRequirements,
): readonly [boolean | null, string] => {
  if (tags.length === 0 && untagged === false) return [false, 'does not accept untagged jobs']
  if (access === 'ref_protected')
    return [
      null,
      `accepts jobs of protected refs only; the API does not tell whether ${ref} is protected`,
    ]
  return [true, tags.length === 0 ? 'accepts untagged jobs' : 'has all its tags']
}

/** Checks whether a runner matches a job. */
const judgeRunner = (runner: Details, job: JobRequirements): RunnerFit => {
  const own = (runner.tag_list ?? []).map(String)
  const missing = job.tag_list.filter((tag) => !own.includes(tag))
  const known = { ...toRunnerSummary(runner), missing_tags: missing }
  if (missing.length > 0) return { ...known, fits: false, why: `lacks ${missing.join(', ')}` }
  const [fits, why] = judgeSettings(runner, job)
  return { ...known, fits, why }
}

const toRunnerSummary = (runner: Partial<Details>) => ({
  id: runner.id ?? 0,
  description: runner.description ?? '',
  state: getRunnerState(runner),
})

/** Creates the result for a runner whose details the user cannot see. */
const createUnseenRunner = (runner: Partial<Details>, why: string): RunnerFit => ({
  ...toRunnerSummary(runner),
  fits: null,
  missing_tags: [],
  why: `its tags are unknown: ${why}`,
})

// The configuration of a job: its stage, needs and resource group. The API does not show these for a job. They are read from the default
// branch.

interface JobConfiguration {
  readonly stages: readonly string[]
  /** The names of the jobs under `needs`; undefined if the job waits for earlier stages. */
  readonly needs?: readonly string[]
  readonly resourceGroup?: string
  /** All jobs with the same resource group, including this one. */
  readonly besides: readonly string[]
}

const usual = ['.pre', 'build', 'test', 'deploy', '.post']

/** Returns the name of a job without the suffix of its parallel instances: `unit` for `unit 2/3` and `unit: [a, b]`. */
const getJobFamily = (name: string): string =>
  name.replace(/ \d+\/\d+$/, '').replace(/: \[.*\]$/, '')

const getStages = (stages: unknown): readonly string[] =>
  Array.isArray(stages) ? ['.pre', ...stages.map(String), '.post'] : usual

const getNeeds = (needs: unknown): readonly string[] | undefined =>
  Array.isArray(needs)
    ? needs.flatMap((one) => toText(isObject(one) ? one.job : one) ?? [])
    : undefined

const getResourceGroup = (job: unknown): string | undefined =>
  isObject(job) ? toText(job.resource_group) : undefined

/** Finds the configuration of a job; undefined if there is none. */
const findJobConfiguration = (whole: unknown, name: string): JobConfiguration | undefined => {
  const family = getJobFamily(name)
  if (!isObject(whole)) return undefined
  const job = whole[family]
  if (!isObject(job)) return undefined
  const [needs, group] = [getNeeds(job.needs), getResourceGroup(job)]
  return {
    stages: getStages(whole.stages),
    needs,
    resourceGroup: group,
    besides:
      group === undefined
        ? []
        : Object.keys(whole).filter((other) => getResourceGroup(whole[other]) === group),
  }
}

/**
 * Loads the configuration of a job; undefined if it cannot be parsed.
 * @throws Failure if the instance does not return the configuration
 */
const loadJobConfiguration = async (
  instance: Pick<InstanceService, 'call'>,
  project: string | number,
  name: string,
): Promise<JobConfiguration | undefined> => {
  const { data } = await instance.call(ci.lintHead, { id: project })
  const { parse } = await import('yaml')
  try {
    return findJobConfiguration(parse(data?.merged_yaml ?? ''), name)
  } catch {
    // The YAML has unknown tags or is incomplete.
    return undefined
  }
}

type Job = Data<(typeof jobs)['get']>
type ListedJob = RecordOf<(typeof jobs)['list']>

/** Another job that the explanation names. */
export interface OtherJob {
  readonly id: number
  readonly name: string
  readonly stage: string
  readonly status: string
  readonly ref: string
}

interface HeldGroup {
  readonly key: string
  readonly process_mode: string | null
  /** The jobs that currently use the group. */
  readonly held_by: readonly OtherJob[]
}

/** The causes that were found for a waiting job. */
export interface JobContext {
  /** True if the job is waiting. */
  readonly waits: boolean
  readonly runners: readonly RunnerFit[]
  readonly waits_for: readonly OtherJob[]
  readonly resource_group: HeldGroup | null
  /** The parts that could not be read, one sentence each. */
  readonly unread: readonly string[]
}

const notWaiting: JobContext = {
  waits: false,
  runners: [],
  waits_for: [],
  resource_group: null,
  unread: [],
}

const toOtherJob = ({ id, name, stage, status, ref }: ListedJob): OtherJob => ({
  id: id ?? 0,
  name: name ?? '',
  stage: stage ?? '',
  status: status ?? '',
  ref: ref ?? '',
})

/** A job and its project. */
interface OfProject {
  readonly instance: InstanceService
  readonly project: string | number
  readonly job: Job
}

/** Loads all runners of the project, and checks whether each matches the job. */
const loadRunnerFits = async ({
  instance,
  project,
  job,
}: OfProject): Promise<readonly RunnerFit[]> => {
  const all = await instance.readRecords(runners.listOfProject, { id: project })
  const wanted = { tag_list: (job.tag_list ?? []).map(String), ref: job.ref ?? 'its ref' }
  const found = new Map<number, RunnerFit>()
  await instance.each(all, async (runner, i) => {
    try {
      const { data } = await instance.call(runners.get, { id: runner.id ?? 0 })
      found.set(i, judgeRunner(data ?? runner, wanted))
    } catch (error) {
      found.set(i, createUnseenRunner(runner, explainUnread(recoverFrom(error))))
    }
  })
  return all.flatMap((_, i) => found.get(i) ?? [])
}

/** Returns the rank of a runner for sorting. Runners that can take the job come first. */
const getRank = ({ fits, state }: RunnerFit): number =>
  (fits === true ? 0 : fits === null ? 2 : 4) + (state === 'online' ? 0 : 1)

const finishedStatuses: readonly unknown[] = ['success', 'failed', 'canceled', 'skipped', 'manual']

/** Loads the jobs of the pipeline that must finish first. */
const loadEarlierJobs = async (
  { instance, project, job }: OfProject,
  known: JobConfiguration | undefined,
): Promise<readonly OtherJob[]> => {
  const pipeline = job.pipeline?.id
  if (typeof pipeline !== 'number') return []
  const all = await instance.readRecords(jobs.listOfPipeline, {
    id: project,
    pipeline_id: pipeline,
  })
  const getStageIndex = (stage: string | null | undefined): number =>
    known?.stages.indexOf(stage ?? '') ?? -1
  const isBefore = ({ id, name, stage }: ListedJob): boolean => {
    if (known?.needs !== undefined) return known.needs.includes(getJobFamily(name ?? ''))
    if (known !== undefined && getStageIndex(stage) >= 0 && getStageIndex(job.stage) >= 0)
      return getStageIndex(stage) < getStageIndex(job.stage)
    return stage !== job.stage && (id ?? 0) < (job.id ?? 0)
  }
  return all
    .filter((one) => !finishedStatuses.includes(one.status) && isBefore(one))
    .map(toOtherJob)
}

/** Loads the resource group of a job, and the jobs that use it. */
const loadResourceGroup = async (
  { instance, project, job }: OfProject,
  { resourceGroup: key, besides }: JobConfiguration,
): Promise<HeldGroup | null> => {
  if (key === undefined) return null
  // A name with a variable is known only in the pipeline, so it cannot be requested.
  const group = key.includes('$')
    ? undefined
    : (await instance.call(resourceGroups.get, { id: project, key })).data
  // A job uses its group as soon as it is pending, even before it has a runner.
  const inside = await instance.readRecords(jobs.list, {
    id: project,
    scope: ['pending', 'running'],
  })
  const holding = inside.filter(
    ({ id, name }) => id !== job.id && besides.includes(getJobFamily(name ?? '')),
  )
  return { key, process_mode: group?.process_mode ?? null, held_by: holding.map(toOtherJob) }
}

/** The possible causes by status. A pending job waits for a runner; a created one waits for other jobs. */
const possibleCauses: Readonly<
  Record<string, { readonly runners: boolean; readonly others: boolean }>
> = {
  pending: { runners: true, others: false },
  created: { runners: false, others: true },
  waiting_for_resource: { runners: false, others: false },
}

/** Reads everything that a job may be waiting for. Parts that cannot be read are listed in `unread`. */
export const readSurroundings = async (of: OfProject): Promise<JobContext> => {
  const looks = possibleCauses[of.job.status ?? '']
  if (looks === undefined) return notWaiting
  const unread: string[] = []
  const readOrNote = async <T>(what: string, read: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await read()
    } catch (error) {
      unread.push(`${what}: ${explainUnread(recoverFrom(error))}`)
      return otherwise
    }
  }
  const [fitting, known] = await Promise.all([
    looks.runners ? readOrNote('the runners of the project', () => loadRunnerFits(of), []) : [],
    readOrNote(
      'the configuration',
      () => loadJobConfiguration(of.instance, of.project, of.job.name ?? ''),
      undefined,
    ),
  ])
  const [waitsFor, group] = await Promise.all([
    looks.others
      ? readOrNote('the jobs of the pipeline', () => loadEarlierJobs(of, known), [])
      : [],
    known === undefined
      ? null
      : readOrNote('the resource group', () => loadResourceGroup(of, known), null),
  ])
  return {
    waits: true,
    runners: fitting.toSorted((a, b) => getRank(a) - getRank(b) || a.id - b.id),
    waits_for: waitsFor,
    resource_group: group,
    unread,
  }
}

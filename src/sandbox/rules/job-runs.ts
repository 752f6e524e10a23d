/**
 * Assigns jobs to runners, ends them, and creates their archives (`sandbox/README.md`). The duration of a job depends only on its project,
 * commit and name, so that it is the same in each run. Only a runner that a user changed takes sample jobs.
 */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { isDots } from '../../base/base-url.js'
import type { Call, Instance } from '../call.js'
import type { ArtifactEntry, JobRecord, JobTimeline, RunnerRecord } from '../state/ci.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { State } from '../state/state.js'
import { findProtection, getProjectGroup, listLineage } from './access.js'

/** The seconds that a job without an end of its own still runs after its runner is paused. */
const remainingSeconds = 2
const shortest = 8
const longest = 60
const longestPath = 500

/** Finds the runners of a project and of the groups above it, and shared runners if the project permits them. */
export const findRunners = (state: State, project: ProjectRecord): RunnerRecord[] =>
  state.runners.filter(createRunnerTest(state, project))

const createRunnerTest = (state: State, project: ProjectRecord): ((r: RunnerRecord) => boolean) => {
  const groups = new Set(listLineage(state, getProjectGroup(state, project)).map(({ id }) => id))
  return (r) =>
    r.project_ids.includes(project.id) ||
    r.group_ids.some((id) => groups.has(id)) ||
    (r.runner_type === 'instance_type' && project.shared_runners_enabled)
}

/** Finds the runners that may take a job, including busy ones. */
const findCandidates = (state: State, job: JobRecord): readonly RunnerRecord[] => {
  const project = state.projects.get(job.project_id)
  const ref = state.pipelines.get(job.pipeline_id)?.ref
  if (project === undefined || ref === undefined) return []
  const { runners } = state
  const able = (job.course === undefined ? runners.watched() : runners.all()).filter(
    (r) =>
      r.active &&
      r.online === true &&
      (job.tag_list.length === 0
        ? r.run_untagged
        : job.tag_list.every((tag) => r.tag_list.includes(tag))) &&
      (r.access_level !== 'ref_protected' || findProtection(state, project, ref) !== undefined),
  )
  return able.filter(createRunnerTest(state, project))
}

/** The number of jobs that run on a runner, and the time at which its last job ended. */
interface Load {
  running: number
  free: string
}

const getLoads = (state: State): ((runner: RunnerRecord) => Load) => {
  const loads = new Map<number, Load>()
  const getLoad = (id: number): Load => {
    const load = loads.get(id) ?? { running: 0, free: '' }
    loads.set(id, load)
    return load
  }
  for (const { course, runner_id, status, finished_at } of state.jobs.all()) {
    if (course === undefined || runner_id === null) continue
    const load = getLoad(runner_id)
    if (status === 'running') load.running += 1
    if (finished_at !== null && finished_at > load.free) load.free = finished_at
  }
  return ({ id }) => getLoad(id)
}

/** True if a name matches a glob, in which `*` matches any text. */
const nameMatches = (glob: string, name: string): boolean =>
  new RegExp(
    `^${glob
      .split('*')
      .map((part) => part.replace(/[^\w-]/g, '\\$&'))
      .join('.*')}$`,
    's',
  ).test(name)

/** Determines the duration and the result of a job when a runner takes it. */
const determineCourse = (
  { state }: Instance,
  job: JobRecord,
): Pick<JobTimeline, 'seconds' | 'end'> => {
  const { sha } = state.pipelines.get(job.pipeline_id) ?? {}
  const text = [job.project_id, sha, job.name, 1].join(' ')
  const hash = createHash('sha256').update(text).digest().readUInt32BE()
  const rule = state.config.value.jobs ?? 'pass'
  const fails = rule.startsWith('fail=') && nameMatches(rule.slice('fail='.length), job.name)
  return {
    seconds: shortest + (hash % (longest - shortest + 1)),
    end: rule === 'hold' ? 'hold' : fails ? 'failed' : 'success',
  }
}

const take = (then: Instance, job: JobRecord, runner: RunnerRecord): void => {
  const { state, clock } = then
  const started_at = clock.iso()
  state.jobs.change(job.id, {
    status: 'running',
    started_at,
    runner_id: runner.id,
    course: { ...(job.course ?? { place: 0, when: 'on_success' }), ...determineCourse(then, job) },
  })
  const pipeline = state.pipelines.get(job.pipeline_id)
  if (pipeline?.started_at === null) state.pipelines.change(pipeline.id, { started_at })
}

/**
 * Assigns the pending jobs to runners, the oldest job first. If several runners are free, the one that is free for the longest time gets
 * it.
 */
export const assignJobs = (then: Instance): readonly JobRecord[] => {
  const { state } = then
  const waiting = state.jobs.watched().filter((j) => j.status === 'pending' && j.kind === 'build')
  if (waiting.length === 0) return []
  let loads: ReturnType<typeof getLoads> | undefined
  return waiting.filter((job) => {
    const able = findCandidates(state, job)
    if (able.length === 0) return false
    loads ??= getLoads(state)
    const load = loads
    const [runner] = able
      .filter((r) => load(r).running < (r.concurrent ?? 1))
      .sort((a, b) => Number(load(a).free > load(b).free) - Number(load(a).free < load(b).free))
    if (runner === undefined) return false
    take(then, job, runner)
    load(runner).running += 1
    return true
  })
}

/** Creates a small file for each path that the job declares. */
const createArchiveEntries = (
  job: JobRecord,
  paths: readonly string[],
  project: ProjectRecord | undefined,
) => {
  const name = project?.path ?? 'project'
  const files = paths.flatMap((path) => {
    const parts = path
      .replace(/\*+/g, name)
      .slice(0, longestPath)
      .replace(/[\\:\p{Cc}]/gu, '_')
      .split('/')
      .filter((part) => part !== '' && !isDots(part))
    if (parts.length === 0) return []
    return [parts.at(-1)?.includes('.') ? parts.join('/') : [...parts, `${name}.txt`].join('/')]
  })
  const content = `${job.name} of ${project?.path_with_namespace}, job ${job.id}\n`
  return [...new Set(files)].map((path) => ({ path, content, encoding: 'text' as const }))
}

const storeArtifacts = async ({ state, clock }: Instance, job: JobRecord): Promise<void> => {
  const { artifacts } = job.course ?? {}
  const kept = job.status === 'success' ? ['on_success', 'always'] : ['on_failure', 'always']
  if (artifacts === undefined || !kept.includes(artifacts.when)) return
  const { paths, expire_in, reports } = artifacts
  const archive = createArchiveEntries(job, paths, state.projects.get(job.project_id))
  state.jobs.change(job.id, {
    archive: archive.length > 0 ? archive : undefined,
    reports: reports.map((type) => ({
      file_type: type,
      filename: `${type}.gz`,
      file_format: 'gzip',
      size: 400 + type.length,
    })),
  })
  await countArtifacts(state, job, 1)
  if (expire_in !== null)
    state.jobs.change(job.id, {
      artifacts_expire_at: new Date(clock.now().getTime() + expire_in * 1000).toISOString(),
    })
}

export const endJob = async (then: Instance, job: JobRecord): Promise<void> => {
  then.state.jobs.change(job.id, {
    status: job.course?.end === 'failed' ? 'failed' : 'success',
    finished_at: then.clock.iso(),
  })
  await storeArtifacts(then, job)
}

/** Returns the time at which a running job ends: after its duration, or soon after its runner was paused. */
export const getJobEnd = ({ clock }: Instance, job: JobRecord): number | undefined => {
  const { course, started_at, ending_since } = job
  if (course?.seconds !== undefined && course.end !== 'hold' && started_at !== null)
    return clock.due(started_at, course.seconds)
  return ending_since === undefined ? undefined : clock.due(ending_since, remainingSeconds)
}

/** Starts the end of the running jobs that `among` accepts. */
const startEnd = ({ state, clock }: Instance, among: (job: JobRecord) => boolean): void => {
  for (const { id, ending_since } of state.jobs
    .watched()
    .filter((j) => j.status === 'running' && among(j)))
    if (ending_since === undefined) state.jobs.change(id, { ending_since: clock.iso() })
}

/** Starts the end of the jobs on a runner that would not end by themselves. */
export const startRunnerJobsEnd = ({ instance }: Call, runner: RunnerRecord): void =>
  startEnd(instance, ({ runner_id }) => runner_id === runner.id)

/** Sets the rule for the results of jobs. Jobs that the previous rule held end soon. */
export const setJobsRule = (instance: Instance, rule: string): void => {
  const { config } = instance.state
  if (config.value.jobs === rule) return
  config.change({ jobs: rule })
  startEnd(instance, ({ course }) => course?.end === 'hold')
}

/** Returns the current size of a job's log, in bytes. */
export const getTraceSize = (
  { course, started_at, finished_at, trace_size }: JobRecord,
  now: string,
) => {
  if (course === undefined || started_at === null) return trace_size
  const seconds = (Date.parse(finished_at ?? now) - Date.parse(started_at)) / 1000
  return 300 + Math.floor(40 * seconds)
}

// Zip archives.

/** Creates a zip archive. Its bytes depend only on the entries and the time. */
const createZip = async (entries: readonly ArtifactEntry[], at: string): Promise<Buffer> => {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const mtime = new Date(at)
  for (const { path, content, encoding } of entries)
    zip.addBuffer(Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'), path, {
      mtime,
      mode: 0o100644,
    })
  zip.end()
  return buffer(zip.outputStream)
}

const getZipTime = ({ finished_at, created_at }: JobRecord): string => finished_at ?? created_at

/** Lists the entries of an archive; undefined if there is none or it has expired. */
export const listArchive = (job: JobRecord, now: string): readonly ArtifactEntry[] | undefined =>
  job.archive === null || (job.artifacts_expire_at !== null && job.artifacts_expire_at <= now)
    ? undefined
    : job.archive

/** Adds the size of a job's artifacts to the storage of its project, or subtracts it. */
export const countArtifacts = async (state: State, job: JobRecord, sign: 1 | -1): Promise<void> => {
  const project = state.projects.get(job.project_id)
  const archive = job.archive === null ? [] : await createZip(job.archive, getZipTime(job))
  const bytes = job.reports.reduce((sum, { size }) => sum + size, archive.length)
  if (project === undefined) return
  const { id, statistics } = project
  const job_artifacts_size = Math.max(0, statistics.job_artifacts_size + sign * bytes)
  state.projects.change(id, { statistics: { ...statistics, job_artifacts_size } })
}

/** Creates the archive of a job; undefined if it has none or it has expired. */
export const createArchive = async (job: JobRecord, now: string): Promise<Buffer | undefined> => {
  const entries = listArchive(job, now)
  return entries === undefined ? undefined : createZip(entries, getZipTime(job))
}

/**
 * Applies the events that no request causes, such as the end of a job. It runs before each request and after each write, and applies the
 * due events in order, each with its own time. There is no timer, so that results do not depend on the time of requests.
 */

import { addToGroup } from '../base/collections.js'
import type { DueEvent, Instance } from './call.js'
import { assignJobs, endJob, getJobEnd } from './rules/job-runs.js'
import { listDueMerges, listDueRebases } from './rules/merge-requests.js'
import { listDueMoves } from './rules/pushes.js'
import type { JobRecord, JobStatus, JobTimeline } from './state/ci.js'
import type { State } from './state/state.js'

// The order of jobs in a pipeline, by stages, needs, delays and resource groups, and the status of the pipeline.

type TimedJob = JobRecord & { readonly course: JobTimeline }

const isTimed = (job: JobRecord): job is TimedJob => job.course !== undefined

const isActive = ({ status }: JobRecord): boolean =>
  status === 'created' || status === 'pending' || status === 'running'

/** True for a manual job that stops the stages after it. */
const isBlockingManual = ({ status, allow_failure }: JobRecord): boolean =>
  status === 'manual' && !allow_failure

const isLost = ({ status, allow_failure }: JobRecord): boolean =>
  !allow_failure && (status === 'failed' || status === 'canceled')

/** The status of the jobs that a job waits for: some are unfinished (`open`), failed or canceled (`lost`), or skipped. */
interface EarlierStatus {
  readonly open: boolean
  readonly lost: boolean
  readonly skipped: boolean
}

/** Combines the status of earlier jobs. A job of `needs` has to run, but an optional manual job of an earlier stage does not. */
const combineStatuses = (jobs: readonly JobRecord[], needed: boolean): EarlierStatus => ({
  open: jobs.some(
    (job) => isActive(job) || (needed ? job.status === 'manual' : isBlockingManual(job)),
  ),
  lost: jobs.some(isLost),
  skipped: needed && jobs.some(({ status }) => status === 'skipped'),
})

/** Returns the next status of a created job; undefined if the job has to wait longer. */
const getNextStatus = (then: Instance, { id, kind, course }: TimedJob, before: EarlierStatus) => {
  if (before.open) return undefined
  const begins =
    course.when === 'always' ||
    (course.when === 'on_failure' ? before.lost : !before.lost && !before.skipped)
  if (!begins) return 'skipped'
  if (course.when === 'manual') return 'manual'
  if (course.when === 'delayed') {
    if (course.ready_at === undefined)
      then.state.jobs.change(id, { course: { ...course, ready_at: then.clock.iso() } })
    return undefined
  }
  return kind === 'bridge' ? 'success' : 'pending'
}

/** Selects the jobs that their resource groups admit, one for each group. */
const selectAdmitted = (state: State, jobs: readonly TimedJob[]): readonly TimedJob[] => {
  const getGroupKey = ({ project_id, course }: TimedJob) => `${project_id} ${course.resource_group}`
  const held = new Set(
    state.jobs
      .watched()
      .filter((j) => j.status !== 'created')
      .filter(isTimed)
      .map(getGroupKey),
  )
  const getProcessMode = ({ project_id, course }: TimedJob) =>
    state.resourceGroups.find({ project_id, key: course.resource_group })?.process_mode
  const inOrder = jobs.toSorted((a, b) =>
    getProcessMode(a) === 'newest_first'
      ? b.pipeline_id - a.pipeline_id || a.id - b.id
      : a.id - b.id,
  )
  return inOrder.filter((job) => {
    if (job.course.resource_group === undefined) return true
    if (held.has(getGroupKey(job))) return false
    held.add(getGroupKey(job))
    return true
  })
}

/** Creates the function that returns the status of the jobs before a job. It computes the status of a stage only once. */
const createEarlierLookup = (
  state: State,
  created: readonly TimedJob[],
): ((job: TimedJob) => EarlierStatus) => {
  const pipelines = new Set(created.map(({ pipeline_id }) => pipeline_id))
  const siblings = new Map<number, JobRecord[]>()
  for (const job of state.jobs.all())
    if (pipelines.has(job.pipeline_id) && !job.retried) addToGroup(siblings, job.pipeline_id, job)
  const ofStages = new Map<string, EarlierStatus>()
  return ({ pipeline_id, course: { needs, place } }) => {
    if (needs !== undefined)
      return combineStatuses(
        needs.flatMap((id) => state.jobs.get(id) ?? []),
        true,
      )
    const key = `${pipeline_id} ${place}`
    const listEarlierJobs = () =>
      (siblings.get(pipeline_id) ?? []).filter(({ course }) => (course?.place ?? 0) < place)
    const before = ofStages.get(key) ?? combineStatuses(listEarlierJobs(), false)
    ofStages.set(key, before)
    return before
  }
}

/** Starts the jobs that no longer wait for others. @returns the changed jobs */
const startJobs = (then: Instance): readonly JobRecord[] => {
  const { state } = then
  const created = state.jobs
    .watched()
    .filter(({ status }) => status === 'created')
    .filter(isTimed)
  if (created.length === 0) return []
  const beforeOf = createEarlierLookup(state, created)
  const next = created.map((job) => [job, getNextStatus(then, job, beforeOf(job))] as const)
  const entering = selectAdmitted(
    state,
    next.flatMap(([job, status]) => (status === 'pending' ? [job] : [])),
  )
  return next.flatMap(([job, status]) => {
    if (status === undefined || (status === 'pending' && !entering.includes(job))) return []
    const now = then.clock.iso()
    // A bridge starts no pipeline here: it succeeds at once.
    const through = status === 'success' ? { started_at: now, finished_at: now } : {}
    state.jobs.change(job.id, { status, ...through })
    return [job]
  })
}

/** Returns the status of a pipeline, from the status of its jobs. */
const getStatus = (jobs: readonly JobRecord[]): string => {
  const has = (status: JobStatus) => jobs.some((job) => job.status === status)
  const begun = jobs.some(({ started_at }) => started_at !== null)
  if (has('running')) return 'running'
  if (has('pending')) return begun ? 'running' : 'pending'
  if (jobs.some(isBlockingManual)) return 'manual'
  if (has('created')) return begun ? 'running' : 'created'
  if (jobs.some((job) => job.status === 'failed' && isLost(job))) return 'failed'
  if (jobs.some(isLost)) return 'canceled'
  return jobs.every(({ status }) => status === 'skipped' || status === 'manual')
    ? 'skipped'
    : 'success'
}

const unfinished = ['created', 'pending', 'running', 'manual']

const updatePipeline = ({ state, clock }: Instance, id: number): void => {
  const pipeline = state.pipelines.get(id)
  if (pipeline === undefined) return
  const status = getStatus(state.jobs.filter((j) => j.pipeline_id === id && !j.retried))
  if (status === pipeline.status) return
  const now = clock.iso()
  const finished_at = unfinished.includes(status) ? undefined : now
  state.pipelines.change(id, { status, updated_at: now, finished_at })
}

/** Starts jobs and assigns runners until nothing changes any more. @returns true if anything changed */
const settleJobs = (then: Instance): boolean => {
  const pipelines = new Set<number>()
  for (;;) {
    const changed = [...startJobs(then), ...assignJobs(then)]
    for (const { pipeline_id } of changed) pipelines.add(pipeline_id)
    if (changed.length === 0) break
  }
  for (const id of pipelines) updatePipeline(then, id)
  return pipelines.size > 0
}

const getDueEvent = (instance: Instance, job: JobRecord): DueEvent | undefined => {
  if (job.status === 'running') {
    const at = getJobEnd(instance, job)
    const play = async (then: Instance) => {
      await endJob(then, job)
      updatePipeline(then, job.pipeline_id)
    }
    return at === undefined ? undefined : { at, play }
  }
  const { course } = job
  if (job.status !== 'created' || course?.ready_at === undefined || course.when !== 'delayed')
    return undefined
  return {
    at: instance.clock.due(course.ready_at, course.start_in ?? 0),
    play: ({ state }) => state.jobs.change(job.id, { course: { ...course, when: 'always' } }),
  }
}

/** Lists the ends of running jobs and the starts of delayed ones. */
const listDueJobs = (instance: Instance): DueEvent[] =>
  instance.state.jobs.watched().flatMap((job) => getDueEvent(instance, job) ?? [])

// The events of all kinds.

const sources: readonly ((instance: Instance) => DueEvent[])[] = [
  listDueJobs,
  listDueMerges,
  listDueRebases,
  listDueMoves,
]

/** The maximum number of events that one request applies. Further ones wait for the next request. */
const maxPlayed = 10_000

export class Scheduler {
  #turn: Promise<void> = Promise.resolve()
  /** No event is due before this time, in milliseconds since the epoch. */
  #next = Number.NEGATIVE_INFINITY

  constructor(private readonly instance: Instance) {}

  /** Forgets the time of the next event, since a change of the state may have changed it. */
  changed(): void {
    this.#next = Number.NEGATIVE_INFINITY
  }

  /** Applies the events that are due. `written` is true if the state was changed since the last call. */
  async advance(written = false): Promise<void> {
    if (written) this.changed()
    const now = this.instance.clock.now().getTime()
    if (now < this.#next) return
    const turn = this.#turn.then(() => this.#applyEvents(now))
    this.#turn = turn.catch(() => {})
    await turn
  }

  #findNextEvent(): DueEvent | undefined {
    const dues = sources.flatMap((source) => source(this.instance))
    return dues.reduce<DueEvent | undefined>(
      (first, due) => (first === undefined || due.at < first.at ? due : first),
      undefined,
    )
  }

  /** Returns the instance with a clock that shows this time. */
  #createInstanceAt(moment: number): Instance {
    return { ...this.instance, clock: this.instance.clock.stoppedAt(moment) }
  }

  async #applyEvents(now: number): Promise<void> {
    for (let played = 0; played < maxPlayed; played += 1) {
      const due = this.#findNextEvent()
      const at = due?.at ?? Number.POSITIVE_INFINITY
      // Jobs that a write made ready start with the current time, after all events that were due before.
      if (due === undefined || at > now) {
        this.#next = at
        if (!settleJobs(this.#createInstanceAt(now))) return
      } else {
        const then = this.#createInstanceAt(at)
        await due.play(then)
        settleJobs(then)
      }
    }
  }
}

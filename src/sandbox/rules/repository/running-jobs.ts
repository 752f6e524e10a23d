/**
 * Jobs on a runner that is paused (`sandbox/README.md`): it takes no further ones, and those
 * that run come to their end. Nothing else moves a sample job.
 */
import type { Call, Due, Instance } from '../../call.js'
import type { JobRecord, RunnerRecord } from '../../state/ci.js'

/** How long a running job goes on once its runner is paused. */
const remainingSeconds = 2

/** Begins the end of what runs on a runner. */
export const letFinish = (call: Call, runner: RunnerRecord): void => {
  for (const job of call.state.jobs.filter((j) => j.runner_id === runner.id))
    if (job.status === 'running') job.ending_since ??= call.clock.iso()
}

/** Jobs that a pipeline waits for; manual ones it does not. */
const unfinished = ['created', 'pending', 'running']

/** Ends a pipeline whose last job has ended: failed where one failed that may not. */
const settlePipeline = ({ state, clock }: Instance, id: number): void => {
  const pipeline = state.pipelines.get(id)
  const jobs = state.jobs.filter((j) => j.pipeline_id === id && !j.retried)
  if (pipeline === undefined || jobs.some(({ status }) => unfinished.includes(status))) return
  const failed = jobs.some((j) => j.status === 'failed' && !j.allow_failure)
  pipeline.status = failed ? 'failed' : 'success'
  pipeline.finished_at = clock.iso()
  pipeline.updated_at = pipeline.finished_at
}

const end = (then: Instance, job: JobRecord): void => {
  job.status = 'success'
  job.finished_at = then.clock.iso()
  settlePipeline(then, job.pipeline_id)
}

/** The jobs that come to their end. */
export const dueJobs = ({ state, clock }: Instance): Due[] =>
  state.jobs.all().flatMap((job) =>
    job.status !== 'running' || job.ending_since === undefined
      ? []
      : {
          at: clock.due(job.ending_since, remainingSeconds),
          play: (then) => end(then, job),
        },
  )

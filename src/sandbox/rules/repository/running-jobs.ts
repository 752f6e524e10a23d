/**
 * Jobs on a runner that is paused (`sandbox/README.md`): it takes no further ones, and those
 * that run come to their end. Nothing else moves a sample job.
 */
import type { Call } from '../../call.js'
import type { RunnerRecord } from '../../state/ci.js'

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
const settlePipeline = (call: Call, id: number): void => {
  const pipeline = call.state.pipelines.get(id)
  const jobs = call.state.jobs.filter((j) => j.pipeline_id === id && !j.retried)
  if (pipeline === undefined || jobs.some(({ status }) => unfinished.includes(status))) return
  const failed = jobs.some((j) => j.status === 'failed' && !j.allow_failure)
  pipeline.status = failed ? 'failed' : 'success'
  pipeline.finished_at = call.clock.iso()
  pipeline.updated_at = pipeline.finished_at
}

/** Writes down the jobs that have ended by now. */
export const settleJobs = (call: Call): void => {
  for (const job of call.state.jobs.filter((j) => j.status === 'running')) {
    if (job.ending_since === undefined) continue
    if (!call.clock.over(job.ending_since, remainingSeconds)) continue
    job.status = 'success'
    job.finished_at = call.clock.iso()
    settlePipeline(call, job.pipeline_id)
    call.instance.touch()
  }
}

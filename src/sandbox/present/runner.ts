/** How runners and their jobs are presented (`catalogue/reference/runners.md`). */
import type { Call } from '../call.js'
import { notFound } from '../reply.js'
import type { JobRecord, RunnerRecord } from '../state/ci.js'
import { longUser, pipelineBrief, projectSummary } from './common.js'

const statusOf = (runner: RunnerRecord): string => {
  if (!runner.active) return 'paused'
  if (runner.online === null) return 'not_connected'
  return runner.online ? 'online' : 'offline'
}

/** Runner summary. */
export const summary = (runner: RunnerRecord) => ({
  id: runner.id,
  description: runner.description,
  ip_address: runner.ip_address,
  active: runner.active,
  is_shared: runner.runner_type === 'instance_type',
  runner_type: runner.runner_type as string,
  name: runner.name,
  online: runner.online,
  status: statusOf(runner),
})

/** Runner details. */
export const details = (call: Call, runner: RunnerRecord) => ({
  ...summary(runner),
  architecture: runner.architecture,
  platform: runner.platform,
  revision: runner.revision,
  version: runner.version,
  contacted_at: runner.contacted_at,
  projects: runner.project_ids.flatMap((id) => {
    const project = call.state.projects.get(id)
    return project === undefined ? [] : [projectSummary(project)]
  }),
  tag_list: runner.tag_list,
  access_level: runner.access_level as string,
  maximum_timeout: runner.maximum_timeout,
  run_untagged: runner.run_untagged,
  locked: runner.locked,
})

/** A job as its runner lists it. */
export const runnerJob = (call: Call, runner: RunnerRecord, record: JobRecord) => {
  const project = call.state.projects.get(record.project_id)
  const pipeline = call.state.pipelines.get(record.pipeline_id)
  if (project === undefined || pipeline === undefined) throw notFound('Pipeline')
  const user = call.state.users.get(record.user_id)
  const seconds = (Date.parse(record.finished_at ?? call.clock.iso()) - started(record)) / 1000
  return {
    id: record.id,
    ip_address: runner.ip_address,
    status: record.status as string,
    stage: record.stage,
    name: record.name,
    ref: pipeline.ref,
    tag: pipeline.tag,
    coverage: record.coverage,
    created_at: record.created_at,
    started_at: record.started_at,
    finished_at: record.finished_at,
    duration: record.started_at === null ? null : seconds,
    user: user === undefined ? null : longUser(call, user),
    commit: pipeline.commit,
    pipeline: pipelineBrief(pipeline),
    project: projectSummary(project),
  }
}

const started = (record: JobRecord): number => Date.parse(record.started_at ?? record.created_at)

/** Finds the jobs that a user may see, and presents jobs, bridges and pipelines in responses. */
import { BridgeJob, DownstreamPipeline, Job, JobRunner } from '../../catalogue/shapes/job.js'
import type { Call } from '../call.js'
import { forbidden, notFound } from '../reply.js'
import { createArchive, getTraceSize } from '../rules/job-runs.js'
import type { JobRecord, PipelineRecord } from '../state/ci.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import { getPipelineUrl, showFullUser, toShape } from './common.js'

/** Returns a project whose pipelines the acting user may see. If they are not public, only Reporters may. @throws Refusal */
export const requireProjectWithJobs = (call: Call, id: string | number): ProjectRecord => {
  const project = call.requireProject(id)
  if (!project.jobs_enabled) throw forbidden()
  if (project.public_jobs) return project
  return call.requireProject(id, { role: 'reporter' })
}

export const requireJob = (call: Call, project: ProjectRecord, id: number): JobRecord => {
  const job = call.state.jobs.get(id)
  if (job?.project_id !== project.id || job.kind !== 'build') throw notFound()
  return job
}

/** Counts the seconds between two times; null if the first one is null. */
const countSeconds = (from: string | null, to: string): number | null =>
  from === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000)

const requirePipeline = (call: Call, job: JobRecord): PipelineRecord => {
  const pipeline = call.state.pipelines.get(job.pipeline_id)
  if (pipeline === undefined) throw notFound('Pipeline')
  return pipeline
}

const showJobPipeline = (pipeline: PipelineRecord) => toShape(Job.properties.pipeline, pipeline, {})

/** Computes the fields that jobs and bridges have in common. */
const computeCommon = (call: Call, job: JobRecord, { ref, tag, commit }: PipelineRecord) => {
  const project = call.state.projects.get(job.project_id)
  const user = call.state.users.get(job.user_id)
  const now = call.clock.iso()
  const queued = job.started_at !== null || job.status === 'pending'
  return {
    ref,
    tag,
    duration: countSeconds(job.started_at, job.finished_at ?? now),
    queued_duration: queued ? countSeconds(job.created_at, job.started_at ?? now) : null,
    user: user === undefined ? null : showFullUser(call, user),
    commit,
    web_url: call.getWebUrl(`${project?.path_with_namespace}/-/jobs/${job.id}`),
  }
}

const getRunner = (call: Call, id: number | null) => {
  const runner = call.state.runners.get(id)
  if (runner === undefined) return null
  return toShape(JobRunner, runner, { is_shared: runner.runner_type === 'instance_type' })
}

export const archiveName = 'artifacts.zip'

const getFiles = async (call: Call, job: JobRecord) => {
  const archive = await createArchive(job, call.clock.iso())
  const size = getTraceSize(job, call.clock.iso())
  const log = { file_type: 'trace', size, filename: 'job.log', file_format: 'raw' }
  const others = [...job.reports, ...(size > 0 ? [log] : [])]
  if (archive === undefined) return { artifacts: others }
  const { length } = archive
  const listed = 120 + 8 * (job.archive?.length ?? 0)
  return {
    artifacts_file: { filename: archiveName, size: length },
    artifacts: [
      { file_type: 'archive', size: length, filename: archiveName, file_format: 'zip' },
      { file_type: 'metadata', size: listed, filename: 'metadata.gz', file_format: 'gzip' },
      ...others,
    ],
  }
}

export const showJob = async (call: Call, job: JobRecord) => {
  const pipeline = requirePipeline(call, job)
  return toShape(Job, job, {
    ...computeCommon(call, job, pipeline),
    pipeline: showJobPipeline(pipeline),
    ...(await getFiles(call, job)),
    runner: getRunner(call, job.runner_id),
  })
}

/** Presents a pipeline with its times and its web address. */
export const showPipeline = (call: Call, pipeline: PipelineRecord) =>
  toShape(BridgeJob.properties.pipeline, pipeline, { web_url: getPipelineUrl(call, pipeline) })

/** Presents a bridge job with the pipeline that it started. */
export const showBridge = (call: Call, job: JobRecord) => {
  const pipeline = requirePipeline(call, job)
  const started = call.state.pipelines.get(job.downstream_pipeline_id)
  return toShape(BridgeJob, job, {
    ...computeCommon(call, job, pipeline),
    pipeline: showPipeline(call, pipeline),
    downstream_pipeline:
      started === undefined
        ? null
        : toShape(DownstreamPipeline, started, { web_url: getPipelineUrl(call, started) }),
  })
}

/** Returns a pipeline, followed by all pipelines of the project that it started. */
export const listWithChildren = (call: Call, pipeline: PipelineRecord): PipelineRecord[] => [
  pipeline,
  ...call.state.pipelines
    .filter({ parent_id: pipeline.id })
    .flatMap((child) => listWithChildren(call, child)),
]

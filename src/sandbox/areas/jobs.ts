/** Serves lists of jobs, single jobs, and the job and the agents of a job token (`catalogue/reference/jobs.md`). */
import { jobs } from '../../catalogue/areas/jobs.js'
import { JobTokenContext } from '../../catalogue/shapes/job.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import {
  showDescribedProject,
  showProjectSummary,
  showUserSummary,
  toShape,
} from '../present/common.js'
import {
  listWithChildren,
  requireProjectWithJobs,
  showBridge,
  showJob,
  showPipeline,
} from '../present/job.js'
import { createLazyList, notFound, unauthorized } from '../reply.js'
import { resource } from '../resource.js'
import type { JobRecord, PipelineRecord } from '../state/ci.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

/** The jobs that are listed: those of a project, or of some of its pipelines. */
interface Place {
  readonly project: ProjectRecord
  readonly kind: JobRecord['kind']
  readonly pipelines?: readonly PipelineRecord[]
}

/** The jobs of projects, the newest first. */
const records = resource({
  table: 'jobs',
  parent: (_, place: Place) => place,
  holds: (job, { project, kind, pipelines }) =>
    job.project_id === project.id &&
    job.kind === kind &&
    pipelines?.some(({ id }) => id === job.pipeline_id) !== false,
  key: ['job_id'],
  filters: jobs.listOfPipeline.params,
  tests: { include_retried: (isIncluded, { retried }) => isIncluded || !retried },
  order: ['desc', () => []],
  present: showJob,
})

const requirePipeline = (call: Call, project: ProjectRecord, id: number): PipelineRecord => {
  const pipeline = call.state.pipelines.get(id)
  if (pipeline?.project_id !== project.id) throw notFound('Pipeline')
  return pipeline
}

/** Returns the job of the job token. @throws Refusal 401 without one */
const requireCurrentJob = (call: Call): JobRecord => {
  if (call.job === undefined) throw unauthorized()
  return call.job
}

const describeContext = (call: Call) => {
  const job = requireCurrentJob(call)
  const project = call.findProject(job.project_id)
  const pipeline = call.state.pipelines.get(job.pipeline_id)
  if (project === undefined || pipeline === undefined) throw notFound('Project')
  const agents = call.state.agents.filter((a) => a.project_ids.includes(project.id))
  return {
    allowed_agents: agents.flatMap(({ id, config_project_id }) => {
      const config = call.findProject(config_project_id)
      return config === undefined ? [] : [{ id, config_project: showDescribedProject(config) }]
    }),
    job: toShape(JobTokenContext.properties.job, job, { project_name: project.name }),
    pipeline: showPipeline(call, pipeline),
    project: showProjectSummary(project),
    user: showUserSummary(call, call.requireUser()),
  }
}

export const served = serve(jobs, {
  list: (call, { id, scope }) => {
    const project = requireProjectWithJobs(call, id)
    return records.listIn(call, { project, kind: 'build' }, { scope, include_retried: true })
  },
  listOfPipeline: (call, { id, pipeline_id, ...filters }) => {
    const project = requireProjectWithJobs(call, id)
    const pipelines = listWithChildren(call, requirePipeline(call, project, pipeline_id))
    return records.listIn(call, { project, kind: 'build', pipelines }, filters)
  },
  bridges: (call, { id, pipeline_id, scope }) => {
    const project = requireProjectWithJobs(call, id)
    const pipelines = [requirePipeline(call, project, pipeline_id)]
    const rows = records.select(call, { project, kind: 'bridge', pipelines }, { scope })
    return createLazyList(rows, (job) => showBridge(call, job))
  },
  get: (call, { id, job_id }) => {
    const project = requireProjectWithJobs(call, id)
    return showJob(call, records.findIn(call, { project, kind: 'build' }, { job_id }))
  },
  current: (call) => showJob(call, requireCurrentJob(call)),
  agents: describeContext,
})

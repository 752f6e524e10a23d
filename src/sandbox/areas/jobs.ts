/** Serves lists of jobs, single jobs, and the job of a job token (`catalogue/reference/jobs.md`). */
import { jobs } from '../../catalogue/areas/jobs.js'
import { JobContext } from '../../catalogue/shapes/job.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import {
  showDescribedProject,
  showProjectSummary,
  showUserSummary,
  toShape,
} from '../present/common.js'
import {
  findJob,
  listWithChildren,
  requireProjectWithJobs,
  showBridge,
  showJob,
  showPipeline,
} from '../present/job.js'
import { createLazyList, LazyList, notFound, unauthorized } from '../reply.js'
import { createDeclaredTests } from '../rules/filters.js'
import type { JobRecord, PipelineRecord } from '../state/ci.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

const sortNewestFirst = (rows: readonly JobRecord[]): JobRecord[] =>
  [...rows].sort((a, b) => b.id - a.id)

/** Creates the predicate for jobs in one of the requested states. */
const createScopeTest = ({ state }: Call, scope: readonly string[] | undefined) => {
  const tests = createDeclaredTests(state, jobs.list.params, { scope })
  return (job: JobRecord) => tests.every((test) => test(job))
}

const listJobs = (call: Call, rows: readonly JobRecord[]) => {
  const sorted = sortNewestFirst(rows)
  return new LazyList(sorted.length, (start, end) =>
    Promise.all(sorted.slice(start, end).map((job) => showJob(call, job))),
  )
}

const getPipeline = (call: Call, project: ProjectRecord, id: number): PipelineRecord => {
  const pipeline = call.state.pipelines.get(id)
  if (pipeline?.project_id !== project.id) throw notFound('Pipeline')
  return pipeline
}

/** Returns the job of the job token. @throws Refusal 401 without one */
const getCurrentJob = (call: Call): JobRecord => {
  if (call.job === undefined) throw unauthorized()
  return call.job
}

const describeContext = (call: Call) => {
  const job = getCurrentJob(call)
  const project = call.findProject(job.project_id)
  const pipeline = call.state.pipelines.get(job.pipeline_id)
  if (project === undefined || pipeline === undefined) throw notFound('Project')
  const agents = call.state.agents.filter((a) => a.project_ids.includes(project.id))
  return {
    allowed_agents: agents.flatMap(({ id, config_project_id }) => {
      const config = call.findProject(config_project_id)
      return config === undefined ? [] : [{ id, config_project: showDescribedProject(config) }]
    }),
    job: toShape(JobContext.properties.job, job, { project_name: project.name }),
    pipeline: showPipeline(call, pipeline),
    project: showProjectSummary(project),
    user: showUserSummary(call, call.requireUser()),
  }
}

export const served = serve(jobs, {
  list: (call, { id, scope }) => {
    const project = requireProjectWithJobs(call, id)
    const rows = call.state.jobs.filter((j) => j.project_id === project.id && j.kind === 'build')
    return listJobs(call, rows.filter(createScopeTest(call, scope)))
  },
  listOfPipeline: (call, { id, pipeline_id, scope, include_retried }) => {
    const pipeline = getPipeline(call, requireProjectWithJobs(call, id), pipeline_id)
    const ids = listWithChildren(call, pipeline).map((p) => p.id)
    const rows = call.state.jobs.filter(
      (j) => ids.includes(j.pipeline_id) && j.kind === 'build' && (include_retried || !j.retried),
    )
    return listJobs(call, rows.filter(createScopeTest(call, scope)))
  },
  bridges: (call, { id, pipeline_id, scope }) => {
    const pipeline = getPipeline(call, requireProjectWithJobs(call, id), pipeline_id)
    const rows = call.state.jobs.filter((j) => j.pipeline_id === pipeline.id && j.kind === 'bridge')
    return createLazyList(sortNewestFirst(rows.filter(createScopeTest(call, scope))), (job) =>
      showBridge(call, job),
    )
  },
  get: (call, { id, job_id }) =>
    showJob(call, findJob(call, requireProjectWithJobs(call, id), job_id)),
  current: (call) => showJob(call, getCurrentJob(call)),
  agents: describeContext,
})

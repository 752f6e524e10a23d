/** Serves the pipelines of a project, which the documented API has only as parts of jobs, commits and merge requests. */

import { listObjects } from '../../base/objects.js'
import { datetime, integer, json, oneOf, project, string } from '../../catalogue/params.js'
import { jobStatuses } from '../../catalogue/shapes/job.js'
import { apiRoot, type Call } from '../call.js'
import { createRoutes } from '../extra-routes.js'
import { findBranchHead } from '../git/commits-and-refs.js'
import { getPipelineUrl, showUser } from '../present/common.js'
import { listWithChildren, requireProjectWithJobs } from '../present/job.js'
import { badRequest, forbidden, notFound } from '../reply.js'
import { type ProjectInput, resource } from '../resource.js'
import { readConfigurationAt } from '../rules/configuration.js'
import { startPipeline } from '../rules/pushes.js'
import type { JobRecord, PipelineRecord } from '../state/ci.js'

type PipelineInput = ProjectInput & { readonly pipeline_id: number }

/** Presents a pipeline in a list. */
const showSummary = (call: Call, pipeline: PipelineRecord) => {
  const { id, project_id, sha, ref, status, source, created_at, updated_at } = pipeline
  const iid = call.state.pipelines.filter((p) => p.project_id === project_id && p.id <= id).length
  const web_url = getPipelineUrl(call, pipeline)
  return { id, iid, project_id, sha, ref, status, source, created_at, updated_at, web_url }
}

/** Returns the seconds between two times; null if one of them is null. */
const getSeconds = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : (Date.parse(to) - Date.parse(from)) / 1000

/** Presents a single pipeline. */
const showFullPipeline = (call: Call, pipeline: PipelineRecord) => {
  const { before_sha, tag, yaml_errors = null, user_id, status } = pipeline
  const { created_at, started_at, finished_at } = pipeline
  const details_path = new URL(getPipelineUrl(call, pipeline)).pathname
  const coverage = call.state.jobs.find((j) => j.pipeline_id === pipeline.id && j.coverage !== null)
  return {
    ...showSummary(call, pipeline),
    before_sha,
    tag,
    yaml_errors,
    user: showUser(call, user_id),
    started_at,
    finished_at,
    committed_at: null,
    duration: getSeconds(started_at, finished_at),
    queued_duration: getSeconds(created_at, started_at),
    coverage: coverage?.coverage ?? null,
    detailed_status: {
      icon: `status_${status}`,
      text: status,
      label: status,
      group: status,
      tooltip: status,
      has_details: true,
      details_path,
    },
  }
}

const finished = ['success', 'failed', 'canceled', 'skipped']

const isInScope = ({ status, tag }: PipelineRecord, scope: string): boolean => {
  if (scope === 'branches' || scope === 'tags') return tag === (scope === 'tags')
  return scope === 'finished' ? finished.includes(status) : status === scope
}

/** Finds a project in which the acting user may run pipelines. */
const requireRunnableProject = (call: Call, { id }: ProjectInput) => {
  const project = call.requireProject(id, { role: 'developer' })
  if (!project.jobs_enabled || project.archived) throw forbidden()
  return project
}

const pipelines = resource({
  table: 'pipelines',
  what: 'Pipeline',
  parent: (call, { id }: ProjectInput) => requireProjectWithJobs(call, id),
  managed: requireRunnableProject,
  key: ['pipeline_id'],
  filters: {
    status: oneOf(jobStatuses, 'status', { exact: true }),
    ref: string('only those of this branch or tag', { exact: true }),
    sha: string('only those of this commit', { exact: true }),
    source: string('only those that this made', { exact: true }),
    scope: oneOf(['running', 'pending', 'finished', 'branches', 'tags'], 'kind'),
    username: string('only those of this user', { keeps: { field: 'user.username' } }),
    updated_after: datetime('updated at or after', { keeps: { field: 'updated_at', by: 'after' } }),
    updated_before: datetime('updated at or before', {
      keeps: { field: 'updated_at', by: 'before' },
    }),
    order_by: oneOf(['id', 'status', 'ref', 'updated_at', 'user_id'], 'order', { default: 'id' }),
    sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
  },
  tests: { scope: (scope, pipeline) => isInScope(pipeline, scope) },
  present: showFullPipeline,
  presentListed: showSummary,
  // Only owners of a project may delete its pipelines. Jobs and child pipelines are deleted, too.
  remove: (call, pipeline, project) => {
    if (!call.isOwnerOf(project)) throw forbidden()
    const { jobs, mergeRequests } = call.state
    for (const { id } of listWithChildren(call, pipeline)) {
      for (const job of jobs.filter({ pipeline_id: id })) jobs.remove(job.id)
      for (const request of mergeRequests.filter({ pipeline_id: id }))
        mergeRequests.change(request.id, { pipeline_id: null })
      call.state.pipelines.remove(id)
    }
  },
})

/** Returns the newest pipeline of a branch (the default branch if absent). @throws Refusal if there is none */
const showLatest = (call: Call, { id, ref }: ProjectInput & { readonly ref?: string }) => {
  const project = requireProjectWithJobs(call, id)
  const wanted = { ref: ref ?? project.default_branch, order_by: 'id', sort: 'desc' }
  const [pipeline] = pipelines.select(call, project, wanted)
  if (pipeline === undefined) throw notFound('Pipeline')
  return showFullPipeline(call, pipeline)
}

// The actions on pipelines.

const createBaseRefusal = (text: string) => badRequest({ base: [text] })

interface CreateInput extends ProjectInput {
  readonly ref: string
  readonly variables?: unknown
}

const create = async (call: Call, { id, ref, variables }: CreateInput) => {
  const project = requireRunnableProject(call, { id })
  const revision = await findBranchHead(await call.git.open(project), ref)
  if (revision === undefined) throw createBaseRefusal('Reference not found')
  if ((await readConfigurationAt(call, project, revision)) === undefined)
    throw createBaseRefusal('Missing CI config file')
  const given = listObjects(variables).map(({ key, value }) => [String(key), String(value)])
  const pipeline = await startPipeline(call, project, {
    branch: ref,
    revision,
    source: 'api',
    variables: Object.fromEntries(given),
  })
  if (pipeline === undefined) throw createBaseRefusal('No stages / jobs for this pipeline.')
  if (pipeline.yaml_errors === undefined) return showFullPipeline(call, pipeline)
  call.state.pipelines.remove(pipeline.id)
  throw createBaseRefusal(pipeline.yaml_errors)
}

const getJobs = ({ state }: Call, { id }: PipelineRecord): readonly JobRecord[] =>
  state.jobs.filter({ pipeline_id: id, retried: false })

const cancel = (call: Call, input: PipelineInput) => {
  const pipeline = pipelines.managed(call, input)
  const finished_at = call.clock.iso()
  const open = getJobs(call, pipeline).filter(({ status }) => !finished.includes(status))
  for (const { id } of open) call.state.jobs.change(id, { status: 'canceled', finished_at })
  if (open.length > 0)
    call.state.pipelines.change(pipeline.id, {
      status: 'canceled',
      finished_at,
      updated_at: finished_at,
    })
  return showFullPipeline(call, pipeline)
}

/** Restarts the failed and canceled jobs of a pipeline, and the jobs that were skipped because of them. */
const retry = (call: Call, input: PipelineInput) => {
  const pipeline = pipelines.managed(call, input)
  const { jobs } = call.state
  const unsuccessful = getJobs(call, pipeline).filter(({ status }) =>
    ['failed', 'canceled', 'skipped'].includes(status),
  )
  const resetFields = {
    status: 'created',
    created_at: call.clock.iso(),
    started_at: null,
    finished_at: null,
    runner_id: null,
  } as const
  const successors = new Map<number, number>()
  for (const { id, ...job } of unsuccessful) {
    // The new job keeps its place and rules, but forgets how the old one went.
    const { place = 0, when = 'on_success', ...course } = job.course ?? {}
    const resetCourse = { seconds: undefined, end: undefined, ready_at: undefined }
    const successor = jobs.add({
      ...job,
      ...resetFields,
      course: { ...course, ...resetCourse, place, when },
    })
    successors.set(id, successor.id)
    jobs.change(id, { retried: true })
  }
  for (const id of successors.values()) {
    const course = jobs.get(id)?.course
    const needs = course?.needs?.map((need) => successors.get(need) ?? need)
    if (course !== undefined) jobs.change(id, { course: { ...course, needs } })
  }
  return showFullPipeline(call, pipeline)
}

const path = '/projects/:id/pipelines'
export const pipelineRoutes = [
  ...createRoutes({
    path,
    one: { pipeline_id: integer('ID') },
    access: 'at least Developer of the project',
    of: pipelines,
    create: [
      {
        ref: string('branch', { required: true }),
        variables: json('variables, each with key and value'),
      },
      create,
      { path: `${apiRoot}/projects/:id/pipeline` },
    ],
    actions: { cancel: [cancel, { status: 200 }], retry: [retry] },
  }),
  {
    method: 'GET',
    path: `${apiRoot}${path}/latest`,
    accepts: { path: { id: project() }, params: { ref: string('branch') } },
    handle: showLatest,
  } as const,
]

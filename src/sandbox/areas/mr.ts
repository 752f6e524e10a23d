/** Merge requests (`catalogue/reference/mr.md`): lists, rebase, auto-merge, subscription. */
import type { mr } from '../../catalogue/areas/mr.js'
import type { Call } from '../call.js'
import type { Handlers } from '../handlers.js'
import { presentIssue, seesIssue } from '../present/issue.js'
import { fullRequest, requestOf, seesRequests } from '../present/merge-request.js'
import { forbidden, Refusal, unchanged } from '../reply.js'
import { listRequests } from '../rules/planning/merge-request-list.js'
import { startRebase } from '../rules/planning/rebase.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { MergeRequestRecord } from '../state/planning.js'

interface Named {
  readonly id: string | number
  readonly merge_request_iid: number
}

const found = (call: Call, { id, merge_request_iid }: Named) =>
  requestOf(call, id, merge_request_iid)

/** Items of an external tracker that a description names: `ABC-12`. */
const externalItems = ({ description }: MergeRequestRecord) =>
  [...new Set([...description.matchAll(/\b[A-Z][A-Z0-9_]+-\d+\b/g)].map(([id]) => id))].map(
    (id) => ({ id, title: `External Issue ${id}` }),
  )

const closedIssues = (call: Call, project: ProjectRecord, request: MergeRequestRecord) => {
  if (project.external_tracker) return externalItems(request)
  return call.state.issues
    .filter((i) => i.project_id === project.id && request.closes_iids.includes(i.iid))
    .filter((i) => seesIssue(call, project, i))
    .map((i) => presentIssue(call, project, i, { from: project }))
}

const cancel = (call: Call, project: ProjectRecord, request: MergeRequestRecord): void => {
  const mayMerge = call.projectLevel(project) >= 30
  if (!mayMerge && request.author_id !== call.user?.id) throw forbidden()
  if (request.state !== 'opened' || !request.merge_when_pipeline_succeeds)
    throw new Refusal(405, { message: '405 Method Not Allowed' })
  request.merge_when_pipeline_succeeds = false
  request.updated_at = call.clock.iso()
}

/** Subscribes or unsubscribes the acting user; false when it was so already. */
const subscribe = (call: Call, request: MergeRequestRecord, wanted: boolean): boolean => {
  const { id } = call.signedIn()
  if (request.subscriber_ids.includes(id) === wanted) return false
  request.subscriber_ids = wanted
    ? [...request.subscriber_ids, id]
    : request.subscriber_ids.filter((other) => other !== id)
  return true
}

const subscription = (wanted: boolean) => async (call: Call, input: Named) => {
  const { project, request } = found(call, input)
  return subscribe(call, request, wanted) ? fullRequest(call, project, request) : unchanged()
}

export const handlers: Handlers<typeof mr> = {
  list: (call, input) => {
    call.signedIn()
    return listRequests(call, call.state.projects.all(), input)
  },
  listOfProject: (call, { id, ...input }) => {
    const project = call.project(id)
    if (!seesRequests(call, project)) throw forbidden()
    return listRequests(call, [project], input, project)
  },
  get: async (call, input) => {
    const { project, request } = found(call, input)
    return fullRequest(call, project, request, input.include_rebase_in_progress)
  },
  rebase: async (call, input) => {
    const { project, request } = found(call, input)
    startRebase(call, project, request, input.skip_ci ?? false)
    return { rebase_in_progress: true }
  },
  cancelAutoMerge: async (call, input) => {
    const { project, request } = found(call, input)
    cancel(call, project, request)
    return fullRequest(call, project, request)
  },
  closesIssues: async (call, input) => {
    const { project, request } = found(call, input)
    return closedIssues(call, project, request)
  },
  subscribe: subscription(true),
  unsubscribe: subscription(false),
}

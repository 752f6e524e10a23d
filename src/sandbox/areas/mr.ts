/**
 * Serves lists of merge requests, single ones, rebase, the end of auto-merge, the issues that they close, and subscription
 * (`catalogue/reference/mr.md`).
 */
import { mr } from '../../catalogue/areas/mr.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import {
  canSeeIssue,
  canSeeRequests,
  findMergeRequest,
  type MergeRequestInput,
  showFullRequest,
  showIssue,
  showRequest,
  showSimpleRequest,
} from '../present/planning.js'
import { createUnchangedReply, forbidden, notFound, Refusal } from '../reply.js'
import { resource } from '../resource.js'
import { hasNone, hasReaction, matchesWildcard, workItemTests } from '../rules/filters.js'
import { getApprovers, startRebase } from '../rules/merge-requests.js'
import { updateMergeRequest } from '../rules/pushes.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { MergeRequestRecord } from '../state/planning.js'

/** True if a time is between two others, or equal to one of them. */
const isBetween = (at: string, after?: string, before?: string): boolean =>
  (after === undefined || Date.parse(at) >= Date.parse(after)) &&
  (before === undefined || Date.parse(at) <= Date.parse(before))

// The filters and the order of lists (`catalogue/reference/mr.md`).

type RequestFilters = CheckedOf<(typeof mr)['list']> & { readonly iids?: readonly number[] }
/** True if a merge request has all of these users, or matches the wildcard `None` or `Any`. */
const hasEvery = (wanted: readonly number[] | 'None' | 'Any', has: readonly number[]): boolean =>
  typeof wanted === 'string' ? matchesWildcard(wanted, has) : wanted.every((id) => has.includes(id))

const isDeployed = (_: string, m: MergeRequestRecord, __: Call, f: RequestFilters): boolean =>
  m.deployments.some(
    (d) =>
      (f.environment === undefined || d.environment === f.environment) &&
      isBetween(d.deployed_at, f.deployed_after, f.deployed_before),
  )

/** The projects whose merge requests are listed, and the project of the request's path, if it has one. */
interface Place {
  readonly homes: ReadonlyMap<number, ProjectRecord>
  readonly from?: ProjectRecord
}

const toPlace = (call: Call, projects: readonly ProjectRecord[], from?: ProjectRecord): Place => {
  const seen = projects.filter((p) => canSeeRequests(call, p))
  return { homes: new Map(seen.map((p) => [p.id, p])), ...(from && { from }) }
}

const requests = resource({
  table: 'mergeRequests',
  parent: (_, place: Place) => place,
  key: ['merge_request_iid', 'iid'],
  holds: ({ project_id }, { homes }) => homes.has(project_id),
  filters: mr.listOfProject.params,
  tests: {
    ...workItemTests,
    approver_ids: (ids, m, call) => hasEvery(ids, getApprovers(call, m)),
    not: ({ my_reaction_emoji }, m, call) =>
      hasNone(my_reaction_emoji, (name) => hasReaction(call, name, m)),
    wip: (word, { draft }) => draft === (word === 'yes'),
    environment: isDeployed,
    deployed_after: isDeployed,
    deployed_before: isDeployed,
  },
  present: (_, request) => request,
  presentListed: (call, request, { homes, from }, { view, with_labels_details: labelDetails }) => {
    const home = homes.get(request.project_id)
    if (home === undefined) throw notFound('Project')
    if (view === 'simple') return showSimpleRequest(call, home, request)
    return showRequest(call, home, request, { ...(from && { from }), labelDetails })
  },
})

/** Starts a new check whether the open merge requests can be merged. The result is not available at once. */
const refreshMergeability = async (
  call: Call,
  rows: readonly MergeRequestRecord[],
): Promise<void> => {
  for (const request of rows)
    if (request.state === 'opened') await updateMergeRequest(call, request)
}

/** Lists the merge requests of these projects that the acting user may see and that pass the filters. */
const listRequests = async (call: Call, place: Place, filters: RequestFilters) => {
  if (filters.with_merge_status_recheck === true)
    await refreshMergeability(call, requests.select(call, place, filters))
  return requests.listIn(call, place, filters)
}

/** Lists the items of an external tracker that a description mentions, such as `ABC-12`. */
const listExternalItems = ({ description }: MergeRequestRecord) =>
  [...new Set([...description.matchAll(/\b[A-Z][A-Z0-9_]+-\d+\b/g)].map(([id]) => id))].map(
    (id) => ({ id, title: `External Issue ${id}` }),
  )

const listClosedIssues = (call: Call, project: ProjectRecord, request: MergeRequestRecord) => {
  if (project.external_tracker) return listExternalItems(request)
  return call.state.issues
    .filter((i) => i.project_id === project.id && request.closes_iids.includes(i.iid))
    .filter((i) => canSeeIssue(call, project, i))
    .map((i) => showIssue(call, project, i, { from: project }))
}

const cancel = (call: Call, project: ProjectRecord, request: MergeRequestRecord): void => {
  const canMerge = call.getProjectLevel(project) >= 30
  if (!canMerge && request.author_id !== call.user?.id) throw forbidden()
  if (request.state !== 'opened' || !request.merge_when_pipeline_succeeds)
    throw new Refusal(405, { message: '405 Method Not Allowed' })
  call.state.mergeRequests.change(request.id, {
    merge_when_pipeline_succeeds: false,
    updated_at: call.clock.iso(),
  })
}

/** Subscribes or unsubscribes the acting user. @returns false if nothing changed */
const subscribe = (call: Call, request: MergeRequestRecord, wanted: boolean): boolean => {
  const { id } = call.requireUser()
  if (request.subscriber_ids.includes(id) === wanted) return false
  const others = request.subscriber_ids.filter((other) => other !== id)
  const subscriber_ids = wanted ? [...others, id] : others
  call.state.mergeRequests.change(request.id, { subscriber_ids })
  return true
}

const createSubscription = (wanted: boolean) => async (call: Call, input: MergeRequestInput) => {
  const { project, request } = findMergeRequest(call, input)
  return subscribe(call, request, wanted)
    ? showFullRequest(call, project, request)
    : createUnchangedReply()
}

export const served = serve(mr, {
  list: (call, input) => {
    call.requireUser()
    return listRequests(call, toPlace(call, call.state.projects.all()), input)
  },
  listOfProject: (call, { id, ...input }) => {
    call.requireUser()
    const project = call.requireProject(id)
    if (!canSeeRequests(call, project)) throw forbidden()
    return listRequests(call, toPlace(call, [project], project), input)
  },
  get: async (call, input) => {
    const { project, request } = findMergeRequest(call, input)
    return showFullRequest(call, project, request, input.include_rebase_in_progress)
  },
  rebase: async (call, input) => {
    const { project, request } = findMergeRequest(call, input)
    startRebase(call, project, request, input.skip_ci ?? false)
    return { rebase_in_progress: true }
  },
  cancelAutoMerge: async (call, input) => {
    const { project, request } = findMergeRequest(call, input)
    cancel(call, project, request)
    return showFullRequest(call, project, request)
  },
  closesIssues: async (call, input) => {
    const { project, request } = findMergeRequest(call, input)
    return listClosedIssues(call, project, request)
  },
  subscribe: createSubscription(true),
  unsubscribe: createSubscription(false),
})

/** Merge requests (`catalogue/reference/mr.md`): lists, rebase, auto-merge, subscription. */
import { mr } from '../../catalogue/areas/mr.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { RecordTest } from '../../catalogue/filters.js'
import type { Call } from '../call.js'
import type { Handlers } from '../handlers.js'
import {
  findMergeRequest,
  fullRequest,
  presentIssue,
  presentRequest,
  seesIssue,
  seesRequests,
  simpleRequest,
} from '../present/planning.js'
import { forbidden, lazily, notFound, Refusal, unchanged } from '../reply.js'
import {
  declaredTests,
  except,
  inScope,
  matchesWildcard,
  mentionsText,
  ownReactions,
  sortRecords,
  testWhere,
} from '../rules/filters.js'
import { getApprovers, startRebase } from '../rules/merge-requests.js'
import { lookAgain } from '../rules/pushes.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { MergeRequestRecord } from '../state/planning.js'

/** Whether a moment lies between two others, both included. */
const between = (at: string, after?: string, before?: string): boolean =>
  (after === undefined || Date.parse(at) >= Date.parse(after)) &&
  (before === undefined || Date.parse(at) <= Date.parse(before))

// The lists of merge requests: which of them, in what order (`catalogue/reference/mr.md`).

type RequestFilters = CheckedOf<(typeof mr)['list']>
/** All of the wanted users, or `None`, `Any`. */
const hasEvery = (wanted: readonly number[] | 'None' | 'Any', has: readonly number[]): boolean =>
  typeof wanted === 'string' ? matchesWildcard(wanted, has) : wanted.every((id) => has.includes(id))

const deployed = (f: RequestFilters, m: MergeRequestRecord): boolean => {
  const { environment, deployed_after, deployed_before } = f
  if (environment === undefined && deployed_after === undefined && deployed_before === undefined)
    return true
  return m.deployments.some(
    (d) =>
      (environment === undefined || d.environment === environment) &&
      between(d.deployed_at, deployed_after, deployed_before),
  )
}

/** What only this list knows how to filter by. */
const specialTests = (call: Call, f: RequestFilters): RecordTest<MergeRequestRecord>[] => {
  const hasReaction = (name: string, m: MergeRequestRecord) =>
    matchesWildcard(name, ownReactions(call, m))
  return [
    testWhere(f.approver_ids, (ids, m) => hasEvery(ids, getApprovers(call, m))),
    testWhere(f.my_reaction_emoji, hasReaction),
    except(f.not?.my_reaction_emoji, hasReaction),
    testWhere(f.wip, (word, { draft }) => draft === (word === 'yes')),
    (m) => mentionsText(f.search, f.in, m) && inScope(call, f.scope, m) && deployed(f, m),
  ]
}

/** Asks anew whether the open ones can be merged; the answer takes a while. */
const recheck = async (call: Call, rows: readonly MergeRequestRecord[]): Promise<void> => {
  for (const request of rows) if (request.state === 'opened') await lookAgain(call, request)
}

/** The merge requests of these projects that the acting user sees and the filters match. */
const listRequests = async (
  call: Call,
  projects: readonly ProjectRecord[],
  filters: RequestFilters & { readonly iids?: readonly number[] },
  /** The project that they are asked for from, if any. */
  asking?: ProjectRecord,
) => {
  const homes = new Map(
    projects.filter((p) => seesRequests(call, p)).map((p) => [p.id, p] as const),
  )
  const { order_by, sort } = filters
  const tests = [
    ...declaredTests(call.state, mr.listOfProject.params, filters),
    ...specialTests(call, filters),
  ]
  const rows = call.state.mergeRequests.filter(
    (m) => homes.has(m.project_id) && tests.every((test) => test(m)),
  )
  if (filters.with_merge_status_recheck === true) await recheck(call, rows)
  const from = asking === undefined ? {} : { from: asking }
  return lazily(
    sortRecords(rows, (m) => [m[order_by]], sort),
    (request) => {
      const home = homes.get(request.project_id)
      if (home === undefined) throw notFound('Project')
      return filters.view === 'simple'
        ? simpleRequest(call, home, request)
        : presentRequest(call, home, request, {
            ...from,
            labelDetails: filters.with_labels_details,
          })
    },
  )
}

interface MergeRequestInput {
  readonly id: string | number
  readonly merge_request_iid: number
}

const found = (call: Call, { id, merge_request_iid }: MergeRequestInput) =>
  findMergeRequest(call, id, merge_request_iid)

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
  call.state.mergeRequests.change(request.id, {
    merge_when_pipeline_succeeds: false,
    updated_at: call.clock.iso(),
  })
}

/** Subscribes or unsubscribes the acting user; false when it was so already. */
const subscribe = (call: Call, request: MergeRequestRecord, wanted: boolean): boolean => {
  const { id } = call.signedIn()
  if (request.subscriber_ids.includes(id) === wanted) return false
  const others = request.subscriber_ids.filter((other) => other !== id)
  const subscriber_ids = wanted ? [...others, id] : others
  call.state.mergeRequests.change(request.id, { subscriber_ids })
  return true
}

const subscription = (wanted: boolean) => async (call: Call, input: MergeRequestInput) => {
  const { project, request } = found(call, input)
  return subscribe(call, request, wanted) ? fullRequest(call, project, request) : unchanged()
}

export const handlers: Handlers<typeof mr> = {
  list: (call, input) => {
    call.signedIn()
    return listRequests(call, call.state.projects.all(), input)
  },
  listOfProject: (call, { id, ...input }) => {
    call.signedIn()
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

/** Declares the endpoints that list, show and rebase merge requests, cancel automatic merging, list the closed issues, and subscribe. */
import { endpoint, many, one } from '../endpoint.js'
import {
  iids,
  labelDetails,
  labels,
  negation,
  noneAny,
  oldScopes,
  scopes,
  searchIn,
  searchText,
  times,
  widenScope,
} from '../filters.js'
import { boolean, datetime, integer, list, oneOf, project, string } from '../params.js'
import { Bool, Obj } from '../shapes/common.js'
import {
  ClosedIssue,
  ListedMergeRequest,
  MergeRequest,
  mergeRequestColumns,
  mergeRequestStates,
} from '../shapes/planning.js'

const Rebase = Obj({ rebase_in_progress: Bool() }, { title: 'Rebase' })

/** The list accepts this filter in `not` only. */
const assignee_username = string('filter by assignee username', {
  format: 'username',
  keeps: { field: 'assignees.username' },
})
const filters = {
  state: oneOf([...mergeRequestStates, 'all'], 'filter by state', {
    exact: true,
  }),
  order_by: oneOf(['created_at', 'updated_at'], 'sort field', { default: 'created_at' }),
  sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
  milestone: string('filter by milestone title', {
    words: noneAny,
    keeps: { field: 'milestone.title' },
  }),
  view: oneOf(['simple'], 'simple view: IID, URL, title, description and state'),
  labels,
  with_labels_details: labelDetails,
  with_merge_status_recheck: boolean('request a recalculation of merge_status', {
    default: false,
  }),
  ...times,
  scope: oneOf(scopes, 'merge requests that you created, that are assigned to you, or all', {
    default: 'created_by_me',
    everything: 'all',
    deprecatedValues: oldScopes,
  }),
  author_id: integer('filter by author ID', { completes: 'user', keeps: { field: 'author.id' } }),
  author_username: string('filter by author username', {
    format: 'username',
    keeps: { field: 'author.username' },
  }),
  assignee_id: integer('filter by assignee ID', {
    words: noneAny,
    completes: 'user',
    keeps: { field: 'assignees.id' },
  }),
  approver_ids: list('integer', 'filter by approver IDs (all of them)', {
    edition: 'PREMIUM',
    words: noneAny,
  }),
  approved_by_ids: list('integer', 'filter by user IDs that approved (all of them, at most five)', {
    edition: 'PREMIUM',
    words: noneAny,
    max: 5,
    keeps: { field: 'approved_by.id' },
  }),
  reviewer_id: integer('filter by reviewer ID', {
    words: noneAny,
    completes: 'user',
    keeps: { field: 'reviewers.id' },
  }),
  reviewer_username: string('filter by reviewer username', {
    format: 'username',
    words: noneAny,
    keeps: { field: 'reviewers.username' },
  }),
  my_reaction_emoji: string('filter by your emoji reaction', { words: noneAny }),
  source_branch: string('filter by source branch', { exact: true }),
  target_branch: string('filter by target branch', { exact: true }),
  search: searchText,
  in: searchIn,
  wip: oneOf(['yes', 'no'], 'filter by draft status'),
  environment: string('filter by deployment environment'),
  deployed_before: datetime('list merge requests deployed before this time'),
  deployed_after: datetime('list merge requests deployed after this time'),
} as const
const listParams = {
  ...filters,
  not: negation({ ...filters, assignee_username }, [
    'labels',
    'milestone',
    'author_id',
    'author_username',
    'assignee_id',
    'assignee_username',
    'reviewer_id',
    'reviewer_username',
    'my_reaction_emoji',
  ]),
} as const
const brief = { view: ['iid', 'state', 'title', 'updated_at', 'web_url'] } as const
const exclusive = [
  ['author_id', 'author_username'],
  ['reviewer_id', 'reviewer_username'],
] as const

const path = {
  id: project(),
  merge_request_iid: integer('merge request IID', { name: 'iid', completes: 'mr' }),
} as const
const args = ['merge_request_iid'] as const
const route = '/projects/:id/merge_requests/:merge_request_iid'

export const mr = {
  list: endpoint('GET /merge_requests', many(ListedMergeRequest), {
    summary: 'List merge requests, by default those that you created',
    command: 'list',
    path: {},
    params: listParams,
    refuses: ['iids'],
    exclusive,
    columns: mergeRequestColumns,
    brief,
    lists: 'mr',
    access: 'any signed-in user',
  }),
  listOfProject: endpoint('GET /projects/:id/merge_requests', many(ListedMergeRequest), {
    summary: 'List the merge requests of a project',
    command: 'list',
    path: { id: project() },
    params: { ...listParams, iids, scope: widenScope(listParams.scope) },
    exclusive,
    columns: mergeRequestColumns,
    brief,
    lists: 'mr',
  }),
  get: endpoint(`GET ${route}`, one(MergeRequest), {
    summary: 'Show a merge request',
    command: 'get',
    args,
    path,
    params: {
      include_rebase_in_progress: boolean('include whether a rebase is in progress'),
    },
    implied: true,
  }),
  rebase: endpoint(`PUT ${route}/rebase`, one(Rebase), {
    summary: 'Rebase the source branch of a merge request onto its target',
    irreversible: 'the branch no longer has its previous commits',
    command: 'rebase',
    selects: { list: 'mr list' },
    args,
    path,
    params: { skip_ci: boolean('skip the pipeline for the rebased branch') },
    access: 'anyone who can push to the source branch',
    status: 202,
  }),
  cancelAutoMerge: endpoint(
    `POST ${route}/cancel_merge_when_pipeline_succeeds`,
    one(MergeRequest),
    {
      summary: 'Cancel automatic merging of a merge request',
      command: 'cancel-auto-merge',
      selects: { list: 'mr list' },
      args,
      path,
      params: {},
      leaves: { merge_when_pipeline_succeeds: false },
      irreversible: 'the API has no endpoint that enables automatic merging',
    },
  ),
  closesIssues: endpoint(`GET ${route}/closes_issues`, many(ClosedIssue), {
    summary: 'List the issues that a merge request would close',
    command: 'closes-issues',
    args,
    path,
    params: {},
    columns: ['id', 'reference', 'title', 'state'],
    lists: 'issue',
  }),
  subscribe: endpoint(`POST ${route}/subscribe`, one(MergeRequest), {
    summary: 'Subscribe to a merge request',
    command: 'subscribe',
    selects: { list: 'mr list' },
    args,
    path,
    params: {},
    leaves: { subscribed: true },
    unchanged: 'already subscribed to the merge request',
  }),
  unsubscribe: endpoint(`POST ${route}/unsubscribe`, one(MergeRequest), {
    summary: 'Unsubscribe from a merge request',
    command: 'unsubscribe',
    selects: { list: 'mr list' },
    args,
    path,
    params: {},
    leaves: { subscribed: false },
    unchanged: 'not subscribed to the merge request',
  }),
} as const

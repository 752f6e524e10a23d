/** Merge requests: lists, rebase, auto-merge, subscription. */
import { endpoint, many, one } from '../endpoint.js'
import {
  everyones,
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
} from '../filters.js'
import { boolean, datetime, integer, list, oneOf, project, string } from '../params.js'
import { Bool, Obj } from '../shapes/common.js'
import { ClosedIssue } from '../shapes/issue.js'
import { MergeRequest, mergeRequestColumns, mergeRequestStates } from '../shapes/merge-request.js'

export const Rebase = Obj({ rebase_in_progress: Bool() }, { title: 'Rebase' })

const filters = {
  state: oneOf([...mergeRequestStates, 'all'], 'only merge requests in this state', {
    exact: true,
  }),
  order_by: oneOf(['created_at', 'updated_at'], 'order by', { default: 'created_at' }),
  sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
  milestone: string('only those of the milestone of this title', { words: noneAny }),
  view: oneOf(['simple'], 'only IID, address, title, description and basic state'),
  labels,
  with_labels_details: labelDetails,
  with_merge_status_recheck: boolean('ask for merge_status to be calculated again', {
    default: false,
  }),
  ...times,
  scope: oneOf(scopes, 'whose merge requests', {
    default: 'created_by_me',
    everything: 'all',
    deprecatedValues: oldScopes,
  }),
  author_id: integer('only those of this author, by ID', { completes: 'user' }),
  author_username: string('only those of this author, by username'),
  assignee_id: integer('only those assigned to this user, by ID', {
    words: noneAny,
    completes: 'user',
  }),
  approver_ids: list('integer', 'only those with all of these users as approvers', {
    edition: 'PREMIUM',
    words: noneAny,
  }),
  approved_by_ids: list('integer', 'only those that all of these users approved, five at most', {
    edition: 'PREMIUM',
    words: noneAny,
    max: 5,
  }),
  reviewer_id: integer('only those to be reviewed by this user, by ID', {
    words: noneAny,
    completes: 'user',
  }),
  reviewer_username: string('only those to be reviewed by this user, by username', {
    words: noneAny,
  }),
  my_reaction_emoji: string('only those you reacted to with this emoji', { words: noneAny }),
  source_branch: string('only those from this branch', { exact: true }),
  target_branch: string('only those into this branch', { exact: true }),
  search: searchText,
  in: searchIn,
  wip: oneOf(['yes', 'no'], 'only drafts, or only others'),
  environment: string('only those deployed to this environment'),
  deployed_before: datetime('only those deployed before this time'),
  deployed_after: datetime('only those deployed after this time'),
} as const
const listed = {
  ...filters,
  not: negation({ ...filters, assignee_username: string('assigned to this user, by username') }, [
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
const exclusive = [
  ['author_id', 'author_username'],
  ['reviewer_id', 'reviewer_username'],
] as const

const path = {
  id: project(),
  merge_request_iid: integer('merge request IID', { name: 'iid', completes: 'mr' }),
} as const
const args = ['merge_request_iid'] as const
const base = '/projects/:id/merge_requests/:merge_request_iid'

export const mr = {
  list: endpoint('GET /merge_requests', many(MergeRequest), {
    summary: 'List merge requests: those you created, with --scope more, or a project’s',
    command: 'list',
    path: {},
    params: listed,
    exclusive,
    columns: mergeRequestColumns,
    lists: 'mr',
    access: 'any signed-in user',
  }),
  listOfProject: endpoint('GET /projects/:id/merge_requests', many(MergeRequest), {
    summary: 'List the merge requests of a project',
    command: 'list',
    path: { id: project() },
    params: { ...listed, iids, scope: everyones(listed.scope) },
    exclusive,
    columns: mergeRequestColumns,
    lists: 'mr',
  }),
  get: endpoint(`GET ${base}`, one(MergeRequest), {
    summary: 'Show a merge request in full',
    command: 'get',
    args,
    path,
    params: {
      include_rebase_in_progress: boolean('also say whether a rebase is in progress'),
    },
    implied: true,
  }),
  rebase: endpoint(`PUT ${base}/rebase`, one(Rebase), {
    summary: 'Rebase the source branch of a merge request onto its target',
    irreversible: 'the former commits are no longer those of the branch',
    command: 'rebase',
    selects: { list: 'mr list' },
    args,
    path,
    params: { skip_ci: boolean('start no pipeline for the rebased branch') },
    access: 'whoever may push to the source branch',
    status: 202,
  }),
  cancelAutoMerge: endpoint(`POST ${base}/cancel_merge_when_pipeline_succeeds`, one(MergeRequest), {
    summary: 'Do not merge by itself any more when the pipeline succeeds',
    command: 'cancel-auto-merge',
    selects: { list: 'mr list' },
    args,
    path,
    params: {},
    leaves: { merge_when_pipeline_succeeds: false },
    irreversible: 'the documents show no way to have it merged by itself again',
  }),
  closesIssues: endpoint(`GET ${base}/closes_issues`, many(ClosedIssue), {
    summary: 'List the issues that merging would close',
    command: 'closes-issues',
    args,
    path,
    params: {},
    columns: ['id', 'reference', 'title', 'state'],
    lists: 'issue',
  }),
  subscribe: endpoint(`POST ${base}/subscribe`, one(MergeRequest), {
    summary: 'Get notifications about a merge request',
    command: 'subscribe',
    selects: { list: 'mr list' },
    args,
    path,
    params: {},
    leaves: { subscribed: true },
    unchanged: 'you are subscribed to the merge request already',
  }),
  unsubscribe: endpoint(`POST ${base}/unsubscribe`, one(MergeRequest), {
    summary: 'Stop getting notifications about a merge request',
    command: 'unsubscribe',
    selects: { list: 'mr list' },
    args,
    path,
    params: {},
    leaves: { subscribed: false },
    unchanged: 'you are not subscribed to the merge request',
  }),
} as const

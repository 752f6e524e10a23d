/**
 * Declares the endpoints that list issues and related merge requests, create to-do items, unsubscribe, track time and promote issues to
 * epics.
 */
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
import { boolean, group, integer, list, oneOf, project, string } from '../params.js'
import { TimeStats } from '../shapes/common.js'
import {
  Issue,
  issueTypes,
  ListedMergeRequest,
  mergeRequestColumns,
  Note,
  Todo,
} from '../shapes/planning.js'

const filters = {
  assignee_id: integer('filter by assignee ID', {
    words: noneAny,
    completes: 'user',
    keeps: { field: 'assignees.id' },
  }),
  assignee_username: list('string', 'filter by assignee username', {
    format: 'username',
    keeps: { field: 'assignees.username' },
  }),
  author_id: integer('filter by author ID', { completes: 'user', keeps: { field: 'author.id' } }),
  author_username: string('filter by author username', {
    format: 'username',
    keeps: { field: 'author.username' },
  }),
  confidential: boolean('filter by confidentiality', { exact: true }),
  ...times,
  due_date: oneOf(
    ['0', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks'],
    'filter by due date; 0 for issues without one',
  ),
  iids,
  in: searchIn,
  issue_type: oneOf(issueTypes, 'filter by issue type', { exact: true }),
  iteration_id: integer('filter by iteration ID', {
    edition: 'PREMIUM',
    words: noneAny,
    keeps: { field: 'iteration.id' },
  }),
  iteration_title: string('filter by iteration title', {
    edition: 'PREMIUM',
    keeps: { field: 'iteration.title' },
  }),
  labels,
  milestone: string('filter by milestone title', {
    words: noneAny,
    keeps: { field: 'milestone.title' },
  }),
  milestone_id: string('filter by milestone state', {
    words: ['None', 'Any', 'Upcoming', 'Started'],
  }),
  my_reaction_emoji: string('filter by your emoji reaction', { words: noneAny }),
  non_archived: boolean('leave out issues of archived projects', { default: true }),
  order_by: oneOf(
    [
      'created_at',
      'due_date',
      'label_priority',
      'milestone_due',
      'popularity',
      'priority',
      'relative_position',
      'title',
      'updated_at',
      'weight',
    ],
    'sort field',
    { default: 'created_at' },
  ),
  scope: oneOf(scopes, 'issues that you created, that are assigned to you, or all', {
    default: 'created_by_me',
    everything: 'all',
    deprecatedValues: oldScopes,
  }),
  search: searchText,
  sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
  state: oneOf(['all', 'opened', 'closed'], 'filter by state', { exact: true }),
  weight: integer('filter by weight', {
    edition: 'PREMIUM',
    words: noneAny,
    exact: true,
  }),
  with_labels_details: labelDetails,
} as const
const listed = {
  ...filters,
  not: negation(filters, [
    'assignee_id',
    'assignee_username',
    'author_id',
    'author_username',
    'iids',
    'iteration_id',
    'iteration_title',
    'labels',
    'milestone',
    'milestone_id',
    'weight',
  ]),
} as const
const exclusive = [
  ['assignee_id', 'assignee_username'],
  ['author_id', 'author_username'],
  ['iteration_id', 'iteration_title'],
  ['milestone', 'milestone_id'],
] as const
const columns = ['reference', 'title', 'state', 'author.username', 'labels', 'updated_at'] as const

const path = {
  id: project(),
  issue_iid: integer('issue IID', { name: 'iid', completes: 'issue' }),
} as const
const args = ['issue_iid'] as const
const reading = 'anyone for public projects; at least Reporter for confidential issues'
const trackers = 'at least Reporter of the project'
const duration = string('duration, such as 3h30m or 1w2d', { required: true, format: 'duration' })

export const issues = {
  list: endpoint('GET /issues', many(Issue), {
    summary: 'List issues, by default those that you created',
    command: 'list',
    path: {},
    params: listed,
    exclusive,
    columns,
    lists: 'issue',
    access: reading,
    credential: 'optional',
  }),
  listOfGroup: endpoint('GET /groups/:id/issues', many(Issue), {
    summary: 'List the issues of a group and its subgroups',
    command: 'list',
    path: { id: group() },
    params: { ...listed, scope: widenScope(listed.scope) },
    exclusive,
    columns,
    lists: 'issue',
    access: reading,
    credential: 'optional',
  }),
  unsubscribe: endpoint('POST /projects/:id/issues/:issue_iid/unsubscribe', one(Issue), {
    irreversible: 'the API has no endpoint that subscribes to an issue',
    summary: 'Unsubscribe from an issue',
    command: 'unsubscribe',
    selects: { list: 'issues list' },
    args,
    path,
    params: {},
    unchanged: 'not subscribed to the issue',
  }),
  todo: endpoint('POST /projects/:id/issues/:issue_iid/todo', one(Todo), {
    irreversible: 'the API has no endpoint that removes a to-do item',
    summary: 'Add an issue to your to-do list',
    command: 'todo',
    selects: { list: 'issues list' },
    args,
    path,
    params: {},
    unchanged: 'already on your to-do list',
  }),
  relatedMergeRequests: endpoint(
    'GET /projects/:id/issues/:issue_iid/related_merge_requests',
    many(ListedMergeRequest),
    {
      summary: 'List the merge requests that mention an issue',
      command: 'related-mrs',
      args,
      path,
      params: {},
      columns: mergeRequestColumns,
      lists: 'mr',
      access: reading,
      credential: 'optional',
    },
  ),
  promote: endpoint('POST /projects/:id/issues/:issue_iid/notes', one(Note), {
    irreversible: 'an epic cannot be turned back into an issue',
    summary: 'Promote an issue to an epic',
    command: 'promote',
    selects: { list: 'issues list' },
    args,
    path,
    params: {
      body: string('text of the note, with /promote at the start of a line', {
        echo: false,
        required: true,
        format: 'text',
      }),
    },
    access: 'at least Reporter of the project and its group',
    edition: 'PREMIUM',
    destructive: 'The issue is closed and replaced by an epic in the project’s group.',
  }),
  timeStats: endpoint('GET /projects/:id/issues/:issue_iid/time_stats', one(TimeStats), {
    summary: 'Show the estimated and spent time of an issue',
    command: 'time-stats',
    args,
    path,
    params: {},
    access: reading,
    credential: 'optional',
  }),
  estimate: endpoint('POST /projects/:id/issues/:issue_iid/time_estimate', one(TimeStats), {
    irreversible: 'the previous estimate is not recorded; set it with "issues estimate"',
    summary: 'Set the time estimate of an issue',
    command: 'estimate',
    args: ['issue_iid', 'duration'],
    path,
    params: { duration },
    access: trackers,
    status: 200,
  }),
  resetEstimate: endpoint(
    'POST /projects/:id/issues/:issue_iid/reset_time_estimate',
    one(TimeStats),
    {
      irreversible: 'the previous estimate is not recorded; set it with "issues estimate"',
      summary: 'Reset the time estimate of an issue',
      command: 'reset-estimate',
      selects: { list: 'issues list' },
      args,
      path,
      params: {},
      leaves: { time_estimate: 0 },
      access: trackers,
      status: 200,
    },
  ),
  spend: endpoint('POST /projects/:id/issues/:issue_iid/add_spent_time', one(TimeStats), {
    irreversible: 'each entry is a record of its own; subtract time with a negative "issues spend"',
    summary: 'Add time spent on an issue',
    command: 'spend',
    args: ['issue_iid', 'duration'],
    path,
    params: { duration, summary: string('summary of the work') },
    access: trackers,
    notes: ['A negative duration subtracts time. Put it after "--": issues spend 7 -- -1h.'],
  }),
  resetSpent: endpoint('POST /projects/:id/issues/:issue_iid/reset_spent_time', one(TimeStats), {
    irreversible: 'the single time entries are not recorded',
    summary: 'Reset the time spent on an issue',
    command: 'reset-spent',
    selects: { list: 'issues list' },
    args,
    path,
    params: {},
    leaves: { total_time_spent: 0 },
    access: trackers,
    status: 200,
  }),
} as const

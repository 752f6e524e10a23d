/** Issues: lists, to-do items, time tracking, promotion. */
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
import { boolean, group, integer, list, oneOf, project, string } from '../params.js'
import { TimeStats } from '../shapes/common.js'
import { Issue, issueTypes, Note, Todo } from '../shapes/issue.js'
import { MergeRequest, mergeRequestColumns } from '../shapes/merge-request.js'

const filters = {
  assignee_id: integer('only issues assigned to this user, by ID', {
    words: noneAny,
    completes: 'user',
  }),
  assignee_username: list('string', 'only issues assigned to these users, by username'),
  author_id: integer('only issues of this author, by ID', { completes: 'user' }),
  author_username: string('only issues of this author, by username'),
  confidential: boolean('only confidential issues, or only others', { exact: true }),
  ...times,
  due_date: oneOf(
    ['0', 'overdue', 'week', 'month', 'next_month_and_previous_two_weeks'],
    'only issues due then; 0 for those without a due date',
  ),
  iids,
  in: searchIn,
  issue_type: oneOf(issueTypes, 'only issues of this type', { exact: true }),
  iteration_id: integer('only issues of this iteration', { edition: 'PREMIUM', words: noneAny }),
  iteration_title: string('only issues of the iteration of this title', { edition: 'PREMIUM' }),
  labels,
  milestone: string('only issues of the milestone of this title', { words: noneAny }),
  milestone_id: string('only issues with a milestone that is so', {
    words: ['None', 'Any', 'Upcoming', 'Started'],
  }),
  my_reaction_emoji: string('only issues you reacted to with this emoji', { words: noneAny }),
  non_archived: boolean('only issues of projects that are not archived', { default: true }),
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
    'order by',
    { default: 'created_at' },
  ),
  scope: oneOf(scopes, 'whose issues', {
    default: 'created_by_me',
    everything: 'all',
    deprecatedValues: oldScopes,
  }),
  search: searchText,
  sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
  state: oneOf(['all', 'opened', 'closed'], 'only issues in this state', { exact: true }),
  weight: integer('only issues of this weight', {
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
const reading = 'anyone for public projects; confidential issues take at least Reporter'
const trackers = 'at least Reporter of the project'
const duration = string('how long, such as 3h30m or 1w2d', { required: true, format: 'duration' })

export const issues = {
  list: endpoint('GET /issues', many(Issue), {
    summary: 'List issues: those you created, or with --scope more',
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
    params: { ...listed, scope: everyones(listed.scope) },
    exclusive,
    columns,
    lists: 'issue',
    access: reading,
    credential: 'optional',
  }),
  unsubscribe: endpoint('POST /projects/:id/issues/:issue_iid/unsubscribe', one(Issue), {
    irreversible: 'the documents show no way to subscribe to an issue',
    summary: 'Stop getting notifications about an issue',
    command: 'unsubscribe',
    selects: { list: 'issues list' },
    args,
    path,
    params: {},
    unchanged: 'you are not subscribed to the issue',
  }),
  todo: endpoint('POST /projects/:id/issues/:issue_iid/todo', one(Todo), {
    irreversible: 'the documents show no way to remove a to-do item',
    summary: 'Put an issue on your to-do list',
    command: 'todo',
    selects: { list: 'issues list' },
    args,
    path,
    params: {},
    unchanged: 'the issue is on your to-do list already',
  }),
  relatedMergeRequests: endpoint(
    'GET /projects/:id/issues/:issue_iid/related_merge_requests',
    many(MergeRequest),
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
    irreversible: 'an epic does not become an issue again',
    summary: 'Promote an issue to an epic, by a note',
    command: 'promote',
    selects: { list: 'issues list' },
    args,
    path,
    params: {
      body: string('the note, with /promote at the start of a line', {
        echo: false,
        required: true,
        format: 'text',
      }),
    },
    access: 'at least Reporter of the project and its group',
    edition: 'PREMIUM',
    destructive: 'The issue is closed, and an epic of its group takes its place.',
  }),
  timeStats: endpoint('GET /projects/:id/issues/:issue_iid/time_stats', one(TimeStats), {
    summary: 'Show the time estimated for and spent on an issue',
    command: 'time-stats',
    args,
    path,
    params: {},
    access: reading,
    credential: 'optional',
  }),
  estimate: endpoint('POST /projects/:id/issues/:issue_iid/time_estimate', one(TimeStats), {
    irreversible: 'the former estimate is not kept; issues estimate sets another',
    summary: 'Set the time estimated for an issue',
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
      irreversible: 'the former estimate is not kept; issues estimate sets another',
      summary: 'Set the time estimated for an issue back to nothing',
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
    irreversible:
      'time that was spent is a record of its own; issues spend takes a negative duration',
    summary: 'Add time spent on an issue',
    command: 'spend',
    args: ['issue_iid', 'duration'],
    path,
    params: { duration, summary: string('what the time was spent on') },
    access: trackers,
    notes: ['A negative duration takes time back and follows --: issues spend 7 -- -1h.'],
  }),
  resetSpent: endpoint('POST /projects/:id/issues/:issue_iid/reset_spent_time', one(TimeStats), {
    irreversible: 'who spent which time is not kept',
    summary: 'Set the time spent on an issue back to nothing',
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

/** Declares the endpoints that list what users did. */
import { endpoint, many } from '../endpoint.js'
import { date, integer, oneOf, project, string } from '../params.js'
import {
  Bool,
  Int,
  maybe,
  Null,
  nullable,
  Obj,
  OpenEnum,
  Str,
  Timestamp,
  UserSummary,
} from '../shapes/common.js'

export const eventActions = [
  'approved',
  'closed',
  'commented',
  'created',
  'destroyed',
  'expired',
  'joined',
  'left',
  'merged',
  'pushed',
  'reopened',
  'updated',
] as const
const eventTargets = [
  'issue',
  'milestone',
  'merge_request',
  'note',
  'project',
  'snippet',
  'user',
] as const

/** The names of actions in events. The documentation shows some of them; filters have names of their own. */
const actionNames = [
  'opened',
  'closed',
  'pushed',
  'pushed to',
  'pushed new',
  'commented on',
  ...eventActions.filter((action) => !['closed', 'commented', 'pushed'].includes(action)),
  'deleted',
] as const
const targetTypes = [
  'Issue',
  'Note',
  'DiffNote',
  'DiscussionNote',
  'MergeRequest',
  'Milestone',
  'Project',
  'Snippet',
  'User',
  'WikiPage::Meta',
  'DesignManagement::Design',
] as const

export const Event = Obj(
  {
    id: Int(),
    title: nullable(Str()),
    project_id: nullable(Int()),
    action_name: OpenEnum(actionNames),
    target_id: nullable(Int()),
    target_iid: maybe(nullable(Int())),
    target_type: nullable(OpenEnum(targetTypes)),
    target_title: nullable(Str()),
    author_id: Int(),
    author: UserSummary,
    author_username: Str(),
    created_at: Timestamp,
    data: maybe(Null()),
    push_data: maybe(
      Obj({
        commit_count: Int(),
        action: Str(),
        ref_type: OpenEnum(['branch']),
        commit_from: nullable(Str()),
        commit_to: nullable(Str()),
        ref: Str(),
        commit_title: nullable(Str()),
      }),
    ),
    note: maybe(
      Obj({
        id: Int(),
        body: Str(),
        attachment: nullable(Str()),
        author: UserSummary,
        created_at: Timestamp,
        system: Bool(),
        noteable_id: nullable(Int()),
        noteable_type: Str(),
        noteable_iid: maybe(nullable(Int())),
      }),
    ),
  },
  { title: 'Event' },
)

const filters = {
  action: oneOf(eventActions, 'filter by action'),
  target_type: oneOf(eventTargets, 'filter by target type'),
  before: date('list events before this date'),
  after: date('list events after this date'),
  sort: oneOf(['asc', 'desc'], 'sort direction by time', { default: 'desc' }),
} as const
const columns = [
  'created_at',
  'author_username',
  'action_name',
  'target_type',
  'target_title',
  'project_id',
] as const
const access = 'anyone with a token of scope read_user or api'
const notes = ['The instance removes events after three years.'] as const

export const events = {
  list: endpoint('GET /events', many(Event), {
    summary: 'List events of yours, of a user or of a project',
    command: 'list',
    path: {},
    params: {
      ...filters,
      scope: string('"all" includes the events of other users in your projects', {
        words: ['all'],
      }),
    },
    columns,
    access,
    notes,
  }),
  listOfUser: endpoint('GET /users/:id/events', many(Event), {
    summary: 'List the events of a user, newest first',
    command: 'list',
    path: {
      id: string('user: ID or username', { name: 'user', format: 'username', completes: 'user' }),
    },
    params: {
      ...filters,
      page: integer('page', { default: 1, min: 1 }),
      per_page: integer('records per page', { default: 20, min: 1 }),
    },
    refuses: ['scope'],
    columns,
    access,
    notes,
  }),
  listOfProject: endpoint('GET /projects/:project_id/events', many(Event), {
    summary: 'List the visible events of a project',
    command: 'list',
    path: { project_id: project() },
    params: filters,
    refuses: ['scope'],
    columns,
    notes,
  }),
} as const

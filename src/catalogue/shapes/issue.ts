/** Issues and what hangs off them. */
import {
  ArrayOf,
  Bool,
  Day,
  deprecated,
  Int,
  maybe,
  maybeAll,
  nullable,
  Obj,
  ProjectSummary,
  References,
  Str,
  TaskCompletion,
  TimeStats,
  Timestamp,
  Union,
  UserSummary,
  Word,
} from './common.js'

export const Milestone = Obj(
  {
    id: Int(),
    iid: Int(),
    project_id: maybe(Int()),
    group_id: maybe(nullable(Int())),
    title: Str(),
    description: nullable(Str()),
    state: Str(),
    created_at: Timestamp,
    updated_at: Timestamp,
    due_date: nullable(Day),
    start_date: maybe(nullable(Day)),
    web_url: maybe(Str()),
  },
  { title: 'Milestone' },
)

export const LabelDetails = Obj(
  {
    id: maybe(Int()),
    name: Str(),
    color: Str(),
    description: nullable(Str()),
    description_html: Str(),
    text_color: Str(),
  },
  { title: 'Label details' },
)
/** Names, or objects where details were asked for. */
export const Labels = ArrayOf(Union([Str(), LabelDetails]), {
  description: 'names, or objects with with_labels_details',
})

export const issueTypes = ['issue', 'incident', 'test_case'] as const

export const Issue = Obj(
  {
    id: Int(),
    iid: Int(),
    project_id: Int(),
    title: Str(),
    description: nullable(Str()),
    state: Word(['opened', 'closed']),
    type: Str({ description: 'upper case, such as ISSUE' }),
    issue_type: Word(issueTypes),
    author: UserSummary,
    assignees: ArrayOf(UserSummary),
    assignee: maybe(nullable(UserSummary, deprecated('assignees'))),
    milestone: nullable(Milestone),
    labels: Labels,
    created_at: Timestamp,
    updated_at: Timestamp,
    closed_at: nullable(Timestamp),
    closed_by: maybe(nullable(UserSummary)),
    moved_to_id: nullable(Int()),
    upvotes: Int(),
    downvotes: Int(),
    merge_requests_count: Int(),
    user_notes_count: Int(),
    due_date: nullable(Day),
    web_url: Str(),
    references: References,
    time_stats: TimeStats,
    has_tasks: Bool(),
    task_status: maybe(Str()),
    task_completion_status: TaskCompletion,
    confidential: Bool(),
    discussion_locked: nullable(Bool()),
    subscribed: maybe(Bool()),
    _links: Obj({ self: Str(), notes: Str(), award_emoji: Str(), project: Str() }),
    weight: maybe(nullable(Int({ description: 'PREMIUM' }))),
    epic: maybe(
      nullable(
        Obj(
          { id: Int(), iid: Int(), title: Str(), url: Str(), group_id: Int() },
          { title: 'Epic' },
        ),
      ),
    ),
    epic_iid: maybe(nullable(Int(), deprecated('iid inside epic'))),
    health_status: maybe(nullable(Str({ description: 'ULTIMATE' }))),
  },
  { title: 'Issue' },
)

/** What merging closes: issues, or items of an external tracker, which have only ID and title. */
export const ClosedIssue = Obj(
  {
    ...maybeAll(Issue.properties),
    id: Union([Int(), Str()]),
    title: Str(),
  },
  { title: 'Closed issue' },
)

export const Todo = Obj(
  {
    id: Int(),
    project: ProjectSummary,
    author: UserSummary,
    action_name: Str(),
    target_type: Str(),
    target: Issue,
    target_url: Str(),
    body: Str(),
    state: Word(['pending']),
    created_at: Timestamp,
  },
  { title: 'To-do item' },
)

export const Note = Obj(
  {
    id: Int(),
    type: nullable(Str()),
    body: Str(),
    attachment: nullable(Str()),
    author: UserSummary,
    created_at: Timestamp,
    updated_at: Timestamp,
    system: Bool(),
    noteable_id: nullable(Int()),
    noteable_type: Str(),
    noteable_iid: nullable(Int()),
    resolvable: Bool(),
    confidential: maybe(nullable(Bool())),
    commands_changes: maybe(Obj({ promote_to_epic: maybe(Bool()) })),
  },
  { title: 'Note' },
)

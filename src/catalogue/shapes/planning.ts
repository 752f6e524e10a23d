/** Declares the shapes of issues and merge requests, and of their labels, milestones, notes and to-do items. */
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
  OpenEnum,
  ProjectSummary,
  Str,
  TimeStats,
  Timestamp,
  Union,
  UserSummary,
} from './common.js'

const References = Obj({ short: Str(), relative: Str(), full: Str() }, { title: 'References' })

const TaskCompletion = Obj(
  { count: Int(), completed_count: Int() },
  { title: 'Task completion status' },
)

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
/** The labels of an issue or merge request: names, or objects if the request asked for details. */
const Labels = ArrayOf(Union([Str(), LabelDetails]), {
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
    state: OpenEnum(['opened', 'closed']),
    type: Str({ description: 'upper case, such as ISSUE' }),
    issue_type: OpenEnum(issueTypes),
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

/** An issue that the merge closes, or an item of an external tracker, which has only an ID and a title. */
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
    state: OpenEnum(['pending']),
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

export const mergeRequestStates = ['opened', 'closed', 'locked', 'merged'] as const

/** The fields that the view `simple` of a list has. */
const simple = {
  id: Int(),
  iid: Int(),
  project_id: Int({ description: 'always the target project' }),
  title: Str(),
  description: nullable(Str()),
  state: OpenEnum(mergeRequestStates),
  created_at: Timestamp,
  updated_at: Timestamp,
  web_url: Str(),
}

const pipeline = { id: Int(), sha: Str(), ref: Str(), status: Str(), web_url: Str() }
export const RequestPipeline = Obj(pipeline)
export const HeadPipeline = Obj({
  ...pipeline,
  before_sha: maybe(Str()),
  tag: maybe(Bool()),
  yaml_errors: maybe(nullable(Str())),
  user: maybe(nullable(UserSummary)),
  created_at: maybe(Timestamp),
  updated_at: maybe(Timestamp),
  started_at: maybe(nullable(Timestamp)),
  finished_at: maybe(nullable(Timestamp)),
})

/** The further fields in the response with a single merge request. */
const full = {
  merged_by: nullable(UserSummary),
  closed_by: nullable(UserSummary),
  merged_at: nullable(Timestamp),
  closed_at: nullable(Timestamp),
  target_branch: Str(),
  source_branch: Str(),
  source_project_id: Int(),
  target_project_id: Int(),
  upvotes: Int(),
  downvotes: Int(),
  author: UserSummary,
  assignees: ArrayOf(UserSummary),
  reviewers: ArrayOf(UserSummary),
  labels: Labels,
  draft: Bool(),
  milestone: nullable(Milestone),
  merge_when_pipeline_succeeds: Bool(),
  merge_status: OpenEnum(['can_be_merged', 'cannot_be_merged']),
  merge_error: nullable(Str()),
  sha: nullable(Str()),
  merge_commit_sha: nullable(Str()),
  squash_commit_sha: nullable(Str()),
  user_notes_count: Int(),
  discussion_locked: nullable(Bool()),
  should_remove_source_branch: nullable(Bool()),
  force_remove_source_branch: nullable(Bool()),
  references: References,
  time_stats: TimeStats,
  squash: Bool(),
  subscribed: Bool(),
  changes_count: nullable(Str()),
  latest_build_started_at: nullable(Timestamp),
  latest_build_finished_at: nullable(Timestamp),
  first_deployed_to_production_at: nullable(Timestamp),
  pipeline: nullable(RequestPipeline),
  head_pipeline: nullable(HeadPipeline),
  diff_refs: nullable(Obj({ base_sha: Str(), head_sha: Str(), start_sha: Str() })),
  task_completion_status: TaskCompletion,
  has_conflicts: Bool(),
}

/** The fields that depend on the request, on its parameters, or on the edition. */
const further = {
  assignee: maybe(nullable(UserSummary, deprecated('assignees'))),
  work_in_progress: maybe(Bool(deprecated('draft'))),
  allow_collaboration: maybe(Bool()),
  allow_maintainer_to_push: maybe(Bool()),
  diverged_commits_count: maybe(Int()),
  rebase_in_progress: maybe(Bool({ description: 'when include_rebase_in_progress was given' })),
  approvals_before_merge: maybe(nullable(Int({ description: 'PREMIUM' }))),
  overflow: maybe(Bool({ description: 'diff size limits cut the result' })),
}

export const SimpleMergeRequest = Obj(simple, { title: 'Simple merge request' })
export const MergeRequest = Obj({ ...simple, ...full, ...further }, { title: 'Merge request' })
/** A merge request in a list, which omits many fields, and in the view `simple` most of them. */
export const ListedMergeRequest = Obj(
  { ...simple, ...maybeAll(full), ...further },
  { title: 'Listed merge request' },
)

export const mergeRequestColumns = [
  'reference',
  'state',
  'title',
  'author.username',
  'merge_status',
  'updated_at',
] as const

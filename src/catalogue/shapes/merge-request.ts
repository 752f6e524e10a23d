/** Merge requests. */
import {
  ArrayOf,
  Bool,
  deprecated,
  Int,
  maybe,
  maybeAll,
  nullable,
  Obj,
  References,
  Str,
  TaskCompletion,
  TimeStats,
  Timestamp,
  UserSummary,
  Word,
} from './common.js'
import { Labels, Milestone } from './issue.js'

export const mergeRequestStates = ['opened', 'closed', 'locked', 'merged'] as const

/** What the simple view of a list has, too. */
const simple = {
  id: Int(),
  iid: Int(),
  project_id: Int({ description: 'always the target project' }),
  title: Str(),
  description: nullable(Str()),
  state: Word(mergeRequestStates),
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

/** What an answer with one merge request has besides. */
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
  merge_status: Word(['can_be_merged', 'cannot_be_merged']),
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

/** What depends on the request, on what was asked for, or on the edition. */
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
/** Lists leave much of it out, in their simple view most. */
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

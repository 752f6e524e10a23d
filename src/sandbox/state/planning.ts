/** What the instance remembers about issues, merge requests and what belongs to them. */

export interface MilestoneRecord {
  id: number
  iid: number
  project_id: number | null
  group_id: number | null
  title: string
  description: string
  state: 'active' | 'closed'
  created_at: string
  updated_at: string
  start_date: string | null
  due_date: string | null
}

export interface LabelRecord {
  id: number
  project_id: number | null
  group_id: number | null
  name: string
  color: string
  text_color: string
  description: string | null
  /** Lower sorts first; null for an unprioritised label. */
  priority: number | null
}

export interface EpicRecord {
  id: number
  iid: number
  group_id: number
  title: string
  description: string
  state: 'opened' | 'closed'
  author_id: number
  created_at: string
}

export interface IterationRecord {
  id: number
  group_id: number
  title: string
  start_date: string
  due_date: string
}

export interface Reaction {
  user_id: number
  /** `thumbsup`, `thumbsdown`, `rocket` … */
  name: string
}

export interface IssueRecord {
  id: number
  iid: number
  project_id: number
  title: string
  description: string
  state: 'opened' | 'closed'
  issue_type: 'issue' | 'incident' | 'test_case'
  author_id: number
  assignee_ids: number[]
  milestone_id: number | null
  iteration_id: number | null
  epic_id: number | null
  labels: string[]
  created_at: string
  updated_at: string
  closed_at: string | null
  closed_by_id: number | null
  moved_to_id: number | null
  reactions: Reaction[]
  due_date: string | null
  confidential: boolean
  discussion_locked: boolean | null
  weight: number | null
  health_status: string | null
  relative_position: number
  time_estimate: number
  total_time_spent: number
  subscriber_ids: number[]
}

export interface MergeRequestRecord {
  id: number
  iid: number
  /** The target project. */
  project_id: number
  source_project_id: number
  title: string
  description: string
  state: 'opened' | 'closed' | 'locked' | 'merged'
  created_at: string
  updated_at: string
  merged_by_id: number | null
  merged_at: string | null
  closed_by_id: number | null
  closed_at: string | null
  source_branch: string
  target_branch: string
  author_id: number
  assignee_ids: number[]
  reviewer_ids: number[]
  labels: string[]
  milestone_id: number | null
  draft: boolean
  merge_when_pipeline_succeeds: boolean
  /** Heads as last seen; the repository has the last word once it exists. */
  sha: string
  base_sha: string
  merge_commit_sha: string | null
  squash_commit_sha: string | null
  squash: boolean
  /** When the calculation of `merge_status` began; it is `checking` until it is through. */
  merge_check_started_at: string | null
  /** What the calculation finds. */
  conflicts: boolean
  /** When a rebase began, until its outcome is written down. */
  rebase_started_at: string | null
  rebase_skip_ci: boolean
  rebase_user_id: number | null
  merge_error: string | null
  reactions: Reaction[]
  subscriber_ids: number[]
  discussion_locked: boolean | null
  should_remove_source_branch: boolean | null
  allow_collaboration: boolean
  time_estimate: number
  total_time_spent: number
  changes_count: number
  pipeline_id: number | null
  /** Issues of the target project that merging closes, by iid. */
  closes_iids: number[]
  /** Who approved, and what rules or counts were set on the request itself. */
  approved_by_ids: number[]
  approver_ids: number[]
  approvals_before_merge: number | null
  deployments: { environment: string; deployed_at: string }[]
}

export interface NoteRecord {
  id: number
  project_id: number
  author_id: number
  /** `Issue`, `MergeRequest`, `Commit`, `Snippet`, `AlertManagement::Alert` … */
  noteable_type: string
  noteable_id: number | null
  noteable_iid: number | null
  body: string
  system: boolean
  confidential: boolean
  resolvable: boolean
  created_at: string
  updated_at: string
}

export interface TodoRecord {
  id: number
  user_id: number
  author_id: number
  project_id: number
  action_name: string
  target_type: string
  target_id: number
  state: 'pending' | 'done'
  created_at: string
}

export interface ApprovalRuleRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  project_id: number
  /** Set for a rule of one merge request. */
  merge_request_id: number | null
  name: string
  rule_type: 'regular' | 'any_approver'
  approvals_required: number
  user_ids: number[]
  group_ids: number[]
  protected_branch_ids: number[]
}

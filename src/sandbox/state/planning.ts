/** What the instance remembers about issues, merge requests and what belongs to them. */

export interface MilestoneRecord {
  readonly id: number
  readonly iid: number
  readonly project_id: number | null
  readonly group_id: number | null
  readonly title: string
  readonly description: string
  readonly state: 'active' | 'closed'
  readonly created_at: string
  readonly updated_at: string
  readonly start_date: string | null
  readonly due_date: string | null
}

export interface LabelRecord {
  readonly id: number
  readonly project_id: number | null
  readonly group_id: number | null
  readonly name: string
  readonly color: string
  readonly text_color: string
  readonly description: string | null
  /** Lower sorts first; null for an unprioritised label. */
  readonly priority: number | null
}

export interface EpicRecord {
  readonly id: number
  readonly iid: number
  readonly group_id: number
  readonly title: string
  readonly description: string
  readonly state: 'opened' | 'closed'
  readonly author_id: number
  readonly created_at: string
}

export interface IterationRecord {
  readonly id: number
  readonly group_id: number
  readonly title: string
  readonly start_date: string
  readonly due_date: string
}

export interface Reaction {
  readonly user_id: number
  /** `thumbsup`, `thumbsdown`, `rocket` … */
  readonly name: string
}

export interface IssueRecord {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly title: string
  readonly description: string
  readonly state: 'opened' | 'closed'
  readonly issue_type: 'issue' | 'incident' | 'test_case'
  readonly author_id: number
  readonly assignee_ids: readonly number[]
  readonly milestone_id: number | null
  readonly iteration_id: number | null
  readonly epic_id: number | null
  readonly labels: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  readonly closed_at: string | null
  readonly closed_by_id: number | null
  readonly moved_to_id: number | null
  readonly reactions: readonly Reaction[]
  readonly due_date: string | null
  readonly confidential: boolean
  readonly discussion_locked: boolean | null
  readonly weight: number | null
  readonly health_status: string | null
  readonly relative_position: number
  readonly time_estimate: number
  readonly total_time_spent: number
  readonly subscriber_ids: readonly number[]
}

export interface MergeRequestRecord {
  readonly id: number
  readonly iid: number
  /** The target project. */
  readonly project_id: number
  readonly source_project_id: number
  readonly title: string
  readonly description: string
  readonly state: 'opened' | 'closed' | 'locked' | 'merged'
  readonly created_at: string
  readonly updated_at: string
  readonly merged_by_id: number | null
  readonly merged_at: string | null
  readonly closed_by_id: number | null
  readonly closed_at: string | null
  readonly source_branch: string
  readonly target_branch: string
  readonly author_id: number
  readonly assignee_ids: readonly number[]
  readonly reviewer_ids: readonly number[]
  readonly labels: readonly string[]
  readonly milestone_id: number | null
  readonly draft: boolean
  readonly merge_when_pipeline_succeeds: boolean
  /** Heads as last seen; the repository has the last word once it exists. */
  readonly sha: string
  readonly base_sha: string
  readonly merge_commit_sha: string | null
  readonly squash_commit_sha: string | null
  readonly squash: boolean
  /** When the calculation of `merge_status` began; it is `checking` until it is through. */
  readonly merge_check_started_at: string | null
  /** What the calculation finds. */
  readonly conflicts: boolean
  /** When a rebase began, until its outcome is written down. */
  readonly rebase_started_at: string | null
  readonly rebase_skip_ci: boolean
  readonly rebase_user_id: number | null
  readonly merge_error: string | null
  readonly reactions: readonly Reaction[]
  readonly subscriber_ids: readonly number[]
  readonly discussion_locked: boolean | null
  readonly should_remove_source_branch: boolean | null
  readonly allow_collaboration: boolean
  readonly time_estimate: number
  readonly total_time_spent: number
  readonly changes_count: number
  readonly pipeline_id: number | null
  /** Issues of the target project that merging closes, by iid. */
  readonly closes_iids: readonly number[]
  /** Who approved, and what rules or counts were set on the request itself. */
  readonly approved_by_ids: readonly number[]
  readonly approver_ids: readonly number[]
  readonly approvals_before_merge: number | null
  readonly deployments: readonly { readonly environment: string; readonly deployed_at: string }[]
}

export interface NoteRecord {
  readonly id: number
  readonly project_id: number
  readonly author_id: number
  /** `Issue`, `MergeRequest`, `Commit`, `Snippet`, `AlertManagement::Alert` … */
  readonly noteable_type: string
  readonly noteable_id: number | null
  readonly noteable_iid: number | null
  readonly body: string
  readonly system: boolean
  readonly confidential: boolean
  readonly resolvable: boolean
  readonly created_at: string
  readonly updated_at: string
}

export interface TodoRecord {
  readonly id: number
  readonly user_id: number
  readonly author_id: number
  readonly project_id: number
  readonly action_name: string
  readonly target_type: string
  readonly target_id: number
  readonly state: 'pending' | 'done'
  readonly created_at: string
}

export interface ApprovalRuleRecord {
  readonly id: number
  /** Once it has been changed. */
  readonly updated_at?: string
  readonly project_id: number
  /** Set for a rule of one merge request. */
  readonly merge_request_id: number | null
  readonly name: string
  readonly rule_type: 'regular' | 'any_approver'
  readonly approvals_required: number
  readonly user_ids: readonly number[]
  readonly group_ids: readonly number[]
  readonly protected_branch_ids: readonly number[]
}

/** Declares what the embedded instance stores about issues, merge requests, labels, milestones, epics and approval rules. */
import type { ApprovalRule } from '../../catalogue/areas/approvals.js'
import type {
  Issue,
  LabelDetails,
  MergeRequest,
  Milestone,
  Note,
} from '../../catalogue/shapes/planning.js'
import type { StoredRecord } from './stored.js'

export type MilestoneRecord = StoredRecord<
  typeof Milestone,
  {
    readonly project_id: number | null
    readonly group_id: number | null
    readonly state: 'active' | 'closed'
  }
>

export type LabelRecord = StoredRecord<
  typeof LabelDetails,
  {
    readonly project_id: number | null
    readonly group_id: number | null
    /** The rank of the label in sorted lists, lower numbers first; null if it has no priority. */
    readonly priority: number | null
  }
>

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
  /** The name of the emoji, such as `thumbsup` or `rocket`. */
  readonly name: string
}

export type IssueRecord = StoredRecord<
  typeof Issue,
  {
    readonly description: string
    readonly state: 'opened' | 'closed'
    readonly issue_type: 'issue' | 'incident' | 'test_case'
    readonly author_id: number
    readonly assignee_ids: readonly number[]
    readonly milestone_id: number | null
    readonly iteration_id: number | null
    readonly epic_id: number | null
    readonly labels: readonly string[]
    readonly closed_by_id: number | null
    readonly reactions: readonly Reaction[]
    readonly relative_position: number
    readonly time_estimate: number
    readonly total_time_spent: number
    readonly subscriber_ids: readonly number[]
  }
>

export type MergeRequestRecord = StoredRecord<
  typeof MergeRequest,
  {
    /** The target project. */
    readonly project_id: number
    readonly description: string
    readonly state: 'opened' | 'closed' | 'locked' | 'merged'
    readonly merged_by_id: number | null
    readonly closed_by_id: number | null
    readonly author_id: number
    readonly assignee_ids: readonly number[]
    readonly reviewer_ids: readonly number[]
    readonly labels: readonly string[]
    readonly milestone_id: number | null
    /** The IDs of the two commits when they were last read. If the repository exists, its commits count instead. */
    readonly sha: string
    readonly base_sha: string
    /** The time at which the computation of `merge_status` began. Until it ends, the status is `checking`. */
    readonly merge_check_started_at: string | null
    /** True if the branches have conflicts, according to that computation. */
    readonly conflicts: boolean
    /** The time at which a rebase began; null when its result is stored. */
    readonly rebase_started_at: string | null
    readonly rebase_skip_ci: boolean
    readonly rebase_user_id: number | null
    readonly reactions: readonly Reaction[]
    readonly subscriber_ids: readonly number[]
    readonly time_estimate: number
    readonly total_time_spent: number
    readonly changes_count: number
    readonly pipeline_id: number | null
    /** The numbers of the issues in the target project that the merge closes. */
    readonly closes_iids: readonly number[]
    /** The users who approved. `approver_ids` are the approvers that were set on the merge request itself. */
    readonly approved_by_ids: readonly number[]
    readonly approver_ids: readonly number[]
    readonly deployments: readonly { readonly environment: string; readonly deployed_at: string }[]
  }
>

export type NoteRecord = StoredRecord<
  typeof Note,
  {
    readonly project_id: number
    readonly author_id: number
    /** The type of the commented object, such as `Issue`, `MergeRequest`, `Commit` or `Snippet`. */
    readonly noteable_type: string
    readonly confidential: boolean
  }
>

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

export type ApprovalRuleRecord = StoredRecord<
  typeof ApprovalRule,
  {
    /** Absent until the rule is first changed. */
    readonly updated_at?: string
    readonly project_id: number
    /** The merge request of the rule; null for a rule of the whole project. */
    readonly merge_request_id: number | null
    readonly rule_type: 'regular' | 'any_approver'
    readonly user_ids: readonly number[]
    readonly group_ids: readonly number[]
    readonly protected_branch_ids: readonly number[]
  }
>

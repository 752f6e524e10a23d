/**
 * What the instance remembers about people, groups, projects and what hangs off them: plain
 * JSON values that refer to each other by ID. What the API shows is presented from these; times
 * are ISO 8601 strings, days `YYYY-MM-DD`.
 */

export type Visibility = 'private' | 'internal' | 'public'
export type SourceKind = 'group' | 'project'

export interface UserRecord {
  id: number
  name: string
  username: string
  state: 'active' | 'blocked'
  email: string
  public_email: string | null
  admin: boolean
  /** External users see internal projects only as members. */
  external: boolean
  created_at: string
  bio: string | null
  location: string | null
  organization: string | null
  last_activity_on: string | null
  last_sign_in_at: string | null
}

export type TokenType = 'personal' | 'impersonation' | 'project' | 'oauth' | 'session'

export interface TokenRecord {
  id: number
  user_id: number
  kind: TokenType
  name: string
  value: string
  scopes: string[]
  created_at: string
  /** From this moment on it is refused; null for never. */
  expires_at: string | null
  revoked: boolean
  /** OAuth only. */
  refresh_token: string | null
}

export interface GroupRecord {
  id: number
  name: string
  path: string
  full_path: string
  full_name: string
  parent_id: number | null
  description: string
  visibility: Visibility
  lfs_enabled: boolean
  request_access_enabled: boolean
  created_at: string
  storage: string
  runners_token: string
}

export interface MemberRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  source_type: SourceKind
  source_id: number
  user_id: number
  access_level: number
  created_at: string
  expires_at: string | null
}

/** A group or project shared with another group. */
export interface ShareRecord {
  id: number
  source_type: SourceKind
  source_id: number
  group_id: number
  group_access: number
  expires_at: string | null
}

export interface ApprovalSettings {
  approvals_before_merge: number
  reset_approvals_on_push: boolean
  disable_overriding_approvers_per_merge_request: boolean
  merge_requests_author_approval: boolean
  merge_requests_disable_committers_approval: boolean
  require_password_to_approve: boolean
}

export interface ProjectRecord {
  id: number
  name: string
  path: string
  path_with_namespace: string
  name_with_namespace: string
  description: string | null
  /** Whose it is: a group, or a user for a personal project. */
  namespace_kind: 'group' | 'user'
  namespace_id: number
  creator_id: number
  visibility: Visibility
  default_branch: string
  topics: string[]
  created_at: string
  updated_at: string
  last_activity_at: string
  archived: boolean
  forked_from_id: number | null
  starred_by: number[]
  issues_enabled: boolean
  merge_requests_enabled: boolean
  jobs_enabled: boolean
  wiki_enabled: boolean
  snippets_enabled: boolean
  shared_runners_enabled: boolean
  public_jobs: boolean
  merge_method: 'merge' | 'rebase_merge' | 'ff'
  squash_option: string
  marked_for_deletion_on: string | null
  repository_storage: string
  runners_token: string
  programming_languages: string[]
  custom_attributes: Record<string, string>
  repository_checksum_failed: boolean
  wiki_checksum_failed: boolean
  statistics: {
    commit_count: number
    repository_size: number
    wiki_size: number
    lfs_objects_size: number
    job_artifacts_size: number
    packages_size: number
    snippets_size: number
  }
  approvals: ApprovalSettings
  pages_enabled: boolean
  /** Set when an external issue tracker is configured. */
  external_tracker: boolean
  /** CI variables that its lint may use. */
  variables: Record<string, string>
}

export interface ProtectedBranchRecord {
  id: number
  project_id: number
  name: string
  push_access_level: number
  merge_access_level: number
  unprotect_access_level: number
  code_owner_approval_required: boolean
}

export interface SnippetRecord {
  id: number
  project_id: number | null
  author_id: number
  title: string
  storage: string
}

/** A repository on its way to another storage; gone from the list once it has arrived. */
export interface StorageMoveRecord {
  id: number
  kind: 'project' | 'snippet' | 'group'
  object_id: number
  source_storage_name: string
  destination_storage_name: string
  created_at: string
}

export type EventAction =
  | 'approved'
  | 'closed'
  | 'commented'
  | 'created'
  | 'destroyed'
  | 'expired'
  | 'joined'
  | 'left'
  | 'merged'
  | 'pushed'
  | 'reopened'
  | 'updated'

interface PushData {
  commit_count: number
  action: 'created' | 'removed' | 'pushed'
  ref_type: 'branch' | 'tag'
  commit_from: string | null
  commit_to: string | null
  ref: string
  commit_title: string | null
}

export interface EventRecord {
  id: number
  author_id: number
  created_at: string
  project_id: number | null
  group_id: number | null
  action: EventAction
  /** `Issue`, `MergeRequest`, `Milestone`, `Note`, `Project`, `Epic`, `DesignManagement::Design` … */
  target_type: string | null
  target_id: number | null
  target_iid: number | null
  target_title: string | null
  push_data: PushData | null
  /** Comments: the note in `notes`. */
  note_id: number | null
}

/**
 * Declares what the embedded instance stores about users, tokens, groups, projects and events. Records refer to each other by ID. Times
 * are ISO 8601 strings, and days are `YYYY-MM-DD`.
 */
import type { Static } from 'typebox'
import type { ApprovalConfiguration } from '../../catalogue/areas/approvals.js'
import type { eventActions } from '../../catalogue/areas/events.js'
import type { User } from '../../catalogue/shapes/common.js'
import type { SimpleProject } from '../../catalogue/shapes/project.js'
import type { StoredRecord } from './stored.js'

type Visibility = 'private' | 'internal' | 'public'
export type SourceType = 'group' | 'project'

export type UserRecord = StoredRecord<
  typeof User,
  {
    readonly state: 'active' | 'blocked'
    readonly email: string
    readonly admin: boolean
    /** External users see internal projects only as members. */
    readonly external: boolean
    readonly last_activity_on: string | null
    readonly last_sign_in_at: string | null
    /** True for the user who replaces deleted users as an author. */
    readonly ghost?: boolean
  }
>

export type TokenType = 'personal' | 'impersonation' | 'project' | 'oauth' | 'session'

export interface TokenRecord {
  readonly id: number
  readonly user_id: number
  readonly kind: TokenType
  readonly name: string
  readonly value: string
  readonly scopes: readonly string[]
  readonly created_at: string
  /** The time after which the token is refused; null if it never expires. */
  readonly expires_at: string | null
  readonly revoked: boolean
  /** Null for all but OAuth tokens. */
  readonly refresh_token: string | null
}

export interface GroupRecord {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly full_name: string
  readonly parent_id: number | null
  readonly description: string
  readonly visibility: Visibility
  readonly lfs_enabled: boolean
  readonly request_access_enabled: boolean
  readonly created_at: string
  readonly storage: string
  readonly runners_token: string
}

export interface MemberRecord {
  readonly id: number
  /** Absent until the membership is first changed. */
  readonly updated_at?: string
  readonly source_type: SourceType
  readonly source_id: number
  readonly user_id: number
  readonly access_level: number
  readonly created_at: string
  readonly expires_at: string | null
}

/** A group or project shared with another group. */
export interface ShareRecord {
  readonly id: number
  readonly source_type: SourceType
  readonly source_id: number
  readonly group_id: number
  readonly group_access: number
  readonly expires_at: string | null
}

type ApprovalSettings = Readonly<Static<typeof ApprovalConfiguration>>

export type ProjectRecord = StoredRecord<
  typeof SimpleProject,
  {
    /** The kind of namespace that the project is in; `user` for a personal project. */
    readonly namespace_kind: 'group' | 'user'
    readonly namespace_id: number
    readonly creator_id: number
    readonly visibility: Visibility
    readonly default_branch: string
    readonly updated_at: string
    readonly archived: boolean
    readonly forked_from_id: number | null
    readonly starred_by: readonly number[]
    readonly issues_enabled: boolean
    readonly merge_requests_enabled: boolean
    readonly jobs_enabled: boolean
    readonly wiki_enabled: boolean
    readonly snippets_enabled: boolean
    readonly shared_runners_enabled: boolean
    readonly public_jobs: boolean
    readonly merge_method: 'merge' | 'rebase_merge' | 'ff'
    readonly squash_option: string
    readonly marked_for_deletion_on: string | null
    readonly repository_storage: string
    readonly runners_token: string
    readonly programming_languages: readonly string[]
    readonly custom_attributes: Readonly<Record<string, string>>
    readonly repository_checksum_failed: boolean
    readonly wiki_checksum_failed: boolean
    readonly statistics: {
      readonly commit_count: number
      readonly repository_size: number
      readonly wiki_size: number
      readonly lfs_objects_size: number
      readonly job_artifacts_size: number
      readonly packages_size: number
      readonly snippets_size: number
    }
    readonly approvals: ApprovalSettings
    readonly pages_enabled: boolean
    /** True if the project has an external issue tracker. */
    readonly external_tracker: boolean
    /** The CI variables of the project. */
    readonly variables: Readonly<Record<string, string>>
  }
>

export interface ProtectedBranchRecord {
  readonly id: number
  readonly project_id: number
  readonly name: string
  readonly push_access_level: number
  readonly merge_access_level: number
  readonly unprotect_access_level: number
  readonly allow_force_push?: boolean
  readonly code_owner_approval_required: boolean
}

export interface SnippetRecord {
  readonly id: number
  readonly project_id: number | null
  readonly author_id: number
  readonly title: string
  readonly storage: string
}

/** A move of a repository to another storage. The record is removed when the move ends. */
export interface StorageMoveRecord {
  readonly id: number
  readonly kind: 'project' | 'snippet' | 'group'
  readonly object_id: number
  readonly source_storage_name: string
  readonly destination_storage_name: string
  readonly created_at: string
}

export type EventAction = (typeof eventActions)[number]

export interface EventRecord {
  readonly id: number
  readonly author_id: number
  readonly created_at: string
  readonly project_id: number | null
  readonly group_id: number | null
  readonly action: EventAction
  /** The type of the target, such as `Issue`, `MergeRequest`, `Note` or `DesignManagement::Design`. */
  readonly target_type: string | null
  readonly target_id: number | null
  readonly target_iid: number | null
  readonly target_title: string | null
  readonly push_data: {
    readonly commit_count: number
    readonly action: 'created' | 'removed' | 'pushed'
    readonly ref_type: 'branch' | 'tag'
    readonly commit_from: string | null
    readonly commit_to: string | null
    readonly ref: string
    readonly commit_title: string | null
  } | null
  /** The ID of the comment in `notes`; null for other events. */
  readonly note_id: number | null
}

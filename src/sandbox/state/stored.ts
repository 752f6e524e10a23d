/** Derives the types of stored records from the shapes in the catalogue. */
import type { Static, TSchema } from 'typebox'

/** The names of fields that are computed when a record is presented. They are never stored. */
type ComputedField =
  | 'allow_maintainer_to_push'
  | 'attachment'
  | 'avatar_url'
  | 'can_push'
  | 'comment_on_event_enabled'
  | 'contains_hidden_groups'
  | 'description_html'
  | 'download_url'
  | 'duration'
  | 'epic_iid'
  | 'errsvc_dsn'
  | `${string}_count`
  | `${string}_events`
  | `${string}_url_to_repo`
  | 'first_deployed_to_production_at'
  | 'force_remove_source_branch'
  | `has_${string}`
  | 'is_shared'
  | `latest_build_${string}`
  | 'linkedin'
  | 'merge_status'
  | 'overflow'
  | 'project_default_branch'
  | 'queued_duration'
  | 'readme_url'
  | 'rebase_in_progress'
  | 'skype'
  | 'subscribed'
  | 'tag_list'
  | 'target_project_id'
  | 'task_status'
  | 'twitter'
  | 'type'
  | `${'up' | 'down'}votes`
  | `web${string}_url`
  | 'work_in_progress'

type Scalar = string | number | boolean | null | undefined

/** The names of fields with a plain value or a list of plain values. A record of another kind is stored by its ID instead. */
type PlainNames<T> = {
  [K in keyof T]: T[K] extends Scalar | readonly (string | number)[] ? K : never
}[keyof T]

type FrozenValue<T> = T extends readonly (infer U)[] ? readonly U[] : T

/** A stored record: the plain fields of its shape that are not computed, and the further fields in `Besides`. */
export type StoredRecord<S extends TSchema, Besides> = {
  readonly [K in Exclude<
    PlainNames<Required<Static<S>>>,
    ComputedField | keyof Besides
  >]: FrozenValue<Exclude<Static<S>[K], undefined>>
} & Besides

/** Types whose declaration files list all fields. The detour through a property stops the compiler from using the names of types. */
type SpelledRecord<T> = { readonly is: { [K in keyof T]: { [N in keyof T[K]]: T[K][N] } } }['is']

/** Makes the compiler write out the records of all tables, since the library's declarations must not import the shapes. */
export const deriveRecords = <T>() => undefined as unknown as SpelledRecord<T>

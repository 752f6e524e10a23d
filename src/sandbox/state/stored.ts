/** Derives what is stored of a record from the shape that its answers have. */
import type { Static, TSchema } from 'typebox'

/** Fields of shapes that are computed when a record is shown, wherever they stand. */
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

/** The fields that hold a plain value or a list of plain values: other records are stored by their IDs. */
type PlainNames<T> = {
  [K in keyof T]: T[K] extends Scalar | readonly (string | number)[] ? K : never
}[keyof T]

type FrozenValue<T> = T extends readonly (infer U)[] ? readonly U[] : T

/** A record: the plain fields of its shape that are not computed, and what is stored besides, or in another form. */
export type StoredRecord<S extends TSchema, Besides> = {
  readonly [K in Exclude<
    PlainNames<Required<Static<S>>>,
    ComputedField | keyof Besides
  >]: FrozenValue<Exclude<Static<S>[K], undefined>>
} & Besides

/** By way of a property the records have no names of their own, so that declarations say what they are. */
type SpelledRecord<T> = { readonly is: { [K in keyof T]: { [N in keyof T[K]]: T[K][N] } } }['is']

/** Has the compiler write down what the records of tables are: the declarations of the library hold no shapes. */
export const deriveRecords = <T>() => undefined as unknown as SpelledRecord<T>

/** Filters that the lists of issues and merge requests share. */
import { boolean, datetime, hash, list, type Param, string } from './params.js'

/** Words that stand for "without one" and "with one". */
export const noneAny = ['None', 'Any'] as const

/** The `not` hash of a list: its keys take what the filters of these names take. */
export const negation = <
  F extends Readonly<Record<string, Param>>,
  const N extends keyof F & string,
>(
  filters: F,
  names: readonly N[],
) =>
  hash('leave out records that match these filters', {
    keys: Object.fromEntries(names.map((name) => [name, filters[name]])) as Pick<F, N>,
  })

export const scopes = ['created_by_me', 'assigned_to_me', 'all'] as const
/** The scope of a list that has a project or group already: there everybody's count. */
export const everyones = <P extends { readonly default?: string }>(scope: P) =>
  ({ ...scope, default: 'all' }) as Omit<P, 'default'> & { readonly default: 'all' }
export const oldScopes = {
  'created-by-me': 'created_by_me',
  'assigned-to-me': 'assigned_to_me',
} as const

export const labels = list('string', 'filter by labels (all of them)', {
  join: 'comma',
  words: noneAny,
  completes: 'label',
  deprecatedValues: { 'No+Label': 'None' },
  keeps: { field: 'labels' },
})
export const labelDetails = boolean('return labels as objects with color and description', {
  default: false,
})
export const searchIn = list('enum', 'fields to search [title,description]', {
  values: ['title', 'description'],
  join: 'comma',
  default: 'title,description',
})
export const searchText = string('filter by text in title and description')
export const iids = list('integer', 'filter by IID', { keeps: { field: 'iid' } })
export const times = {
  created_after: datetime('list records created at or after this time', {
    keeps: { field: 'created_at', by: 'after' },
  }),
  created_before: datetime('list records created at or before this time', {
    keeps: { field: 'created_at', by: 'before' },
  }),
  updated_after: datetime('list records updated at or after this time', {
    keeps: { field: 'updated_at', by: 'after' },
  }),
  updated_before: datetime('list records updated at or before this time', {
    keeps: { field: 'updated_at', by: 'before' },
  }),
} as const

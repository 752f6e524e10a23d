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
  hash('only records that these filters do not match', {
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

export const labels = list('string', 'only records with all of these labels', {
  join: 'comma',
  words: noneAny,
  completes: 'label',
  deprecatedValues: { 'No+Label': 'None' },
})
export const labelDetails = boolean('labels as objects with colour and description', {
  default: false,
})
export const searchIn = list('enum', 'where to search; both when omitted', {
  values: ['title', 'description'],
  join: 'comma',
  default: 'title,description',
})
export const searchText = string('text to find in title and description')
export const iids = list('integer', 'only records with these IIDs')
export const times = {
  created_after: datetime('only records created at this time or later'),
  created_before: datetime('only records created at this time or earlier'),
  updated_after: datetime('only records changed at this time or later'),
  updated_before: datetime('only records changed at this time or earlier'),
} as const

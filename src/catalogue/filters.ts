/** Declares the filters that several areas share, and applies declared filters to records for snapshots and the embedded instance. */

import { parseWrittenMoment } from '../base/dates.js'
import {
  boolean,
  datetime,
  getParamValues,
  hash,
  isSwitch,
  list,
  type Param,
  string,
} from './params.js'

/** Returns the function that reads a field, in which dots lead to inner fields. Returns undefined if records do not have the field. */
export type FieldReader<R> = (field: string) => ((record: R) => unknown) | undefined

/** A predicate that is true if a record passes a filter. */
export type RecordTest<R> = (record: R) => boolean

const hasContent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== ''

const createTimeTest = <R>(
  read: (record: R) => unknown,
  text: string,
  by: 'before' | 'after',
): RecordTest<R> => {
  // Offsets such as `today` became moments when the text was parsed.
  const limit = parseWrittenMoment(text) ?? Number.NaN
  return (record) => {
    const time = Date.parse(String([read(record)].flat()[0]))
    return by === 'after' ? time >= limit : time <= limit
  }
}

/** Creates the predicate for values. If the field is a list, it must contain all values; otherwise it must be one of them. */
const createValueTest =
  <R>(read: (record: R) => unknown, texts: readonly string[]): RecordTest<R> =>
  (record) => {
    const found = read(record)
    if (!Array.isArray(found)) return hasContent(found) && texts.includes(String(found))
    const values = found.filter(hasContent).map(String)
    return texts.every((text) => values.includes(text))
  }

/**
 * Creates the predicate of a filter from its declaration (`exact`, `keeps`, `words`, `everything`).
 * @param given the values of the filter
 * @returns undefined if the filter declares no field of records, so that only the instance can apply it
 */
export const createFilter = <R>(
  name: string,
  param: Param,
  given: readonly string[],
  reader: FieldReader<R>,
): RecordTest<R> | undefined => {
  const old: Readonly<Record<string, string>> =
    ('deprecatedValues' in param ? param.deprecatedValues : undefined) ?? {}
  // In a form, the plus of `No+Label` is a blank.
  const texts = given.map((text) => old[text] ?? old[text.replaceAll(' ', '+')] ?? text)
  const [text = ''] = texts
  const everything = param.everything ?? (getParamValues(param).includes('all') ? 'all' : undefined)
  if (text === everything) return () => true
  if (param.exact !== true && param.keeps === undefined) return undefined
  const { field, by } = param.keeps ?? { field: name, by: undefined }
  const read = reader(field)
  if (read === undefined) return undefined
  if (texts.length === 0) return () => true
  if (by !== undefined) return createTimeTest(read, text, by)
  if (texts.length === 1 && param.words?.includes(text)) {
    const isAny = text !== 'None'
    return (record) => [read(record)].flat().some(hasContent) === isAny
  }
  if (isSwitch(param)) return (record) => (read(record) === true) === (text === 'true')
  return createValueTest(read, texts)
}

/** The wildcards for "without one" and "with one". */
export const noneAny = ['None', 'Any'] as const

/** Creates the parameter `not` of a list: a hash whose keys accept the same values as the filters of these names. */
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
/** Returns the scope for the list of a project or group, in which the objects of all users count. */
export const widenScope = <P extends { readonly default?: string }>(scope: P) =>
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

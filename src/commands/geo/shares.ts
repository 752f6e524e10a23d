/** How much of what a replication node copies is there, by kind of data. */
import type { Fields } from '../../base/objects.js'

export const number = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

/** The data kinds that a status speaks of: those with a count and a synced count. */
export const kindsOf = (status: Fields): string[] =>
  Object.keys(status)
    .filter((key) => key.endsWith('_synced_count'))
    .map((key) => key.slice(0, -'_synced_count'.length))

/** What of a kind is synced, in percent; undefined where the instance does not tell. */
export const percent = (status: Fields, kind: string): number | undefined => {
  const given = status[`${kind}_synced_in_percentage`]
  const parsed = typeof given === 'string' ? Number.parseFloat(given) : number(given)
  if (parsed !== undefined && !Number.isNaN(parsed)) return parsed
  const count = number(status[`${kind}_count`])
  const synced = number(status[`${kind}_synced_count`])
  return count === undefined || synced === undefined || count === 0
    ? undefined
    : (100 * synced) / count
}

/** What stands under a dotted field of a record: through lists as well. */
import { isObject } from '../../base/objects.js'

export interface Leaves {
  /** False where it is absent, or null: then nothing is compared. */
  readonly there: boolean
  readonly values: readonly unknown[]
}

const absent: Leaves = { there: false, values: [] }

const leavesAt = (value: unknown, path: readonly string[], depth: number): Leaves => {
  if (value === null || value === undefined) return absent
  const name = path[depth]
  if (Array.isArray(value)) {
    const parts = value.map((element) => leavesAt(element, path, depth))
    // An empty list is there, where it is what is asked for.
    const there = name === undefined ? true : parts.some((part) => part.there)
    return { there, values: parts.flatMap((part) => part.values) }
  }
  if (name === undefined) return { there: true, values: [value] }
  return isObject(value) && Object.hasOwn(value, name)
    ? leavesAt(value[name], path, depth + 1)
    : absent
}

export const leavesOf = (record: unknown, path: readonly string[]): Leaves =>
  leavesAt(record, path, 0)

/** Whether a record has a field, whatever it holds. */
export const hasField = (record: unknown, [name, ...rest]: readonly string[]): boolean => {
  if (name === undefined) return true
  if (Array.isArray(record)) return record.some((element) => hasField(element, [name, ...rest]))
  return isObject(record) && Object.hasOwn(record, name) && hasField(record[name], rest)
}

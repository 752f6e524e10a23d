/** What stands under a dotted field of a record: through lists as well. */
import { isObject } from '../../base/objects.js'
import { keyIn, type Naming } from '../../catalogue/words.js'

export interface Leaves {
  /** False where it is absent, or null: then nothing is compared. */
  readonly there: boolean
  readonly values: readonly unknown[]
}

const absent: Leaves = { there: false, values: [] }

const leavesAt = (
  value: unknown,
  path: readonly string[],
  depth: number,
  words: Naming | undefined,
): Leaves => {
  if (value === null || value === undefined) return absent
  const name = path[depth]
  if (Array.isArray(value)) {
    const parts = value.map((element) => leavesAt(element, path, depth, words))
    // An empty list is there, where it is what is asked for.
    const there = name === undefined ? true : parts.some((part) => part.there)
    return { there, values: parts.flatMap((part) => part.values) }
  }
  if (name === undefined) return { there: true, values: [value] }
  const key = isObject(value) ? keyIn(value, name, words) : undefined
  return isObject(value) && key !== undefined
    ? leavesAt(value[key], path, depth + 1, words)
    : absent
}

/** @param words the instance's own, by which fields are found as well */
export const leavesOf = (record: unknown, path: readonly string[], words?: Naming): Leaves =>
  leavesAt(record, path, 0, words)

/** Whether a record has a field, whatever it holds. */
export const hasField = (
  record: unknown,
  [name, ...rest]: readonly string[],
  words?: Naming,
): boolean => {
  if (name === undefined) return true
  if (Array.isArray(record))
    return record.some((element) => hasField(element, [name, ...rest], words))
  const key = isObject(record) ? keyIn(record, name, words) : undefined
  return isObject(record) && key !== undefined && hasField(record[key], rest, words)
}

const digits = /^\d+$/

/**
 * Whether a record may have a field, as far as it shows: below null, and in an empty list, there may be
 * anything. A number picks an element of a list, as in `--fields`.
 */
export const mayHave = (
  record: unknown,
  [name, ...rest]: readonly string[],
  words?: Naming,
): boolean => {
  if (name === undefined || record === null) return true
  if (Array.isArray(record)) {
    const path = digits.test(name) ? rest : [name, ...rest]
    return record.length === 0 || record.some((element) => mayHave(element, path, words))
  }
  const key = isObject(record) ? keyIn(record, name, words) : undefined
  return isObject(record) && key !== undefined && mayHave(record[key], rest, words)
}

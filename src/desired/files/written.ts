/** What stands in a file, with where: maps, lists and scalars, keys as the text that was written. */
import type { JsonValue } from '../../base/json/value.js'
import { quoted } from '../../base/quoted.js'
import { textSize } from '../../base/secrets/held.js'
import type { Origin } from '../wishes.js'
import type { Mistakes } from './mistakes.js'

export interface WrittenMap {
  readonly is: 'map'
  readonly origin: Origin
  /** Each key once. */
  readonly entries: readonly WrittenEntry[]
}

interface WrittenList {
  readonly is: 'list'
  readonly origin: Origin
  readonly items: readonly Written[]
}

export interface WrittenScalar {
  readonly is: 'scalar'
  readonly origin: Origin
  readonly value: string | number | boolean | null
  /** As it was written, where that is not its value; '' of a null that nobody wrote. */
  readonly text: string
}

export interface WrittenEntry {
  readonly key: string
  readonly origin: Origin
  readonly value: Written
}

export type Written = WrittenMap | WrittenList | WrittenScalar

/** What a value is, in words, and nothing of it: where no attribute is known, any file may have been named. */
export const sort = (written: Written): string => {
  if (written.is !== 'scalar') return written.is === 'map' ? 'a map' : 'a list'
  if (written.value === null) return 'nothing'
  return typeof written.value === 'string' ? textSize(written.text) : `a ${typeof written.value}`
}

/** The same of an attribute that is known and no secret: people know a wrong value by its text. */
export const shownSort = (written: Written): string =>
  written.is === 'scalar' && written.value !== null ? `"${written.text}"` : sort(written)

export const isNull = (written: Written): boolean =>
  written.is === 'scalar' && written.value === null

/**
 * The same without what has no value. Of YAML that is null as well, and null deletes: whoever leaves attributes out,
 * or comments them out, does not mean that.
 * @param items whether the keys of a map are items, which null would remove
 */
export const withValues = (written: Written, mistakes: Mistakes, items = false): Written => {
  const isEmpty = (value: Written): boolean => isNull(value) && 'text' in value && value.text === ''
  if (written.is === 'scalar') return written
  if (written.is === 'list') {
    const all = written.items.filter((item) => !isEmpty(item))
    for (const { origin } of written.items.filter(isEmpty))
      mistakes.add(origin, 'an item of this list has no value')
    return { ...written, items: all.map((item) => withValues(item, mistakes)) }
  }
  const entries = written.entries.flatMap((entry): readonly WrittenEntry[] => {
    const { key, origin, value } = entry
    if (!isEmpty(value)) return [{ ...entry, value: withValues(value, mistakes) }]
    const name = quoted(key)
    const instead = items
      ? `write null to remove ${name}, or its attributes`
      : 'write null to unset it, or leave it out'
    mistakes.add(origin, `${name} has no value: ${instead}`)
    return []
  })
  return { ...written, entries }
}

/** A value as it is, where nothing is known of what it should be. Numbers that JSON does not have are mistakes. */
export const plainValue = (written: Written, mistakes: Mistakes): JsonValue => {
  if (written.is === 'list') return written.items.map((item) => plainValue(item, mistakes))
  if (written.is === 'map')
    return Object.fromEntries(
      written.entries.map(({ key, value }) => [key, plainValue(value, mistakes)]),
    )
  const { value, text, origin } = written
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) mistakes.add(origin, `${text} is no number that can be sent`)
  else if (Number.isInteger(value) && !Number.isSafeInteger(value))
    mistakes.add(origin, `${text} is too large`, 'Write it as text, in quotation marks.')
  return value
}

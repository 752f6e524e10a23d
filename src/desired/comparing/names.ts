/** Names in files, numbers at the instance: the way there, and back for people. */
import type { JsonValue } from '../../base/json/value.js'
import { quoted } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { Referent } from '../../catalogue/managed/managed.js'
import { survived } from '../../errors.js'
import type { Attribute } from '../attributes.js'
import { type Reference, referenceText, writtenReference } from '../references.js'
import type { Origin } from '../wishes.js'
import type { Comparing } from './types.js'

/** The number that a file means; undefined, and reported, where nobody knows the name. */
export const numberOf = async (
  c: Comparing,
  of: Referent,
  meant: Reference,
  origin: Origin,
): Promise<number | undefined> => {
  if (typeof meant === 'number') return meant
  const number = await c.sight.names.number(of, meant, c.place).catch((error: unknown) => {
    const { category, message, details } = survived(error)
    if (category !== 'usage') throw error
    c.mistaken(origin, message, details.hint)
    return null
  })
  if (number === null) return undefined
  if (number === undefined) {
    const near = didYouMean(meant, c.sight.names.known?.(of, c.place) ?? [])
    c.mistaken(
      origin,
      `there is no ${of} ${quoted(writtenReference(meant))}, as far as can be seen`,
      near === undefined
        ? 'Write its ID in place of the name.'
        : `${near} Otherwise write the ID in place of the name.`,
    )
  }
  return number
}

const isReference = (value: JsonValue): value is Reference =>
  typeof value === 'string' || typeof value === 'number'

/** Names as numbers, where the attribute refers to something; undefined where one is not known. */
export const resolved = async (
  c: Comparing,
  attribute: Attribute | undefined,
  value: JsonValue,
  origin: Origin,
): Promise<JsonValue | undefined> => {
  const ref = attribute?.ref
  if (ref === undefined) return value
  const one = async (member: JsonValue): Promise<JsonValue | undefined> =>
    isReference(member) ? numberOf(c, ref, member, origin) : member
  if (!Array.isArray(value)) return one(value)
  const numbers: JsonValue[] = []
  for (const member of value as readonly JsonValue[]) {
    const number = await one(member)
    if (number === undefined) return undefined
    numbers.push(number)
  }
  return numbers
}

const wordOf = (names: Readonly<Record<string, number>>, value: JsonValue): JsonValue =>
  Object.entries(names).find(([, number]) => number === value)?.[0] ?? value

/** A value as files have it: names for numbers, where they are known. */
export const asInFiles = (
  c: Comparing,
  attribute: Attribute | undefined,
  value: JsonValue,
): JsonValue => {
  const one = (member: JsonValue): JsonValue => {
    if (attribute === undefined) return member
    const { ref, param } = attribute
    if (ref !== undefined && typeof member === 'number')
      return referenceText(c.sight.names.name(ref, member, c.place) ?? '') ?? member
    return 'names' in param && param.names !== undefined ? wordOf(param.names, member) : member
  }
  return Array.isArray(value) ? value.map(one) : one(value)
}

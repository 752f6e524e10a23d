/** Names in files, numbers at the instance: the way there, and back for people. */
import type { JsonValue } from '../../base/json/value.js'
import type { Referent } from '../../catalogue/managed/managed.js'
import { survived } from '../../errors.js'
import type { Attribute } from '../attributes.js'
import type { Origin } from '../wishes.js'
import type { Comparing } from './types.js'

/** What a file may write: a number, digits that are one, `@123` for a name of digits, or a name. */
export const referenceIn = (value: JsonValue): number | string => {
  if (typeof value === 'number') return value
  const text = String(value)
  return /^\d+$/.test(text) ? Number(text) : text.replace(/^@/, '')
}

/** The number that a file means; undefined, and reported, where nobody knows the name. */
export const numberOf = async (
  c: Comparing,
  of: Referent,
  value: JsonValue,
  origin: Origin,
): Promise<number | undefined> => {
  const meant = referenceIn(value)
  if (typeof meant === 'number') return meant
  const number = await c.sight.names.number(of, meant, c.place).catch((error: unknown) => {
    const { category, message, details } = survived(error)
    if (category !== 'usage') throw error
    c.mistaken(origin, message, details.hint)
    return null
  })
  if (number === null) return undefined
  if (number === undefined)
    c.mistaken(
      origin,
      `there is no ${of} ${meant}, as far as can be seen`,
      'Write its ID in place of the name.',
    )
  return number
}

/** Names as numbers, where the attribute refers to something; undefined where one is not known. */
export const resolved = async (
  c: Comparing,
  attribute: Attribute | undefined,
  value: JsonValue,
  origin: Origin,
): Promise<JsonValue | undefined> => {
  const ref = attribute?.ref
  if (ref === undefined || value === null) return value
  if (!Array.isArray(value)) return numberOf(c, ref, value, origin)
  const numbers: number[] = []
  for (const member of value as readonly JsonValue[]) {
    const number = await numberOf(c, ref, member, origin)
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
      return c.sight.names.name(ref, member, c.place) ?? member
    return 'names' in param && param.names !== undefined ? wordOf(param.names, member) : member
  }
  return Array.isArray(value) ? value.map(one) : one(value)
}

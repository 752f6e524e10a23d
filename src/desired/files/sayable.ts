/** What files can say of what an instance has: a value that is read as just that value, and as nothing else. */
import type { JsonValue } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { type Attribute, isSecretPlace } from '../attributes.js'
import { sameValue } from '../values.js'
import { collected } from './mistakes.js'
import { attributeValue } from './value.js'
import { plainValue, type Written } from './written.js'

const origin = { file: '', line: 1, column: 1 } as const

/** A value as it stands in a file. */
const writtenOf = (value: JsonValue): Written => {
  if (Array.isArray(value))
    return { is: 'list', origin, items: (value as readonly JsonValue[]).map(writtenOf) }
  if (isObject(value)) {
    const entries = Object.entries(value as Readonly<Record<string, JsonValue>>)
    return {
      is: 'map',
      origin,
      entries: entries.map(([key, inner]) => ({ key, origin, value: writtenOf(inner) })),
    }
  }
  const scalar = value as string | number | boolean | null
  return { is: 'scalar', origin, value: scalar, text: String(scalar ?? '') }
}

/** Whether a file that has this value of an attribute means just that: no reference, no change of a list. */
export const canSay = (attribute: Attribute, value: JsonValue): boolean => {
  const mistakes = collected([])
  const read = attributeValue(attribute, writtenOf(value), mistakes)
  if (read === undefined || mistakes.any) return false
  if (attribute.required && (read === null || read === '')) return false
  return attribute.ref !== undefined || sameValue(attribute, read, value)
}

/** The same of an attribute that no document knows. */
export const canSayOther = (name: string, value: JsonValue): boolean => {
  const mistakes = collected([])
  plainValue(writtenOf(value), mistakes)
  return !isSecretPlace(name, value) && !mistakes.any
}

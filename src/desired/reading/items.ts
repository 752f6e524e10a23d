/** Records as items: what names them, what they are called, and their attributes in the parameters' values. */
import { Exact } from '../../base/json/json.js'
import type { JsonValue } from '../../base/json/value.js'
import { type Fields, isObject } from '../../base/objects.js'
import { familyOfSlug } from '../../catalogue/integration-families.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import { secretsOf } from '../../catalogue/secret-fields.js'
import { Failure } from '../../errors.js'
import { attributesOf, isSecretValue } from '../attributes.js'
import type { SeenItem } from '../seen.js'
import { normalised, typed } from '../values.js'

/** A value of a record as JSON has it; undefined where there is none. */
const plain = (value: unknown): JsonValue | undefined => {
  if (value instanceof Exact) return Number(value)
  if (Array.isArray(value)) return value.flatMap((item) => plain(item) ?? [])
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => {
        const known = plain(inner)
        return known === undefined ? [] : [[name, known] as const]
      }),
    )
  if (value === null) return null
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as JsonValue) : undefined
}

/** What stands at a path of a record: `a.b` inside, `a[].b` of each in a list. */
const fieldAt = (record: unknown, path: string): JsonValue | undefined => {
  const [first = '', ...rest] = path.split('.')
  const name = first.replace(/\[\]$/, '')
  const value = isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined
  if (rest.length === 0 || value === undefined || value === null) return plain(value)
  if (first === name) return fieldAt(value, rest.join('.'))
  if (!Array.isArray(value)) return undefined
  return value.flatMap((item) => fieldAt(item, rest.join('.')) ?? [])
}

const textAt = (record: Fields, field: string): string | undefined => {
  const value = fieldAt(record, field)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

const unusable = ({ name }: Managed, field: string): Failure =>
  new Failure('unreachable', `the instance gave one of its ${name} without ${field}`, {
    hint: 'Check the base URL, and what stands between here and the instance.',
  })

/** What tells an item apart: of a key its type and base64. */
const identityOf = (kind: Managed, record: Fields): string => {
  const { identity } = kind
  if (identity === undefined) return ''
  const text = textAt(record, identity)
  if (text === undefined || text === '') throw unusable(kind, identity)
  const param = kind.create?.params[identity] ?? kind.update?.params[identity]
  if (param?.type !== 'string' || param.format !== 'public-key') return text
  return String(normalised({ param }, text))
}

/** The placeholders and parameters that a record fills. */
const placeholdersOf = (kind: Managed, record: Fields): SeenItem['at'] =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).map(([name, field]) => {
      const value = fieldAt(record, field)
      if (typeof value !== 'string' && typeof value !== 'number') throw unusable(kind, field)
      return [name, value] as const
    }),
  )

/** Fields of any answer that say nothing of what is configured. */
const kept = new Set(['id', 'created_at', 'updated_at'])

/** Where attributes beyond the documented ones are taken as given: what else the record has. */
const furtherOf = (kind: Managed, record: Fields): readonly string[] => {
  if (kind.open !== true) return []
  const documented = attributesOf(kind)
  const params = { ...kind.create?.params, ...kind.update?.params }
  const secret = secretsOf(kind.read)
  return Object.keys(record).filter(
    (name) =>
      !kept.has(name) && !documented.has(name) && !secret.has(name) && !Object.hasOwn(params, name),
  )
}

const attributesIn = (kind: Managed, record: Fields, identity: string): SeenItem['attributes'] => {
  const family = kind.families === undefined ? undefined : familyOfSlug(identity)
  const known = attributesOf(kind, family)
  const shown = [...known.values()].flatMap(({ name, field }) =>
    field === undefined ? [] : [[name, field] as const],
  )
  const further = furtherOf(kind, record).map((name) => [name, name] as const)
  return Object.fromEntries(
    [...shown, ...further].flatMap(([name, field]) => {
      const value = fieldAt(record, field)
      if (value === undefined || isSecretValue(known.get(name), name, value)) return []
      return [[name, typed({ param: known.get(name)?.param }, value)] as const]
    }),
  )
}

const isTrue = (value: unknown): boolean => !['false', '0', 'null'].includes(String(value))

/** Whether a record is one that is looked at: of a kind that is managed, and in force. */
export const isManaged = ({ only, present }: Managed, record: Fields): boolean => {
  const fits = Object.entries(only ?? {}).every(
    ([field, values]) => record[field] === undefined || values.includes(String(record[field])),
  )
  return fits && (present === undefined || isTrue(record[present]))
}

/**
 * A record as an item of its kind.
 * @throws Failure `unreachable` for one without what names it
 */
export const itemOf = (kind: Managed, record: Fields): SeenItem => {
  const identity = identityOf(kind, record)
  const label = kind.label === undefined ? undefined : textAt(record, kind.label)
  return {
    identity,
    label,
    at: placeholdersOf(kind, record),
    attributes: attributesIn(kind, record, identity),
    record,
  }
}

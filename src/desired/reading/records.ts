/** The records of a kind in its place: of its list, each by itself where that lacks fields, or by their keys. */

import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import { ExactNumber } from '../../base/json/json.js'
import { type Fields, isObject, type JsonValue, type JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getProperties, getSecretFields } from '../../catalogue/fields.js'
import type { Managed } from '../../catalogue/managed.js'
import { formatOf } from '../../catalogue/params.js'
import { listAt } from '../../catalogue/undocumented.js'
import { Failure, isMissing, survived } from '../../errors.js'
import type { ManagedPlace } from '../address.js'
import { attributesOf, familyOf, isSecretValue } from '../attributes.js'
import type { CurrentItem, ReadableInstance } from '../state.js'
import { normalised, typed } from '../values.js'

// Answers that are kept for as long as they may be asked for again.

/** Each question is asked once; who asks meanwhile waits for the same answer. */
export class AnswerCache {
  readonly #answers = new Map<string, Map<string, Promise<unknown>>>()

  /**
   * The answer to a question about something.
   * @param ask never called twice for a question; its type goes with the question
   */
  ask<T>(about: string, question: string, ask: () => Promise<T>): Promise<T> {
    const questions = this.#answers.get(about) ?? new Map<string, Promise<unknown>>()
    this.#answers.set(about, questions)
    const known = questions.get(question)
    if (known !== undefined) return known as Promise<T>
    const answer = ask()
    questions.set(question, answer)
    return answer
  }

  /** All answers about something. */
  forget(about: string): void {
    this.#answers.delete(about)
  }
}

/** Works on items, at most so many at once. */
export const sideBySide = async <T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  width = maxConcurrent,
): Promise<readonly R[]> => {
  const results: R[] = []
  for await (const one of mapConcurrent(items, width, work)) results.push(one)
  return results
}

/** What reading goes by. */
export interface KindReader {
  readonly instance: ReadableInstance
  readonly once: AnswerCache
  readonly note: (text: string) => void
  /** What stands for a place in the path of its endpoints: its number where that is known. */
  readonly id: (place: ManagedPlace) => string | number
  /** Whether so many projects are looked at that a list of all of them is worth its while for this one. */
  readonly isOneOfMany: (place: ManagedPlace) => boolean
}

const placed = (reader: KindReader, place: ManagedPlace, { path }: Endpoint) =>
  place.scope === 'site' || path.id === undefined ? {} : { id: reader.id(place) }

/** An answer without any documented field says nothing of the object, whatever it is of. */
const objectIn = (data: unknown, { returns }: Endpoint): Fields => {
  const fields = Object.keys(getProperties(returns.shape) ?? {})
  const isRecord =
    fields.length === 0 || fields.some((name) => isObject(data) && Object.hasOwn(data, name))
  if (isObject(data) && isRecord) return data
  const what = isObject(data)
    ? 'a record without any documented field'
    : 'data that is not a record'
  throw new Failure('unreachable', `the instance responded with ${what}`, {
    hint: 'Check the base URL and any proxy in front of the instance.',
  })
}

/** Which projects have any, where the instance's own list says; undefined where it does not. */
const holders = async (
  { instance, once, isOneOfMany }: KindReader,
  place: ManagedPlace,
  { everywhere, name }: Managed,
): Promise<ReadonlySet<number> | undefined> => {
  const shape = getProperties(everywhere?.returns.shape) ?? {}
  if (everywhere === undefined || !Object.hasOwn(shape, 'project_id')) return undefined
  if (!isOneOfMany(place)) return undefined
  return once.ask('', `holders of ${name}`, async () => {
    const found = new Set<number>()
    let silent = false
    try {
      await instance.records({ endpoint: everywhere, values: {} }, ({ project_id }) => {
        if (Number.isInteger(project_id)) found.add(Number(project_id))
        else silent = true
        return false
      })
    } catch (error) {
      survived(error)
      return undefined
    }
    return silent ? undefined : found
  })
}

/** One record, by its own endpoint; none where it may be missing, and is. */
const recordAt = async (
  { instance }: KindReader,
  endpoint: Endpoint,
  values: JsonValues,
  mayLack: boolean,
): Promise<readonly Fields[]> => {
  try {
    return [objectIn((await instance.get({ endpoint, values })).data, endpoint)]
  } catch (error) {
    const failure = survived(error)
    if (mayLack && isMissing(failure) && !isPlaceMissing(failure)) return []
    throw error
  }
}

/** Whether the documents have a list of it, or one object that is all. */
export const hasList = ({ holds, read }: Pick<Managed, 'holds' | 'read'>): boolean =>
  holds === 'one' || read.returns.kind === 'many'

/** What the instance's own list shows, which the documents do not have; none, and a note, where there is none. */
const unlisted = async (
  { instance, id, note }: KindReader,
  place: ManagedPlace,
  { name, unlisted: path = '' }: Managed,
): Promise<readonly Fields[]> => {
  try {
    return await instance.records({ endpoint: listAt(path), values: { id: id(place) } })
  } catch (error) {
    if (!isDenied(survived(error))) throw error
    note(`the instance cannot list ${name}, so only objects named in the files are checked`)
    return []
  }
}

/** The records of its list, with what only each by itself shows. */
const listed = async (
  reader: KindReader,
  place: ManagedPlace,
  kind: Managed,
): Promise<readonly Fields[]> => {
  const having = place.scope === 'project' ? await holders(reader, place, kind) : undefined
  const id = reader.id(place)
  if (having !== undefined && typeof id === 'number' && !having.has(id)) return []
  const { read, each } = kind
  const values = { ...placed(reader, place, read), ...kind.query }
  const isOne = (record: Fields): boolean => isManaged(kind, record)
  const records = await reader.instance.records({ endpoint: read, values }, isOne)
  if (each === undefined) return records
  return sideBySide(records, async (record) => {
    const own = { ...placed(reader, place, each), ...itemOf(kind, record).at }
    return { ...record, ...(await recordAt(reader, each, own, false))[0] }
  })
}

/**
 * The records of a kind that are managed.
 * @param keys the identities asked for, where the documents have no list
 * @throws Failure as the instance answers
 */
export const recordsOf = async (
  reader: KindReader,
  place: ManagedPlace,
  kind: Managed,
  keys: readonly string[] | undefined,
): Promise<readonly Fields[]> => {
  const { holds, read, optional, unlisted: path } = kind
  const at = placed(reader, place, read)
  if (holds === 'one') return recordAt(reader, read, at, optional === true)
  const byKey = async (): Promise<readonly Fields[]> => {
    const [name = ''] = Object.keys(read.path).filter((n) => place.scope === 'site' || n !== 'id')
    const one = (key: string) => recordAt(reader, read, { ...at, [name]: key }, true)
    return (await sideBySide([...new Set(keys)], one)).flat()
  }
  const isUnlisted = keys === undefined && path !== undefined
  const ofKeys = isUnlisted ? () => unlisted(reader, place, kind) : byKey
  const all = await (hasList(kind) ? listed(reader, place, kind) : ofKeys())
  return all.filter((record) => isManaged(kind, record))
}

// Records as items: what names them, what they are called, and their attributes in the parameters' values.

/** A value of a record as JSON has it; undefined where there is none. */
const plain = (value: unknown): JsonValue | undefined => {
  if (value instanceof ExactNumber) return Number(value)
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
  new Failure('unreachable', `the instance returned ${name} without ${field}`, {
    hint: 'Check the base URL and any proxy in front of the instance.',
  })

/** What tells an item apart: of a key its type and base64. */
const identityOf = (kind: Managed, record: Fields): string => {
  const { identity } = kind
  if (identity === undefined) return ''
  const text = textAt(record, identity)
  if (text === undefined || text === '') throw unusable(kind, identity)
  const param = kind.create?.params[identity] ?? kind.update?.params[identity]
  if (formatOf(param) !== 'public-key') return text
  return String(normalised({ param }, text))
}

/** The placeholders and parameters that a record fills. */
const placeholdersOf = (kind: Managed, record: Fields): CurrentItem['at'] =>
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
  const secret = getSecretFields(kind.read)
  return Object.keys(record).filter(
    (name) =>
      !kept.has(name) && !documented.has(name) && !secret.has(name) && !Object.hasOwn(params, name),
  )
}

const attributesIn = (
  kind: Managed,
  record: Fields,
  identity: string,
): CurrentItem['attributes'] => {
  const family = familyOf(kind, identity)
  const known = attributesOf(kind, family)
  const shown = [...known.values()].flatMap(({ name, field }) =>
    field === undefined ? [] : [[name, field] as const],
  )
  const further = furtherOf(kind, record).map((name) => [name, name] as const)
  const attributes = Object.fromEntries(
    [...shown, ...further].flatMap(([name, field]) => {
      const value = fieldAt(record, field)
      if (value === undefined || isSecretValue(known.get(name), name, value)) return []
      return [[name, typed({ param: known.get(name)?.param }, value)] as const]
    }),
  )
  return kind.pair === undefined ? attributes : withoutAutomatic(kind.pair, attributes)
}

/** Nobody declared what an instance makes itself; one that does not say so makes nothing. */
const withoutAutomatic = (
  { shown, unless }: NonNullable<Managed['pair']>,
  { [shown]: value, [unless]: automatic = false, ...others }: CurrentItem['attributes'],
): CurrentItem['attributes'] => ({
  ...others,
  [unless]: automatic,
  ...(automatic === true || value === undefined ? {} : { [shown]: value }),
})

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
export const itemOf = (kind: Managed, record: Fields): CurrentItem => {
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

// What a refusal says of what was asked for (`lacks`: in the instance's own words).

/** The instance has no such route: its version or edition does not offer it. */
export const isUnsupported = ({ details }: Failure): boolean => details.lacks === 'route'

/** The place itself is what is missing, not something in it. */
const isPlaceMissing = (failure: Failure): boolean =>
  isMissing(failure) && /^404 (?:project|group) not found/i.test(failure.message)

/** Undocumented: what is refused, or not there, is as if it had not been asked. */
export const isDenied = ({ details }: Failure): boolean =>
  details.status === 404 || details.status === 403

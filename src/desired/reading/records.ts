/** Reads the records of a kind in its place: from its list, one by one if the list lacks fields, or by their keys. */

import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import { ExactNumber } from '../../base/json/json.js'
import { type Fields, isObject, type JsonValue, type JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getProperties, getSecretFields } from '../../catalogue/fields.js'
import type { Managed } from '../../catalogue/managed.js'
import { getParamFormat } from '../../catalogue/params.js'
import { createListEndpoint } from '../../catalogue/undocumented.js'
import { Failure, isDenied, isMissing, recoverFrom } from '../../errors.js'
import type { ManagedPlace } from '../address.js'
import { getAttributes, isSecretValue, selectFamily } from '../attributes.js'
import type { CurrentItem, ReadableInstance } from '../state.js'
import { normalizeValue, toTypedValue } from '../values.js'

// The cache of answers.

/** Caches answers. Each request is sent once; a caller that comes meanwhile waits for the same answer. */
export class AnswerCache {
  readonly #answers = new Map<string, Map<string, Promise<unknown>>>()

  /**
   * Returns the answer to a question about a subject.
   * @param ask sends the request; it is called at most once for a question, so a question must always have the same type
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

  /** Forgets all answers about a subject. */
  forget(about: string): void {
    this.#answers.delete(about)
  }
}

/** Works on items, at most `width` at once, and returns the results in order. */
export const mapSideBySide = async <T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  width = maxConcurrent,
): Promise<readonly R[]> => {
  const results: R[] = []
  for await (const one of mapConcurrent(items, width, work)) results.push(one)
  return results
}

/** The services that reading kinds uses. */
export interface KindReader {
  readonly instance: ReadableInstance
  readonly once: AnswerCache
  readonly note: (text: string) => void
  /** Returns the value that names a place in endpoint paths: its number if known, else its path. */
  readonly id: (place: ManagedPlace) => string | number
  /** True if so many projects are read that a list of all of them is worth its request for this one. */
  readonly isOneOfMany: (place: ManagedPlace) => boolean
}

const getPlaceValues = (reader: KindReader, place: ManagedPlace, { path }: Endpoint) =>
  place.scope === 'site' || path.id === undefined ? {} : { id: reader.id(place) }

/** Returns the answer as a record. @throws Failure for an answer without any documented field, which is probably not from the instance */
const requireRecord = (data: unknown, { returns }: Endpoint): Fields => {
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

/** Returns the IDs of the projects that have items of the kind, from the instance's own list; undefined if that list does not say. */
const listHolders = async (
  { instance, once, isOneOfMany }: KindReader,
  place: ManagedPlace,
  { everywhere, name }: Managed,
): Promise<ReadonlySet<number> | undefined> => {
  const shape = getProperties(everywhere?.returns.shape) ?? {}
  if (everywhere === undefined || !Object.hasOwn(shape, 'project_id')) return undefined
  if (!isOneOfMany(place)) return undefined
  return once.ask('', `holders of ${name}`, async () => {
    const found = new Set<number>()
    let isUnknown = false
    try {
      await instance.records({ endpoint: everywhere, values: {} }, ({ project_id }) => {
        if (Number.isInteger(project_id)) found.add(Number(project_id))
        else isUnknown = true
        return false
      })
    } catch (error) {
      recoverFrom(error)
      return undefined
    }
    return isUnknown ? undefined : found
  })
}

/** Reads one record by its own endpoint; returns none if it is missing and may be missing. */
const readRecordAt = async (
  { instance }: KindReader,
  endpoint: Endpoint,
  values: JsonValues,
  isOptional: boolean,
): Promise<readonly Fields[]> => {
  try {
    return [requireRecord((await instance.get({ endpoint, values })).data, endpoint)]
  } catch (error) {
    const failure = recoverFrom(error)
    if (isOptional && isMissing(failure) && !isPlaceMissing(failure)) return []
    throw error
  }
}

/** True if the documents have a list of the kind, or if the kind has a single object. */
export const hasList = ({ holds, read }: Pick<Managed, 'holds' | 'read'>): boolean =>
  holds === 'one' || read.returns.kind === 'many'

/** Reads the records of an undocumented list; returns none, with a note, if the instance has no such list. */
const readUnlisted = async (
  { instance, id, note }: KindReader,
  place: ManagedPlace,
  { name, unlisted: path = '' }: Managed,
): Promise<readonly Fields[]> => {
  try {
    return await instance.records({ endpoint: createListEndpoint(path), values: { id: id(place) } })
  } catch (error) {
    if (!isDenied(recoverFrom(error))) throw error
    note(`the instance cannot list ${name}, so only objects named in the files are checked`)
    return []
  }
}

/** Reads the records of a list, and adds the fields that only the endpoint of a single record returns. */
const readListed = async (
  reader: KindReader,
  place: ManagedPlace,
  kind: Managed,
): Promise<readonly Fields[]> => {
  const holders = place.scope === 'project' ? await listHolders(reader, place, kind) : undefined
  const id = reader.id(place)
  if (holders !== undefined && typeof id === 'number' && !holders.has(id)) return []
  const { read, each } = kind
  const values = { ...getPlaceValues(reader, place, read), ...kind.query }
  const isOne = (record: Fields): boolean => isManaged(kind, record)
  const records = await reader.instance.records({ endpoint: read, values }, isOne)
  if (each === undefined) return records
  return mapSideBySide(records, async (record) => {
    const own = { ...getPlaceValues(reader, place, each), ...toCurrentItem(kind, record).at }
    return { ...record, ...(await readRecordAt(reader, each, own, false))[0] }
  })
}

/**
 * Reads the managed records of a kind.
 * @param keys the identities to read, for kinds without a documented list
 * @throws Failure for an error of the instance
 */
export const readRecords = async (
  reader: KindReader,
  place: ManagedPlace,
  kind: Managed,
  keys: readonly string[] | undefined,
): Promise<readonly Fields[]> => {
  const { holds, read, optional, unlisted: path } = kind
  const at = getPlaceValues(reader, place, read)
  if (holds === 'one') return readRecordAt(reader, read, at, optional === true)
  const readByKey = async (): Promise<readonly Fields[]> => {
    const [name = ''] = Object.keys(read.path).filter((n) => place.scope === 'site' || n !== 'id')
    const readOne = (key: string) => readRecordAt(reader, read, { ...at, [name]: key }, true)
    return (await mapSideBySide([...new Set(keys)], readOne)).flat()
  }
  const isUnlisted = keys === undefined && path !== undefined
  const readWithoutList = isUnlisted ? () => readUnlisted(reader, place, kind) : readByKey
  const all = await (hasList(kind) ? readListed(reader, place, kind) : readWithoutList())
  return all.filter((record) => isManaged(kind, record))
}

// The conversion of records to items: identity, label, and attributes in the values of the parameters.

/** Converts a value of a record to JSON; undefined if there is none. */
const toJson = (value: unknown): JsonValue | undefined => {
  if (value instanceof ExactNumber) return Number(value)
  if (Array.isArray(value)) return value.flatMap((item) => toJson(item) ?? [])
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => {
        const known = toJson(inner)
        return known === undefined ? [] : [[name, known] as const]
      }),
    )
  if (value === null) return null
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as JsonValue) : undefined
}

/** Reads the value at a path of a record: `a.b` goes inside, `a[].b` reads each object of a list. */
const readField = (record: unknown, path: string): JsonValue | undefined => {
  const [first = '', ...rest] = path.split('.')
  const name = first.replace(/\[\]$/, '')
  const value = isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined
  if (rest.length === 0 || value === undefined || value === null) return toJson(value)
  if (first === name) return readField(value, rest.join('.'))
  if (!Array.isArray(value)) return undefined
  return value.flatMap((item) => readField(item, rest.join('.')) ?? [])
}

const readTextField = (record: Fields, field: string): string | undefined => {
  const value = readField(record, field)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

const createUnusableFailure = ({ name }: Managed, field: string): Failure =>
  new Failure('unreachable', `the instance returned ${name} without ${field}`, {
    hint: 'Check the base URL and any proxy in front of the instance.',
  })

/** Returns the text that identifies an item: for a key its type and base64. */
const readIdentity = (kind: Managed, record: Fields): string => {
  const { identity } = kind
  if (identity === undefined) return ''
  const text = readTextField(record, identity)
  if (text === undefined || text === '') throw createUnusableFailure(kind, identity)
  const param = kind.create?.params[identity] ?? kind.update?.params[identity]
  if (getParamFormat(param) !== 'public-key') return text
  return String(normalizeValue({ param }, text))
}

/** Reads the placeholders and parameters that a record fills. */
const readPlaceholders = (kind: Managed, record: Fields): CurrentItem['at'] =>
  Object.fromEntries(
    Object.entries(kind.at ?? {}).map(([name, field]) => {
      const value = readField(record, field)
      if (typeof value !== 'string' && typeof value !== 'number')
        throw createUnusableFailure(kind, field)
      return [name, value] as const
    }),
  )

/** Fields that every record has, and that are not configuration. */
const ignoredFields = new Set(['id', 'created_at', 'updated_at'])

/** Lists the other fields of a record, for kinds that take undocumented attributes. */
const listFurtherFields = (kind: Managed, record: Fields): readonly string[] => {
  if (kind.open !== true) return []
  const documented = getAttributes(kind)
  const params = { ...kind.create?.params, ...kind.update?.params }
  const secret = getSecretFields(kind.read)
  return Object.keys(record).filter(
    (name) =>
      !ignoredFields.has(name) &&
      !documented.has(name) &&
      !secret.has(name) &&
      !Object.hasOwn(params, name),
  )
}

const readAttributes = (
  kind: Managed,
  record: Fields,
  identity: string,
): CurrentItem['attributes'] => {
  const family = selectFamily(kind, identity)
  const known = getAttributes(kind, family)
  const shown = [...known.values()].flatMap(({ name, field }) =>
    field === undefined ? [] : [[name, field] as const],
  )
  const further = listFurtherFields(kind, record).map((name) => [name, name] as const)
  const attributes = Object.fromEntries(
    [...shown, ...further].flatMap(([name, field]) => {
      const value = readField(record, field)
      if (value === undefined || isSecretValue(known.get(name), name, value)) return []
      return [[name, toTypedValue({ param: known.get(name)?.param }, value)] as const]
    }),
  )
  return kind.pair === undefined ? attributes : omitAutomatic(kind.pair, attributes)
}

/** Omits a value that the instance creates by itself, since it is not declared. An instance that does not say so creates nothing. */
const omitAutomatic = (
  { shown, unless }: NonNullable<Managed['pair']>,
  { [shown]: value, [unless]: automatic = false, ...others }: CurrentItem['attributes'],
): CurrentItem['attributes'] => ({
  ...others,
  [unless]: automatic,
  ...(automatic === true || value === undefined ? {} : { [shown]: value }),
})

const isTrue = (value: unknown): boolean => !['false', '0', 'null'].includes(String(value))

/** True if a record is managed: it is of the managed kind, and in force. */
export const isManaged = ({ only, present }: Managed, record: Fields): boolean => {
  const fits = Object.entries(only ?? {}).every(
    ([field, values]) => record[field] === undefined || values.includes(String(record[field])),
  )
  return fits && (present === undefined || isTrue(record[present]))
}

/** Converts a record to an item of its kind. @throws Failure `unreachable` for a record without its identity */
export const toCurrentItem = (kind: Managed, record: Fields): CurrentItem => {
  const identity = readIdentity(kind, record)
  const label = kind.label === undefined ? undefined : readTextField(record, kind.label)
  return {
    identity,
    label,
    at: readPlaceholders(kind, record),
    attributes: readAttributes(kind, record, identity),
    record,
  }
}

// The meaning of failed reads. `lacks` is derived from the instance's own message.

/** True if the place itself is missing, not something in it. */
const isPlaceMissing = (failure: Failure): boolean =>
  isMissing(failure) && /^404 (?:project|group) not found/i.test(failure.message)

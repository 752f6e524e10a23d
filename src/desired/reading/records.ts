/** The records of a kind in its place: of its list, each by itself where that lacks fields, or by their keys. */
import { type Fields, isObject } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { listAt } from '../../catalogue/implied.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import { propertiesOf } from '../../catalogue/shapes/properties.js'
import { Failure, isMissing, survived } from '../../errors.js'
import type { ManagedPlace } from '../address.js'
import type { ReadableInstance } from '../instance.js'
import { isManaged, itemOf } from './items.js'
import { readingOfKind } from './kinds.js'
import { type AskedOnce, sideBySide } from './once.js'
import { isDenied, isPlaceMissing } from './refusals.js'

/** What reading goes by. */
export interface KindReader {
  readonly instance: ReadableInstance
  readonly once: AskedOnce
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
  const fields = Object.keys(propertiesOf(returns.shape) ?? {})
  const isRecord = fields.length === 0 || fields.some((name) => isObject(data) && name in data)
  if (isObject(data) && isRecord) return data
  const what = isObject(data) ? 'a record without any documented field' : 'what is no record'
  throw new Failure('unreachable', `the instance answered with ${what}`, {
    hint: 'Check the base URL, and what stands between here and the instance.',
  })
}

/** Which projects have any, where the instance's own list says; undefined where it does not. */
const holders = async (
  { instance, once, isOneOfMany }: KindReader,
  place: ManagedPlace,
  { everywhere, name }: Managed,
): Promise<ReadonlySet<number> | undefined> => {
  const shape = propertiesOf(everywhere?.returns.shape) ?? {}
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

const one = async (reader: KindReader, place: ManagedPlace, kind: Managed) => {
  try {
    const ask = { endpoint: kind.read, values: placed(reader, place, kind.read) }
    return [objectIn((await reader.instance.get(ask)).data, kind.read)]
  } catch (error) {
    if (readingOfKind(kind).none?.(survived(error)) === true) return []
    throw error
  }
}

/** Whether the documents have a list of it, or one object that is all. */
export const hasList = ({ holds, read }: Pick<Managed, 'holds' | 'read'>): boolean =>
  holds === 'one' || read.returns.kind === 'many'

/** Items of which the documents have no list, by what their own endpoint is asked with. */
const byKey = async (
  reader: KindReader,
  place: ManagedPlace,
  kind: Managed,
  keys: readonly string[],
): Promise<readonly Fields[]> => {
  const { read } = kind
  const [name = ''] = Object.keys(read.path).filter((n) => place.scope === 'site' || n !== 'id')
  const found = await sideBySide([...new Set(keys)], async (key) => {
    try {
      const values = { ...placed(reader, place, read), [name]: key }
      return [objectIn((await reader.instance.get({ endpoint: read, values })).data, read)]
    } catch (error) {
      const failure = survived(error)
      if (isMissing(failure) && !isPlaceMissing(failure)) return []
      throw error
    }
  })
  return found.flat()
}

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
    note(`the instance has no list of ${name}: only those that files name are looked at`)
    return []
  }
}

const listed = async (
  reader: KindReader,
  place: ManagedPlace,
  kind: Managed,
): Promise<readonly Fields[]> => {
  const having = place.scope === 'project' ? await holders(reader, place, kind) : undefined
  const id = reader.id(place)
  if (having !== undefined && typeof id === 'number' && !having.has(id)) return []
  const values = { ...placed(reader, place, kind.read), ...readingOfKind(kind).values }
  return reader.instance.records({ endpoint: kind.read, values }, (record) =>
    isManaged(kind, record),
  )
}

/** The same records with what only each by itself shows. */
const whole = async (
  { instance, ...reader }: KindReader,
  place: ManagedPlace,
  kind: Managed,
  records: readonly Fields[],
): Promise<readonly Fields[]> => {
  const { each } = kind
  if (each === undefined) return records
  const all = await sideBySide(records, async (record) => {
    const values = { ...placed({ instance, ...reader }, place, each), ...itemOf(kind, record).at }
    return { ...record, ...objectIn((await instance.get({ endpoint: each, values })).data, each) }
  })
  return all.filter((record) => isManaged(kind, record))
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
  if (kind.holds === 'one') return one(reader, place, kind)
  if (hasList(kind)) return whole(reader, place, kind, await listed(reader, place, kind))
  return keys === undefined && kind.unlisted !== undefined
    ? unlisted(reader, place, kind)
    : byKey(reader, place, kind, keys ?? [])
}

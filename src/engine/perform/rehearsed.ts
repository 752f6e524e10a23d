/** What a write would change: its object as it is now, beside what would be sent. */
import { type Fields, isObject } from '../../base/objects.js'
import { maskAddresses } from '../../base/secrets/addresses.js'
import { maskFields, secrecies } from '../../base/secrets/mask.js'
import { type Endpoint, methodOf, pathOf } from '../../catalogue/endpoint.js'
import { secretsOf } from '../../catalogue/secret-fields.js'
import type { Words } from '../../catalogue/words.js'
import type { Ask, WireRequest } from '../../http/types.js'
import { levelOf } from '../../output/levels.js'
import { asSent, shownIn } from '../command/derive/index.js'
import { agrees } from '../instance/agrees.js'

/** One attribute, as it is and as it would be. */
interface Change {
  readonly attribute: string
  readonly now: unknown
  readonly new: unknown
  /** It is what would be sent. */
  readonly already_so: boolean
}

/** What would become of one object. */
export interface Preview {
  /** Method and path of what would be sent. */
  readonly request: string
  /** Whether the object was read: else nothing is known of what it is now. */
  readonly read: boolean
  readonly changes: readonly Change[]
}

/** What goes along that is no part of the path, files by their names. */
const sentBy = ({
  endpoint,
  values,
  extra,
  files,
}: Ask): readonly (readonly [string, unknown])[] => [
  ...Object.entries({ ...endpoint.leaves, ...extra, ...values }).filter(
    ([name, value]) => value !== undefined && !(name in endpoint.path),
  ),
  ...Object.entries(files ?? {}).map(([name, { filename }]) => [name, filename] as const),
]

/** What an object that is deleted shows of itself. */
const lostWith = (record: Fields, columns: readonly string[]): readonly Change[] =>
  columns
    .filter((attribute) => record[attribute] !== undefined)
    .map((attribute) => ({
      attribute,
      now: record[attribute],
      new: null,
      already_so: false,
    }))

const changed = (
  ask: Ask,
  record: Fields | undefined,
  [name, sent]: readonly [string, unknown],
) => {
  const now = record === undefined ? undefined : shownIn(record, name, ask.endpoint)
  const same = record !== undefined && now !== undefined && agrees(sent, now)
  return { attribute: name, now: asSent(now, sent), new: sent, already_so: same }
}

/** Secrets by what they are called: the rows have their names in a column. */
const hidden = (
  changes: readonly Change[],
  endpoint: Endpoint,
  words: Words | undefined,
): readonly Change[] => {
  const secrecyOf = secrecies(secretsOf(endpoint), words)
  const hide = (of: 'now' | 'new'): Fields =>
    maskFields(
      Object.fromEntries(changes.map((change) => [change.attribute, change[of]])),
      secrecyOf,
    )
  const [now, next] = [hide('now'), hide('new')]
  return changes.map((change) => ({
    ...change,
    now: now[change.attribute],
    new: next[change.attribute],
  }))
}

/** Whether a call removes the very object that is read. */
export const removes = (endpoint: Endpoint, read: Endpoint | undefined): boolean =>
  methodOf(endpoint) === 'DELETE' && read !== undefined && pathOf(read) === pathOf(endpoint)

const requestLine = ({ method, path }: Pick<WireRequest, 'method' | 'path'>): string =>
  `${method} ${path}`

interface How {
  readonly path: string
  readonly columns?: readonly string[]
  readonly secrets: boolean
  readonly words?: Words
}

/**
 * What a write would change.
 * @param record its object as it is; undefined where it was not read
 * @param path of the request, as it would travel
 * @param columns what is shown of an object that is removed
 * @param secrets whether they are shown
 * @param words the instance's own, by which attributes are shown
 */
export const previewOf = (
  ask: Ask,
  record: Fields | undefined,
  { path, columns, secrets, words }: How,
): Preview => {
  const changes =
    columns !== undefined && record !== undefined
      ? lostWith(record, columns)
      : sentBy(ask).map((one) => changed(ask, record, one))
  const request = requestLine({ method: methodOf(ask.endpoint), path: path.replace(/\?.*$/, '') })
  const shown = secrets ? changes : hidden(changes, ask.endpoint, words)
  const named =
    words === undefined
      ? shown
      : shown.map((change) => ({ ...change, attribute: words.name(change.attribute) }))
  return { request, read: record !== undefined, changes: named }
}

/** The attributes of a body, where it has some. */
const attributesIn = (body: WireRequest['body']): Fields => {
  if (typeof body !== 'string') return {}
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** What a request would send that no endpoint of the catalogue stands for. */
export const previewOfRequest = (wire: WireRequest, secrets: boolean, words?: Words): Preview => {
  const sent = attributesIn(wire.body)
  const shown = secrets ? sent : maskFields(sent, secrecies(new Set(wire.secrets), words))
  const changes = Object.entries(shown).map(([attribute, value]) => ({
    attribute,
    now: null,
    new: value,
    already_so: false,
  }))
  const request = requestLine(wire)
  return { request: secrets ? request : maskAddresses(request), read: false, changes }
}

/** What stands in the column of what would be, where that is so. */
const soAlready = 'already so'

/** A value as the column of its name would show it. */
const inWords = (attribute: unknown, value: unknown): unknown =>
  levelOf(typeof attribute === 'string' ? attribute : undefined, value) ?? value

/** The rows of previews: an attribute each, and the request where nothing was there to compare. */
export const rowsOf = (records: readonly unknown[]): readonly unknown[] =>
  records.flatMap((record) => {
    if (!isObject(record) || !Array.isArray(record.changes)) return [record]
    const { object, request, read, changes } = record
    const rows = changes.filter(isObject).map((change) => ({
      object,
      attribute: change.attribute,
      now: inWords(change.attribute, change.now),
      new: change.already_so === true ? soAlready : inWords(change.attribute, change.new),
    }))
    const asked = read === true && rows.length > 0
    return asked ? rows : [{ object, attribute: 'request', now: null, new: request }, ...rows]
  })

export const columns = ['attribute', 'now', 'new'] as const

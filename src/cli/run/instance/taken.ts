/**
 * Whether the instance took what was sent: an attribute that it does not know it ignores, with 200
 * and no complaint, so its answer is held against the request.
 */
import { mostBuilt } from '../../../base/json/malformed.js'
import { isObject } from '../../../base/objects.js'
import { endsAsSecret } from '../../../base/secrets/names.js'
import { type Endpoint, echoes, type Param } from '../../../catalogue/endpoint.js'
import type { Ask, Whole } from '../../../http/types.js'
import { nearest } from '../../../terminal/text/suggest.js'

/** An attribute that the answer does not show as it was sent. */
export interface NotTaken {
  readonly name: string
  /** A sentence about it. */
  readonly text: string
  /** Neither the catalogue nor the answer knows the name: a mistake, most likely. */
  readonly unknown: boolean
}

const knows = (endpoint: Endpoint, name: string): boolean =>
  name in endpoint.params || name in endpoint.path

const fieldsOf = ({ returns: { shape } }: Endpoint): Readonly<Record<string, unknown>> =>
  isObject(shape) && isObject(shape.properties) ? shape.properties : {}

/** `; did you mean x?`, or nothing where neither a parameter nor a field of the answer is near. */
export const meant = (endpoint: Endpoint, name: string, answer: unknown = {}): string => {
  const known = { ...endpoint.params, ...fieldsOf(endpoint), ...(isObject(answer) ? answer : {}) }
  const near = nearest(name, Object.keys(known))
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** Where the answer may show a parameter; nowhere where it need not. */
const placesOf = (endpoint: Endpoint, name: string, param: Param): (readonly string[])[] => {
  if (param.secret === true || endsAsSecret(name) || param.echo === false) return []
  if (param.type === 'string' && param.format === 'pem') return []
  return [
    ...(name in fieldsOf(endpoint) ? [[name]] : []),
    ...(endpoint.echo === undefined ? [] : [[endpoint.echo, name]]),
  ]
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length)

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  false: false,
  '0': false,
}

const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim().replace(/\/+$/, '')

const day = /^\d{4}-\d{2}-\d{2}/
/** Times as moments; a day is as precise as a day is. */
const sameTime = (a: string, b: string): boolean => {
  if (!day.test(a) || !day.test(b)) return false
  if (a.length === 10 || b.length === 10) return a.slice(0, 10) === b.slice(0, 10)
  return Date.parse(a) === Date.parse(b)
}

const itemsOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((item) => item !== '') : [value]
}

const sameItems = (a: string, b: string): boolean =>
  itemsOf(a).toSorted().join() === itemsOf(b).toSorted().join()

const sameText = (a: string, b: string): boolean =>
  plain(a) === plain(b) ||
  // Items that the documents join in one text come back in the instance's order.
  sameItems(a, b) ||
  sameTime(a, b) ||
  // Instances drop or rewrite the comment of a public key.
  (/^(ssh|ecdsa|sk)-/.test(a) && a.split(' ', 2).join() === b.split(' ', 2).join())

/** One value as the instance may write it: other types, other order, an object for its identity. */
const agrees = (sent: unknown, got: unknown): boolean => {
  if (isEmpty(sent) || isEmpty(got)) return isEmpty(sent) && isEmpty(got)
  if (typeof sent === 'boolean') return isObject(got) || truths[String(got)] === sent
  if (Array.isArray(sent) || Array.isArray(got)) {
    const [wanted, had] = [itemsOf(sent), itemsOf(got)]
    return wanted.length === had.length && wanted.every((one) => had.some((h) => agrees(one, h)))
  }
  if (isObject(sent))
    return isObject(got) && Object.entries(sent).every(([name, inner]) => agrees(inner, got[name]))
  if (isObject(got)) return Object.values(got).some((inner) => String(inner) === String(sent))
  return sameText(String(sent), String(got))
}

const longest = 60
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

const absent = (name: string): string =>
  `the instance did not take ${name}: its answer does not have it (another version or edition?)`

const judge = (
  { endpoint }: Ask,
  name: string,
  sent: unknown,
  answer: unknown,
): Omit<NotTaken, 'name'> | undefined => {
  const param = endpoint.params[name]
  if (param === undefined) {
    if (endsAsSecret(name) || at(answer, [name]) !== undefined) return undefined
    const near = meant(endpoint, name, answer)
    return {
      text: `the instance did not take ${name}: neither its answer nor the catalogue knows it${near}`,
      unknown: true,
    }
  }
  const had = placesOf(endpoint, name, param).map((place) => at(answer, place))
  if (had.length === 0 || had.some((got) => agrees(sent, got))) return undefined
  const got = had.find((one) => one !== undefined)
  const differs = `the instance did not take ${name} as it was given: it has ${shown(got)}`
  return { text: got === undefined ? absent(name) : differs, unknown: false }
}

/** What was sent under names that are no placeholder of the path. */
const sentBy = ({ endpoint, values, extra }: Ask): (readonly [string, unknown])[] =>
  Object.entries({ ...values, ...extra }).filter(
    ([name, value]) => value !== undefined && !(name in endpoint.path),
  )

/** Names that went along though the catalogue does not have them. */
export const unknownNames = (ask: Ask): readonly string[] =>
  sentBy(ask)
    .map(([name]) => name)
    .filter((name) => !knows(ask.endpoint, name))

/**
 * The attributes that a write's answer does not show, or shows with another value. Judged is what
 * the answer should show: its shape has a field of that name, the parameter names one (`echo`), or
 * the catalogue does not know the name at all. Secrets are not compared.
 */
export const notTaken = (ask: Ask, answer: unknown): readonly NotTaken[] => {
  if (!echoes(ask.endpoint) || !isObject(answer)) return []
  return sentBy(ask).flatMap(([name, sent]) => {
    const found = judge(ask, name, sent, answer)
    return found === undefined ? [] : [{ name, ...found }]
  })
}

interface Said {
  readonly unknown: boolean
  readonly labels: string[]
  count: number
}

/** How many objects are named. */
const named = 3

type Answer = Partial<Pick<Whole, 'bytes' | 'data'>>

/** Gathers over a run what was not taken, so that it is said once, however many objects there are. */
export class Taken {
  readonly #said = new Map<string, Said>()
  #calls = 0

  /**
   * @param answer read only where it is judged, and never where it is too long to be compared: what
   *   is merely passed on need not be parsed
   * @returns whether everything was taken
   */
  note(ask: Ask & { readonly label?: string }, answer: Answer): boolean {
    this.#calls += 1
    const long = (answer.bytes?.length ?? 0) > mostBuilt.bytes
    const found = echoes(ask.endpoint) && !long ? notTaken(ask, answer.data) : []
    for (const { text, unknown } of found) {
      const said = this.#said.get(text) ?? { unknown, labels: [], count: 0 }
      said.count += 1
      if (said.labels.length < named && ask.label !== undefined) said.labels.push(ask.label)
      this.#said.set(text, said)
    }
    return found.length === 0
  }

  /** What is to be said at the end. */
  *lines(): Generator<{ readonly text: string; readonly unknown: boolean }> {
    for (const [text, { unknown, labels, count }] of this.#said) {
      const more = count > labels.length ? ` and ${count - labels.length} more` : ''
      const of = this.#calls > 1 && labels.length > 0 ? `${labels.join(', ')}${more}: ` : ''
      yield { text: `${of}${text}`, unknown }
    }
  }
}

/**
 * Whether the instance took what was sent: an attribute that it does not know it ignores, with 200
 * and no complaint, so its answer is held against the request.
 */
import { type Fields, isObject } from '../../base/objects.js'
import { maskFields } from '../../base/secrets/mask.js'
import { isSecretName } from '../../base/secrets/names.js'
import { nearest } from '../../base/suggest.js'
import { type Endpoint, echoes } from '../../catalogue/endpoint.js'
import { formatOf, type Param } from '../../catalogue/params.js'
import { getProperties } from '../../catalogue/shapes/properties.js'
import { called, type Naming, namesIn } from '../../catalogue/words.js'
import type { Ask } from '../../http/types.js'

// Whether a value that an answer shows is the one that was sent.

/** Whether a value says that there is none. */
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

/** Whether a value is what was sent, as the instance may write it: other types, other order, an object for its identity. */
export const agrees = (sent: unknown, got: unknown): boolean => {
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

/** An attribute that the answer does not show as it was sent. */
export interface UnappliedAttribute {
  readonly name: string
  /** A sentence about it. */
  readonly text: string
  /** Neither the catalogue nor the answer knows the name: a mistake, most likely. */
  readonly unknown: boolean
}

const knows = (endpoint: Endpoint, name: string): boolean =>
  name in endpoint.params || name in endpoint.path

const fieldsOf = ({ returns: { shape } }: Endpoint): Fields => getProperties(shape) ?? {}

/** `; did you mean x?`, or nothing where neither a parameter nor a field of the answer is near. */
const meant = (
  endpoint: Endpoint,
  name: string,
  words: Naming | undefined,
  answer: unknown = {},
): string => {
  const known = { ...endpoint.params, ...fieldsOf(endpoint), ...(isObject(answer) ? answer : {}) }
  const near = nearest(name, namesIn(Object.keys(known), words))
  return near === undefined ? '' : `; did you mean ${called(near, words)}?`
}

/** Of a name that goes along though no parameter has it. */
export const noParameter = (endpoint: Endpoint, name: string, words?: Naming): string =>
  name in fieldsOf(endpoint)
    ? `"${name}" is a response field, not a known parameter; sending it unchanged`
    : `unknown parameter "${name}"; sending it unchanged${meant(endpoint, name, words)}`

/**
 * Whether only the presence of a value can be judged: an answer may hide a secret, and a certificate
 * comes back parsed. Booleans and numbers are no secrets, whatever their names end in.
 */
const isOpaque = (name: string, sent: unknown, param?: Param): boolean =>
  param?.secret === true ||
  formatOf(param) === 'pem' ||
  (typeof sent === 'string' && isSecretName(name))

/** Whether every answer has a field of that name. */
const isShown = (endpoint: Endpoint, name: string, param: Param): boolean =>
  param.echo ?? name in fieldsOf(endpoint)

/** Where the answer may show a parameter; nowhere where it need not. */
const placesOf = (
  endpoint: Endpoint,
  name: string,
  { param, opaque }: { readonly param?: Param | undefined; readonly opaque: boolean },
): (readonly string[])[] => {
  if (param?.echo === false) return []
  return [
    ...(param === undefined || isShown(endpoint, name, param) ? [[name]] : []),
    // What an integration keeps secret is not among its properties.
    ...(endpoint.echo === undefined || opaque ? [] : [[endpoint.echo, name]]),
  ]
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

const longest = 60
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** An instance may leave a secret out of its answers on purpose: that is doubt, and no finding. */
const lost = (name: string, opaque: boolean): string =>
  opaque
    ? `the response does not show whether the instance applied ${name}`
    : `the instance ignored ${name}`

const judge = (
  { endpoint }: Ask,
  name: string,
  sent: unknown,
  answer: unknown,
  words: Naming | undefined,
): Omit<UnappliedAttribute, 'name'> | undefined => {
  const param = endpoint.params[name]
  const own = words?.name(name) ?? name
  const opaque = isOpaque(name, sent, param)
  const had = placesOf(endpoint, name, { param, opaque }).map((place) => at(answer, place))
  const got = had.find((one) => one !== undefined)
  if (param === undefined) {
    if (got !== undefined || (opaque && endpoint.echo !== undefined)) return undefined
    const near = meant(endpoint, name, words, answer)
    return {
      text: `${lost(own, opaque)}: unknown, and not in the response${near}`,
      unknown: true,
    }
  }
  if (had.length === 0) return undefined
  // A field that every answer should show is missing, even where an empty value was sent; not one that is unset so.
  const absent = got === undefined && isShown(endpoint, name, param) && !(opaque && isEmpty(sent))
  if (!absent && (opaque || had.some((one) => agrees(sent, one)))) return undefined
  const without = `${lost(own, opaque)}: not in the response (another version or edition?)`
  const differs = `the instance did not apply ${own}: the value is ${shown(maskFields({ [name]: got })[name])}`
  return { text: got === undefined ? without : differs, unknown: false }
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
 * the catalogue does not know the name at all. Of a secret only the absence is judged.
 * @param words the instance's own, by which attributes are named
 */
export const unappliedAttributes = (
  ask: Ask,
  answer: unknown,
  words?: Naming,
): readonly UnappliedAttribute[] => {
  if (!echoes(ask.endpoint) || !isObject(answer)) return []
  return sentBy(ask).flatMap(([name, sent]) => {
    const found = judge(ask, name, sent, answer, words)
    return found === undefined ? [] : [{ name, ...found }]
  })
}

/** Sends the calls of a run, and compares each answer with what was asked for. */
import { compareNumbers, numberPattern } from '../../base/json/decimal.js'
import { isNumber, maxBuilt, stringifyExact } from '../../base/json/json.js'
import { type Fields, getOwn, isObject, type JsonValue } from '../../base/objects.js'
import { maskFields } from '../../base/secrets/mask.js'
import { isSecretName } from '../../base/secrets/names.js'
import { nearest } from '../../base/suggest.js'
import { trimTrailingSlashes } from '../../base/text.js'
import { type Endpoint, echoes, writes } from '../../catalogue/endpoint.js'
import { getProperties } from '../../catalogue/fields.js'
import { formatOf, type Param } from '../../catalogue/params.js'
import { sameValue } from '../../catalogue/same-value.js'
import { called, type Naming, namesIn } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Ask, Answer as Download, WholeAnswer, WireRequest } from '../../http/types.js'
import { isBare } from '../command/running.js'
import type { AnswerService, UiService } from '../command/services.js'
import type { PlanContext } from '../plan/objects.js'
import type { InstanceExchange } from './exchange.js'

// Whether the instance took what was sent: an attribute that it does not know it ignores, with 200
// and no complaint, so its answer is held against the request.

// Whether a value that an answer shows is the one that was sent.

/** Whether a value says that there is none. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length)

const plain = (text: string): string => trimTrailingSlashes(text.replaceAll('\r\n', '\n').trim())

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

/** Compares numbers where one of two values is a number and the other says one; undefined for anything else. */
const sameNumber = (a: unknown, b: unknown): boolean | undefined => {
  const [one, other] = [String(a), String(b)]
  if (!(isNumber(a) || isNumber(b)) || ![one, other].every((text) => numberPattern.test(text)))
    return undefined
  return compareNumbers(one, other) === 0
}

/**
 * True if a value is what was sent, as the instance may write it: other types, another order, an object for its identity.
 * What is the same for a file of declared state is the same here, so that `apply` and every other write judge alike.
 */
export const agrees = (sent: unknown, got: unknown, param?: Param): boolean => {
  if (isEmpty(sent) || isEmpty(got)) return isEmpty(sent) && isEmpty(got)
  const equal = sameNumber(sent, got)
  if (equal !== undefined) return equal
  if (sameValue({ param }, sent as JsonValue, got as JsonValue)) return true
  if (typeof sent === 'boolean') return isObject(got)
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
interface UnappliedAttribute {
  readonly name: string
  /** A sentence about it. */
  readonly text: string
  /** Neither the catalogue nor the answer knows the name: a mistake, most likely. */
  readonly unknown: boolean
}

const knows = (endpoint: Endpoint, name: string): boolean =>
  Object.hasOwn(endpoint.params, name) || Object.hasOwn(endpoint.path, name)

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
const noParameter = (endpoint: Endpoint, name: string, words?: Naming): string =>
  Object.hasOwn(fieldsOf(endpoint), name)
    ? `"${name}" is a response field, not a known parameter; sending it unchanged`
    : `unknown parameter "${name}"; sending it unchanged${meant(endpoint, name, words)}`

/** Says of a parameter that the catalogue does not know that it is sent all the same. */
export const sentUnknown =
  ({ note }: Pick<UiService, 'note'>, words?: Naming): PlanContext['unknown'] =>
  (endpoint, name) =>
    note(noParameter(endpoint, name, words))

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
  param.echo ?? Object.hasOwn(fieldsOf(endpoint), name)

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
  path.reduce((inner, name) => (isObject(inner) ? getOwn(inner, name) : undefined), value)

const longest = 60
const shown = (value: unknown): string => {
  const text = stringifyExact(value) ?? 'nothing'
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** An instance may leave a secret out of its answers on purpose: that is doubt, and no finding. */
const lost = (name: string, opaque: boolean): string =>
  opaque
    ? `the response does not show whether the instance applied ${name}`
    : `the instance ignored ${name}`

const verifyApplied = (
  { endpoint }: Ask,
  name: string,
  sent: unknown,
  answer: unknown,
  words: Naming | undefined,
): Omit<UnappliedAttribute, 'name'> | undefined => {
  const param = getOwn<Param>(endpoint.params, name)
  const own = words?.name(name) ?? name
  const opaque = isOpaque(name, sent, param)
  const had = placesOf(endpoint, name, { param, opaque }).map((place) => at(answer, place))
  const got = had.find((one) => one !== undefined)
  if (param === undefined && got === undefined) {
    if (opaque && endpoint.echo !== undefined) return undefined
    const near = meant(endpoint, name, words, answer)
    return {
      text: `${lost(own, opaque)}: unknown, and not in the response${near}`,
      unknown: true,
    }
  }
  if (had.length === 0) return undefined
  // A field that every answer should show is missing, even where an empty value was sent; not one that is unset so.
  const shows = param === undefined || isShown(endpoint, name, param)
  const absent = got === undefined && shows && !(opaque && isEmpty(sent))
  if (!absent && (opaque || had.some((one) => agrees(sent, one, param)))) return undefined
  const without = `${lost(own, opaque)}: not in the response (another version or edition?)`
  const differs = `the instance did not apply ${own}: the value is ${shown(maskFields({ [name]: got })[name])}`
  return { text: got === undefined ? without : differs, unknown: false }
}

/** What was sent under names that are no placeholder of the path. */
const sentBy = ({ endpoint, values, extra }: Ask): (readonly [string, unknown])[] =>
  Object.entries({ ...values, ...extra }).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(endpoint.path, name),
  )

/** Names that went along though the catalogue does not have them. */
const unknownNames = (ask: Ask): readonly string[] =>
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
    const found = verifyApplied(ask, name, sent, answer, words)
    return found === undefined ? [] : [{ name, ...found }]
  })
}

// What the instance did not take over a run, said once at its end.

interface UnappliedWarning {
  readonly unknown: boolean
  readonly labels: string[]
  count: number
}

/** So much is said of different objects; of the rest there is a count. */
const maxSaid = 20

/** How many objects are named. */
const named = 3

type Answer = Partial<Pick<WholeAnswer, 'bytes' | 'data'>>

/** Gathers over a run what was not taken, so that it is said once, however many objects there are. */
export class UnappliedAttributes {
  readonly #said = new Map<string, UnappliedWarning>()
  #calls = 0
  #more = 0

  /** @param words the instance's own, where a vocabulary is in force */
  constructor(private readonly words?: Naming) {}

  /**
   * @param answer read only where it is judged, and never where it is too long to be compared: what
   *   is merely passed on need not be parsed
   * @returns whether everything was taken
   */
  note(ask: Ask & { readonly label?: string }, answer: Answer): boolean {
    this.#calls += 1
    const long = (answer.bytes?.length ?? 0) > maxBuilt.bytes
    const found =
      echoes(ask.endpoint) && !long ? unappliedAttributes(ask, answer.data, this.words) : []
    for (const { text, unknown } of found) {
      const known = this.#said.get(text)
      if (known === undefined && this.#said.size >= maxSaid) {
        this.#more += 1
        continue
      }
      const said = known ?? { unknown, labels: [], count: 0 }
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
    if (this.#more > 0)
      yield { text: `${this.#more} more attributes were not applied`, unknown: false }
  }
}

/** A read that shows nothing of what it was asked for is no answer, whatever its status. */
const checkRead = ({ endpoint }: Ask, whole: WholeAnswer, { path }: WireRequest): void => {
  const { status } = whole
  const shows = ['one', 'many'].includes(endpoint.returns.kind)
  if (writes(endpoint) || !shows || status === 304 || !isBare(whole)) return
  throw new Failure('unreachable', `the instance answered ${status} without the requested data`, {
    status,
    request: `GET ${path}`,
    hint: 'Check the base URL and any proxy in front of the instance.',
  })
}

interface Strictness {
  /** An attribute that was not taken is exit 1. */
  readonly strict?: boolean
}

/** Sends one call after the other, and remembers what was not taken. */
export class Caller {
  readonly #exchange: Pick<InstanceExchange, 'client' | 'request'>
  readonly #ui: Pick<UiService, 'note'>
  readonly #answer: Pick<AnswerService, 'exit'>
  readonly #strict: boolean
  readonly #taken: UnappliedAttributes
  readonly #words: Naming | undefined

  constructor(
    exchange: Pick<InstanceExchange, 'client' | 'request'>,
    ui: Pick<UiService, 'note'>,
    answer: Pick<AnswerService, 'exit'>,
    { strict = false }: Strictness,
    words?: Naming,
  ) {
    this.#taken = new UnappliedAttributes(words)
    this.#words = words
    this.#exchange = exchange
    this.#ui = ui
    this.#answer = answer
    this.#strict = strict
  }

  /**
   * One call, its answer whole.
   * @throws Failure `unreachable` for a read that is answered with nothing
   */
  async send(ask: Ask): Promise<WholeAnswer> {
    const wire = await this.#exchange.request(ask)
    const client = await this.#exchange.client(ask.endpoint)
    try {
      const whole = await client.call(wire)
      checkRead(ask, whole, wire)
      if (!this.#taken.note(ask, whole) && this.#strict) this.#answer.exit(1)
      return whole
    } catch (error) {
      const tell = sentUnknown(this.#ui, this.#words)
      if (echoes(ask.endpoint)) for (const name of unknownNames(ask)) tell(ask.endpoint, name)
      throw error
    }
  }

  /** A download: its body is read by the caller. */
  async open(ask: Ask, headers: Readonly<Record<string, string>> = {}): Promise<Download> {
    const client = await this.#exchange.client(ask.endpoint)
    const request = await this.#exchange.request(ask)
    return client.open({ ...request, headers: { ...request.headers, ...headers } })
  }

  /** What is to be said at the end of what was not taken. */
  lines(): ReturnType<UnappliedAttributes['lines']> {
    return this.#taken.lines()
  }
}

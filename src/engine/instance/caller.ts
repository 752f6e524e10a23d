/** Sends the calls of a run and warns about attributes that the instance did not apply. */
import { compareNumbers, numberPattern } from '../../base/json/decimal.js'
import { isNumber, maxBuilt, serializeExact } from '../../base/json/json.js'
import { type Fields, getFields, getOwn, isObject, type JsonValue } from '../../base/objects.js'
import { maskFields } from '../../base/secrets/mask.js'
import { isSecretName } from '../../base/secrets/names.js'
import { findNearest } from '../../base/suggest.js'
import { trimTrailingSlashes } from '../../base/text.js'
import { type Endpoint, hasEcho, writes } from '../../catalogue/endpoint.js'
import { getProperties } from '../../catalogue/fields.js'
import { type EchoField, getEchoField, getParamFormat, type Param } from '../../catalogue/params.js'
import { isSameValue } from '../../catalogue/same-value.js'
import type { Naming } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Ask, Answer as Download, WholeAnswer, WireRequest } from '../../http/types.js'
import type { AnswerService, UiService } from '../command/context.js'
import { isEmptyAnswer } from '../command/outcomes.js'
import type { PlanContext } from '../plan/objects.js'
import type { InstanceExchange } from './exchange.js'

// An instance ignores an attribute that it does not know: it answers 200 without a complaint. Each answer is therefore
// compared with its request.

// Compares a value of an answer with the value that was sent.

/** True if a value means "none": null, an empty text or an empty list. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length)

const normalizeText = (text: string): string => text.replaceAll('\r\n', '\n').trim()

const dayPattern = /^\d{4}-\d{2}-\d{2}/
/** Compares two texts as times. If one of them is only a day, the days are compared. */
const isSameTime = (a: string, b: string): boolean => {
  if (!dayPattern.test(a) || !dayPattern.test(b)) return false
  if (a.length === 10 || b.length === 10) return a.slice(0, 10) === b.slice(0, 10)
  return Date.parse(a) === Date.parse(b)
}

const toItems = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((item) => item !== '') : [value]
}

const hasSameItems = (a: string, b: string): boolean =>
  toItems(a).toSorted().join() === toItems(b).toSorted().join()

/** True if two texts are one public key. Instances drop or rewrite its comment. */
const isSameKey = (a: string, b: string): boolean =>
  /^(ssh|ecdsa|sk)-/.test(a) && a.split(' ', 2).join() === b.split(' ', 2).join()

/**
 * Compares two texts. One without a declaration may be an address, a list whose items the instance returns in another order, a time or a
 * key. A declaration tells which of these a text is, and the words of any other text have an order.
 */
const isSameText = (a: string, b: string, param: Param | undefined): boolean => {
  const [one, other] = [normalizeText(a), normalizeText(b)]
  if (one === other) return true
  if (param === undefined)
    return (
      trimTrailingSlashes(one) === trimTrailingSlashes(other) ||
      hasSameItems(a, b) ||
      isSameTime(a, b) ||
      isSameKey(a, b)
    )
  return getParamFormat(param) === 'public-key' && isSameKey(a, b)
}

/**
 * Compares two values as numbers if one of them is a number and the other looks like one; otherwise returns undefined.
 */
const isSameNumber = (a: unknown, b: unknown): boolean | undefined => {
  const [one, other] = [String(a), String(b)]
  if (!(isNumber(a) || isNumber(b)) || ![one, other].every((text) => numberPattern.test(text)))
    return undefined
  return compareNumbers(one, other) === 0
}

/**
 * True if a value of an answer equals the sent value, in any form that an instance may return: another type, another
 * order, an object in place of its ID. It uses the same rules as declared state, so that `apply` and every other write
 * judge alike.
 */
export const isAsSent = (sent: unknown, got: unknown, param?: Param): boolean => {
  if (isEmpty(sent) || isEmpty(got)) return isEmpty(sent) && isEmpty(got)
  const equal = isSameNumber(sent, got)
  if (equal !== undefined) return equal
  if (isSameValue({ param }, sent as JsonValue, got as JsonValue)) return true
  if (typeof sent === 'boolean') return isObject(got)
  if (Array.isArray(sent) || Array.isArray(got)) {
    const [wanted, had] = [toItems(sent), toItems(got)]
    return (
      wanted.length === had.length &&
      wanted.every((one) => had.some((h) => isAsSent(one, h, param)))
    )
  }
  if (isObject(sent))
    return (
      isObject(got) && Object.entries(sent).every(([name, inner]) => isAsSent(inner, got[name]))
    )
  if (isObject(got)) return Object.values(got).some((inner) => String(inner) === String(sent))
  return isSameText(String(sent), String(got), param)
}

/** An attribute whose value in the answer differs from the sent value. */
interface UnappliedAttribute {
  readonly name: string
  /** The warning about it, a sentence. */
  readonly text: string
  /** True if neither the catalogue nor the answer has the name: it is probably misspelled. */
  readonly unknown: boolean
}

const isDeclaredName = (endpoint: Endpoint, name: string): boolean =>
  Object.hasOwn(endpoint.params, name) || Object.hasOwn(endpoint.path, name)

const getShapeFields = ({ returns: { shape } }: Endpoint): Fields => getProperties(shape) ?? {}

/** Returns `; did you mean x?`, or an empty text if no parameter and no field of the answer has a similar name. */
const suggestName = (
  endpoint: Endpoint,
  name: string,
  naming: Naming,
  answer: unknown = {},
): string => {
  const known = {
    ...endpoint.params,
    ...getShapeFields(endpoint),
    ...getFields(answer),
  }
  const near = findNearest(name, naming.addOwnNames(Object.keys(known)))
  return near === undefined ? '' : `; did you mean ${naming.describeName(near)}?`
}

/** Describes a name that no parameter has. It is sent all the same, unless the arguments and flags of the line set it in the path. */
const describeUnknownName = (endpoint: Endpoint, name: string, naming: Naming): string => {
  if (Object.hasOwn(endpoint.path, name))
    return `"${name}" is part of the path, which the arguments and flags set; it is not sent`
  return Object.hasOwn(getShapeFields(endpoint), name)
    ? `"${name}" is a response field, not a known parameter; sending it unchanged`
    : `unknown parameter "${name}"; sending it unchanged${suggestName(endpoint, name, naming)}`
}

/** Creates the function that notes each parameter that the catalogue does not have; it is sent all the same. */
export const createUnknownNote =
  ({ note }: Pick<UiService, 'note'>, naming: Naming): PlanContext['noteUnknownName'] =>
  (endpoint, name) =>
    note(describeUnknownName(endpoint, name, naming))

/**
 * True if only the presence of a value can be checked: answers may hide secrets, and certificates come back parsed. A
 * boolean or a number is never a secret, whatever its name is.
 */
const isOpaque = (name: string, sent: unknown, param?: Param): boolean =>
  param?.secret === true ||
  getParamFormat(param) === 'pem' ||
  (typeof sent === 'string' && isSecretName(name))

/** True if every answer of an endpoint has a field with this name. */
const isAlwaysShown = (endpoint: Endpoint, name: string, { echo }: Param): boolean =>
  echo === undefined ? Object.hasOwn(getShapeFields(endpoint), name) : echo !== false

/** Returns the paths at which the answer may show a parameter; none if it need not show it. */
const getAnswerPlaces = (
  endpoint: Endpoint,
  name: string,
  { param, opaque }: { readonly param?: Param | undefined; readonly opaque: boolean },
): (readonly string[])[] => {
  if (param?.echo === false) return []
  return [
    ...(param === undefined || isAlwaysShown(endpoint, name, param)
      ? [[getEchoField(param)?.field ?? name]]
      : []),
    // An integration does not list its secrets among its properties.
    ...(endpoint.echo === undefined || opaque ? [] : [[endpoint.echo, name]]),
  ]
}

const getAtPath = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, name) => (isObject(inner) ? getOwn(inner, name) : undefined), value)

const maxValueLength = 60
const formatAnswerValue = (value: unknown): string => {
  const text = serializeExact(value) ?? 'nothing'
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text
}

/**
 * Describes an attribute that was not applied. If it is a secret, the text only expresses doubt: an instance may leave
 * secrets out of its answers.
 */
const describeUnapplied = (name: string, opaque: boolean): string =>
  opaque
    ? `the response does not show whether the instance applied ${name}`
    : `the instance ignored ${name}`

/** True if the answer does not show a parameter under its other name, or only a part of it. */
const isEchoWithheld = (echo: EchoField | undefined, answer: unknown): boolean =>
  echo !== undefined &&
  (getAtPath(answer, [echo.field]) === undefined ||
    (echo.hidden !== undefined && getAtPath(answer, [echo.hidden]) === true))

const verifyApplied = (
  { endpoint }: Ask,
  name: string,
  sent: unknown,
  answer: unknown,
  naming: Naming,
): Omit<UnappliedAttribute, 'name'> | undefined => {
  const param = getOwn<Param>(endpoint.params, name)
  const own = naming.name(name)
  if (isEchoWithheld(getEchoField(param), answer)) return undefined
  const opaque = isOpaque(name, sent, param)
  const had = getAnswerPlaces(endpoint, name, { param, opaque }).map((place) =>
    getAtPath(answer, place),
  )
  const got = had.find((one) => one !== undefined)
  if (param === undefined && got === undefined) {
    if (opaque && endpoint.echo !== undefined) return undefined
    const near = suggestName(endpoint, name, naming, answer)
    return {
      text: `${describeUnapplied(own, opaque)}: unknown, and not in the response${near}`,
      unknown: true,
    }
  }
  if (had.length === 0) return undefined
  // A field that every answer has is missing. That counts for an empty value, too, but not for an empty secret.
  const shows = param === undefined || isAlwaysShown(endpoint, name, param)
  const absent = got === undefined && shows && !(opaque && isEmpty(sent))
  if (!absent && (opaque || had.some((one) => isAsSent(sent, one, param)))) return undefined
  const without = `${describeUnapplied(own, opaque)}: not in the response (another version or edition?)`
  const differs = `the instance did not apply ${own}: the value is ${formatAnswerValue(maskFields({ [name]: got })[name])}`
  return { text: got === undefined ? without : differs, unknown: false }
}

/** Returns the names and values that a call sends, without those in its path. */
const getSentEntries = ({ endpoint, values, extra }: Ask): (readonly [string, unknown])[] =>
  Object.entries({ ...values, ...extra }).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(endpoint.path, name),
  )

/** Returns the sent names that the catalogue does not have. */
const findUnknownNames = (ask: Ask): readonly string[] =>
  getSentEntries(ask)
    .map(([name]) => name)
    .filter((name) => !isDeclaredName(ask.endpoint, name))

/**
 * Finds the attributes that the answer to a write does not show, or shows with another value. An attribute is checked
 * if the answer should show it: the shape has a field of that name, the parameter names a field (`echo`), or the
 * catalogue does not have the name. Of a secret, only the absence is reported.
 * @param naming the names that the instance has for attributes
 */
export const findUnappliedAttributes = (
  ask: Ask,
  answer: unknown,
  naming: Naming,
): readonly UnappliedAttribute[] => {
  if (!hasEcho(ask.endpoint) || !isObject(answer)) return []
  return getSentEntries(ask).flatMap(([name, sent]) => {
    const found = verifyApplied(ask, name, sent, answer, naming)
    return found === undefined ? [] : [{ name, ...found }]
  })
}

// Warnings about attributes that the instance did not apply, printed once at the end of a run.

interface UnappliedWarning {
  readonly unknown: boolean
  readonly labels: string[]
  count: number
}

/** The maximum number of different warnings; further ones are only counted. */
const maxWarnings = 20

/** The maximum number of objects that a warning names. */
const maxNamedObjects = 3

type Answer = Partial<Pick<WholeAnswer, 'bytes' | 'data'>>

/** Collects the attributes that were not applied over a run, so that each is reported once for all objects. */
export class UnappliedAttributes {
  readonly #warnings = new Map<string, UnappliedWarning>()
  #calls = 0
  #omitted = 0

  constructor(private readonly naming: Naming) {}

  /**
   * Checks one answer and collects its warnings.
   * @param answer its `data` is only parsed if it is checked; an answer longer than the comparison limit is not
   */
  checkAnswer(ask: Ask & { readonly label?: string }, answer: Answer): boolean {
    this.#calls += 1
    const long = (answer.bytes?.length ?? 0) > maxBuilt.bytes
    const found =
      hasEcho(ask.endpoint) && !long ? findUnappliedAttributes(ask, answer.data, this.naming) : []
    for (const { text, unknown } of found) {
      const known = this.#warnings.get(text)
      if (known === undefined && this.#warnings.size >= maxWarnings) {
        this.#omitted += 1
        continue
      }
      const warning = known ?? { unknown, labels: [], count: 0 }
      warning.count += 1
      if (warning.labels.length < maxNamedObjects && ask.label !== undefined)
        warning.labels.push(ask.label)
      this.#warnings.set(text, warning)
    }
    return found.length === 0
  }

  /** Yields the warnings at the end of the run. */
  *yieldWarnings(): Generator<{ readonly text: string; readonly unknown: boolean }> {
    for (const [text, { unknown, labels, count }] of this.#warnings) {
      const more = count > labels.length ? ` and ${count - labels.length} more` : ''
      const of = this.#calls > 1 && labels.length > 0 ? `${labels.join(', ')}${more}: ` : ''
      yield { text: `${of}${text}`, unknown }
    }
    if (this.#omitted > 0)
      yield { text: `${this.#omitted} more attributes were not applied`, unknown: false }
  }
}

/**
 * Checks that the answer to a read has a body. An empty one is no answer, whatever its status is.
 * @throws Failure `unreachable` if the body is empty
 */
const checkRead = ({ endpoint }: Ask, answer: WholeAnswer, { path }: WireRequest): void => {
  const { status } = answer
  const shows = ['one', 'many'].includes(endpoint.returns.kind)
  if (writes(endpoint) || !shows || status === 304 || !isEmptyAnswer(answer)) return
  throw new Failure('unreachable', `the instance answered ${status} without the requested data`, {
    status,
    request: `GET ${path}`,
    hint: 'Check the base URL and any proxy in front of the instance.',
  })
}

interface Strictness {
  /** Sets exit code 1 if an attribute was not applied. */
  readonly strict?: boolean
}

/** Sends the calls of a run one by one and collects warnings about their answers. */
export class Caller {
  readonly #exchange: Pick<InstanceExchange, 'getClient' | 'buildAndRecord'>
  readonly #ui: Pick<UiService, 'note'>
  readonly #answer: Pick<AnswerService, 'setExitCode'>
  readonly #strict: boolean
  readonly #unapplied: UnappliedAttributes
  readonly #naming: Naming

  constructor(
    exchange: Pick<InstanceExchange, 'getClient' | 'buildAndRecord'>,
    ui: Pick<UiService, 'note'>,
    answer: Pick<AnswerService, 'setExitCode'>,
    { strict = false }: Strictness,
    naming: Naming,
  ) {
    this.#unapplied = new UnappliedAttributes(naming)
    this.#naming = naming
    this.#exchange = exchange
    this.#ui = ui
    this.#answer = answer
    this.#strict = strict
  }

  /**
   * Sends one call and returns its complete answer.
   * @throws Failure `unreachable` if the answer to a read is empty
   */
  async send(ask: Ask): Promise<WholeAnswer> {
    const wire = await this.#exchange.buildAndRecord(ask)
    const client = await this.#exchange.getClient(ask.endpoint)
    try {
      const whole = await client.call(wire)
      checkRead(ask, whole, wire)
      if (!this.#unapplied.checkAnswer(ask, whole) && this.#strict) this.#answer.setExitCode(1)
      return whole
    } catch (error) {
      this.#noteUnknownNames(ask)
      throw error
    }
  }

  #noteUnknownNames(ask: Ask): void {
    if (!hasEcho(ask.endpoint)) return
    const noteUnknown = createUnknownNote(this.#ui, this.#naming)
    for (const name of findUnknownNames(ask)) noteUnknown(ask.endpoint, name)
  }

  /** Starts a download; the caller reads its body. */
  async open(ask: Ask, headers: Readonly<Record<string, string>> = {}): Promise<Download> {
    const client = await this.#exchange.getClient(ask.endpoint)
    const request = await this.#exchange.buildAndRecord(ask)
    return client.open({ ...request, headers: { ...request.headers, ...headers } })
  }

  /** Returns the warnings at the end of the run: the attributes that the instance did not apply. */
  yieldWarnings(): ReturnType<UnappliedAttributes['yieldWarnings']> {
    return this.#unapplied.yieldWarnings()
  }
}

/**
 * Converts endpoints to typed functions. Errors for other programs contain no credentials, and no hints, which concern commands and flags.
 */

import { hasDots } from '../base/base-url.js'
import type { JsonValues } from '../base/objects.js'
import { redactError } from '../base/secrets/redact.js'
import {
  type Endpoint,
  getMethod,
  type InputOf,
  one,
  type ResultOf,
} from '../catalogue/endpoint.js'
import { Unknown } from '../catalogue/shapes/common.js'
import type { InstanceClient } from '../client/instance.js'
import { isExact, type Paging } from '../client/paging.js'
import { type ListEndpoint, type TypedAnswer, toTypedAnswer } from '../client/types.js'
import { Failure, usage } from '../errors.js'
import type { AnswerHead, AnswerHeaders, CallOptions } from '../http/types.js'
import { checkJsonValues } from './json-values.js'
import { checkObject, checkOptions } from './options.js'
import type { Signal } from './types.js'

const toPlainError = (error: unknown): unknown => {
  const clean = redactError(error)
  if (!(clean instanceof Failure)) return clean
  const { hint: _hint, advice: _advice, cause: _cause, ...details } = clean.details
  return new Failure(clean.category, clean.message, details)
}

/** Runs `work`, and rethrows errors as other programs should see them. */
export const rethrowPublicErrors = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw toPlainError(error)
  }
}

/** Runs synchronous work in the same way. */
export const rethrowPublicErrorsSync = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw toPlainError(error)
  }
}

/** Yields results in the same way. */
async function* throwPlainFrom<T>(pieces: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* pieces
  } catch (error) {
    throw toPlainError(error)
  }
}

// The endpoints of the catalogue as functions, with types that are inferred from their values.

/** The options of a call besides its input, such as its timeout. */
export interface How {
  /** Ends this call; of a list, each loop over it. */
  readonly signal?: Signal | undefined
  /** Seconds to wait for an answer, and for each further piece of it; as in `connect()` unless given. */
  readonly timeout?: number | undefined
  /** The number of further attempts of a request that may be repeated; as in `connect()` unless given. */
  readonly retries?: number | undefined
  /** Parameters that the catalogue does not know, as they are. */
  readonly params?: JsonValues
}

/** The part of a list to read; all of it by default. */
export interface ListHow extends How, Paging {}

/** The records of a list, read page by page; each loop sends the requests again. */
export interface RecordList<T> extends AsyncIterable<T> {
  /** All of them. */
  all(): Promise<readonly T[]>
  /** Page by page, with status and headers; of a page that the limit cuts, what it leaves. */
  pages(): AsyncIterable<WithResponse<readonly T[]>>
}

/** A file that is being downloaded; the caller reads its bytes. */
export interface Download {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The decompressed body; it ends with a Failure if it was cut short. */
  readonly body: AsyncIterable<Uint8Array>
  /** Reads no further, or not at all. */
  readonly cancel: () => void
}

/** A result with its response. */
export interface WithResponse<T> {
  readonly data: T
  readonly status: number
  /** Lower-case names; without cookies. */
  readonly headers: Readonly<Record<string, string>>
  /** The instance's ID of the request, if it gave one. */
  readonly requestId: string | undefined
}

/** A call in progress: resolves to its result, alone or with the response. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>
}

type HasAnswerKind<E, Kind> = E extends { readonly returns: { readonly kind: Kind } } ? true : false
type Reads<E> = E extends { readonly route: `GET ${string}` } ? true : false

/**
 * A value to read: a field is required if every documented answer has it, and nullable if it may be null. Enumerations may have words of
 * newer instances.
 */
type ReadonlyValue<T> = unknown extends T
  ? T
  : T extends string
    ? T
    : T extends readonly (infer I)[]
      ? readonly ReadonlyValue<I>[]
      : T extends object
        ? { readonly [K in keyof T]: ReadonlyValue<T[K]> }
        : T

/** The settings that the types of an instance add. */
type OwnSettings<T> = T extends { readonly settings: infer S } ? S : unknown
/** The values that they add to a parameter. */
type OwnValues<T, Name extends string> = T extends {
  readonly values: { readonly [N in Name]: infer V }
}
  ? V
  : never

/** True for the endpoints of the instance's settings, which may have more than the documents. */
type IsSettingsEndpoint<E> = E extends { readonly route: `${string} /application/settings` }
  ? true
  : false

/** The answer of an endpoint; for a list, one of its records. */
type AnswerOf<E, T> =
  IsSettingsEndpoint<E> extends true
    ? ReadonlyValue<ResultOf<E>> & OwnSettings<T>
    : ResultOf<E> extends readonly (infer I)[]
      ? ReadonlyValue<I>
      : ReadonlyValue<ResultOf<E>>

type IsEnumeration<E, K> = E extends { params: infer Ps }
  ? K extends keyof Ps
    ? Ps[K] extends { type: 'enum' }
      ? true
      : false
    : false
  : false

/** The input of an endpoint, with the settings and values that only one instance has. */
type VerbInput<E, Area extends string, T> = {
  [K in keyof InputOf<E>]: IsEnumeration<E, K> extends true
    ? InputOf<E>[K] | OwnValues<T, `${Area}.${K & string}`>
    : InputOf<E>[K]
} & (IsSettingsEndpoint<E> extends true ? Partial<OwnSettings<T>> : unknown)

/** A promise of one record; undefined where a write is answered without one (304: nothing changed). */
type RecordPromise<E, T> =
  Reads<E> extends true ? ApiPromise<AnswerOf<E, T>> : ApiPromise<AnswerOf<E, T> | undefined>
type VerbResult<E, T> =
  HasAnswerKind<E, 'many'> extends true
    ? RecordList<AnswerOf<E, T>>
    : HasAnswerKind<E, 'file'> extends true
      ? Promise<Download>
      : HasAnswerKind<E, 'empty'> extends true
        ? ApiPromise<void>
        : RecordPromise<E, T>
type OptionsOf<E> = HasAnswerKind<E, 'many'> extends true ? ListHow : How

/**
 * An endpoint as a function.
 * @typeParam T what one instance has beyond the documents (`InstanceTypes`)
 */
export type EndpointFunction<E, Area extends string, T> =
  Record<never, never> extends InputOf<E>
    ? (input?: VerbInput<E, Area, T>, how?: OptionsOf<E>) => VerbResult<E, T>
    : (input: VerbInput<E, Area, T>, how?: OptionsOf<E>) => VerbResult<E, T>

/** Returns the instance for a call; it is created with the first one. */
export interface VerbContext {
  readonly instance: () => Promise<InstanceClient>
  /** Refuses destructive calls that must be confirmed and are not. */
  readonly guard: (endpoint: Endpoint) => void
}

/**
 * Checks the input for callers without a compiler, and returns the values to send.
 * @throws Failure `usage` for an unknown or missing name, a value that is not JSON, an update without an attribute, and an invalid option
 */
const checkInput = (endpoint: Endpoint, input: JsonValues, options: How): JsonValues => {
  checkObject(endpoint.route, 'input', input)
  checkOptions(endpoint.route, options)
  const known = { ...endpoint.path, ...endpoint.params }
  const isOpen = endpoint.open !== undefined
  const strange = Object.keys(input).find((name) => !isOpen && !Object.hasOwn(known, name))
  if (strange !== undefined) throw usage(`${endpoint.route} does not accept ${strange}`)
  const required = Object.entries(known).find(
    ([name, { required }]) =>
      input[name] === undefined && (required === true || Object.hasOwn(endpoint.path, name)),
  )
  if (required !== undefined) throw usage(`${endpoint.route} needs ${required[0]}`)
  for (const name of Object.keys(endpoint.path))
    if (!['string', 'number', 'bigint'].includes(typeof input[name]))
      throw usage(`${endpoint.route}: ${name} must be a string or a number`)
  const all = { ...options.params, ...input }
  checkJsonValues(endpoint.route, all)
  const isSet = (name: string): boolean =>
    all[name] !== undefined && !Object.hasOwn(endpoint.path, name)
  if (endpoint.changes === true && !Object.keys(all).some(isSet))
    throw usage(`${endpoint.route}: nothing to change`)
  return all
}

const isListing = (endpoint: Endpoint): endpoint is ListEndpoint => endpoint.returns.kind === 'many'

/** Converts headers to one text each. Cookies are omitted, since they identify the user. */
const toPlainHeaders = (headers: AnswerHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name === 'set-cookie' ? [] : [[name, [value].flat().join(', ')]],
    ),
  )

/** Returns data with its status and headers. */
const toWithResponse = <T>(data: T, status: number, from: AnswerHeaders): WithResponse<T> => {
  const headers = toPlainHeaders(from)
  return { data, status, headers, requestId: headers['x-request-id'] }
}

/** Returns the part of a list to read: all of it unless options say otherwise. */
const toPaging = ({ limit, page, perPage, concurrency }: Paging): Paging => {
  const given = Object.entries({ limit, page, perPage, concurrency }).filter(
    ([, value]) => value !== undefined,
  )
  const part: Paging = Object.fromEntries(given)
  return isExact(part) ? part : { limit: 'all', ...part }
}

const createList =
  (endpoint: ListEndpoint, { instance }: VerbContext) =>
  (input: JsonValues = {}, options: ListHow = {}): RecordList<unknown> => {
    const records = async function* (onPage?: (page: AnswerHead) => void): AsyncGenerator<unknown> {
      const values = checkInput(endpoint, input, options)
      const { params: _, signal, timeout, retries, ...paging } = options
      yield* (await instance()).list(
        endpoint,
        values,
        toPaging(paging),
        { signal, timeout, retries },
        onPage,
      )
    }
    const pages = async function* (): AsyncGenerator<WithResponse<readonly unknown[]>> {
      const begun: WithResponse<unknown[]>[] = []
      const onPage = ({ status, headers }: AnswerHead) =>
        begun.push(toWithResponse([], status, headers))
      for await (const record of records(onPage)) {
        while (begun.length > 1) yield* begun.splice(0, 1)
        begun[0]?.data.push(record)
      }
      yield* begun
    }
    const begin = (): AsyncGenerator<unknown, void> => throwPlainFrom(records())
    return {
      [Symbol.asyncIterator]: begin,
      all: async () => {
        const found: unknown[] = []
        for await (const record of begin()) found.push(record)
        return found
      },
      pages: () => throwPlainFrom(pages()),
    }
  }

/** Creates a promise of the data alone, from which the whole answer can be requested. */
const createCall = (whole: Promise<WithResponse<unknown>>): ApiPromise<unknown> => {
  const data = whole.then((answer) => answer.data)
  return Object.assign(data, {
    withResponse: () => {
      // A failure is then reported by the returned promise, and must not count as unhandled here.
      data.catch(() => undefined)
      return whole
    },
  })
}

/** Creates the function of a download; the caller reads the file. */
const createDownload =
  (endpoint: Endpoint, { instance, guard }: VerbContext) =>
  (input: JsonValues = {}, options: How = {}): Promise<Download> =>
    rethrowPublicErrors(async () => {
      const values = checkInput(endpoint, input, options)
      guard(endpoint)
      return (await instance()).open({ endpoint, values, how: options })
    })

/** Sends one call and reads its answer whole; `data` is undefined without a body. */
const send = async (
  endpoint: Endpoint,
  { instance, guard }: VerbContext,
  input: JsonValues,
  options: How & CallOptions,
): Promise<TypedAnswer<Endpoint>> => {
  const values = checkInput(endpoint, input, options)
  guard(endpoint)
  return toTypedAnswer(endpoint, await (await instance()).send({ endpoint, values, how: options }))
}

const createFunction =
  (endpoint: Endpoint, reaching: VerbContext) =>
  (input: JsonValues = {}, options: How = {}): ApiPromise<unknown> =>
    createCall(
      rethrowPublicErrors(async () => {
        const { data, status, headers } = await send(endpoint, reaching, input, options)
        const empty = endpoint.returns.kind === 'empty'
        if (empty || data !== undefined || getMethod(endpoint) !== 'GET')
          return toWithResponse(empty ? undefined : data, status, headers)
        const what = `the response to ${endpoint.route} has an unexpected form`
        throw new Failure('unreachable', what, { status })
      }),
    )

/** Creates the function of an endpoint. */
export const createVerb = (endpoint: Endpoint, reaching: VerbContext): unknown =>
  isListing(endpoint)
    ? createList(endpoint, reaching)
    : (endpoint.returns.kind === 'file' ? createDownload : createFunction)(endpoint, reaching)

/** The options of a request to any path. */
export interface RequestOptions extends Omit<How, 'params'> {
  readonly query?: JsonValues | undefined
  /** Sent as JSON. */
  readonly body?: JsonValues | undefined
}

const routeForm = /^(GET|POST|PUT|PATCH|DELETE) (\/[\x21-\x7e]*)$/

/**
 * Creates an endpoint for a request to any path. The form of its answer is unknown.
 * @throws Failure `usage` for a path that is not below `/api/v4`
 */
const createEndpoint = (route: string, { query, body }: RequestOptions): Endpoint => {
  const [, method, path = ''] = routeForm.exec(route) ?? []
  if (method === undefined || /[?#]|^\/api\//.test(path) || hasDots(path.replace(/%2e/gi, '.')))
    throw usage('request() takes a method and a path below /api/v4, such as "GET /runners/7"')
  const reads = method === 'GET' || method === 'DELETE'
  if (reads && body !== undefined) throw usage(`a ${method} takes a query, not a body`)
  const names = Object.keys(query ?? {})
  const both = names.find((name) => body !== undefined && Object.hasOwn(body, name))
  if (both !== undefined) throw usage(`${both} is in both query and body`)
  // A colon or an asterisk would otherwise begin a placeholder.
  const literal = path.replaceAll('/:', '/%3A').replaceAll('/*', '/%2A')
  return {
    route: `${method} ${literal}` as Endpoint['route'],
    returns: one(Unknown()),
    summary: '',
    command: '',
    path: {},
    params: Object.fromEntries(
      names.map((name) => [name, { type: 'hash', help: '', in: 'query' }]),
    ),
    ...(method === 'DELETE' ? { destructive: 'The object is deleted.' } : {}),
  }
}

/**
 * Creates the function for requests to any path below `/api/v4`, with the rules of every other call. It returns
 * parsed JSON, or the bytes.
 */
export const createRequest =
  (reaching: VerbContext) =>
  (route: string, options: RequestOptions = {}): ApiPromise<unknown> =>
    createCall(
      rethrowPublicErrors(async () => {
        checkOptions('request()', options)
        const { query = {}, body, ...how } = options
        const endpoint = createEndpoint(route, options)
        const answer = await send(endpoint, reaching, query, {
          ...how,
          anyType: true,
          params: body ?? {},
        })
        const { data, bytes, status, headers } = answer
        return toWithResponse(data ?? (bytes.length === 0 ? undefined : bytes), status, headers)
      }),
    )

/**
 * How a request travels: build, authenticate, send, retry, follow pages, fail. This file has the client: one call, one
 * stream, or one list, each ending in an answer or a Failure.
 */
import { normalizeBaseUrl } from '../base/base-url.js'
import { viewed, wellFormed } from '../base/bytes.js'
import { MalformedJson } from '../base/json/json.js'
import { checkJson } from '../base/json/scan.js'
import { parseOauthError, scrubbed } from '../base/secrets/scrub.js'
import { legible, type Words } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import { readSome, readWhole } from './answers/body.js'
import { isMaintenance, toFailure } from './answers/failure.js'
import {
  isPage,
  LostRequest,
  pageTitle,
  statusText,
  unknownOutcome,
  unusable,
} from './answers/network.js'
import { safeAddress } from './answers/secrets.js'
import { readHeader } from './headers.js'
import { listRecords } from './lists/list.js'
import type { Pages } from './lists/prefetch.js'
import {
  Attempts,
  interruptedBy,
  interruptions,
  isIdempotent,
  isSafe,
  systemTiming,
  type Timing,
} from './sending/attempts.js'
import { type Connections, createConnections } from './sending/connections.js'
import type { OpenAnswer } from './sending/exchange.js'
import { Wire } from './sending/wire.js'
import type {
  Answer,
  Batch,
  CallOptions,
  Client,
  ClientOptions,
  ListEnd,
  ListOptions,
  NextStep,
  OnInterrupt,
  Transport,
  WholeAnswer,
  WireRequest,
} from './types.js'

export { toCurl } from './request/curl.js'
export { buildRequest } from './request/request.js'

// An answer read whole: its JSON, or a Failure that says what came instead.

const pageHint: NextStep = { code: 'no-instance' }
const jsonHint = 'Check the base URL and any proxy in front of the instance.'

const mediaType = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/

/** The media type that an answer claims, where it is one. */
const typeOf = ({ headers }: OpenAnswer): string | undefined =>
  mediaType.exec(readHeader(headers, 'content-type') ?? '')?.[0]

/** JSON that is no list, by how it begins. */
const kinds = [
  ['an object', /^\s*\{/],
  ['a single value', /^\s*(?:"|-?\d|(?:true|false|null)\s*$)/],
] as const

/** What a body is, where JSON was expected. Its text is not repeated: it may hold anything. */
const described = (reply: OpenAnswer, bytes: Uint8Array): readonly [string, NextStep] => {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024))
  if (isPage(text)) {
    const title = pageTitle(text)
    return [`an HTML page${title === undefined ? '' : `, “${safeAddress(title)}”`}`, pageHint]
  }
  if (text.trim() === '') return [`nothing (${reply.status})`, jsonHint]
  const type = typeOf(reply)
  const kind = kinds.find(([, begins]) => begins.test(text))?.[0] ?? 'something else'
  return [`${kind}${type === undefined ? '' : ` (${type})`}`, jsonHint]
}

/**
 * The Failure for an answer that is not the JSON it should be.
 * @param why what is wrong with JSON that began well; empty when the body is something else
 */
const notJson = (reply: OpenAnswer, bytes: Uint8Array, why = ''): Failure => {
  const [what, hint] = described(reply, bytes)
  const wanted = /^an object|^a single/.test(what) ? 'a JSON list' : 'JSON'
  const failure =
    why === ''
      ? unusable(`expected ${wanted} from the instance, but it sent ${what}`, reply.label, hint)
      : unusable(`the response ${why}`, reply.label, jsonHint)
  return isSafe(reply.method) ? failure : unknownOutcome(failure)
}

/** Whether it begins as JSON of some size does; else it is better said what came instead. */
const beginsWell = (bytes: Uint8Array): boolean => {
  const first = bytes.findIndex((byte) => byte > 0x20)
  return [0x22, 0x5b, 0x7b].includes(bytes[first] ?? 0)
}

/** Whether an answer says of itself that it is something else than JSON, and no page. */
const isOther = (reply: OpenAnswer): boolean => !/json|html|^$/.test(typeOf(reply) ?? '')

/** Parsed when somebody looks at it: what is only passed on is held once. */
const lazily = (bytes: Uint8Array, words?: Words): Pick<WholeAnswer, 'bytes' | 'data'> => {
  let value: { readonly data: unknown } | undefined
  return {
    bytes,
    get data() {
      if (value === undefined) {
        const data: unknown = JSON.parse(viewed(bytes).toString())
        value = { data: words === undefined ? data : legible(data, words) }
      }
      return value.data
    },
  }
}

/**
 * The answer of one call; `data` is undefined where there is no body.
 * @param words the instance's own: its data is found by the names of the documents, too
 * @throws Failure `unreachable` when the body is not JSON, or of more than is built (`bounds`)
 */
const wholeOf = (reply: OpenAnswer, bytes: Uint8Array, words?: Words): WholeAnswer => {
  const { status, headers, method } = reply
  const bare = status === 204 || status === 304 || method === 'HEAD'
  if (bare || (bytes.length === 0 && !isSafe(method)))
    return { status, headers, bytes: new Uint8Array(), data: undefined }
  try {
    checkJson(bytes)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw notJson(reply, bytes, beginsWell(bytes) ? error.message : '')
  }
  return Object.assign(lazily(wellFormed(bytes), words), { status, headers })
}

// What may be told of an answer that holds tokens: its status, and an error code that OAuth registers.

/** What a failure was before more was said of it (`unknownOutcome`). */
const rootOf = (failure: Failure): Failure =>
  failure.details.cause instanceof Failure ? rootOf(failure.details.cause) : failure

/** The failure without anything that its answer said; what the network did is told as ever. */
const opaque = (error: unknown): unknown => {
  if (!(error instanceof Failure)) return error
  const { status, request, unknownOutcome } = error.details
  const ours =
    rootOf(error).details.cause !== undefined || ['interrupted', 'usage'].includes(error.category)
  if (status === undefined && ours) return error
  const code = parseOauthError(error.details.code)
  const why =
    status === undefined
      ? 'the response is invalid'
      : [statusText(status), code].filter((text) => text !== undefined).join(': ')
  return new Failure(error.category, why, {
    status,
    request,
    code,
    unknownOutcome,
  })
}

/** Answers of gateways that leave open whether the instance carried the request out. */
const gateways = new Set([502, 503, 504])

const deletedHint =
  'An earlier attempt may have deleted it, although no response arrived. Check before you try again.'

/** The Failure for an answer that refuses, its body read. */
const refusal = async (reply: OpenAnswer, attempts: Attempts): Promise<Failure> => {
  const bytes = reply.read ?? (await readSome(reply.body))
  reply.trace.answered(reply.status, reply.headers, bytes)
  const { status, headers, label, signedIn, method } = reply
  const failure = toFailure({ status, headers, body: bytes, request: label, signedIn })
  if (gateways.has(status) && !isSafe(method) && !isMaintenance(status, bytes, 'instance'))
    return unknownOutcome(failure)
  if ((status === 404 || status === 410) && method === 'DELETE' && attempts.made > 0)
    return new Failure(failure.category, failure.message, {
      ...failure.details,
      unknownOutcome: true,
      hint: deletedHint,
    })
  return failure
}

const isAnswer = (status: number): boolean => (status >= 200 && status < 300) || status === 304

/** A body cut short: again where that is harmless, else a Failure that says what is not known. */
const afterLoss = async (error: unknown, reply: OpenAnswer, attempts: Attempts): Promise<void> => {
  if (!(error instanceof LostRequest)) throw error
  if (error.transient && isIdempotent(reply.method) && attempts.left)
    return attempts.pause(reply.label, error.message)
  throw isSafe(reply.method) ? error : unknownOutcome(error)
}

/** A client of one instance and one credential: each request until its answer stands. */
class HttpClient implements Client {
  readonly #options: ClientOptions
  readonly #clock: Timing
  readonly #onInterrupt: OnInterrupt
  readonly #connections: Connections
  readonly #wire: Wire
  readonly #closed = new AbortController()

  constructor(options: ClientOptions, clock: Timing) {
    this.#options = options
    this.#clock = clock
    this.#onInterrupt = interruptions(options.signal, this.#closed.signal)
    this.#connections = createConnections(options)
    this.#wire = new Wire(options, this.#connections, this.#onInterrupt, clock.now)
  }

  async open(request: WireRequest): Promise<Answer> {
    this.#guard(request)
    return this.#cleaned(request, this.#open(request))
  }

  async call(request: WireRequest): Promise<WholeAnswer> {
    this.#guard(request)
    return this.#cleaned(request, this.#call(request))
  }

  list(request: WireRequest, listing: ListOptions): AsyncGenerator<Batch, ListEnd> {
    this.#guard(request)
    const { mapError = (error) => error } = listing
    const options = { ...listing, mapError: (error: unknown) => mapError(scrubbed(error)) }
    return listRecords(this.#pages(request), request, options)
  }

  /** What nobody waits for any more is not tried again, either. */
  close(): Promise<void> {
    this.#closed.abort()
    return this.#connections.close()
  }

  /** Refuses what may write, where nothing may: whoever asks for it is wrong about what it does. */
  #guard({ method, path }: WireRequest): void {
    const { readOnly = false, readsBy } = this.#options
    if (!readOnly || isSafe(method) || method === readsBy) return
    const what = `${method} ${safeAddress(path)}`
    throw new Failure('internal', `this command is read-only but was about to send ${what}`)
  }

  /** What goes wrong is told without what was sent as a secret, and without what must stay opaque. */
  async #cleaned<T>(request: WireRequest, answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      throw scrubbed(request.opaque === true ? opaque(error) : error)
    }
  }

  /** What lists are made of; every page is asked for as the first one is. */
  #pages({ how }: WireRequest): Pages {
    return {
      root: this.#wire.root,
      note: (text) => this.#options.note?.(text, 'verbose'),
      open: (request, attempts) => this.#streamed({ ...request, how }, attempts),
      attempts: () => this.#attempts(how),
      width: () => this.#options.gate?.width,
      foreign: notJson,
    }
  }

  async #open(request: WireRequest): Promise<Answer> {
    const reply = await this.#streamed(request, this.#attempts(request.how), true)
    const { status, headers, label, body, cancel } = reply
    const url = label.slice(label.indexOf(' ') + 1)
    return { status, headers, url, body: body.unhurried(), cancel }
  }

  async #call(request: WireRequest): Promise<WholeAnswer> {
    const attempts = this.#attempts(request.how)
    for (;;) {
      const reply = await this.#answered(request, attempts)
      try {
        const bytes = await readWhole(reply.body, reply.label)
        reply.trace.answered(reply.status, reply.headers, bytes)
        const { status, headers } = reply
        if (request.how?.anyType === true && isOther(reply))
          return { status, headers, bytes, data: undefined }
        return wholeOf(reply, bytes, this.#options.words)
      } catch (error) {
        if (error instanceof Error) reply.trace.failed(error)
        await afterLoss(error, reply, attempts)
      }
    }
  }

  #attempts(how: CallOptions = {}): Attempts {
    const { note = () => {} } = this.#options
    const { retries = this.#options.retries, signal } = how
    const limits = { retries, refusals: how.retries ?? this.#options.refusals ?? retries }
    return new Attempts(limits, this.#clock, note, interruptedBy(this.#onInterrupt, signal))
  }

  async #answered(request: WireRequest, attempts: Attempts, abroad = false): Promise<OpenAnswer> {
    const reply = await this.#wire.send(request, attempts, abroad)
    if (!isAnswer(reply.status)) throw await refusal(reply, attempts)
    return reply
  }

  /** An answer whose body is read by somebody else. */
  async #streamed(request: WireRequest, attempts: Attempts, abroad = false): Promise<OpenAnswer> {
    const reply = await this.#answered(request, attempts, abroad)
    reply.trace.answered(reply.status, reply.headers)
    return reply
  }
}

/**
 * A client for one instance and one credential. Nothing is connected, and no library loaded,
 * before the first request.
 * @param clock time and chance; tests give their own
 * @throws Failure `usage` for a base URL that is none
 */
export const createClient = (options: ClientOptions, clock: Timing = systemTiming): Client =>
  new HttpClient({ ...options, baseUrl: normalizeBaseUrl(options.baseUrl) }, clock)

// A form on its way to an address of its own: the one request that the room of profiles needs.

/** How a form is sent, by whom, and how long its answer is waited for. */
export interface FormOptions extends Pick<ClientOptions, 'userAgent' | 'signal'> {
  readonly transport?: Transport
  /** Seconds. */
  readonly timeout: number
}

/**
 * Sends the form of an OAuth refresh, once; whatever answer comes is given back. Nothing of it is told.
 * @throws Failure where none came
 */
export const postForm = async (
  url: string,
  form: Readonly<Record<string, string>>,
  way: FormOptions,
): Promise<{ status: number; body: unknown }> => {
  const client = await createClient({ ...way, baseUrl: new URL(url).origin, retries: 0 })
  try {
    const whole = await client.call({
      method: 'POST',
      path: url,
      absolute: true,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
      opaque: true,
    })
    return { status: whole.status, body: whole.data }
  } catch (error) {
    if (error instanceof Failure && error.details.status !== undefined)
      return { status: error.details.status, body: { error: error.details.code } }
    throw error
  } finally {
    await client.close()
  }
}

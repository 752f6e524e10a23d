/**
 * Provides the HTTP client, which builds, authenticates, sends and retries requests and follows pages. Each call, stream or list ends in an
 * answer or a Failure.
 */
import { normalizeBaseUrl } from '../base/base-url.js'
import { makeWellFormed, viewBytes } from '../base/bytes.js'
import { MalformedJson } from '../base/json/json.js'
import { checkJson } from '../base/json/scan.js'
import { parseOauthError } from '../base/oauth-errors.js'
import { redactError } from '../base/secrets/redact.js'
import { Failure } from '../errors.js'
import { readSome, readWhole } from './answers/body.js'
import { describePage, isMaintenance, toFailure } from './answers/failure.js'
import { createUnusableAnswerFailure, isPage, markUnknownOutcome } from './answers/network.js'
import { maskAddressSecrets } from './answers/secrets.js'
import { readHeader } from './headers.js'
import { listRecords } from './lists/list.js'
import type { Pages } from './lists/prefetch.js'
import { Attempts, isSafe } from './sending/attempts.js'
import { Connections } from './sending/connections.js'
import type { OpenAnswer } from './sending/exchange.js'
import { Wire } from './sending/wire.js'
import { formatStatus, gatewayStatuses, isSuccess } from './status.js'
import type {
  Answer,
  AnswerHead,
  AnswerHeaders,
  Batch,
  CallOptions,
  Client,
  ClientOptions,
  ListEnd,
  ListOptions,
  NextStep,
  Transport,
  WholeAnswer,
  WireRequest,
} from './types.js'

export { toCurl } from './request/curl.js'
export { buildRequest, getPathNames } from './request/request.js'

// Whole answers: their JSON, or a Failure that describes the unexpected body.

const jsonHint = 'Check the base URL and any proxy in front of the instance.'

const mediaType = /^[\w.+-]{1,40}\/[\w.+-]{1,60}/

/** Returns the media type that an answer claims, if it is a valid one. */
const getMediaType = ({ headers }: OpenAnswer): string | undefined =>
  mediaType.exec(readHeader(headers, 'content-type') ?? '')?.[0]

/** JSON bodies that are not a list, by their beginning. */
const kinds = [
  ['an object', /^\s*\{/],
  ['a single value', /^\s*(?:"|-?\d|(?:true|false|null)\s*$)/],
] as const

/** Describes a body that is not the expected JSON. Its text is not repeated, since it may contain anything. */
const describeBody = (reply: OpenAnswer, bytes: Uint8Array): readonly [string, NextStep] => {
  const text = new TextDecoder().decode(bytes.subarray(0, 64 * 1024))
  if (isPage(text)) return [describePage(text), { code: 'no-instance' }]
  if (text.trim() === '') return [`nothing (${reply.status})`, jsonHint]
  const type = getMediaType(reply)
  const kind = kinds.find(([, begins]) => begins.test(text))?.[0] ?? 'something else'
  return [`${kind}${type === undefined ? '' : ` (${type})`}`, jsonHint]
}

/**
 * Creates the Failure for an answer that is not the expected JSON.
 * @param why the problem of JSON that began correctly; empty for any other body
 */
const createNotJsonFailure = (reply: OpenAnswer, bytes: Uint8Array, why = ''): Failure => {
  const [what, hint] = describeBody(reply, bytes)
  const wanted = /^an object|^a single/.test(what) ? 'a JSON list' : 'JSON'
  const failure =
    why === ''
      ? createUnusableAnswerFailure(
          `expected ${wanted} from the instance, but it sent ${what}`,
          reply.label,
          hint,
          { lacks: 'form' },
        )
      : createUnusableAnswerFailure(`the response ${why}`, reply.label, jsonHint)
  return isSafe(reply.method) ? failure : markUnknownOutcome(failure)
}

/** True if a body begins with `"`, `[` or `{`. Otherwise the failure describes what arrived instead of JSON. */
const canBeJson = (bytes: Uint8Array): boolean => {
  const first = bytes.findIndex((byte) => byte > 0x20)
  return [0x22, 0x5b, 0x7b].includes(bytes[first] ?? 0)
}

/** True if an answer declares a type that is neither JSON nor an HTML page. */
const isOtherType = (reply: OpenAnswer): boolean => !/json|html|^$/.test(getMediaType(reply) ?? '')

/**
 * An answer whose data is parsed on first access, so that an answer that is only passed on is held once. It is a class, since V8 keeps an
 * object literal with a getter, and all that the getter reads, until it collects the whole memory.
 */
class JsonAnswer implements WholeAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly #translate: ClientOptions['translate']
  #parsed: { readonly data: unknown } | undefined

  constructor(
    { status, headers }: AnswerHead,
    readonly bytes: Uint8Array,
    translate: ClientOptions['translate'],
  ) {
    this.status = status
    this.headers = headers
    this.#translate = translate
  }

  get data(): unknown {
    if (this.#parsed === undefined) {
      const data: unknown = JSON.parse(viewBytes(this.bytes).toString())
      this.#parsed = { data: this.#translate === undefined ? data : this.#translate(data) }
    }
    return this.#parsed.data
  }
}

/**
 * Converts a received response to the answer of a call; `data` is undefined without a body.
 * @throws Failure `unreachable` if the body is not JSON, or exceeds the limits (`bounds`)
 */
const toWholeAnswer = (
  reply: OpenAnswer,
  bytes: Uint8Array,
  translate: ClientOptions['translate'],
): WholeAnswer => {
  const { status, headers, method } = reply
  const hasNoBody = status === 204 || status === 304 || method === 'HEAD'
  if (hasNoBody || (bytes.length === 0 && !isSafe(method)))
    return { status, headers, bytes: new Uint8Array(), data: undefined }
  try {
    checkJson(bytes)
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw createNotJsonFailure(reply, bytes, canBeJson(bytes) ? error.message : '')
  }
  return new JsonAnswer(reply, makeWellFormed(bytes), translate)
}

// Opaque answers, which contain tokens. Messages show only their status and a registered OAuth error code.

/** Returns the failure to which `markUnknownOutcome` added details. */
const findOriginalFailure = (failure: Failure): Failure =>
  failure.details.cause instanceof Failure ? findOriginalFailure(failure.details.cause) : failure

/** Removes the content of the answer from a failure; network errors stay as they are. */
const makeOpaque = (error: unknown): unknown => {
  if (!(error instanceof Failure)) return error
  const { status, request, unknownOutcome } = error.details
  const isNetworkFailure =
    findOriginalFailure(error).details.cause !== undefined ||
    ['internal', 'interrupted', 'usage'].includes(error.category)
  if (status === undefined && isNetworkFailure) return error
  const code = parseOauthError(error.details.code)
  const why =
    status === undefined
      ? 'the response is invalid'
      : [formatStatus(status), code].filter((text) => text !== undefined).join(': ')
  return new Failure(error.category, why, {
    status,
    request,
    code,
    unknownOutcome,
  })
}

/** Creates the function that removes from an error every secret that was sent, and the content of answers that must stay opaque. */
const createErrorRedactor =
  ({ opaque }: WireRequest) =>
  (error: unknown): never => {
    throw redactError(opaque === true ? makeOpaque(error) : error)
  }

const deletedHint =
  'An earlier attempt may have deleted it, although no response arrived. Check before you try again.'

/** Reads the body of an answer that refuses the request. @returns its Failure */
const readRefusal = async (reply: OpenAnswer, attempts: Attempts): Promise<Failure> => {
  const bytes = reply.read ?? (await readSome(reply.body))
  reply.trace.reportAnswer(reply.status, reply.headers, bytes)
  const { status, headers, label, author, method } = reply
  const failure = toFailure({ status, headers, body: bytes, request: label, author })
  if (gatewayStatuses.has(status) && !isSafe(method) && !isMaintenance(status, bytes, 'instance'))
    return markUnknownOutcome(failure)
  if ((status === 404 || status === 410) && method === 'DELETE' && attempts.made > 0)
    return failure.with({ unknownOutcome: true, hint: deletedHint })
  return failure
}

/** Returns a signal that is aborted with the first of two. */
const joinSignals = (one: AbortSignal, other: AbortSignal | undefined): AbortSignal =>
  other === undefined ? one : AbortSignal.any([one, other])

/** A client of one instance and one credential. Each request is sent until its answer is final. */
class HttpClient implements Client {
  /** Interrupts all requests: with the run, or when the client is closed. */
  readonly #signal: AbortSignal
  readonly #connections: Connections
  readonly #wire: Wire
  readonly #closed = new AbortController()

  constructor(private readonly options: ClientOptions) {
    this.#signal = joinSignals(this.#closed.signal, options.signal)
    this.#connections = new Connections(options)
    this.#wire = new Wire(options, this.#connections)
  }

  open(request: WireRequest): Promise<Answer> {
    return this.#openAnswer(request).catch(createErrorRedactor(request))
  }

  call(request: WireRequest): Promise<WholeAnswer> {
    return this.#callWithRetries(request).catch(createErrorRedactor(request))
  }

  list(request: WireRequest, listing: ListOptions): AsyncGenerator<Batch, ListEnd> {
    this.#checkReadOnly(request)
    const { mapError = (error) => error } = listing
    const options = { ...listing, mapError: (error: unknown) => mapError(redactError(error)) }
    return listRecords(this.#createPageServices(request), request, options)
  }

  /** Closes the connections. Requests under way are interrupted and not tried again. */
  close(): Promise<void> {
    this.#closed.abort()
    return this.#connections.close()
  }

  /** Refuses a request that may write if the client is read-only, since its caller is wrong about what it does. */
  #checkReadOnly({ method, path }: WireRequest): void {
    const { readOnly = false, readsBy } = this.options
    if (!readOnly || isSafe(method) || method === readsBy) return
    const what = `${method} ${maskAddressSecrets(path)}`
    throw new Failure('internal', `this command is read-only but was about to send ${what}`)
  }

  /** Returns the services that a list needs; every page is requested with the options of the first one. */
  #createPageServices({ how }: WireRequest): Pages {
    return {
      root: this.#wire.root,
      note: (text) => this.options.note?.(text, 'verbose'),
      warn: (text) => this.options.note?.(text, 'info'),
      open: (request, attempts) => this.#openStream({ ...request, how }, attempts),
      createAttempts: () => this.#createAttempts(how),
      getWidth: () => this.options.gate?.width,
      createWrongBodyFailure: createNotJsonFailure,
    }
  }

  async #openAnswer(request: WireRequest): Promise<Answer> {
    this.#checkReadOnly(request)
    const reply = await this.#openStream(request, this.#createAttempts(request.how), true)
    const { status, headers, label, body, cancel } = reply
    const url = label.slice(label.indexOf(' ') + 1)
    return { status, headers, url, body: body.withoutTimeLimit(), cancel }
  }

  async #callWithRetries(request: WireRequest): Promise<WholeAnswer> {
    this.#checkReadOnly(request)
    const attempts = this.#createAttempts(request.how)
    for (;;) {
      const reply = await this.#sendUntilAnswer(request, attempts)
      try {
        const bytes = await readWhole(reply.body, reply.label)
        reply.trace.reportAnswer(reply.status, reply.headers, bytes)
        const { status, headers } = reply
        if (request.how?.anyType === true && isOtherType(reply))
          return { status, headers, bytes, data: undefined }
        return toWholeAnswer(reply, bytes, this.options.translate)
      } catch (error) {
        if (error instanceof Error) reply.trace.reportFailure(error)
        await attempts.pauseAfterLoss(error, reply.method)
      }
    }
  }

  #createAttempts(options: CallOptions = {}): Attempts {
    const { note = () => {} } = this.options
    const { retries = this.options.retries, signal } = options
    const limits = { retries, refusals: options.retries ?? this.options.refusals ?? retries }
    return new Attempts(limits, this.options.clock, note, joinSignals(this.#signal, signal))
  }

  async #sendUntilAnswer(
    request: WireRequest,
    attempts: Attempts,
    allowForeignRedirects = false,
  ): Promise<OpenAnswer> {
    const reply = await this.#wire.send(request, attempts, allowForeignRedirects)
    if (!isSuccess(reply.status)) throw await readRefusal(reply, attempts)
    return reply
  }

  /** Returns an answer whose body the caller reads. */
  async #openStream(
    request: WireRequest,
    attempts: Attempts,
    allowForeignRedirects = false,
  ): Promise<OpenAnswer> {
    const reply = await this.#sendUntilAnswer(request, attempts, allowForeignRedirects)
    reply.trace.reportAnswer(reply.status, reply.headers)
    return reply
  }
}

/**
 * Creates a client for one instance and one credential. Until the first request, it opens no connection and loads no library.
 * @throws Failure `usage` for an invalid base URL
 */
export const createClient = (options: ClientOptions): Client =>
  new HttpClient({ ...options, baseUrl: normalizeBaseUrl(options.baseUrl) })

// The OAuth refresh, which sends a form to an address of its own. Profiles use only this request.

/** The options of sending a form: transport, user agent and time-out. */
export interface FormOptions extends Pick<ClientOptions, 'clock' | 'userAgent' | 'signal'> {
  readonly transport?: Transport
  /** The time-out in seconds. */
  readonly timeout: number
}

/**
 * Sends the form of an OAuth refresh, once, and returns the answer of any status. Its content never appears in messages.
 * @throws Failure if no answer came
 */
export const postForm = async (
  url: string,
  form: Readonly<Record<string, string>>,
  options: FormOptions,
): Promise<{ status: number; body: unknown }> => {
  const client = createClient({ ...options, baseUrl: new URL(url).origin, retries: 0 })
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

/**
 * Performs one exchange on undici's dispatcher: it sends a request, receives headers and a paced body, and reports the whole to a trace.
 */

import type { Dispatcher } from 'undici'
import { getCurrentIo } from '../../base/io.js'
import { redactSecrets } from '../../base/secrets/redact.js'
import { Failure } from '../../errors.js'
import type { TimedBody } from '../answers/body.js'
import { LostRequest, markUnknownOutcome, toLostRequest, toOneLine } from '../answers/network.js'
import { maskAddressSecrets, maskBody, maskHeaders } from '../answers/secrets.js'
import { readHeader } from '../headers.js'
import type { RequestTarget } from '../request/address.js'
import type { AnswerHead, AnswerHeaders, ClientOptions, Exchange, OnInterrupt } from '../types.js'
import { createInterrupted, isSafe } from './attempts.js'

type Controller = Dispatcher.DispatchController

/** The number of unread bytes of a body at which the connection is paused. */
const highWater = 1 << 19
/** The maximum number of informational answers (1xx) before the real one. A server that sends more never answers. */
const maxInformational = 20

export interface OutgoingRequest {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Method and address without credentials. */
  readonly label: string
  /** The time-out in milliseconds for the headers, and for each further piece of the body; 0 for no limit. */
  readonly timeout: number
}

/** A body as it arrives: it is read in order, and the connection pauses while the reader does not read. */
class Body implements AsyncIterableIterator<Uint8Array> {
  #chunks: Uint8Array[] = []
  #held = 0
  #ended = false
  #failure: Error | undefined
  #wake: (() => void) | undefined

  constructor(private readonly controller: Controller) {}

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    if (this.#held > highWater) this.controller.pause()
    this.#notify()
  }

  end(failure?: Error): void {
    this.#ended = true
    this.#failure ??= failure
    this.#notify()
  }

  /** Stops reading. The connection is closed unless the body has ended. */
  cancel(reason: Error = new Error('cancelled')): void {
    if (!this.#ended) this.controller.abort(reason)
    this.#chunks = []
    this.#ended = true
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        this.#held -= chunk.length
        if (this.#held <= highWater / 2) this.controller.resume()
        return { done: false, value: chunk }
      }
      if (this.#failure !== undefined) throw this.#failure
      if (this.#ended) {
        // After one turn of the event loop, undici has the connection ready for the next request.
        await new Promise((resolve) => setImmediate(resolve))
        return { done: true, value: undefined }
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.cancel()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #notify(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}

export interface IncomingAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Body
}

/** The handler of undici's events for one request, which become a promise of headers and a body. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  #controller: Controller | undefined
  #sent = false
  #informational = 0
  #body: Body | undefined
  #stopped: Error | undefined
  readonly #forget: () => void

  constructor(
    private readonly outgoing: OutgoingRequest,
    onInterrupt: OnInterrupt,
    private readonly resolve: (incoming: IncomingAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.#forget = onInterrupt(() => this.#abort(this.#createInterruption()))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#stopped === undefined) this.#sent = true
    else controller.abort(this.#stopped)
  }

  onResponseStart(controller: Controller, status: number, headers: AnswerHeaders): void {
    if (status < 200) {
      this.#informational += 1
      if (this.#informational > maxInformational)
        controller.abort(this.#createLost(new Error('it only ever announces an answer')))
      return
    }
    this.#body = new Body(controller)
    this.resolve({ status, headers, body: this.#body })
  }

  onResponseData(_controller: Controller, chunk: Uint8Array): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#forget()
    this.#body?.end()
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    this.#forget()
    const failure = this.#stopped ?? this.#createLost(error)
    this.#body?.end(failure)
    this.reject(failure)
  }

  #createLost(error: Error): LostRequest {
    return toLostRequest(error, this.outgoing.label, this.#sent, this.#body !== undefined)
  }

  #createInterruption(): Failure {
    const { method, label } = this.outgoing
    return this.#sent && !isSafe(method)
      ? markUnknownOutcome(createInterrupted(label))
      : createInterrupted()
  }

  #abort(reason: Error): void {
    this.#stopped = reason
    this.reject(reason)
    this.#body?.end(reason)
    this.#controller?.abort(reason)
  }
}

/** Sends a request and resolves with its headers; the body follows. @throws LostRequest if no answer came; Failure `interrupted` */
export const sendRequest = (
  dispatcher: Dispatcher,
  outgoing: OutgoingRequest,
  onInterrupt: OnInterrupt,
): Promise<IncomingAnswer> =>
  new Promise((resolve, reject) => {
    const { origin, path, method, headers, body, timeout } = outgoing
    dispatcher.dispatch(
      {
        origin,
        path,
        method,
        headers: { ...headers },
        body: body ?? null,
        headersTimeout: timeout,
        bodyTimeout: timeout,
      },
      new ResponseHandler(outgoing, onInterrupt, resolve, reject),
    )
  })

/** An answer of any status whose body is still unread. */
export interface OpenAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** The address that the answer came from, after redirects. */
  readonly target: RequestTarget
  /** The method and address of the request, without credentials. */
  readonly label: string
  readonly method: string
  readonly body: TimedBody
  /** The beginning of the body, if it was read already. */
  readonly read?: Uint8Array
  /** Stops reading the body. */
  readonly cancel: () => void
  readonly signedIn: boolean
  readonly trace: Trace
  /** The verdict of the gate, if the request passed one: the request may be sent again, or the answer stands. */
  readonly gate?: 'again' | 'stands'
}

// The trace of an exchange for `-v` and the audit log, without secrets.

/** Reports an exchange once, when its outcome is known. */
export interface Trace {
  reportAnswer(status: number, headers: AnswerHeaders, body?: Uint8Array): void
  reportFailure(error: Error): void
}

const isNeverSent = (error: Error): boolean =>
  error instanceof LostRequest
    ? !error.sent
    : error instanceof Failure &&
      error.category === 'interrupted' &&
      error.details.unknownOutcome !== true

const noTrace: Trace = { reportAnswer: () => {}, reportFailure: () => {} }

const maskRequestBody = (
  body: OutgoingRequest['body'],
  secrets: ReadonlySet<string> | undefined,
): string | undefined =>
  typeof body === 'string' ? maskBody(body, secrets) : body && `(${body.length} bytes)`

const redactHeaders = (headers: AnswerHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(maskHeaders(headers)).map(([k, v]) => [redactSecrets(k), redactSecrets(v)]),
  )

/** A request whose outcome is known, after so many milliseconds, and the names that are secret in it. */
interface TracedRequest {
  readonly outgoing: OutgoingRequest
  readonly secrets: ReadonlySet<string> | undefined
  readonly milliseconds: number
}

const redactUrl = ({ outgoing: { origin, path } }: TracedRequest): string =>
  redactSecrets(maskAddressSecrets(`${origin}${path}`))

const redactSudo = ({ outgoing: { headers } }: TracedRequest): string | undefined =>
  redactHeaders({ sudo: headers.sudo }).sudo

const redactRequestBody = ({ outgoing, secrets }: TracedRequest): string | undefined => {
  const sent = maskRequestBody(outgoing.body, secrets)
  return sent && redactSecrets(sent)
}

/**
 * An exchange with an answer. Its texts are made on access, since each is searched for secrets, and most readers want few of them. It is a
 * class for the reason of `JsonAnswer`.
 */
class AnsweredExchange implements Exchange {
  readonly method: string
  readonly milliseconds: number
  readonly status: number
  readonly #traced: TracedRequest
  readonly #headers: AnswerHeaders
  readonly #answer: Uint8Array | undefined

  constructor(traced: TracedRequest, { status, headers }: AnswerHead, answer?: Uint8Array) {
    this.method = traced.outgoing.method
    this.milliseconds = traced.milliseconds
    this.status = status
    this.#traced = traced
    this.#headers = headers
    this.#answer = answer
  }

  get url(): string {
    return redactUrl(this.#traced)
  }

  get requestHeaders(): Record<string, string> {
    return redactHeaders(this.#traced.outgoing.headers)
  }

  get sudo(): string | undefined {
    return redactSudo(this.#traced)
  }

  get requestBody(): string | undefined {
    return redactRequestBody(this.#traced)
  }

  get responseHeaders(): Record<string, string> {
    return redactHeaders(this.#headers)
  }

  get requestId(): string | undefined {
    const id = readHeader(this.#headers, 'x-request-id')
    return id && redactSecrets(toOneLine(id))
  }

  get responseBody(): string | undefined {
    const shown =
      this.#answer && maskBody(Buffer.from(this.#answer).toString(), this.#traced.secrets)
    return shown && redactSecrets(shown)
  }
}

const createFailedExchange = (traced: TracedRequest, error: Error): Exchange => ({
  method: traced.outgoing.method,
  url: redactUrl(traced),
  requestHeaders: redactHeaders(traced.outgoing.headers),
  sudo: redactSudo(traced),
  get requestBody() {
    return redactRequestBody(traced)
  },
  milliseconds: traced.milliseconds,
  error: redactSecrets(toOneLine(error.message)),
  ...(isNeverSent(error) ? { sent: false } : {}),
})

/**
 * Starts the trace of a request.
 * @param secrets names of attributes and fields that are secret, in addition to names that look like secrets
 */
export const startTrace = (
  report: ClientOptions['trace'],
  outgoing: OutgoingRequest,
  secrets?: ReadonlySet<string>,
): Trace => {
  if (report === undefined) return noTrace
  const started = getCurrentIo().uptime()
  let reported = false
  const reportOnce = (createReport: (traced: TracedRequest) => Exchange): void => {
    if (reported) return
    reported = true
    const milliseconds = Math.round(getCurrentIo().uptime() - started)
    report(createReport({ outgoing, secrets, milliseconds }))
  }
  return {
    reportAnswer: (status, headers, answer) =>
      reportOnce((traced) => new AnsweredExchange(traced, { status, headers }, answer)),
    reportFailure: (error) => reportOnce((traced) => createFailedExchange(traced, error)),
  }
}

/**
 * Performs one exchange on undici's dispatcher: it sends a request, receives headers and a paced body, and reports the whole to a trace.
 */

import type { Dispatcher } from 'undici'
import { callOnAbort } from '../../base/async.js'
import { redactSecrets } from '../../base/secrets/redact.js'
import { Failure } from '../../errors.js'
import type { TimedBody } from '../answers/body.js'
import { LostRequest, markUnknownOutcome, toLostRequest, toOneLine } from '../answers/network.js'
import { maskAddressSecrets, maskBody, maskHeaders } from '../answers/secrets.js'
import { type RequestAuthor, readHeader } from '../headers.js'
import type { RequestTarget } from '../request/address.js'
import type { AnswerHeaders, ClientOptions, Exchange } from '../types.js'
import { createInterrupted, isSafe } from './attempts.js'

type Controller = Dispatcher.DispatchController

/** The number of unread bytes of a body at which the connection is paused. */
const highWater = 1 << 20
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
  cancel(): void {
    if (!this.#ended) this.controller.abort(new Error('cancelled'))
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
      if (this.#ended) return this.#close()
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

  /** Waits for one turn of the event loop, after which undici has the connection ready for the next request. */
  async #close(): Promise<IteratorResult<Uint8Array, undefined>> {
    await new Promise((resolve) => setImmediate(resolve))
    return { done: true, value: undefined }
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
    signal: AbortSignal,
    private readonly resolve: (incoming: IncomingAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.#forget = callOnAbort(signal, () => this.#abort(this.#createInterruption()))
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
  signal: AbortSignal,
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
      new ResponseHandler(outgoing, signal, resolve, reject),
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
  readonly author: RequestAuthor
  readonly trace: Trace
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

const redactHeaders = (headers: AnswerHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(maskHeaders(headers)).map(([k, v]) => [redactSecrets(k), redactSecrets(v)]),
  )

/** The outcome of a request: an answer, with the body that was read of it, or an error. */
interface TracedOutcome {
  readonly answer?: Pick<IncomingAnswer, 'status' | 'headers'>
  readonly body?: Uint8Array | undefined
  readonly error?: Error
}

/** An exchange. Its texts are made on access, since each is searched for secrets, and most readers want few of them. */
class TracedExchange implements Exchange {
  readonly method: string
  readonly status: number | undefined
  readonly sent: false | undefined
  readonly #outgoing: OutgoingRequest
  readonly #secrets: ReadonlySet<string> | undefined
  readonly #outcome: TracedOutcome

  /** @param secrets the names that are secret in the request and its answer */
  constructor(
    outgoing: OutgoingRequest,
    secrets: ReadonlySet<string> | undefined,
    readonly milliseconds: number,
    outcome: TracedOutcome,
  ) {
    this.method = outgoing.method
    this.status = outcome.answer?.status
    this.sent = outcome.error !== undefined && isNeverSent(outcome.error) ? false : undefined
    this.#outgoing = outgoing
    this.#secrets = secrets
    this.#outcome = outcome
  }

  get url(): string {
    const { origin, path } = this.#outgoing
    return redactSecrets(maskAddressSecrets(`${origin}${path}`))
  }

  get requestHeaders(): Exchange['requestHeaders'] {
    return redactHeaders(this.#outgoing.headers)
  }

  get sudo(): string | undefined {
    return redactHeaders({ sudo: this.#outgoing.headers.sudo }).sudo
  }

  get requestBody(): string | undefined {
    const { body } = this.#outgoing
    const sent =
      typeof body === 'string' ? maskBody(body, this.#secrets) : body && `(${body.length} bytes)`
    return sent && redactSecrets(sent)
  }

  get responseHeaders(): Exchange['responseHeaders'] {
    return this.#outcome.answer && redactHeaders(this.#outcome.answer.headers)
  }

  get requestId(): string | undefined {
    const id = readHeader(this.#outcome.answer?.headers ?? {}, 'x-request-id')
    return id && redactSecrets(toOneLine(id))
  }

  get responseBody(): string | undefined {
    const { body } = this.#outcome
    const shown = body && maskBody(Buffer.from(body).toString(), this.#secrets)
    return shown && redactSecrets(shown)
  }

  get error(): string | undefined {
    return this.#outcome.error && redactSecrets(toOneLine(this.#outcome.error.message))
  }
}

/**
 * Starts the trace of a request.
 * @param secrets names of attributes and fields that are secret, in addition to names that look like secrets
 */
export const startTrace = (
  { trace: report, clock }: Pick<ClientOptions, 'clock' | 'trace'>,
  outgoing: OutgoingRequest,
  secrets?: ReadonlySet<string>,
): Trace => {
  if (report === undefined) return noTrace
  const started = clock.uptime()
  let reported = false
  const reportOnce = (outcome: TracedOutcome): void => {
    if (reported) return
    reported = true
    const milliseconds = Math.round(clock.uptime() - started)
    report(new TracedExchange(outgoing, secrets, milliseconds, outcome))
  }
  return {
    reportAnswer: (status, headers, body) => reportOnce({ answer: { status, headers }, body }),
    reportFailure: (error) => reportOnce({ error }),
  }
}

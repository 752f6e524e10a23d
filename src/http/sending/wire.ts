/** Sends requests with credentials, redirects and retries, and returns answers of any status. */
import { recordSecret } from '../../base/secrets/redact.js'
import { trimTrailingSlashes } from '../../base/text.js'
import { readHeaders } from '../../catalogue/documented-names.js'
import { Failure, isInterruption, usage } from '../../errors.js'
import { decodeBody, readSome, TimedBody } from '../answers/body.js'
import { isMaintenance } from '../answers/failure.js'
import { getLoss } from '../answers/network.js'
import { createMovedStep } from '../answers/request-path.js'
import { findSecretTexts, maskAddressSecrets } from '../answers/secrets.js'
import {
  buildHeaders,
  getAuthor,
  getRequestedWait,
  readHeader,
  selectHarmlessHeaders,
} from '../headers.js'
import { isTurnedAway } from '../pace.js'
import {
  formatAddress,
  formatRequestLabel,
  getApiRoot,
  parseAddress,
  type RequestTarget,
} from '../request/address.js'
import { closingTexts, gatewayStatuses, redirectStatuses } from '../status.js'
import {
  type AnswerHeaders,
  type ClientOptions,
  type Credential,
  type HeaderNames,
  type NextStep,
  toDetails,
  type WireRequest,
} from '../types.js'
import { type Attempts, isIdempotent, isSafe, longestWait } from './attempts.js'
import type { Connections } from './connections.js'
import { type OpenAnswer, type OutgoingRequest, sendRequest, startTrace } from './exchange.js'

// Redirects: which ones are followed, and the failures of the others.

const maxRedirects = 5

const createRefusal = (reply: OpenAnswer, message: string, next: NextStep): Failure =>
  new Failure('failed', `${reply.status}: ${message}`, {
    status: reply.status,
    request: reply.label,
    ...toDetails(next),
  })

/** Returns the base URL that an address of the API implies; undefined for any other address. */
const getBaseUrl = ({ origin, path }: RequestTarget): string | undefined => {
  const [, prefix] = /^([^?]*)\/api\/v4\/[^?]/.exec(path) ?? []
  return prefix === undefined ? undefined : `${origin}${prefix}`
}

const suggestBaseUrl = (next: RequestTarget, { target }: OpenAnswer): NextStep => {
  const base = getBaseUrl(next)
  if (base === undefined)
    return 'If the instance has moved there, use its address as the base URL. It may also be the sign-in page of a proxy.'
  return base === getBaseUrl(target)
    ? 'The base URL is right. Tell the administrators of the instance, or of the proxy in front of it.'
    : `Use the base URL ${base}.`
}

/** Creates the failure of a redirect to another origin: its data must not pass for the instance's, and no credential goes there. */
const createForeignRedirect = (reply: OpenAnswer, next: RequestTarget): Failure => {
  const where = getBaseUrl(next) ?? maskAddressSecrets(formatAddress(next))
  const [from, to] = [new URL(reply.target.origin), new URL(next.origin)]
  const words =
    from.hostname !== to.hostname
      ? `another host, ${where}`
      : from.protocol === to.protocol
        ? where
        : `https (${where})`
  return createRefusal(
    reply,
    `it redirects to ${words}, which was not contacted`,
    suggestBaseUrl(next, reply),
  )
}

/**
 * Resolves the target of a redirect. Only reads follow redirects, since following would turn a write into a read.
 * @param root the API of the instance; a redirect within it may mean that a project has moved
 * @throws Failure `failed` for a redirect that is not followed
 */
const resolveRedirect = (
  reply: OpenAnswer,
  location: string,
  hops: number,
  root: RequestTarget,
): RequestTarget => {
  const { method, target } = reply
  const from = formatAddress(target)
  const next = URL.canParse(location, from) ? new URL(location, from) : undefined
  if (next === undefined || !/^https?:$/.test(next.protocol))
    throw createRefusal(reply, 'it redirects to an invalid URL', 'Check the base URL.')
  const shown = maskAddressSecrets(next.href)
  const nextAddress = parseAddress(next.href)
  if (!isSafe(method)) {
    const within =
      nextAddress.origin === root.origin && nextAddress.path.startsWith(`${root.path}/projects/`)
    throw createRefusal(
      reply,
      `it redirects to ${shown}, and redirects of a ${method} are not followed`,
      within ? createMovedStep(reply.label) : suggestBaseUrl(nextAddress, reply),
    )
  }
  if (target.origin.startsWith('https:') && next.protocol === 'http:')
    throw createRefusal(
      reply,
      `it redirects from https to http (${shown}), which is not secure`,
      'Tell the administrators of the instance. Its external URL should use https.',
    )
  if (hops >= maxRedirects)
    throw createRefusal(
      reply,
      `too many redirects, the last one to ${shown}`,
      'Check the base URL.',
    )
  return nextAddress
}

// Headers of instances that use other names than the documents.

/** Adds the documented names of headers. If both came, the header with the instance's own name takes precedence. */
const addDocumentedNames = (headers: AnswerHeaders, { toOwn }: HeaderNames): AnswerHeaders => {
  const found = readHeaders.flatMap((name) => {
    const own = toOwn(name)
    const value = own === name ? undefined : headers[own]
    return value === undefined ? [] : [[name, value] as const]
  })
  return found.length === 0 ? headers : { ...headers, ...Object.fromEntries(found) }
}

const discard = async (reply: OpenAnswer): Promise<void> => {
  reply.trace.reportAnswer(reply.status, reply.headers)
  await readSome(reply.body)
}

export class Wire {
  /** The API root of the instance. */
  readonly root: RequestTarget
  /** The path of the instance, with a slash at its end. */
  readonly #home: string
  #credential: Credential | undefined
  #renewal: Promise<Credential | undefined> | undefined

  constructor(
    private readonly options: ClientOptions,
    private readonly connections: Connections,
  ) {
    this.root = getApiRoot(options.baseUrl)
    this.#home = `${trimTrailingSlashes(new URL(options.baseUrl).pathname)}/`
    this.#credential = options.credential
  }

  /**
   * Sends a request until its answer is final, or no attempts are left.
   * @param mayLeave true if a redirect may lead to another origin, as for downloads; no credential or identity is sent there
   * @throws Failure `unreachable` without an answer, `rate_limited` if the requested wait is too long, `failed` for a redirect that is not
   * followed, `interrupted`
   */
  async send(request: WireRequest, attempts: Attempts, mayLeave = false): Promise<OpenAnswer> {
    let renewed = false
    for (;;) {
      const used = this.#credential
      const reply = await this.#followRedirects(request, attempts, mayLeave).catch(
        (error: unknown) => attempts.pauseAfterLoss(error, request.method),
      )
      // The request was lost, and is sent again after the pause.
      if (reply === undefined) continue
      if (reply.status === 401 && !renewed && reply.author !== 'nobody') {
        renewed = true
        if (await this.#renewCredential(used)) {
          await discard(reply)
          continue
        }
      }
      if (attempts.verdict === 'again' && (reply.status === 429 || isIdempotent(reply.method))) {
        await discard(reply)
        continue
      }
      const wait = this.#getRetryWait(reply, attempts)
      if (wait === undefined) return reply
      const read = await readSome(reply.body)
      if (wait.asked === undefined && isMaintenance(reply.status, read)) return { ...reply, read }
      reply.trace.reportAnswer(reply.status, reply.headers)
      const why = reply.status === 429 ? closingTexts[429].reason : `answered ${reply.status}`
      await attempts.pause(reply.label, why, wait.asked)
    }
  }

  /** Returns the wait before another attempt; undefined if the answer stands. */
  #getRetryWait(reply: OpenAnswer, attempts: Attempts): { readonly asked?: number } | undefined {
    const { status, headers, method } = reply
    // The gate waits by itself if the instance turns requests away.
    if (attempts.verdict !== undefined && isTurnedAway(reply, this.options.clock.now()))
      return undefined
    const again = status === 429 || (gatewayStatuses.has(status) && isIdempotent(method))
    if (!again || attempts.left === 0) return undefined
    const wait = getRequestedWait(
      status,
      (name) => readHeader(headers, name),
      this.options.clock.now(),
    )
    if (wait === undefined) return {}
    return wait > longestWait ? undefined : { asked: wait }
  }

  /** Renews the credential. @returns true if there is another credential than the one that was used */
  async #renewCredential(used: Credential | undefined): Promise<boolean> {
    if (this.#credential !== used) return true
    this.#renewal ??= (this.options.renew?.() ?? Promise.resolve(undefined)).finally(() => {
      this.#renewal = undefined
    })
    const fresh = await this.#renewal
    if (fresh !== undefined && this.#credential === used) this.#credential = fresh
    return this.#credential !== used
  }

  async #followRedirects(
    request: WireRequest,
    attempts: Attempts,
    allowForeignRedirects: boolean,
  ): Promise<OpenAnswer> {
    let target = this.#createTarget(request)
    let headers = this.#createHeaders(request, target)
    for (let hops = 0; ; hops++) {
      const reply = await this.#sendThroughGate(request, target, headers, attempts)
      const location = readHeader(reply.headers, 'location')
      if (!redirectStatuses.has(reply.status) || location === undefined) return reply
      // The answer is traced first, so that the audit log contains refused redirects, too.
      await discard(reply)
      const next = resolveRedirect(reply, location, hops, this.root)
      if (!this.#isHome(next)) {
        // A download may be redirected to a storage. A redirect to the API of another instance is refused.
        if (!allowForeignRedirects || getBaseUrl(next) !== undefined)
          throw createForeignRedirect(reply, next)
        headers = selectHarmlessHeaders(headers)
      }
      target = next
    }
  }

  /** True if an address belongs to the instance: it has its origin, and is below its path. */
  #isHome({ origin, path }: RequestTarget): boolean {
    return origin === this.root.origin && `${path}/`.startsWith(this.#home)
  }

  #createTarget(request: WireRequest): RequestTarget {
    if (!request.absolute && !/^[\x21-\x7e]*$/.test(request.path))
      throw usage('the path contains invalid characters', 'Percent-encode them: a space is %20.')
    if (request.absolute === true) return parseAddress(request.path)
    return { origin: this.root.origin, path: `${this.root.path}${request.path}` }
  }

  /**
   * Builds the headers of a request. The key of an alert endpoint goes to any address; every other credential goes only to the instance.
   */
  #createHeaders(request: WireRequest, target: RequestTarget): Record<string, string> {
    const kind = this.#credential?.kind
    const isOwn = target.origin === this.root.origin
    const { sudo, userAgent, headerNames } = this.options
    return buildHeaders(request, {
      userAgent,
      credential: this.#credential,
      trusted: isOwn || kind === 'bearer' || kind === 'basic',
      sudo,
      names: isOwn ? headerNames : undefined,
    })
  }

  /** Sends a request after the gate admitted it, if it goes to the instance. */
  async #sendThroughGate(
    request: WireRequest,
    target: RequestTarget,
    headers: Readonly<Record<string, string>>,
    attempts: Attempts,
  ): Promise<OpenAnswer> {
    const gate = target.origin === this.root.origin ? this.options.gate : undefined
    const isWithheld = attempts.admission === undefined || attempts.verdict === 'again'
    attempts.verdict = undefined
    if (gate === undefined) return this.#exchange(request, target, headers, attempts)
    const admission = await gate
      .admit(attempts.signal, attempts.admission)
      .catch((error: unknown) => {
        throw isWithheld && isInterruption(error) ? error.with({ withheld: true }) : error
      })
    attempts.admission = admission
    try {
      const reply = await this.#exchange(request, target, headers, attempts)
      attempts.verdict = gate.observe(admission, reply, attempts.refusals) ? 'again' : 'stands'
      return reply
    } catch (error) {
      gate.observe(admission, { lost: getLoss(error) })
      throw error
    }
  }

  async #exchange(
    request: WireRequest,
    target: RequestTarget,
    headers: Readonly<Record<string, string>>,
    { signal }: Attempts,
  ): Promise<OpenAnswer> {
    const { method, body, secrets } = request
    const label = formatRequestLabel(method, target)
    // In milliseconds.
    const timeout = (request.how?.timeout ?? this.options.timeout) * 1000
    const { origin, path } = target
    const outgoing: OutgoingRequest = { origin, path, method, headers, label, timeout, body }
    const { headerNames } = this.options
    for (const text of findSecretTexts(request, headers)) recordSecret(text)
    if (this.#credential !== undefined) recordSecret(this.#credential.value)
    const trace = startTrace(this.options, outgoing, secrets)
    const dispatcher = await this.connections.to(origin)
    try {
      const incoming = await sendRequest(dispatcher, outgoing, signal)
      const encoding = readHeader(incoming.headers, 'content-encoding')
      const { headers: receivedHeaders } = incoming
      return {
        status: incoming.status,
        headers:
          headerNames === undefined
            ? receivedHeaders
            : addDocumentedNames(receivedHeaders, headerNames),
        target,
        label,
        method,
        body: new TimedBody(decodeBody(incoming.body, encoding, label), timeout, label),
        cancel: () => incoming.body.cancel(),
        author: getAuthor(headers),
        trace,
      }
    } catch (error) {
      if (error instanceof Error) trace.reportFailure(error)
      throw error
    }
  }
}

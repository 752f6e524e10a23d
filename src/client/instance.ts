/** The client of an instance: the endpoints of the catalogue over HTTP, typed. */
import { AsyncCache } from '../base/async.js'
import { type Endpoint, type EndpointTraits, getMethod, writes } from '../catalogue/endpoint.js'
import { makeLegible, type Words } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import { buildRequest, createClient } from '../http/index.js'
import type {
  Answer,
  Ask,
  Batch,
  CallOptions,
  Client,
  ClientOptions,
  Credential,
  ListEnd,
  ListOptions,
  ListWork,
  WholeAnswer,
  WireRequest,
} from '../http/types.js'
import {
  addPaging,
  getWaitSettings,
  largestPage,
  type Paging,
  toListOptions,
  type WaitKind,
} from './defaults.js'
import {
  type Data,
  findCredential,
  type Input,
  type InstanceOptions,
  isItem,
  type ListEndpoint,
  type RecordOf,
  type TypedAnswer,
  toTypedAnswer,
  type Work,
  type WorkMeter,
} from './types.js'

// Requests in the words of their instance.

/** @throws Failure `not_found` for an endpoint that the instance has no more */
export const refuseGone = (
  { route }: Pick<Ask['endpoint'], 'route'>,
  words: Pick<Words, 'gone'> | undefined,
): void => {
  const hint = words?.gone(route)
  if (hint !== undefined)
    throw new Failure('not_found', `the instance no longer offers ${route}`, { hint })
}

/**
 * Builds the request of an ask.
 * @param words the instance's own, if it has some
 * @throws Failure `not_found` for an endpoint that the instance no longer has, `usage` if its words make it another endpoint
 */
export const requestIn = async (ask: Ask, words: Words | undefined): Promise<WireRequest> => {
  if (words === undefined) return buildRequest(ask)
  refuseGone(ask.endpoint, words)
  await words.check(ask.endpoint)
  return buildRequest(ask, words)
}

type Values = Ask['values']

/** A request that the catalogue does not know may write. */
const mayWrite = (endpoint: EndpointTraits | undefined): boolean =>
  endpoint === undefined || writes(endpoint)

const decoder = new TextDecoder()

/**
 * One instance: every call goes by the credential that its endpoint takes, over one client a
 * credential, which is kept alive. Nothing is asked for, connected or loaded before the first call.
 */
export class InstanceClient {
  readonly #options: InstanceOptions
  readonly #clients = new AsyncCache<string, Client>()

  constructor(options: InstanceOptions) {
    this.#options = options
  }

  /** The instance's own words, if it has some. */
  get words(): Words | undefined {
    return this.#options.words
  }

  /**
   * One call: what the endpoint takes, and what it answers with.
   * @throws Failure as the answer, or its absence, says; `Lacking` without a credential that it takes
   */
  call<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<TypedAnswer<E>>
  async call(endpoint: Endpoint, values: Values): Promise<TypedAnswer<Endpoint>> {
    return toTypedAnswer(endpoint, await this.send({ endpoint, values }))
  }

  /** A call whose endpoint or values are known only as it runs. */
  async send(ask: Ask): Promise<WholeAnswer> {
    const wire = await this.request(ask)
    return (await this.client(ask.endpoint)).call(wire)
  }

  /** A download: its body is read by the caller. */
  async open(ask: Ask): Promise<Answer> {
    const wire = await this.request(ask)
    return (await this.client(ask.endpoint)).open(wire)
  }

  /**
   * Reads the records of a list, parsed; all of them unless the paging says otherwise. Returns how it ended.
   * @param onPage is called with each page before its records
   * @throws Failure `unreachable` for an item that is no record
   */
  list<E extends ListEndpoint>(
    endpoint: E,
    input: Input<E>,
    paging?: Paging,
    how?: CallOptions,
    onPage?: ListOptions['onPage'],
  ): AsyncGenerator<RecordOf<E>, ListEnd>
  async *list(
    endpoint: ListEndpoint,
    values: Values,
    paging: Paging = { limit: 'all', perPage: largestPage },
    how?: CallOptions,
    onPage?: ListOptions['onPage'],
  ): AsyncGenerator<RecordOf<ListEndpoint>, ListEnd> {
    const wire = addPaging(await this.request({ endpoint, values, how }), paging)
    const client = await this.client(endpoint)
    let end: ListEnd = { records: 0, more: false }
    const batches = async function* (): AsyncGenerator<Batch> {
      end = yield* client.list(wire, { ...toListOptions(paging), onPage })
    }
    for await (const batch of batches())
      for (const bytes of batch) yield recordOf(endpoint, wire, bytes, this.#options.words)
    return end
  }

  /**
   * The records of a list as the bytes that came, checked and never parsed: what is only passed on.
   * Returns how it ended.
   * @param how what else is looked at on the way
   */
  async *batches(
    ask: Ask,
    paging: Paging = {},
    how: Pick<ListOptions, 'held' | 'watch'> = {},
  ): AsyncGenerator<Batch, ListEnd> {
    const wire = addPaging(await this.request(ask), paging)
    const client = await this.client(ask.endpoint)
    return yield* client.list(wire, { ...toListOptions(paging), ...how })
  }

  /** Reads something useful that is not worth a wait or a second attempt. */
  async peek<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Data<E> | undefined>
  async peek(endpoint: Endpoint, values: Values): Promise<Data<Endpoint> | undefined> {
    const wire = await this.request({ endpoint, values })
    return toTypedAnswer(endpoint, await (await this.client(endpoint, 'brief')).call(wire)).data
  }

  /**
   * The request of a call, in the words of the instance.
   * @throws Failure `not_found` for an endpoint that the instance has no more
   */
  build(ask: Ask): Promise<WireRequest> {
    // A snapshot is asked by the names of the documents.
    return requestIn(ask, this.#options.snapshot === undefined ? this.#options.words : undefined)
  }

  /** Builds the request of a call. Refuses a write if writing is not allowed. */
  async request(ask: Ask): Promise<WireRequest> {
    const wire = await this.build(ask)
    if (writes(ask.endpoint)) await this.#options.guard?.(wire)
    return ask.how === undefined ? wire : { ...wire, how: ask.how }
  }

  /**
   * The credential that an endpoint takes, as it would go along.
   * @throws MissingCredential
   */
  credential(endpoint?: EndpointTraits): Promise<Credential | undefined> {
    return findCredential(this.#options.credential, this.#options.baseUrl, endpoint)
  }

  /**
   * The HTTP layer's client for an endpoint; without one for requests that the catalogue does not know,
   * as the user. Made once for each kind of credential.
   */
  async client(endpoint?: EndpointTraits, patience: WaitKind = 'usual'): Promise<Client> {
    const { routes, snapshot } = this.#options
    if (snapshot !== undefined) return this.#open(endpoint, patience)
    const way = `${mayWrite(endpoint)} ${this.#readsBy(endpoint)}`
    const key = `${endpoint?.credential ?? 'user'} ${way} ${patience}`
    const client = await this.#clients.of(key, () => this.#open(endpoint, patience))
    if (routes === undefined || endpoint === undefined) return client
    routes.asking(endpoint)
    return wrapClient(client, (error) => {
      routes.failed(endpoint, error)
      return error
    })
  }

  /** Ends what is under way and closes every connection. */
  async close(): Promise<void> {
    for (const made of this.#clients.all()) await (await made.catch(() => undefined))?.close()
  }

  async #open(endpoint: EndpointTraits | undefined, patience: WaitKind): Promise<Client> {
    const { mapError = (error: unknown) => error, progress, snapshot, words } = this.#options
    if (snapshot !== undefined) return snapshot.client(endpoint, words)
    this.#options.opening?.()
    try {
      const own = createClient(await this.#optionsFor(endpoint, patience))
      const plain = this.#options.reads?.over(own) ?? own
      const writing = mayWrite(endpoint)
      return wrapClient(
        plain,
        (error) => mapError(writing ? error : toKnownOutcome(error)),
        progress,
      )
    } catch (error) {
      throw mapError(error)
    }
  }

  /** Returns the method of an endpoint that is marked as reading, if read-only mode needs it. */
  #readsBy(endpoint: EndpointTraits | undefined): string | undefined {
    const marked = this.#options.readOnly === 'marked' && endpoint?.safe === true
    return marked ? getMethod(endpoint) : undefined
  }

  async #optionsFor(
    endpoint: EndpointTraits | undefined,
    patience: WaitKind,
  ): Promise<ClientOptions> {
    const { baseUrl, userAgent, sudo, signal, note, renew, gate, readOnly, words } = this.#options
    const readsBy = this.#readsBy(endpoint)
    const credential = await this.credential(endpoint)
    if (credential === undefined && endpoint?.credential === 'user-or-job')
      this.#options.without?.(endpoint)
    const transport = await this.#options.transport?.()
    const trace = this.#traceFor(endpoint, credential)
    return {
      baseUrl,
      userAgent,
      ...getWaitSettings(patience, this.#options),
      note,
      readOnly: (readOnly ?? false) !== false,
      readsBy,
      signal,
      gate,
      words,
      transport,
      credential,
      renew: credential?.kind === 'oauth' ? renew : undefined,
      sudo: endpoint?.credential === 'parameter' ? undefined : sudo,
      trace,
    }
  }

  #traceFor(
    endpoint: EndpointTraits | undefined,
    credential: Credential | undefined,
  ): ClientOptions['trace'] {
    const { trace, record } = this.#options
    const recorded = mayWrite(endpoint) ? record?.(credential) : undefined
    if (trace === undefined || recorded === undefined) return trace ?? recorded
    return (exchange) => {
      trace(exchange)
      recorded(exchange)
    }
  }
}

/** A record of a list, parsed. */
const recordOf = <E extends ListEndpoint>(
  endpoint: E,
  { path }: WireRequest,
  bytes: Uint8Array,
  words: Words | undefined,
): RecordOf<E> => {
  const parsed: unknown = JSON.parse(decoder.decode(bytes))
  const record = words === undefined ? parsed : makeLegible(parsed, words)
  if (isItem(endpoint, record)) return record
  throw new Failure('unreachable', 'the list contains an item that is not an object', {
    request: `GET ${path}`,
    hint: 'Check the base URL and any proxy in front of the instance.',
  })
}

// What is laid around a client of the HTTP layer: its work as progress, its failures as they are meant.

/** Returns the failure without its unknown outcome, for a request that changes nothing although its method may. */
const toKnownOutcome = (error: unknown): unknown => {
  if (!(error instanceof Failure) || error.details.unknownOutcome !== true) return error
  return error.details.cause instanceof Failure ? error.details.cause : error
}

/** Counts a list as work in progress, at most up to its limit. */
const createListWork = (work: Work, limit = Number.POSITIVE_INFINITY): ListWork => {
  let before = 0
  return {
    update: (records, total) => {
      work.add(records - before)
      before = records
      if (total !== undefined) work.total(Math.min(total, limit))
    },
    end: () => work.end(),
  }
}

/**
 * Wraps a client: its failures are mapped, and its work is counted as progress. A request counts as one piece of work, a list by its
 * records.
 */
const wrapClient = (
  client: Client,
  mapError: (error: unknown) => unknown,
  progress?: WorkMeter,
): Client => {
  const during = async <T>(request: Promise<T>): Promise<T> => {
    const work = progress?.begin()
    try {
      return await request
    } catch (error) {
      throw mapError(error)
    } finally {
      work?.end()
    }
  }
  return {
    open: (request) => during(client.open(request)),
    call: (request) => during(client.call(request)),
    list: (request, { mapError: further = (error) => error, ...options }) =>
      client.list(request, {
        ...options,
        work: progress ? () => createListWork(progress.begin(), options.limit) : options.work,
        mapError: (error) => further(mapError(error)),
      }),
    close: () => client.close(),
  }
}

/**
 * A client of an instance. Nothing is connected or loaded before the first call.
 *
 *     const instance = createInstance({ baseUrl, userAgent, credential: async () => token })
 *     const { data } = await instance.call(runners.get, { id: 7 })
 *     for await (const runner of instance.list(runners.list, { status: 'offline' })) …
 *     await instance.close()
 */
export const createInstance = (options: InstanceOptions): InstanceClient =>
  new InstanceClient(options)

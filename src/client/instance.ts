/** Provides the client of an instance: the catalogue's endpoints over HTTP, with typed inputs and answers. */
import { AsyncCache } from '../base/async.js'
import { sessionCookie } from '../catalogue/documented-names.js'
import { type Endpoint, type EndpointTraits, getMethod, writes } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import { documentedWords, type Words } from '../catalogue/words.js'
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
import { getWaitSettings, largestPage, type WaitKind } from './defaults.js'
import { addPaging, type Paging, toListOptions } from './paging.js'
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

// Requests with the instance's own names.

/** @throws Failure `not_found` for an endpoint that the instance no longer has */
export const checkEndpointOffered = (
  { route }: Pick<Ask['endpoint'], 'route'>,
  words: Pick<Words, 'gone'>,
): void => {
  const hint = words.gone(route)
  if (hint !== undefined)
    throw new Failure('not_found', `the instance no longer offers ${route}`, { hint })
}

/**
 * Builds the request of an ask.
 * @param words the instance's own names, if there are any
 * @throws Failure `not_found` for an endpoint that the instance no longer has, `usage` if the names turn it into another endpoint
 */
export const buildInstanceRequest = async (
  ask: Ask,
  words: Words | undefined,
): Promise<WireRequest> => {
  if (words === undefined) return buildRequest(ask)
  checkEndpointOffered(ask.endpoint, words)
  const { toOwnAsk } = await import('./own-ask.js')
  return buildRequest(await toOwnAsk(ask, words))
}

type Values = Ask['values']

/** True if a request may write, as one that the catalogue does not document may. */
const mayWrite = (endpoint: EndpointTraits | undefined): boolean =>
  endpoint === undefined || writes(endpoint)

const decoder = new TextDecoder()

/** True if the documents declare a list of objects. The files of extensions may leave out what a list holds. */
const isObjectList = ({ from, returns }: Endpoint): boolean =>
  from === undefined && returns.kind === 'many' && getProperties(returns.shape) !== undefined

/**
 * A client of one instance. Every call uses the credential that its endpoint takes, with one HTTP client for each credential. Before the
 * first call, it neither connects nor loads anything.
 */
export class InstanceClient {
  readonly #options: InstanceOptions
  readonly #clients = new AsyncCache<string, Client>()

  constructor({ words, ...options }: InstanceOptions) {
    const isForIt = words?.serves === undefined || words.serves === options.baseUrl
    this.#options = isForIt ? { ...options, words } : options
  }

  /** The instance's own names; the documented ones if the vocabulary is for another instance. */
  get words(): Words {
    return this.#options.words ?? documentedWords
  }

  /**
   * Calls an endpoint with a typed input.
   * @throws Failure for an error of the instance or the network; `MissingCredential` without a credential that the endpoint takes
   */
  call<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<TypedAnswer<E>>
  async call(endpoint: Endpoint, values: Values): Promise<TypedAnswer<Endpoint>> {
    return toTypedAnswer(endpoint, await this.send({ endpoint, values }))
  }

  /** Calls an endpoint that is known only at run time. */
  async send(ask: Ask): Promise<WholeAnswer> {
    const wire = await this.request(ask)
    return (await this.client(ask.endpoint)).call(wire)
  }

  /** Opens a download, whose body the caller reads. */
  async open(ask: Ask): Promise<Answer> {
    const wire = await this.request(ask)
    return (await this.client(ask.endpoint)).open(wire)
  }

  /**
   * Reads the parsed records of a list; all of them unless the paging limits them. The generator returns how the list ended.
   * @param onPage is called with each page before its records
   * @throws Failure `unreachable` for an item that is not a record
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
    options?: CallOptions,
    onPage?: ListOptions['onPage'],
  ): AsyncGenerator<RecordOf<ListEndpoint>, ListEnd> {
    const wire = addPaging(await this.request({ endpoint, values, how: options }), paging)
    const client = await this.client(endpoint)
    let end: ListEnd = { records: 0, more: false }
    const yieldBatches = async function* (): AsyncGenerator<Batch> {
      end = yield* client.list(wire, { ...toListOptions(paging), onPage })
    }
    for await (const batch of yieldBatches())
      for (const bytes of batch) yield parseRecord(endpoint, wire, bytes, this.words)
    return end
  }

  /**
   * Reads the records of a list as bytes, which are checked and not parsed. The generator returns how the list ended.
   * @param options the names to find in the records, and whether the reader has to wait
   */
  async *batches(
    ask: Ask,
    paging: Paging = {},
    options: Pick<ListOptions, 'held' | 'watch'> = {},
  ): AsyncGenerator<Batch, ListEnd> {
    const wire = addPaging(await this.request(ask), paging)
    const client = await this.client(ask.endpoint)
    const onlyObjects = isObjectList(ask.endpoint)
    return yield* client.list(wire, { ...toListOptions(paging), ...options, onlyObjects })
  }

  /** Reads an optional answer, with a short time-out and no retries. */
  async peek<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Data<E> | undefined>
  async peek(endpoint: Endpoint, values: Values): Promise<Data<Endpoint> | undefined> {
    const wire = await this.request({ endpoint, values })
    return toTypedAnswer(endpoint, await (await this.client(endpoint, 'brief')).call(wire)).data
  }

  /**
   * Builds the request of a call, with the instance's own names.
   * @throws Failure `not_found` for an endpoint that the instance no longer has
   */
  build(ask: Ask): Promise<WireRequest> {
    // A snapshot is queried by the documented names.
    return buildInstanceRequest(
      ask,
      this.#options.snapshot === undefined ? this.#options.words : undefined,
    )
  }

  /** Builds the request of a call. Refuses a write if writing is not allowed. */
  async request(ask: Ask): Promise<WireRequest> {
    const wire = await this.build(ask)
    if (writes(ask.endpoint)) await this.#options.guard?.(wire)
    return ask.how === undefined ? wire : { ...wire, how: ask.how }
  }

  /** Returns the credential that a request of an endpoint carries. @throws MissingCredential */
  credential(endpoint?: EndpointTraits): Promise<Credential | undefined> {
    return findCredential(this.#options.credential, this.#options.baseUrl, endpoint)
  }

  /**
   * Returns the HTTP client for an endpoint; without one, for undocumented requests with the user's credential. It is created once for each
   * kind of credential.
   */
  async client(endpoint?: EndpointTraits, patience: WaitKind = 'usual'): Promise<Client> {
    const { routes, snapshot } = this.#options
    if (snapshot !== undefined) return this.#createClient(endpoint, patience)
    const access = `${mayWrite(endpoint)} ${this.#getReadingMethod(endpoint)}`
    const key = `${endpoint?.credential ?? 'user'} ${access} ${patience}`
    const client = await this.#clients.of(key, () => this.#createClient(endpoint, patience))
    if (routes === undefined || endpoint === undefined) return client
    routes.beforeRequest(endpoint)
    return wrapClient(client, (error) => {
      routes.afterFailure(endpoint, error)
      return error
    })
  }

  /** Interrupts all requests, and closes every connection. */
  async close(): Promise<void> {
    for (const made of this.#clients.all()) await (await made.catch(() => undefined))?.close()
  }

  async #createClient(endpoint: EndpointTraits | undefined, patience: WaitKind): Promise<Client> {
    const { mapError = (error: unknown) => error, progress, snapshot } = this.#options
    if (snapshot !== undefined) return snapshot.client(endpoint, this.words.makeLegible)
    this.#options.onOpening?.()
    try {
      const own = createClient(await this.#createClientOptions(endpoint, patience))
      const plain = this.#options.reads?.wrap(own) ?? own
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
  #getReadingMethod(endpoint: EndpointTraits | undefined): string | undefined {
    const marked = this.#options.readOnly === 'marked' && endpoint?.safe === true
    return marked ? getMethod(endpoint) : undefined
  }

  async #createClientOptions(
    endpoint: EndpointTraits | undefined,
    patience: WaitKind,
  ): Promise<ClientOptions> {
    const { baseUrl, clock, userAgent, sudo, signal, note, renew, gate, readOnly, words } =
      this.#options
    const readsBy = this.#getReadingMethod(endpoint)
    const credential = await this.credential(endpoint)
    if (credential === undefined && endpoint?.credential === 'user-or-job')
      this.#options.onMissingCredential?.(endpoint)
    const transport = await this.#options.loadTransport?.()
    const trace = this.#createTrace(endpoint, credential)
    return {
      baseUrl,
      clock,
      userAgent,
      ...getWaitSettings(patience, this.#options),
      note,
      readOnly: (readOnly ?? false) !== false,
      readsBy,
      signal,
      gate,
      headerNames: words && { cookie: words.cookie(sessionCookie), toOwn: words.header },
      translate: words?.makeLegible,
      transport,
      credential,
      renew: credential?.kind === 'oauth' ? renew : undefined,
      sudo: endpoint?.credential === 'parameter' ? undefined : sudo,
      trace,
    }
  }

  #createTrace(
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

/** Parses a record of a list. */
const parseRecord = <E extends ListEndpoint>(
  endpoint: E,
  { path }: WireRequest,
  bytes: Uint8Array,
  { makeLegible }: Words,
): RecordOf<E> => {
  const record = makeLegible(JSON.parse(decoder.decode(bytes)))
  if (isItem(endpoint, record)) return record
  throw new Failure('unreachable', 'the list contains an item that is not an object', {
    request: `GET ${path}`,
    hint: 'Check the base URL and any proxy in front of the instance.',
  })
}

// Wrappers of HTTP clients, which count progress and map failures.

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
      if (total !== undefined) work.setTotal(Math.min(total, limit))
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
  const trackWork = async <T>(request: Promise<T>): Promise<T> => {
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
    open: (request) => trackWork(client.open(request)),
    call: (request) => trackWork(client.call(request)),
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

/**
 * Makes the embedded instance a test double: tests can add records, save and restore the state, list received requests, and cause faults.
 */
import { STATUS_CODES } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Fields, isObject, mapValues } from '../../base/objects.js'
import { Failure, usage } from '../../errors.js'
import { apiRoot, type Instance } from '../call.js'
import { badRequest } from '../reply.js'
import type { Scheduler } from '../scheduler.js'
import { addRows, type SeedRecords, type SeedRows } from '../seed/rows.js'
import type { StateStore } from '../store.js'
import { sendJson } from './answer.js'

/** A request that the instance received, without its credentials. */
export interface HeardRequest {
  readonly method: string
  /** The path below the root of the API, still encoded: `/projects/platform%2Fapp/jobs`. */
  readonly path: string
  readonly query: Fields
  /** The parsed body, from JSON or a form; undefined if there was none. */
  readonly body?: unknown
  /** The username of the acting user; undefined without one. */
  readonly user?: string
  /** The status of the response; undefined before it is sent. */
  readonly status?: number
}

/** A fault: requests to a route fail, or their responses are delayed. */
export interface Fault {
  /** The status of the response. If absent, the instance responds as usual after the delay. */
  readonly status?: number
  /** The number of requests that fail in this way; 1 if absent. */
  readonly times?: number
  /** The milliseconds before the response. */
  readonly delay?: number
  /** The body of the response, which is sent as JSON. */
  readonly body?: unknown
}

/** A whole state as a JSON value. */
export type StateSnapshot = Readonly<Record<string, unknown>>

const maxHeard = 10_000
/** The path below which tests control a running instance over HTTP. */
export const doubleRoot = '/-/test/'

const credentials = /^(?:private_token|access_token|job_token|token|refresh_token)$/
const masked = '***'

/** Masks the credentials in a query or body. */
const maskCredentials = (value: unknown): unknown =>
  isObject(value) ? mapValues(value, (v, k) => (credentials.test(k) ? masked : v)) : value

const stripRoot = (path: string): string =>
  path.startsWith(`${apiRoot}/`) ? path.slice(apiRoot.length) : path

/** Converts a route such as `PUT /runners/:id` to a pattern for requests. The route may have an ID instead of a placeholder. */
const getPattern = (route: string): RegExp => {
  const segments = route.split('/').map((segment) => {
    if (segment.startsWith(':')) return '[^/]+'
    return segment.startsWith('*') ? '.+' : segment.replace(/[^\w %]/g, '\\$&')
  })
  return new RegExp(`^${segments.join('/')}$`)
}

type MutableObject<T> = { -readonly [K in keyof T]: T[K] }

export class TestDouble {
  #heard: MutableObject<HeardRequest>[] = []
  #faults: { pattern: RegExp; fault: Fault; left: number }[] = []
  #scheduler: Scheduler | undefined
  #knows: (method: string, path: string) => boolean = () => true

  constructor(
    private readonly instance: Instance,
    private readonly store: StateStore,
    /** Applies the options with which the instance was started. */
    private readonly configure: () => void,
  ) {}

  /** Connects the double to its server, which is created later. */
  attach(scheduler: Scheduler, knows: (method: string, path: string) => boolean): void {
    this.#scheduler = scheduler
    this.#knows = knows
  }

  get requests(): readonly HeardRequest[] {
    return this.#heard.map((one) => ({ ...one }))
  }

  /** Adds records. If one is invalid, none is added. */
  seed<const R extends SeedRows>(rows: R): SeedRecords<R> {
    const before = this.snapshot()
    try {
      const added = addRows(this.instance.state, rows)
      this.#scheduler?.changed()
      return added as unknown as SeedRecords<R>
    } catch (error) {
      this.restore(before)
      throw error
    }
  }

  snapshot(): StateSnapshot {
    return JSON.parse(JSON.stringify(this.instance.state))
  }

  restore(snapshot: StateSnapshot): void {
    this.store.load(snapshot)
    this.#scheduler?.changed()
  }

  /** Resets the instance to its sample data and repositories. The lists of requests and faults become empty. */
  async reset(): Promise<void> {
    this.#heard = []
    this.#faults = []
    const { loadSampleState } = await import('../seed/index.js')
    this.restore(JSON.parse(JSON.stringify(loadSampleState())))
    this.configure()
    await this.instance.git.remove()
    await this.instance.save()
  }

  /** Makes the next requests to a route fail, or delays their responses. */
  fail(route: string, fault: Fault): void {
    const { status, times = 1, delay = 0 } = fault
    const [method = '', path = ''] = route.split(' ')
    const given = path.replace(/[:*]\w+/g, '1')
    if (!this.#knows(method, apiRoot + given))
      throw usage(`fail(): the instance has no route "${route}"`)
    if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status < 600))
      throw usage('fail(): status must be a status of HTTP, 200 to 599')
    if (!(times > 0 && delay >= 0)) throw usage('fail(): times and delay must be positive')
    this.#faults.push({ pattern: getPattern(route), fault, left: times })
  }

  /** Adds a request to the list when it arrives. */
  hear(request: FastifyRequest, path: string, query: Fields): MutableObject<HeardRequest> {
    const one = {
      method: request.method,
      path: stripRoot(path),
      query: maskCredentials(query) as Fields,
      body: maskCredentials(request.body ?? undefined),
    }
    this.#heard.push(one)
    if (this.#heard.length > maxHeard) this.#heard.shift()
    return one
  }

  /**
   * Sends the response of a fault if there is one for the request.
   * @returns true if it sent a response. It does not return the reply, since awaiting a reply resolves to undefined.
   */
  async answer({ method, path }: HeardRequest, reply: FastifyReply): Promise<boolean> {
    const found = this.#faults.find(({ pattern }) => pattern.test(`${method} ${path}`))
    if (found === undefined) return false
    found.left -= 1
    if (found.left <= 0) this.#faults = this.#faults.filter((one) => one !== found)
    const { status, delay = 0, body } = found.fault
    await setTimeout(delay, undefined, { ref: false })
    if (status === undefined) return false
    sendJson(reply, status, body ?? { message: `${status} ${STATUS_CODES[status] ?? ''}` })
    return true
  }

  /** Handles the requests of tests over HTTP. */
  async ask(route: string, body: unknown): Promise<unknown> {
    try {
      if (route === 'POST seed') return this.seed(body as SeedRows)
      if (route === 'POST reset') return await this.reset()
      if (route === 'GET snapshot') return this.snapshot()
      if (route === 'PUT snapshot') return this.restore(body as StateSnapshot)
      if (route === 'GET requests') return this.requests
      if (route !== 'POST fail' || !isObject(body)) throw usage(`there is no "${route}"`)
      const { route: failing, ...fault } = body
      return this.fail(String(failing), fault as Fault)
    } catch (error) {
      throw error instanceof Failure ? badRequest(error.message) : error
    }
  }
}

// Load: limits for the number of requests, and delays of responses.

/** The maximum number of requests in each interval of the clock. */
interface Limit {
  readonly requests: number
  /** The interval in milliseconds. */
  readonly span: number
}

export interface Load {
  readonly limit?: Limit
  /** The milliseconds before each response. */
  readonly latency?: number
}

/** The state of a limit in the current interval. */
interface WindowState {
  readonly observed: number
  readonly remaining: number
  /** The end of the interval, in milliseconds since the epoch. */
  readonly reset: number
}

/** Counts requests in intervals that are aligned with the clock, such as whole seconds or minutes. */
export class Counter {
  readonly #limit: Limit
  readonly #now: () => number
  #begun = 0
  #observed = 0

  constructor(limit: Limit, now: () => number = Date.now) {
    this.#limit = limit
    this.#now = now
  }

  /** Counts a request. @returns the state of the limit */
  next(): WindowState {
    const { requests, span } = this.#limit
    const now = this.#now()
    const begun = now - (now % span)
    if (begun !== this.#begun) this.#observed = 0
    this.#begun = begun
    this.#observed += 1
    const remaining = Math.max(0, requests - this.#observed)
    return { observed: this.#observed, remaining, reset: begun + span }
  }
}

/** Returns the headers of a limit. Times are rounded up to whole seconds, so that they are never before the end of the interval. */
const getHeaders = ({ requests }: Limit, { observed, remaining, reset }: WindowState) => ({
  'ratelimit-limit': String(requests),
  'ratelimit-observed': String(observed),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(Math.ceil(reset / 1000)),
})

/** Delays the responses of a server, and refuses requests beyond its limit with a 429 in plain text, as instances do. */
export const addLoad = (app: FastifyInstance, { limit, latency }: Load): void => {
  if (latency !== undefined) app.addHook('onRequest', async () => void (await setTimeout(latency)))
  if (limit === undefined) return
  const counter = new Counter(limit)
  app.addHook('onRequest', async (_request, reply) => {
    const window = counter.next()
    reply.headers(getHeaders(limit, window))
    if (window.observed <= limit.requests) return
    const rest = Math.max(1, Math.ceil((window.reset - Date.now()) / 1000))
    await reply
      .code(429)
      .header('retry-after', String(rest))
      .type('text/plain')
      .send('Retry later\n')
  })
}

/** On request the instance is as busy as a real one: it lets only so many requests pass, and takes its time. */
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** So many requests in each span of the clock. */
interface Limit {
  readonly requests: number
  /** Milliseconds. */
  readonly span: number
}

export interface Load {
  readonly limit?: Limit
  /** Milliseconds before each answer. */
  readonly latency?: number
}

/** What is left of a limit, and when it begins anew. */
interface WindowState {
  readonly observed: number
  readonly remaining: number
  /** Milliseconds since the epoch. */
  readonly reset: number
}

/** Counts requests by spans that begin with the clock: at a whole second, at a whole minute. */
export class Counter {
  readonly #limit: Limit
  readonly #now: () => number
  #begun = 0
  #observed = 0

  constructor(limit: Limit, now: () => number = Date.now) {
    this.#limit = limit
    this.#now = now
  }

  /** Counts one more. */
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

/** The headers that tell of a limit; times in whole seconds, never before the limit begins anew. */
const getHeaders = ({ requests }: Limit, { observed, remaining, reset }: WindowState) => ({
  'ratelimit-limit': String(requests),
  'ratelimit-observed': String(observed),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(Math.ceil(reset / 1000)),
})

/** Has a server answer late, and with 429 what goes beyond its limit: in plain text, as instances do. */
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

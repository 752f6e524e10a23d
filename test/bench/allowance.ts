/** The rate limit of a benchmark instance: a burst of as many requests as are allowed a second, then that rate. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** Counts the requests of one instance. With `told`, every answer has RateLimit headers. */
export class Allowance {
  readonly #allowed: number
  readonly #told: boolean
  #tokens: number
  #at = performance.now()
  /** Number of 429 answers so far, and the time of the first answered write in milliseconds of the epoch. */
  refused = 0
  first: number | undefined

  constructor(allowed: number, told: boolean) {
    this.#allowed = allowed
    this.#told = told
    this.#tokens = allowed
  }

  /** Counts one request. Returns false if it exceeds the limit; then it has been answered with a 429. */
  takes(res: ServerResponse): boolean {
    const now = performance.now()
    const filled = ((now - this.#at) * this.#allowed) / 1000
    this.#tokens = Math.min(this.#allowed, this.#tokens + filled)
    this.#at = now
    const passes = this.#tokens >= 1
    if (passes) this.#tokens -= 1
    for (const [name, value] of Object.entries(this.#headers())) res.setHeader(name, value ?? '')
    if (passes) return true
    this.refused += 1
    res.writeHead(429, { 'content-type': 'text/plain', 'retry-after': '1' }).end('Retry later\n')
    return false
  }

  /** Builds the RateLimit headers. The reset time is rounded up to a whole second, so it is never too early. */
  #headers(): OutgoingHttpHeaders {
    if (!this.#told) return {}
    const full = Date.now() + ((this.#allowed - this.#tokens) * 1000) / this.#allowed
    return {
      'ratelimit-limit': String(this.#allowed),
      'ratelimit-remaining': String(Math.floor(this.#tokens)),
      'ratelimit-reset': String(Math.ceil(full / 1000)),
    }
  }
}

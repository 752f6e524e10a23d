/** So many concurrent requests, and as many again each second: what a limited instance lets pass. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** What an instance of the benchmark counts; `told` says it in every answer. */
export class Allowance {
  readonly #allowed: number
  readonly #told: boolean
  #tokens: number
  #at = performance.now()
  /** Answers 429 so far, and when the first write was answered, in milliseconds of the epoch. */
  refused = 0
  first: number | undefined

  constructor(allowed: number, told: boolean) {
    this.#allowed = allowed
    this.#told = told
    this.#tokens = allowed
  }

  /** Counts one more; false where it is too many, and that has been answered. */
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

  /** When it is full again stands there in whole seconds, never too early. */
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

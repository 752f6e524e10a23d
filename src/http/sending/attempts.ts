/** Decides when and after how long a request is sent again, and interrupts the wait (`http/README.md`). */

import { type Clock, sleep } from '../../base/async.js'
import { Failure } from '../../errors.js'
import { LostRequest, markUnknownOutcome } from '../answers/network.js'
import type { Admission, ClientOptions } from '../types.js'

/** Creates the failure of an interruption. @param request the request that was in flight */
export const createInterrupted = (request?: string): Failure =>
  new Failure('interrupted', 'interrupted', request === undefined ? {} : { request })

const firstPause = 500
const longestPause = 30_000
/** The longest wait that an instance may ask for, in milliseconds; for a longer one, the request fails. */
export const longestWait = 300_000

export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'
/** True if sending a request twice has the same effect as sending it once. */
export const isIdempotent = (method: string): boolean => method !== 'POST' && method !== 'PATCH'

/** Counts the further attempts of one request, for all kinds of errors together. */
export class Attempts {
  /** The admission that the gate gave for the latest attempt. */
  admission: Admission | undefined
  /** The decision of the gate on the latest answer: the request may be sent again, or the answer counts. Undefined without a gate. */
  verdict: 'again' | 'stands' | undefined
  #made = 0

  constructor(
    private readonly limits: { readonly retries: number; readonly refusals: number },
    private readonly clock: Clock,
    private readonly note: NonNullable<ClientOptions['note']>,
    /** Interrupts the request, with its run or its call. */
    readonly signal: AbortSignal,
  ) {}

  /** The number of attempts that are left. */
  get left(): number {
    return Math.max(0, this.limits.retries - this.#made)
  }

  /** The number of attempts that are left for refusals that ask to wait. */
  get refusals(): number {
    return Math.max(0, this.limits.refusals - this.#made)
  }

  get made(): number {
    return this.#made
  }

  /**
   * Waits before another attempt after an answer was lost.
   * @throws the error if another attempt would not help, or could repeat a write; then the outcome of a write is unknown
   */
  async pauseAfterLoss(error: unknown, method: string): Promise<undefined> {
    if (!(error instanceof LostRequest)) throw error
    const { details, message, sent, transient } = error
    const mayRepeat = isIdempotent(method) || !sent
    if (!transient || !mayRepeat || this.left === 0)
      throw sent && !isSafe(method) ? markUnknownOutcome(error) : error
    await this.pause(details.request ?? '', message)
  }

  /** Waits for as long as the instance asked. Without a requested wait, each pause is longer than the last, with jitter. */
  async pause(label: string, why: string, asked?: number): Promise<void> {
    const longest = Math.min(longestPause, firstPause * 2 ** this.#made)
    const wait = asked ?? longest * (0.5 + this.clock.random() / 2)
    this.#made += 1
    const seconds = (wait / 1000).toFixed(wait < 10_000 ? 1 : 0)
    const count = `${this.#made} of ${this.limits.retries}`
    this.note(`${label}: ${why}; retrying in ${seconds} s (${count})`, 'info')
    await sleep(wait, this.signal, this.clock)
  }
}

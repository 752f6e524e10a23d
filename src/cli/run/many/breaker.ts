/** What stops a run over many objects: a token, or an instance, that is dead for all of them. */
import type { Failure } from '../../../errors.js'

const mostRefused = 10
const mostUnreachable = 20

/** No credential, or one that is not accepted; 403 is about the one object. */
const isRefused = ({ category, details }: Failure): boolean =>
  category === 'auth' && details.status !== 403

export class Breaker {
  #refused = 0
  #unreachable = 0
  #cause: Failure | undefined

  /** What one object came to; undefined where it went well. */
  observe(failure: Failure | undefined): void {
    this.#refused = failure !== undefined && isRefused(failure) ? this.#refused + 1 : 0
    this.#unreachable = failure?.category === 'unreachable' ? this.#unreachable + 1 : 0
    if (this.#refused >= mostRefused || this.#unreachable >= mostUnreachable)
      this.#cause ??= failure
  }

  /** The last of the failures in a row that stopped the run. */
  get cause(): Failure | undefined {
    return this.#cause
  }
}

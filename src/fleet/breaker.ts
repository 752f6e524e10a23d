/** What stops a run over many objects: a token, or an instance, that is dead for all of them. */
import { Failure } from '../errors.js'
import type { Came } from '../http/gate.js'

const mostRefused = 10
const mostUnreachable = 20

/** No credential, or one that is not accepted; 403 is about the one object. */
const isRefused = ({ category, details }: Failure): boolean =>
  category === 'auth' && details.status !== 403

/** Whether the instance was there for a request; undefined where it was not asked to the end. */
const reached = (came: Came): boolean | undefined => {
  if ('status' in came) return came.status < 500 ? true : came.headers['retry-after'] !== undefined
  return came.lost === 'interrupted' ? undefined : false
}

export class Breaker {
  #refused = 0
  #unreachable = 0
  #cause: Failure | undefined
  /** Attempts are heard of, so that outcomes are not counted once more. */
  #hearing = false

  /** What one attempt came to: counted as they come, since one object may make several, each a long wait. */
  came(came: Came): void {
    this.#hearing = true
    const there = reached(came)
    if (there === undefined) return
    this.#unreachable = there ? 0 : this.#unreachable + 1
    if (this.#unreachable >= mostUnreachable)
      this.#cause ??= new Failure(
        'unreachable',
        `the instance could not be reached ${mostUnreachable} times in a row`,
        { hint: '`svcctl doctor` looks at each step of the way there.' },
      )
  }

  /** What one object came to; undefined where it went well. */
  observe(failure: Failure | undefined): void {
    this.#refused = failure !== undefined && isRefused(failure) ? this.#refused + 1 : 0
    if (!this.#hearing)
      this.#unreachable = failure?.category === 'unreachable' ? this.#unreachable + 1 : 0
    if (this.#refused >= mostRefused || (!this.#hearing && this.#unreachable >= mostUnreachable))
      this.#cause ??= failure
  }

  /** The last of the failures in a row that stopped the run. */
  get cause(): Failure | undefined {
    return this.#cause
  }
}

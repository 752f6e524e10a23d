/** What stops a run over many objects: a token, or an instance, that is dead for all of them. */
import { Failure, helpIn } from '../../errors.js'
import type { AdmissionResult } from '../../http/gate.js'

const maxRefused = 10
const refused = 'the credential was rejected ten times in a row'
const maxUnreachable = 20

/** No credential, or one that is not accepted; 403 is about the one object. */
const isRefused = ({ category, details }: Failure): boolean =>
  category === 'auth' && details.status !== 403

/** Maintenance is of all objects alike. */
const isMaintenance = ({ details }: Failure): boolean => details.advice?.code === 'maintenance'

/** Whether the instance was there for a request; undefined where it was not asked to the end. */
const reached = (came: AdmissionResult): boolean | undefined => {
  if ('status' in came) return came.status < 500 ? true : came.headers['retry-after'] !== undefined
  return came.lost === 'interrupted' ? undefined : false
}

/** Where the gate’s patience ended for one object, it did for all: why the run stops; undefined where it did not. */
export const outOfPatience = (failure: Failure): Failure | undefined => {
  const { category, details } = failure
  if (category === 'rate_limited')
    return new Failure(category, 'the instance limits requests', helpIn(failure))
  if (details.advice?.code !== 'unavailable') return undefined
  return new Failure(category, 'the instance is not available', { advice: details.advice })
}

/** @param status of the last answer, where there was one */
const unreachable = (status?: number): Failure => {
  const what = status === undefined ? 'could not be reached' : `answered ${status}`
  return new Failure('unreachable', `the instance ${what} twenty times in a row`, {
    hint: 'Run `svcctl doctor` to diagnose the connection.',
  })
}

export class Breaker {
  #refused = 0
  #maintenance = 0
  #unreachable = 0
  #cause: Failure | undefined
  /** Attempts are heard of, so that outcomes are not counted once more. */
  #hearing = false

  /** What one attempt came to: counted as they come, since one object may make several, each a long wait. */
  came(came: AdmissionResult): void {
    this.#hearing = true
    const there = reached(came)
    if (there === undefined) return
    this.#unreachable = there ? 0 : this.#unreachable + 1
    if (this.#unreachable >= maxUnreachable)
      this.#cause ??= unreachable('status' in came ? came.status : undefined)
  }

  /** What one object came to; undefined where it went well. */
  observe(failure: Failure | undefined): void {
    const counted = (is: (failure: Failure) => boolean, before: number): number =>
      failure !== undefined && is(failure) ? before + 1 : 0
    this.#refused = counted(isRefused, this.#refused)
    this.#maintenance = counted(isMaintenance, this.#maintenance)
    if (!this.#hearing)
      this.#unreachable = counted(({ category }) => category === 'unreachable', this.#unreachable)
    if (failure === undefined) return
    if (this.#refused >= maxRefused) this.#cause ??= new Failure('auth', refused, helpIn(failure))
    if (this.#maintenance >= maxRefused) this.#cause ??= failure
    if (!this.#hearing && this.#unreachable >= maxUnreachable) this.#cause ??= unreachable()
  }

  /** Why the run is stopped; undefined while it goes on. */
  get cause(): Failure | undefined {
    return this.#cause
  }
}

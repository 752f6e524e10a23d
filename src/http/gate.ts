/**
 * Provides the gate of an instance, which admits every request to it. If the instance rejects a request (429, or 503 with `Retry-After`),
 * the gate closes for all. It opens again at the time that the instance gives.
 */
import { type Clock, callOnAbort } from '../base/async.js'
import { Failure } from '../errors.js'
import {
  createLongWaitFailure,
  firstWait,
  getWait,
  isTurnedAway,
  Pace,
  type Rate,
  RemoteClock,
  readRateLimit,
} from './pace.js'
import { type ClosedBy, closingTexts } from './status.js'
import type { Admission, AdmissionResult, AnswerHead, Gate } from './types.js'

export { parseRate, takeLowerRate, toWholeAllowance } from './pace.js'

// The width: the number of requests in flight, which adapts to the load that the instance can handle.

const narrowest = 4
const widest = 32
/** The number of answers after which the width grows by one. */
const growthInterval = 8
/** The number of answers whose times are compared with those of the first sample. */
const sampleSize = 50
/** Slowdowns below this, in milliseconds, are normal variation of this machine. */
const minSlowdown = 10

const getMedian = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

class Width {
  #value: number
  readonly #most: number
  readonly #least: number
  readonly #isAdaptive: boolean
  #good = 0
  /** The median time of the first answers, in milliseconds; undefined while they are collected. */
  #usual: number | undefined
  #times: number[] = []

  /** @param ceiling `auto` adapts between 4 and 32; a number is both the initial and the maximum width */
  constructor(ceiling: number | 'auto') {
    this.#isAdaptive = ceiling === 'auto'
    this.#most = ceiling === 'auto' ? widest : ceiling
    this.#value = ceiling === 'auto' ? narrowest : ceiling
    this.#least = 1
  }

  get value(): number {
    return this.#value
  }

  /** Counts an answer that came after this many milliseconds. */
  countAnswer(milliseconds: number): void {
    this.#good += 1
    if (this.#good % growthInterval === 0) this.#value = Math.min(this.#most, this.#value + 1)
    if (this.#isAdaptive) this.#checkSlowdown(milliseconds)
  }

  halve(): void {
    this.#value = Math.max(this.#least, Math.floor(this.#value / 2))
    this.#good = 0
    this.#times = []
  }

  #checkSlowdown(milliseconds: number): void {
    this.#times.push(milliseconds)
    if (this.#times.length < sampleSize) return
    const now = getMedian(this.#times)
    this.#times = []
    if (this.#usual === undefined) this.#usual = now
    else if (now > this.#usual * 2 && now > this.#usual + minSlowdown) this.halve()
  }
}

export interface GateOptions {
  /** `auto`, the default, adapts to the instance; a number is the maximum. */
  readonly concurrency?: number | 'auto'
  readonly rate?: Rate
  /** The time for which the instance may turn every request away, in milliseconds. 0 never waits; the default is no limit. */
  readonly patience?: number
  /** Reports each wait once, with its length and its reason. */
  readonly note?: (text: string) => void
  readonly clock: Clock
}

/** A listener that is notified of every request, and may stop all of them. */
export interface Listener {
  onResult(came: AdmissionResult): void
  /** Returns the reason why nothing may be sent any more; undefined if requests may be sent. */
  getRefusal(): Failure | undefined
}

/** The wait that holds all requests of the gate. */
export interface GateWait {
  readonly milliseconds: number
  readonly why: string
}

/** The maximum fraction by which a wait is extended at random, so that not all clients return at the same time. */
const jitter = 0.1

/** The time at which an answer came, and how often its request may still be sent again. */
interface AnswerTiming {
  readonly now: number
  readonly retries: number
}

/** True for the status of a redirect, which continues the request and does not count as its answer. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304

/** An admission with the fields that only this gate reads. */
interface GateAdmission extends Admission {
  /** The number of times that the gate had closed by then. */
  readonly closings: number
  readonly serial: number
  /** The number of answers that had come when it was granted. */
  readonly answers: number
  /** The time since which this request has been refused, if it was sent before. */
  refused: number | undefined
  /** The number of refusals since another request was answered. */
  refusals: number
}

interface AdmissionRequest {
  readonly before: GateAdmission | undefined
  readonly grant: (leave: GateAdmission) => void
  readonly deny: (failure: Failure) => void
}

export class FleetGate implements Gate {
  readonly #clock: Clock
  readonly #note: (text: string) => void
  readonly #width: Width
  readonly #pace: Pace
  readonly #patience: number
  readonly #instanceClock = new RemoteClock()
  readonly #waiting: AdmissionRequest[] = []
  readonly #listeners = new Set<Listener>()
  #underWay = 0
  #serial = 0
  /** The number of requests that the instance answered. */
  #answers = 0
  #closings = 0
  /** The number of closings since the last answer that was not a refusal. */
  #refusalsInRow = 0
  #openAt = 0
  #closedBy: ClosedBy = 429
  /** The last time at which the instance did not refuse. Patience counts from then. */
  #wellAt: number | undefined
  #idleSince: number | undefined
  /** True if the gate closed for longer than its patience, so that no request waits for it. */
  #hopeless = false
  #leaveTimer: (() => void) | undefined

  constructor(options: GateOptions) {
    const { concurrency = 'auto', rate, note, patience = Number.POSITIVE_INFINITY } = options
    this.#clock = options.clock
    this.#note = note ?? (() => {})
    this.#patience = patience
    this.#width = new Width(concurrency)
    this.#pace = new Pace(rate)
  }

  get width(): number {
    return this.#width.value
  }

  /** Returns the reason and the length of the wait that holds all requests; undefined if there is none. */
  get waiting(): GateWait | undefined {
    const milliseconds = this.#openAt - this.#clock.now()
    if (milliseconds <= 0) return undefined
    const limit = this.#closedBy === 429 ? this.#pace.describeLimit() : undefined
    return { milliseconds, why: limit ?? 'requested by the instance' }
  }

  /** True if the instance has turned away every request for longer than the patience of the gate. */
  get exhausted(): boolean {
    return this.#refusalsInRow > 0 && !this.#isWithinPatience(this.#clock.now(), this.#wellAt ?? 0)
  }

  /** Adds a listener. @returns a function that removes it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  admit(signal: AbortSignal, before?: GateAdmission): Promise<GateAdmission> {
    return new Promise((resolve, reject) => {
      let forget: () => void = () => {}
      const admissionRequest: AdmissionRequest = {
        before,
        grant: (leave) => {
          forget()
          resolve(leave)
        },
        deny: (failure) => {
          forget()
          reject(failure)
        },
      }
      // A request that was refused has waited longest, so it comes first.
      if (before?.refused === undefined) this.#waiting.push(admissionRequest)
      else this.#waiting.unshift(admissionRequest)
      this.#admitWaiting()
      const at = this.#waiting.indexOf(admissionRequest)
      if (at >= 0) forget = callOnAbort(signal, () => this.#cancelRequest(admissionRequest))
    })
  }

  observe(
    leave: GateAdmission,
    result: AdmissionResult,
    retries = Number.POSITIVE_INFINITY,
  ): boolean {
    const now = this.#clock.now()
    this.#underWay -= 1
    if (this.#underWay === 0 && this.#waiting.length === 0) this.#idleSince = now
    for (const listener of this.#listeners) listener.onResult(result)
    const again = this.#evaluate(leave, result, { now, retries })
    this.#admitWaiting()
    return again
  }

  #evaluate(leave: GateAdmission, result: AdmissionResult, at: AnswerTiming): boolean {
    const { now } = at
    if ('lost' in result) {
      if (result.lost === 'time-out') this.#halveOnce(leave)
      return false
    }
    const { status, headers } = result
    this.#instanceClock.readDate(headers, now)
    const theirs = this.#instanceClock.getTime(now)
    const limit = readRateLimit(result, theirs)
    if (limit !== undefined) this.#pace.learnLimit(limit, now, leave.serial)
    if (isTurnedAway(result, theirs)) return this.#handleRefusal(leave, result, at)
    this.#wellAt = now
    this.#refusalsInRow = 0
    leave.refused = undefined
    if (status >= 500) return false
    if (!isRedirect(status)) this.#answers += 1
    this.#pace.countAnswer()
    this.#width.countAnswer(now - leave.at)
    return false
  }

  /**
   * Closes the gate for all requests.
   * @returns true if the refused request may be sent again: it was not refused too often since another request was answered
   */
  #handleRefusal(leave: GateAdmission, came: AnswerHead, { now, retries }: AnswerTiming): boolean {
    leave.refused ??= now
    leave.refusals = this.#answers > leave.answers ? 0 : leave.refusals + 1
    this.#closedBy = came.status === 503 ? 503 : 429
    const isFirst = this.#halveOnce(leave)
    if (isFirst) this.#refusalsInRow += 1
    const wait = getWait(came, this.#instanceClock.getTime(now), this.#refusalsInRow)
    const until = Math.max(this.#openAt, now + wait)
    if (isFirst || until > this.#openAt) {
      const wait = until - now
      this.#openAt = now + wait * (isFirst ? 1 + this.#clock.random() * jitter : 1)
      if (isFirst) this.#pace.recordRefusal(now, this.#openAt)
    }
    const since = Math.min(this.#wellAt ?? now, leave.refused)
    this.#hopeless = !this.#isWithinPatience(until, this.#wellAt ?? now)
    const again = leave.refusals <= retries && this.#isWithinPatience(until, since)
    const isAwaited = again || this.#waiting.length > 0
    if (isFirst && isAwaited && !this.#hopeless) this.#reportWait()
    return again
  }

  /** True if patience that began at `since` lasts until the given time. */
  #isWithinPatience(until: number, since: number): boolean {
    return this.#patience > 0 && until <= since + this.#patience
  }

  #reportWait(): void {
    const { waiting } = this
    if (waiting === undefined || waiting.milliseconds < firstWait / 2) return
    const seconds = Math.ceil(waiting.milliseconds / 1000)
    this.#note(`${closingTexts[this.#closedBy].reason}: waiting ${seconds} s; ${waiting.why}`)
  }

  /** Halves the width, once for all requests that were sent before. @returns false if it was halved since this request was sent */
  #halveOnce({ closings }: GateAdmission): boolean {
    if (closings < this.#closings) return false
    this.#closings += 1
    this.#width.halve()
    return true
  }

  /** Returns the reason why a request may not be sent at all. */
  #findRefusal(now: number): Failure | undefined {
    for (const listener of this.#listeners) {
      const refusal = listener.getRefusal()
      if (refusal !== undefined) return refusal
    }
    return this.#hopeless && now < this.#openAt
      ? createLongWaitFailure(this.#closedBy, this.#openAt - now)
      : undefined
  }

  /** Admits the requests that may be sent now, and sets a timer for the next one. */
  #admitWaiting(): void {
    this.#leaveTimer?.()
    this.#leaveTimer = undefined
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const now = this.#clock.now()
      const refusal = this.#findRefusal(now)
      if (refusal !== undefined) {
        this.#waiting.shift()
        first.deny(refusal)
        continue
      }
      if (this.#underWay >= this.#width.value) return
      const wait = Math.max(this.#openAt, this.#pace.getNextTime(now, this.#serial)) - now
      if (wait > 0) {
        this.#leaveTimer = this.#clock.later(wait, () => this.#admitWaiting())
        return
      }
      this.#waiting.shift()
      first.grant(this.#createAdmission(first, now))
    }
  }

  #createAdmission({ before }: AdmissionRequest, now: number): GateAdmission {
    if (this.#idleSince !== undefined) this.#pace.excludeIdleTime(now - this.#idleSince)
    this.#idleSince = undefined
    // Without refusals, the patience of the gate counts from now.
    if (this.#refusalsInRow === 0) this.#wellAt = now
    this.#hopeless = false
    this.#underWay += 1
    this.#serial += 1
    this.#pace.recordRequest(now, this.#serial)
    const { refused, refusals = 0 } = before ?? {}
    const [closings, serial, answers] = [this.#closings, this.#serial, this.#answers]
    return { at: now, closings, refused, refusals, serial, answers }
  }

  #cancelRequest(asking: AdmissionRequest): void {
    const at = this.#waiting.indexOf(asking)
    if (at < 0) return
    this.#waiting.splice(at, 1)
    asking.deny(new Failure('interrupted', 'interrupted'))
    this.#admitWaiting()
  }
}

/** Creates a function that returns the gate of a base URL's origin, the same one each time. */
export const createGates = (options: GateOptions): ((baseUrl: string) => FleetGate) => {
  const made = new Map<string, FleetGate>()
  return (baseUrl) => {
    const { origin } = new URL(baseUrl)
    const gate = made.get(origin) ?? new FleetGate(options)
    made.set(origin, gate)
    return gate
  }
}

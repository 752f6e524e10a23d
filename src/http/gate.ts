/**
 * The gate of one instance, which admits every request to it. If the instance rejects a request as too many (429, or 503 with a time to
 * come again), the gate closes for all. It opens again when the instance says so.
 */
import { type Clock, systemClock } from '../base/async.js'
import { Failure } from '../errors.js'
import {
  type ClosedBy,
  closed,
  createLongWaitFailure,
  firstWait,
  isTurnedAway,
  Pace,
  type Rate,
  readRateLimit,
  TheirClock,
  waitFor,
} from './pace.js'
import type { Admission, AdmissionResult, Answer, Gate, OnInterrupt } from './types.js'

export { parseRate, takeLowerRate, toWholeAllowance } from './pace.js'

// How many requests are under way at once: what an instance bears is found out.

const narrowest = 4
const widest = 32
/** Answers that make it one wider. */
const step = 8
/** The number of answers whose times are compared with those of the first sample. */
const sample = 50
/** Slower by less than this, in milliseconds, is this machine's own unrest. */
const unrest = 10

const getMedian = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

class Width {
  #value: number
  readonly #most: number
  readonly #least: number
  readonly #watchful: boolean
  #good = 0
  /** The median time of the first answers, in milliseconds; undefined while they are collected. */
  #usual: number | undefined
  #times: number[] = []

  /** @param ceiling `auto` adapts between 4 and 32; a number is both the initial and the maximum width */
  constructor(ceiling: number | 'auto') {
    this.#watchful = ceiling === 'auto'
    this.#most = ceiling === 'auto' ? widest : ceiling
    this.#value = ceiling === 'auto' ? narrowest : ceiling
    this.#least = 1
  }

  get value(): number {
    return this.#value
  }

  /** Counts an answer that came after this many milliseconds. */
  answered(milliseconds: number): void {
    this.#good += 1
    if (this.#good % step === 0) this.#value = Math.min(this.#most, this.#value + 1)
    if (this.#watchful) this.#watch(milliseconds)
  }

  halve(): void {
    this.#value = Math.max(this.#least, Math.floor(this.#value / 2))
    this.#good = 0
    this.#times = []
  }

  #watch(milliseconds: number): void {
    this.#times.push(milliseconds)
    if (this.#times.length < sample) return
    const now = getMedian(this.#times)
    this.#times = []
    if (this.#usual === undefined) this.#usual = now
    else if (now > this.#usual * 2 && now > this.#usual + unrest) this.halve()
  }
}

export interface GateOptions {
  /** `auto`, the default, finds out what the instance bears; a number is a ceiling. */
  readonly concurrency?: number | 'auto'
  readonly rate?: Rate
  /** The time for which the instance may turn every request away, in milliseconds. 0 never waits; the default is no limit. */
  readonly patience?: number
  /** Says once of each wait how long it is and why. */
  readonly note?: (text: string) => void
  readonly clock?: Clock
}

/** Hears of every request, and may end them all. */
export interface Listener {
  came(came: AdmissionResult): void
  /** Why nothing may be sent any more; undefined while it may. */
  refusal(): Failure | undefined
}

/** The wait that holds all requests of the gate. */
export interface GateWait {
  readonly milliseconds: number
  readonly why: string
}

/** So much longer than asked at most, so that not everybody comes back at once. */
const jitter = 0.1

type AnswerHead = Pick<Answer, 'status' | 'headers'>

/** When an answer came, and how often its request may still be sent again. */
interface AnswerTiming {
  readonly now: number
  readonly retries: number
}

/** Leads a request on, and is no answer to it. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304

/** Leave of this gate. */
interface Leave extends Admission {
  readonly serial: number
  /** The answers that had come by then. */
  readonly answers: number
  refused: number | undefined
  refusals: number
}

interface LeaveRequest {
  readonly before: Admission | undefined
  readonly grant: (leave: Leave) => void
  readonly deny: (failure: Failure) => void
}

export class FleetGate implements Gate {
  readonly #clock: Clock
  readonly #note: (text: string) => void
  readonly #width: Width
  readonly #pace: Pace
  readonly #patience: number
  readonly #theirs = new TheirClock()
  readonly #asking: LeaveRequest[] = []
  readonly #listeners = new Set<Listener>()
  #underWay = 0
  #serial = 0
  /** Requests that the instance answered. */
  #answers = 0
  #closings = 0
  /** Closings since the last answer that was none. */
  #inRow = 0
  #openAt = 0
  #closedBy: ClosedBy = 429
  /** Since when the instance has turned everything away, at the earliest. */
  #wellAt: number | undefined
  #idleSince: number | undefined
  /** True if the gate closed for longer than its patience, so that no request waits for it. */
  #hopeless = false
  #leaveTimer: (() => void) | undefined

  constructor(options: GateOptions = {}) {
    const { concurrency = 'auto', rate, note, patience = Number.POSITIVE_INFINITY } = options
    const { clock = systemClock } = options
    this.#clock = clock
    this.#note = note ?? (() => {})
    this.#patience = patience
    this.#width = new Width(concurrency)
    this.#pace = new Pace(rate)
  }

  get width(): number {
    return this.#width.value
  }

  /** Why all requests wait, and how long; undefined while they are sent. */
  get waiting(): GateWait | undefined {
    const milliseconds = this.#openAt - this.#clock.now()
    if (milliseconds <= 0) return undefined
    const limit = this.#closedBy === 429 ? this.#pace.words() : undefined
    return { milliseconds, why: limit ?? 'requested by the instance' }
  }

  /** True if patience has ended: every request for that long was turned away. */
  get exhausted(): boolean {
    return this.#inRow > 0 && !this.#bears(this.#clock.now(), this.#wellAt ?? 0)
  }

  /** Adds one that hears of every request; gives a way to take it away. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  admit(onInterrupt: OnInterrupt, before?: Admission): Promise<Leave> {
    return new Promise((resolve, reject) => {
      let forget: () => void = () => {}
      const asking: LeaveRequest = {
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
      // What was sent back has waited longest.
      if (before?.refused === undefined) this.#asking.push(asking)
      else this.#asking.unshift(asking)
      this.#pump()
      const at = this.#asking.indexOf(asking)
      if (at >= 0) forget = onInterrupt(() => this.#withdraw(asking))
    })
  }

  observe(leave: Leave, came: AdmissionResult, retries = Number.POSITIVE_INFINITY): boolean {
    const now = this.#clock.now()
    this.#underWay -= 1
    if (this.#underWay === 0 && this.#asking.length === 0) this.#idleSince = now
    for (const listener of this.#listeners) listener.came(came)
    const again = this.#judge(leave, came, { now, retries })
    this.#pump()
    return again
  }

  #judge(leave: Leave, came: AdmissionResult, at: AnswerTiming): boolean {
    const { now } = at
    if ('lost' in came) {
      if (came.lost === 'time-out') this.#narrow(leave)
      return false
    }
    const { status, headers } = came
    this.#theirs.read(headers, now)
    const theirs = this.#theirs.now(now)
    const limit = readRateLimit(came, theirs)
    if (limit !== undefined) this.#pace.learn(limit, now, leave.serial)
    if (isTurnedAway(came, theirs)) return this.#turnedAway(leave, came, at)
    this.#wellAt = now
    this.#inRow = 0
    leave.refused = undefined
    if (status >= 500) return false
    if (!isRedirect(status)) this.#answers += 1
    this.#pace.answered()
    this.#width.answered(now - leave.at)
    return false
  }

  /**
   * Closes for everyone; true where the request may wait until it opens: it was not refused more often than it may be
   * sent again, but for the refusals since which other requests were answered.
   */
  #turnedAway(leave: Leave, came: AnswerHead, { now, retries }: AnswerTiming): boolean {
    leave.refused ??= now
    leave.refusals = this.#answers > leave.answers ? 0 : leave.refusals + 1
    this.#closedBy = came.status === 503 ? 503 : 429
    const fresh = this.#narrow(leave)
    if (fresh) this.#inRow += 1
    const asked = waitFor(came, this.#theirs.now(now), this.#inRow)
    const until = Math.max(this.#openAt, now + asked)
    if (fresh || until > this.#openAt) {
      const wait = until - now
      this.#openAt = now + wait * (fresh ? 1 + this.#clock.random() * jitter : 1)
      if (fresh) this.#pace.turnedAway(now, this.#openAt)
    }
    const since = Math.min(this.#wellAt ?? now, leave.refused)
    this.#hopeless = !this.#bears(until, this.#wellAt ?? now)
    const again = leave.refusals <= retries && this.#bears(until, since)
    const awaited = again || this.#asking.length > 0
    if (fresh && awaited && !this.#hopeless) this.#tell()
    return again
  }

  /** True if patience that began at `since` lasts until the given time. */
  #bears(until: number, since: number): boolean {
    return this.#patience > 0 && until <= since + this.#patience
  }

  #tell(): void {
    const { waiting } = this
    if (waiting === undefined || waiting.milliseconds < firstWait / 2) return
    const seconds = Math.ceil(waiting.milliseconds / 1000)
    this.#note(`${closed[this.#closedBy]}: waiting ${seconds} s; ${waiting.why}`)
  }

  /** Halves the width, once for all that was sent before it was halved. */
  #narrow({ closings }: Leave): boolean {
    if (closings < this.#closings) return false
    this.#closings += 1
    this.#width.halve()
    return true
  }

  /** Why a request may not be sent at all. */
  #refusal(now: number): Failure | undefined {
    for (const listener of this.#listeners) {
      const refusal = listener.refusal()
      if (refusal !== undefined) return refusal
    }
    return this.#hopeless && now < this.#openAt
      ? createLongWaitFailure(this.#closedBy, this.#openAt - now)
      : undefined
  }

  /** Admits the requests that may be sent now, and sets a timer for the next one. */
  #pump(): void {
    this.#leaveTimer?.()
    this.#leaveTimer = undefined
    for (let first = this.#asking[0]; first !== undefined; first = this.#asking[0]) {
      const now = this.#clock.now()
      const refusal = this.#refusal(now)
      if (refusal !== undefined) {
        this.#asking.shift()
        first.deny(refusal)
        continue
      }
      if (this.#underWay >= this.#width.value) return
      const wait = Math.max(this.#openAt, this.#pace.next(now, this.#serial)) - now
      if (wait > 0) {
        this.#leaveTimer = this.#clock.later(wait, () => this.#pump())
        return
      }
      this.#asking.shift()
      first.grant(this.#leave(first, now))
    }
  }

  #leave({ before }: LeaveRequest, now: number): Leave {
    if (this.#idleSince !== undefined) this.#pace.idle(now - this.#idleSince)
    this.#idleSince = undefined
    // Patience counts from when all was well last, and that was so when nothing was asked for.
    if (this.#inRow === 0) this.#wellAt = now
    this.#hopeless = false
    this.#underWay += 1
    this.#serial += 1
    this.#pace.sent(now, this.#serial)
    const { refused, refusals = 0 } = before ?? {}
    const [closings, serial, answers] = [this.#closings, this.#serial, this.#answers]
    return { at: now, closings, refused, refusals, serial, answers }
  }

  #withdraw(asking: LeaveRequest): void {
    const at = this.#asking.indexOf(asking)
    if (at < 0) return
    this.#asking.splice(at, 1)
    asking.deny(new Failure('interrupted', 'interrupted'))
    this.#pump()
  }
}

/** Gives the gate of a base URL's origin; the same one each time. */
export const createGates = (options: GateOptions = {}): ((baseUrl: string) => FleetGate) => {
  const made = new Map<string, FleetGate>()
  return (baseUrl) => {
    const { origin } = new URL(baseUrl)
    const gate = made.get(origin) ?? new FleetGate(options)
    made.set(origin, gate)
    return gate
  }
}

/** Decides when the next request may be sent: by the limit that the instance states, by one learnt from refusals, and by `--rate`. */
import { Failure, usage } from '../errors.js'
import {
  getRequestedWait,
  parseCount,
  parseRateReset,
  parseRetryAfter,
  readHeader,
} from './headers.js'
import { type ClosedBy, closingTexts } from './status.js'
import type { AnswerHead, AnswerHeaders } from './types.js'

// The limits that an instance states: `Retry-After`, and `RateLimit-Limit`, `-Remaining`, `-Reset`.

/** A limit as one answer states it. */
interface RateLimit {
  readonly limit: number
  readonly remaining: number
  /** The time until the limit begins anew, in milliseconds, by the instance's own clock. */
  readonly untilReset: number
}

/**
 * The instance's clock, read from the dates of its answers. A date has whole seconds and is never ahead, so the one furthest ahead is the
 * best.
 */
export class RemoteClock {
  #ahead: number | undefined

  /** Returns the lowest time that the instance's clock can show now; our own time if it sent no date. */
  getTime(here: number): number {
    return here + (this.#ahead ?? 0)
  }

  /** Reads the date of an answer that came at our own time `here`. */
  readDate(headers: AnswerHeaders, here: number): void {
    const date = Date.parse(readHeader(headers, 'date') ?? '')
    if (Number.isNaN(date)) return
    this.#ahead = Math.max(this.#ahead ?? Number.NEGATIVE_INFINITY, date - here)
  }
}

/** The first wait if the instance gives none, in milliseconds; it doubles each time. */
export const firstWait = 1000
const longestWait = 30_000
/** The shortest wait if requests are refused after the limit should have begun anew, in milliseconds; it doubles each time. */
const minRefusalWait = 100

/**
 * Returns the time to wait before the next request. `Retry-After` counts exactly, even 0; else the wait ends when the limit begins anew.
 * That time is imprecise, so an instance that keeps turning requests away gets longer waits.
 * @param refusalsInRow the number of refusals since the last other answer
 */
export const getWait = (
  { status, headers }: AnswerHead,
  instanceTime: number,
  refusalsInRow: number,
): number => {
  const again = 2 ** (refusalsInRow - 1)
  const header = (name: string): string | undefined => readHeader(headers, name)
  const after = parseRetryAfter(header('retry-after'), instanceTime)
  if (after !== undefined) return after
  const wait = getRequestedWait(status, header, instanceTime)
  if (wait === undefined) return Math.min(longestWait, firstWait * again)
  return refusalsInRow < 2 ? wait : Math.max(wait, Math.min(longestWait, minRefusalWait * again))
}

/** True if an answer asks to send the request again later: 429, or 503 with `Retry-After`. */
export const isTurnedAway = ({ status, headers }: AnswerHead, instanceTime: number): boolean =>
  status === 429 ||
  (status === 503 &&
    parseRetryAfter(readHeader(headers, 'retry-after'), instanceTime) !== undefined)

/**
 * Reads the limit in an answer. Returns undefined if the answer gives only a part of it, or failed although requests remain: then the limit
 * is not the cause.
 */
export const readRateLimit = (
  { status, headers }: AnswerHead,
  instanceTime: number,
): RateLimit | undefined => {
  const limit = parseCount(readHeader(headers, 'ratelimit-limit'))
  const remaining = parseCount(readHeader(headers, 'ratelimit-remaining'))
  const untilReset = parseRateReset(readHeader(headers, 'ratelimit-reset'), instanceTime)
  if (limit === undefined || limit === 0 || remaining === undefined || untilReset === undefined)
    return undefined
  if (status >= 500 && remaining > 0) return undefined
  return { limit, remaining, untilReset }
}

/** Creates the failure of requests that are not sent because the instance asks for too long a wait. */
export const createLongWaitFailure = (by: ClosedBy, wait: number): Failure => {
  const about = `${Math.ceil(wait / 1000)} s`
  const { category, code, message } = closingTexts[by]
  return new Failure(category, `${message}, and asks to wait ${about}`, {
    status: by,
    advice: { code, about },
  })
}

/** Below this fraction of a limit, the remaining requests are spread over the remaining time. */
const scarceFraction = 0.3
/** The fraction of the remaining time over which they are spread. */
const usedFraction = 0.9
/** The time that a late timer may make up for, in milliseconds. */
const lateTimerAllowance = 20
/** The shortest time from which a rate is estimated, in milliseconds. */
const minEstimateTime = 1000
/** The number of answers below which no rate is estimated. */
const minAnswers = 8

/** The unit of windows in milliseconds: they are multiples of a second, as in the headers. */
const second = 1000
/** The length from which the stated end of a window is too imprecise to rely on, in milliseconds. */
const roughWindow = 10 * second
/** The factor by which requests at a limit's rate are spread out, so that none falls into the window before. */
const spreadFactor = 1.02

/** The windows of limits, in words, by the longest stated time until a limit begins anew, in milliseconds. */
const windows = [
  { from: Number.NEGATIVE_INFINITY, to: 1500, words: 'a second' },
  { from: 30_000, to: 61_000, words: 'a minute' },
  { from: 1_800_000, to: 3_601_000, words: 'an hour' },
] as const

/** A limit that an answer stated, with its times by this machine's clock. */
interface KnownLimit {
  readonly limit: number
  readonly until: number
  /** The serial number of the request whose answer gave the limit; requests sent later are not counted in it. */
  readonly serial: number
  readonly remaining: number
}

/** If a learnt rate proves too high, the next one is this fraction of the rate that was kept. */
const easedFraction = 0.85
/** After a second refusal, the pace doubles only after this many times the wait that the refusal caused. */
const waitMultiple = 20
/** The longest time until the pace doubles, in milliseconds, unless learning it took longer: an instance may lift its limit. */
const maxDoublingTime = 60_000

/** The rate that an instance seems to allow if it states no limit and only rejects requests as too many. */
interface RateEstimate {
  readonly rate: Rate
  /** The time at which the rate was estimated, and the time in which it grows by its own value, in milliseconds. */
  readonly from: number
  readonly span: number
  /** The growth after each span: the rate doubles, or increases by the estimated rate. */
  readonly growth: 'doubling' | 'steady'
}

export class Pace {
  readonly #asked: Rate | undefined
  #known: KnownLimit | undefined
  #learnt: RateEstimate | undefined
  /** The number of answers since `#from`. Idle time is left out by moving `#from`. */
  #answerCount = 0
  #from: number | undefined
  /** The time before which the next request must not be sent. */
  #next = 0
  /** The longest stated time until a limit begins anew, which shows the length of its window. */
  #span = 0
  /** The length of a limit's window in milliseconds, as observed: from one increase of the remaining requests to the next. */
  #window: number | undefined
  #windowBegan: number | undefined

  constructor(asked?: Rate) {
    this.#asked = asked
  }

  /** Returns the time before which nothing may be sent. */
  getNextTime(now: number, serial: number): number {
    const known = this.#getCurrentLimit(now)
    if (known !== undefined && known.remaining - (serial - known.serial) <= 0)
      return Math.min(known.until, this.#getWindowEnd(now) ?? known.until)
    return this.#next
  }

  /** Records that a request is sent. */
  recordRequest(now: number, serial: number): void {
    this.#from ??= now
    const interval = this.#getInterval(now, serial)
    this.#next = interval === 0 ? now : Math.max(this.#next, now - lateTimerAllowance) + interval
  }

  /** Excludes a time in which there was nothing to send from the estimate. */
  excludeIdleTime(milliseconds: number): void {
    if (this.#from !== undefined) this.#from += milliseconds
  }

  /** Counts an answer that was not a refusal. */
  countAnswer(): void {
    this.#answerCount += 1
  }

  /** Learns the limit that an answer states. */
  learnLimit({ limit, remaining, untilReset }: RateLimit, now: number, serial: number): void {
    this.#span = Math.max(this.#span, untilReset)
    const until = now + untilReset
    const known = this.#getCurrentLimit(now)
    this.#detectWindow(remaining, now, serial)
    // Answers may overtake each other. Within a window, the request that was sent last has the current limit.
    const later = known === undefined || until > known.until + second || serial > known.serial
    if (later) this.#known = { limit, remaining, until, serial }
  }

  /** Detects the beginning of a new window, since its stated end has whole seconds only and is often rounded up. */
  #detectWindow(remaining: number, now: number, serial: number): void {
    const before = this.#known
    if (before === undefined || serial <= before.serial || remaining <= before.remaining) return
    if (this.#windowBegan !== undefined) {
      const length = Math.max(second, Math.round((now - this.#windowBegan) / second) * second)
      this.#window = Math.min(this.#window ?? length, length)
    }
    this.#windowBegan = now
  }

  /** Returns the end of the observed window; undefined if the stated end is precise enough, or if it is unknown. */
  #getWindowEnd(now: number): number | undefined {
    if (this.#window === undefined || this.#windowBegan === undefined || this.#window > roughWindow)
      return undefined
    const end = this.#windowBegan + this.#window
    return end > now ? end : undefined
  }

  /** Records that the instance turned a request away, so that nothing is sent until a time. */
  recordRefusal(now: number, until: number): void {
    this.#learnt = this.#answerCount < minAnswers ? undefined : this.#estimateRate(now, until)
    this.#answerCount = 0
    this.#from = until
    this.#next = until
  }

  /**
   * Estimates the rate that the instance allows. The rate over the whole time, including the wait, is certainly allowed. A second refusal
   * at a learnt rate shows that this rate is close to the limit. Then the rate until the wait counts for more, since each further wait
   * costs more than a faster rate gains.
   */
  #estimateRate(now: number, until: number): RateEstimate {
    const from = this.#from ?? now
    const span = Math.max(minEstimateTime, until - from)
    const certain = this.#answerCount / span
    if (this.#learnt === undefined) return { rate: certain, from: until, span, growth: 'doubling' }
    const reached = Math.min(
      this.#answerCount / Math.max(1, now - from),
      1 / this.#getLearntInterval(now),
    )
    const rate = Math.max(certain, reached * easedFraction)
    const slow = waitMultiple * Math.max(minRefusalWait, until - now)
    return {
      rate,
      from: until,
      span: Math.min(slow, Math.max(span, maxDoublingTime)),
      growth: 'steady',
    }
  }

  /** Returns the limit of the instance in words; undefined if the instance does not state one. */
  describeLimit(): string | undefined {
    const limit = this.#known?.limit
    const window = windows.find(({ from, to }) => this.#span > from && this.#span <= to)
    if (limit === undefined || window === undefined) return undefined
    return `the instance allows ${limit} ${window.words}`
  }

  #getCurrentLimit(now: number): KnownLimit | undefined {
    return this.#known !== undefined && this.#known.until > now ? this.#known : undefined
  }

  /** Returns the interval between this request and the next, in milliseconds. */
  #getInterval(now: number, serial: number): number {
    const pause = this.#asked === undefined ? 0 : 1 / this.#asked
    const known = this.#getCurrentLimit(now)
    if (known === undefined) return Math.max(pause, this.#getLearntInterval(now))
    const left = known.remaining - (serial - known.serial)
    // At the limit's own rate, the limit is never used up, so its exact end does not matter.
    if (this.#window !== undefined && this.#window <= roughWindow)
      return Math.max(pause, (this.#window * spreadFactor) / known.limit)
    if (left <= 0 || left >= known.limit * scarceFraction) return pause
    return Math.max(pause, ((known.until - now) * usedFraction) / left)
  }

  #getLearntInterval(now: number): number {
    if (this.#learnt === undefined) return 0
    const { rate, from, span, growth } = this.#learnt
    const spans = Math.max(0, now - from) / span
    return 1 / (rate * (growth === 'doubling' ? 2 ** spans : 1 + spans))
  }
}

// `--rate`: the maximum number of requests per second or minute.

/** A rate in requests per millisecond. */
export type Rate = number

const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000 }

/** An allowance: a number of requests in a number of milliseconds. */
export interface Allowance {
  readonly requests: number
  readonly span: number
}

/**
 * Parses an allowance: `100/s`, `0.5/s`, `600/min`, each with its span; a number alone is per second.
 * @throws Failure `usage` for any other text
 */
const parseAllowance = (text: string): Allowance => {
  const [, count, unit] = /^\s*(\d+(?:\.\d+)?)\s*(?:\/\s*(s|min)\s*)?$/.exec(text) ?? []
  const span = units[unit ?? 's']
  if (span === undefined || !(Number(count) > 0))
    throw usage(`invalid rate ${JSON.stringify(text)}`, 'Use a form like 100/s or 600/min.')
  return { requests: Number(count), span }
}

/** Converts an allowance to whole requests, at least one, with the span scaled accordingly. */
export const toWholeAllowance = (text: string): Allowance => {
  const { requests, span } = parseAllowance(text)
  const whole = Math.max(1, Math.floor(requests))
  return { requests: whole, span: (span * whole) / requests }
}

/**
 * Parses an allowance as requests per millisecond.
 * @throws Failure `usage`
 */
export const parseRate = (text: string): Rate => {
  const { requests, span } = parseAllowance(text)
  return requests / span
}

/** Returns the lower of two rates, as of a flag and a profile. */
export const takeLowerRate = (one?: Rate, other?: Rate): Rate | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

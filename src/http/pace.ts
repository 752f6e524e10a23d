/** When the next request may be sent: what the instance tells of its limit, what was learnt, what was asked for. */
import { Failure, usage } from '../errors.js'
import { afterRetry, askedWait, readHeader, untilReset } from './headers.js'
import type { Answer } from './types.js'

// What an instance says of its limits: `Retry-After`, and `RateLimit-Limit`, `-Remaining`, `-Reset`.

type Headers = Answer['headers']

/** A limit, as one answer tells of it. */
interface RateLimit {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until it begins anew, by the instance's own clock. */
  readonly rest: number
}

const countOf = (headers: Headers, name: string): number | undefined => {
  const text = readHeader(headers, name)?.trim()
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/**
 * The instance's clock, read from the dates of its answers. A date is told in whole seconds: it is
 * never ahead, so that of many the one furthest ahead is the best.
 */
export class TheirClock {
  #ahead: number | undefined

  /** What its clock shows now, at least; ours where it never said. */
  now(here: number): number {
    return here + (this.#ahead ?? 0)
  }

  read(headers: Headers, here: number): void {
    const date = Date.parse(readHeader(headers, 'date') ?? '')
    if (Number.isNaN(date)) return
    this.#ahead = Math.max(this.#ahead ?? Number.NEGATIVE_INFINITY, date - here)
  }
}

/** A wait that the instance leaves open: so long at first, in milliseconds, and twice as long each time. */
export const firstWait = 1000
const longestWait = 30_000
/** Turned away although its limit should have begun anew: so long at least, and twice as long each time. */
const leastWait = 100

/** The beginning of an answer. */
type Head = Pick<Answer, 'status' | 'headers'>

/**
 * How long to wait: as long as `Retry-After` says, also 0; else until the limit begins anew, which is told roughly:
 * an instance that turns away all the same is left alone for longer each time.
 * @param inRow how often it turned away since the last answer that was none
 */
export const waitFor = ({ status, headers }: Head, theirs: number, inRow: number): number => {
  const again = 2 ** (inRow - 1)
  const header = (name: string): string | undefined => readHeader(headers, name)
  const after = afterRetry(header('retry-after'), theirs)
  if (after !== undefined) return after
  const asked = askedWait(status, header, theirs)
  if (asked === undefined) return Math.min(longestWait, firstWait * again)
  return inRow < 2 ? asked : Math.max(asked, Math.min(longestWait, leastWait * again))
}

/** Whether an answer asks to send the request again later: 429, or 503 with `Retry-After`. */
export const turnsAway = ({ status, headers }: Head, theirs: number): boolean =>
  status === 429 ||
  (status === 503 && afterRetry(readHeader(headers, 'retry-after'), theirs) !== undefined)

/**
 * The limit that an answer tells of; undefined where it does not tell of all of it, or fails while something
 * remains: then it is not the limit's doing.
 */
export const readRateLimit = ({ status, headers }: Head, theirs: number): RateLimit | undefined => {
  const limit = countOf(headers, 'ratelimit-limit')
  const remaining = countOf(headers, 'ratelimit-remaining')
  const rest = untilReset(readHeader(headers, 'ratelimit-reset'), theirs)
  if (limit === undefined || limit === 0 || remaining === undefined || rest === undefined)
    return undefined
  if (status >= 500 && remaining > 0) return undefined
  return { limit, remaining, rest }
}

/** Who closed it: an answer 429, or a 503 that says when to come again. */
export type ClosedBy = 429 | 503

/** Why nothing is sent while it asks for longer than anybody waits. */
export const over = (by: ClosedBy, wait: number): Failure => {
  const about = `${Math.ceil(wait / 1000)} s`
  const asks = `and asks to wait ${about}`
  if (by === 503)
    return new Failure('unreachable', `the instance is not available, ${asks}`, {
      status: by,
      advice: { code: 'unavailable', about },
    })
  return new Failure('rate_limited', `the instance limits requests, ${asks}`, {
    status: by,
    advice: { code: 'rate', about },
  })
}

/** In words. */
export const closed: Readonly<Record<ClosedBy, string>> = {
  429: 'too many requests (429)',
  503: 'the instance is not available (503)',
}

/** Below this part of a limit the rest is shared out. */
const scarce = 0.3
/** So much of the time that is left is used for it. */
const used = 0.9
/** What a late timer may make up for, in milliseconds. */
const slack = 20
/** What was learnt in less time than this says little, in milliseconds. */
const shortest = 1000
/** Of fewer answers than this nothing is learnt. */
const minAnswers = 8

/** Windows are so many milliseconds, or a multiple of that: seconds, as the headers tell them. */
const second = 1000
/** When a window of this length ends is told too roughly to go by it, in milliseconds. */
const rough = 10 * second
/** What is sent at the rate of a limit, so that none of it falls into the window before. */
const spread = 1.02

/** A limit that an answer told of, by this machine's clock. */
interface Known {
  readonly limit: number
  readonly until: number
  /** Of the request whose answer told it: those sent later are not in it. */
  readonly serial: number
  readonly remaining: number
}

/** A pace that was kept and was too much: so much of what was taken at it is asked for next. */
const eased = 0.85
/** From then on it is twice as much only after so many times the wait that it cost. */
const careful = 20
/** Or after so long, in milliseconds, or as long as was needed to learn it: whoever limits may cease to. */
const longest = 60_000

/** The rate that an instance seems to allow, where it stated no limit and only rejected requests as too many. */
interface RateEstimate {
  readonly rate: Rate
  /** When it was learnt, and in how long it is twice as much. */
  readonly from: number
  readonly span: number
  /** Twice as much once more after each span, or as much more again. */
  readonly growth: 'doubling' | 'steady'
}

export class Pace {
  readonly #asked: Rate | undefined
  #known: Known | undefined
  #learnt: RateEstimate | undefined
  /** Answers since `#from`, and time since then in which nothing was to do. */
  #good = 0
  #from: number | undefined
  /** When the next may be sent. */
  #next = 0
  /** The longest rest of a limit that was told: what it counts for. */
  #span = 0
  /** How long its windows are, as far as was seen: from when more was left than before until the next time. */
  #window: number | undefined
  #windowBegan: number | undefined

  constructor(asked?: Rate) {
    this.#asked = asked
  }

  /** The time before which nothing may be sent. */
  next(now: number, serial: number): number {
    const known = this.#current(now)
    if (known !== undefined && known.remaining - (serial - known.serial) <= 0)
      return Math.min(known.until, this.#windowEnd(now) ?? known.until)
    return this.#next
  }

  /** A request is sent. */
  sent(now: number, serial: number): void {
    this.#from ??= now
    const interval = this.#interval(now, serial)
    this.#next = interval === 0 ? now : Math.max(this.#next, now - slack) + interval
  }

  /** Nothing was to do for so long. */
  idle(milliseconds: number): void {
    if (this.#from !== undefined) this.#from += milliseconds
  }

  /** An answer that turned nothing away. */
  answered(): void {
    this.#good += 1
  }

  learn({ limit, remaining, rest }: RateLimit, now: number, serial: number): void {
    this.#span = Math.max(this.#span, rest)
    const until = now + rest
    const known = this.#current(now)
    this.#look(remaining, now, serial)
    // Answers overtake each other; within one window the latest request knows best.
    const later = known === undefined || until > known.until + shortest || serial > known.serial
    if (later) this.#known = { limit, remaining, until, serial }
  }

  /** Looks whether a new window began: when it ends is told in whole seconds only, and often rounded up. */
  #look(remaining: number, now: number, serial: number): void {
    const before = this.#known
    if (before === undefined || serial <= before.serial || remaining <= before.remaining) return
    if (this.#windowBegan !== undefined) {
      const length = Math.max(second, Math.round((now - this.#windowBegan) / second) * second)
      this.#window = Math.min(this.#window ?? length, length)
    }
    this.#windowBegan = now
  }

  /** When the window that was seen to begin ends; undefined where that is told well enough, or not known. */
  #windowEnd(now: number): number | undefined {
    if (this.#window === undefined || this.#windowBegan === undefined || this.#window > rough)
      return undefined
    const end = this.#windowBegan + this.#window
    return end > now ? end : undefined
  }

  /** The instance said "too many", and is left alone until a time. */
  turnedAway(now: number, until: number): void {
    this.#learnt = this.#good < minAnswers ? undefined : this.#lesson(now, until)
    this.#good = 0
    this.#from = until
    this.#next = until
  }

  /**
   * What was taken over the whole time, the wait with it, is borne for certain. A pace that was kept
   * has come near to what is borne: then what was taken until the wait says more, and each further
   * wait would cost more than a faster pace brings.
   */
  #lesson(now: number, until: number): RateEstimate {
    const from = this.#from ?? now
    const span = Math.max(shortest, until - from)
    const certain = this.#good / span
    if (this.#learnt === undefined) return { rate: certain, from: until, span, growth: 'doubling' }
    const taken = Math.min(this.#good / Math.max(1, now - from), 1 / this.#learntInterval(now))
    const rate = Math.max(certain, taken * eased)
    const slow = careful * Math.max(leastWait, until - now)
    return { rate, from: until, span: Math.min(slow, Math.max(span, longest)), growth: 'steady' }
  }

  /** What the instance allows, in words; undefined where it does not say. */
  words(): string | undefined {
    const limit = this.#known?.limit
    const unit =
      this.#span <= 1500
        ? 'second'
        : this.#span > 30_000 && this.#span <= 61_000
          ? 'minute'
          : this.#span > 1_800_000 && this.#span <= 3_601_000
            ? 'hour'
            : undefined
    if (limit === undefined || unit === undefined) return undefined
    return `the instance allows ${limit} ${unit === 'hour' ? 'an' : 'a'} ${unit}`
  }

  #current(now: number): Known | undefined {
    return this.#known !== undefined && this.#known.until > now ? this.#known : undefined
  }

  /** Milliseconds between this request and the next. */
  #interval(now: number, serial: number): number {
    const asked = this.#asked === undefined ? 0 : 1 / this.#asked
    const known = this.#current(now)
    if (known === undefined) return Math.max(asked, this.#learntInterval(now))
    const left = known.remaining - (serial - known.serial)
    // The limit's own rate never comes to its end, wherever that is.
    if (this.#window !== undefined && this.#window <= rough)
      return Math.max(asked, (this.#window * spread) / known.limit)
    if (left <= 0 || left >= known.limit * scarce) return asked
    return Math.max(asked, ((known.until - now) * used) / left)
  }

  #learntInterval(now: number): number {
    if (this.#learnt === undefined) return 0
    const { rate, from, span, growth } = this.#learnt
    const spans = Math.max(0, now - from) / span
    return 1 / (rate * (growth === 'doubling' ? 2 ** spans : 1 + spans))
  }
}

// `--rate`: how many requests a second, or a minute, there may be at most.

/** Requests a millisecond. */
export type Rate = number

const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000 }

/** So many requests in so many milliseconds. */
export interface Allowance {
  readonly requests: number
  readonly span: number
}

/**
 * `100/s`, `0.5/s`, `600/min`, each with the span that it names; a number alone is per second.
 * @throws Failure `usage`
 */
const parseAllowance = (text: string): Allowance => {
  const [, count, unit] = /^\s*(\d+(?:\.\d+)?)\s*(?:\/\s*(s|min)\s*)?$/.exec(text) ?? []
  const span = units[unit ?? 's']
  if (span === undefined || !(Number(count) > 0))
    throw usage(`invalid rate ${JSON.stringify(text)}`, 'Use a form like 100/s or 600/min.')
  return { requests: Number(count), span }
}

/** The same in whole requests, at least one, over a span as much longer or shorter. */
export const wholeAllowance = (text: string): Allowance => {
  const { requests, span } = parseAllowance(text)
  const whole = Math.max(1, Math.floor(requests))
  return { requests: whole, span: (span * whole) / requests }
}

/**
 * The same as requests a millisecond.
 * @throws Failure `usage`
 */
export const parseRate = (text: string): Rate => {
  const { requests, span } = parseAllowance(text)
  return requests / span
}

/** The stricter of what a flag and a profile say. */
export const stricter = (one?: Rate, other?: Rate): Rate | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

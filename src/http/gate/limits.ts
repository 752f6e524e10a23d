/** What an instance says of its limits: `Retry-After`, and `RateLimit-Limit`, `-Remaining`, `-Reset`. */

import { Failure } from '../../errors.js'
import { afterRetry, askedWait, untilReset } from '../answers/headers.js'
import type { Answer } from '../types.js'

type Headers = Answer['headers']

/** A limit, as one answer tells of it. */
export interface Told {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until it begins anew, by the instance's own clock. */
  readonly rest: number
}

const textOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

const countOf = (headers: Headers, name: string): number | undefined => {
  const text = textOf(headers, name)?.trim()
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
    const date = Date.parse(textOf(headers, 'date') ?? '')
    if (Number.isNaN(date)) return
    this.#ahead = Math.max(this.#ahead ?? Number.NEGATIVE_INFINITY, date - here)
  }
}

/** A wait that the instance leaves open: so long at first, in milliseconds, and twice as long each time. */
export const firstWait = 1000
const longestWait = 30_000
/** Turned away again at once where it asked for no wait: so long at least, and twice as long each time. */
export const leastWait = 100

/** The beginning of an answer. */
type Head = Pick<Answer, 'status' | 'headers'>

/**
 * How long to wait: as long as it asks for; one that asks for too little, again and again, is not hammered on.
 * @param inRow how often it turned away since the last answer that was none
 */
export const waitFor = ({ status, headers }: Head, theirs: number, inRow: number): number => {
  const again = 2 ** (inRow - 1)
  const asked = askedWait(status, (name) => textOf(headers, name), theirs)
  if (asked === undefined) return Math.min(longestWait, firstWait * again)
  return inRow < 2 ? asked : Math.max(asked, Math.min(longestWait, leastWait * again))
}

/** Whether an answer asks to send the request again later: 429, or 503 with `Retry-After`. */
export const turnsAway = ({ status, headers }: Head, theirs: number): boolean =>
  status === 429 ||
  (status === 503 && afterRetry(textOf(headers, 'retry-after'), theirs) !== undefined)

/**
 * The limit that an answer tells of; undefined where it does not tell of all of it, or fails while something
 * remains: then it is not the limit's doing.
 */
export const readRateLimit = ({ status, headers }: Head, theirs: number): Told | undefined => {
  const limit = countOf(headers, 'ratelimit-limit')
  const remaining = countOf(headers, 'ratelimit-remaining')
  const rest = untilReset(textOf(headers, 'ratelimit-reset'), theirs)
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

/** Declares the defaults of requests and lists, which help texts mention as well. */

/** The time to wait for an answer, and for each further piece of it, in seconds. */
export const defaultTimeout = 60
/** The default time-out in seconds for the refresh of an OAuth token. */
export const refreshTimeout = 30
/** The number of further attempts of a request. */
export const defaultRetries = 3
/** The time for which an instance may turn requests away, because of limits or maintenance, in seconds. */
export const defaultMaxWait = 900
/** The maximum of a time that a person sets: a day. Timers of Node end at once if a time is longer than 24 days. */
export const longestWait = 86_400
/** The default number of records of a list. */
export const defaultLimit = 100
/** The maximum number of records of a page (`http/README.md`, "Lists"). */
export const largestPage = 100

/** The time to wait for an answer: `brief` for requests that are useful but not worth a wait. */
export type WaitKind = 'usual' | 'brief'

/** The settings for brief requests: a time-out in seconds, and no further attempt unless the instance limits requests. */
const brief = { timeout: 3, retries: 0 } as const

interface WaitSettings {
  readonly timeout: number
  readonly retries: number
  /** The number of further attempts if the instance asks to wait; `retries` unless given. */
  readonly refusals?: number
}

/** Returns the time-out and retries of requests, with defaults for missing ones. */
export const getWaitSettings = (
  patience: WaitKind,
  { timeout = defaultTimeout, retries = defaultRetries }: Partial<WaitSettings>,
): WaitSettings =>
  patience === 'brief'
    ? { timeout: Math.min(timeout, brief.timeout), retries: brief.retries, refusals: retries }
    : { timeout, retries }

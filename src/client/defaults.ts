/** What counts where nobody says otherwise: what the client does, and what help says of it. */

/** Seconds to wait for an answer, and for each further piece of it. */
export const defaultTimeout = 60
/** Seconds for the refresh of an OAuth token, where nobody says. */
export const refreshTimeout = 30
/** How often a request is tried again. */
export const defaultRetries = 3
/** How many records of a list. */
export const defaultLimit = 100
/** Records that a page holds at most (`http/README.md`, "Lists"). */
export const largestPage = 100

/**
 * How long an answer is waited for: `long` for a long list or a download; `brief` for what is good to
 * know, and not worth a wait.
 */
export type WaitKind = 'usual' | 'long' | 'brief'

/** What is good to know is waited for so many seconds, and asked once. */
const brief = { timeout: 3, retries: 0 } as const

interface Waiting {
  readonly timeout: number
  readonly retries: number
}

/** The time-out and retries of requests; the defaults where none are given. */
export const waitingFor = (
  patience: WaitKind,
  { timeout = defaultTimeout, retries = defaultRetries }: Partial<Waiting>,
): Waiting =>
  patience === 'brief'
    ? { timeout: Math.min(timeout, brief.timeout), retries: brief.retries }
    : { timeout, retries }

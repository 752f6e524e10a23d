/** Headers of answers, and how long they ask a client to wait, in milliseconds. */

/** Headers of an answer, by their names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The first value of a header. */
export const readHeader = (headers: AnswerHeaders, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Below this a reset cannot be a time of day; then it counts seconds from now. */
const epochFloor = 1e9
const seconds = /^\d+(\.\d+)?$/

/** `Retry-After`: seconds or a date. Undefined where it says neither. */
export const afterRetry = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim()
  if (text === undefined || text === '') return undefined
  const until = seconds.test(text) ? now + Number(text) * 1000 : Date.parse(text)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}

/** `RateLimit-Reset`: epoch seconds, or seconds from now. Undefined where it says neither. */
export const untilReset = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim()
  if (text === undefined || !seconds.test(text)) return undefined
  const value = Number(text)
  return Math.max(0, value < epochFloor ? value * 1000 : value * 1000 - now)
}

/**
 * How long an answer asks to be left alone: as `Retry-After` says. When the window of a limit ends is the
 * answer to a limit alone: to a 429, or where nothing remains of it. Any other failure has nothing to do with it.
 * @param header gives a header of the answer by its name in lower case
 */
export const askedWait = (
  status: number,
  header: (name: string) => string | undefined,
  now: number,
): number | undefined => {
  const after = afterRetry(header('retry-after'), now)
  if (after !== undefined) return after
  const limited = status === 429 || Number(header('ratelimit-remaining') || Number.NaN) === 0
  return limited ? untilReset(header('ratelimit-reset'), now) : undefined
}

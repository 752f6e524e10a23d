/** Formats durations and failures for pages and notes. */
import type { Failure } from '../errors.js'
import { span } from '../terminal/text.js'

// Why something could not be read, in a phrase.

/** Whether the instance does not have the endpoint, because of its edition or version. */
export const isUnoffered = ({ details }: Failure): boolean => details.lacks === 'route'

/** Explains why something could not be read. */
export const whyUnread = (failure: Failure): string => {
  if (failure.status === 403) return `not permitted: ${failure.message}`
  return isUnoffered(failure)
    ? `not available on this instance: ${failure.message}`
    : failure.message
}

/** Formats seconds in their largest unit: `12 d`. */
export const formatSpan = (seconds: number): string =>
  span(Math.abs(seconds)).replace(/^(\d+ \w+) .*/, '$1')

/** Formats the time until an end, or since it. */
export const formatTimeLeft = (seconds: number): string =>
  seconds < 0 ? `ended ${formatSpan(seconds)} ago` : `ends in ${formatSpan(seconds)}`

/** Joins the first few texts, and says how many more there are. */
export const joinFirst = (texts: readonly string[], most: number, joint = ', '): string =>
  texts.length <= most
    ? texts.join(joint)
    : `${texts.slice(0, most).join(joint)} and ${texts.length - most} more`

/** Numbers, times and failures in the words of a page. */
import type { Failure } from '../errors.js'
import { span } from '../terminal/text/time.js'

// Why something could not be read, in a phrase.

/** Whether the instance itself says that it has no such thing: its edition or version lacks it. */
export const isUnoffered = ({ details }: Failure): boolean => details.lacks === 'route'

export const whyUnread = (failure: Failure): string => {
  if (failure.status === 403) return `not permitted: ${failure.message}`
  return isUnoffered(failure)
    ? `not available on this instance: ${failure.message}`
    : failure.message
}

/** `3 runners`. */
export const several = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`

/** Seconds in their largest unit: `12 d`. */
export const spanText = (seconds: number): string =>
  span(Math.abs(seconds)).replace(/^(\d+ \w+) .*/, '$1')

/** What is left until an end, or how long ago it was. */
export const leftText = (seconds: number): string =>
  seconds < 0 ? `ended ${spanText(seconds)} ago` : `ends in ${spanText(seconds)}`

/** The first of several, and how many there are besides. */
export const joinFirst = (texts: readonly string[], most: number, joint = ', '): string =>
  texts.length <= most
    ? texts.join(joint)
    : `${texts.slice(0, most).join(joint)} and ${texts.length - most} more`

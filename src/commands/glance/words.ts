/** Numbers and times in the words of a page. */
import { span } from '../../terminal/text/time.js'

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
export const firstOf = (texts: readonly string[], most: number, joint = ', '): string =>
  texts.length <= most
    ? texts.join(joint)
    : `${texts.slice(0, most).join(joint)} and ${texts.length - most} more`

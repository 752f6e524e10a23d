/** Moments that are told by others, and so may lie outside of what a date can hold. */

/** ISO time of a moment, so many seconds after another; undefined past the end of all dates. */
export const momentAfter = (milliseconds: number, seconds: number): string | undefined => {
  const moment = new Date(milliseconds + seconds * 1000)
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}

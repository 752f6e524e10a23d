/** What counts as a day and as a moment: one rule for the command line and the embedded instance. */

// Moments that are told by others, and so may lie outside of what a date can hold.

/** ISO time of a moment, so many seconds after another; undefined past the end of all dates. */
export const momentAfter = (milliseconds: number, seconds: number): string | undefined => {
  const moment = new Date(milliseconds + seconds * 1000)
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}

/** `YYYY-MM-DD`, a day that the calendar has. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const clock = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/

/** A day, or a day and a time of it: `YYYY-MM-DDTHH:MM:SSZ`, in any zone. */
export const isMoment = (text: string): boolean =>
  isDay(text) ||
  (clock.test(text) &&
    isDay(text.slice(0, 10)) &&
    !Number.isNaN(Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))))

/**
 * Parses and formats days, times and durations, with the same rules for the command line and the embedded instance: `30d`, `12h`, `+30d`,
 * `today`, `yesterday`.
 */

/** The length of each unit in milliseconds. Months and years have no fixed length, so they are missing. */
const units = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 } as const
type Unit = keyof typeof units

const spanPattern = /^(?:\d+(?:\.\d+)?[wdhms])+$/
const spanPart = /(?<!\d)(\d+(?:\.\d+)?)([wdhms])/g
/** The length of a day in milliseconds. */
export const dayLength = units.d
/** The length of a day in seconds. */
export const secondsPerDay = dayLength / 1000
/** The largest distance of a date from the epoch, in milliseconds. */
const maxTime = 8.64e15

/** Parses a length of time into milliseconds: `30d`, `1d12h`; undefined for other texts. */
export const parseSpan = (text: string): number | undefined => {
  if (!spanPattern.test(text)) return undefined
  let sum = 0
  for (const [, count, unit] of text.matchAll(spanPart)) sum += Number(count) * units[unit as Unit]
  return sum
}

const limitToDates = (time: number): number | undefined =>
  Math.abs(time) <= maxTime ? time : undefined

/**
 * Parses a day, or a day with a time, into milliseconds of the epoch. A day means its beginning. A day, and a time without an offset, are in
 * UTC. Returns undefined for any other text.
 */
export const parseWrittenMoment = (text: string): number | undefined => {
  if (!isMoment(text)) return undefined
  if (isDay(text)) return Date.parse(`${text}T00:00:00Z`)
  return Date.parse(isZoned(text) ? addColon(text) : `${text}Z`)
}

/**
 * Parses a moment into milliseconds of the epoch: `+30d`, `today`, `yesterday`, or as `parseWrittenMoment` does. Returns undefined for
 * any other text, including a duration.
 */
export const parseMoment = (text: string, now: number): number | undefined => {
  const midnight = Math.floor(now / dayLength) * dayLength
  if (text === 'today') return midnight
  if (text === 'yesterday') return midnight - dayLength
  if (text.startsWith('+')) {
    const ahead = parseSpan(text.slice(1))
    return ahead === undefined ? undefined : limitToDates(now + ahead)
  }
  return parseWrittenMoment(text)
}

/** Returns the day of a time in UTC: `2026-11-27`. */
export const toDay = (time: Date | number): string => new Date(time).toISOString().slice(0, 10)

/** Formats a time to the minute, in UTC: `2026-11-27 17:40`. */
export const formatMinute = (time: Date): string =>
  time.toISOString().slice(0, 16).replace('T', ' ')

/** True if a text that is a moment names a day without a time of it. */
export const isWholeDay = (text: string): boolean =>
  text === 'today' || text === 'yesterday' || isDay(text)

/**
 * Converts a time in words to the text that a flag sends: `30d` becomes the moment that long ago. A day or moment that is written out stays
 * as it is, but a time without an offset is sent as UTC; undefined for a text that is no time.
 * @param kind `date` sends the day, by UTC
 */
export const toSentTime = (
  text: string,
  kind: 'date' | 'datetime',
  now: number,
): string | undefined => {
  if (isDay(text)) return text
  if (kind === 'datetime' && isMoment(text)) return isZoned(text) ? text : `${text}Z`
  if (isMoment(text)) return undefined
  const ago = parseSpan(text)
  const time = ago === undefined ? parseMoment(text, now) : limitToDates(now - ago)
  if (time === undefined) return undefined
  const whole = new Date(time).toISOString()
  return kind === 'date' ? whole.slice(0, 10) : whole.replace(/\.\d+Z$/, 'Z')
}

// Moments from other systems, which may be outside the range of dates.

/** Returns the ISO time of a moment this many seconds after another; undefined past the end of all dates. */
export const addSeconds = (milliseconds: number, seconds: number): string | undefined => {
  const moment = new Date(milliseconds + seconds * 1000)
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
}

/** True if a text is a day of the calendar: `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const clock = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/

/** True if a time of a day has an offset from UTC. */
const isZoned = (text: string): boolean => /(?:Z|[+-]\d{2}:?\d{2})$/.test(text)

/** Writes an offset as `+05:45`, as `Date.parse` requires it. */
const addColon = (text: string): string => text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2')

/** True if a text is a day, or a day with a time in any zone: `YYYY-MM-DDTHH:MM:SSZ`. */
export const isMoment = (text: string): boolean =>
  isDay(text) ||
  (clock.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(addColon(text))))

// Human durations of time tracking (`base/README.md`): a month is four weeks, a week five days, a day eight hours.

/** The units of time tracking in seconds (`base/README.md`). A month has four weeks, a week five days, and a day eight hours. */
const durationSeconds = {
  mo: 4 * 5 * 8 * 3600,
  w: 5 * 8 * 3600,
  d: 8 * 3600,
  h: 3600,
  m: 60,
  s: 1,
} as const
type DurationUnit = keyof typeof durationSeconds

const durationText = /^\s*(?:-\s*)?(?:\d+(?:\.\d+)?\s*(?:mo|w|d|h|m|s)\s*)+$/i
const durationPart = /(?<!\d)(\d+(?:\.\d+)?)\s*(mo|w|d|h|m|s)/gi

export const isDuration = (text: string): boolean => durationText.test(text)

/** Parses a duration of time tracking into seconds; a leading minus makes it negative. Returns undefined for other texts. */
export const parseDuration = (text: string): number | undefined => {
  if (!isDuration(text)) return undefined
  let sum = 0
  for (const [, amount, unit] of text.matchAll(durationPart))
    sum += Number(amount) * durationSeconds[(unit ?? 's').toLowerCase() as DurationUnit]
  return Math.round(text.trim().startsWith('-') ? -sum : sum)
}

/** Formats a duration in whole units, the largest first (`3w 1h`); null for zero, as the API writes it. */
export const formatHumanDuration = (total: number): string | null => {
  if (total === 0) return null
  let rest = Math.abs(total)
  const parts: string[] = []
  for (const [unit, size] of Object.entries(durationSeconds)) {
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count}${unit}`)
    rest -= count * size
  }
  return (total < 0 ? '-' : '') + parts.join(' ')
}

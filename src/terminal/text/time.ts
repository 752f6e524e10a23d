/** Formats times and durations, without Intl, which is slow to load. */

const second = 1000
const units = [
  ['y', 365 * 24 * 3600],
  ['mo', 30 * 24 * 3600],
  ['d', 24 * 3600],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/

/** Formats how long before or after `now` a time is: `2 h ago`, `in 3 d`, `just now`. */
export const formatAge = (time: Date, now: Date): string => {
  const seconds = Math.round((now.getTime() - time.getTime()) / second)
  const distance = Math.abs(seconds)
  if (distance < 5) return 'just now'
  const [unit, size] = units.find(([, s]) => distance >= s) ?? ['s', 1]
  const text = `${Math.floor(distance / size)} ${unit}`
  return seconds > 0 ? `${text} ago` : `in ${text}`
}

/** Formats the age of a time in ISO 8601; undefined if the text is no time. */
export const age = (text: string, now: Date): string | undefined => {
  if (text.length < 17 || !iso.test(text)) return undefined
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : formatAge(time, now)
}

/** Formats seconds in their two largest units: `1 h 5 min`, `3.2 s`. */
export const span = (seconds: number): string => {
  const sign = seconds < 0 ? '-' : ''
  const whole = Math.abs(seconds)
  if (whole < 60) return `${sign}${Number(whole.toFixed(1))} s`
  const first = units.findIndex(([, size]) => Math.round(whole) >= size)
  const parts: string[] = []
  let rest = Math.round(whole)
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return sign + parts.join(' ')
}

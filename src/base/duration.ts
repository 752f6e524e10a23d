/**
 * Human durations of time tracking, parsed the same way by the client and the embedded instance
 * (`base/README.md`): a month is four weeks, a week five days, a day eight hours.
 */
const seconds = {
  mo: 4 * 5 * 8 * 3600,
  w: 5 * 8 * 3600,
  d: 8 * 3600,
  h: 3600,
  m: 60,
  s: 1,
} as const
type Unit = keyof typeof seconds

const whole = /^\s*-?\s*(?:\d+(?:\.\d+)?\s*(?:mo|w|d|h|m|s)\s*)+$/i
const part = /(\d+(?:\.\d+)?)\s*(mo|w|d|h|m|s)/gi

export const isDuration = (text: string): boolean => whole.test(text)

/** Seconds, negative with a leading minus; undefined when the text is no duration. */
export const parseDuration = (text: string): number | undefined => {
  if (!isDuration(text)) return undefined
  let sum = 0
  for (const [, amount, unit] of text.matchAll(part))
    sum += Number(amount) * seconds[(unit ?? 's').toLowerCase() as Unit]
  return Math.round(text.trim().startsWith('-') ? -sum : sum)
}

/** Full units, largest first (`3w 1h`); null for nothing, as the API writes it. */
export const humanDuration = (total: number): string | null => {
  if (total === 0) return null
  let rest = Math.abs(total)
  const parts: string[] = []
  for (const [unit, size] of Object.entries(seconds)) {
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count}${unit}`)
    rest -= count * size
  }
  return (total < 0 ? '-' : '') + parts.join(' ')
}

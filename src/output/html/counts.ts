/** Counts the records of a list by words, by day, and by project or group. */

import { sumNumbers } from '../../base/collections.js'
import { dayLength, toDay } from '../../base/dates.js'
import { groupDigits } from '../../base/text.js'
import { other, type Series, type TimeStep } from './charts.js'

/** The largest number of days that are counted. A list that spans more days has no chart. */
export const maxDays = 20_000
/** The largest number of values of a column that are counted. */
export const maxCounted = 2000

export type WordCounts = Map<string, number>
export type WordTable = Map<string, WordCounts>

export const add = (counts: WordCounts, word: string, count = 1): void => {
  counts.set(word, (counts.get(word) ?? 0) + count)
}

export const addIn = (table: WordTable, key: string, word: string): void => {
  const counts = table.get(key) ?? (table.size < maxCounted ? new Map<string, number>() : undefined)
  if (counts === undefined) return
  table.set(key, counts)
  add(counts, word)
}

/** Sorts counts by the order of the documented words; other words follow in alphabetical order. */
export const orderCounts = (
  counts: ReadonlyMap<string, number>,
  words: readonly string[],
): ReadonlyMap<string, number> => {
  const known = words.filter((word) => counts.has(word))
  const others = [...counts.keys()].filter((word) => !words.includes(word)).sort()
  return new Map([...known, ...others].map((word) => [word, counts.get(word) ?? 0]))
}

/** Merges the counts of words that a chart does not show into `other`. */
export const mergeUnshown = (
  counts: ReadonlyMap<string, number>,
  shown: ReadonlySet<string>,
): WordCounts => {
  const found: WordCounts = new Map()
  for (const [word, count] of counts) add(found, shown.has(word) ? word : other, count)
  return found
}

type TimeUnit = 'day' | 'week' | 'month'

/** Chooses the unit of the steps of a chart by the number of days that it spans. */
export const chooseUnit = (days: number): TimeUnit =>
  days <= 92 ? 'day' : days <= 731 ? 'week' : 'month'

/** Returns the first day of the step that contains a day. Days are counted since the epoch. */
const getStepStart = (at: number, unit: TimeUnit): number => {
  if (unit === 'day') return at
  if (unit === 'week') return at - ((((at + 3) % 7) + 7) % 7)
  const time = new Date(at * dayLength)
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth()) / dayLength
}

/** Returns all steps from the first to the last day, empty ones included. */
export const toSteps = (
  days: ReadonlyMap<number, WordCounts>,
  unit: TimeUnit,
  shown: ReadonlySet<string>,
) => {
  const sorted = [...days.keys()].sort((a, b) => a - b)
  const [first, last] = [sorted[0] ?? 0, sorted.at(-1) ?? 0]
  const steps = new Map<number, WordCounts>()
  for (
    let at = getStepStart(first, unit);
    at <= last;
    at = getStepStart(at + (unit === 'month' ? 32 : unit === 'week' ? 7 : 1), unit)
  )
    steps.set(at, new Map())
  for (const [at, counts] of days)
    for (const [word, count] of mergeUnshown(counts, shown))
      add(steps.get(getStepStart(at, unit)) ?? new Map(), word, count)
  return [...steps].map(
    ([at, counts]): TimeStep => ({
      label: unit === 'month' ? toDay(at * dayLength).slice(0, 7) : toDay(at * dayLength),
      time: at * dayLength,
      counts,
    }),
  )
}

const describeStep = {
  day: (label: string) => `on ${label}`,
  week: (label: string) => `in the week of ${label}`,
  month: (label: string) => `in ${label}`,
}

/**
 * Describes a chart over time: the share of finished records that failed, and the step with the most of them, if no other has as many.
 */
export const describeSteps = (
  steps: readonly TimeStep[],
  unit: TimeUnit,
  series: readonly Series[],
  many: string,
): string => {
  const listWords = (color: string): readonly string[] =>
    series.flatMap((one) => (one.color === color ? [one.word] : []))
  const of = ({ counts }: Pick<TimeStep, 'counts'>, some: readonly string[]): number =>
    sumNumbers(some.map((word) => counts.get(word) ?? 0))
  const isResult = listWords('bad').includes('failed') && listWords('good').includes('success')
  const measured = isResult ? ['failed'] : series.map(({ word }) => word)
  const counts = steps.map((step) => of(step, measured))
  const most = Math.max(...counts)
  const at = counts.indexOf(most)
  const label = at === counts.lastIndexOf(most) ? steps[at]?.label : undefined
  const text = label === undefined ? '' : `most ${describeStep[unit](label)} (${groupDigits(most)})`
  if (!isResult) return text
  const all = (some: readonly string[]): number => sumNumbers(steps.map((step) => of(step, some)))
  const [failed, done] = [all(['failed']), all(['failed', 'success'])]
  if (failed === 0) return `none of ${groupDigits(done)} finished ${many} failed`
  const share = `${Math.round((100 * failed) / done)} % of finished ${many} failed`
  return text === '' ? share : `${share}; ${text}`
}

/** Counts of the records of a list: by words, by day, and by what they belong to. */

import { groupDigits } from '../../base/text.js'
import { other, type Series, type TimeStep } from './charts.js'
import { toDay } from './timeline.js'

export const day = 86_400_000
/** So many days are told apart; a list that spans more has no chart. */
export const maxDays = 20_000
/** So many values of a column are counted. */
export const maxCounted = 2000

export type WordCounts = Map<string, number>
export type WordTable = Map<string, WordCounts>

export const add = (counts: WordCounts, word: string, count = 1): void => {
  counts.set(word, (counts.get(word) ?? 0) + count)
}

export const addIn = (table: WordTable, key: string, word: string, count = 1): void => {
  const counts = table.get(key) ?? (table.size < maxCounted ? new Map<string, number>() : undefined)
  if (counts === undefined) return
  table.set(key, counts)
  add(counts, word, count)
}

export const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((all, count) => all + count, 0)

/** The counts of words in the order of the documents; others behind them. */
export const inOrder = (
  counts: ReadonlyMap<string, number>,
  words: readonly string[],
): ReadonlyMap<string, number> => {
  const known = words.filter((word) => counts.has(word))
  const others = [...counts.keys()].filter((word) => !words.includes(word)).sort()
  return new Map([...known, ...others].map((word) => [word, counts.get(word) ?? 0]))
}

/** The counts of a step or row by the words of the chart: those that it does not show are one. */
export const byShown = (
  counts: ReadonlyMap<string, number>,
  shown: ReadonlySet<string>,
): WordCounts => {
  const found: WordCounts = new Map()
  for (const [word, count] of counts) add(found, shown.has(word) ? word : other, count)
  return found
}

/** The unit of the steps of so many days. */
export const chooseUnit = (days: number): 'day' | 'week' | 'month' =>
  days <= 92 ? 'day' : days <= 731 ? 'week' : 'month'

/** The first day of the step that a day is in, since the epoch. */
const stepOf = (at: number, unit: 'day' | 'week' | 'month'): number => {
  if (unit === 'day') return at
  if (unit === 'week') return at - ((((at + 3) % 7) + 7) % 7)
  const time = new Date(at * day)
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth()) / day
}

/** All steps from the first to the last day; those without anything are among them. */
export const toSteps = (
  days: ReadonlyMap<number, WordCounts>,
  unit: 'day' | 'week' | 'month',
  shown: ReadonlySet<string>,
) => {
  const sorted = [...days.keys()].sort((a, b) => a - b)
  const [first, last] = [sorted[0] ?? 0, sorted.at(-1) ?? 0]
  const steps = new Map<number, WordCounts>()
  for (
    let at = stepOf(first, unit);
    at <= last;
    at = stepOf(at + (unit === 'month' ? 32 : unit === 'week' ? 7 : 1), unit)
  )
    steps.set(at, new Map())
  for (const [at, counts] of days)
    for (const [word, count] of byShown(counts, shown))
      add(steps.get(stepOf(at, unit)) ?? new Map(), word, count)
  return [...steps].map(
    ([at, counts]): TimeStep => ({
      key: unit === 'month' ? toDay(at * day).slice(0, 7) : toDay(at * day),
      time: at * day,
      counts,
    }),
  )
}

/** What is computed of a chart over time: the share that failed, and the step that has most of it. */
export const captionSteps = (
  steps: readonly TimeStep[],
  series: readonly Series[],
  many: string,
): string => {
  const words = (color: string): readonly string[] =>
    series.flatMap((one) => (one.color === color ? [one.word] : []))
  const of = ({ counts }: Pick<TimeStep, 'counts'>, some: readonly string[]): number =>
    some.reduce((all, word) => all + (counts.get(word) ?? 0), 0)
  const isResult = words('bad').includes('failed') && words('good').includes('success')
  const measured = isResult ? ['failed'] : series.map(({ word }) => word)
  const most = steps.reduce((a, b) => (of(b, measured) > of(a, measured) ? b : a))
  const said = `most on ${most.key} (${groupDigits(of(most, measured))})`
  if (!isResult) return said
  const all = (some: readonly string[]): number =>
    steps.reduce((total, step) => total + of(step, some), 0)
  const [failed, done] = [all(['failed']), all(['failed', 'success'])]
  if (failed === 0) return `none of ${groupDigits(done)} finished ${many} failed`
  return `${Math.round((100 * failed) / done)} % of finished ${many} failed; ${said}`
}

/** Draws groups: columns or lines over time, rows, or a table shaded by its numbers. The keys and measures of the groups decide. */

import { sumCounts } from '../../base/collections.js'
import { dayLength, isMoment } from '../../base/dates.js'
import type { GroupFacts } from '../../catalogue/views.js'
import { emptyText, isSecondsColumn } from '../cell.js'
import {
  type ChartRow,
  chooseWords,
  drawColumns,
  drawRows,
  other,
  renderCounts,
  renderFigure,
  renderLegend,
  renderLines,
  type TimeStep,
  toSeries,
  toWords,
  undivided,
} from './charts.js'
import { orderCounts } from './counts.js'
import { html, type Markup, nothing } from './markup.js'
import { appendKeys, describeMeasure } from './titles.js'

/** A group of the chart: its keys as text, and its number. */
interface GroupValue {
  readonly keys: readonly string[]
  readonly value: number | undefined
}

const maxRows = 20
const maxSide = 12
const maxLines = 8
const shades = 6
/** The largest number of steps. Without it, one wrong time would create years of empty steps. */
const maxSteps = 2000

const lengths: Readonly<Record<string, number>> = {
  hour: 3_600_000,
  day: dayLength,
  week: 7 * dayLength,
}

const toTime = (key: string): number => Date.parse(key.length === 13 ? `${key}:00Z` : key)

/** Returns the keys of all steps from the first to the last, empty ones included. */
const fillSteps = (keys: readonly string[], unit: string | undefined): readonly string[] => {
  const known = [...new Set(keys)].filter((key) => !Number.isNaN(toTime(key))).sort()
  const [first, last] = [known[0], known.at(-1)]
  if (unit === undefined || first === undefined || last === undefined) return known
  const all: string[] = []
  let time = new Date(toTime(first))
  while (time.getTime() <= toTime(last) && all.length < maxSteps) {
    all.push(time.toISOString().slice(0, first.length))
    time =
      unit === 'month'
        ? new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1))
        : new Date(time.getTime() + (lengths[unit] ?? dayLength))
  }
  return all
}

/** Chooses the unit of a field of seconds by its largest value; other fields have none. */
const chooseScale = (field: string | undefined, values: readonly number[]) => {
  if (field === undefined || !isSecondsColumn(field)) return { by: 1, unit: '', words: '' }
  const most = Math.max(...values, 0)
  if (most >= 3 * 3600) return { by: 3600, unit: ' h', words: ', in hours' }
  if (most >= 180) return { by: 60, unit: ' min', words: ', in minutes' }
  return { by: 1, unit: ' s', words: ', in seconds' }
}

const round = (value: number): number => Math.round(value * 10) / 10

type ChartUnit = ReturnType<typeof chooseScale>

interface GroupChart extends ChartUnit {
  readonly title: string
  readonly counts: boolean
  readonly values: readonly GroupValue[]
  readonly groups: GroupFacts
  readonly wordsOf: WordsOfField
  readonly snapshots: readonly string[]
}

/** Returns the words that a field is documented to hold, in their order. */
type WordsOfField = (field: string) => readonly string[]

const getValue = ({ value }: GroupValue, { by }: ChartUnit): number | undefined =>
  value === undefined ? undefined : by === 1 ? value : round(value / by)

const sumBy = (chart: GroupChart, at: number): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const one of chart.values) {
    const key = one.keys[at] ?? ''
    const value = getValue(one, chart) ?? 0
    sums.set(key, chart.counts ? (sums.get(key) ?? 0) + value : Math.max(sums.get(key) ?? 0, value))
  }
  return sums
}

/** Returns the words that separate the lines or columns of a chart, and a function for the value of a word in a step. */
const toWordsOverTime = (chart: GroupChart, time: number) => {
  const { groups, counts, values } = chart
  const byWord = groups.keys.length === 1 ? undefined : 1 - time
  const totals =
    byWord === undefined
      ? new Map([[undivided, 0]])
      : orderCounts(sumBy(chart, byWord), chart.wordsOf(groups.keys[byWord]?.field ?? ''))
  const words = counts ? chooseWords(totals) : [...totals.keys()].slice(0, maxLines)
  const found = new Map<string, number>()
  for (const one of values) {
    const word = byWord === undefined ? undivided : (one.keys[byWord] ?? '')
    const key = `${one.keys[time]}\n${words.includes(word) ? word : other}`
    found.set(key, (found.get(key) ?? 0) + (getValue(one, chart) ?? 0))
  }
  const at = (step: string, word: string): number | undefined => found.get(`${step}\n${word}`)
  return { words, totals, isAlone: byWord === undefined, at }
}

const drawTimes = (chart: GroupChart, time: number): Markup => {
  const { groups, counts, values, title, unit } = chart
  const isTrend = groups.keys[time]?.column === 'snapshot'
  const keys = values.map((one) => one.keys[time] ?? '')
  const steps = fillSteps(isTrend ? [...keys, ...chart.snapshots] : keys, groups.keys[time]?.unit)
  const { words, totals, isAlone, at } = toWordsOverTime(chart, time)
  const series = toSeries(words)
  const isCounted = counts && !isTrend
  const shown = isAlone ? nothing : renderLegend(series, isCounted ? totals : undefined)
  if (isCounted) {
    const columns = steps.map((key): TimeStep => {
      const present = words.flatMap((word) => {
        const count = at(key, word)
        return count === undefined ? [] : [[word, count] as const]
      })
      return { label: key, time: toTime(key), counts: new Map(present) }
    })
    const best = columns.reduce(
      (a, b) => (sumStep(b) > sumStep(a) ? b : a),
      columns[0] ?? emptyStep,
    )
    const caption = columns.length < 2 ? '' : `most: ${best.label} (${sumStep(best)})`
    const drawn = drawColumns(title, columns, series)
    return renderFigure(title, caption, [drawn, shown, renderCounts('step', columns, series)])
  }
  const missing = counts ? 0 : undefined
  const lines = series.map((one) => ({
    ...one,
    values: steps.map((step) => at(step, one.word) ?? missing),
  }))
  const head = groups.keys[time]?.column ?? ''
  const drawn = { head, labels: steps, times: steps.map(toTime) }
  return renderFigure(title, '', renderLines(title, drawn, lines, { unit, legend: shown }))
}

const emptyStep: TimeStep = { label: '', time: 0, counts: new Map() }
const sumStep = ({ counts }: TimeStep): number => sumCounts(counts)

const drawGroupRows = (chart: GroupChart): Markup => {
  const sorted = [...sumBy(chart, 0)].toSorted(([, a], [, b]) => b - a)
  const series = toSeries([undivided])
  const rows = sorted.slice(0, maxRows).map(
    ([name, value]): ChartRow => ({
      name: toWords(name),
      label: toWords(name),
      counts: new Map([[undivided, value]]),
      beside: `${value}${chart.unit}`,
    }),
  )
  const more = sorted.length - rows.length
  return renderFigure(chart.title, more > 0 ? `the first ${maxRows}, and ${more} more` : '', [
    drawRows(rows, series),
    renderCounts(chart.groups.keys[0]?.column ?? '', rows, series),
  ])
}

/** Draws a table whose cells are shaded by the numbers in them. */
const drawHeat = (chart: GroupChart): Markup => {
  const listSide = (at: number): readonly string[] =>
    [...sumBy(chart, at)].toSorted(([, a], [, b]) => b - a).map(([key]) => key)
  const [rows, columns] = [listSide(0), listSide(1)]
  const found = new Map(chart.values.map((one) => [one.keys.join('\n'), getValue(one, chart)]))
  const all = [...found.values()].map((value) => value ?? 0)
  const most = Math.max(...all, 0) || 1
  const renderCell = (row: string, column: string): Markup => {
    const value = found.get(`${row}\n${column}`)
    if (value === undefined) return html`<td class="n">${emptyText}</td>`
    const shade = Math.min(shades - 1, Math.floor((shades * value) / most))
    return html`<td class="n heat${shade}">${value}</td>`
  }
  const shownColumns = columns.slice(0, maxSide)
  const [first, second] = chart.groups.keys
  const caption = [
    ...(rows.length > maxSide ? [`${maxSide} of ${rows.length} ${first?.column ?? ''}`] : []),
    ...(columns.length > maxSide
      ? [`${maxSide} of ${columns.length} ${second?.column ?? ''}`]
      : []),
  ].join(', ')
  const head = html`<tr><th scope="col">${first?.column ?? ''}</th>${shownColumns.map((name) => html`<th scope="col" class="n">${toWords(name)}</th>`)}</tr>`
  const body = rows
    .slice(0, maxSide)
    .map(
      (row) =>
        html`<tr><th scope="row">${toWords(row)}</th>${shownColumns.map((column) => renderCell(row, column))}</tr>\n`,
    )
  return renderFigure(chart.title, caption, [
    html`<div class="scroll" tabindex="0" role="region" aria-label="chart: ${chart.title}"><table class="heat">
<thead>${head}</thead>
<tbody>
${body}</tbody>
</table></div>\n`,
  ])
}

/** Finds the position of the key that holds times; -1 if there is none. */
const findTime = ({ keys }: GroupFacts, values: readonly GroupValue[]): number =>
  keys.findIndex(
    ({ unit, column }, i) =>
      (unit !== undefined || column === 'snapshot') &&
      values.some((one) => isMoment(one.keys[i] ?? '') || !Number.isNaN(toTime(one.keys[i] ?? ''))),
  )

/**
 * Draws a chart for each of the first three numbers of the groups (measures and count). Groups with more than two keys have none.
 * @param rows the values of each group, by column
 * @param snapshots the snapshots of a trend, of which some may have no group
 */
export const drawGroups = (
  groups: GroupFacts,
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  many: string,
  wordsOf: WordsOfField,
  snapshots: readonly string[],
): Markup => {
  if (groups.keys.length === 0 || groups.keys.length > 2 || rows.length < 2) return nothing
  const keyAt = groups.keys.map(({ column }) => columns.indexOf(column))
  const measured = [
    ...groups.measures.map(({ column }) => column),
    ...(groups.counts ? ['count'] : []),
  ]
  const drawn = measured.slice(0, 3).map((column) => {
    const at = columns.indexOf(column)
    const measure = groups.measures.find((one) => one.column === column)
    const values = rows.map((row): GroupValue => {
      const value = row[at] === null || row[at] === undefined ? undefined : Number(row[at])
      return {
        keys: keyAt.map((i) => String(row[i] ?? emptyText)),
        value: Number.isNaN(value) ? undefined : value,
      }
    })
    const scaled = chooseScale(
      measure?.field,
      values.map(({ value }) => value ?? 0),
    )
    const what = describeMeasure(column, groups, many)
    const title = `${appendKeys(what, groups)}${scaled.words}`
    const counts = measure === undefined || measure.name === 'sum'
    const chart: GroupChart = { ...scaled, title, counts, values, groups, wordsOf, snapshots }
    const time = findTime(groups, values)
    if (time >= 0) return drawTimes(chart, time)
    return groups.keys.length === 1 ? drawGroupRows(chart) : drawHeat(chart)
  })
  return html`${drawn}`
}

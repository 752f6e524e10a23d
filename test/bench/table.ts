/** The table of the benchmark: the work, its measured value and its budget. */
import type { Run } from './measure.js'
import { computeMedian } from './measure.js'

export interface Row {
  readonly work: string
  readonly measured: number
  readonly budget?: number
  /** Unit of the figures: `×` (a ratio), `%`, `s`, `ms`, `MB` or `answers`. */
  readonly unit: string
  /** The quartiles of the pairs. */
  readonly spread?: readonly [low: number, high: number]
  /** Further figures in words. */
  readonly detail?: string
}

/** Formats the processor time and the peak memory of runs. */
export const formatUsage = (runs: readonly Run[]): string => {
  const cpu = computeMedian(runs.map((r) => r.cpu))
  return `${cpu.toFixed(2)} s CPU, ${Math.max(...runs.map((r) => r.megabytes)).toFixed(0)} MB`
}

const integerUnits = new Set(['MB', 'ms', 'answers'])
const getDigits = (row: Row): number => (integerUnits.has(row.unit) ? 0 : 2)
const formatFigure = (row: Row, value: number | undefined): string =>
  value === undefined ? '' : `${value.toFixed(getDigits(row))} ${row.unit}`

/** Judges a row by its budget: `unsure` if the pairs differ more from each other than their median differs from the budget. */
const judgeRow = (row: Row): string => {
  const { budget, measured, spread: [low, high] = [measured, measured] } = row
  if (budget === undefined) return ''
  if (high - low > Math.abs(measured - budget) && low <= budget && budget < high) return 'unsure'
  return Number(measured.toFixed(getDigits(row))) <= budget ? 'ok' : 'over'
}

/** Formats one row, which is printed as soon as it is known, because the whole table takes minutes. */
export const formatRow = (row: Row): string =>
  `${row.work}: ${formatFigure(row, row.measured)} ${judgeRow(row)}`.trimEnd()

const formatSpread = (row: Row): string =>
  row.spread === undefined ? '' : row.spread.map((one) => one.toFixed(getDigits(row))).join(' to ')

/** Formats the rows as aligned lines, with numbers to the right. */
export const formatTable = (rows: readonly Row[]): string => {
  const cells = [
    ['work', 'measured', 'half of them', 'budget', '', ''],
    ...rows.map((r) => [
      r.work,
      formatFigure(r, r.measured),
      formatSpread(r),
      formatFigure(r, r.budget),
      judgeRow(r),
      r.detail ?? '',
    ]),
  ]
  const widths = [0, 1, 2, 3, 4].map((i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  const pad = (text: string, i: number): string =>
    i >= 1 && i <= 3 ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)
  return cells.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

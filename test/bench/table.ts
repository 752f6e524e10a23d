/** The table of the benchmark: what was done, what it took, what it may take. */
import type { Run } from './measure.js'
import { median } from './measure.js'

export interface Row {
  readonly work: string
  readonly measured: number
  readonly budget?: number
  /** What the figures count: `×` (of `node -e 0`), `s`, `ms`, `MB`, `answers`. */
  readonly unit: string
  /** The figures between which half of the pairs are. */
  readonly spread?: readonly [low: number, high: number]
  /** Anything else worth knowing. */
  readonly detail?: string
}

/** Processor time and peak memory of runs, in words. */
export const used = (runs: readonly Run[]): string => {
  const cpu = median(runs.map((r) => r.cpu))
  return `${cpu.toFixed(2)} s CPU, ${Math.max(...runs.map((r) => r.megabytes)).toFixed(0)} MB`
}

const whole = new Set(['MB', 'ms', 'answers'])
const digits = (row: Row): number => (whole.has(row.unit) ? 0 : 2)
const figure = (row: Row, value: number | undefined): string =>
  value === undefined ? '' : `${value.toFixed(digits(row))} ${row.unit}`

/** `unsure` where the pairs differ more from each other than their median from the budget. */
const verdict = (row: Row): string => {
  const { budget, measured, spread: [low, high] = [measured, measured] } = row
  if (budget === undefined) return ''
  if (high - low > Math.abs(measured - budget) && low <= budget && budget < high) return 'unsure'
  return Number(measured.toFixed(digits(row))) <= budget ? 'ok' : 'over'
}

/** A row as soon as it is known, since the whole table takes minutes. */
export const lineOf = (row: Row): string =>
  `${row.work}: ${figure(row, row.measured)} ${verdict(row)}`.trimEnd()

const spreadOf = (row: Row): string =>
  row.spread === undefined ? '' : row.spread.map((one) => one.toFixed(digits(row))).join(' to ')

/** The rows as aligned lines, numbers to the right. */
export const tableOf = (rows: readonly Row[]): string => {
  const cells = [
    ['work', 'measured', 'half of them', 'budget', '', ''],
    ...rows.map((r) => [
      r.work,
      figure(r, r.measured),
      spreadOf(r),
      figure(r, r.budget),
      verdict(r),
      r.detail ?? '',
    ]),
  ]
  const widths = [0, 1, 2, 3, 4].map((i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)))
  const pad = (text: string, i: number): string =>
    i >= 1 && i <= 3 ? text.padStart(widths[i] ?? 0) : text.padEnd(widths[i] ?? 0)
  return cells.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}

/**
 * A list on a terminal: aligned columns under a bold header, cut to the terminal's width. The
 * first records decide the widths; later ones follow as they come, so that memory does not grow
 * with the list, and may widen a column.
 */

import { type Fields, isObject } from '../../base/objects.js'
import { createRows } from '../columns.js'
import { isScalar } from '../record.js'
import { type Shown, shown } from '../shown.js'
import type { Open, TextWidths, View } from '../types.js'
import { type Cell, createCell, getColumnOwner, painted } from './cell.js'
import { grid } from './grid.js'
import { gap, nestedIndent, shareWidth, stackWidth, type TableLine } from './widths.js'

/** Records that are seen before anything is written. */
const sample = 100
/** Columns of a list whose columns nobody named. */
const maxColumns = 8
/** What a heading may claim over its values where the columns do not all fit. */
const shortHeading = 12

const scalarFields = (record: Fields): readonly string[] => {
  const names = Object.keys(record)
  const scalars = names.filter((name) => isScalar(record[name]))
  return (scalars.length > 0 ? scalars : names).slice(0, maxColumns)
}

const linkOf = (record: unknown): Partial<Cell> => {
  const url = isObject(record) ? record.web_url : undefined
  return typeof url === 'string' ? { url } : {}
}

const cellsOf = (
  record: unknown,
  names: readonly string[],
  values: readonly unknown[],
  view: View,
): Cell[] =>
  names.map((name, i) => {
    const cell = createCell(name, values[i], view)
    return i === 0 ? { ...linkOf(record), ...cell } : cell
  })

/** How wide the columns are, line by line of a record, and what stands in them. */
interface Layout {
  readonly lines: readonly TableLine[]
  readonly text: TextWidths
}

/** A line of a row: its cells, cut to their columns. */
const lineOf = (
  cells: readonly Cell[],
  { first, widths }: TableLine,
  text: TextWidths,
  view: View,
): string[] =>
  widths.map((width, i) => {
    const cell = cells[first + i]
    return cell === undefined ? '' : painted(cell, text.truncate(cell.text, width), view)
  })

/** Rows as lines of text, the further lines of each below its first. */
const bodyOf = (
  rows: readonly (readonly Cell[])[],
  { lines, text }: Layout,
  view: View,
): readonly string[] => {
  const drawn = lines.map((line, n) =>
    grid(
      rows.map((cells) => lineOf(cells, line, text, view)),
      line.widths,
    )
      .split('\n')
      .slice(0, -1)
      .map((one) => (n === 0 ? one : `${' '.repeat(nestedIndent)}${one}`)),
  )
  return rows.flatMap((_, i) => drawn.map((line) => line[i] ?? ''))
}

/**
 * The columns' names above the columns. Those of the catalogue are shortened to the object that they
 * look into (`author.username` → `author`); those that were asked for stay as they were written.
 */
const headingsOf = (names: readonly string[], { fields, style }: View): readonly Shown[] =>
  names.map((name) => shown(fields === undefined ? getColumnOwner(name) : name, style))

const headerOf = (headings: readonly Shown[], layout: Layout, view: View): string => {
  const shownColumns = columnsIn(layout.lines)
  const more = headings.length > shownColumns ? ' …' : ''
  const cells = headings.map((text, i) => ({
    text: i === shownColumns - 1 ? shown(text + more, view.style) : text,
  }))
  return bodyOf([cells], layout, view)
    .map((line) => `${view.style.bold(line)}\n`)
    .join('')
}

/** What columns need: their values whole, and their headings where all of those fit. */
const naturalWidths = (
  headings: readonly Shown[],
  rows: readonly (readonly Cell[])[],
  { measure }: TextWidths,
  terminal: number,
): number[] => {
  const values = headings.map((_, i) =>
    rows.reduce((most, row) => Math.max(most, measure(row[i]?.text ?? '')), 0),
  )
  const whole = values.map((width, i) => Math.max(width, measure(headings[i] ?? '')))
  const total = whole.reduce((sum, width) => sum + width + gap, -gap)
  if (total <= terminal) return whole
  return whole.map((width, i) => Math.max(values[i] ?? 0, Math.min(width, shortHeading)))
}

const columnsIn = (lines: readonly TableLine[]): number =>
  lines.reduce((sum, { widths }) => sum + widths.length, 0)

/**
 * The lines of each record: one, or several where the view asks for them and there is no room.
 * @param before those of the records above, below whose heading these stand
 */
const linesFor = (
  natural: readonly number[],
  { width, stacks }: View,
  before: readonly TableLine[] | undefined,
): readonly TableLine[] => {
  if (before !== undefined && before.length > 1) return before
  const widths = shareWidth(natural, width)
  const hidden = widths.length < natural.length
  const cut = natural.some((whole, i) => (widths[i] ?? 0) < whole)
  const asked = stacks !== undefined && before === undefined
  const stacked = asked && (stacks === 'cut' ? cut : hidden)
  return stacked ? stackWidth(natural, width) : [{ first: 0, widths }]
}

export const list: Open = (sink, view) => {
  const rows = createRows(view, scalarFields)
  let waiting: Cell[][] = []
  let natural: readonly number[] | undefined
  let lines: readonly TableLine[] | undefined
  /** Columns that had no room in some of what was written. */
  let hidden = 0

  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return
    const ready = waiting
    waiting = []
    const headings = headingsOf(rows.headings(), view)
    const text = await view.style.widthsFor([...headings, ...ready.flat().map((cell) => cell.text)])
    const before = natural
    natural = naturalWidths(headings, ready, text, view.width).map((width, i) =>
      Math.max(width, before?.[i] ?? 0),
    )
    lines = linesFor(natural, view, lines)
    const layout = { lines, text }
    const header = before === undefined ? headerOf(headings, layout, view) : ''
    hidden = Math.max(hidden, natural.length - columnsIn(layout.lines))
    const body = bodyOf(ready, layout, view).map((line) => `${line}\n`)
    await sink.write(header + body.join(''))
  }
  const write = async (records: readonly unknown[]): Promise<void> => {
    for (const record of records) {
      const values = rows.values(record)
      waiting.push(cellsOf(record, rows.columns(), values, view))
    }
    if (natural !== undefined || waiting.length >= sample) await flush()
  }
  const end = async (): Promise<void> => {
    await flush()
    if (hidden > 0) view.tellHidden?.(hidden)
  }
  return {
    values: write,
    close: end,
    abandon: end,
  }
}

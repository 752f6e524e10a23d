/**
 * A list on a terminal: aligned columns under a bold header, cut to the terminal's width. The
 * first records decide the widths; later ones follow as they come, so that memory does not grow
 * with the list, and may widen a column.
 */

import { type Fields, isObject } from '../../base/objects.js'
import { rowsOf } from '../columns.js'
import { isScalar } from '../record.js'
import { type Shown, shown } from '../shown.js'
import type { Open, TextWidths, View } from '../types.js'
import { type Cell, cellOf, ownerOf, painted } from './cell.js'
import { grid } from './grid.js'
import { gap, shareWidth } from './widths.js'

/** Records that are seen before anything is written. */
const sample = 100
/** Columns of a list whose columns nobody named. */
const mostColumns = 8
/** What a heading may claim over its values where the columns do not all fit. */
const shortHeading = 12

const scalarFields = (record: Fields): readonly string[] => {
  const names = Object.keys(record)
  const scalars = names.filter((name) => isScalar(record[name]))
  return (scalars.length > 0 ? scalars : names).slice(0, mostColumns)
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
    const cell = cellOf(name, values[i], view)
    return i === 0 ? { ...linkOf(record), ...cell } : cell
  })

/** How wide the columns are, and what stands in them. */
interface Layout {
  readonly columns: readonly number[]
  readonly text: TextWidths
}

/** A row's cells, cut to their columns. */
const rowOf = (cells: readonly Cell[], { columns, text }: Layout, view: View): string[] =>
  columns.map((width, i) => {
    const cell = cells[i]
    return cell === undefined ? '' : painted(cell, text.truncate(cell.text, width), view)
  })

/**
 * The columns' names above the columns. Those of the catalogue are shortened to the object that they
 * look into (`author.username` → `author`); those that were asked for stay as they were written.
 */
const headingsOf = (names: readonly string[], { fields, style }: View): readonly Shown[] =>
  names.map((name) => shown(fields === undefined ? ownerOf(name) : name, style))

const headerOf = (headings: readonly Shown[], layout: Layout, view: View): string => {
  const { columns } = layout
  const last = columns.length - 1
  const more = headings.length > columns.length ? ' …' : ''
  const cells = headings.map((text, i) => ({
    text: i === last ? shown(text + more, view.style) : text,
  }))
  return `${view.style.bold(grid([rowOf(cells, layout, view)], columns).trimEnd())}\n`
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

export const list: Open = (sink, view) => {
  const rows = rowsOf(view, scalarFields)
  let waiting: Cell[][] = []
  let natural: readonly number[] | undefined

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
    const layout = { columns: shareWidth(natural, view.width), text }
    const header = before === undefined ? headerOf(headings, layout, view) : ''
    const body = grid(
      ready.map((cells) => rowOf(cells, layout, view)),
      layout.columns,
    )
    await sink.write(header + body)
  }
  const write = async (records: readonly unknown[]): Promise<void> => {
    for (const record of records) {
      const values = rows.values(record)
      waiting.push(cellsOf(record, rows.columns(), values, view))
    }
    if (natural !== undefined || waiting.length >= sample) await flush()
  }
  return {
    values: write,
    close: flush,
    abandon: flush,
  }
}

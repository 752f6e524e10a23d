/**
 * The table. On a terminal: aligned columns cut to its width, or one object in two columns; ages,
 * words and symbols for people. Elsewhere: tab-separated whole values for programs.
 */

import { type Fields, isObject } from '../base/objects.js'
import { createRows, getLevelName, getMeaning } from './columns.js'
import { isScalar, stringify } from './record.js'
import { type Shown, shown, shownLines } from './shown.js'
import { createCell, getLabel, painted } from './table/cell.js'
import { type GridCell, grid } from './table/grid.js'
import { list } from './table/list.js'
import { gap } from './table/widths.js'
import type { Open, TextWidths, View } from './types.js'

// One object on a terminal: its fields in two columns, long text wrapped, objects indented.

const step = 2
const deepest = 4

interface Line {
  readonly depth: number
  readonly name: Shown
  /** Text to be wrapped; the lines are painted by `paint`. */
  readonly text: Shown
  readonly paint: (text: string) => string
}

const plain = (text: string): string => text

/** A field whose text is not a cell's: its lines stay. */
const linesUnder = (name: string, text: string, depth: number, { style }: View): Line => ({
  depth,
  name: shown(name, style),
  text: shownLines(text, style),
  paint: plain,
})

const lineOf = (name: string, value: unknown, depth: number, view: View): Line => {
  if (typeof value === 'string' && value.includes('\n')) return linesUnder(name, value, depth, view)
  if (Array.isArray(value) && value.some((v) => isObject(v) && getLabel(v) === undefined))
    return linesUnder(name, value.map(stringify).join('\n'), depth, view)
  const cell = createCell(getMeaning(name, view), value, view, true)
  const paint = (text: string): string => painted(cell, text, view)
  return { depth, name: shown(name, view.style), text: cell.text, paint }
}

/** Another object of the instance: what it is called says enough, unless its fields were asked for. */
const isReference = (value: unknown, view: View): boolean =>
  view.fields === undefined &&
  isObject(value) &&
  value.id !== undefined &&
  getLabel(value) !== undefined

/** A field's line, followed by those of the object it holds. */
const linesOf = (name: string, value: unknown, depth: number, view: View): Line[] => {
  if (isReference(value, view)) return [lineOf(name, value, depth, view)]
  const inside = isObject(value) ? Object.entries(value) : []
  if (inside.length === 0) return [lineOf(name, isObject(value) ? null : value, depth, view)]
  if (depth >= deepest) return [linesUnder(name, stringify(value), depth, view)]
  return [
    linesUnder(name, '', depth, view),
    ...inside.flatMap(([key, v]) => linesOf(key, v, depth + 1, view)),
  ]
}

const labelText = ({ depth, name }: Line): string => ' '.repeat(depth * step) + name

const render = (
  lines: readonly Line[],
  { style, width }: View,
  { measure, wrap }: TextWidths,
): string => {
  const most = Math.max(1, Math.floor(width * 0.5) - gap)
  const labels = lines.map((line) => measure(labelText(line)))
  // A name that is longer stands on a line of its own: names are never cut, they are typed again.
  const left = labels.reduce((sum, columns) => (columns <= most ? Math.max(sum, columns) : sum), 1)
  const room = Math.max(1, width - left - gap)
  // An address is longer than its column, and stays whole: nothing stands behind it.
  let widest = room
  const rows = lines.flatMap((line): GridCell[][] => {
    const text = line.text.split('\n').flatMap((one) => wrap(one, room))
    for (const one of text) widest = Math.max(widest, measure(one))
    const shown = text.map((one) => (one === '' ? '' : line.paint(one))).join('\n')
    const name = labelText(line)
    if (measure(name) <= left) return [[style.bold(name), shown]]
    const alone = wrap(name, width)
    for (const one of alone) widest = Math.max(widest, measure(one) - left)
    const content = alone.map((one) => style.bold(one)).join('\n')
    return [[{ content, colSpan: 2 }], ...(shown === '' ? [] : [['', shown]])]
  })
  return grid(rows, [left, widest])
}

/** More text than this is not wrapped: nobody reads it aligned, and the table takes minutes for it. */
const long = 1 << 16

const unaligned = (lines: readonly Line[], view: View): string =>
  lines
    .map((line) => `${view.style.bold(labelText(line))}${' '.repeat(gap)}${line.text}\n`)
    .join('')

const detail: Open = (sink, view) => {
  let started = false
  const write = async (record: unknown): Promise<void> => {
    const rows = createRows(view, (fields: Fields) => Object.keys(fields))
    const values = rows.values(record)
    const lines = rows.headings().flatMap((name, i) => linesOf(name, values[i], 0, view))
    const size = lines.reduce((sum, line) => sum + line.text.length + line.name.length, 0)
    const drawn =
      size > long
        ? unaligned(lines, view)
        : render(
            lines,
            view,
            await view.style.widthsFor(lines.flatMap((line) => [line.name, line.text])),
          )
    await sink.write((started ? '\n' : '') + drawn)
    started = true
  }
  return {
    values: async (batch) => {
      for (const record of batch) await write(record)
    },
    close: async () => {},
  }
}

// Tab-separated values: whole, untouched but for what would break the line.

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (isScalar(value)) return String(value)
  return Array.isArray(value) && value.every(isScalar)
    ? value.map(textOf).join(',')
    : stringify(value)
}

/** A line of cells; tabs, line breaks and control characters in them are shown as escapes. */
const line = (view: View, values: readonly unknown[]): string =>
  `${values.map((value) => shown(textOf(value), view.style)).join('\t')}\n`

/** A list: a header line of field names, then a line a record. */
const plainList: Open = (sink, view) => {
  const rows = createRows(view)
  let started = false
  const header = (): string => {
    if (started || rows.columns().length === 0) return ''
    started = true
    return line(view, rows.headings())
  }
  const write = async (records: readonly unknown[]): Promise<void> => {
    if (records.length === 0) return
    const named = (record: unknown): readonly unknown[] =>
      rows.values(record).map((value, i) => getLevelName(rows.columns()[i], value) ?? value)
    const lines = records.map((record) => line(view, named(record)))
    await sink.write(header() + lines.join(''))
  }
  return {
    values: write,
    close: async () => {
      const text = header()
      if (text !== '') await sink.write(text)
    },
  }
}

/** One object: a line a field, its name and its value. */
const plainDetail: Open = (sink, view) => {
  const write = async (record: unknown): Promise<void> => {
    const rows = createRows(view)
    const values = rows.values(record)
    const columns = rows.columns()
    const lines = rows
      .headings()
      .map((name, i) => line(view, [name, getLevelName(columns[i], values[i]) ?? values[i]]))
    await sink.write(lines.join(''))
  }
  return {
    values: async (batch) => {
      for (const record of batch) await write(record)
    },
    close: async () => {},
  }
}

export const open: Open = (sink, view) => {
  if (view.terminal) return (view.many ? list : detail)(sink, view)
  return (view.many ? plainList : plainDetail)(sink, view)
}

/**
 * The table. On a terminal: aligned columns cut to its width, or one object in two columns; ages,
 * words and symbols for people. Elsewhere: tab-separated whole values for programs.
 */

import { isScalar, stringify } from '../base/json/values.js'
import { type Fields, isObject } from '../base/objects.js'
import { getLevelName } from '../catalogue/levels.js'
import {
  type Cell,
  createCell,
  createRows,
  getColumnOwner,
  getLabel,
  getMeaning,
  linkIn,
  painted,
} from './cell.js'
import { type SafeText, shown, shownLines } from './escape.js'
import { gap, grid, nestedIndent, shareWidth, stackWidth, type TableLine } from './grid.js'
import type { OpenPrinter, TextWidths, View } from './types.js'

// A list on a terminal: aligned columns under a bold header, cut to the terminal's width. The
// first records decide the widths; later ones follow as they come, so that memory does not grow
// with the list, and may widen a column.

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

const cellsOf = (
  record: unknown,
  names: readonly string[],
  values: readonly unknown[],
  view: View,
): Cell[] =>
  names.map((name, i) => {
    const cell = createCell(name, values[i], view)
    return i === 0 ? { url: linkIn(record), ...cell } : cell
  })

/** How wide the columns are, line by line of a record, and what stands in them. */
interface Layout {
  readonly lines: readonly TableLine[]
  readonly text: TextWidths
}

/** A line of a row: its cells, cut to their columns. */
const layOutRow = (
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
      rows.map((cells) => layOutRow(cells, line, text, view)),
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
const headingsOf = (names: readonly string[], { fields, style }: View): readonly SafeText[] =>
  names.map((name) => shown(fields === undefined ? getColumnOwner(name) : name, style))

const headerOf = (headings: readonly SafeText[], layout: Layout, view: View): string => {
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
  headings: readonly SafeText[],
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

const list: OpenPrinter = (sink, view) => {
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
    const isFirst = before === undefined && view.headless !== true
    const header = isFirst ? headerOf(headings, layout, view) : ''
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

// One object on a terminal: its fields in two columns, long text wrapped, objects indented.

const step = 2
const deepest = 4

interface Line {
  readonly depth: number
  readonly name: SafeText
  /** Text to be wrapped; the lines are painted by `paint`. */
  readonly text: SafeText
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
  const margin = ' '.repeat(left + gap)
  // Written without the grid, which measures each line again for all others. An address stays whole behind the margin.
  const rows = lines.flatMap((line): string[] => {
    const text = line.text.split('\n').flatMap((one) => wrap(one, room))
    const cells = text.map((one) => (one === '' ? '' : line.paint(one)))
    const name = labelText(line)
    const columns = measure(name)
    if (columns > left)
      return [
        ...wrap(name, width).map((one) => style.bold(one)),
        ...(line.text === '' ? [] : cells.map((cell) => margin + cell)),
      ]
    const head = style.bold(name) + margin.slice(columns)
    return cells.map((cell, i) => (i === 0 ? head : margin) + cell)
  })
  return rows.map((row) => `${row.trimEnd()}\n`).join('')
}

/** More text than this is not wrapped: nobody reads it aligned. */
const long = 1 << 16

const unaligned = (lines: readonly Line[], view: View): string =>
  lines
    .map((line) => `${view.style.bold(labelText(line))}${' '.repeat(gap)}${line.text}\n`)
    .join('')

const detail: OpenPrinter = (sink, view) => {
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
const plainList: OpenPrinter = (sink, view) => {
  const rows = createRows(view)
  let started = false
  const header = (): string => {
    if (started || rows.columns().length === 0) return ''
    started = true
    return view.headless === true ? '' : line(view, rows.headings())
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
const plainDetail: OpenPrinter = (sink, view) => {
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

export const open: OpenPrinter = (sink, view) => {
  if (view.terminal) return (view.many ? list : detail)(sink, view)
  return (view.many ? plainList : plainDetail)(sink, view)
}

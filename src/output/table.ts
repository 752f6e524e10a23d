/**
 * Writes tables: on a terminal aligned columns or one object in two columns, with ages, words and symbols; elsewhere
 * tab-separated whole values, unless `-o table` asks for aligned columns.
 */

import type { Records } from '../base/json/records.js'
import { isScalar, serializeJson } from '../base/json/values.js'
import { type Fields, isObject } from '../base/objects.js'
import { getLevelName } from '../catalogue/shapes/common.js'
import {
  type Cell,
  createCell,
  createListPrinter,
  createRecordPrinter,
  createRows,
  getColumnOwner,
  getLabel,
  getRowView,
  paintCell,
  type RowReader,
} from './cell.js'
import { escapeLine, escapeLines, type SafeText } from './escape.js'
import { formatGrid, gap, nestedIndent, placeColumns, splitWidth, type TableLine } from './grid.js'
import type { FormatView, OpenPrinter, TextWidths, View } from './types.js'

// A list on a terminal: aligned columns under a bold header, cut to the terminal's width. The first records decide the
// widths. Later records are written as they arrive, so that memory does not grow, and may widen a column.

/** The number of records that decide the widths, on a terminal. */
const sampleSize = 100
/** The number of records for pipes and files. Nobody waits there, and stable columns matter more. */
const alignedSampleSize = 1000
/** The maximum number of columns if nobody named the columns. */
const maxColumns = 8
/** The width that a heading may take beyond its values if the columns do not all fit. */
const shortHeading = 12

const chooseScalarFields = (record: Fields): readonly string[] => {
  const names = Object.keys(record)
  const scalars = names.filter((name) => isScalar(record[name]))
  return (scalars.length > 0 ? scalars : names).slice(0, maxColumns)
}

const createCells = (record: unknown, rows: RowReader, view: FormatView): Cell[] => {
  const own = getRowView(record, view)
  const values = rows.values(record)
  return rows.columns().map((name, i) => {
    const url = rows.link(record, i)
    const cell = createCell(name, values[i], own)
    return url === undefined ? cell : { url, ...cell }
  })
}

/** The widths of the columns in each line of a record, and the measure of their text. */
interface Layout {
  readonly lines: readonly TableLine[]
  readonly text: TextWidths
}

/** Lays out one line of a row, with its cells cut to the columns. */
const layOutRow = (
  cells: readonly Cell[],
  { first, widths }: TableLine,
  text: TextWidths,
  view: View,
): string[] =>
  widths.map((width, i) => {
    const cell = cells[first + i]
    return cell === undefined ? '' : paintCell(cell, text.truncate(cell.text, width), view)
  })

/** Draws rows as lines of text. The further lines of a row stand below its first. */
const drawBody = (
  rows: readonly (readonly Cell[])[],
  { lines, text }: Layout,
  view: View,
): readonly string[] => {
  const drawn = lines.map((line, n) =>
    formatGrid(
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
 * Returns the headings of the columns. Columns of the catalogue are shortened to their object (`author.username` →
 * `author`); requested columns stay as typed.
 */
const getHeadings = (names: readonly string[], { fields, style }: View): readonly SafeText[] =>
  names.map((name) => escapeLine(fields === undefined ? getColumnOwner(name) : name, style))

const drawHeader = (headings: readonly SafeText[], layout: Layout, view: View): string => {
  const shownColumns = countColumns(layout.lines)
  const more = headings.length > shownColumns ? ' …' : ''
  const cells = headings.map((text, i) => ({
    text: i === shownColumns - 1 ? escapeLine(text + more, view.style) : text,
  }))
  return drawBody([cells], layout, view)
    .map((line) => `${view.style.bold(line)}\n`)
    .join('')
}

/** Measures the columns by their values, and also by their headings if everything fits. */
const measureColumns = (
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

const countColumns = (lines: readonly TableLine[]): number =>
  lines.reduce((sum, { widths }) => sum + widths.length, 0)

/**
 * Chooses the lines of each record: several if the view allows that and there is not enough room, else one.
 * @param before the lines of the records above, which have the same heading
 */
const chooseLines = (
  natural: readonly number[],
  { width, stacks }: View,
  before: readonly TableLine[] | undefined,
): readonly TableLine[] => {
  if (before !== undefined && before.length > 1) return before
  if (width === Number.POSITIVE_INFINITY) return [{ first: 0, widths: natural }]
  const widths = splitWidth(natural, width)
  const hidden = widths.length < natural.length
  const cut = natural.some((whole, i) => (widths[i] ?? 0) < whole)
  const mayStack = stacks !== undefined && before === undefined
  const stacked = mayStack && (stacks === 'cut' ? cut : hidden)
  return stacked ? placeColumns(natural, width) : [{ first: 0, widths }]
}

/** True if a table may be as wide as its values, and a value is too long to be read aligned. */
const isTooLong = (rows: readonly (readonly Cell[])[], { width }: View): boolean =>
  width === Number.POSITIVE_INFINITY &&
  rows.some((cells) => cells.some(({ text }) => text.length > maxAlignedLength))

const getTexts = (cells: readonly Cell[]): readonly string[] => cells.map(({ text }) => text)

const joinUnaligned = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.join(' '.repeat(gap))}\n`).join('')

const openList: OpenPrinter = (sink, view) => {
  const rows = createRows(view, chooseScalarFields)
  const measured = view.aligned === true ? alignedSampleSize : sampleSize
  let waiting: Cell[][] = []
  let natural: readonly number[] | undefined
  let lines: readonly TableLine[] | undefined
  /** The maximum number of columns that did not fit. */
  let hidden = 0

  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return
    const ready = waiting
    waiting = []
    const headings = getHeadings(rows.headings(), view)
    const isFirst = natural === undefined && view.headless !== true
    if (isTooLong(ready, view)) {
      natural ??= headings.map(() => 0)
      return sink.write(joinUnaligned([...(isFirst ? [headings] : []), ...ready.map(getTexts)]))
    }
    const text = await view.style.widthsFor([...headings, ...ready.flat().map((cell) => cell.text)])
    const before = natural
    natural = measureColumns(headings, ready, text, view.width).map((width, i) =>
      Math.max(width, before?.[i] ?? 0),
    )
    lines = chooseLines(natural, view, lines)
    const layout = { lines, text }
    const header = isFirst ? drawHeader(headings, layout, view) : ''
    hidden = Math.max(hidden, natural.length - countColumns(layout.lines))
    const body = drawBody(ready, layout, view).map((line) => `${line}\n`)
    await sink.write(header + body.join(''))
  }
  const write = async (records: readonly unknown[]): Promise<void> => {
    for (const record of records) waiting.push(createCells(record, rows, view))
    if (natural !== undefined || waiting.length >= measured) await flush()
  }
  const end = async (): Promise<void> => {
    await flush()
    if (hidden > 0) view.tellHidden?.(hidden)
  }
  const bytes = (batch: Records): Promise<void> => write(batch.map(view.parse))
  return { bytes, values: write, close: end, abandon: end }
}

// One object on a terminal: its fields in two columns, with wrapped text and indented nested objects.

const indentStep = 2
const maxDepth = 4

interface DetailLine {
  readonly depth: number
  readonly name: SafeText
  /** The text to wrap; `paint` colors each line. */
  readonly text: SafeText
  readonly paint: (text: string) => string
}

const returnText = (text: string): string => text

/** Creates the line of a field with several lines of text, whose line breaks stay. */
const createTextLine = (
  name: string,
  text: string,
  depth: number,
  { style }: View,
): DetailLine => ({
  depth,
  name: escapeLine(name, style),
  text: escapeLines(text, style),
  paint: returnText,
})

const createLine = (name: string, value: unknown, depth: number, view: View): DetailLine => {
  if (typeof value === 'string' && value.includes('\n'))
    return createTextLine(name, value, depth, view)
  if (Array.isArray(value) && value.some((v) => isObject(v) && getLabel(v) === undefined))
    return createTextLine(name, value.map(serializeJson).join('\n'), depth, view)
  const cell = createCell(view.naming.neutral(name), value, view, true)
  const paint = (text: string): string => paintCell(cell, text, view)
  return { depth, name: escapeLine(name, view.style), text: cell.text, paint }
}

/** True for another object of the instance, which is shown by its name, unless fields are requested. */
const isReference = (value: unknown, view: View): boolean =>
  view.fields === undefined &&
  isObject(value) &&
  value.id !== undefined &&
  getLabel(value) !== undefined

/** Yields the line of a field, and the lines of the object that it contains. */
function* yieldLines(
  name: string,
  value: unknown,
  depth: number,
  view: View,
): Generator<DetailLine> {
  if (isReference(value, view)) return yield createLine(name, value, depth, view)
  const inside = isObject(value) ? Object.entries(value) : []
  if (inside.length === 0)
    return yield createLine(name, isObject(value) ? null : value, depth, view)
  if (depth >= maxDepth) return yield createTextLine(name, serializeJson(value), depth, view)
  yield createTextLine(name, '', depth, view)
  for (const [key, v] of inside) yield* yieldLines(key, v, depth + 1, view)
}

const labelText = ({ depth, name }: DetailLine): string => ' '.repeat(depth * indentStep) + name

const renderDetail = (
  lines: readonly DetailLine[],
  { style, width }: View,
  { measure, wrap }: TextWidths,
): string => {
  const most = Math.max(1, Math.floor(width * 0.5) - gap)
  const labels = lines.map((line) => measure(labelText(line)))
  // A longer name gets a line of its own. Names are never cut, because people type them.
  const left = labels.reduce((sum, columns) => (columns <= most ? Math.max(sum, columns) : sum), 1)
  const room = Math.max(1, width - left - gap)
  const margin = ' '.repeat(left + gap)
  // Written without `formatGrid`, which would measure each line again. A URL stays on one line after the margin.
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

/** The length above which text is not wrapped, in characters: nobody reads it aligned. */
const maxAlignedLength = 1 << 16

const drawUnaligned = (lines: readonly DetailLine[], view: View): string =>
  lines
    .map((line) => `${view.style.bold(labelText(line))}${' '.repeat(gap)}${line.text}\n`)
    .join('')

const openDetail: OpenPrinter = (sink, view) => {
  let started = false
  const write = async (record: unknown): Promise<void> => {
    const rows = createRows(view, (fields: Fields) => Object.keys(fields))
    const values = rows.values(record)
    let lines: DetailLine[] = []
    let size = 0
    let isLarge = false
    if (started) await sink.write('\n')
    started = true
    for (const [i, name] of rows.headings().entries())
      for (const line of yieldLines(name, values[i], 0, view)) {
        lines.push(line)
        size += line.text.length + line.name.length
        if (size <= maxAlignedLength) continue
        // The lines of a large object are written as they are made, so that they are not all in memory.
        isLarge = true
        await sink.write(drawUnaligned(lines, view))
        lines = []
        size = 0
      }
    if (isLarge) return sink.write(drawUnaligned(lines, view))
    const texts = lines.flatMap((line) => [line.name, line.text])
    await sink.write(renderDetail(lines, view, await view.style.widthsFor(texts)))
  }
  return createRecordPrinter(write)
}

// Tab-separated values in full; only what would break the line is escaped.

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (isScalar(value)) return String(value)
  return Array.isArray(value) && value.every(isScalar)
    ? value.map(formatValue).join(',')
    : serializeJson(value)
}

/** Formats a line of cells. Tabs, line breaks and control characters in cells are escaped. */
const formatRow = (view: View, values: readonly unknown[]): string =>
  `${values.map((value) => escapeLine(formatValue(value), view.style)).join('\t')}\n`

/** Opens the printer of a list: a header line of field names, then one line for each record. */
const openPlainList: OpenPrinter = (sink, view) =>
  createListPrinter(sink, view, {
    header: (rows) => (view.headless === true ? '' : formatRow(view, rows.headings())),
    lines: (lines) => lines.map((values) => formatRow(view, values)).join(''),
  })

/** Opens the printer of one object: one line for each field, with its name and value. */
const openPlainDetail: OpenPrinter = (sink, view) => {
  const write = async (record: unknown): Promise<void> => {
    const rows = createRows(view)
    const values = rows.values(record)
    const columns = rows.columns()
    const lines = rows
      .headings()
      .map((name, i) => formatRow(view, [name, getLevelName(columns[i], values[i]) ?? values[i]]))
    await sink.write(lines.join(''))
  }
  return createRecordPrinter(write)
}

export const open: OpenPrinter = (sink, view) => {
  if (view.terminal || view.aligned === true) return (view.many ? openList : openDetail)(sink, view)
  return (view.many ? openPlainList : openPlainDetail)(sink, view)
}

/**
 * Standard input as the objects of a verb: what lists print, in every format, or one a line. Read
 * whole and checked whole, so that nothing is sent where a part of it cannot be understood.
 */

import { digitsOf, isNumber } from '../../base/json/json.js'
import { jsonValues } from '../../base/json/values.js'
import { objectColumn } from '../run/answer/fields.js'
import type { Objects } from './objects.js'
import { bareObject, objectIn, otherThings, refused } from './piped-row.js'

interface Line {
  readonly number: number
  readonly text: string
}
interface Cells {
  readonly place: string
  readonly cells: readonly string[]
}
/** The first line's cells, and the lines of cells below it. */
interface Table {
  readonly heading: readonly string[]
  readonly rows: readonly Cells[]
}

const plain: Objects = {
  word: 'object',
  names: [],
  also: [],
  known: new Set(),
  foreign: new Set(),
  columns: [],
}

const textOf = (value: unknown): string => {
  if (isNumber(value)) return digitsOf(value)
  return typeof value === 'string' ? value.trim() : ''
}

/** A field of a record; a dotted name is a key as `--fields` writes it, else reaches inside. */
const fieldOf = (record: unknown, name: string): string => {
  if (record === null || typeof record !== 'object') return ''
  const fields: Readonly<Record<string, unknown>> = { ...record }
  if (fields[name] !== undefined) return textOf(fields[name])
  const dot = name.indexOf('.')
  return dot < 0 ? '' : fieldOf(fields[name.slice(0, dot)], name.slice(dot + 1))
}

const knownCell = (cell: string, { known }: Objects): boolean =>
  cell === objectColumn || known.has(cell) || known.has(cell.split('.')[0] ?? cell)

const isHeading = (cells: readonly string[], objects: Objects): boolean =>
  cells[0] === objectColumn || cells.every((cell) => knownCell(cell, objects))

const tableRows = (
  { heading, rows }: Table,
  objects: Objects,
  project: string | undefined,
): string[] => {
  // An answer about several objects may be of any shape, but says which they were.
  const about = heading[0] === objectColumn && !heading.every((cell) => knownCell(cell, objects))
  return rows.flatMap(({ place, cells }) => {
    if (cells.length !== heading.length)
      throw refused(
        place,
        `${cells.length} columns below a heading of ${heading.length}`,
        'Give objects in one form: JSON, a table, or one a line.',
      )
    // Lists after each other bring their headings along.
    if (cells.every((cell, i) => cell === heading[i])) return []
    const at = (name: string): string => (cells[heading.indexOf(name)] ?? '').trim()
    const field = about ? (name: string) => (name === objectColumn ? at(name) : '') : at
    return [objectIn({ place, field }, objects, project)]
  })
}

const cellsOf = ({ text }: Line): string[] => text.split('\t').map((cell) => cell.trim())

/** Lines of a list whose heading was cut away (grep): known by as many columns, the object first. */
const withoutHeading = (lines: readonly Line[], objects: Objects): boolean => {
  const first = cellsOf(lines[0] ?? { number: 1, text: '' })
  const width = first.length
  return (
    !objects.names.includes(first[0] ?? '') &&
    lines.every((line) => cellsOf(line).length === width) &&
    objects.columns.some(
      (columns) => columns.length === width && objects.names.includes(columns[0] ?? ''),
    )
  )
}

const oneALine = (
  lines: readonly Line[],
  objects: Objects,
  project: string | undefined,
): string[] => {
  const cut = withoutHeading(lines, objects)
  return lines.map((line) => {
    const place = `line ${line.number}`
    const [text = '', ...more] = cellsOf(line)
    if (/^[[{]/.test(text))
      throw refused(place, 'JSON below other lines', 'Give all objects as JSON, or none.')
    if (more.length > 0 && !cut)
      throw refused(
        place,
        `several columns, and the first line is not the heading of a list of ${objects.word}s`,
        'Pipe the list with its heading, or one object a line.',
      )
    return bareObject(place, text, objects, project)
  })
}

const tabbed = (lines: readonly Line[]): Table => ({
  heading: cellsOf(lines[0] ?? { number: 1, text: '' }),
  rows: lines.slice(1).map((line) => ({ place: `line ${line.number}`, cells: cellsOf(line) })),
})

/** Comma-separated cells, whose texts may go over several lines; undefined where it is none. */
const commas = async (text: string): Promise<Table | undefined> => {
  const { parse } = await import('csv-parse/sync')
  const rows: Cells[] = []
  try {
    parse(text, {
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (record: readonly string[], { lines }) => {
        rows.push({ place: `line ${lines}`, cells: record.map(textOf) })
        return null
      },
    })
  } catch {
    return undefined
  }
  const [first, ...others] = rows
  return first === undefined ? undefined : { heading: first.cells, rows: others }
}

/** What the record of a list calls its object. */
export const objectOf = (record: unknown, objects: Objects = plain, project?: string): string =>
  objectIn({ place: 'a record', field: (name) => fieldOf(record, name) }, objects, project)

const fromJson = (text: string, objects: Objects, project: string | undefined): string[] => {
  const found: string[] = []
  for (const { line, value } of jsonValues(text)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    for (const [i, item] of items.entries()) {
      const place = items === value ? `line ${line}, item ${i + 1}` : `line ${line}`
      const own = textOf(item)
      const keys = item !== null && typeof item === 'object' ? Object.keys(item) : []
      if (keys.some((key) => objects.foreign.has(key))) throw otherThings(place, objects)
      if (own !== '') found.push(bareObject(place, own, objects, project))
      else found.push(objectIn({ place, field: (name) => fieldOf(item, name) }, objects, project))
    }
  }
  return found
}

/** A table, where the first line is the heading of a list of such objects. */
const tableIn = async (
  text: string,
  lines: readonly Line[],
  objects: Objects,
): Promise<Table | undefined> => {
  const first = lines[0]?.text ?? ''
  const table = first.includes('\t')
    ? tabbed(lines)
    : first.includes(',')
      ? await commas(text)
      : undefined
  if (table === undefined) return undefined
  if (isHeading(table.heading, objects)) return table
  const strange = table.heading.some((cell) => objects.foreign.has(cell.split('.')[0] ?? cell))
  const fields = table.heading.filter((cell) => knownCell(cell, objects)).length
  if (strange && fields > 0) throw otherThings('line 1', objects)
  return undefined
}

/**
 * The objects that a text names.
 * @param objects what the verb takes; undefined where only lines are understood
 * @param project what --project says: the project of numbers that bring none along
 * @throws Failure `usage` naming the line that cannot be understood
 */
export const pipedObjects = async (
  input: string,
  objects: Objects = plain,
  project?: string,
): Promise<readonly string[]> => {
  const text = input.replace(/^\ufeff/, '')
  const lines = text
    .split(/\r?\n/)
    .flatMap((line, i) => (line.trim() === '' ? [] : [{ number: i + 1, text: line }]))
  const [first, ...others] = lines
  if (first === undefined) return []
  if (/^\s*[[{]/.test(first.text)) return fromJson(text, objects, project)
  const table = await tableIn(text, lines, objects)
  if (table !== undefined) return tableRows(table, objects, project)
  const heading = first.text.trim()
  const named = heading === objectColumn || objects.names.includes(heading)
  return oneALine(named && others.length > 0 ? others : lines, objects, project)
}

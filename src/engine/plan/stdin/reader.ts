/**
 * Standard input as the objects of a verb: what lists print, in every format, or one a line. It is read as
 * it comes; what came together is understood whole before any of it is given.
 */
import { type CutValue, createTooLongFault, JsonCutter } from '../../../base/json/cutter.js'
import { maxBuilt } from '../../../base/json/json.js'
import { usage } from '../../../errors.js'
import type { Command, Given } from '../../command/types.js'
import type { Raw } from '../line.js'
import { type Objects, readObjects } from '../objects.js'
import type { Sources } from '../values.js'

import { checkRows, createUnusedColumns, type RowFields } from './row-fields.js'
import {
  type Cells,
  checkNotAligned,
  createLineReader,
  createRowReader,
  isHeadless,
  isJsonStart,
  isOneHeading,
  isTable,
  isWord,
  type NumberedText,
  type PlacedObject,
  parseObjectAt,
  plainObjects,
  type RowTap,
  refuseColumns,
  refuseHeading,
  refuseRow,
  splitCells,
} from './rows.js'

// Standard input cut as it comes: into values of JSON, lines, and rows of cells.

/** Takes text, and gives what is whole of it by then. */
export type Cutter<T> = (text: string, last: boolean) => readonly T[]

export const cutValues = (): Cutter<CutValue> => {
  const cutter = new JsonCutter()
  return (text, last) => [...cutter.push(text), ...(last ? cutter.end() : [])]
}

/** @param length characters of what has no end yet */
const checkLength = (length: number, line: number, what = 'a line'): void => {
  if (length > maxBuilt.bytes) throw createTooLongFault(line, what)
}

/** Cuts text into whole lines, numbered; a line that has no end yet waits. */
const cutLines = (): Cutter<NumberedText> => {
  let rest: string[] = []
  let waiting = 0
  let number = 0
  return (text, last) => {
    const end = last ? text.length : text.lastIndexOf('\n') + 1
    if (end === 0 && !last) {
      rest.push(text)
      waiting += text.length
      checkLength(waiting, number + 1)
      return []
    }
    const lines = [...rest, text.slice(0, end)].join('').split('\n')
    rest = [text.slice(end)]
    waiting = text.length - end
    // Behind the last end there is nothing.
    if (lines.at(-1) === '') lines.pop()
    const first = number + 1
    number += lines.length
    return lines
      .map((line, i) => ({
        number: first + i,
        text: line.endsWith('\r') ? line.slice(0, -1) : line,
      }))
      .filter(({ text: line }) => line.trim() !== '')
  }
}

/** Rows of cells that a tab parts. */
export const cutTabs = (): Cutter<Cells> => {
  const lines = cutLines()
  return (text, last) =>
    lines(text, last).map((line) => ({
      place: `line ${line.number}`,
      cells: splitCells(line.text),
    }))
}

type CsvParser = typeof import('csv-parse/sync')['parse']

/** True if a text opens a quoted cell that it does not close, or the other way about. */
const hasOddQuotes = (text: string): boolean => text.split('"').length % 2 === 0

/** @throws Failure `usage` naming the place, for quotes that do not go together */
const parseCommas = (parse: CsvParser, lines: readonly NumberedText[]): readonly Cells[] => {
  const place = `line ${lines[0]?.number ?? 1}`
  try {
    const rows = parse(lines.map(({ text }) => text).join('\n'), { relax_column_count: true })
    return rows.map((row) => ({ place, cells: row.map((cell) => cell.trim()) }))
  } catch {
    throw refuseRow(
      place,
      'a misplaced quotation mark',
      'Put a cell that contains quotation marks in quotation marks, and double each of them.',
    )
  }
}

/** Rows of cells that commas part, whose texts may go over several lines. */
export const cutCommas = async (): Promise<Cutter<Cells>> => {
  const { parse } = await import('csv-parse/sync')
  const lines = cutLines()
  let waiting: NumberedText[] = []
  let length = 0
  let open = false
  return (text, last) => {
    const found: Cells[] = []
    const take = (): void => {
      found.push(...parseCommas(parse, waiting))
      waiting = []
      length = 0
    }
    for (const line of lines(text, last)) {
      waiting.push(line)
      length += line.text.length
      if (hasOddQuotes(line.text)) open = !open
      if (!open) take()
      else checkLength(length, waiting[0]?.number ?? line.number, 'a row')
    }
    if (last && waiting.length > 0) take()
    return found
  }
}

// The objects that it names.

/** The kind of the objects that are named, and the project of IDs that come without one. */
interface ObjectContext {
  readonly objects: Objects
  readonly project: string | undefined
  /** The listener to each record. */
  readonly tap?: RowTap | undefined
}

/** Describes for messages where a value of JSON stands. */
export const describePosition = ({ line, item }: CutValue): string =>
  item === undefined ? `line ${line}` : `line ${line}, item ${item}`

const createJsonCutter = async (reading: ObjectContext): Promise<Cutter<PlacedObject>> => {
  const cut = cutValues()
  const known = { ...reading, elsewhere: await reading.objects.elsewhere() }
  return (text, last) =>
    cut(text, last).map((one) => {
      const place = describePosition(one)
      return { text: parseObjectAt(place, one.value, known), place }
    })
}

/** Creates the cutter of a table's objects: its first row is its heading. */
const createTableCutter = (
  cut: Cutter<Cells>,
  { objects, project, tap }: ObjectContext,
): Cutter<PlacedObject> => {
  let read: ((row: Cells) => readonly string[]) | undefined
  return (text, last) =>
    cut(text, last).flatMap((row) => {
      if (read !== undefined) return read(row).map((one) => ({ text: one, place: row.place }))
      read = createRowReader(row.cells, objects, project, tap)
      return []
    })
}

/** Creates the cutter for one object a line. */
const createLineCutter = ({ objects, project, tap }: ObjectContext): Cutter<PlacedObject> => {
  const lines = cutLines()
  let read: ((line: NumberedText) => string) | undefined
  let heading: NumberedText | undefined
  const placed = (text: string, { number }: NumberedText): PlacedObject => ({
    text,
    place: `line ${number}`,
  })
  return (whole, last) => {
    const found: PlacedObject[] = []
    for (const line of lines(whole, last)) {
      const text = line.text.trim()
      if (read === undefined) {
        const cells = splitCells(line.text)
        read = createLineReader(isHeadless(cells, objects) ? cells.length : 1, objects, project)
        // A heading of one column, where lines follow it.
        if (isOneHeading(text, objects)) {
          heading = line
          continue
        }
      }
      heading = undefined
      tap?.bare(`line ${line.number}`)
      found.push(placed(read(line), line))
    }
    if (last && heading !== undefined && read !== undefined)
      found.push(placed(read(heading), heading))
    return found
  }
}

/** Returns the first line, once it is whole; JSON needs none, whose records may all stand in one. */
const getFirstLine = (text: string, last: boolean): string | undefined => {
  if (isJsonStart(text)) return text
  const begin = text.search(/\S/)
  const end = text.indexOf('\n', begin)
  if (begin < 0 || (end < 0 && !last)) return undefined
  const line = text.slice(text.lastIndexOf('\n', begin) + 1, end < 0 ? undefined : end)
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

const parseCsvHeading = async (head: string): Promise<readonly string[] | undefined> => {
  const { parse } = await import('csv-parse/sync')
  try {
    const [cells = []] = parse(head)
    return cells.map((cell) => cell.trim())
  } catch {
    return undefined
  }
}

/** Chooses the form in which objects are given, by the first line. */
const chooseCutter = async (
  head: string,
  reading: ObjectContext,
): Promise<Cutter<PlacedObject>> => {
  const { objects } = reading
  if (isJsonStart(head)) return createJsonCutter(reading)
  checkNotAligned(head, objects)
  // Of a sheet people chose the columns: one that names the object makes it one.
  const sheet = reading.tap?.sheet === true
  const isHeading = (cells: readonly string[]): boolean => {
    if (sheet && cells.some((cell) => isOneHeading(cell, objects))) return true
    const found = isTable(cells, objects)
    if (found || cells.length < 2) return found
    if (sheet) throw refuseHeading(cells, objects)
    if (cells.every(isWord) && cells.some((cell) => isOneHeading(cell, objects)))
      throw refuseColumns(cells, objects)
    return false
  }
  if (head.includes('\t'))
    return isHeading(splitCells(head))
      ? createTableCutter(cutTabs(), reading)
      : createLineCutter(reading)
  const csv = head.includes(',') ? await parseCsvHeading(head) : undefined
  return csv !== undefined && isHeading(csv)
    ? createTableCutter(await cutCommas(), reading)
    : createLineCutter(reading)
}

/**
 * Reads the objects that a text names, as it comes.
 * @param objects what the verb takes; undefined where only lines are understood
 * @param project what --project says: the project of numbers that bring none along
 * @throws Failure `usage` naming the line that cannot be understood
 */
export async function* readPipedStream(
  chunks: Iterable<string> | AsyncIterable<string>,
  objects: Objects = plainObjects,
  project?: string,
  tap?: RowTap,
): AsyncGenerator<readonly PlacedObject[]> {
  let form: Cutter<PlacedObject> | undefined
  let pieces: string[] = []
  let length = 0
  let begin = ''
  const take = async (chunk: string, last: boolean): Promise<readonly PlacedObject[]> => {
    if (form !== undefined) return form(chunk, last)
    checkLength(length, 1)
    pieces.push(length === 0 ? chunk.replace(/^\ufeff/, '') : chunk)
    length += chunk.length
    begin ||= chunk.trimStart().charAt(0)
    // Until a line ends there is no first line: what has come is not looked at again with each piece.
    if (!last && (begin === '' || (!isJsonStart(begin) && !chunk.includes('\n')))) return []
    const text = pieces.join('')
    const head = getFirstLine(text, last)
    if (head === undefined) return []
    form = await chooseCutter(head, { objects, project, tap })
    pieces = []
    return form(text, last)
  }
  for await (const chunk of chunks) {
    const found = await take(chunk, false)
    if (found.length > 0) yield found
  }
  const found = await take('', true)
  if (found.length > 0) yield found
}

/** A text is parsed in pieces of so many characters: the memory of one piece is free before the next is parsed. */
const pieceSize = 64 * 1024

function* splitIntoPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += pieceSize) yield text.slice(at, at + pieceSize)
}

const collectObjects = async (
  stream: AsyncIterable<readonly PlacedObject[]>,
): Promise<readonly PlacedObject[]> => {
  const found: PlacedObject[] = []
  for await (const some of stream) for (const one of some) found.push(one)
  return found
}

/** Parses the objects that a text in memory names. */
export const parsePipedObjects = (
  input: string,
  objects?: Objects,
  project?: string,
  tap?: RowTap,
): Promise<readonly PlacedObject[]> =>
  collectObjects(readPipedStream(splitIntoPieces(input), objects, project, tap))

/** The options by which the input of a line is read. */
interface InputOptions extends Pick<Sources, 'note' | 'project'> {
  readonly rowFields?: RowFields
}

/** Reads the objects of a command that an input names, as it comes; columns that could have been attributes are noted. */
export async function* readInputObjects(
  chunks: Iterable<string> | AsyncIterable<string>,
  command: Command,
  { note, project, rowFields }: InputOptions,
): AsyncGenerator<readonly PlacedObject[]> {
  const kind = await readObjects(command.args[0], command.naming)
  const tap = rowFields ?? (kind && createUnusedColumns(command, note, kind))
  yield* readPipedStream(chunks, kind, project, tap)
}

/**
 * Reads the arguments of a line, those of standard input in the place of `-`, with the attributes of their rows.
 * @throws Failure `usage` if it names none
 */
export const readInputArguments = async (
  command: Command,
  raw: Raw,
  {
    stdin,
    rowFields,
    note,
    project = raw.flags.get('project')?.at(-1),
  }: InputOptions & Pick<Sources, 'stdin'>,
): Promise<Pick<Given, 'args' | 'places' | 'rows'>> => {
  const whole = await stdin()
  const objects = await collectObjects(
    readInputObjects(splitIntoPieces(whole), command, { note, project, rowFields }),
  )
  if (objects.length === 0 && raw.args.length === 1)
    throw usage('standard input contains no objects')
  const texts = objects.map(({ text }) => text)
  const args = raw.args.flatMap((arg) => (arg === '-' ? texts : [arg]))
  // The first place of a text that stands there twice is where it is refused.
  const places = new Map(objects.toReversed().map(({ text, place }) => [text, place]))
  if (rowFields === undefined) return { args, places }
  const taken = rowFields.taken()
  const inPlace = <T>(some: readonly T[]): readonly (T | undefined)[] =>
    raw.args.flatMap((arg): readonly (T | undefined)[] => (arg === '-' ? some : [undefined]))
  const rows = inPlace(taken)
  await checkRows(args, rows, inPlace(objects.map(({ place }) => place)))
  return { args, places, rows }
}

/** Reads objects from standard input while it arrives: JSON, CSV or tab-separated lists as svcctl prints them, or one object per line. */

import { type CutValue, createTooLongFault, JsonCutter } from '../../../base/json/cutter.js'
import { maxBuilt } from '../../../base/json/json.js'
import { tryParseJson } from '../../../base/objects.js'
import { unescapeFormula } from '../../../base/text.js'
import { usage } from '../../../errors.js'
import type { Command, Given } from '../../command/types.js'
import type { Raw } from '../line.js'
import { type Objects, plainObjects, readObjects } from '../objects.js'
import type { Sources } from '../parse-values.js'

import { checkNotTargets, createParentCheck, takeRecord } from './parent-records.js'
import { checkReadable } from './printed-formats.js'
import { checkRows, createUnusedColumns, type RowFields } from './row-fields.js'
import {
  type Cells,
  checkNoProfiles,
  createColumnsFailure,
  createHeadingFailure,
  createLineReader,
  createRowFailure,
  createRowReader,
  isColumnHeading,
  isHeadingWord,
  isHeadless,
  isJsonStart,
  isOneHeading,
  isTable,
  listOwnColumns,
  type NumberedText,
  type ObjectContext,
  type PlacedObject,
  parseObjectAt,
  splitCells,
} from './rows.js'

// Cutters, which split text that arrives in chunks into JSON values, lines or rows of cells.

/** Accepts the next chunk of text, and returns the items that are complete. */
export type Cutter<T> = (text: string, last: boolean) => readonly T[]

export const createValueCutter = (): Cutter<CutValue> => {
  const cutter = new JsonCutter()
  return (text, last) => [...cutter.push(text), ...(last ? cutter.end() : [])]
}

/** @param length the number of characters without an end so far */
const checkLength = (length: number, line: number, what = 'a line'): void => {
  if (length > maxBuilt.bytes) throw createTooLongFault(line, what)
}

/** Splits text into complete, numbered lines. An incomplete line is kept until its end arrives. */
const createAnyLineCutter = (): Cutter<NumberedText> => {
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
    // Text that ends with a line break has no further line.
    if (lines.at(-1) === '') lines.pop()
    return lines.map((line) => ({ number: ++number, text: line.replace(/\r$/, '') }))
  }
}

const isBlank = ({ text }: NumberedText): boolean => text.trim() === ''

/** Splits text into complete, numbered lines that are not blank. */
const createTextLineCutter = (): Cutter<NumberedText> => {
  const cut = createAnyLineCutter()
  return (text, last) => cut(text, last).filter((line) => !isBlank(line))
}

/** Splits text into rows of cells at tabs. */
const createTabCutter = (): Cutter<Cells> => {
  const lines = createTextLineCutter()
  return (text, last) =>
    lines(text, last).map((line) => ({
      place: `line ${line.number}`,
      cells: splitCells(line.text),
    }))
}

type CsvParser = typeof import('csv-parse/sync')['parse']

/** True if quotation marks are unbalanced, so that a quoted cell begins or ends in the text. */
const hasOddQuotes = (text: string): boolean => text.split('"').length % 2 === 0

/** @throws Failure `usage` with the place, for misplaced quotation marks */
const parseCsv = (
  parse: CsvParser,
  lines: readonly NumberedText[],
  delimiter: string,
): readonly Cells[] => {
  const place = `line ${lines[0]?.number ?? 1}`
  try {
    const text = lines.map((line) => line.text).join('\n')
    // Spaces in quotation marks are part of the cell. The parser tells which cells have these, but takes several times as long.
    const mayKeepSpaces = /"\s|\s"/.test(text)
    const rows: readonly (readonly string[])[] = parse(text, {
      delimiter,
      relax_column_count: true,
      cast: mayKeepSpaces && ((cell, { quoting }) => (quoting ? cell : cell.trim())),
    })
    const trim = (cell: string): string => (mayKeepSpaces ? cell : cell.trim())
    return rows.map((row) => ({ place, cells: row.map((cell) => unescapeFormula(trim(cell))) }))
  } catch {
    throw createRowFailure(
      place,
      'a misplaced quotation mark',
      'Put a cell that contains quotation marks in quotation marks, and double each of them.',
    )
  }
}

/** Splits text into rows of cells at a comma or semicolon. A quoted cell may span several lines. */
const createCsvCutter = async (delimiter: string): Promise<Cutter<Cells>> => {
  const { parse } = await import('csv-parse/sync')
  const lines = createAnyLineCutter()
  let waiting: NumberedText[] = []
  let length = 0
  let open = false
  return (text, last) => {
    const found: Cells[] = []
    const take = (): void => {
      found.push(...parseCsv(parse, waiting, delimiter))
      waiting = []
      length = 0
    }
    for (const line of lines(text, last)) {
      // A blank line between rows separates nothing, but one in a cell is part of its text.
      if (!open && isBlank(line)) continue
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

/**
 * Returns the separator between the columns of a heading; undefined if there is none. Where commas mark decimals, spreadsheets write
 * semicolons.
 */
export const findSeparator = (head: string): string | undefined => {
  if (head.includes('\t')) return '\t'
  const plain = head.replaceAll(/"(?:[^"]|"")*"/g, '')
  const [commas, semicolons] = [',', ';'].map((one) => plain.split(one).length)
  if (commas === 1 && semicolons === 1) return undefined
  return (semicolons ?? 0) > (commas ?? 0) ? ';' : ','
}

/** Splits text into rows of cells at a separator. */
export const createCellCutter = async (separator: string): Promise<Cutter<Cells>> =>
  separator === '\t' ? createTabCutter() : createCsvCutter(separator)

// The objects that the items name.

/** Describes the place of a JSON value for messages. */
export const describePosition = ({ line, item }: CutValue): string =>
  item === undefined ? `line ${line}` : `line ${line}, item ${item}`

const createJsonCutter = async (reading: ObjectContext): Promise<Cutter<PlacedObject>> => {
  const cut = createValueCutter()
  const elsewhere = await reading.objects.loadForeignFields()
  return (text, last) =>
    cut(text, last).flatMap((one) => {
      const place = describePosition(one)
      const value = takeRecord(place, one.value, reading)
      return value === undefined
        ? []
        : [{ text: parseObjectAt(place, value, reading, elsewhere), place }]
    })
}

/** Creates the cutter of a table from the function that reads its heading, the first row, and returns the function that reads the others. */
export const createTableCutter = <T>(
  cut: Cutter<Cells>,
  readHeading: (heading: readonly string[]) => (row: Cells) => readonly T[],
): Cutter<T> => {
  let read: ((row: Cells) => readonly T[]) | undefined
  return (text, last) =>
    cut(text, last).flatMap((row) => {
      if (read !== undefined) return read(row)
      read = readHeading(row.cells)
      return []
    })
}

/** Removes the quotes of a line, which jq without `-r` and spreadsheets write around texts. */
const unquoteLine = (line: NumberedText): NumberedText => {
  if (!/^\s*"/.test(line.text)) return line
  return { ...line, text: String(tryParseJson(line.text) ?? line.text) }
}

/** Creates the cutter for one object per line. */
const createLineCutter = (context: ObjectContext): Cutter<PlacedObject> => {
  const { objects, tap } = context
  const lines = createTextLineCutter()
  let read: ((line: NumberedText) => string) | undefined
  let heading: NumberedText | undefined
  const placeText = (text: string, { number }: NumberedText): PlacedObject => ({
    text,
    place: `line ${number}`,
  })
  return (whole, last) => {
    const found: PlacedObject[] = []
    for (const line of lines(whole, last).map(unquoteLine)) {
      const text = line.text.trim()
      if (read === undefined) {
        const cells = splitCells(line.text)
        read = createLineReader(isHeadless(cells, objects) ? cells.length : 1, context)
        // A word that could be a heading is one only if further lines follow. As the only line it is an object.
        if (isColumnHeading(text, objects)) {
          heading = line
          continue
        }
      }
      heading = undefined
      tap?.takeBare(`line ${line.number}`)
      found.push(placeText(read(line), line))
    }
    if (last && heading !== undefined && read !== undefined)
      found.push(placeText(read(heading), heading))
    return found
  }
}

/** Returns the first line once it is complete. JSON may be a single line, so its beginning is enough. */
const getFirstLine = (text: string, last: boolean): string | undefined => {
  if (isJsonStart(text)) return text
  const begin = text.search(/\S/)
  const end = text.indexOf('\n', begin)
  if (begin < 0 || (end < 0 && !last)) return undefined
  const line = text.slice(text.lastIndexOf('\n', begin) + 1, end < 0 ? undefined : end)
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

/** Returns the cells of a first line; undefined if it cannot be parsed. */
const parseHeading = async (
  head: string,
  delimiter: string,
): Promise<readonly string[] | undefined> => {
  if (delimiter === '\t') return splitCells(head)
  const { parse } = await import('csv-parse/sync')
  try {
    const [cells = []] = parse(head, { delimiter })
    return cells.map((cell) => unescapeFormula(cell.trim()))
  } catch {
    return undefined
  }
}

/** Chooses the cutter by the first line. */
const chooseCutter = async (
  head: string,
  reading: ObjectContext,
): Promise<Cutter<PlacedObject>> => {
  const { objects } = reading
  if (isJsonStart(head)) return createJsonCutter(reading)
  checkReadable(head, objects)
  checkNotTargets(head, objects)
  // In a spreadsheet people choose the columns. One column that names the object is enough to recognize its heading.
  const sheet = reading.tap?.sheet === true
  const isHeading = (cells: readonly string[]): boolean => {
    if (sheet && cells.some((cell) => isOneHeading(cell, objects))) return true
    const found = isTable(listOwnColumns(cells, reading), objects)
    if (found || cells.length < 2) return found
    if (sheet) throw createHeadingFailure(cells, objects)
    if (cells.every(isHeadingWord) && cells.some((cell) => isOneHeading(cell, objects))) {
      checkNoProfiles('line 1', cells, objects)
      throw createColumnsFailure(cells, objects)
    }
    return false
  }
  const separator = findSeparator(head)
  const cells = separator && (await parseHeading(head, separator))
  if (separator === undefined || !cells || !isHeading(cells)) return createLineCutter(reading)
  const cut = await createCellCutter(separator)
  return createTableCutter(cut, (heading) => createRowReader(heading, reading))
}

/**
 * Reads the objects of a text while it arrives.
 * @param objects the kind that the command accepts; without it, each line is one object
 * @throws Failure `usage` with the line that cannot be parsed
 */
export async function* readPipedStream(
  chunks: Iterable<string> | AsyncIterable<string>,
  objects: Objects = plainObjects,
  reading: Omit<ObjectContext, 'objects'> = {},
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
    // Nothing is joined until a line ends: otherwise each chunk would scan all earlier ones again.
    if (!last && (begin === '' || (!isJsonStart(begin) && !chunk.includes('\n')))) return []
    const text = pieces.join('')
    const head = getFirstLine(text, last)
    if (head === undefined) return []
    form = await chooseCutter(head, { ...reading, objects })
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

/** The number of characters that are parsed at once, so that the memory of one piece is freed before the next is parsed. */
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

/** Parses the objects of a text in memory. */
export const parsePipedObjects = (
  input: string,
  objects?: Objects,
  project?: string,
): Promise<readonly PlacedObject[]> =>
  collectObjects(readPipedStream(splitIntoPieces(input), objects, { project }))

/** The options for reading the objects of a line. */
interface InputOptions extends Pick<Sources, 'note' | 'project'> {
  readonly rowFields?: RowFields
}

/** Reads the objects of a command while its input arrives, and notes columns that could set attributes. */
export async function* readInputObjects(
  chunks: Iterable<string> | AsyncIterable<string>,
  command: Command,
  raw: Raw,
  { note, project = raw.flags.get('project')?.at(-1), rowFields }: InputOptions,
): AsyncGenerator<readonly PlacedObject[]> {
  const kind = await readObjects(command.args[0], command.naming)
  const tap = rowFields ?? (kind && createUnusedColumns(command, note, kind))
  const checkParent = createParentCheck(command, raw, { project, rowFields })
  yield* readPipedStream(chunks, kind, { project, tap, checkParent })
}

/**
 * Reads the arguments of a line, with the objects of standard input in the place of `-`, and the attributes of their rows.
 * @throws Failure `usage` if there are no objects
 */
export const readInputArguments = async (
  command: Command,
  raw: Raw,
  { readStdin, rowFields, ...options }: InputOptions & Pick<Sources, 'readStdin'>,
): Promise<Pick<Given, 'args' | 'places' | 'rows'>> => {
  const whole = await readStdin()
  const objects = await collectObjects(
    readInputObjects(splitIntoPieces(whole), command, raw, { ...options, rowFields }),
  )
  if (objects.length === 0 && raw.args.length === 1)
    throw usage('standard input contains no objects')
  const texts = objects.map(({ text }) => text)
  const args = raw.args.flatMap((arg) => (arg === '-' ? texts : [arg]))
  // If a text occurs twice, messages name its first place.
  const places = new Map(objects.toReversed().map(({ text, place }) => [text, place]))
  if (rowFields === undefined) return { args, places }
  const taken = rowFields.takeRows()
  const inPlace = <T>(some: readonly T[]): readonly (T | undefined)[] =>
    raw.args.flatMap((arg): readonly (T | undefined)[] => (arg === '-' ? some : [undefined]))
  const rows = inPlace(taken)
  await checkRows(args, rows, inPlace(objects.map(({ place }) => place)))
  return { args, places, rows }
}

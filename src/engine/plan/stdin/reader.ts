/**
 * Standard input as the objects of a verb: what lists print, in every format, or one a line. It is read as
 * it comes; what came together is understood whole before any of it is given.
 */
import { JsonCutter } from '../../../base/json/cutter.js'
import { usage } from '../../../errors.js'
import type { Command, Given } from '../../command/types.js'
import type { Raw } from '../line.js'
import { type Objects, readObjects } from '../objects.js'
import type { Sources } from '../values.js'

import { checkRows, type RowFields, unusedColumns } from './row-fields.js'
import {
  type Cells,
  CommaRows,
  describePosition,
  InputLines,
  isHeadless,
  isOneHeading,
  isTable,
  lineReader,
  type NumberedText,
  objectAt,
  type Parse,
  plainObjects,
  type RowTap,
  rowReader,
  splitCells,
  type ValueReading,
} from './rows.js'

/** Takes text, and gives the objects that it names. */
interface Form {
  push(text: string, last: boolean): readonly string[]
}

/** Which objects, and the project of numbers that bring none along. */
interface Reading {
  readonly objects: Objects
  readonly project: string | undefined
  /** Is told of each record. */
  readonly tap?: RowTap | undefined
}

class JsonForm implements Form {
  readonly #cutter = new JsonCutter()
  readonly #reading: ValueReading

  constructor(reading: ValueReading) {
    this.#reading = reading
  }

  push(text: string, last: boolean): readonly string[] {
    const values = [...this.#cutter.push(text), ...(last ? this.#cutter.end() : [])]
    return values.map((cut) => objectAt(describePosition(cut), cut.value, this.#reading))
  }
}

/** What one line, or several, name. */
type ByLine = (lines: readonly NumberedText[], last: boolean) => readonly string[]

class LineForm implements Form {
  readonly #lines = new InputLines()
  readonly #read: ByLine

  constructor(read: ByLine) {
    this.#read = read
  }

  push(text: string, last: boolean): readonly string[] {
    return this.#read(this.#lines.take(text, last), last)
  }
}

/** A table whose cells a tab parts: its first line is the heading. */
const tabbed = ({ objects, project, tap }: Reading): ByLine => {
  let read: ((row: Cells) => readonly string[]) | undefined
  return (lines) =>
    lines.flatMap(({ number, text }) => {
      const cells = splitCells(text)
      if (read !== undefined) return read({ place: `line ${number}`, cells })
      read = rowReader(cells, objects, project, tap)
      return []
    })
}

/** A table whose cells commas part. */
const commas = (parse: Parse, { objects, project, tap }: Reading): ByLine => {
  const rows = new CommaRows(parse)
  let read: ((row: Cells) => readonly string[]) | undefined
  return (lines, last) =>
    rows.take(lines, last).flatMap((row) => {
      if (read !== undefined) return read(row)
      read = rowReader(row.cells, objects, project, tap)
      return []
    })
}

/** One object a line. */
const oneALine = ({ objects, project, tap }: Reading): ByLine => {
  let read: ((line: NumberedText) => string) | undefined
  let heading: NumberedText | undefined
  return (lines, last) => {
    const found: string[] = []
    for (const line of lines) {
      const text = line.text.trim()
      if (read === undefined) {
        const cells = splitCells(line.text)
        read = lineReader(isHeadless(cells, objects) ? cells.length : 1, objects, project)
        // A heading of one column, where lines follow it.
        if (isOneHeading(text, objects)) {
          heading = line
          continue
        }
      }
      heading = undefined
      tap?.bare(`line ${line.number}`)
      found.push(read(line))
    }
    if (last && heading !== undefined && read !== undefined) found.push(read(heading))
    return found
  }
}

const firstLine = /^\s*?([^\r\n]*\S[^\r\n]*)(\r?\n|$)/

/** The first line, once it is whole. */
const headOf = (text: string, last: boolean): string | undefined => {
  const [, head, end] = firstLine.exec(text) ?? []
  return head !== undefined && (last || end !== '') ? head : undefined
}

const csvHeading = async (head: string): Promise<[Parse, readonly string[]] | undefined> => {
  const { parse } = await import('csv-parse/sync')
  try {
    const [cells = []] = parse(head)
    return [parse, cells.map((cell) => cell.trim())]
  } catch {
    return undefined
  }
}

/** In which form objects are given, as the first line tells. */
const formOf = async (head: string, reading: Reading): Promise<Form> => {
  const { objects } = reading
  if (/^\s*[[{]/.test(head))
    return new JsonForm({ ...reading, elsewhere: await objects.elsewhere() })
  // Of a sheet people chose the columns: one that names the object makes it one.
  const isHeading = (cells: readonly string[]): boolean =>
    (reading.tap?.sheet === true && cells.some((cell) => isOneHeading(cell, objects))) ||
    isTable(cells, objects)
  if (head.includes('\t'))
    return new LineForm(isHeading(splitCells(head)) ? tabbed(reading) : oneALine(reading))
  const csv = head.includes(',') ? await csvHeading(head) : undefined
  if (csv !== undefined && isHeading(csv[1])) return new LineForm(commas(csv[0], reading))
  return new LineForm(oneALine(reading))
}

/**
 * The objects that a text names, as it comes.
 * @param objects what the verb takes; undefined where only lines are understood
 * @param project what --project says: the project of numbers that bring none along
 * @throws Failure `usage` naming the line that cannot be understood
 */
export async function* pipedStream(
  chunks: Iterable<string> | AsyncIterable<string>,
  objects: Objects = plainObjects,
  project?: string,
  tap?: RowTap,
): AsyncGenerator<readonly string[]> {
  let form: Form | undefined
  let waiting = ''
  let begun = false
  const take = async (chunk: string, last: boolean): Promise<readonly string[]> => {
    waiting += begun ? chunk : chunk.replace(/^\ufeff/, '')
    begun = true
    if (form === undefined) {
      const head = headOf(waiting, last)
      if (head === undefined) return []
      form = await formOf(head, { objects, project, tap })
    }
    const text = waiting
    waiting = ''
    return form.push(text, last)
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

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += pieceSize) yield text.slice(at, at + pieceSize)
}

/** The objects that a text in memory names. */
export const pipedObjects = async (
  input: string,
  objects: Objects = plainObjects,
  project?: string,
  tap?: RowTap,
): Promise<readonly string[]> => {
  const found: string[] = []
  for await (const some of pipedStream(piecesOf(input), objects, project, tap))
    for (const one of some) found.push(one)
  return found
}

/** Where the objects of a line are read from. */
interface InputSources extends Pick<Sources, 'stdin' | 'note' | 'project'> {
  readonly rowFields?: RowFields
}

/**
 * The arguments of a line, those of standard input in the place of `-`, with the attributes of their rows.
 * @throws Failure `usage` where it names none
 */
export const argsFromInput = async (
  command: Command,
  raw: Raw,
  { stdin, rowFields, note, project = raw.flags.get('project')?.at(-1) }: InputSources,
): Promise<Pick<Given, 'args' | 'rows'>> => {
  const kind = await readObjects(command.args[0], command.naming)
  const tap = rowFields ?? (kind && unusedColumns(command, note, kind))
  const objects = await pipedObjects(await stdin(), kind, project, tap)
  if (objects.length === 0 && raw.args.length === 1)
    throw usage('standard input contains no objects')
  const args = raw.args.flatMap((arg) => (arg === '-' ? objects : [arg]))
  if (rowFields === undefined) return { args }
  const taken = rowFields.taken()
  const rows = raw.args.flatMap((arg) => (arg === '-' ? taken : [undefined]))
  await checkRows(args, rows)
  return { args, rows }
}

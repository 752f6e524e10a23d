/** What names the objects of a verb: fields of records, columns of tables, or lines of their own. */
import { formatNumber, isNumber } from '../../../base/json/json.js'
import { type Fields, isObject } from '../../../base/objects.js'
import { withArticle, wordOfSeveral } from '../../../catalogue/kinds.js'
import { dotted, keyIn, type Naming } from '../../../catalogue/words.js'
import { type Failure, inputFault } from '../../../errors.js'
import { getFirstSegment, objectColumn } from '../../command/derive.js'
import type { Objects } from '../objects.js'

export interface NumberedText {
  readonly number: number
  readonly text: string
}
export interface Cells {
  readonly place: string
  readonly cells: readonly string[]
}
/** What names an object, and where it stands, for messages: `line 3`. */
export interface PlacedObject {
  readonly text: string
  readonly place: string
}

/** Is told of each record that names an object, in the order of the objects. */
export interface RowTap {
  /** The columns of a table, before its rows. */
  heading?(columns: readonly string[]): void
  /** People chose its columns: it is a sheet, whatever they are called. */
  readonly sheet?: true
  /** @param field the value of a column; undefined where there is none */
  take(place: string, columns: readonly string[], field: (name: string) => unknown): void
  /** An object without columns stands there. */
  bare(place: string): void
}

export const plainObjects: Objects = {
  word: 'object',
  names: [],
  also: [],
  known: new Set(),
  foreign: new Set(),
  elsewhere: async () => new Set(),
  columns: [],
}

/** So many fields of lists of other areas are no coincidence, where they outnumber those of its own. */
const maxStrange = 2

/** Whether a record with these fields comes from a list of other things. */
const isOfOthers = (
  own: readonly string[],
  objects: Objects,
  elsewhere: ReadonlySet<string>,
): boolean => {
  const { foreign, known } = objects
  const keys = own.map((name) => neutralName(name, objects))
  if (keys.some((key) => foreign.has(key))) return true
  const strange = keys.filter((key) => elsewhere.has(key)).length
  return strange > maxStrange && strange > keys.filter((key) => known.has(key)).length
}

const textOf = (value: unknown): string => {
  if (isNumber(value)) return formatNumber(value)
  return typeof value === 'string' ? value.trim() : ''
}

/** A field of a record; a dotted name is a key as `--fields` writes it, else reaches inside. */
const fieldOf = (record: unknown, name: string, naming: Naming | undefined): string => {
  if (record === null || typeof record !== 'object') return ''
  const fields: Fields = { ...record }
  const at = (level: string): unknown => fields[keyIn(fields, level, naming) ?? level]
  const own = naming === undefined ? name : dotted(name, naming.name)
  const whole = fields[own] ?? fields[name]
  if (whole !== undefined) return textOf(whole)
  const dot = name.indexOf('.')
  if (dot < 0) return textOf(at(name))
  return fieldOf(at(name.slice(0, dot)), name.slice(dot + 1), naming)
}

/** A field by the name of the documents; what they call so is that. */
const neutralName = (name: string, { known, naming }: Objects): string =>
  naming === undefined || known.has(name) ? name : dotted(name, naming.neutral)

const knownCell = (cell: string, objects: Objects): boolean => {
  const name = neutralName(cell, objects)
  return (
    cell === objectColumn || objects.known.has(name) || objects.known.has(getFirstSegment(name))
  )
}

const isHeading = (cells: readonly string[], objects: Objects): boolean =>
  cells[0] === objectColumn || cells.every((cell) => knownCell(cell, objects))

/** Whether a line is the heading of one column that names objects. */
export const isOneHeading = (text: string, objects: Objects): boolean =>
  text === objectColumn || objects.names.includes(neutralName(text, objects))

/** The objects of a table's rows: each in the columns of its heading. */
export const rowReader = (
  heading: readonly string[],
  objects: Objects,
  project: string | undefined,
  tap?: RowTap,
): ((row: Cells) => readonly string[]) => {
  // An answer about several objects may be of any shape, but says which they were.
  const names = heading.map((cell) => neutralName(cell, objects))
  tap?.heading?.(names)
  const about = heading[0] === objectColumn && !heading.every((cell) => knownCell(cell, objects))
  return ({ place, cells }) => {
    if (cells.length !== heading.length)
      throw refuseRow(
        place,
        `${cells.length} columns, but the heading has ${heading.length}`,
        'Use one format: JSON, a table, or one object per line.',
      )
    // Lists after each other bring their headings along.
    if (cells.every((cell, i) => cell === heading[i])) return []
    const at = (name: string): string => (cells[names.indexOf(name)] ?? '').trim()
    const field = about ? (name: string) => (name === objectColumn ? at(name) : '') : at
    const object = objectIn({ place, field }, objects, project)
    tap?.take(place, names, at)
    return [object]
  }
}

export const splitCells = (text: string): string[] => text.split('\t').map((cell) => cell.trim())

/** A line of a list whose heading was cut away (grep): known by as many columns, the object first. */
export const isHeadless = (cells: readonly string[], objects: Objects): boolean =>
  !objects.names.includes(cells[0] ?? '') &&
  objects.columns.some(
    (columns) => columns.length === cells.length && objects.names.includes(columns[0] ?? ''),
  )

/**
 * The object of a line of its own.
 * @param width how many columns each line has, where the heading was cut away
 */
export const lineReader =
  (width: number, objects: Objects, project: string | undefined) =>
  ({ number, text: line }: NumberedText): string => {
    const place = `line ${number}`
    if (!line.includes('\t') && objects.mark === undefined && !beginsJson(line)) return line.trim()
    const cells = splitCells(line)
    const [text = ''] = cells
    if (beginsJson(text))
      throw refuseRow(
        place,
        'JSON after lines in another format',
        'Pass either all objects as JSON or none.',
      )
    if (cells.length > 1 && cells.length !== width)
      throw refuseRow(
        place,
        `several columns, but the first line is not the heading of a list of ${wordOfSeveral(objects.word)}`,
        'Pipe in the list with its heading, or one object per line.',
      )
    return bareObject(place, text, objects, project)
  }

/** What the record of a list calls its object. */
export const getPipedObject = (
  record: unknown,
  objects: Objects = plainObjects,
  project?: string,
): string =>
  objectIn(
    { place: 'a record', field: (name) => fieldOf(record, name, objects.naming) },
    objects,
    project,
  )

/** How values of JSON are understood. */
interface ValueContext {
  readonly objects: Objects
  /** What `objects.elsewhere` gave. */
  readonly elsewhere: ReadonlySet<string>
  readonly project: string | undefined
  readonly tap?: RowTap | undefined
}

/** The object of a value of JSON, or of a row with its fields, that stands there. */
export const objectAt = (
  place: string,
  value: unknown,
  { objects, elsewhere, project, tap }: ValueContext,
): string => {
  const own = textOf(value)
  const keys = value !== null && typeof value === 'object' ? Object.keys(value) : []
  if (tap?.sheet !== true && isOfOthers(keys, objects, elsewhere)) throw otherThings(place, objects)
  if (own !== '') {
    tap?.bare(place)
    return bareObject(place, own, objects, project)
  }
  const object = objectIn(
    { place, field: (name) => fieldOf(value, name, objects.naming) },
    objects,
    project,
  )
  if (isObject(value))
    tap?.take(
      place,
      keys.map((key) => neutralName(key, objects)),
      (name) => value[keyIn(value, name, objects.naming) ?? name],
    )
  return object
}

/** Whether a text begins as JSON does: no table and no object of a line of its own begins so. */
export const beginsJson = (text: string): boolean => /^\s*[[{]/.test(text)

/** Whether a first line is the heading of a list of such objects; one of other things is refused. */
export const isTable = (heading: readonly string[], objects: Objects): boolean => {
  if (isHeading(heading, objects)) return true
  const strange = heading.some((cell) =>
    objects.foreign.has(getFirstSegment(neutralName(cell, objects))),
  )
  const fields = heading.filter((cell) => knownCell(cell, objects)).length
  if (strange && fields > 0) throw otherThings('line 1', objects)
  return false
}

/** A cell of a heading that a message may repeat: a word, no value that could be a secret. */
export const isWord = (cell: string): boolean => /^\p{L}[\p{L} _-]{0,29}$/u.test(cell)

/** A sheet of which no column names the objects. */
export const refuseHeading = (cells: readonly string[], { names, word }: Objects): Failure => {
  const shown = cells.every(isWord) ? `: ${cells.join(', ')}` : ''
  return refuseRow(
    'line 1',
    `no column of the heading names ${withArticle(word)}${shown}`,
    `Columns that name ${withArticle(word)}: ${names.join(', ')}.`,
  )
}

/** A table with columns that no list of the objects has: it may be a list of other things. */
export const refuseColumns = (cells: readonly string[], objects: Objects): Failure => {
  const unknown = cells.filter((cell) => !knownCell(cell, objects) && !isOneHeading(cell, objects))
  return refuseRow(
    'line 1',
    `lists of ${wordOfSeveral(objects.word)} have no ${unknown.length === 1 ? 'column' : 'columns'} ${unknown.join(', ')}`,
    'Pipe in the column that names the objects, without the others.',
  )
}

// Which object a row of standard input names, and the project that a number belongs to.

/** One object's record, wherever it stood. */
interface Row {
  /** Where it stands, for messages: `line 3`. */
  readonly place: string
  readonly field: (name: string) => string
}
/** What cannot be understood, with its place. */
export const refuseRow = (place: string, what: string, hint: string) =>
  inputFault(`standard input, ${place}: ${what}`, hint)

const reference = /^(?<project>.+)(?<mark>[!#])(?<id>\d+)$/
const bare = /^[!#]?\d+$/
const sameProject = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** A number means something only in its project, which is never guessed for what is piped. */
const ofProject = (place: string, id: string, objects: Objects, project: string | undefined) => {
  if (project !== undefined) return id
  throw refuseRow(
    place,
    `it has the number of ${withArticle(objects.word)} but not its project`,
    `Pass --project, or include the column "reference". The default project is not used for piped objects.`,
  )
}

/** The object of a row that carries its project along, as a reference; bare below the same project. */
const referenceIn = (row: Row, objects: Objects, project: string | undefined): string => {
  const full = row.field('reference') || row.field('references.full')
  const match = reference.exec(full)?.groups
  if (match !== undefined && match.mark !== objects.mark) throw otherThings(row.place, objects)
  const id = match?.id ?? row.field('iid')
  const owners = [match?.project, row.field('project_id')].filter(
    (p) => p !== undefined && p !== '',
  )
  if (id === '') return row.field('web_url')
  if (project !== undefined && owners.some((owner) => sameProject(owner ?? '', project))) return id
  if (full !== '' && match !== undefined) return full
  const [owner] = owners
  return owner === undefined
    ? ofProject(row.place, id, objects, project)
    : `${owner}${objects.mark}${id}`
}

/** The object that a row names. */
const objectIn = (row: Row, objects: Objects, project: string | undefined): string => {
  const marked = objects.mark === undefined ? '' : referenceIn(row, objects, project)
  const found =
    [...objects.names, ...objects.also, objectColumn].map(row.field).find((text) => text !== '') ??
    ''
  const text = marked || (found !== '' && bareObject(row.place, found, objects, project))
  if (text) return text
  const [name = objectColumn] = objects.names
  throw refuseRow(
    row.place,
    name === objects.word ? `no ${name}` : `no ${name} of ${withArticle(objects.word)}`,
    `svcctl reads the objects from the ${objects.names.length > 1 ? 'columns' : 'column'} ${objects.names.join(', ')}.`,
  )
}

/** An object as a line of its own. */
const bareObject = (
  place: string,
  text: string,
  objects: Objects,
  project: string | undefined,
): string =>
  objects.mark !== undefined && bare.test(text) ? ofProject(place, text, objects, project) : text

const otherThings = (place: string, objects: Objects) =>
  refuseRow(
    place,
    `a list of objects other than ${wordOfSeveral(objects.word)}`,
    `Pipe in a list with the column ${objects.names[0] ?? objectColumn}.`,
  )

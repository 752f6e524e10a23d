/** Finds the names of objects in records, table rows and lines of standard input. */
import { formatNumber, isNumber } from '../../../base/json/json.js'
import { isObject } from '../../../base/objects.js'
import { toPlural, withArticle } from '../../../catalogue/kinds.js'
import { pick } from '../../../catalogue/pick.js'
import { createInputFailure, type Failure } from '../../../errors.js'
import { getFirstSegment, objectColumn } from '../../command/derive.js'
import { type Objects, plainObjects } from '../objects.js'
import { isParentColumn, namesParent, type ParentColumn } from '../parents.js'

export interface NumberedText {
  readonly number: number
  readonly text: string
}
export interface Cells {
  readonly place: string
  readonly cells: readonly string[]
}
/** A text that names an object, and its place for messages, such as `line 3`. */
export interface PlacedObject {
  readonly text: string
  readonly place: string
}

/** Receives each record that names an object, in the order of the objects. */
export interface RowTap {
  /** Receives the columns of a table before its rows. */
  readHeading?(columns: readonly string[]): void
  /** True for a spreadsheet, whose columns people chose. It is then accepted whatever its columns are named. */
  readonly sheet?: true
  /** @param getField returns the value of a column; undefined if there is none */
  take(place: string, columns: readonly string[], getField: (name: string) => unknown): void
  /** Receives the place of an object without columns. */
  takeBare(place: string): void
}

/** Checks that a record may be an object of the line, although the line does not take the record's parent. */
export type ParentCheck = (child: {
  readonly place: string
  readonly column: ParentColumn
  readonly parent: string
}) => void

/** The kind of the objects, and the project of IDs that do not name theirs. */
export interface ObjectContext {
  readonly objects: Objects
  readonly project?: string | undefined
  /** Checks the project or group that a record names. Without it, no column names one. */
  readonly checkParent?: ParentCheck | undefined
  /** Receives each record. */
  readonly tap?: RowTap | undefined
}

/** A record comes from another list if more than this many fields belong to other areas, and they outnumber the known ones. */
const maxStrange = 2

/** True if a record with these fields comes from a list of other objects. */
const isOtherRecord = (
  own: readonly string[],
  objects: Objects,
  elsewhere: ReadonlySet<string>,
): boolean => {
  const { foreign, known } = objects
  const keys = own.map((name) => toNeutralName(name, objects))
  if (keys.some((key) => foreign.has(key))) return true
  const strange = keys.filter((key) => elsewhere.has(key)).length
  return strange > maxStrange && strange > keys.filter((key) => known.has(key)).length
}

const toCellText = (value: unknown): string => {
  if (isNumber(value)) return formatNumber(value)
  return typeof value === 'string' ? value.trim() : ''
}

/** Reads a field of a record. A dotted name may be a key of its own, as `--fields` prints it, or a path. */
const readField = (record: unknown, name: string): string => toCellText(pick(record, name))

/** Returns the documented name of a field. */
const toNeutralName = (name: string, { known, naming }: Objects): string =>
  known.has(name) ? name : naming.neutral(name)

const isKnownCell = (cell: string, objects: Objects): boolean => {
  const name = toNeutralName(cell, objects)
  return (
    cell === objectColumn || objects.known.has(name) || objects.known.has(getFirstSegment(name))
  )
}

const isHeading = (cells: readonly string[], objects: Objects): boolean =>
  cells[0] === objectColumn || cells.every((cell) => isKnownCell(cell, objects))

/** True if a line is the heading of a single column that names objects. */
export const isOneHeading = (text: string, objects: Objects): boolean =>
  text === objectColumn || objects.names.includes(toNeutralName(text, objects))

/** True if a line is the heading of a single column with names or IDs of objects. */
export const isColumnHeading = (text: string, objects: Objects): boolean =>
  isOneHeading(text, objects) || toNeutralName(text, objects) === objects.title

/** Returns the columns of a heading without the one that names the project or group of each record. */
export const listOwnColumns = (
  heading: readonly string[],
  { checkParent, objects }: ObjectContext,
): readonly string[] => {
  const parent = heading.find(isParentColumn)
  const isOther = checkParent === undefined || objects.names.includes(parent ?? '')
  return isOther ? heading : heading.filter((cell) => cell !== parent)
}

/** @throws Failure `usage` for a parent that the line rejects, and for a record of other objects, which has a field of the column's name */
const checkParentCell = (
  cell: Parameters<ParentCheck>[0],
  { checkParent, objects }: ObjectContext,
): void => {
  if (namesParent(cell.column, cell.parent)) checkParent?.(cell)
  else if (objects.foreign.has(cell.column)) throw createOtherObjectsFailure(cell.place, objects)
}

/** Creates a function that reads the objects of a table's rows, in the columns of its heading. */
export const createRowReader = (
  heading: readonly string[],
  context: ObjectContext,
): ((row: Cells) => readonly PlacedObject[]) => {
  const { objects, tap } = context
  // Output about several objects may have any columns. Its first column names the object.
  const names = heading.map((cell) => toNeutralName(cell, objects))
  checkNoProfiles('line 1', names, objects)
  tap?.readHeading?.(names)
  const [own, parent] = [listOwnColumns(heading, context), heading.find(isParentColumn)]
  const about = own[0] === objectColumn && !own.every((cell) => isKnownCell(cell, objects))
  return ({ place, cells }) => {
    if (cells.length !== heading.length)
      throw createRowFailure(
        place,
        `${cells.length} columns, but the heading has ${heading.length}`,
        'Use one format: JSON, a table, or one object per line.',
      )
    // Concatenated lists repeat the heading.
    if (cells.every((cell, i) => cell === heading[i])) return []
    const getCell = (name: string): string => {
      const value = cells[names.indexOf(name)]
      if (value !== cells[names.lastIndexOf(name)])
        throw createRowFailure(
          place,
          `two columns ${name} with different values`,
          'Remove or rename one of them.',
        )
      return value ?? ''
    }
    const at = (name: string): string => getCell(name).trim()
    if (parent !== undefined && own.length < heading.length)
      checkParentCell({ place, column: parent, parent: at(parent) }, context)
    const field = about ? (name: string) => (name === objectColumn ? at(name) : '') : at
    const text = getRowObject({ place, getField: field }, context)
    tap?.take(place, names, getCell)
    return [{ text, place }]
  }
}

/** Removes the quotes that spreadsheets write around cells with commas or quotes. */
const unquoteCell = (cell: string): string =>
  /^"(?:[^"]|"")*"$/.test(cell) && /[",]/.test(cell.slice(1, -1))
    ? cell.slice(1, -1).replaceAll('""', '"')
    : cell

/** Splits a line at tabs. */
export const splitCells = (text: string): string[] =>
  text.split('\t').map((cell) => unquoteCell(cell.trim()))

/** True for a line of a list without its heading, as `grep` leaves it. It has as many columns, the object first. */
export const isHeadless = (cells: readonly string[], objects: Objects): boolean =>
  !objects.names.includes(cells[0] ?? '') &&
  objects.columns.some(
    (columns) => columns.length === cells.length && objects.names.includes(columns[0] ?? ''),
  )

/**
 * Creates a function that reads the object of a line.
 * @param width the number of columns of a list without its heading
 */
export const createLineReader =
  (width: number, context: ObjectContext) =>
  ({ number, text: line }: NumberedText): string => {
    const { objects } = context
    const place = `line ${number}`
    if (!line.includes('\t') && objects.mark === undefined && !isJsonStart(line)) return line.trim()
    const cells = splitCells(line)
    const [text = ''] = cells
    if (isJsonStart(text))
      throw createRowFailure(
        place,
        'JSON after lines in another format',
        'Pass either all objects as JSON or none.',
      )
    if (cells.length > 1 && cells.length !== width)
      throw createRowFailure(
        place,
        `several columns, but the first line is not the heading of a list of ${toPlural(objects.word)}`,
        'Pipe in the list with its heading, or one object per line.',
      )
    return toBareObject(place, text, context)
  }

/** Returns the text that names the object of a list's record. */
export const getPipedObject = (
  record: unknown,
  objects: Objects = plainObjects,
  project?: string,
): string =>
  getRowObject(
    { place: 'a record', getField: (name) => readField(record, name) },
    { objects, project },
  )

/**
 * Returns the text that names the object of a JSON value: the value itself, or a field of a record.
 * @param elsewhere the fields that only lists of other areas have
 */
export const parseObjectAt = (
  place: string,
  value: unknown,
  context: ObjectContext,
  elsewhere: ReadonlySet<string>,
): string => {
  const { objects, tap } = context
  const own = toCellText(value)
  const keys = value !== null && typeof value === 'object' ? Object.keys(value) : []
  checkNoProfiles(place, keys, objects)
  objects.naming.makeLegible(value)
  if (tap?.sheet !== true && isOtherRecord(keys, objects, elsewhere))
    throw createOtherObjectsFailure(place, objects)
  if (own !== '') {
    tap?.takeBare(place)
    return toBareObject(place, own, context)
  }
  const object = getRowObject({ place, getField: (name) => readField(value, name) }, context)
  if (isObject(value))
    tap?.take(
      place,
      keys.map((key) => toNeutralName(key, objects)),
      (name) => value[name],
    )
  return object
}

/** True if a text begins like JSON. No table and no single object begins so. */
export const isJsonStart = (text: string): boolean => /^\s*[[{]/.test(text)

/**
 * True if a first line is the heading of a list of such objects.
 * @throws Failure `usage` for the heading of other objects
 */
export const isTable = (heading: readonly string[], objects: Objects): boolean => {
  if (isHeading(heading, objects)) return true
  const strange = heading.some((cell) =>
    objects.foreign.has(getFirstSegment(toNeutralName(cell, objects))),
  )
  const fields = heading.filter((cell) => isKnownCell(cell, objects)).length
  if (strange && fields > 0) throw createOtherObjectsFailure('line 1', objects)
  return false
}

/** True for a heading's cell that a message may show: a word, which cannot be a secret. */
export const isHeadingWord = (cell: string): boolean => /^\p{L}[\p{L} _-]{0,29}$/u.test(cell)

/** The first columns of output about several targets. They name the target of a record. */
export const targetColumns = ['profile', 'project', 'group', 'of', 'snapshot']

/** True if a text is the column of an object or a target, so that its line is a heading or begins a record. */
export const isLeadingColumn = (text: string, objects: Objects): boolean =>
  targetColumns.includes(text) || isOneHeading(text, objects)

/** @throws Failure `usage` for records of several profiles, because an ID of another instance is another object here */
export const checkNoProfiles = (
  place: string,
  names: readonly string[],
  objects: Objects,
): void => {
  if (!names.includes('profile') || isKnownCell('profile', objects)) return
  throw createRowFailure(
    place,
    `the ${toPlural(objects.word)} are those of several profiles`,
    'Pipe in the list of one profile (-p NAME), without the column profile.',
  )
}

/** Creates the failure of a spreadsheet without a column that names the objects. */
export const createHeadingFailure = (
  cells: readonly string[],
  { names, word }: Objects,
): Failure => {
  const shown = cells.every(isHeadingWord) ? `: ${cells.join(', ')}` : ''
  return createRowFailure(
    'line 1',
    `no column of the heading names ${withArticle(word)}${shown}`,
    `Columns that name ${withArticle(word)}: ${names.join(', ')}.`,
  )
}

/** Creates the failure of a table with unknown columns, which may list other objects. */
export const createColumnsFailure = (cells: readonly string[], objects: Objects): Failure => {
  const unknown = cells.filter(
    (cell) => !isKnownCell(cell, objects) && !isOneHeading(cell, objects),
  )
  return createRowFailure(
    'line 1',
    `lists of ${toPlural(objects.word)} have no ${unknown.length === 1 ? 'column' : 'columns'} ${unknown.join(', ')}`,
    'Pipe in the column that names the objects, without the others.',
  )
}

// The object that a row of standard input names, and the project that an ID belongs to.

/** The record of one object, in any format. */
interface Row {
  /** The place for messages, such as `line 3`. */
  readonly place: string
  readonly getField: (name: string) => string
}
/** Creates the failure of a row that cannot be read, with its place. */
export const createRowFailure = (place: string, what: string, hint: string) =>
  createInputFailure(`standard input, ${place}: ${what}`, hint)

const reference = /^(?<project>.+)(?<mark>[!#])(?<id>\d+)$/
const bare = /^[!#]?\d+$/
const isSameProject = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/**
 * Returns an ID if its project is known.
 * @throws Failure `usage` without --project, because the default project is not used for piped objects
 */
const requireProject = (place: string, id: string, { objects, project }: ObjectContext) => {
  if (project !== undefined) return id
  throw createRowFailure(
    place,
    `it has the number of ${withArticle(objects.word)} but not its project`,
    `Pass --project, or include the column "reference". The default project is not used for piped objects.`,
  )
}

/** Returns the object of a row as a reference with its project, or as its ID if the project is that of the line. */
const getRowReference = (row: Row, context: ObjectContext): string => {
  const { objects, project } = context
  const full = row.getField('reference') || row.getField('references.full')
  const match = reference.exec(full)?.groups
  if (match !== undefined && match.mark !== objects.mark)
    throw createOtherObjectsFailure(row.place, objects)
  const id = match?.id ?? row.getField('iid')
  const owners = [match?.project, row.getField('project_id')].filter(
    (p) => p !== undefined && p !== '',
  )
  if (id === '') return row.getField('web_url')
  if (project !== undefined && owners.some((owner) => isSameProject(owner ?? '', project)))
    return id
  if (full !== '' && match !== undefined) return full
  const [owner] = owners
  return owner === undefined
    ? requireProject(row.place, id, context)
    : `${owner}${objects.mark}${id}`
}

/** Returns the text that names the object of a row. */
const getRowObject = (row: Row, context: ObjectContext): string => {
  const { objects } = context
  const marked = objects.mark === undefined ? '' : getRowReference(row, context)
  const found =
    [...objects.names, ...objects.also, objectColumn]
      .map(row.getField)
      .find((text) => text !== '') ?? ''
  const text = marked || (found !== '' && toBareObject(row.place, found, context))
  if (text) return text
  const [name = objectColumn] = objects.names
  throw createRowFailure(
    row.place,
    name === objects.word ? `no ${name}` : `no ${name} of ${withArticle(objects.word)}`,
    `svcctl reads the objects from the ${objects.names.length > 1 ? 'columns' : 'column'} ${objects.names.join(', ')}.`,
  )
}

/**
 * Returns the object of a line without other columns.
 * @throws Failure `usage` for an ID whose project is not known
 */
const toBareObject = (place: string, text: string, context: ObjectContext): string =>
  context.objects.mark !== undefined && bare.test(text)
    ? requireProject(place, text, context)
    : text

const createOtherObjectsFailure = (place: string, objects: Objects) =>
  createRowFailure(
    place,
    `a list of objects other than ${toPlural(objects.word)}`,
    `Pipe in a list with the column ${objects.names[0] ?? objectColumn}.`,
  )

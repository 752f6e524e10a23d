/** Which object a row of standard input names, and the project that a number belongs to. */
import { wordOfSeveral } from '../../catalogue/kinds.js'
import { usage } from '../../errors.js'
import { objectColumn } from '../command/derive/derived.js'
import type { Objects } from './objects.js'

/** One object's record, wherever it stood. */
export interface Row {
  /** Where it stands, for messages: `line 3`. */
  readonly place: string
  readonly field: (name: string) => string
}
/** What cannot be understood, with its place. */
export const refuseRow = (place: string, what: string, hint: string) =>
  usage(`standard input, ${place}: ${what}`, hint)

const reference = /^(?<project>.+)(?<mark>[!#])(?<id>\d+)$/
const bare = /^[!#]?\d+$/
const sameProject = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** A number means something only in its project, which is never guessed for what is piped. */
const ofProject = (place: string, id: string, objects: Objects, project: string | undefined) => {
  if (project !== undefined) return id
  throw refuseRow(
    place,
    `it has the number of a ${objects.word} but not its project`,
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
export const objectIn = (row: Row, objects: Objects, project: string | undefined): string => {
  const marked = objects.mark === undefined ? '' : referenceIn(row, objects, project)
  const found =
    [...objects.names, ...objects.also, objectColumn].map(row.field).find((text) => text !== '') ??
    ''
  const text = marked || (found !== '' && bareObject(row.place, found, objects, project))
  if (text) return text
  throw refuseRow(
    row.place,
    `no ${objects.names[0] ?? objectColumn} of a ${objects.word}`,
    `svcctl reads the objects from the ${objects.names.length > 1 ? 'columns' : 'column'} ${objects.names.join(', ')}.`,
  )
}

/** An object as a line of its own. */
export const bareObject = (
  place: string,
  text: string,
  objects: Objects,
  project: string | undefined,
): string =>
  objects.mark !== undefined && bare.test(text) ? ofProject(place, text, objects, project) : text

export const otherThings = (place: string, objects: Objects) =>
  refuseRow(
    place,
    `a list of objects other than ${wordOfSeveral(objects.word)}`,
    `Pipe in a list with the column ${objects.names[0] ?? objectColumn}.`,
  )

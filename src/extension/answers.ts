/** Derives what the operations of an extension answer: the shape, the columns, and the words for a loss and for success. */

import { isObject, type JsonValue, type JsonValues, mapValues } from '../base/objects.js'
import { capitalize, isPlural, toSingular } from '../base/text.js'
import type { AnswerType, Endpoint } from '../catalogue/endpoint.js'
import { getProperties, titleFields } from '../catalogue/fields.js'
import { getKindWord, toPlural } from '../catalogue/kinds.js'
import { type PlacedOperation, splitAreaAndWords } from './objects.js'
import { getRequest, type Operation } from './operation.js'
import type { PathIndex } from './places.js'
import { toCommandWord } from './words.js'

const open = { kind: 'one', shape: {}, open: true } as const
const empty = { kind: 'empty', shape: null } as const

/** Creates a shape that knows the names of fields and nothing else of them. */
const toShape = (columns: readonly string[]): JsonValues => ({
  properties: Object.fromEntries(columns.map((name) => [name.split('.')[0] ?? name, {}])),
})

/** Returns the path of the object that an operation is about: the path up to its argument. */
export const getObjectPath = (
  { path }: Pick<Operation, 'path'>,
  [name]: readonly string[],
): string =>
  name === undefined ? path : path.slice(0, path.indexOf(`/:${name}`) + name.length + 2)

/** Finds the endpoint that reads the object of an operation: at the same path, else at the path of its argument. */
const findRead = (
  operation: Operation,
  { args }: PlacedOperation,
  places: PathIndex,
): Endpoint | undefined =>
  places.read(operation.path) ??
  (args.length > 0 ? places.read(getObjectPath(operation, args)) : undefined)

const isList = ({ command }: Operation): boolean => /(?:^| )list$/.test(command)

/** Guesses what an operation answers if its file does not declare it. */
const guessKind = (operation: Operation, read: Endpoint | undefined): Operation['returns'] => {
  const { method, shape } = operation
  if (method === 'GET' && isList(operation)) return 'many'
  if (method === 'DELETE') return 'empty'
  if (shape !== undefined) return 'one'
  return method !== 'GET' && read !== undefined ? 'one' : 'any'
}

/** Finds the shape of the documented list that an operation adds a form to; undefined if there is none. */
const findListShape = ({ command }: Operation, places: PathIndex): unknown => {
  const known = places.named(command)
  return known?.returns.kind === 'many' ? known.returns.shape : undefined
}

/** Returns the answer of an operation: as its file declares it, else as guessed. */
export const toAnswer = (
  operation: Operation,
  placed: PlacedOperation,
  places: PathIndex,
): AnswerType => {
  const { columns, shape } = operation
  const read = findRead(operation, placed, places)
  const kind = operation.returns ?? guessKind(operation, read)
  if (kind === 'file') return { kind: 'file', shape: null }
  if (kind === 'empty') return empty
  if (kind === 'any' || kind === undefined) return open
  const known = kind === 'many' ? findListShape(operation, places) : read?.returns.shape
  const own = shape ?? known ?? (columns === undefined ? {} : toShape(columns))
  return { kind, shape: own as AnswerType['shape'] }
}

/** The fields that a table shows: the first of each group that the records have. */
const preferred: readonly (readonly string[])[] = [
  ['id'],
  ['iid'],
  ['username', 'path_with_namespace', 'full_path', 'path', 'key', 'slug', 'name'],
  ['name', 'title', 'ref', 'url', 'description'],
  ['status', 'state', 'active', 'enabled'],
  ['source', 'type', 'scope', 'visibility'],
  ['created_at', 'expires_at'],
]

/** Chooses the columns of a list by the fields of its records; undefined where none is known. */
export const chooseColumns = (shape: unknown): readonly string[] | undefined => {
  const fields = Object.keys(getProperties(shape) ?? {})
  const chosen = preferred.flatMap((names) => names.find((name) => fields.includes(name)) ?? [])
  const all = [...new Set(chosen)]
  return all.length > 1 ? all : fields.length > 0 ? fields.slice(0, 6) : undefined
}

/** Finds the field by which people know a record; undefined if the shape has none. */
export const findTitle = (shape: unknown): string | undefined => {
  const fields = Object.keys(getProperties(shape) ?? {})
  return titleFields.find((name) => fields.includes(name))
}

/** Verbs that lose something, each with its past participle. */
const destructive: Readonly<Record<string, string>> = {
  erase: 'erased',
  remove: 'removed',
  purge: 'purged',
  prune: 'pruned',
  revoke: 'revoked',
  rotate: 'rotated',
  reset: 'reset',
  transfer: 'transferred',
  destroy: 'destroyed',
  reject: 'rejected',
  delete: 'deleted',
}

/** Finds the past participle of a verb that loses something, and the words after it: `reset` and `access token` of `reset-access-token`. */
const findDestruction = ({
  command,
}: Operation): { readonly done: string | undefined; readonly rest: string } => {
  const [first = '', ...rest] = command.split(' ').at(-1)?.split('-') ?? []
  const isFirst = Object.hasOwn(destructive, first)
  const verb = isFirst ? first : (rest.at(-1) ?? '')
  return {
    done: Object.hasOwn(destructive, verb) ? destructive[verb] : undefined,
    rest: isFirst ? rest.join(' ') : '',
  }
}

const getVerb = ({ command }: Operation): string => command.split(/[ -]/).at(-1) ?? ''

/**
 * Returns the part of its object that an operation is about, such as `artifacts` of `DELETE /projects/:id/jobs/:job_id/artifacts`. Returns
 * undefined if it is about the object.
 */
const getPart = (operation: Operation, { args }: PlacedOperation): string | undefined => {
  const part = toCommandWord(operation.path.slice(getObjectPath(operation, args).length))
  return part === '' || part === getVerb(operation) ? undefined : part.replaceAll('-', ' ')
}

/** Returns the word for the object of an operation: that of its kind; else, or if its group is a part of the object, that of its group or area. */
export const getObjectWord = (
  operation: Operation,
  placed: PlacedOperation,
  kind: string | undefined,
): string => {
  const [area, words] = splitAreaAndWords(operation.command)
  const isOfPart = words.includes(' ') && getPart(operation, placed) !== undefined
  const [group = area] = words.includes(' ') ? words.split(' ') : [area]
  return kind === undefined || isOfPart ? toSingular(group).replaceAll('-', ' ') : getKindWord(kind)
}

/** Describes what an operation loses, for its confirmation. Returns undefined if it loses nothing. */
export const describeLoss = (
  operation: Operation,
  placed: PlacedOperation,
  word: string,
): string | undefined => {
  const { method, confirm } = operation
  if (confirm !== undefined) return /[.!?]$/.test(confirm) ? confirm : `${confirm}.`
  const { done, rest } = findDestruction(operation)
  if (method !== 'DELETE' && (done === undefined || method === 'GET')) return undefined
  if (rest === 'all') return `All ${toPlural(word)} are ${done}.`
  const part = method === 'DELETE' ? getPart(operation, placed) : rest || undefined
  const lost = part === undefined ? word : `${part} of the ${getKindWord(placed.kind ?? word)}`
  return `The ${lost} ${isPlural(part ?? '') ? 'are' : 'is'} ${done ?? 'deleted'}.`
}

/** Returns the past participle of an operation's verb, with the part of the object that it deletes; undefined if it is not known. */
export const describeDone = (operation: Operation, placed: PlacedOperation): string | undefined => {
  const { done, method } = operation
  if (done !== undefined) return done
  const { done: known, rest } = findDestruction(operation)
  if (method !== 'DELETE') return known && `${rest === 'all' ? '' : rest} ${known}`.trim()
  return [getPart(operation, placed) ?? [], known ?? 'deleted'].flat().join(' ')
}

/** Returns the first sentence of an operation's summary; without a summary, a sentence made of its command. */
export const describeOperation = (
  operation: Operation,
  word: string,
  several: string,
  one: string,
): string => {
  const { summary = '', method } = operation
  if (summary !== '') return summary.replace(/(?<=\S)\.(?:\s.*)?$/, '')
  const verb = operation.command.split(' ').at(-1) ?? ''
  switch (verb) {
    case 'list':
      return `List ${several}`
    case 'get':
      return `Show ${one}`
    case 'update':
      return `Change ${one}`
    case 'delete-all':
      return `Delete all ${several}`
    case 'update-all':
      return `Change all ${several}`
    default:
  }
  if (method === 'GET') return `Show the ${verb.replaceAll('-', ' ')} of ${one}`
  const known = ['create', 'add', 'delete', 'remove'].includes(verb)
  return known || word.split(' ').at(-1) !== verb
    ? `${capitalize(verb.replaceAll('-', ' '))} ${one}`
    : `Send ${getRequest(operation)}`
}

/** Copies a JSON Schema of the catalogue for the store. Levels below `depth` become empty schemas. */
export const toStoredShape = (shape: unknown, depth = 6): JsonValue => {
  if (Array.isArray(shape)) return shape.map((one) => toStoredShape(one, depth))
  if (!isObject(shape)) return (shape ?? null) as JsonValue
  if (depth === 0) return {}
  return mapValues(shape, (value) => toStoredShape(value, depth - 1))
}

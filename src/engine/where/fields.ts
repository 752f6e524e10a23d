/** Finds what the fields of records hold, and where it stands: for conditions and for the order of records. */
import { addOwnNames, describeName, makeLegible, type Naming } from '../../catalogue/words.js'
import { type Condition, type Names, refuseAt } from './condition.js'
import {
  type FieldKind,
  findFieldKind,
  getLeaves,
  getShapeFields,
  getShapeLevels,
  hasField,
  type Leaves,
} from './shape.js'

/** The facts that are known of the records. */
export interface Known {
  /** The shape of the list's records; of the single record, where more fields stand. */
  readonly list?: unknown
  readonly single?: unknown
  /** Records of the first page: they may have fields that no shape names. */
  readonly samples?: readonly unknown[]
  /** Now, in milliseconds of the epoch. */
  readonly now: number
  /** The names of the numbers of a field that no shape knows (access levels). */
  readonly names?: (field: string) => Names
  /** The instance's own words: a record may have a field under either name. */
  readonly words?: Naming
  /** Fields that are made of a record that has none of that name. */
  readonly made?: Readonly<Record<string, (record: unknown) => unknown>>
  /** Fields that the instance was seen to have beyond the documents. */
  readonly others?: readonly string[] | undefined
  /** The shape of the records that were grouped: a column of groups has the values of the field it is called after. */
  readonly columns?: unknown
  /** Values that the instance was seen to have in a field, or that its vocabulary names, beyond the documents. */
  readonly learnt?: (field: string) => readonly string[]
  /** True if values were checked before. */
  readonly anyValue?: boolean
  /** Returns what a name is that stands beside the records. */
  readonly beside?: (field: string) => string | undefined
  /** The nearest of the known words. */
  readonly nearest?: (given: string, known: Iterable<string>) => string | undefined
}

/** True if only the single record has a field, as far as the shapes tell. */
export const isOfSingle = (field: string, { list, single }: Known): boolean =>
  findFieldKind(list, field) === undefined && findFieldKind(single, field) !== undefined

/** Returns what a field holds, by the shapes; undefined where they do not know it. */
export const getShapeKind = (
  field: string,
  { list, single, made = {}, others = [] }: Known,
): FieldKind | undefined =>
  findFieldKind(list, field) ??
  findFieldKind(single, field) ??
  (Object.hasOwn(made, field) || others.includes(field.split('.', 1)[0] ?? '') ? 'any' : undefined)

/** @throws Failure `usage` for a field that no record is known to have */
export const requireFieldKind = (
  { field, at }: Condition,
  text: string,
  known: Known,
): FieldKind => {
  const kind = getShapeKind(field, known)
  if (kind !== undefined) return kind
  const { samples = [], nearest, beside, list, single, made = {}, others = [], words } = known
  const path = field.split('.')
  if (samples.some((record) => hasField(record, path, words))) return 'any'
  const shaped = [
    ...getShapeFields(list),
    ...getShapeFields(single),
    ...Object.keys(made),
    ...others,
  ]
  const fields = new Set([...shaped, ...samples.flatMap(getKeys)])
  const other = beside?.(field)
  const near = nearest?.(field, addOwnNames([...fields], words))
  const guess = near === undefined ? '' : `; did you mean ${describeName(near, words)}?`
  const hint = other === undefined ? guess : `; ${other}`
  throw refuseAt(text, at, `no record has the field ${field}${hint}`)
}

const getKeys = (record: unknown): readonly string[] =>
  typeof record === 'object' && record !== null ? Object.keys(record) : []

/** Returns the names of a field's numbers, or its words in their order. */
export const getFieldNames = (field: string, { list, single, names }: Known): Names =>
  getShapeLevels(list, field) ?? getShapeLevels(single, field) ?? names?.(field)

/** Reads a field of records: their own comes before one that is made of them. */
export const createLeafReader = (field: string, known: Known): ((record: unknown) => Leaves) => {
  const { words } = known
  const path = field.split('.')
  const make =
    getShapeKind(field, { ...known, made: {} }) === undefined &&
    Object.hasOwn(known.made ?? {}, field)
      ? known.made?.[field]
      : undefined
  return (record) =>
    make === undefined || hasField(record, path, words)
      ? getLeaves(record, path, words)
      : getLeaves(make(words === undefined ? record : makeLegible(record, words)), [])
}

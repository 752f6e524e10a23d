/** `--where` and `--select`: which records match. */
import { parseSpan } from '../../base/dates.js'
import { compareNumbers, numberPattern } from '../../base/json/decimal.js'
import { ExactNumber, isNumber } from '../../base/json/json.js'
import { compareVersions, isVersion } from '../../base/version.js'
import { shownFields } from '../../catalogue/kinds.js'
import { called, dotted, legible, type Naming, namesIn } from '../../catalogue/words.js'
import { usage } from '../../errors.js'
import {
  asksOrder,
  type Condition,
  createTest,
  type Expression,
  hasNoOrder,
  type Names,
  type Plain,
  parseExpression,
  parseTimeValue,
  spellings,
  type Test,
  wrongAt,
} from './condition.js'
import {
  type FieldKind,
  getLeaves,
  getShapeFields,
  hasField,
  kindIn,
  type Leaves,
  levelsIn,
} from './shape.js'

export { type Condition, type Expression, negated, wrongAt } from './condition.js'

/** What is known of the records. */
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
  /** What a name is that stands beside the records. */
  readonly beside?: (field: string) => string | undefined
  /** The nearest of the known words. */
  readonly nearest?: (given: string, known: Iterable<string>) => string | undefined
}

export interface Where {
  /** Fields that only the single record has: for these each record is to be read. */
  readonly detail: readonly string[]
  /** Whether a record of the list may match: what it does not show is left open. */
  readonly mayMatch: (record: unknown) => boolean
  /** Whether a record matches that has all the fields. */
  readonly matches: (record: unknown) => boolean
}

interface Bound {
  readonly field: string
  readonly detail: boolean
  readonly holds: (record: unknown) => boolean
}

/** Reads the flags as they were given: each of them is enough. */
export const parseWhere = (texts: readonly string[]): readonly Expression[] =>
  texts.map(parseExpression)

/** Fields of which no shape knows: the first page has to show them. */
export const unshaped = (expressions: readonly Expression[], known: Known): readonly string[] =>
  expressions
    .flatMap(({ conditions }) => conditions)
    .filter(({ field }) => shapedIn(field, known) === undefined)
    .map(({ field }) => field)

/** Whether only the single record has a field, as far as the shapes tell. */
export const isOfSingle = (field: string, { list, single }: Known): boolean =>
  kindIn(list, field) === undefined && kindIn(single, field) !== undefined

/** What a field holds, by the shapes; undefined where they do not know it. */
const shapedIn = (
  field: string,
  { list, single, made = {}, others = [] }: Known,
): FieldKind | undefined =>
  kindIn(list, field) ??
  kindIn(single, field) ??
  (Object.hasOwn(made, field) || others.includes(field.split('.', 1)[0] ?? '') ? 'any' : undefined)

const kindFor = ({ field, at }: Condition, text: string, known: Known): FieldKind => {
  const kind = shapedIn(field, known)
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
  const fields = new Set([...shaped, ...samples.flatMap(keysOf)])
  const other = beside?.(field)
  const near = nearest?.(field, namesIn([...fields], words))
  const guess = near === undefined ? '' : `; did you mean ${called(near, words)}?`
  const hint = other === undefined ? guess : `; ${other}`
  throw wrongAt(text, at, `no record has the field ${field}${hint}`)
}

const keysOf = (record: unknown): readonly string[] =>
  typeof record === 'object' && record !== null ? Object.keys(record) : []

const wanted: Readonly<Record<FieldKind, string>> = {
  number: 'a number',
  boolean: 'true or false, with = or !=',
  time: 'a time: 30d, 2026-01-31, today, +30d',
  version: 'a version, such as 14.6',
  level: 'a level',
  text: 'a string',
  object: 'one of its fields, after a dot',
  any: 'a value',
}

/** The names of a field's numbers, or its words in their order. */
const getFieldNames = (field: string, { list, single, names }: Known): Names =>
  levelsIn(list, field) ?? levelsIn(single, field) ?? names?.(field)

const wantedOf = (kind: FieldKind, names: Names): string =>
  kind === 'level' && names !== undefined
    ? `one of its levels: ${Object.keys(names).join(' < ')}`
    : wanted[kind]

/** Refuses an order of text: b is no less than a because its letter comes later. */
const noOrder = ({ field, at }: Condition, text: string, { words }: Known) =>
  wrongAt(
    text,
    at,
    `${called(field, words)} is text and cannot be compared by order`,
    'Use =, != or ~ (contains), such as name~app.',
  )

/** Tests of the values of a condition; null, unless quoted, is tested apart. */
const testsOf = (
  condition: Condition,
  kind: FieldKind,
  text: string,
  known: Known,
): readonly Test[] => {
  const { field, op, values } = condition
  const plain = op.replace('!', '') as Plain
  return values.filter(isNoNull).map((value) => {
    const age = kind === 'time' && !value.quoted && parseSpan(value.text) !== undefined
    if (age && plain === '=')
      throw wrongAt(text, value.at, `${value.text} is an age and requires < or >`)
    const names = getFieldNames(field, known)
    const test = kind === 'object' ? undefined : createTest(value, plain, kind, known.now, names)
    if (test === undefined && asksOrder(op) && (kind === 'text' || kind === 'any'))
      throw noOrder(condition, text, known)
    if (test === undefined)
      throw wrongAt(
        text,
        value.at,
        `${called(field, known.words)} requires ${wantedOf(kind, names)}`,
      )
    return test
  })
}

const isNoNull = ({ text, quoted }: Condition['values'][number]): boolean =>
  quoted || text !== 'null'

/** Reads a field of records: their own comes before one that is made of them. */
const leavesIn = (field: string, known: Known): ((record: unknown) => Leaves) => {
  const { words } = known
  const path = field.split('.')
  const make =
    shapedIn(field, { ...known, made: {} }) === undefined ? known.made?.[field] : undefined
  return (record) =>
    make === undefined || hasField(record, path, words)
      ? getLeaves(record, path, words)
      : getLeaves(make(words === undefined ? record : legible(record, words)), [])
}

const bound = (condition: Condition, text: string, known: Known): Bound => {
  const { field, op, values } = condition
  const asksNull = values.some((value) => !isNoNull(value))
  if (asksNull && op !== '=' && op !== '!=')
    throw wrongAt(text, condition.at, 'null works only with = and !=')
  const path = field.split('.')
  const read = leavesIn(field, known)
  const kind = kindFor(condition, text, known)
  const tests = testsOf(condition, kind, text, known)
  const not = op.startsWith('!')
  const holds = (record: unknown): boolean => {
    const leaves = read(record)
    // Nothing else sees what is not there: no mistyped field selects everything.
    if (!leaves.there) return asksNull && !not
    return leaves.values.some((value) => tests.some((test) => test(value))) !== not
  }
  const { list, single, samples = [], words } = known
  const isText = (record: unknown) => getLeaves(record, path, words).values.some(hasNoOrder)
  if (asksOrder(op) && kind === 'any' && samples.some(isText)) throw noOrder(condition, text, known)
  const listed =
    kindIn(list, field) !== undefined || samples.some((record) => hasField(record, path, words))
  return { field, detail: !listed && kindIn(single, field) !== undefined, holds }
}

/**
 * Makes tests of expressions: every field must be known, every value of its field's kind.
 * @throws Failure `usage` that points at the place
 */
export const bindWhere = (expressions: readonly Expression[], known: Known): Where => {
  if (expressions.length === 0) throw usage('the condition is empty')
  const alternatives = expressions.map(({ text, conditions }) =>
    conditions.map((condition) => bound(condition, text, known)),
  )
  const detail = alternatives.flat().filter((condition) => condition.detail)
  return {
    detail: [...new Set(detail.map(({ field }) => field))],
    mayMatch: (record) =>
      alternatives.some((all) => all.every((one) => one.detail || one.holds(record))),
    matches: (record) => alternatives.some((all) => all.every(({ holds }) => holds(record))),
  }
}

// `--sort`: the order of records by their fields.

/** A field to sort by. */
export interface SortField {
  readonly field: string
  readonly descending: boolean
}

/** A value as it is compared: of what kind it is, then by itself. */
type ComparableValue =
  | readonly ['number', number | ExactNumber]
  | readonly ['time' | 'rank', number]
  | readonly ['version' | 'text' | 'other', string]

/** The values of a record that are sorted by; none where it lacks the field. */
export type SortKey = readonly (readonly ComparableValue[])[]

export interface Order {
  /** @param row the record with what stands beside it, where that is more */
  readonly keyOf: (record: unknown, row?: unknown) => SortKey
  /** Below zero where the first comes before the second. */
  readonly compare: (a: SortKey, b: SortKey) => number
}

/**
 * Reads `name,-created_at`.
 * @throws Failure `usage`
 */
export const parseSort = (texts: readonly string[]): readonly SortField[] =>
  texts.map((text) => {
    const field = text.replace(/^-/, '')
    if (field === '')
      throw usage(`--sort must be a list of fields, such as name,-created_at, not "${text}"`)
    return { field, descending: text.startsWith('-') }
  })

const kinds = ['number', 'rank', 'time', 'version', 'text', 'other']

const { compare: compareTexts } = new Intl.Collator('en')

const compareValues = (a: ComparableValue, b: ComparableValue): number => {
  if (a[0] !== b[0]) return kinds.indexOf(a[0]) - kinds.indexOf(b[0])
  const [kind, value] = a
  const other = b[1]
  if (isNumber(value)) return compareNumbers(value, String(other))
  return (kind === 'version' ? compareVersions : compareTexts)(value, String(other))
}

/** Lists are compared value by value; the shorter comes first. */
const compareLists = (a: readonly ComparableValue[], b: readonly ComparableValue[]): number => {
  for (const [i, one] of a.entries()) {
    const other = b[i]
    const order = other === undefined ? 1 : compareValues(one, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

const booleanOf = (value: unknown): ComparableValue | undefined => {
  const known = spellings.get(value)
  return known === undefined ? undefined : ['rank', Number(known)]
}

const rankOf = (value: unknown, names: Names): ComparableValue | undefined => {
  const rank = names?.[String(value).toLowerCase()]
  return rank === undefined ? undefined : ['rank', rank]
}

const momentOf = (value: unknown): ComparableValue | undefined => {
  const time = parseTimeValue(value)
  return time === undefined ? undefined : ['time', time]
}

const numberOf = (value: unknown): ComparableValue | undefined => {
  if (isNumber(value)) return ['number', value]
  return typeof value === 'string' && numberPattern.test(value)
    ? ['number', new ExactNumber(value)]
    : undefined
}

const versionOf = (value: unknown): ComparableValue | undefined =>
  typeof value === 'string' && isVersion(value) ? ['version', value] : undefined

const readers: Readonly<
  Record<FieldKind, (value: unknown, names: Names) => ComparableValue | undefined>
> = {
  number: numberOf,
  boolean: booleanOf,
  time: momentOf,
  version: versionOf,
  level: rankOf,
  text: () => undefined,
  object: () => undefined,
  any: (value) =>
    typeof value === 'boolean' ? booleanOf(value) : (momentOf(value) ?? numberOf(value)),
}

/** What is not of the field's kind comes after what is. */
const comparable = (value: unknown, kind: FieldKind, names: Names): ComparableValue =>
  readers[kind](value, names) ??
  (typeof value === 'string' ? ['text', value] : ['other', JSON.stringify(value) ?? ''])

/** A field as the documents call it, and where its values stand. */
const sourceOf = (field: string, known: Known): string => {
  if (shapedIn(field, known) !== undefined) return field
  const neutral = known.words === undefined ? field : dotted(field, known.words.neutral)
  const sources: Readonly<Record<string, string>> = shownFields
  return sources[neutral] ?? neutral
}

/** The values of one field. */
const valuesOf = (
  { field }: SortField,
  known: Known,
  beside: readonly string[],
): ((record: unknown, row: unknown) => readonly ComparableValue[]) => {
  const source = sourceOf(field, known)
  const kind = shapedIn(source, known)
  if (kind === 'object')
    throw usage(
      `--sort ${field}: ${called(field, known.words)} is an object`,
      `Sort by one of its fields, after a dot. "svcctl explain" lists them.`,
    )
  const names = getFieldNames(source, known)
  const leaves = leavesIn(source, known)
  const other = kind === undefined && beside.includes(field)
  return (record, row) => {
    const { values } = other ? leaves(row) : leaves(record)
    return values.map((value) => comparable(value, kind ?? 'any', names))
  }
}

/**
 * The order that fields make. What is missing comes last, in both directions.
 * @param beside columns that stand beside the records, in their rows
 * @throws Failure `usage` for a field that has no order
 */
export const bindOrder = (
  fields: readonly SortField[],
  known: Known,
  beside: readonly string[] = [],
): Order => {
  const parts = fields.map((one) => valuesOf(one, known, beside))
  return {
    keyOf: (record, row = record) => parts.map((part) => part(record, row)),
    compare: (a, b) => {
      for (const [i, { descending }] of fields.entries()) {
        const [left = [], right = []] = [a[i], b[i]]
        const missing = Number(left.length === 0) - Number(right.length === 0)
        if (missing !== 0) return missing
        const order = compareLists(left, right)
        if (order !== 0) return descending ? -order : order
      }
      return 0
    },
  }
}

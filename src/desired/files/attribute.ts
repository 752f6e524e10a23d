/** Reads the values of attributes in files, and builds their JSON Schema for editors. */

import {
  isNull,
  quoteWritten,
  toPlain,
  type WrittenEntry,
  type WrittenMap,
  type WrittenValue,
} from '../../base/documents/written.js'
import { isJsonList, type JsonValue } from '../../base/objects.js'
import { isSecret } from '../../base/secrets/mask.js'
import { describeHeld, type HeldText, openHeld } from '../../base/secrets/redact.js'
import { suggestSimilar } from '../../base/suggest.js'
import { describeSize, quoteText } from '../../base/text.js'
import { coerce, describeError, type Source, type ValueError } from '../../catalogue/coerce.js'
import {
  type EnumParam,
  getParamFormat,
  type IntegerParam,
  type ListParam,
  type Param,
  type StringParam,
} from '../../catalogue/params.js'
import {
  createAnyOf,
  createRange,
  createValueSchema,
  getAllValues,
  type JsonSchema,
  listOf,
  type SchemaOptions,
} from '../../catalogue/schema.js'
import { parseNameReference } from '../address.js'
import { type Attribute, isValueUnderSecretName, mayComeFromFile } from '../attributes.js'
import type { DesiredValue, ListDelta, Origin, ValueRange } from '../state.js'
import { subtractMembers } from '../values.js'
import { type Mistakes, type ReadContext, textSchema } from './nodes.js'
import { getNamedFile, parseSecretSource, readNamedFile } from './secret.js'

/** Lists the keys of the map that an attribute takes in place of a value: changes to a list, or a range. */
const listMapKeys = ({ param, ref }: Pick<Attribute, 'param' | 'ref'>): readonly string[] => {
  if (param.type === 'list') return ['$add', '$remove']
  if (param.type === 'integer' && ref === undefined) return ['min', 'max', 'one_of']
  return param.type === 'enum' ? ['one_of'] : []
}

// The JSON Schema of values. It must accept every value that the reader accepts.

const someText: JsonSchema = { ...textSchema, minLength: 1 }

/** Returns the schema of a whole number, also as text (for a small range its numbers alone), and of the names of levels. */
const getNumberSchema = (param: IntegerParam | ListParam): JsonSchema => {
  const [min = 0, max = Number.POSITIVE_INFINITY] =
    param.type === 'integer' && param.min !== undefined ? [param.min, param.max] : []
  const small = Array.from({ length: max - min > 100 ? 0 : max - min + 1 }, (_, i) => min + i)
  const pattern = `^(?:${small.length === 0 ? '-?\\d+' : small.join('|')})$`
  const names = param.names && { enum: Object.keys(param.names) }
  return createAnyOf({ type: 'integer', ...createRange(param) }, names, { type: 'string', pattern })
}

const formats: Readonly<Partial<Record<NonNullable<StringParam['format']>, JsonSchema>>> = {
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  pem: { type: 'string', pattern: '-----BEGIN ' },
  'public-key': { type: 'string', pattern: '^\\s*\\S+ +\\S' },
  csv: createAnyOf(someText, listOf(someText)),
  spaced: createAnyOf(someText, listOf(someText)),
  text: textSchema,
}

/** Returns the schema of a text. Items of a list, and texts with a format, must not be empty. */
const getTextSchema = (param?: StringParam): JsonSchema =>
  param === undefined ? someText : (formats[param.format ?? 'text'] ?? someText)

/** Returns the schema of a map with these keys, at least one of which is set. */
const toMap = (properties: JsonSchema, description?: string): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  minProperties: 1,
  ...(description === undefined ? {} : { description }),
})

/** Returns the schema of a list, or of the changes to it. */
const getListSchema = (items: JsonSchema, param: ListParam): JsonSchema => {
  const list = listOf(items, param.max)
  return createAnyOf(list, toMap({ $add: list, $remove: list }), param.single === true && items)
}

/** Allows a range in place of a value. */
const allowRange = (value: JsonSchema, param: IntegerParam | EnumParam | ListParam): JsonSchema => {
  if (param.type === 'list') return value
  const bounds =
    param.type === 'integer' && toMap({ min: value, max: value }, 'minimum and maximum')
  const oneOf = { one_of: { type: 'array', items: value, minItems: 1 } }
  return createAnyOf(
    value,
    bounds,
    toMap(oneOf, 'allowed values; the first is set if none matches'),
  )
}

const name: JsonSchema = { $ref: '#/$defs/name' }

/** The schemas of values that files may write differently from the API. */
const inFiles: Partial<SchemaOptions> = {
  integer: (param) => allowRange(getNumberSchema(param), param),
  choice: (param) => allowRange({ enum: getAllValues(param) }, param),
  text: getTextSchema,
  list: getListSchema,
  object: () => ({ type: 'object' }),
  json: () => ({}),
  scope: name,
}
const byName: Partial<SchemaOptions> = {
  ...inFiles,
  integer: () => name,
  list: (_, param) => getListSchema(name, param),
}

/** True if the attribute accepts null, which unsets it. */
const canBeUnset = (param: Param): boolean =>
  coerce(param, nothing, createSource()).errors.length === 0

/** The schema that excludes empty values of an attribute which creation requires. */
export const filled: JsonSchema = { not: { enum: [null, '', []] } }

const buildValueSchema = ({ param, ref, source }: Attribute): JsonSchema => {
  const description = param.edition === undefined ? param.help : `${param.help} (${param.edition})`
  if (source === 'secret') return { $ref: '#/$defs/secret', description }
  const plain = createValueSchema(param, () => ({}), ref === undefined ? inFiles : byName)
  const words = param.words && { enum: param.words }
  const held = source === 'file' && { $ref: '#/$defs/held' }
  return { ...createAnyOf(plain, words, held, canBeUnset(param) && { type: 'null' }), description }
}

/** Builds the schema of an attribute's value in a file. */
export const buildAttributeSchema = (attribute: Attribute): JsonSchema => ({
  ...buildValueSchema(attribute),
  ...(attribute.required ? filled : {}),
})

// The reader of values.

const nowhere: Origin = { file: '', line: 1, column: 1 }
const nothing: WrittenValue = { is: 'scalar', origin: nowhere, value: null, text: '' }

/** @param mistakes receives numbers that cannot be sent */
const createSource = (mistakes?: Mistakes, isNamed = false): Source<WrittenValue> => ({
  kind: 'file',
  view: (written) => written,
  toJson: (written) => toPlain(written, mistakes),
  parseReference: isNamed ? parseNameReference : undefined,
})

const createHint = ({
  problem,
  param,
  node,
  nearest,
}: ValueError<WrittenValue>): string | undefined => {
  const written = node.is === 'scalar' ? node.text : ''
  if (nearest !== undefined) return `Did you mean ${nearest}?`
  if (written === '' && node.is === 'scalar' && node.value === '' && canBeUnset(param))
    return 'Write null to clear it.'
  if (mayComeFromFile(param)) return 'To read it from a file, write {file: path}.'
  if (problem === 'null')
    return param.type === 'list'
      ? 'Write [] for an empty list.'
      : 'Remove it to keep the current value.'
  if (param.type === 'boolean' && /^(?:yes|no|on|off|[01])$/i.test(written))
    return 'In YAML 1.2, only true and false are booleans.'
  const isName = problem === 'wrong format' && getParamFormat(param) === undefined
  return isName && /^\d+$/.test(written)
    ? `Write a name that consists of digits as '@${written}'.`
    : undefined
}

const reportValueError = (
  label: string,
  error: ValueError<WrittenValue>,
  mistakes: Mistakes,
): void => {
  const { problem, path, param, node } = error
  const keys = path.filter((key) => typeof key === 'string')
  const isNumber = problem === 'out of range' || problem === 'too large'
  const bare = node.is === 'scalar' && isNumber ? quoteText(node.text) : quoteWritten(node)
  const shown = mayComeFromFile(param) && node.is === 'scalar' ? describeSize(node.text) : bare
  const what = [label, ...keys].map((key) => quoteText(key)).join('.')
  const problemText =
    problem === 'null'
      ? `${what} cannot be unset`
      : problem === 'unknown key'
        ? `${what} is unknown`
        : describeError(what, error, shown)
  mistakes.add(node.origin, problemText, createHint(error))
}

/** The parts of an attribute that its values are checked against. */
type TypedAttribute = Pick<Attribute, 'name' | 'param' | 'ref'>

/**
 * Parses the value of an attribute as the API takes it; names of references stay names.
 * @returns undefined if the value is wrong, which is reported
 */
const parseAttributeValue = (
  { name: label, param, ref }: TypedAttribute,
  written: WrittenValue,
  mistakes: Mistakes,
): JsonValue | undefined => {
  const source = createSource(mistakes, ref !== undefined)
  const { value, errors, deprecated } = coerce(param, written, source)
  for (const error of errors) reportValueError(label, error, mistakes)
  for (const { value: old, successor } of deprecated)
    mistakes.note(written.origin, `${label} ${quoteText(old)} is deprecated: use ${successor}`)
  return value
}

/** The text of a file that another file names. */
interface NamedFileText {
  readonly file: string
  readonly origin: Origin
  readonly held: HeldText
}

/**
 * Parses the value of an attribute that is in a file of its own.
 * @returns undefined if the parameter does not accept it, which is reported without quoting it
 */
const parseHeldValue = (
  { name: label, param }: TypedAttribute,
  { file, origin, held }: NamedFileText,
  mistakes: Mistakes,
): JsonValue | undefined => {
  const whole = openHeld(held)
  const written: WrittenValue = { is: 'scalar', origin, value: whole, text: whole }
  const { value, errors } = coerce(param, written, createSource())
  for (const { expected } of errors)
    mistakes.add(
      origin,
      `${label} must be ${expected}: ${quoteText(file)} holds ${describeHeld(held)}`,
    )
  return value
}

// Maps in place of a value: changes to a list, and ranges.

/** Parses the values of a key such as `$add`; returns undefined if they are wrong, which is reported. */
const parseWordValues = (
  attribute: TypedAttribute,
  { key, value }: WrittenEntry,
  mistakes: Mistakes,
): readonly JsonValue[] | undefined => {
  const { name: label, param } = attribute
  if (param.type === 'list') {
    const members = parseAttributeValue(attribute, value, mistakes)
    return isJsonList(members) ? members : undefined
  }
  const isOneOf = key === 'one_of'
  const members = value.is === 'list' ? value.items : [value]
  if (members.length === 0 || isOneOf !== (value.is === 'list')) {
    const takes = isOneOf ? 'a list of values' : 'one value'
    return mistakes.add(value.origin, `${key} of ${label} must be ${takes}`)
  }
  if (members.some(isNull)) mistakes.add(value.origin, `${key} of ${label} has no value`)
  const values = members.flatMap((one) => {
    const found = isNull(one) ? undefined : parseAttributeValue(attribute, one, mistakes)
    return found === undefined || found === null ? [] : [found]
  })
  return values.length < members.length ? undefined : values
}

/** Returns the changes to a list that a map declares: members to add and to remove, whatever else the list has. */
const toListDelta = (
  { name: label, ref }: TypedAttribute,
  { origin }: WrittenMap,
  values: ReadonlyMap<string, readonly JsonValue[]>,
  mistakes: Mistakes,
): ListDelta | undefined => {
  const [add, remove] = [values.get('$add') ?? [], values.get('$remove') ?? []]
  if (subtractMembers(add, remove, ref).length === add.length) return { is: 'change', add, remove }
  return mistakes.add(origin, `${label} adds and removes the same member`)
}

const formatWritten = (written: WrittenValue | undefined): string => {
  if (written?.is === 'list') return written.items.map(formatWritten).join(', ')
  return written?.is === 'scalar' ? quoteText(written.text) : ''
}

/** Returns the range that a map declares for a value. */
const toValueRange = (
  { name: label }: TypedAttribute,
  { origin, entries }: WrittenMap,
  values: ReadonlyMap<string, readonly JsonValue[]>,
  mistakes: Mistakes,
): ValueRange | undefined => {
  const numberAt = (key: string): number | undefined => {
    const [one] = values.get(key) ?? []
    return typeof one === 'number' ? one : undefined
  }
  const [min, max, oneOf] = [numberAt('min'), numberAt('max'), values.get('one_of')]
  if (oneOf !== undefined && values.size > 1)
    return mistakes.add(origin, `${label} cannot combine one_of with min or max`)
  if (min !== undefined && max !== undefined && min > max)
    return mistakes.add(origin, `the minimum of ${label} is greater than its maximum`)
  const textAt = (key: string) => formatWritten(entries.find((entry) => entry.key === key)?.value)
  const bound = values.has('min') ? `at least ${textAt('min')}` : `at most ${textAt('max')}`
  const both = values.has('min') && values.has('max')
  const bounds = both ? `from ${textAt('min')} to ${textAt('max')}` : bound
  return { is: 'range', min, max, oneOf, text: oneOf ? `one of ${textAt('one_of')}` : bounds }
}

/** True if an attribute accepts a map in place of its value. */
const acceptsMap = (attribute: TypedAttribute): boolean => listMapKeys(attribute).length > 0

/**
 * Parses a map in place of a value: changes to a list, or a range.
 * @returns undefined if the map is wrong, which is reported
 */
const parseMapValue = (
  attribute: TypedAttribute,
  map: WrittenMap,
  mistakes: Mistakes,
): ListDelta | ValueRange | undefined => {
  const known = listMapKeys(attribute)
  const isList = attribute.param.type === 'list'
  const unknownEntry = map.entries.find(({ key }) => !known.includes(key))
  if (unknownEntry !== undefined || map.entries.length === 0) {
    const what = `${attribute.name} must be ${isList ? 'a list' : 'a value'}, or ${known.join(isList ? ' and ' : ', ')}`
    const not = unknownEntry === undefined ? '' : `, not ${quoteText(unknownEntry.key)}`
    const hint = unknownEntry && suggestSimilar(unknownEntry.key, known)
    return mistakes.add(unknownEntry?.origin ?? map.origin, `${what}${not}`, hint)
  }
  const values = new Map<string, readonly JsonValue[]>()
  for (const entry of map.entries) {
    const found = parseWordValues(attribute, entry, mistakes)
    if (found !== undefined) values.set(entry.key, found)
  }
  if (values.size < map.entries.length) return undefined
  return (isList ? toListDelta : toValueRange)(attribute, map, values, mistakes)
}

// Desired values; a secret is represented by its source.

const parseSecret = (
  name: string,
  written: WrittenValue,
  { rules, mistakes }: ReadContext,
): DesiredValue | undefined => {
  const source = parseSecretSource(name, written, rules, mistakes)
  return source && { is: 'secret', source }
}

/** Refuses lists and maps that contain a secret: they could neither be sent as a secret nor be shown in a plan. */
const checkNoSecrets = (
  name: string,
  desired: Extract<DesiredValue, { is: 'value' | 'change' }>,
  origin: Origin,
  { mistakes }: ReadContext,
): DesiredValue | undefined => {
  const value = desired.is === 'change' ? [...desired.add, ...desired.remove] : desired.value
  if (typeof value !== 'object' || !isSecret(name, value)) return desired
  return mistakes.add(origin, `${name} contains a secret, which declared files cannot express`)
}

/**
 * Parses the declaration of an attribute: its value, changes to it, or the source of its secret.
 * @returns undefined if the declaration is wrong, which is reported
 */
export const parseDeclaredValue = (
  attribute: Attribute,
  written: WrittenValue,
  context: ReadContext,
): DesiredValue | undefined => {
  const { name, source, required } = attribute
  const { mistakes, rules } = context
  const { origin } = written
  if (source === 'secret') return parseSecret(name, written, context)
  if (written.is === 'map' && acceptsMap(attribute)) {
    const change = parseMapValue(attribute, written, mistakes)
    return change?.is === 'change' ? checkNoSecrets(name, change, origin, context) : change
  }
  const file = source === 'file' ? getNamedFile(written) : undefined
  const held =
    file === undefined ? undefined : readNamedFile(file, { name, origin }, rules, mistakes)
  const value =
    file === undefined
      ? parseAttributeValue(attribute, written, mistakes)
      : held && parseHeldValue(attribute, { file, origin, held }, mistakes)
  if (value === undefined) return undefined
  if (required && (value === null || value === ''))
    return mistakes.add(origin, `${name} cannot be unset, because creation requires it`)
  return checkNoSecrets(name, { is: 'value', value }, origin, context)
}

/** Parses the value of an undocumented attribute. If its name is that of a secret, the value must be a source. */
export const parseUndocumentedValue = (
  { key, value: written }: WrittenEntry,
  context: ReadContext,
): DesiredValue | undefined => {
  if (isValueUnderSecretName(key, written.is === 'scalar' ? written.value : undefined))
    return parseSecret(key, written, context)
  const value = toPlain(written, context.mistakes)
  return checkNoSecrets(key, { is: 'value', value }, written.origin, context)
}

/** Builds the JSON Schema of attributes in files, and reads their values. */

import { checkWritten } from '../../base/documents/index.js'
import {
  getWrittenText,
  listItems,
  quoteWritten,
  toPlain,
  type WrittenEntry,
  type WrittenMap,
  type WrittenValue,
} from '../../base/documents/written.js'
import type { JsonValue } from '../../base/objects.js'
import { isSecret } from '../../base/secrets/mask.js'
import { describeHeld, type HeldText, openHeld } from '../../base/secrets/redact.js'
import { describeSize, quoteText } from '../../base/text.js'
import { coerce, describeError, type Source, type ValueError } from '../../catalogue/coerce.js'
import type {
  EnumParam,
  IntegerParam,
  ListParam,
  Param,
  StringParam,
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
import { buildSecretSchema, getNamedFile, parseSecretSource, readNamedFile } from './secret.js'

/** True if an attribute accepts a map in place of its value: changes to a list, or a range. */
const acceptsMap = ({ param: { type }, ref }: TypedAttribute): boolean =>
  type === 'list' || (ref === undefined && (type === 'integer' || type === 'enum'))

// The JSON Schema of values. It must accept every value that the reader accepts.

const someText: JsonSchema = { ...textSchema, minLength: 1 }

/** Returns the pattern of a word in any case, and with any of the separators. */
const toWordPattern = (word: string): string =>
  word
    .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
    .replaceAll('-', '[-_ ]')

/** Returns the schema of a whole number, also as text (for a small range its numbers alone), and of the names of levels. */
const getNumberSchema = (param: IntegerParam | ListParam): JsonSchema => {
  const [min = 0, max = Number.POSITIVE_INFINITY] =
    param.type === 'integer' && param.min !== undefined ? [param.min, param.max] : []
  const small = Array.from({ length: max - min > 100 ? 0 : max - min + 1 }, (_, i) => min + i)
  const names = Object.keys(param.names ?? {})
  const texts = [...(small.length === 0 ? ['-?\\d+'] : small), ...names.map(toWordPattern)]
  return createAnyOf(
    { type: 'integer', ...createRange(param) },
    names.length > 0 && { enum: names },
    { type: 'string', pattern: `^(?:${texts.join('|')})$` },
  )
}

/** Returns the schema of a word. Files may write dashes in place of underscores. */
const getChoiceSchema = (param: EnumParam | ListParam): JsonSchema => {
  const words = getAllValues(param)
  const pattern = `^(?:${words.map((word) => word.replaceAll('_', '[-_]')).join('|')})$`
  return createAnyOf({ enum: words }, pattern.includes('[-_]') && { type: 'string', pattern })
}

const fromFile = '{file: path} to read it from a file'

const formats: Readonly<Partial<Record<NonNullable<StringParam['format']>, JsonSchema>>> = {
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  pem: { type: 'string', pattern: '-----BEGIN ', title: 'PEM certificate', description: fromFile },
  'public-key': {
    type: 'string',
    pattern: '^\\s*\\S+ +\\S',
    title: 'public key in one line',
    description: fromFile,
  },
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
  const bounds = param.type === 'integer' && { min: value, max: value }
  const oneOf = { one_of: { type: 'array', items: value, minItems: 1 } }
  const description = 'minimum and maximum, or the allowed values; the first is set if none matches'
  return createAnyOf(value, toMap({ ...bounds, ...oneOf }, description))
}

const name: JsonSchema = { $ref: '#/$defs/name' }

/** The schemas of values that files may write differently from the API. */
const inFiles: Partial<SchemaOptions> = {
  integer: (param) => allowRange(getNumberSchema(param), param),
  choice: (param) => allowRange(getChoiceSchema(param), param),
  text: getTextSchema,
  list: getListSchema,
  object: () => ({ type: 'object' }),
  json: () => ({}),
  scope: name,
}
/** The schemas of scalars, which have no ranges. */
const asScalars: Partial<SchemaOptions> = {
  ...inFiles,
  integer: getNumberSchema,
  choice: getChoiceSchema,
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
  const unset = canBeUnset(param) && { type: 'null' }
  const hints: JsonSchema = unset
    ? { empty: 'Write null to clear it.' }
    : { null: 'Remove the attribute to keep its current value.' }
  // A wrong file name or a wrong paste may contain a secret.
  const isHidden = source === 'file' && { writeOnly: true }
  return { ...createAnyOf(plain, words, held, unset), ...isHidden, description, hints }
}

/** Builds the schema of a scalar that stands for an item: the value of its attribute. */
export const buildScalarSchema = ({ param, source }: Attribute): JsonSchema => ({
  ...createValueSchema(param, () => ({}), asScalars),
  ...(source === 'file' && { writeOnly: true }),
})

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

const reportValueError = (
  label: string,
  error: ValueError<WrittenValue>,
  mistakes: Mistakes,
): void => {
  const { problem, path, param, node } = error
  const keys = path.filter((key) => typeof key === 'string')
  const text = getWrittenText(node)
  const shown = mayComeFromFile(param) ? describeSize(text) : quoteWritten(node)
  const what = [label, ...keys].map((key) => quoteText(key)).join('.')
  const hint = mayComeFromFile(param)
    ? `Use ${fromFile}.`
    : problem === 'wrong format' && /^\d+$/.test(text)
      ? `Write a name that consists of digits as '@${text}'.`
      : undefined
  mistakes.add(node.origin, describeError(what, error, shown), hint)
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

/** Parses the values of a key such as `$add` or `min`; returns undefined if any is wrong, which is reported. */
const parseWordValues = (
  attribute: TypedAttribute,
  value: WrittenValue,
  mistakes: Mistakes,
): readonly JsonValue[] | undefined => {
  const isList = attribute.param.type === 'list'
  const values = (isList ? [value] : listItems(value)).map((one) =>
    parseAttributeValue(attribute, one, mistakes),
  )
  const known = values.flatMap((one) => (one === undefined ? [] : one))
  return values.includes(undefined) ? undefined : known
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
  const textAt = (key: string) =>
    entries
      .flatMap((entry) => (entry.key === key ? listItems(entry.value) : []))
      .map((one) => quoteText(getWrittenText(one)))
      .join(', ')
  const bound = values.has('min') ? `at least ${textAt('min')}` : `at most ${textAt('max')}`
  const both = values.has('min') && values.has('max')
  const bounds = both ? `from ${textAt('min')} to ${textAt('max')}` : bound
  return { is: 'range', min, max, oneOf, text: oneOf ? `one of ${textAt('one_of')}` : bounds }
}

/**
 * Parses a map in place of a value: changes to a list, or a range.
 * @returns undefined if the map is wrong, which is reported
 */
const parseMapValue = (
  attribute: TypedAttribute,
  map: WrittenMap,
  mistakes: Mistakes,
): ListDelta | ValueRange | undefined => {
  const values = new Map<string, readonly JsonValue[]>()
  for (const { key, value } of map.entries) {
    const found = parseWordValues(attribute, value, mistakes)
    if (found !== undefined) values.set(key, found)
  }
  if (values.size < map.entries.length) return undefined
  const isList = attribute.param.type === 'list'
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
  const { name, source } = attribute
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
  return value === undefined
    ? undefined
    : checkNoSecrets(name, { is: 'value', value }, origin, context)
}

/** Parses the value of an undocumented attribute. If its name is that of a secret, the value must be a source. */
export const parseUndocumentedValue = (
  entry: WrittenEntry,
  context: ReadContext,
): DesiredValue | undefined => {
  const { key, origin, value: written } = entry
  const { mistakes, rules } = context
  if (!isValueUnderSecretName(key, written.is === 'scalar' ? written.value : undefined)) {
    const value = toPlain(written, mistakes)
    return checkNoSecrets(key, { is: 'value', value }, written.origin, context)
  }
  // The schema of the file does not know the name.
  const schema = { properties: { [key]: buildSecretSchema(rules.allowLiteralSecrets === true) } }
  const map: WrittenValue = { is: 'map', origin, entries: [entry] }
  return checkWritten(schema, map, mistakes, 0) ? parseSecret(key, written, context) : undefined
}

/** Writes the sentence for each error of JSON Schema, one for each keyword. */
import { getFields, isObject } from '../objects.js'
import { suggestSimilar } from '../suggest.js'
import { describeSize, formatCount, joinWords, quoteText } from '../text.js'

/** Keys and indexes from the root of a value to one of its parts. */
export type ValuePath = readonly (string | number)[]

export type Schema = Readonly<Record<string, unknown>>

// Words for values, and for the types that a schema accepts.

const kindWords: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'null',
}

export const listTypes = ({ type }: Schema): readonly string[] =>
  [type].flat().filter((one): one is string => typeof one === 'string')

/** Describes a value; a secret is not quoted. */
export const describeValue = (value: unknown, isSecret: boolean): string => {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a map'
  if (typeof value !== 'string') return isSecret ? `a ${typeof value}` : String(value)
  return isSecret || value === '' ? describeSize(value) : `"${quoteText(value)}"`
}

// One sentence for each keyword.

/** An error with everything that its sentence needs. */
export interface SchemaProblem {
  readonly params: Schema
  /** The schema with the keyword. */
  readonly schema: Schema
  readonly value: unknown
  readonly path: ValuePath
  /** The name of the value: the title of its schema, or its key. */
  readonly name: string
  /** The value in words. */
  readonly shown: string
  /** True if the value is a secret, so that nothing of it is quoted. */
  readonly isSecret: boolean
}

/** Returns the words for types. Where a text is accepted, numbers and booleans are other ways to write one. */
const listKindWords = (types: readonly string[]): readonly string[] => {
  const isText = ['string', 'number', 'boolean'].every((type) => types.includes(type))
  const own = isText ? types.filter((type) => type !== 'number' && type !== 'boolean') : types
  return own.map((type) => kindWords[type] ?? type)
}

/** Returns what to write instead of a value of the wrong type, for common mistakes. */
const suggestValue = (
  { value, schema }: SchemaProblem,
  types: readonly string[],
  name: string,
): string | undefined => {
  const isMap = types.length === 1 && types.includes('object')
  if (isMap && value === null) return 'Write {} for an empty map.'
  if (types.includes('array') && value === null) return 'Write [] for an empty list.'
  if (types.includes('boolean') && /^(?:yes|no|on|off|[01])$/i.test(String(value)))
    return 'In YAML 1.2, only true and false are booleans.'
  const names = Array.isArray(value) ? value.slice(0, 3) : []
  const isNames = names.every((one) => typeof one === 'string' && /^[\w.-]{1,40}$/.test(one))
  return isMap && isObject(schema.additionalProperties) && names.length > 0 && isNames
    ? `Write ${name}: {${names.map((one) => `${one}: …`).join(', ')}}.`
    : undefined
}

interface Message {
  readonly text: string
  readonly hint?: string | undefined
  /** The key within the value that is wrong. */
  readonly key?: string
}

export const listTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

const getDescription = ({ description }: Schema): string | undefined =>
  typeof description === 'string' ? description : undefined

const useDescription = (schema: Schema): string | undefined => {
  const description = getDescription(schema)
  return description === undefined ? undefined : `Use ${description}.`
}

/** Returns the hint that a schema gives itself (`hints`), for null, for an empty value or for an unknown key. */
const getOwnHint = ({ hints }: Schema, about: 'empty' | 'null' | 'unknown'): string | undefined => {
  const hint = isObject(hints) ? hints[about] : undefined
  return typeof hint === 'string' ? hint : undefined
}

/** Joins hints, some of which may be absent. */
const joinHints = (...hints: readonly (string | undefined)[]): string | undefined =>
  hints.filter((hint) => hint !== undefined).join(' ') || undefined

/** The description of each format of texts, for messages. */
const formats: Readonly<Record<string, string>> = {
  date: 'a day such as 2027-01-31',
  'date-time': 'a time such as 2027-01-31T00:00:00Z',
}

export const describeInvalid = ({ name, value, shown, schema }: SchemaProblem): Message => {
  const isBlank = typeof value === 'string' && value.trim() === ''
  if (isBlank) return { text: `${name} must not be empty`, hint: getOwnHint(schema, 'empty') }
  const wanted = formats[String(schema.format)]
  return wanted === undefined
    ? { text: `${shown} is not a valid ${name}`, hint: useDescription(schema) }
    : { text: `${name} must be ${wanted}, not ${shown}` }
}

const describeBound =
  (relation: 'at least' | 'at most', of = '') =>
  ({ name, shown, params: { limit } }: SchemaProblem): Message =>
    of === ''
      ? { text: `${name} must be ${relation} ${String(limit)}, not ${shown}` }
      : { text: `${name} must have ${relation} ${formatCount(Number(limit), of)}` }

/** The maximum number of names that are listed if none is similar. */
const mostListed = 12

const formatChoices = (names: readonly string[]): string | undefined =>
  names.length > mostListed
    ? undefined
    : `Use ${names.length === 1 ? '' : 'one of '}${names.join(', ')}.`

export const sentences: Readonly<
  Record<string, (problem: SchemaProblem) => Message | readonly Message[]>
> = {
  required: ({ params, schema }) =>
    listTexts(params.requiredProperties).map((key) => {
      const { const: only } = getSubschema(schema, 'properties', key)
      const isPlain = typeof only === 'string' || typeof only === 'number'
      return { text: `${key} is missing`, hint: isPlain ? `Write ${key}: ${only}.` : undefined }
    }),
  additionalProperties: ({ params, schema, isSecret }) => {
    // If further keys are allowed, each wrong value has an error of its own.
    if (schema.additionalProperties !== false) return []
    const properties = isObject(schema.properties) ? schema.properties : {}
    const known = Object.keys(properties).filter((key) => !isRefused(getSubschema(properties, key)))
    return listTexts(params.additionalProperties).map((key) => ({
      key,
      text: `${isSecret ? 'this key' : quoteText(key)} is not allowed here`,
      hint:
        suggestSimilar(key, known) ??
        joinHints(formatChoices(known), getOwnHint(schema, 'unknown')),
    }))
  },
  propertyNames: () => [],
  // The chosen branch has errors of its own.
  if: () => [],
  not: ({ path, name, shown, schema }) =>
    isRefused(schema)
      ? {
          key: String(path.at(-1)),
          text: `${name} is not allowed here`,
          hint: getDescription(schema),
        }
      : { text: `${name} must not be ${shown}` },
  type: (problem) => {
    const { path, name, schema, value } = problem
    const types = listTypes(schema)
    const named = types.length > 1 ? types.filter((type) => type !== 'null') : types
    const choices = [schema.enum ?? []].flat().filter((one) => one !== null)
    const all = choices.map(String)
    const kinds = [...listKindWords(named), ...all]
    const last = path.at(-1)
    const called = typeof last === 'string' ? quoteText(last) : name
    // Text in place of a map or a list may be anything, so it is not quoted.
    const isWhole = all.length === 0 && named.every((one) => one === 'object' || one === 'array')
    const shown = isWhole && typeof value === 'string' ? 'text' : problem.shown
    return {
      text: `${called} must be ${joinWords(kinds, 'or')}, not ${shown}`,
      hint: joinHints(
        suggestValue(problem, types, called) ??
          (typeof value === 'string' ? suggestSimilar(value, all) : undefined),
        value === null ? getOwnHint(schema, 'null') : undefined,
      ),
    }
  },
  const: ({ name, schema: { const: only }, value }) => ({
    text: `${name} must be ${typeof only === 'number' ? 'the number ' : ''}${String(only)}`,
    hint: Number(value) > Number(only) ? 'A newer svcctl may support other versions.' : undefined,
  }),
  enum: ({ name, schema, value, shown }) => {
    const all = [schema.enum].flat().map(String)
    const near = typeof value === 'string' ? suggestSimilar(value, all) : undefined
    return { text: `${name} must be ${joinWords(all, 'or')}, not ${shown}`, hint: near }
  },
  pattern: describeInvalid,
  format: describeInvalid,
  '~refine': describeInvalid,
  minimum: describeBound('at least'),
  maximum: describeBound('at most'),
  minLength: ({ name, params, schema, shown }) =>
    params.limit === 1
      ? { text: `${name} must not be empty`, hint: getOwnHint(schema, 'empty') }
      : { text: `${name} must have at least ${String(params.limit)} characters, not ${shown}` },
  maxLength: describeBound('at most', 'character'),
  minItems: describeBound('at least', 'item'),
  maxItems: describeBound('at most', 'item'),
  minProperties: (problem) =>
    problem.params.limit === 1
      ? { text: `${problem.name} must not be empty`, hint: getOwnHint(problem.schema, 'empty') }
      : describeBound('at least', 'key')(problem),
  maxProperties: (problem) => ({
    ...describeBound('at most', 'key')(problem),
    hint: useDescription(problem.schema),
  }),
  oneOf: ({ name, schema }) => {
    const keys = [schema.oneOf]
      .flat()
      .flatMap((one) => (isObject(one) ? listTexts(one.required) : []))
    return { text: `${name} must have either ${joinWords(keys, 'or')}` }
  },
}

// Schemas that errors refer to.

/** True if a schema accepts nothing: its key is known, but must not be present. */
export const isRefused = ({ not }: Schema): boolean =>
  isObject(not) && Object.keys(not).length === 0

export const getSubschema = (schema: unknown, ...keys: readonly string[]): Schema => {
  let inner = schema
  for (const key of keys)
    inner =
      (isObject(inner) || Array.isArray(inner)) && Object.hasOwn(inner, key)
        ? (inner as Schema)[key]
        : undefined
  return getFields(inner)
}

/** Returns the name of a value for messages: the title of its schema, or its key. */
export const getName = ({ title }: Schema, path: ValuePath): string => {
  if (typeof title === 'string') return title
  const last = path.findLast((key) => typeof key === 'string')
  if (last === undefined) return 'the file'
  return typeof path.at(-1) === 'number'
    ? `an item of ${quoteText(String(last))}`
    : quoteText(String(last))
}

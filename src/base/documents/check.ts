/** Holds a value to its JSON Schema. What is wrong is said in one sentence a keyword, at the position of what is wrong. */
import { Check, Compile, Errors, type Validator } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { isObject } from '../objects.js'
import { textSize } from '../secrets/scrub.js'
import { didYouMean } from '../suggest.js'
import { quoteText } from '../text.js'
import type { Findings } from './findings.js'
import type { Origin } from './origin.js'

/** As many errors of one file are looked at; the library's own number is 8. */
Settings.Set({ maxErrors: 2000 })

/** Keys and indexes from the root of a value to one of its parts. */
export type ValuePath = readonly (string | number)[]

/** Finds the position of a part of a value, or of the key that it stands under. */
export type OriginFinder = (path: ValuePath, isKey?: boolean) => Origin

type Schema = Readonly<Record<string, unknown>>

/** An error of the library: `schemaPath` leads to the schema that has the keyword. */
interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
}

/** How much was checked with a schema, in characters, and its compiled form where that is worth it. */
interface SchemaUse {
  size: number
  validator?: Validator
}
const uses = new WeakMap<object, SchemaUse>()

/** Compiling the schema of declared files takes 25 ms, and then checking is forty times quicker. */
const worthCompiling = 1 << 18

/** @param size of the text that the value is of */
const isValid = (schema: Schema, value: unknown, size: number): boolean => {
  const use = uses.get(schema) ?? { size: 0 }
  uses.set(schema, use)
  use.size += size
  if (use.size < worthCompiling) return Check(schema, value)
  use.validator ??= Compile(schema)
  return use.validator.Check(value)
}

const splitPointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

// Words for values and for what a schema takes.

const kindWords: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  null: 'null',
}

const joinOr = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const listTypes = ({ type }: Schema): readonly string[] =>
  [type].flat().filter((one): one is string => typeof one === 'string')

/** Names what a value is; of a secret nothing is quoted. */
const describeValue = (value: unknown, isSecret: boolean): string => {
  if (value === null || value === undefined) return 'nothing'
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'a map'
  if (typeof value !== 'string') return isSecret ? `a ${typeof value}` : String(value)
  return isSecret || value === '' ? textSize(value) : `"${quoteText(value)}"`
}

// One sentence for each keyword.

/** An error with everything that its sentence needs. */
interface Problem {
  readonly params: Schema
  /** The schema with the keyword. */
  readonly schema: Schema
  readonly value: unknown
  readonly path: ValuePath
  /** What the value is called: the title of its schema, or its key. */
  readonly name: string
  /** The value in words. */
  readonly shown: string
}

interface Message {
  readonly text: string
  readonly hint?: string | undefined
  /** The key within the value that is wrong. */
  readonly key?: string
}

const listTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

const useDescription = ({ description }: Schema): string | undefined =>
  typeof description === 'string' ? `Use ${description}.` : undefined

/** What texts of a format look like. */
const formats: Readonly<Record<string, string>> = {
  date: 'a day such as 2027-01-31',
  'date-time': 'a time such as 2027-01-31T00:00:00Z',
}

const sayInvalid = ({ name, value, shown, schema }: Problem): Message => {
  const isBlank = typeof value === 'string' && value.trim() === ''
  if (isBlank) return { text: `${name} must not be empty` }
  const wanted = formats[String(schema.format)]
  return wanted === undefined
    ? { text: `${shown} is not a valid ${name}`, hint: useDescription(schema) }
    : { text: `${name} must be ${wanted}, not ${shown}` }
}

const sayBound =
  (relation: 'at least' | 'at most', of = '') =>
  ({ name, shown, params: { limit } }: Problem): Message =>
    of === ''
      ? { text: `${name} must be ${relation} ${String(limit)}, not ${shown}` }
      : { text: `${name} must have ${relation} ${String(limit)} ${of}` }

/** As many names are listed where none is near. */
const mostListed = 12

const listChoices = (names: readonly string[]): string | undefined =>
  names.length > mostListed ? undefined : `Use one of ${names.join(', ')}.`

const sentences: Readonly<Record<string, (problem: Problem) => Message | readonly Message[]>> = {
  required: ({ params, schema }) =>
    listTexts(params.requiredProperties).map((key) => {
      const { const: only } = getSubschema(schema, 'properties', key)
      const isPlain = typeof only === 'string' || typeof only === 'number'
      return { text: `${key} is missing`, hint: isPlain ? `Write ${key}: ${only}.` : undefined }
    }),
  additionalProperties: ({ params, schema }) => {
    // Otherwise each value has an error of its own.
    if (schema.additionalProperties !== false) return []
    const known = Object.keys(isObject(schema.properties) ? schema.properties : {})
    return listTexts(params.additionalProperties).map((key) => ({
      key,
      text: `${quoteText(key)} is not allowed here`,
      hint: didYouMean(key, known) ?? listChoices(known),
    }))
  },
  propertyNames: () => [],
  type: ({ path, name, schema, shown }) => {
    const types = listTypes(schema)
    const named = types.length > 1 ? types.filter((type) => type !== 'null') : types
    const kinds = named.map((type) => kindWords[type] ?? type)
    const last = path.at(-1)
    const called = typeof last === 'string' ? quoteText(last) : name
    return { text: `${called} must be ${joinOr(kinds)}, not ${shown}` }
  },
  const: ({ name, schema: { const: only }, value }) => ({
    text: `${name} must be ${typeof only === 'number' ? 'the number ' : ''}${String(only)}`,
    hint: Number(value) > Number(only) ? 'A newer svcctl may support other versions.' : undefined,
  }),
  enum: ({ name, schema, value, shown }) => {
    const all = [schema.enum].flat().map(String)
    const near = typeof value === 'string' ? didYouMean(value, all) : undefined
    return { text: `${name} must be ${joinOr(all)}, not ${shown}`, hint: near }
  },
  pattern: sayInvalid,
  format: sayInvalid,
  '~refine': sayInvalid,
  minimum: sayBound('at least'),
  maximum: sayBound('at most'),
  minLength: ({ name, params, shown }) => ({
    text:
      params.limit === 1
        ? `${name} must not be empty`
        : `${name} must have at least ${String(params.limit)} characters, not ${shown}`,
  }),
  maxLength: sayBound('at most', 'characters'),
  minItems: sayBound('at least', 'items'),
  maxItems: sayBound('at most', 'items'),
  minProperties: sayBound('at least', 'keys'),
  maxProperties: sayBound('at most', 'keys'),
  oneOf: ({ name, schema }) => {
    const keys = [schema.oneOf]
      .flat()
      .flatMap((one) => (isObject(one) ? listTexts(one.required) : []))
    return { text: `${name} must have either ${joinOr(keys)}` }
  },
}

// Schemas that errors lead to.

const getSubschema = (schema: unknown, ...keys: readonly string[]): Schema => {
  let inner = schema
  for (const key of keys)
    inner =
      (isObject(inner) || Array.isArray(inner)) && Object.hasOwn(inner, key)
        ? (inner as Schema)[key]
        : undefined
  return isObject(inner) ? inner : {}
}

/** Adds the findings of one value. */
class ErrorReporter {
  constructor(
    private readonly root: Schema,
    private readonly value: unknown,
    private readonly locate: OriginFinder,
    private readonly findings: Findings,
  ) {}

  /** Returns the schemas on the way to an error, references resolved, the innermost last. */
  #schemasTo(schemaPath: string): readonly Schema[] {
    const found = [this.#resolve(this.root)]
    let inner: unknown = this.root
    for (const part of splitPointer(schemaPath)) {
      const outer = isObject(inner) ? this.#resolve(inner) : inner
      inner = (outer as Schema | undefined)?.[part]
      if (isObject(inner)) found.push(this.#resolve(inner))
    }
    return found
  }

  #resolve(schema: Schema): Schema {
    const { $ref } = schema
    if (typeof $ref !== 'string') return schema
    return {
      ...this.#resolve(getSubschema(this.root, ...splitPointer($ref))),
      ...schema,
      $ref: undefined,
    }
  }

  /** Returns the keys to a part with indexes as numbers, and the part. */
  #partAt(instancePath: string): { readonly path: ValuePath; readonly part: unknown } {
    let part = this.value
    const path = splitPointer(instancePath).map((key) => {
      const isIndex = Array.isArray(part)
      part = (part as Schema | undefined)?.[key]
      return isIndex ? Number(key) : key
    })
    return { path, part }
  }

  report(errors: readonly SchemaError[]): void {
    for (const error of chooseBranches(errors)) this.#reportOne(error)
  }

  #reportOne({ keyword, schemaPath, instancePath, params }: SchemaError): void {
    const schemas = this.#schemasTo(schemaPath)
    const schema = schemas.at(-1) ?? {}
    const isSecret = instancePath === '' || schemas.some(({ writeOnly }) => writeOnly === true)
    const { path, part } = this.#partAt(instancePath)
    const isKey = schemaPath.endsWith('/propertyNames')
    const value = isKey ? path.at(-1) : part
    const problem: Problem = {
      params: params as Schema,
      schema: keyword === 'anyOf' ? this.#mergeBranches(schema) : schema,
      value,
      path,
      name: getName(schema, path),
      shown: describeValue(value, isSecret),
    }
    const say = sentences[keyword === 'anyOf' ? 'type' : keyword]
    const own = schema.errorMessage
    const said = typeof own === 'string' ? { text: own } : (say?.(problem) ?? sayInvalid(problem))
    for (const { text, hint, key } of [said].flat()) {
      const at = key === undefined ? this.locate(path, isKey) : this.locate([...path, key], true)
      this.findings.add(at, text, hint)
    }
  }

  /** What any of several schemas takes, as one. */
  #mergeBranches({ anyOf, ...schema }: Schema): Schema {
    const all = [anyOf].flat().flatMap((one) => {
      const branch = isObject(one) ? this.#resolve(one) : {}
      return branch.anyOf === undefined ? [branch] : [this.#mergeBranches(branch)]
    })
    return { ...schema, type: [...new Set(all.flatMap(listTypes))] }
  }
}

const getName = ({ title }: Schema, path: ValuePath): string => {
  if (typeof title === 'string') return title
  const last = path.findLast((key) => typeof key === 'string')
  if (last === undefined) return 'the file'
  return typeof path.at(-1) === 'number'
    ? `an item of ${quoteText(String(last))}`
    : quoteText(String(last))
}

// Of values that may be one of several, the branch that was meant.

const isBelow = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}/`)

const getPlace = ({ schemaPath, instancePath }: SchemaError): string =>
  `${schemaPath} ${instancePath}`

/** What says that a value is of another kind altogether. */
const isMismatch = ({ keyword }: SchemaError): boolean => keyword === 'type' || keyword === 'const'

/**
 * Returns the errors without those that follow from others. Of several schemas of which a value must fulfil one, the
 * errors of the one that it comes nearest to remain; where its kind fits none, a single error for all of them.
 */
const chooseBranches = (errors: readonly SchemaError[]): readonly SchemaError[] => {
  const places = (keyword: string): ReadonlySet<string> =>
    new Set(errors.filter((one) => one.keyword === keyword).map(getPlace))
  const [constant, mistyped] = [places('const'), places('type')]
  const outer = errors.filter(({ keyword }) => keyword === 'oneOf')
  let left = errors.filter((one) => {
    const { keyword, schemaPath } = one
    if (keyword === 'boolean' && schemaPath.endsWith('/additionalProperties')) return false
    if (keyword === 'type' && constant.has(getPlace(one))) return false
    if (!isMismatch(one) && mistyped.has(getPlace(one))) return false
    return !outer.some((of) => isBelow(schemaPath, `${of.schemaPath}/oneOf`))
  })
  for (const { schemaPath, instancePath } of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const inside = left.filter(
      (one) =>
        isBelow(one.schemaPath, `${schemaPath}/anyOf`) && isBelow(one.instancePath, instancePath),
    )
    const branches = new Map<string, SchemaError[]>()
    for (const one of inside) {
      const branch = one.schemaPath.slice(schemaPath.length).split('/', 3).join('/')
      branches.set(branch, [...(branches.get(branch) ?? []), one])
    }
    const fitting = [...branches.values()]
      .filter((all) => !all.some((one) => isMismatch(one) && one.instancePath === instancePath))
      .toSorted((a, b) => a.length - b.length)
    const kept = new Set(fitting[0])
    left = left.filter(
      (one) =>
        !(inside.includes(one) && !kept.has(one)) &&
        !(
          kept.size > 0 &&
          one.keyword === 'anyOf' &&
          one.schemaPath === schemaPath &&
          one.instancePath === instancePath
        ),
    )
  }
  return left
}

/**
 * Returns what an error says of the mark of a kind of file, a constant on its first level; nothing where it says nothing. Any
 * file may have been named: of one without the mark of its kind nothing else is said.
 */
const findMark = ({ properties }: Schema, error: SchemaError): readonly SchemaError[] => {
  const { keyword, instancePath, params } = error
  const isMark = (key: string): boolean => 'const' in getSubschema(properties, key)
  if (keyword === 'const') return isMark(instancePath.slice(1)) ? [error] : []
  if (keyword !== 'required' || instancePath !== '') return []
  const missing = listTexts((params as Schema).requiredProperties).filter(isMark)
  return missing.length === 0 ? [] : [{ ...error, params: { requiredProperties: missing } }]
}

/**
 * Adds a finding for everything in a value that is not as its schema says.
 * @param size of the text, in characters
 * @returns true where nothing is
 */
export const checkValue = (
  schema: object,
  value: unknown,
  locate: OriginFinder,
  findings: Findings,
  size: number,
): boolean => {
  const root = schema as Schema
  if (isValid(root, value, size)) return true
  const errors: readonly SchemaError[] = Errors(root, value)[1]
  const marks = errors.flatMap((error) => findMark(root, error))
  new ErrorReporter(root, value, locate, findings).report(marks.length > 0 ? marks : errors)
  return false
}

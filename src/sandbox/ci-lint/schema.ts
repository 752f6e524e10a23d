/**
 * Checks the values of a configuration against `keywords.json`, a JSON Schema. Findings have the messages of instances.
 *
 * The schema has these annotations beside the standard keywords. `since` and `until` are the first version that has something, and the first
 * one without it; `forbids` names the syntax that a limit forbids until then. A violation of something `advised` is a warning. `errorMessage`
 * is one message for a schema, or one for each keyword. `entry` tells whether messages have the form `<path> config …` instead of
 * `<path of the owner> <keyword> …`. `itemName` is the name of a list's items in paths. In a hash, `allOf` has conditions on its keys: `about`
 * is the key that the message names, `absent` lists the values that count as absent, and an addition from another file can satisfy a
 * `curable` one.
 */
import { assertions, getPattern, hasForm } from './assertions.js'
import { formats, isKeywordReference } from './formats.js'
import json from './keywords.json' with { type: 'json' }
import {
  type AnySchema,
  describeChange,
  type Finding,
  type Hash,
  isHash,
  isKnown,
  type JudgedVersion,
  type Keys,
  type KeywordSchema,
  type Schemas,
  type Span,
} from './types.js'

const definitions: Keys = json.$defs as object as Keys

/** Returns a function that computes the result for each object only once. */
const memoize = <O extends object, T>(compute: (of: O) => T): ((of: O) => T) => {
  const known = new WeakMap<O, { readonly result: T }>()
  return (of) => {
    const found = known.get(of) ?? { result: compute(of) }
    known.set(of, found)
    return found.result
  }
}

const resolveReference = memoize(
  ({ $ref = '', ...own }: KeywordSchema): KeywordSchema => ({
    ...resolve(definitions[$ref.slice('#/$defs/'.length)]),
    ...own,
  }),
)

/** Returns a schema with the keywords of the one that it refers to. */
const resolve = (schema: AnySchema = true): KeywordSchema => {
  if (typeof schema === 'boolean') return {}
  return schema.$ref === undefined ? schema : resolveReference(schema)
}

/** Returns the schema of this name: of a kind of job, an include, a condition or a header. */
export const getSchema = (name: string): KeywordSchema => resolve(definitions[name])

const rootKeys: Keys = json.properties as object as Keys

/** Returns the schema of a keyword at the top level; undefined if there is no such keyword. */
export const findRootKey = (name: string): KeywordSchema | undefined =>
  Object.hasOwn(rootKeys, name) ? resolve(rootKeys[name]) : undefined

/** The keys of a hash, and the conditions on them, with those of the schemas that it is composed of. */
interface HashRules {
  readonly keys: Keys
  readonly conditions: readonly KeywordSchema[]
}

const getHashRules = memoize((schema: KeywordSchema): HashRules => {
  const { allOf = [], properties, required = [] } = schema
  const parts = allOf.map(resolve).map((part) => {
    const isPart = part.properties !== undefined || part.allOf !== undefined
    return isPart ? getHashRules(part) : { keys: {}, conditions: [part] }
  })
  const present = required.map((key) => ({ required: [key], about: key, curable: true }))
  return {
    keys: Object.assign({}, ...parts.map(({ keys }) => keys), properties),
    conditions: [...present, ...parts.flatMap(({ conditions }) => conditions)],
  }
})

/** Returns the schema of a key; undefined if the key is unknown. */
const findKey = (schema: KeywordSchema, key: string): KeywordSchema | undefined => {
  const { keys } = getHashRules(schema)
  if (Object.hasOwn(keys, key)) return resolve(keys[key])
  const patterns = Object.entries(schema.patternProperties ?? {})
  const found = patterns.find(([pattern]) => getPattern(pattern).test(key))
  return found && resolve(found[1])
}

const isHashSchema = ({ properties, unevaluatedProperties }: KeywordSchema): boolean =>
  properties !== undefined || unevaluatedProperties !== undefined

/** True for a hash whose keys are names. */
const isNamed = ({ type, additionalProperties }: KeywordSchema): boolean =>
  type === 'object' && additionalProperties !== undefined

/** True if messages name a value as an entry of its own: one that has a structure, unless the schema says otherwise. */
const isEntry = (any: AnySchema): boolean => {
  const schema = resolve(any)
  const { entry, anyOf = [], allOf = [], itemName } = schema
  const isStructured = isHashSchema(schema) || isNamed(schema) || itemName !== undefined
  return entry ?? (isStructured || schema.if !== undefined || [...anyOf, ...allOf].some(isEntry))
}

/** The messages of keywords that have none in the schema. */
const typeMessages: Readonly<Record<string, string>> = {
  string: 'should be a string',
  boolean: 'should be a boolean value',
  number: 'is not a number',
  object: 'should be a hash',
  array: 'should be an array of strings',
  'string,array': 'should be an array of strings or a string',
}
const messages: Readonly<Record<string, string>> = {
  enum: 'should be one of: {allowed}',
  oneOf: 'should be one of: {allowed}',
  pattern: "can't be blank",
  minItems: "can't be blank",
  required: "can't be blank",
  multipleOf: 'must be an integer',
  minimum: 'must be greater than or equal to {limit}',
  maximum: 'must be less than or equal to {limit}',
  maxLength: 'is too long (maximum is {limit} characters)',
  additionalProperties: 'contains unknown keys',
}

const getMessage = ({ errorMessage, type }: KeywordSchema, keyword: string): string => {
  const own = typeof errorMessage === 'string' ? errorMessage : errorMessage?.[keyword]
  return own ?? messages[keyword] ?? typeMessages[String(type)] ?? ''
}

/** The position of a value, such as `jobs:a:artifacts:when`. For an attribute, it also has the path of the owner and the keyword. */
interface Place {
  readonly path: string
  readonly owner?: string
  readonly keyword?: string
}

/** The maximum depth of lists in lists. */
const deepestList = 10

/** Shows a value in a message. Hashes and lists are shown as JSON. */
const toShown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')

const toWords = (key: string): string => key.replaceAll('_', ' ')

const getSubject = ({ path, owner, keyword }: Place): string =>
  keyword === undefined ? `${path} config` : `${owner} ${keyword}`

/** Builds the message of a finding from its subject, its fault, and the versions that differ. */
const buildSentence = (subject: string, says: string, changes: readonly string[] = []): string => {
  const shown = changes.filter((change) => change !== '')
  return `${subject} ${says}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`
}

/** Makes warnings of the findings of an advised schema. */
const adviseOnly = ({ advised }: KeywordSchema, found: readonly Finding[]): readonly Finding[] =>
  advised === true
    ? found.map((one) => ({
        ...one,
        text: buildSentence(one.text, "(the service's schema does not allow this)"),
        advice: true,
      }))
    : found

const createPlaceBelow = (path: string, key: string, schema: KeywordSchema): Place => ({
  path: `${path}:${key}`,
  ...(isEntry(schema) ? {} : { owner: path, keyword: toWords(key) }),
})

/** The keyword of a schema that a value violates, and what its format found. */
interface Fault {
  readonly keyword: string
  readonly found?: readonly unknown[]
}

/** Validates values by the rules of one version. */
class Validator {
  readonly #asOf: JudgedVersion
  constructor(asOf: JudgedVersion) {
    this.#asOf = asOf
  }

  #isKnown(span: Span): boolean {
    return isKnown(span, this.#asOf)
  }

  #holds = (schema: AnySchema, value: unknown): boolean =>
    typeof schema === 'boolean' ? schema : this.#findFault(resolve(schema), value, '') === undefined

  /** Finds the first assertion that a value violates. @param skipped the keywords that are not assertions here */
  #findFault(
    schema: KeywordSchema,
    value: unknown,
    path: string,
    skipped: readonly string[] = [],
  ): Fault | undefined {
    for (const [keyword, limit] of Object.entries(schema)) {
      const assertion = assertions[keyword]
      if (assertion === undefined || skipped.includes(keyword)) continue
      if (!assertion(limit as never, value, this.#holds)) return { keyword }
    }
    if (schema.oneOf?.some((one) => one.const === value && this.#isKnown(one)) === false)
      return { keyword: 'oneOf' }
    const found = schema.format === undefined ? true : formats[schema.format]?.(value, path)
    if (typeof found === 'boolean') return found ? undefined : { keyword: 'format' }
    return found === undefined || found.length === 0 ? undefined : { keyword: 'format', found }
  }

  /** Checks a value. Only the first assertion that it violates is reported. */
  check(any: AnySchema, value: unknown, place: Place): readonly Finding[] {
    const schema = resolve(any)
    return adviseOnly(schema, this.#checkParts(schema, value, place))
  }

  #checkParts(schema: KeywordSchema, value: unknown, place: Place): readonly Finding[] {
    const { anyOf, allOf = [], itemName } = schema
    if (anyOf !== undefined) return this.#checkEither(schema, anyOf, value, place)
    const isHashed = isHashSchema(schema)
    const structure = [
      ...(isHashed ? ['properties', 'required'] : []),
      ...(isNamed(schema) ? ['additionalProperties'] : []),
      ...(itemName === undefined ? [] : ['items']),
    ]
    const fault = this.#findFault(schema, value, place.path, structure)
    if (fault !== undefined) {
      const isWhole = fault.keyword === 'type' && !isHashed && structure.length > 0
      return [this.#describe(schema, fault, value, isWhole ? place.path : getSubject(place))]
    }
    if (schema.if !== undefined) {
      const chosen = this.#holds(schema.if, value) ? schema.then : schema.else
      return chosen === undefined ? [] : this.check(chosen, value, place)
    }
    if (isHashed) return isHash(value) ? this.#checkHash(schema, value, place.path) : []
    const inner = this.#checkInner(schema, value, place.path)
    return inner.some(({ advice }) => advice !== true)
      ? inner
      : [...inner, ...this.#checkAll(allOf, value, place)]
  }

  /** Checks the values of names, and the items of a list. */
  #checkInner(schema: KeywordSchema, value: unknown, path: string): readonly Finding[] {
    const { additionalProperties = true, items = true, itemName } = schema
    if (isNamed(schema) && isHash(value))
      return Object.entries(value).flatMap(([name, one]) =>
        isKeywordReference(one)
          ? []
          : this.check(additionalProperties, one ?? {}, { path: `${path}:${name}` }),
      )
    if (itemName === undefined || !Array.isArray(value)) return []
    const flat: readonly unknown[] = value.flat(deepestList - 1)
    const below = { path: itemName === '' ? path : `${path}:${itemName}` }
    return flat.flatMap((one) => (isKeywordReference(one) ? [] : this.check(items, one, below)))
  }

  #checkHash(schema: KeywordSchema, value: Hash, path: string): readonly Finding[] {
    return [
      ...this.#checkUnknown(schema, value, path),
      ...getHashRules(schema).conditions.flatMap((one) => this.#checkKeys(one, value, path)),
      ...Object.entries(value).flatMap(([key, one]) => {
        const inner = findKey(schema, key)
        return inner === undefined ||
          one === null ||
          isKeywordReference(one) ||
          !this.#isKnown(inner)
          ? []
          : this.check(inner, one, createPlaceBelow(path, key, inner))
      }),
    ]
  }

  #checkKeys(condition: KeywordSchema, value: Hash, path: string): readonly Finding[] {
    const { about, absent = [null], curable } = condition
    const present = Object.entries(value).filter(([, one]) => !absent.includes(one))
    const fault = this.#findFault(condition, Object.fromEntries(present), path)
    if (fault === undefined) return []
    const subject = `${path} ${about === undefined ? 'config' : toWords(about)}`
    const finding = this.#describe(condition, fault, value, subject)
    return adviseOnly(condition, [curable === true ? { ...finding, curable } : finding])
  }

  #checkUnknown(schema: KeywordSchema, value: Hash, path: string): readonly Finding[] {
    const unknown = Object.keys(value).filter((key) => {
      const inner = findKey(schema, key)
      return inner === undefined || !this.#isKnown(inner)
    })
    if (unknown.length === 0) return []
    const says = getMessage(schema, 'additionalProperties')
    const changes = unknown.map((key) =>
      describeChange(`\`${key}\``, findKey(schema, key) ?? {}, this.#asOf),
    )
    return [{ text: buildSentence(`${path} config`, `${says}: ${unknown.join(', ')}`, changes) }]
  }

  /** Checks a value against the schema for its type. */
  #checkEither(
    schema: KeywordSchema,
    forms: Schemas,
    value: unknown,
    place: Place,
  ): readonly Finding[] {
    const form = forms.map(resolve).find(({ type }) => hasForm(type, value))
    if (form !== undefined && this.#isKnown(form)) return this.check(form, value, place)
    const subject = place.keyword === undefined ? place.path : getSubject(place)
    const change = describeChange('this form', form ?? {}, this.#asOf)
    return [{ text: buildSentence(subject, getMessage(schema, 'anyOf'), [change]) }]
  }

  /** Checks a value against one schema after the other, until one of them finds an error. */
  #checkAll(schemas: Schemas, value: unknown, place: Place): readonly Finding[] {
    const found: Finding[] = []
    for (const schema of schemas.map(resolve).filter((one) => this.#isKnown(one))) {
      const { forbids = 'this limit', until } = schema
      const change = `(${forbids} was ${schema.forbids === undefined ? 'removed' : 'added'} in ${until})`
      const wrong = this.check(schema, value, place)
      found.push(
        ...wrong.map((one) =>
          until === undefined ? one : { ...one, text: buildSentence(one.text, change) },
        ),
      )
      if (wrong.some(({ advice }) => advice !== true)) return found
    }
    return found
  }

  #describe(schema: KeywordSchema, fault: Fault, value: unknown, subject: string): Finding {
    const isOfItems = fault.keyword === 'items' && Array.isArray(value)
    const { enum: words, oneOf = [] } = isOfItems ? resolve(schema.items) : schema
    const wrong: readonly unknown[] = isOfItems
      ? value.filter((one) => !isKeywordReference(one) && !this.#holds(schema.items ?? true, one))
      : [value]
    const ofMessage: Readonly<Record<string, unknown>> = {
      allowed: words ?? oneOf.filter((one) => this.#isKnown(one)).map((one) => one.const),
      unknown: [...new Set(wrong)],
      value: [value],
      found: fault.found,
      limit: [Reflect.get(schema, fault.keyword)],
    }
    const text = getMessage(schema, fault.keyword).replace(/\{(\w+)\}/g, (_, name) =>
      [ofMessage[name]].flat().map(toShown).join(', '),
    )
    const changes = wrong.map((one) =>
      describeChange(`\`${one}\``, oneOf.find((word) => word.const === one) ?? {}, this.#asOf),
    )
    return { text: buildSentence(subject, text, changes) }
  }
}

/** Checks a value at `path` against a schema. @returns the findings */
export const checkNode = (
  schema: KeywordSchema,
  value: unknown,
  path: string,
  asOf: JudgedVersion,
): readonly Finding[] => new Validator(asOf).check(schema, value, { path })

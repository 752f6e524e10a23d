/**
 * Converts texts of the command line, JSON, YAML and requests to the values of parameters. Errors are returned, not thrown, so that each
 * reader can word them.
 */
import { addToGroup } from '../base/collections.js'
import { formatNumber, isNumber, parseExact } from '../base/json/json.js'
import { hasInexactNumber, isTooDeep } from '../base/json/nesting.js'
import { getOwn, isObject, type JsonValue } from '../base/objects.js'
import { findNearest } from '../base/suggest.js'
import {
  getParamFormat,
  type HashParam,
  isClearedByEmpty,
  type JsonParam,
  type ListParam,
  type Param,
  type StringParam,
} from './params.js'
import {
  getFormatRule,
  isJoined,
  joinItems,
  matchWord,
  readReference,
  readScalar,
  type Scalar,
  type ScalarValue,
  type SourceTraits,
  toItemParam,
  type ValueProblem,
} from './values.js'

/** The content of one node of a source. */
type View<N> =
  | ({ readonly is: 'scalar' } & Scalar)
  | { readonly is: 'list'; readonly items: readonly N[] }
  | { readonly is: 'map'; readonly entries: readonly Entry<N>[] }

interface Entry<N> {
  readonly key: string
  readonly value: N
}

/**
 * The access to the values of a source. A node of type `N` is a JSON value or a YAML node. The kind of the source decides how strictly
 * values are read:
 *
 * - `text`, the command line: names of levels, dashes for underscores, `30d` for a time; an empty text unsets
 * - `data`, an agent or a program: strings the same way; numbers, booleans and lists are what they are in JSON
 * - `file`, declared state: level names and dashes as in `text`, but times are absolute; any scalar is accepted as text; certificates and
 *   keys are checked; null unsets
 * - `wire`, requests to an instance: numbers and booleans may be strings, a list may be joined by commas, unknown keys are dropped; there are
 *   no names and no dashes
 */
export type Source<N> = SourceTraits & {
  readonly view: (node: N) => View<N>
  /** Returns a node as JSON, for a parameter that accepts any value. */
  readonly toJson: (node: N) => JsonValue
  /** Splits a text that stands for a list into its items. */
  readonly split?: (text: string, param: ListParam) => readonly N[]
  /**
   * Parses a text as a name or an ID; undefined if it is neither. Only present if the numbers of a parameter refer to objects with names.
   */
  readonly parseReference?: ((text: string) => string | number | undefined) | undefined
}

/** An error in a value: the `problem`, what is `expected`, and the `nearest` known value or key. */
export interface ValueError<N = unknown> extends ValueProblem {
  /** The keys and positions that lead from the parameter's value to the error; empty if the value itself is wrong. */
  readonly path: readonly (string | number)[]
  /** The parameter whose type the node violates. Inside a hash, it is the parameter of the key. */
  readonly param: Param
  /** The wrong node. For an unknown key, it is the value of the key. It may be a secret. */
  readonly node: N
}

/** A deprecated value that still works, and its replacement. */
interface DeprecatedValue {
  readonly value: string
  readonly successor: string
}

export interface Coercion<N = unknown> {
  /** The value to send to the API; undefined exactly if there are errors. */
  readonly value: JsonValue | undefined
  readonly errors: readonly ValueError<N>[]
  readonly deprecated: readonly DeprecatedValue[]
}

/** Converts a node of a source to the type of a parameter. */
export const coerce = <N>(param: Param, node: N, source: Source<N>): Coercion<N> => {
  const walk: Walk<N> = { source, path: [], errors: [], deprecated: [] }
  const value = coerceValue(walk, param, node)
  return { value: walk.errors.length === 0 ? value : undefined, ...getFindings(walk) }
}

/**
 * Converts the texts that a flag was given, in order. Lists are joined by commas, and hashes are `key=value`. For any other type, the last
 * text counts.
 * @param now the time that texts such as `30d` count from
 */
export const coerceTexts = (param: Param, texts: readonly string[], now: Date): Coercion => {
  const source: Source<unknown> = { ...json, kind: 'text', now, split: splitText }
  const walk: Walk<unknown> = { source, path: [], errors: [], deprecated: [] }
  const value = coerceFlagTexts(walk, param, texts)
  return { value: walk.errors.length === 0 ? value : undefined, ...getFindings(walk) }
}

/**
 * Describes a mistake in a sentence: `--retries must be an integer, not "x"`.
 * @param label of the parameter, with the keys below it
 * @param shown the given value, in the reader's words: quoted, or its size where it may be a secret
 */
export const describeError = (
  label: string,
  { problem, expected }: Pick<ValueError, 'problem' | 'expected'>,
  shown: string,
): string => {
  switch (problem) {
    case 'out of range':
      return `${label} must have a number of ${expected}, not ${shown}`
    case 'too large':
      return `${label}: ${shown} is too large`
    case 'too many values':
      return `${label} can have ${expected}`
    case 'wrong form':
      return `${label} must have the form ${expected}, not ${shown}`
    case 'several values':
      return `${label} takes ${expected}, not ${shown}`
    case 'unknown key':
      return `${label} accepts ${expected}, not ${shown}`
    default:
      return `${label} must be ${expected}, not ${shown}`
  }
}

// JSON values as nodes.

const viewJson = (node: unknown): View<unknown> => {
  if (Array.isArray(node)) return { is: 'list', items: node }
  if (isObject(node))
    return { is: 'map', entries: Object.entries(node).map(([key, value]) => ({ key, value })) }
  if (isNumber(node)) return { is: 'scalar', value: Number(node), text: formatNumber(node) }
  const value = typeof node === 'string' || typeof node === 'boolean' ? node : null
  return { is: 'scalar', value, text: String(value ?? '') }
}

const json = { view: viewJson, toJson: (node: unknown) => node as JsonValue }
const split = (text: string): string[] => text.split(',').map((item) => item.trim())

/**
 * Parses a JSON list; undefined for any other text. Numbers keep their digits. For texts, one item must have quotes, because `[1]` is also a
 * label.
 */
const parseList = (text: string, { of }: Pick<ListParam, 'of'>): readonly unknown[] | undefined => {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const value = parseExact(text)
    if (!Array.isArray(value)) return undefined
    const isList = of !== 'string' || value.some((item) => typeof item === 'string')
    return isList || value.length === 0 ? value : undefined
  } catch {
    return undefined
  }
}

/** Splits a text at commas. A JSON list, as programs print it, has items with commas as well. */
const splitText = (text: string, param: ListParam): readonly unknown[] =>
  parseList(text, param) ?? split(text).filter((item) => item !== '')

/** Returns the items of a text for a string that has several. */
const toJoinedItems = (text: string): readonly unknown[] =>
  parseList(text, { of: 'string' }) ?? [text]

/** Creates the source for JSON of an agent or a program. */
export const createDataSource = (now: Date): Source<unknown> => ({ ...json, kind: 'data', now })
/** The source for values of declared state, as JSON. */
export const fileSource: Source<unknown> = { ...json, kind: 'file' }
/** The source for values in requests to an instance. */
export const wireSource: Source<unknown> = { ...json, kind: 'wire', split }

// The state of a conversion.

interface Walk<N> {
  readonly source: Source<N>
  readonly path: ValueError['path']
  readonly errors: ValueError<N>[]
  readonly deprecated: DeprecatedValue[]
}

type Value = JsonValue | undefined

const getFindings = <N>({ errors, deprecated }: Walk<N>) => ({ errors, deprecated })

const enterKey = <N>(walk: Walk<N>, key: string | number): Walk<N> => ({
  ...walk,
  path: [...walk.path, key],
})

const fail = <N>(walk: Walk<N>, param: Param, node: N, refusal: ValueProblem): undefined => {
  walk.errors.push({ ...refusal, path: walk.path, param, node })
}

const getScalar = <N>({ source }: Walk<N>, node: N): Scalar | undefined => {
  const view = source.view(node)
  return view.is === 'scalar' ? view : undefined
}

const acceptScalar = <N>(walk: Walk<N>, param: Param, node: N, read: ScalarValue): Value => {
  if ('problem' in read) return fail(walk, param, node, read)
  const { value, successor } = read
  if (successor !== undefined) walk.deprecated.push({ value: String(value), successor })
  return value
}

const isPresent = (value: Value): value is JsonValue => value !== undefined

const findWord = <N>(walk: Walk<N>, param: Param, node: N): string | undefined => {
  const { value, text } = getScalar(walk, node) ?? { value: null, text: '' }
  if (param.words === undefined || value === null) return undefined
  const word = matchWord(param, text)
  return walk.source.kind === 'wire' && word !== value ? undefined : word
}

/** True if a node means the absence of a value: null, or an empty text for a parameter that is not a text. */
const isNothing = <N>(walk: Walk<N>, param: Param, node: N): boolean => {
  const { kind } = walk.source
  const scalar = getScalar(walk, node)
  const isEmpty = scalar?.value === '' && param.type !== 'string'
  if (kind === 'text' || kind === 'wire')
    return param.nullable === true && (scalar?.value === null || isEmpty)
  // Below the top level of a file, null is a plain value.
  return scalar?.value === null && (kind === 'data' || walk.path.length === 0)
}

/** Returns the value that unsets a parameter; fails if the parameter cannot be unset. */
const getUnsetValue = <N>(walk: Walk<N>, param: Param, node: N): Value => {
  const { kind } = walk.source
  if (param.nullable === true || (kind === 'file' && param.type === 'json')) return null
  const isPlainText = param.type === 'string' && getFormatRule(kind, param) === undefined
  // An empty certificate removes the existing one.
  const isPem = getParamFormat(param) === 'pem'
  if (kind === 'file' && (isPlainText || isClearedByEmpty(param) || isPem)) return ''
  const expected = param.type === 'list' ? 'a list' : 'a value'
  return fail(walk, param, node, { problem: 'null', expected })
}

// Lists and objects.

const coerceListItem = <N>(walk: Walk<N>, param: ListParam, node: N): Value => {
  const { kind, parseReference } = walk.source
  const scalar = getScalar(walk, node)
  if (parseReference !== undefined)
    return acceptScalar(walk, param, node, readReference(scalar, parseReference))
  const successor = getOwn(param.deprecatedValues, scalar?.text ?? '')
  if (param.of === 'string' && scalar !== undefined && successor !== undefined)
    walk.deprecated.push({ value: scalar.text, successor })
  if (kind === 'file' && param.of === 'string' && scalar?.value === '')
    return fail(walk, param, node, { problem: 'wrong format', expected: 'text that is not empty' })
  const item = toItemParam(param)
  return acceptScalar(walk, item, node, readScalar(item, scalar, walk.source))
}

/** Returns the items of a value for a list; undefined if the value is not a list. */
const getItems = <N>(walk: Walk<N>, param: ListParam, node: N): readonly N[] | undefined => {
  const { view, kind, split } = walk.source
  const seen = view(node)
  if (seen.is === 'list')
    return kind === 'wire'
      ? seen.items.filter((item) => getScalar(walk, item)?.value !== '')
      : seen.items
  if (seen.is === 'map' || seen.value === null) return undefined
  if (kind === 'wire' && seen.value === '') return []
  if (param.single === true && (kind === 'file' || kind === 'wire')) return [node]
  if (kind === 'wire' && typeof seen.value !== 'string') return [node]
  return split?.(seen.text, param)
}

const coerceList = <N>(walk: Walk<N>, param: ListParam, node: N): Value => {
  const items = getItems(walk, param, node)
  if (items === undefined)
    return fail(walk, param, node, { problem: 'wrong type', expected: 'a list' })
  const { max = items.length } = param
  if (items.length > max) {
    const expected = `at most ${max} values, not ${items.length}`
    fail(walk, param, node, { problem: 'too many values', expected })
  }
  const values = items.map((item, at) => coerceListItem(enterKey(walk, at), param, item))
  return values.every(isPresent) ? values : undefined
}

const toObject = (fields: readonly (readonly [string, Value])[]): Value => {
  const known = fields.filter((field): field is [string, JsonValue] => isPresent(field[1]))
  return known.length === fields.length ? Object.fromEntries(known) : undefined
}

const anyText: StringParam = { type: 'string', help: '' }

const reportUnknownKey = <N>(
  walk: Walk<N>,
  param: HashParam,
  { key, value }: Entry<N>,
): undefined => {
  const known = Object.keys(param.keys ?? {})
  const expected = `the keys ${known.join(', ')}`
  fail(enterKey(walk, key), param, value, {
    problem: 'unknown key',
    expected,
    nearest: findNearest(key, known),
  })
}

const coerceHash = <N>(walk: Walk<N>, param: HashParam, node: N): Value => {
  const { kind, view, toJson } = walk.source
  const seen = view(node)
  if (kind === 'wire' && seen.is === 'scalar' && seen.value === '') return {}
  if (seen.is !== 'map') {
    const expected = kind === 'file' ? 'a map' : 'an object'
    return fail(walk, param, node, { problem: 'wrong type', expected })
  }
  const { keys } = param
  if (keys === undefined && kind === 'file') return toJson(node)
  const isKnown = ({ key }: Entry<N>): boolean => keys === undefined || Object.hasOwn(keys, key)
  const entries = kind === 'wire' ? seen.entries.filter(isKnown) : seen.entries
  return toObject(
    entries.map((entry) => {
      const { key, value } = entry
      const isNull = kind === 'wire' && getScalar(walk, value)?.value === null
      if (keys === undefined && isNull) return [key, '']
      const inner = keys === undefined ? anyText : getOwn(keys, key)
      const found = inner && coerceValue(enterKey(walk, key), inner, value)
      return [key, inner === undefined ? reportUnknownKey(walk, param, entry) : found]
    }),
  )
}

const coerceString = <N>(walk: Walk<N>, param: StringParam, node: N): Value => {
  const { view, kind } = walk.source
  const seen = view(node)
  const isList = seen.is === 'list' && isJoined(param) && kind !== 'wire'
  const texts = (isList ? seen.items : [node]).map((one) =>
    acceptScalar(walk, param, one, readScalar(param, getScalar(walk, one), walk.source)),
  )
  if (!texts.every(isPresent)) return undefined
  // A text that an export read from an instance is sent unchanged.
  const isWhole = kind === 'wire' || (kind === 'file' && !isList)
  return (isWhole ? undefined : joinItems(param, texts.map(String))) ?? texts[0] ?? ''
}

/** Returns the value of a parameter of type `json` without conversion. */
const coerceJson = <N>(walk: Walk<N>, param: JsonParam, node: N): Value => {
  const { kind, view, toJson } = walk.source
  if (kind !== 'data' || param.items === undefined || view(node).is === 'list') return toJson(node)
  return fail(walk, param, node, { problem: 'wrong type', expected: 'a list' })
}

const coerceValue = <N>(walk: Walk<N>, param: Param, node: N): Value => {
  const { parseReference } = walk.source
  if (isNothing(walk, param, node)) return getUnsetValue(walk, param, node)
  const word = findWord(walk, param, node)
  if (word !== undefined) return word
  switch (param.type) {
    case 'list':
      return coerceList(walk, param, node)
    case 'hash':
      return coerceHash(walk, param, node)
    case 'json':
      return coerceJson(walk, param, node)
    case 'string':
      return coerceString(walk, param, node)
    case 'boolean':
    case 'enum':
      return acceptScalar(walk, param, node, readScalar(param, getScalar(walk, node), walk.source))
    default: {
      const scalar = getScalar(walk, node)
      const read =
        parseReference === undefined
          ? readScalar(param, scalar, walk.source)
          : readReference(scalar, parseReference)
      return acceptScalar(walk, param, node, read)
    }
  }
}

// Texts of the command line.

/** Converts the values of a hash by its keys. If a key occurs several times, its values become a list. */
const coerceHashTexts = (
  walk: Walk<unknown>,
  param: HashParam,
  texts: readonly string[],
): Value => {
  const grouped = new Map<string, string[]>()
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) return fail(walk, param, text, { problem: 'wrong form', expected: 'key=value' })
    const key = text.slice(0, at)
    addToGroup(
      grouped,
      param.keys === undefined ? key : key.replaceAll('-', '_'),
      text.slice(at + 1),
    )
  }
  return toObject(
    [...grouped].map(([key, values]) => {
      const inner = getOwn(param.keys, key)
      if (param.keys === undefined) return [key, values.at(-1)]
      if (inner === undefined) return [key, reportUnknownKey(walk, param, { key, value: values })]
      const each =
        inner.type === 'list' || values.length === 1 ? [values] : values.map((one) => [one])
      const found = each.map((some) => coerceFlagTexts(enterKey(walk, key), inner, some))
      return [key, found.length > 1 && found.every(isPresent) ? found : found[0]]
    }),
  )
}

const coerceFlagTexts = (walk: Walk<unknown>, param: Param, texts: readonly string[]): Value => {
  const text = texts.at(-1) ?? ''
  switch (param.type) {
    case 'hash':
      return coerceHashTexts(walk, param, texts)
    case 'list': {
      const word = texts.length === 1 ? matchWord(param, text.trim()) : undefined
      const items = param.whole ? texts : texts.flatMap((one) => splitText(one, param))
      return word ?? coerceList(walk, param, items)
    }
    case 'json':
      if (text === '' && param.nullable === true) return null
      try {
        const value: JsonValue = JSON.parse(text)
        if (hasInexactNumber(value))
          return fail(walk, param, text, { problem: 'too large', expected: 'JSON' })
        if (!isTooDeep(value)) return value
      } catch {}
      return fail(walk, param, text, { problem: 'wrong format', expected: 'JSON' })
    case 'project':
    case 'group':
      return coerceValue(walk, param, new Set(texts).size > 1 ? texts.join(',') : text)
    default:
      return coerceValue(walk, param, isJoined(param) ? texts.flatMap(toJoinedItems) : text)
  }
}

/** Parses JSON that the program wrote. Positions are determined only for mistakes. */
import { bounds, MalformedJson } from '../json/json.js'
import { isTooDeep } from '../json/nesting.js'
import { Scanner } from '../json/scan.js'
import { tryParseJson } from '../objects.js'
import { decodeUtf8, encodingHint, findEncodingFault } from '../utf8.js'
import type { Findings } from './findings.js'
import type { Document } from './index.js'
import type { OriginFinder } from './report.js'
import type { ValuePath } from './sentences.js'
import type { Origin } from './written.js'

/** The length above which positions are not determined, since that would take longer than reading the text. */
const maxLocated = 4 << 20

/** Matches the tokens of JSON: strings, punctuation, and other text without white space. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

type OpenPath = readonly (string | number | undefined)[]

/** A key or a value of a text. */
interface Place {
  /** The keys that lead to the place; changed in place while the text is read. */
  readonly path: OpenPath
  readonly isKey: boolean
  readonly offset: number
}

/** Yields the keys and values of a JSON text in their order. */
function* listPlaces(text: string): Generator<Place> {
  const path: (string | number | undefined)[] = []
  let isKey = false
  for (const { 0: token, index: offset } of text.matchAll(tokens)) {
    if (token === ':') continue
    if (token === '}' || token === ']') {
      path.pop()
      isKey = false
    } else if (token === ',') {
      const last = path.pop()
      path.push(typeof last === 'number' ? last + 1 : undefined)
      isKey = typeof last !== 'number'
    } else if (isKey) {
      path[path.length - 1] = String(JSON.parse(token))
      yield { path, isKey, offset }
      isKey = false
    } else {
      yield { path, isKey, offset }
      isKey = token === '{'
      if (isKey) path.push(undefined)
      else if (token === '[') path.push(0)
    }
  }
}

/**
 * Returns the offset of a part of a JSON text, or of its key. If the part is missing, it is the offset of the innermost existing parent.
 */
const findOffset = (text: string, wanted: ValuePath, isKey: boolean): number => {
  let found = 0
  for (const place of listPlaces(text)) {
    const { path, offset } = place
    const isOnTheWay = path.length <= wanted.length && path.every((key, i) => key === wanted[i])
    if (!isOnTheWay) continue
    if (path.length === wanted.length && (place.isKey || !isKey)) {
      if (place.isKey === isKey) return offset
    } else if (!place.isKey) found = offset
  }
  return found
}

const toOrigin = (text: string, offset: number, file: string, line: number): Origin => {
  const before = text.slice(0, offset).split('\n')
  return { file, line: line - 1 + before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

export interface JsonOptions {
  /** The line of the file on which the text begins. */
  readonly line?: number
  /** The maximum number of values. */
  readonly maxValues?: number
}

/** Returns the mistake in a JSON text and its position in bytes; undefined if there is none. */
const findJsonFault = (
  bytes: Uint8Array,
  maxValues: number | undefined,
): { readonly byte: number; readonly why: string } | undefined => {
  try {
    const scanner = new Scanner(undefined, maxValues)
    const end = scanner.scan(bytes, 0)
    if (!scanner.finish()) return { byte: bytes.length, why: 'is not valid JSON: it ends early' }
    const isOver = /^\s*$/.test(Buffer.from(bytes.subarray(end)).toString())
    return isOver ? undefined : { byte: end, why: 'is not valid JSON: text follows the value' }
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    return { byte: error.at ?? 0, why: error.message }
  }
}

/**
 * Parses a JSON text that cannot exceed the limits: a value takes at least two characters. Returns undefined for any other text, which a
 * scan must check.
 */
const parseSmall = (text: string, maxValues: number = bounds.values): unknown => {
  const value = text.length <= 2 * maxValues ? tryParseJson(text) : undefined
  return isTooDeep(value) ? undefined : value
}

/** A valid JSON text that is not yet checked against a schema. */
export interface ParsedText extends Document<unknown> {
  /** The size in bytes. */
  readonly size: number
}

/**
 * Parses a JSON text, within limits. Mistakes are added to the findings.
 * @param file the name of the file in messages
 * @returns undefined if the text is not JSON
 */
export const parseJson = (
  bytes: Uint8Array,
  file: string,
  findings: Findings,
  { line = 1, maxValues }: JsonOptions = {},
): ParsedText | undefined => {
  const fault = findEncodingFault(bytes)
  if (fault !== undefined)
    return findings.add({ file, line, column: 1 }, `the file ${fault}`, encodingHint)
  const text = decodeUtf8(bytes)
  const at: OriginFinder = (path, isKey = false) =>
    toOrigin(text, text.length > maxLocated ? 0 : findOffset(text, path, isKey), file, line)
  const value = parseSmall(text, maxValues)
  if (value !== undefined) return { value, at, size: bytes.length }
  const bare = text.length === bytes.length ? bytes : Buffer.from(text)
  const wrong = findJsonFault(bare, maxValues)
  if (wrong !== undefined) {
    const offset = Buffer.from(bare.subarray(0, wrong.byte)).toString().length
    return findings.add(toOrigin(text, offset, file, line), `the file ${wrong.why}`)
  }
  return { value: JSON.parse(text), at, size: bytes.length }
}

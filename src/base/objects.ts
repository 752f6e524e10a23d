/** Inspects values of unknown shape, and declares the values that JSON can express. */
import { ExactNumber } from './json/json.js'

/** The fields of an object. */
export type Fields = Readonly<Record<string, unknown>>

/** True for an object or a list: not null, and not a number that is kept as it was written. */
export const hasParts = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

/** True if a value is an object with string keys: not a list, not null, and not a number that is kept as it was written. */
export const isObject = (value: unknown): value is Fields =>
  hasParts(value) && !Array.isArray(value)

/** Returns the value of a name that the user gave; names that every object has, such as `constructor`, are not found. */
export const getOwn = <T>(
  record: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined => (record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined)

/** Converts the value of each field. */
export const mapValues = <T, R>(
  record: Readonly<Record<string, T>>,
  convert: (value: T, name: string) => R,
): Readonly<Record<string, R>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value, name)]))

/** Returns the fields of an object; none for anything else. */
export const getFields = (value: unknown): Fields => (isObject(value) ? value : {})

/** Parses a JSON text; returns undefined if it is not valid JSON. */
export const tryParseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the items of a list that are objects; none if the value is not a list. */
export const listObjects = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** Returns a value if it is a text that is not empty. */
export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A value that JSON can express: the values of flags, of `--input`, and of what is sent. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** Values by name; undefined means that there is no value. */
export type JsonValues = Readonly<Record<string, JsonValue | undefined>>

/** Returns the fields of a parsed object as JSON values: it was parsed from JSON or YAML, so it contains nothing else. */
export const toJsonFields = (parsed: Fields): JsonValues => parsed as JsonValues

export const isJsonList = (value: JsonValue | undefined): value is readonly JsonValue[] =>
  Array.isArray(value)

/** Values whose shape is not known, and what JSON can say. */
import { ExactNumber } from './json/json.js'

/** The fields of an object. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Whether a value is an object with string keys: no list, no null, and no number that is kept as it was
 * written, whose text is nobody's field.
 */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof ExactNumber)

/** A value by a name that somebody gave: what every object has by birth, such as `constructor`, is not found. */
export const getOwn = <T>(
  record: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined => (record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined)

/** The items of a value that are objects; none where it is no list. */
export const objects = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** A text that is not empty. */
export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** What JSON can say: the values of flags, of `--input`, and of what is sent. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue }

/** Values by name; undefined is not there. */
export type JsonValues = Readonly<Record<string, JsonValue | undefined>>

/** The fields of an object that was parsed: it came as JSON or YAML, whatever its shape is. */
export const jsonFields = (parsed: Fields): JsonValues => parsed as JsonValues

export const isJsonList = (value: JsonValue | undefined): value is readonly JsonValue[] =>
  Array.isArray(value)

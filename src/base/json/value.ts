/** Values as JSON has them. */
import type { Fields } from '../objects.js'

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

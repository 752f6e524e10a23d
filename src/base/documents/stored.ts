/**
 * Reads small JSON files of the program by their schemas, synchronously and without the library of `check.ts`: many of them are read at every
 * start, and loading the library takes longer than that start.
 */
import type { XSchema, XStatic } from 'typebox/schema'
import { readRegular } from '../files/regular.js'
import { isObject } from '../objects.js'
import { decodeStrictly } from '../utf8.js'
import type { Findings } from './findings.js'
import type { Document, FrozenValue } from './index.js'
import { parseJson } from './parse-json.js'
import { reportErrors, type SchemaError } from './report.js'
import { getSubschema, listTexts, listTypes, type Schema } from './sentences.js'

/** The value that a schema describes; the schema is declared `as const`. */
export type StoredValue<S extends XSchema> = FrozenValue<XStatic<unknown, S>>

/** A part of a value that is being checked, and its schema. */
interface Part {
  readonly schema: Schema
  readonly value: unknown
  /** Returns the paths of both as JSON pointers, which only errors need. */
  readonly locate: () => Pick<SchemaError, 'schemaPath' | 'instancePath'>
}

const isType = (type: string, value: unknown): boolean => {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return typeof value === type
}

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

const enter = (
  { schema, locate }: Part,
  keywords: readonly string[],
  value: unknown,
  key: string,
): Part => ({
  schema: getSubschema(schema, ...keywords),
  value,
  locate: () => {
    const { schemaPath, instancePath } = locate()
    return {
      schemaPath: [schemaPath, ...keywords.map(escapeKey)].join('/'),
      instancePath: `${instancePath}/${escapeKey(key)}`,
    }
  },
})

/** Lists the parts of a value that have schemas of their own. */
const listParts = (part: Part): readonly Part[] => {
  const { schema, value } = part
  if (Array.isArray(value) && schema.items !== undefined)
    return value.map((item, i) => enter(part, ['items'], item, String(i)))
  if (!isObject(value)) return []
  const isKnown = (key: string): boolean =>
    isObject(schema.properties) && Object.hasOwn(schema.properties, key)
  return Object.entries(value).flatMap(([key, inner]) => {
    const named = isObject(schema.propertyNames)
    const keywords = isKnown(key) ? ['properties', key] : ['additionalProperties']
    const own = isKnown(key) || isObject(schema.additionalProperties)
    return [
      ...(named ? [enter(part, ['propertyNames'], key, key)] : []),
      ...(own ? [enter(part, keywords, inner, key)] : []),
    ]
  })
}

/** Lists the keywords that the value itself violates, with their parameters. */
const listViolations = ({ schema, value }: Part): readonly (readonly [string, object])[] => {
  const types = listTypes(schema)
  if (types.length > 0 && !types.some((type) => isType(type, value))) return [['type', {}]]
  if ('const' in schema && value !== schema.const) return [['const', {}]]
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return [['enum', {}]]
  if (typeof value === 'string')
    return typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value)
      ? [['pattern', {}]]
      : []
  if (!isObject(value)) return []
  const properties = isObject(schema.properties) ? schema.properties : {}
  const missing = listTexts(schema.required).filter((key) => !Object.hasOwn(value, key))
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key))
  const isUnknown = schema.additionalProperties === false && unknown.length > 0
  return [
    ...(missing.length > 0 ? [['required', { requiredProperties: missing }] as const] : []),
    ...(isUnknown ? [['additionalProperties', { additionalProperties: unknown }] as const] : []),
  ]
}

/** Lists the errors of a value as the library would. */
const listErrors = (part: Part): readonly SchemaError[] => {
  const own = listViolations(part).map(([keyword, params]) => ({
    keyword,
    params,
    ...part.locate(),
  }))
  const isMistyped = own.some(({ keyword }) => keyword === 'type')
  return isMistyped ? own : [...own, ...listParts(part).flatMap(listErrors)]
}

const listAllErrors = (schema: Schema, value: unknown): readonly SchemaError[] =>
  listErrors({ schema, value, locate: () => ({ schemaPath: '#', instancePath: '' }) })

/** True if a value matches its schema. Only the keywords that `listViolations` and `listParts` name are supported. */
const isStored = <const S extends XSchema>(schema: S, value: unknown): value is StoredValue<S> =>
  listAllErrors(schema as Schema, value).length === 0

/** Checks a value, or the part of one, that was read already. Mistakes are added to the findings. @returns undefined if there are any */
export const checkStored = <const S extends XSchema>(
  schema: S,
  { value, at }: Document<unknown>,
  findings: Findings,
): Document<StoredValue<S>> | undefined => {
  if (isStored(schema, value)) return { value, at }
  reportErrors(schema as Schema, value, listAllErrors(schema as Schema, value), at, findings)
  return undefined
}

/**
 * Reads a JSON text by a schema. Mistakes are added to the findings.
 * @param file the name of the file in messages
 * @returns undefined if there are mistakes
 */
export const readStoredJson = <const S extends XSchema>(
  schema: S,
  bytes: Uint8Array,
  file: string,
  findings: Findings,
): Document<StoredValue<S>> | undefined => {
  const parsed = parseJson(bytes, file, findings)
  return parsed && checkStored(schema, parsed, findings)
}

/** Reads a file that may be missing, such as a cache. Returns undefined if it cannot be read, is too large, or does not match its schema. */
export const readCached = <const S extends XSchema>(
  schema: S,
  file: string,
  maxBytes: number,
): StoredValue<S> | undefined => {
  try {
    const value: unknown = JSON.parse(decodeStrictly(readRegular(file, maxBytes), file))
    return isStored(schema, value) ? value : undefined
  } catch {
    return undefined
  }
}

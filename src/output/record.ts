/** Records: from bytes to values, and what of a value was asked for. */

import { ExactNumber, stringifyExact } from '../base/json/json.js'
import { parseBytes } from '../base/json/records.js'
import { isObject } from '../base/objects.js'
import { shownFields } from '../catalogue/kinds.js'
import { keyIn, legible, type Naming } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import type { ComputedFields, FormatView, Pick } from './types.js'

const decoder = new TextDecoder()

export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes)

const deep = (cause: unknown): Failure =>
  new Failure('unreachable', 'the instance sent a record that is nested too deeply', {
    hint: 'Run the command again with -o ndjson.',
    cause,
  })

/** Runs what recurses over a record; running out of stack becomes a failure that says so. */
export const shallow = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw error instanceof RangeError ? deep(error) : error
  }
}

/**
 * The value of a record's bytes; numbers that would print otherwise than they came are `ExactNumber`.
 * @throws Failure unreachable, when the bytes are no JSON, or more than may be built
 */
export const parse = (bytes: Uint8Array): unknown => {
  try {
    return parseBytes(bytes)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('unreachable', 'the instance sent a record that is not JSON', {
      hint: 'Run the command again with -v to see the response. A proxy may have changed it.',
      cause,
    })
  }
}

/** Whether a value has nothing inside: everything but objects and lists. */
export const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || value instanceof ExactNumber

/** JSON text of a value; null where it has none. */
export const stringify = (value: unknown): string => shallow(() => stringifyExact(value)) ?? 'null'

/**
 * The value under a dotted name; undefined when there is none. A key that holds the dots itself
 * comes first. Inside a list, a number picks an element and a name picks from every element.
 */
export const pick = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) return pickFromList(value, path)
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return value[path]
  const dot = path.indexOf('.')
  if (dot < 0) return undefined
  const key = path.slice(0, dot)
  return Object.hasOwn(value, key) ? pick(value[key], path.slice(dot + 1)) : undefined
}

/** The same where fields have two names: each level of the path may say either. */
const pickEither = (value: unknown, path: string, words: Naming): unknown => {
  if (Array.isArray(value)) {
    const [, index, rest] = element.exec(path) ?? []
    if (index === undefined) return value.map((item) => pickEither(item, path, words) ?? null)
    const item: unknown = value[Number(index)]
    return rest === undefined ? item : pickEither(item, rest, words)
  }
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return value[keyIn(value, path, words) ?? path]
  const [level = '', ...rest] = path.split('.')
  const key = keyIn(value, level, words)
  if (key === undefined || rest.length === 0) return key === undefined ? undefined : value[key]
  return pickEither(value[key], rest.join('.'), words)
}

/** What the catalogue shows beside the fields of records. */
const shownAlready: ComputedFields = Object.fromEntries(
  Object.entries(shownFields).map(([name, path]) => [name, (record) => pick(record, path)]),
)

const element = /^(\d+)(?:\.(.+))?$/

const pickFromList = (list: readonly unknown[], path: string): unknown => {
  const [, index, rest] = element.exec(path) ?? []
  if (index === undefined) return list.map((item) => pick(item, path) ?? null)
  const item = list[Number(index)]
  return rest === undefined ? item : pick(item, rest)
}

/**
 * Picks fields of records, and those that are made of them: the record's own come first.
 * @param words the instance's own: a field is found by either name
 */
export const picker = (more: ComputedFields = {}, words?: Naming): Pick => {
  const made = { ...shownAlready, ...more }
  const take =
    words === undefined ? pick : (record: unknown, path: string) => pickEither(record, path, words)
  return (record, path) => {
    const make = Object.hasOwn(made, path) ? made[path] : undefined
    if (make === undefined || (isObject(record) && Object.hasOwn(record, path)))
      return take(record, path)
    return make(words === undefined ? record : legible(record, words))
  }
}

/** The record as JSON and YAML give it: whole, or of the fields asked for those that it has. */
export const shaper = ({ fields, parents, pick }: FormatView): ((record: unknown) => unknown) => {
  if (fields === undefined) return (record) => record
  const shape = (record: unknown): unknown =>
    Object.fromEntries(
      fields.flatMap((path) => {
        const value = pick(record, path)
        return value === undefined ? [] : [[path, value] as const]
      }),
    )
  if (parents === undefined) return shape
  return (whole) =>
    isObject(whole) && 'record' in whole ? { ...whole, record: shape(whole.record) } : whole
}

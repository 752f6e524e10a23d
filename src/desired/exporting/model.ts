/** What stands in a file, before it is text: values in their order, with lines for people. */
import type { JsonValue } from '../../base/json/value.js'
import { YamlMap } from '../../base/json/yaml-writer.js'

/** A value of a file. */
export type FileValue = JsonValue | FileMap | readonly (JsonValue | FileMap)[]

/** A map of a file: its entries in order, and below them what cannot be an entry. */
export class FileMap extends YamlMap<FileValue> {}

const plainList = (list: readonly (JsonValue | FileMap)[]): JsonValue => list.map(plain)

/** The value as JSON has it: what is said to people is left out. */
export const plain = (value: FileValue): JsonValue => {
  if (value instanceof FileMap)
    return Object.fromEntries([...value.entries].map(([key, one]) => [key, plain(one)]))
  return Array.isArray(value) ? plainList(value) : (value as JsonValue)
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Sorted by a text of each, the same wherever it runs. */
export const sorted = <T>(list: Iterable<T>, by: (one: T) => string): readonly T[] =>
  [...list].sort((a, b) => inOrder(by(a), by(b)))

/** Text that is the same for the same value, whatever the order of its maps. */
export const comparable = (value: FileValue): string => {
  if (value instanceof FileMap) {
    const entries = sorted(value.entries, ([key]) => key)
    const texts = entries.map(([key, one]) => `${JSON.stringify(key)}:${comparable(one)}`)
    return `{${texts.join(',')}#${JSON.stringify(value.remarks)}}`
  }
  if (Array.isArray(value)) return `[${value.map((one: FileValue) => comparable(one)).join(',')}]`
  return JSON.stringify(value)
}

/** A value as text, which takes a fraction of the room. */
export const packed = (value: FileValue): string => JSON.stringify(shape(value))

/** How a value is told apart in its text. */
type Shape =
  | readonly ['map', readonly (readonly [string, Shape])[], readonly string[]]
  | readonly ['list', readonly Shape[]]
  | readonly ['value', JsonValue]

const isSeveral = (value: FileValue): value is readonly (JsonValue | FileMap)[] =>
  Array.isArray(value)

const shape = (value: FileValue): Shape => {
  if (value instanceof FileMap)
    return [
      'map',
      [...value.entries].map(([key, one]) => [key, shape(one)] as const),
      value.remarks,
    ]
  return isSeveral(value) ? ['list', value.map((one) => shape(one))] : ['value', value]
}

const ofShape = (text: Shape): JsonValue | FileMap | readonly (JsonValue | FileMap)[] => {
  if (text[0] === 'map')
    return new FileMap(
      text[1].map(([key, one]) => [key, ofShape(one)]),
      text[2],
    )
  // A list holds no list that has maps.
  return text[0] === 'list' ? text[1].map((one) => ofShape(one) as JsonValue | FileMap) : text[1]
}

/** The value of a text that was made here. */
export const unpacked = (text: string): FileValue => ofShape(JSON.parse(text) as Shape)

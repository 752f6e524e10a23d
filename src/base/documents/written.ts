/** Represents positions in files, and the content of a file with positions: maps, lists and scalars. Keys are text as written. */
import type { JsonValue } from '../objects.js'
import { describeSize, quoteText } from '../text.js'

export interface WrittenMap {
  readonly is: 'map'
  readonly origin: Origin
  /** The entries; each key occurs once. */
  readonly entries: readonly WrittenEntry[]
}

interface WrittenList {
  readonly is: 'list'
  readonly origin: Origin
  readonly items: readonly WrittenValue[]
}

interface WrittenScalar {
  readonly is: 'scalar'
  readonly origin: Origin
  readonly value: string | number | boolean | null
  /** The text as it was written, if it differs from the value; '' for a null that was left out. */
  readonly text: string
}

export interface WrittenEntry {
  readonly key: string
  readonly origin: Origin
  readonly value: WrittenValue
}

export type WrittenValue = WrittenMap | WrittenList | WrittenScalar

/** Describes the type of a value without quoting it: any file may have been named, and its attributes are unknown. */
const describeWritten = (written: WrittenValue): string => {
  if (written.is !== 'scalar') return written.is === 'map' ? 'a map' : 'a list'
  if (written.value === null) return 'nothing'
  return typeof written.value === 'string'
    ? describeSize(written.text)
    : `a ${typeof written.value}`
}

/** Quotes a value of an attribute that is known and not secret, since people recognize a wrong value by its text. */
export const quoteWritten = (written: WrittenValue): string => {
  if (written.is !== 'scalar' || written.value === null) return describeWritten(written)
  return written.text === '' ? describeSize('') : `"${quoteText(written.text)}"`
}

export const isNull = (written: WrittenValue): boolean =>
  written.is === 'scalar' && written.value === null

/** Returns the entries of a map; none for any other value. */
export const listEntries = (written: WrittenValue): readonly WrittenEntry[] =>
  written.is === 'map' ? written.entries : []

/** Returns the items of a list. Any other value is its own only item. */
export const listItems = (written: WrittenValue): readonly WrittenValue[] =>
  written.is === 'list' ? written.items : [written]

/** Returns the text of a scalar as written; '' for a null, and for anything else. */
export const getWrittenText = (written: WrittenValue | undefined): string =>
  written?.is === 'scalar' && written.value !== null ? written.text : ''

/** A receiver of findings about a value. */
interface FindingSink {
  add(origin: Origin, text: string, hint?: string): void
}

/** Returns a value without positions. Numbers that JSON cannot represent become findings. */
export const toPlain = (written: WrittenValue, findings?: FindingSink): JsonValue => {
  if (written.is === 'list') return written.items.map((item) => toPlain(item, findings))
  if (written.is === 'map')
    return Object.fromEntries(
      written.entries.map(({ key, value }) => [key, toPlain(value, findings)]),
    )
  const { value, text, origin } = written
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) findings?.add(origin, `${text} is a number that cannot be sent`)
  else if (Number.isInteger(value) && !Number.isSafeInteger(value))
    findings?.add(origin, `${text} is too large`, 'Quote it to make it text.')
  return value
}

/** Returns a value with every scalar as text, exactly as written. */
export const toTexts = (written: WrittenValue): JsonValue => {
  if (written.is === 'list') return written.items.map(toTexts)
  if (written.is === 'scalar') return written.value === null ? null : written.text
  return Object.fromEntries(written.entries.map(({ key, value }) => [key, toTexts(value)]))
}

/** A position in a file; line and column count from 1. */
export interface Origin {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The team that the value comes from, if a team names the person, and the teams whose values it overrides. */
  readonly team?: { readonly name: string; readonly at: Origin; readonly over?: readonly string[] }
}

/** Writes a position as `file:line:column`. */
export const formatOrigin = ({ file, line, column, team }: Origin): string => {
  const at = `${file}:${line}:${column}`
  return team === undefined ? at : `${at}, team ${team.name} at ${formatOrigin(team.at)}`
}

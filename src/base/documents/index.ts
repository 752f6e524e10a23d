/** Reads structured files: a text becomes values that match a schema, or findings with their positions. */
import type { Static, TSchema } from 'typebox'

import type { JsonValue } from '../objects.js'
import { decodeUtf8, encodingHint, findEncodingFault } from '../utf8.js'
import { checkValue } from './check.js'
import type { Findings } from './findings.js'
import type { ValuePath } from './sentences.js'
import { type Origin, toPlain, toTexts, type WrittenValue } from './written.js'
import { parseDocuments } from './yaml.js'

export type FrozenValue<T> = [JsonValue] extends [T]
  ? JsonValue
  : T extends string
    ? T
    : T extends object
      ? { readonly [K in keyof T]: FrozenValue<T[K]> }
      : T

/** The content of a document with this schema. */
export type DocumentValue<S extends TSchema> = FrozenValue<Static<S>>

/** A value that matches its schema, with the positions of its parts. */
export interface Document<T> {
  readonly value: T
  /** Returns the position of a part, or of its key. */
  at(path: ValuePath, isKey?: boolean): Origin
}

/**
 * Creates a function that returns the position of a part of a written value. If the part is missing, it is the position of its innermost
 * existing parent.
 */
const createLocator =
  (root: WrittenValue) =>
  (path: ValuePath, isKey = false): Origin => {
    let { origin } = root
    let within: WrittenValue | undefined = root
    for (const [i, key] of path.entries()) {
      if (within?.is === 'list') within = within.items[Number(key)]
      else {
        const entry =
          within?.is === 'map' ? within.entries.find((one) => one.key === key) : undefined
        if (entry !== undefined && isKey && i === path.length - 1) return entry.origin
        within = entry?.value
      }
      if (within === undefined) return origin
      origin = within.origin
    }
    return origin
  }

/**
 * Checks a written value against a schema. Mistakes are added to the findings.
 * @param size the number of characters of its text
 * @returns true if the value is valid
 */
export const checkWritten = (
  schema: object,
  written: WrittenValue,
  findings: Findings,
  size: number,
): boolean => checkValue(schema, toPlain(written), createLocator(written), findings, size)

interface ReadOptions {
  /** If true, every scalar is read as text, exactly as written. */
  readonly asText?: boolean
}

/**
 * Reads the documents of a YAML or JSON text. Mistakes are added to the findings, and a document with mistakes is left out.
 * @param file the name of the file in messages
 */
export const readDocuments = async <S extends TSchema>(
  schema: S,
  bytes: Uint8Array,
  file: string,
  findings: Findings,
  { asText = false }: ReadOptions = {},
): Promise<readonly Document<DocumentValue<S>>[]> => {
  const fault = findEncodingFault(bytes)
  if (fault !== undefined) {
    findings.add({ file, line: 1, column: 1 }, `the file ${fault}`, encodingHint)
    return []
  }
  const documents = await parseDocuments(decodeUtf8(bytes), file, findings)
  return documents.flatMap((written) => {
    const at = createLocator(written)
    const value = asText ? toTexts(written) : toPlain(written, findings)
    return checkValue(schema, value, at, findings, bytes.length)
      ? [{ value: value as DocumentValue<S>, at }]
      : []
  })
}

/** Reads a text with a single document, as `readDocuments` does. Returns undefined if it is wrong. */
export const readDocument = async <S extends TSchema>(
  schema: S,
  bytes: Uint8Array,
  file: string,
  findings: Findings,
  options?: ReadOptions,
): Promise<Document<DocumentValue<S>> | undefined> => {
  const [document, second] = await readDocuments(schema, bytes, file, findings, options)
  if (second !== undefined) findings.add(second.at([]), 'a second document begins here')
  return document
}

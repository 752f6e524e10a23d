/** Reads JSON that the program wrote, and checks it against a schema. */
import type { TSchema } from 'typebox'
import { checkValue } from './check.js'
import type { Findings } from './findings.js'
import type { Document, DocumentValue } from './index.js'
import { type JsonOptions, type ParsedText, parseJson } from './parse-json.js'

/** Checks a parsed text against its schema. @returns undefined if there are mistakes, which are added to the findings */
export const checkDocument = <S extends TSchema>(
  schema: S,
  { value, at, size }: ParsedText,
  findings: Findings,
): Document<DocumentValue<S>> | undefined =>
  checkValue(schema, value, at, findings, size)
    ? { value: value as DocumentValue<S>, at }
    : undefined

/** Reads a JSON text by a schema, as `parseJson` and `checkDocument` do. */
export const readJson = <S extends TSchema>(
  schema: S,
  bytes: Uint8Array,
  file: string,
  findings: Findings,
  options: JsonOptions = {},
): Document<DocumentValue<S>> | undefined => {
  const parsed = parseJson(bytes, file, findings, options)
  return parsed && checkDocument(schema, parsed, findings)
}

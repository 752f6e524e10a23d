/** Checks a value against its JSON Schema with the library, and reports each mistake. */
import { Check, Compile, Errors, type Validator } from 'typebox/schema'
import { Settings } from 'typebox/system'
import type { Findings } from './findings.js'
import { type OriginFinder, reportErrors } from './report.js'
import type { Schema } from './sentences.js'

/** The maximum number of errors of a file; the library's own limit is 8. */
Settings.Set({ maxErrors: 2000 })

/** The number of characters that were checked with a schema, and its compiled form once that pays off. */
interface SchemaUse {
  size: number
  validator?: Validator
}
const uses = new WeakMap<object, SchemaUse>()

/** The number of checked characters from which a schema is compiled. Compiling takes up to 25 ms, and makes checking forty times faster. */
const compileThreshold = 1 << 14

/** @param size the number of characters of the value's text */
const isValid = (schema: Schema, value: unknown, size: number): boolean => {
  const use = uses.get(schema) ?? { size: 0 }
  uses.set(schema, use)
  use.size += size
  if (use.size < compileThreshold) return Check(schema, value)
  use.validator ??= Compile(schema)
  return use.validator.Check(value)
}

/** Adds a finding for every mistake in a value. @param size the number of characters of the text @returns true if the value is valid */
export const checkValue = (
  schema: object,
  value: unknown,
  locate: OriginFinder,
  findings: Findings,
  size: number,
): boolean => {
  const root = schema as Schema
  if (isValid(root, value, size)) return true
  reportErrors(root, value, Errors(root, value)[1], locate, findings)
  return false
}

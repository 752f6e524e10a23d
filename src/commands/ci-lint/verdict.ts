/** What an instance says of a configuration: both forms of its answer as one. */
import { isObject } from '../../base/objects.js'
import { Failure } from '../../errors.js'
import type { Problem, Verdict } from './types.js'

const texts = (value: unknown): Problem[] =>
  Array.isArray(value)
    ? value.map((message) => ({ message: String(message), ...lineIn(String(message)) }))
    : []

/** Instances name the line of a syntax error in its text only. */
const lineIn = (message: string): Partial<Problem> => {
  const match = /line (\d+)(?: column (\d+))?/.exec(message)
  if (match?.[1] === undefined) return {}
  return { line: Number(match[1]), ...(match[2] === undefined ? {} : { column: Number(match[2]) }) }
}

/** Both forms of the answer, `{status}` of the instance and `{valid}` of a project, as one. */
export const verdictOf = (file: string, data: unknown): Verdict => {
  const answer = isObject(data) ? data : {}
  const { status, valid, errors, warnings, merged_yaml: merged } = answer
  if (status === undefined && valid === undefined)
    throw new Failure('unreachable', `the answer for ${file} is no lint result`)
  return {
    file,
    valid: valid === undefined ? status === 'valid' : valid === true,
    errors: texts(errors),
    warnings: texts(warnings),
    ...(typeof merged === 'string' ? { merged } : {}),
  }
}

/** Whether a file counts as wrong: with `strict`, by its warnings too. */
export const fails = (verdict: Verdict, strict: boolean): boolean =>
  !verdict.valid || (strict && verdict.warnings.length > 0)

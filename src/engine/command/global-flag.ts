/** Declares the type of a global flag, the flags that choose an instance, and the forms of flags that are a number or a word. */

import { isSwitchedOn } from '../../base/switches.js'
import { usage } from '../../errors.js'
import type { FailureLimit } from '../work/report.js'
import type { Flag } from './description.js'

/** The values of a flag as text, in their order; booleans are 'true' and 'false'. Undefined if the flag is not set. */
export type Texts = readonly string[] | undefined

/** The parts of a flag that a global one declares. */
type DeclaredPart =
  | 'aliases'
  | 'optionalValue'
  | 'param'
  | 'refusal'
  | 'refusedValue'
  | 'repeats'
  | 'short'
  | 'spellings'

/** The declaration of one global flag. Its name is the key in `global-flags.ts`. */
export interface GlobalFlagRow extends Pick<Flag, DeclaredPart> {
  /** Reads the values, if the parameter's own rules are not enough. */
  readonly read?: (texts: Texts, env: NodeJS.ProcessEnv, line: ReadonlySet<string>) => unknown
}

/** The flags that choose an instance. Each overrides the environment variables. */
const instanceFlags = ['from', 'sandbox', 'all-profiles', 'profile', 'base-url'] as const

/** True if SVC_SANDBOX chooses the embedded instance: it is on, and no flag of the line chooses an instance. */
export const isSandboxChosen = (
  { SVC_SANDBOX: text }: NodeJS.ProcessEnv,
  line: ReadonlySet<string>,
): boolean => isSwitchedOn(text) && !instanceFlags.some((flag) => line.has(flag))

/**
 * Parses `5`, or `10%` of the outcomes; undefined if the flag is not set.
 * @throws Failure `usage` if it is neither
 */
export const parseFailureLimit = (text: string | undefined): FailureLimit | undefined => {
  if (text === undefined) return undefined
  const [, number, percent] = /^\s*(\d+(?:\.\d+)?)\s*(?:(%)\s*)?$/.exec(text) ?? []
  const value = Number(number)
  if (percent !== undefined && value > 0 && value <= 100) return { percent: value }
  if (percent === undefined && Number.isSafeInteger(value) && value > 0) return { count: value }
  throw usage(
    `${JSON.stringify(text)} is not a valid number of failures`,
    'Use a number of at least 1, or a share of the objects, such as 10%.',
  )
}

/**
 * Parses a number of records, or `all`; undefined if the flag is not set.
 * @throws Failure `usage` if it is neither
 */
export const parseLimit = (texts: Texts): number | 'all' | undefined => {
  const text = texts?.at(-1)
  if (text === undefined || text === 'all') return text
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1)
    throw usage(`--limit must be a number of at least 1, or "all", not "${text}"`)
  return n
}

/** The maximum of `--concurrency`. */
const maxAtOnce = 64

/**
 * Parses a number of concurrent requests, or `auto`; undefined if the flag is not set.
 * @throws Failure `usage` if it is neither
 */
export const parseConcurrency = (texts: Texts): number | 'auto' | undefined => {
  const text = texts?.at(-1)
  if (text === undefined || text === 'auto') return text
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1 || n > maxAtOnce)
    throw usage(`--concurrency must be a number from 1 to ${maxAtOnce} or "auto", not "${text}"`)
  return n
}

/**
 * Creates the reader of a flag with expressions, which returns their texts unchanged: expressions contain commas, so they must not be split.
 * @throws Failure `usage` for an empty expression, such as an unset variable of a script
 */
export const readExpressions =
  (name: string) =>
  (texts: Texts): Texts => {
    if (texts?.some((text) => text.trim() === '')) throw usage(`--${name} requires a value`)
    return texts
  }

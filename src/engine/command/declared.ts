/** How a global flag is declared. */
import type { Param } from '../../catalogue/params.js'

/** Texts as they were given, in order; booleans as 'true' and 'false'. Undefined where it was not. */
export type Texts = readonly string[] | undefined

export interface Declared {
  readonly param: Param
  readonly short?: string
  /** Earlier spellings that are accepted and not shown. */
  readonly aliases?: readonly string[]
  /** The value may be left out; then the default counts. */
  readonly optionalValue?: true
  /** A boolean that is on by itself: only `--no-…` is shown, with this text. */
  readonly refusal?: string
  /** Runs the command again and again: only for those that may be repeated. */
  readonly repeats?: true
  /** How its texts are understood, where that is not what its parameter says. */
  readonly read?: (texts: Texts, env: NodeJS.ProcessEnv) => unknown
}

export const declare = <const F extends Readonly<Record<string, Declared>>>(flags: F): F => flags

/** An expression has commas of its own: each is one text. */
export const expressions = (texts: Texts): Texts => texts

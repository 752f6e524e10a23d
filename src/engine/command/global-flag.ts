/** How a global flag is declared: a row of `global-flags.ts`. */

import type { Param } from '../../catalogue/params.js'

/** Texts as they were given, in order; booleans as 'true' and 'false'. Undefined where it was not. */
export type Texts = readonly string[] | undefined

export interface GlobalFlagRow {
  readonly param: Param
  readonly short?: string
  /** Earlier spellings that are accepted and not shown. */
  readonly aliases?: readonly string[]
  /** The value may be left out; then the default counts. */
  readonly optionalValue?: true
  /** A boolean that is on by itself: only `--no-…` is shown, with this text. */
  readonly refusal?: string
  /** The value that `--no-…` stands for, where the flag is no boolean. */
  readonly refusedValue?: string
  /** Other words for its values that are accepted and not shown. */
  readonly spellings?: Readonly<Record<string, string>>
  /** Runs the command again and again: only for those that may be repeated. */
  readonly repeats?: true
  /** How its texts are understood, where that is not what its parameter says. */
  readonly read?: (texts: Texts, env: NodeJS.ProcessEnv, line: ReadonlySet<string>) => unknown
}

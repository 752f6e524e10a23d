/** The type of a global flag, and the flags that choose an instance. */

import type { Param } from '../../catalogue/params.js'

/** The values of a flag as text, in their order; booleans are 'true' and 'false'. Undefined if the flag is not set. */
export type Texts = readonly string[] | undefined

/** The declaration of one global flag. Its name is the key in `global-flags.ts`. */
export interface GlobalFlagRow {
  readonly param: Param
  readonly short?: string
  /** Earlier spellings that are accepted and not shown. */
  readonly aliases?: readonly string[]
  /** True if the value can be omitted; then the default applies. */
  readonly optionalValue?: true
  /** The help of `--no-…` for a boolean that is on by default; help shows only this form. */
  readonly refusal?: string
  /** The value that `--no-…` sets, if the flag is not a boolean. */
  readonly refusedValue?: string
  /** Other spellings of values that are accepted and not shown. */
  readonly spellings?: Readonly<Record<string, string>>
  /** True if the flag runs the command repeatedly; only commands that can be repeated have it. */
  readonly repeats?: true
  /** Reads the values, if the parameter's own rules are not enough. */
  readonly read?: (texts: Texts, env: NodeJS.ProcessEnv, line: ReadonlySet<string>) => unknown
}

/** The flags that choose an instance. Each overrides the environment variables. */
const instanceFlags = ['from', 'sandbox', 'all-profiles', 'profile', 'base-url'] as const

/** True if SVC_SANDBOX chooses the embedded instance: it is set, and no flag of the line chooses an instance. */
export const isSandboxChosen = (
  { SVC_SANDBOX: text = '' }: NodeJS.ProcessEnv,
  line: ReadonlySet<string>,
): boolean => !['', '0', 'false'].includes(text) && !instanceFlags.some((flag) => line.has(flag))

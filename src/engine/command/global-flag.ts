/** The type of a global flag, and the flags that choose an instance. */

import { isSwitchedOn } from '../../base/switches.js'
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

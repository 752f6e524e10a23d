import type { Command, Globals } from '../commands/types.js'
import type { Notes } from '../terminal/notes.js'
import type { Stdout } from '../terminal/stdout.js'

/** Ends a run early and well: the request was printed instead of sent. */
export class Printed extends Error {}

export interface Run {
  readonly command: Command
  readonly globals: Globals
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly signal: AbortSignal
  readonly notes: Notes
  readonly stdout: Stdout
}

/** What a run is made of. */
import type { Globals } from '../../commands/globals.js'
import type { Command } from '../../commands/types.js'
import type { Format } from '../../output/types.js'

export interface RunOptions {
  readonly command: Command
  readonly globals: Globals
  readonly format: Format
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly stdin: () => Promise<string>
  /** The objects came from standard input: the answer is a list, however many there are. */
  readonly listed: boolean
}

/** What a run is made of. */
import type { Words } from '../../catalogue/words.js'
import type { Globals } from '../../commands/globals.js'
import type { Piped } from '../../commands/services.js'
import type { Command } from '../../commands/types.js'
import type { Format } from '../../output/types.js'
import type { FindOwn } from '../own/found.js'
import type { JournalWish } from './many/journal/wish.js'

export interface RunOptions {
  readonly command: Command
  readonly globals: Globals
  readonly format: Format
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly stdin: Piped
  /** The words in force, where the command speaks of the instance's names. */
  readonly words?: Words
  /** The same for whatever is sent. */
  readonly own?: FindOwn
  /** The objects came from standard input: the answer is a list, however many there are. */
  readonly listed: boolean
  /** What the line says of its journal. */
  readonly wish: JournalWish
  /** The records that `--select` chose, by what their objects are called. */
  readonly chosen: Map<string, unknown>
}

/** The sink of a line within a line: gives its records away as `-o ndjson` prints them, and keeps what else it says. */

import type { Stdout } from '../base/io.js'
import type { Records } from '../base/json/records.js'
import type { Prompts } from '../base/prompts.js'
import { Failure, usage } from '../errors.js'
import { getFormat } from '../output/formats.js'
import { createLineEncoder, encode } from '../output/json.js'
import type { Format } from '../output/types.js'
import { createMeter } from '../terminal/progress.js'
import { getStandardError } from '../terminal/standard.js'
import { createStyle } from '../terminal/style.js'
import type { Streams } from './options.js'

const refusePrompt = async (): Promise<never> => {
  throw new Failure('internal', 'a prompt in a run without prompts')
}
const prompts: Prompts = {
  confirm: refusePrompt,
  typed: refusePrompt,
  secret: refusePrompt,
  text: refusePrompt,
  select: refusePrompt,
  selectMany: refusePrompt,
}

/** The answer of a run that nobody sits before. */
interface KeptAnswer {
  /** How the run is seen: its records are given away, and it has neither a person nor standard output. */
  readonly seen: { readonly format: Format; readonly screen: Streams; readonly isKept: true }
  readonly notes: readonly string[]
  /** The failures that were reported of single objects. */
  readonly failures: readonly Failure[]
}

/** Takes the bytes of a record, and the column of what it belongs to where several parents are read. */
type TakeRecord = (record: Uint8Array, column: string | undefined) => void

/** Creates a format that writes nothing, but gives each record away as it would be printed. */
const createGivingFormat = (give: TakeRecord): Format => ({
  ...getFormat('ndjson'),
  load: async () => (_sink, view) => {
    const [column] = view.parents ?? []
    const lines = createLineEncoder(view)
    const bytes = async (batch: Records): Promise<void> => {
      for (const line of lines(batch)) give(line, column)
    }
    return { bytes, values: (batch) => bytes(batch.map(encode)), close: async () => {} }
  },
})

/** The output of such a run, which refuses text: where records are wanted, it would be lost. */
const out: Stdout = {
  write: async () => {
    throw usage('this command prints text, not records')
  },
  end: async () => {},
}

/** Opens the answer of a run within another: each record is given away, and what it says is kept. */
export const openKeptAnswer = async (give: TakeRecord): Promise<KeptAnswer> => {
  const [notes, failures]: [string[], Failure[]] = [[], []]
  const style = await createStyle({}, {}, 'never')
  const say = (text: string): void => {
    notes.push(text)
  }
  const screen: Streams = {
    style,
    width: style.width,
    out,
    plain: out,
    notes: {
      note: (text) => say([text].flat().join('\n')),
      warn: say,
      report: (failure, of) => {
        const { category, message, details } = failure
        failures.push(
          of === undefined ? failure : new Failure(category, `${of}: ${message}`, details),
        )
      },
    },
    prompts,
    meter: createMeter({ name: '', liveness: 'off', stream: getStandardError() }),
    liveness: 'off',
    polls: { between: async () => {}, end: async () => {} },
    interactive: () => false,
    finish: async (say) => say(),
  }
  return { seen: { format: createGivingFormat(give), screen, isKept: true }, notes, failures }
}

/** Provides the output of a line inside another run: it passes on records as `-o ndjson` prints them, and keeps notes. */

import type { Prompts } from '../base/interaction.js'
import type { Stdout } from '../base/io.js'
import type { Records } from '../base/json/records.js'
import { Failure, usage } from '../errors.js'
import { getFormat } from '../output/formats.js'
import { createLineEncoder, encode } from '../output/json.js'
import type { Format } from '../output/types.js'
import { silentMeter, silentWork } from '../terminal/progress.js'
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

/** The output of a run inside another run, and the notes that it kept. */
interface KeptAnswer {
  /** The options for the inner run: no person, and no standard output. */
  readonly options: { readonly format: Format; readonly screen: Streams; readonly isKept: true }
  readonly notes: readonly string[]
  /** The failures of single objects that were reported. */
  readonly failures: readonly Failure[]
}

/** Receives the bytes of a record, and the column of its parent if the line reads several. */
type TakeRecord = (record: Uint8Array, column: string | undefined) => void

/** Creates a format that passes each record on, as it would be printed, and writes nothing. */
const createRecordFormat = (give: TakeRecord): Format => ({
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

/** The output of an inner run. It refuses text, which would be lost among records. */
const recordOutput: Stdout = {
  write: async () => {
    throw usage('this command prints text, not records')
  },
  end: async () => {},
}

/**
 * Opens the output of a run inside another one.
 * @param give receives each record
 * @param label the profile that begins each line of a trace, if there are several
 */
export const openKeptAnswer = async (
  give: TakeRecord,
  label: string | undefined,
): Promise<KeptAnswer> => {
  const [notes, failures]: [string[], Failure[]] = [[], []]
  const style = await createStyle({}, {}, 'never')
  const say = (text: string): void => {
    notes.push(text)
  }
  const screen: Streams = {
    style,
    ...(label !== undefined && { label }),
    width: style.width,
    out: recordOutput,
    plain: recordOutput,
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
    meter: silentMeter,
    beginProgress: () => silentWork,
    polls: { separateRounds: async () => {}, endRound: async () => {} },
    interactive: () => false,
    finish: async (say) => say(),
  }
  return { options: { format: createRecordFormat(give), screen, isKept: true }, notes, failures }
}

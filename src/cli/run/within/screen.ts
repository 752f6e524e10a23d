/** The screen of a run within another: nobody sits before it, and what it prints is kept. */
import { Failure } from '../../../errors.js'
import type { Prompts } from '../../../terminal/questions/prompts.js'
import { createMeter } from '../../../terminal/streams/meter.js'
import { standardError } from '../../../terminal/streams/standard.js'
import type { Stdout } from '../../../terminal/streams/stdout.js'
import { styleOf } from '../../../terminal/text/style.js'
import type { Streams } from '../screen.js'

const nobody = async (): Promise<never> => {
  throw new Failure('internal', 'a question where nobody can be asked')
}
const prompts: Prompts = {
  confirm: nobody,
  typed: nobody,
  secret: nobody,
  text: nobody,
  select: nobody,
  selectMany: nobody,
}

/** A screen, and what came to stand on it. */
export interface KeptScreen {
  readonly streams: Streams
  readonly notes: readonly string[]
  /** What was reported of single objects. */
  readonly failures: readonly Failure[]
  /** Lines of standard output, each of bytes. */
  readonly lines: () => readonly Uint8Array[]
}

const newline = 0x0a

/** The lines of a text in bytes, without those that are empty. */
const linesOf = (bytes: Buffer): readonly Uint8Array[] => {
  const lines: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(newline, at)
    const end = found < 0 ? bytes.length : found
    if (end > at) lines.push(bytes.subarray(at, end))
    at = end + 1
  }
  return lines
}

export const keptScreen = async (): Promise<KeptScreen> => {
  const [chunks, notes, failures]: [Buffer[], string[], Failure[]] = [[], [], []]
  const out: Stdout = {
    write: async (chunk) => {
      chunks.push(Buffer.from(chunk))
    },
    end: async () => {},
  }
  const style = await styleOf({}, {}, 'never')
  const say = (text: string): void => {
    notes.push(text)
  }
  const streams: Streams = {
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
    meter: createMeter({ name: '', liveness: 'off', stream: standardError() }),
    liveness: 'off',
    rounds: { between: async () => {}, end: async () => {} },
    interactive: () => false,
  }
  return { streams, notes, failures, lines: () => linesOf(Buffer.concat(chunks)) }
}

/** Asks questions line by line without redrawing, for screen readers (SVC_ACCESSIBLE=1). */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { SearchItem } from '../base/interaction.js'

/** The streams of a prompt. */
export interface LineStreams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly signal?: AbortSignal
}

/** A person left a question without an answer (Ctrl-C, Ctrl-D, an abort). */
class LeftPromptError extends Error {
  override readonly name = 'AbortPromptError'
}

const createHiddenOutput = (): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => done() })

const askRaw = (question: string, lines: LineStreams, hidden: boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const { input, output, signal } = lines
    // Readline echoes the typed keys to a stream that discards them.
    const reader = hidden
      ? createInterface({ input, output: createHiddenOutput(), terminal: true })
      : createInterface({ input, output })
    const leave = (): void => {
      signal?.removeEventListener('abort', leave)
      reader.close()
      reject(new LeftPromptError())
    }
    reader.once('SIGINT', leave)
    reader.once('close', leave)
    signal?.addEventListener('abort', leave)
    if (hidden) output.write(`${question} `)
    reader.question(`${question} `, (answer) => {
      reader.off('close', leave)
      signal?.removeEventListener('abort', leave)
      reader.close()
      if (hidden) output.write('\n')
      resolve(answer)
    })
  })

/** Asks for a line of text. */
export const askLine = async (question: string, lines: LineStreams): Promise<string> =>
  (await askRaw(question, lines, false)).trim()

/** Asks for a line of text without echo. */
export const askHidden = (question: string, lines: LineStreams): Promise<string> =>
  askRaw(`${question} (hidden input)`, lines, true)

const formatChoices = (items: readonly SearchItem[]): string =>
  items
    .map(({ name, description }, i) => {
      const more = description === undefined ? '' : `, ${description}`
      return `${String(i + 1).padStart(4)}. ${name}${more}\n`
    })
    .join('')

const parsePositions = (answer: string, count: number): number[] | undefined => {
  const numbers = answer.split(/[\s,]+/).filter((word) => word !== '')
  const picked = numbers.map(Number)
  const right = picked.every((n) => Number.isInteger(n) && n >= 1 && n <= count)
  return right && picked.length > 0 ? [...new Set(picked)].map((n) => n - 1) : undefined
}

/** Shows a numbered list and asks for numbers until the answer is valid. Returns positions from 0 on. */
export const askNumbers = async (
  question: string,
  items: readonly SearchItem[],
  several: boolean,
  lines: LineStreams,
): Promise<number[]> => {
  lines.output.write(`${question}\n${formatChoices(items)}`)
  const wanted = several ? 'Numbers, separated by commas:' : 'Number:'
  for (;;) {
    const picked = parsePositions(await askLine(wanted, lines), items.length)
    if (picked !== undefined && (several || picked.length === 1)) return picked
    lines.output.write(`Answer with ${several ? 'numbers' : 'one number'} from the list.\n`)
  }
}

/** Asks a yes-or-no question until the answer is valid; an empty answer selects `initial`. */
export const askYesNo = async (
  question: string,
  initial: boolean,
  lines: LineStreams,
): Promise<boolean> => {
  for (;;) {
    const answer = (
      await askLine(`${question} ${initial ? '(yes or no, yes)' : '(yes or no, no)'}`, lines)
    ).toLowerCase()
    if (answer === '') return initial
    if ('yes'.startsWith(answer)) return true
    if ('no'.startsWith(answer)) return false
    lines.output.write('Answer yes or no.\n')
  }
}

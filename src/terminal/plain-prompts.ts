/** Prompts line by line, without redrawing, for screen readers (SVC_ACCESSIBLE=1). */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { SearchItem } from '../base/prompts.js'

/** The streams of a prompt. */
export interface LineStreams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly signal?: AbortSignal
}

/** Thrown when the person leaves instead of answering (Ctrl-C, Ctrl-D, an abort). */
class LeftPrompt extends Error {
  override readonly name = 'AbortPromptError'
}

const createHiddenOutput = (): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => done() })

const ask = (question: string, lines: LineStreams, hidden: boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    const { input, output, signal } = lines
    // What readline shows of the keys goes nowhere.
    const reader = hidden
      ? createInterface({ input, output: createHiddenOutput(), terminal: true })
      : createInterface({ input, output })
    const leave = (): void => {
      signal?.removeEventListener('abort', leave)
      reader.close()
      reject(new LeftPrompt())
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

/** Asks for a line. */
export const askLine = async (question: string, lines: LineStreams): Promise<string> =>
  (await ask(question, lines, false)).trim()

/** Asks for a line that is not shown. */
export const askHidden = (question: string, lines: LineStreams): Promise<string> =>
  ask(`${question} (hidden input)`, lines, true)

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

/** Shows a numbered list, and asks for numbers until some are given. */
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

/** Asks a yes-or-no question until it is answered; an empty answer is the initial one. */
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

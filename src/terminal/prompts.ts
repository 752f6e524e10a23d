/** Asks a person questions at a terminal, on standard error. */

import type { Choice, Prompts } from '../base/interaction.js'
import type { Io } from '../base/io.js'
import { escapeControls } from '../base/screen-text.js'
import { redactSecrets } from '../base/secrets/redact.js'
import { isSwitchedOn } from '../base/switches.js'
import { Failure } from '../errors.js'
import type { LineStreams } from './plain-prompts.js'
import { clearLine, isGone } from './standard.js'
import { type Env, isAccessible, isCi } from './style.js'

// Detecting that a person leaves a question without an answer: Ctrl-D, or a terminal that hung up.

type PromptInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean
  readonly isRaw?: boolean
  setRawMode?(mode: boolean): unknown
}

const guardedInputs = new WeakSet<object>()

/** Prevents an uncaught error: after a terminal hung up, readline fails to restore its mode. */
const guardMode = async (input: PromptInput): Promise<void> => {
  const { isatty, ReadStream } = await import('node:tty')
  if (!(input instanceof ReadStream) || guardedInputs.has(input)) return
  guardedInputs.add(input)
  const own = input.setRawMode.bind(input)
  input.setRawMode = (mode) => (isatty(0) ? own(mode) : input)
}

/** Runs work after two turns of the event loop. An answer arrives one turn after the keyboard is released. */
const scheduleAfterTwoTurns = (work: () => void): void => {
  setImmediate(() => setImmediate(work))
}

/**
 * Hides typed keys again after another process stopped and continued this one: the shell has changed the terminal's
 * mode since. The mode is left first, because Node does not set one that it believes to be set.
 */
const restoreMode = (input: PromptInput): void => {
  if (input.isRaw !== true) return
  input.setRawMode?.(false)
  input.setRawMode?.(true)
}

/**
 * Asks a question with a signal that is aborted when the keyboard ends or is released before the answer. Readline
 * closes at Ctrl-D, and would then wait forever. Returning from Ctrl-Z also releases the keyboard, and takes it up
 * again.
 * @param signal another signal that ends the question
 */
const askUntilLeft = async <T>(
  { io, input, signal }: PromptStreams,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  await guardMode(input)
  const left = new AbortController()
  let resumes = false
  const continueQuestion = (): void => {
    restoreMode(input)
    // Readline releases the keyboard during the same signal, if at all.
    resumes = true
    setImmediate(() => {
      resumes = false
    })
  }
  const leave = (): void => left.abort()
  const paused = (): void => {
    const next = resumes ? () => input.resume() : leave
    scheduleAfterTwoTurns(next)
  }
  const release = io.onSignal('SIGCONT', continueQuestion)
  input.on('pause', paused).once('end', leave).once('close', leave)
  try {
    return await ask(signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]))
  } finally {
    release()
    input.off('pause', paused).off('end', leave).off('close', leave)
    // After Ctrl-Z, readline believes that it has released the keyboard, which would keep the process alive.
    input.pause()
  }
}

/** The streams of prompts. */
interface PromptStreams {
  readonly io: Io
  readonly input: PromptInput
  /** Standard error, because standard output belongs to the answer. */
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean }
  readonly signal?: AbortSignal
}

/** True if a person can be asked: at a terminal, not in CI, and unless SVC_NO_PROMPT is set. */
export const canPrompt = (
  streams: { stdin: { readonly isTTY?: boolean }; stderr: { readonly isTTY?: boolean } },
  env: Env,
): boolean =>
  streams.stdin.isTTY === true &&
  streams.stderr.isTTY === true &&
  !isGone(streams.stderr) &&
  !isCi(env) &&
  !isSwitchedOn(env.SVC_NO_PROMPT)

const pageSize = 10

/**
 * Asks a question.
 * @throws Failure `interrupted` if the person leaves it without an answer
 */
const askOrInterrupt = async <T>(
  streams: PromptStreams,
  question: (streams: PromptStreams) => Promise<T>,
): Promise<T> => {
  const { io, input, output, signal } = streams
  clearLine(io)
  try {
    return await askUntilLeft({ io, input, output, signal }, (left) =>
      question({ io, input, output, signal: left }),
    )
  } catch (error) {
    if (isLeftError(error))
      throw new Failure('interrupted', 'interrupted: the question was left without an answer', {
        hint: 'Nothing was changed.',
      })
    throw error
  }
}

/**
 * True for the errors of a left question. They are compared by name, as inquirer recommends, because its classes come
 * from several packages.
 */
const isLeftError = (error: unknown): boolean =>
  error instanceof Error && /^(ExitPromptError|AbortPromptError)$/.test(error.name)

/** Escapes text from outside for a question. */
const escapeText = (text: string): string => escapeControls(redactSecrets(text))

const escapeChoices = <T>(choices: readonly Choice<T>[]): Choice<T>[] =>
  choices.map(({ value, name, description }) => ({
    value,
    name: escapeText(name),
    description: description && escapeText(description),
  }))

const pickChoices = <T>(choices: readonly Choice<T>[], positions: readonly number[]): T[] =>
  choices.filter((_, i) => positions.includes(i)).map((choice) => choice.value)

/** Creates prompts that are redrawn in place. @inquirer/prompts is loaded at the first question. */
const createRedrawnPrompts = (streams: PromptStreams): Prompts => {
  const load = () => import('./redrawn-prompts.js')
  const text = async (message: string, initial?: string): Promise<string> =>
    (await load()).input({ message, default: initial }, streams)
  return {
    confirm: async (message, initial = false) =>
      (await load()).confirm({ message, default: initial }, streams),
    typed: async (message, expected) => (await text(message)) === expected,
    secret: async (message) => (await load()).password({ message, mask: false }, streams),
    text,
    select: async (message, choices) => {
      const { findMatchingPositions: matching, search } = await load()
      return search(
        {
          message,
          pageSize,
          source: (term) =>
            matching(choices, term ?? '').flatMap((i) => {
              const choice = choices[i]
              return choice === undefined ? [] : [choice]
            }),
        },
        streams,
      )
    },
    selectMany: async (message, choices) => {
      const { selectItems } = await load()
      return pickChoices(choices, await selectItems({ message, items: choices, pageSize }, streams))
    },
  }
}

/** Creates prompts for screen readers: plain lines and numbered lists. */
const createPlainPrompts = (streams: PromptStreams): Prompts => {
  const lines: LineStreams = streams
  const load = () => import('./plain-prompts.js')
  const text = async (question: string, initial?: string): Promise<string> => {
    const shown = initial === undefined ? question : `${question} (${initial})`
    const answer = await (await load()).askLine(shown, lines)
    return answer === '' && initial !== undefined ? initial : answer
  }
  return {
    confirm: async (question, initial = false) => (await load()).askYesNo(question, initial, lines),
    typed: async (question, expected) => (await text(question)) === expected,
    secret: async (question) => (await load()).askHidden(question, lines),
    text,
    select: async (question, choices) => {
      const [first] = pickChoices(
        choices,
        await (await load()).askNumbers(question, choices, false, lines),
      )
      if (first === undefined) throw new Failure('usage', 'nothing to choose from')
      return first
    },
    selectMany: async (question, choices) =>
      pickChoices(choices, await (await load()).askNumbers(question, choices, true, lines)),
  }
}

/**
 * Creates prompts; SVC_ACCESSIBLE=1 makes them plain lines. Use them only if `canPrompt`.
 * @throws Failure `interrupted`, from each prompt, if the person leaves it (Ctrl-C, Ctrl-D, a terminal that hangs up)
 */
export const createPrompts = (streams: PromptStreams, env: Env): Prompts => {
  const kind = isAccessible(env) ? createPlainPrompts : createRedrawnPrompts
  const askWith = <T>(work: (ask: Prompts) => Promise<T>): Promise<T> =>
    askOrInterrupt(streams, (own) => work(kind(own)))
  return {
    confirm: (q, initial) => askWith((ask) => ask.confirm(escapeText(q), initial)),
    typed: (q, expected) => askWith((ask) => ask.typed(escapeText(q), expected)),
    secret: (q) => askWith((ask) => ask.secret(escapeText(q))),
    text: (q, initial) => askWith((ask) => ask.text(escapeText(q), initial)),
    select: (q, choices) => askWith((ask) => ask.select(escapeText(q), escapeChoices(choices))),
    selectMany: (q, choices) =>
      askWith((ask) => ask.selectMany(escapeText(q), escapeChoices(choices))),
  }
}

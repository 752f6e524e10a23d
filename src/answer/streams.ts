/** Opens the streams of a run: its output with pager or frames, its notes, its trace and its prompts. */

import type { Meter, Prompts } from '../base/interaction.js'
import type { Io, Stdout } from '../base/io.js'
import { getStandardInput } from '../base/standard-input.js'
import { tellOnce } from '../base/text.js'
import { writes } from '../catalogue/endpoint.js'
import { canRevealSecret, getCommandName } from '../engine/command/derive.js'
import { isRepeated } from '../engine/command/globals.js'
import type { ExchangeScreen } from '../engine/instance/exchange.js'
import type { PollScreen } from '../engine/repeat.js'
import type { Exchange } from '../http/types.js'
import { type Frames, gutterWidth, openFrames } from '../terminal/frames.js'
import {
  createNotes,
  getLiveness,
  type Liveness,
  labelLines,
  type NoteSubject,
  type Notes,
} from '../terminal/notes.js'
import { openPager } from '../terminal/pager.js'
import { beginProgress, createMeter } from '../terminal/progress.js'
import { createPrompts, canPrompt as isInteractive } from '../terminal/prompts.js'
import { getErrorScreen, getStandardError, printAside, writeQuietly } from '../terminal/standard.js'
import { openStdout } from '../terminal/stdout.js'
import { createAlignedStyle, createStyle, isAccessible, type Style } from '../terminal/style.js'
import type { AnswerOptions, Streams } from './options.js'

// The trace of requests: `-v` prints a line for each exchange, `-vv` adds headers and bodies. Credentials are masked before.

const formatHeaders = (mark: string, headers: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`)

/** Formats the trace of an exchange. */
const formatTrace = (
  exchange: Exchange,
  level: number,
  visible: (text: string) => string,
): string => {
  const { method, url, status, milliseconds, error, requestId } = exchange
  const outcome = status === undefined ? (error ?? 'no answer') : String(status)
  const id = requestId === undefined ? '' : ` (request ${requestId})`
  const { sudo } = exchange
  const as = sudo === undefined ? '' : ` as ${sudo}`
  const head = `* ${method} ${url}${as} → ${outcome} in ${Math.round(milliseconds)} ms${id}`
  const rest =
    level < 2
      ? []
      : [
          ...formatHeaders('>', exchange.requestHeaders),
          ...(exchange.requestBody === undefined ? [] : [`> ${exchange.requestBody}`]),
          ...formatHeaders('<', exchange.responseHeaders),
          ...(exchange.responseBody === undefined ? [] : [`< ${exchange.responseBody}`]),
        ]
  return [head, ...rest].map((line) => `${visible(line)}\n`).join('')
}

/** Creates the screen for messages and traces of requests. */
export const createLogger = (
  io: Io,
  { notes, meter, style, label: of }: Streams,
  verbose: number,
): ExchangeScreen => ({
  say: (text, level) => {
    if (level === 'info' || verbose > 0) notes.note(text)
  },
  warn: (text) => notes.warn(text),
  trace: (exchange) => {
    if (verbose === 0) return
    const text = formatTrace(exchange, verbose, style.visible)
    printAside(io, true, () =>
      writeQuietly(getStandardError(io), of === undefined ? text : labelLines(of, text)),
    )
  },
  meter,
})

/** An output that keeps only the last of several answers. */
interface LastAnswerStdout extends Stdout {
  /** Discards everything that was written. */
  discard(): void
}

const keepLast = (stdout: Stdout): LastAnswerStdout => {
  let written: (string | Uint8Array)[] = []
  return {
    write: async (chunk) => {
      written.push(chunk)
    },
    discard: () => {
      written = []
    },
    end: async () => {
      for (const chunk of written.splice(0)) await stdout.write(chunk)
      await stdout.end()
    },
  }
}

// The output for the rounds of `--watch`: redrawn on a terminal, one after the other elsewhere.

interface AnswerScreen {
  readonly out: Stdout
  readonly redrawn: boolean
  /** The width of the output, in columns. */
  readonly width: number
  /** Wraps the notes of a watch: a redrawn screen shows them below the answer; elsewhere a repeated note is printed once. */
  readonly wrapNotes: (notes: Notes) => Notes
  readonly polls: PollScreen
}

const createRedrawnScreen = (frames: Frames, style: Style, quiet: boolean): AnswerScreen => ({
  out: frames,
  redrawn: true,
  width: style.width - gutterWidth,
  wrapNotes: (notes) => ({
    ...notes,
    note: (text) => {
      if (!quiet) for (const line of [text].flat()) frames.note(style.visible(line))
    },
    warn: (text) => {
      if (!quiet) frames.note(`warning: ${style.visible(text)}`)
    },
  }),
  polls: {
    separateRounds: async () => {},
    endRound: async (status) => {
      if (!quiet) frames.note(status)
      await frames.draw()
    },
  },
})

const createLastOnlyScreen = (
  out: LastAnswerStdout,
  style: Style,
  wrapNotes: AnswerScreen['wrapNotes'],
): AnswerScreen => ({
  out,
  redrawn: false,
  width: style.width,
  wrapNotes,
  polls: {
    separateRounds: async () => out.discard(),
    endRound: async () => {},
  },
})

/** Writes a separator between the answers of two rounds. A round without an answer, such as an empty list, needs none. */
const separateAnswers = (out: Stdout, separator: string) => {
  let [hasAnswer, isDue] = [false, false]
  const write: Stdout['write'] = async (chunk) => {
    if (chunk.length === 0) return
    if (isDue) await out.write(separator)
    isDue = false
    hasAnswer = true
    await out.write(chunk)
  }
  const separateRounds = async (): Promise<void> => {
    isDue = hasAnswer
  }
  return { out: { write, end: () => out.end() }, separateRounds }
}

const createAnswerScreen = (
  { globals, io, env, format }: Pick<ScreenOptions, 'env' | 'format' | 'globals' | 'io'>,
  style: Style,
  plain: Stdout,
): AnswerScreen => {
  const watching = isRepeated(globals)
  if (watching && style.terminal && !isAccessible(env) && env.TERM !== 'dumb') {
    const countRows = (): number => io.stdout.rows ?? 24
    return createRedrawnScreen(
      openFrames({ stdout: plain, style, rows: countRows }),
      style,
      globals.quiet,
    )
  }
  const printOnce = (notes: Notes): Notes => ({ ...notes, note: tellOnce(notes.note) })
  // --wait-until without --watch prints only the last answer.
  if (watching && globals.watch === undefined)
    return createLastOnlyScreen(keepLast(plain), style, printOnce)
  const { out, separateRounds } = separateAnswers(plain, format.separator ?? '')
  return {
    out: watching ? out : plain,
    redrawn: false,
    width: style.width,
    wrapNotes: (notes) => (watching ? printOnce(notes) : notes),
    polls: { separateRounds, endRound: () => plain.end() },
  }
}

/** True if an answer goes through the pager. The answer to a write does not, so that it stays on the screen. */
const usesPager = (
  { globals, command }: Pick<AnswerOptions, 'globals' | 'command'>,
  style: Style,
): boolean =>
  globals.pager &&
  style.terminal &&
  !isRepeated(globals) &&
  command.longRunning !== true &&
  command.writes !== true &&
  !Object.values(command.endpoints).some(writes)

/** Creates the function that returns true if a person can be asked. The input is checked only if standard error is a terminal. */
const createInteractiveCheck = async ({ io, env }: ScreenOptions): Promise<() => boolean> => {
  const stderr = getErrorScreen(io)
  const typed = stderr.isTTY === true && (await io.typed())
  return () => isInteractive({ stdin: { isTTY: typed }, stderr }, env)
}

const createRunPrompts = ({ io, env, signal }: ScreenOptions): Prompts =>
  createPrompts(
    {
      io,
      // The streams are opened when a question is asked, because that takes milliseconds.
      get input() {
        return getStandardInput(io)
      },
      get output() {
        return getStandardError(io)
      },
      signal,
    },
    env,
  )

const createRunMeter = (io: Io, name: string, liveness: Liveness): Meter =>
  createMeter({
    io,
    name,
    liveness,
    // The meter draws only on a terminal, so standard error is not opened otherwise.
    get stream() {
      return getStandardError(io)
    },
  })

export type ScreenOptions = Pick<
  AnswerOptions,
  'globals' | 'format' | 'io' | 'env' | 'command' | 'signal' | 'isSilent' | 'inner'
>

type NoteOptions = Pick<AnswerOptions, 'globals' | 'format' | 'io' | 'env'>

/**
 * Opens the notes of a run.
 * @param of the subject whose name begins each note, if there are several
 */
export const openNotes = async (
  { globals, format, io, env }: NoteOptions,
  of?: NoteSubject,
): Promise<Notes> => {
  const stream = getErrorScreen(io)
  const style = await createStyle(stream, env, globals.color)
  return createNotes({
    io,
    stream,
    style,
    quiet: globals.quiet,
    json: format.json === true,
    of,
  })
}

interface PagerOptions extends Pick<ScreenOptions, 'env' | 'io'> {
  readonly plain: Stdout
  readonly width: number
  readonly meter: Meter
}

const openRunPager = ({ plain, width, io, env, meter }: PagerOptions): Stdout =>
  openPager({
    stdout: plain,
    rows: io.stdout.rows ?? 24,
    columns: width,
    io,
    env,
    onStart: () => void meter.hold(),
  })

/** True if `-o table` aligns columns without a terminal. A format from a variable or a profile does not, because scripts read tab-separated values. */
const isAlignedByFlag = (
  { format, globals }: Pick<AnswerOptions, 'format' | 'globals'>,
  { terminal }: Style,
): boolean => !terminal && globals.output !== undefined && format.reader === 'people'

/** Discards the output of a silent run. */
const discardingOutput: Stdout = { write: async () => {}, end: async () => {} }

/** Opens the streams of a run. */
export const openStreams = async (options: ScreenOptions): Promise<Streams> => {
  const { globals, format, io, env, command, signal, isSilent = false } = options
  const { stdout } = io
  const outer = options.inner?.file
  const filed = globals.open || globals.to !== undefined || isSilent || outer !== undefined
  const plainStyle = await createStyle(filed ? {} : stdout, env, globals.color)
  const isAligned = isAlignedByFlag(options, plainStyle)
  const style = isAligned ? createAlignedStyle(plainStyle, env) : plainStyle
  const openedNotes = await openNotes(options)
  const plain = outer ?? openStdout(io)
  const { out, width, wrapNotes, polls } = createAnswerScreen(options, style, plain)
  // A watch needs no spinner, since it is redrawn.
  const liveness = getLiveness(getErrorScreen(io), env, globals.quiet || isRepeated(globals))
  const meter = createRunMeter(io, getCommandName(command), liveness)
  const shown = usesPager(options, style)
    ? openRunPager({ plain, width: style.width, io, env, meter })
    : out
  const streams: Streams = {
    style,
    width,
    plain,
    out: shown,
    notes: wrapNotes(openedNotes),
    prompts: createRunPrompts(options),
    meter,
    beginProgress: (text) => beginProgress(text, { io, liveness }),
    polls,
    interactive: await createInteractiveCheck(options),
    finish: async (say) => {
      await shown.end()
      say()
    },
  }
  if (isSilent) return { ...streams, out: discardingOutput }
  if (!filed && format.page === undefined) return streams
  const { checkFileFlags, openAnswerFile } = await import('./answer-file.js')
  checkFileFlags(format, globals, style.terminal)
  const secret = globals.showSecrets || canRevealSecret(command)
  const named = { name: getCommandName(command), globals, env, secret, signal }
  return openAnswerFile(streams, await format.page?.(), named)
}

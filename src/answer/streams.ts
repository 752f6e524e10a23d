/** The streams of a run: where answers go, what is said beside them, how questions are asked. */
import { getCurrentIo, type Stdout } from '../base/io.js'
import type { Meter } from '../base/progress.js'
import type { Prompts } from '../base/prompts.js'
import { getStandardInput } from '../base/standard-input.js'
import { tellOnce } from '../base/text.js'
import { writes } from '../catalogue/endpoint.js'
import { getCommandName } from '../engine/command/derive.js'
import type { Globals } from '../engine/command/globals.js'
import { isRepeated } from '../engine/command/globals.js'
import type { ExchangeScreen } from '../engine/instance/exchange.js'
import type { PollScreen } from '../engine/repeat.js'
import type { Exchange } from '../http/types.js'
import type { Format } from '../output/types.js'
import { type Frames, gutterWidth, openFrames } from '../terminal/frames.js'
import { createNotes, getLiveness, labelLines, type Notes } from '../terminal/notes.js'
import { openPager } from '../terminal/pager.js'
import { createMeter } from '../terminal/progress.js'
import { createPrompts, canPrompt as isInteractive } from '../terminal/prompts.js'
import {
  getStandardError,
  getStandardOutput,
  printAside,
  writeQuietly,
} from '../terminal/standard.js'
import { openStdout } from '../terminal/stdout.js'
import { createAlignedStyle, createStyle, isAccessible, type Style } from '../terminal/style.js'
import type { AnswerOptions, Streams } from './options.js'

// What a run says beside its answer: of its requests, and below the output.

// `-v`: one exchange as text; `-vv` with headers and bodies. Credentials are redacted already.

const formatHeaders = (mark: string, headers: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(headers).map(([name, value]) => `${mark} ${name}: ${value}`)

/** Returns the lines of a trace, each ended. */
const traceText = (
  exchange: Exchange,
  level: number,
  visible: (text: string) => string,
): string => {
  const { method, url, status, milliseconds, error, requestId } = exchange
  const outcome = status === undefined ? (error ?? 'no answer') : String(status)
  const id = requestId === undefined ? '' : ` (request ${requestId})`
  const { sudo } = exchange.requestHeaders
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

/** Creates the screen that shows, beside the answer, what the exchange says. */
export const createLogger = (
  { notes, meter, style, of }: Streams,
  verbose: number,
): ExchangeScreen => ({
  say: (text, level) => {
    if (level === 'info' || verbose > 0) notes.note(text)
  },
  warn: (text) => notes.warn(text),
  trace: (exchange) => {
    if (verbose === 0) return
    const text = traceText(exchange, verbose, style.visible)
    printAside(true, () =>
      writeQuietly(getStandardError(), of === undefined ? text : labelLines(of, text)),
    )
  },
  meter,
})

// The last of several answers: those before it are let go.

interface LastAnswer extends Stdout {
  /** Lets go of what was written. */
  drop(): void
}

const openLast = (stdout: Stdout): LastAnswer => {
  let written: (string | Uint8Array)[] = []
  return {
    write: async (chunk) => {
      written.push(chunk)
    },
    drop: () => {
      written = []
    },
    end: async () => {
      for (const chunk of written.splice(0)) await stdout.write(chunk)
      await stdout.end()
    },
  }
}

// Where the rounds of `--watch` go: over each other on a terminal, one after the other elsewhere.

interface AnswerScreen {
  readonly out: Stdout
  readonly redrawn: boolean
  /** Columns for the answer. */
  readonly width: number
  /** Notes of a watch: below the picture, or each said once. */
  readonly notes: (notes: Notes) => Notes
  readonly polls: PollScreen
}

const createRedrawnScreen = (frames: Frames, style: Style, quiet: boolean): AnswerScreen => ({
  out: frames,
  redrawn: true,
  width: style.width - gutterWidth,
  notes: (notes) => ({
    ...notes,
    note: (text) => {
      if (!quiet) for (const line of [text].flat()) frames.note(style.visible(line))
    },
    warn: (text) => {
      if (!quiet) frames.note(`warning: ${style.visible(text)}`)
    },
  }),
  polls: {
    between: async () => {},
    end: async (status) => {
      if (!quiet) frames.note(status)
      await frames.draw()
    },
  },
})

const createLastOnlyScreen = (
  out: LastAnswer,
  style: Style,
  notes: AnswerScreen['notes'],
): AnswerScreen => ({
  out,
  redrawn: false,
  width: style.width,
  notes,
  polls: {
    between: async () => out.drop(),
    end: async () => {},
  },
})

const createPolls = (
  globals: Pick<Globals, 'watch' | 'waitUntil' | 'quiet'>,
  env: NodeJS.ProcessEnv,
  format: Format,
  style: Style,
  plain: Stdout,
): AnswerScreen => {
  const watching = isRepeated(globals)
  if (watching && style.terminal && !isAccessible(env) && env.TERM !== 'dumb') {
    const rows = (): number => getStandardOutput().rows ?? 24
    return createRedrawnScreen(openFrames({ stdout: plain, style, rows }), style, globals.quiet)
  }
  const saidOnce = (notes: Notes): Notes => ({ ...notes, note: tellOnce(notes.note) })
  // Who only waits for the end of it has no use for what was before.
  if (watching && globals.watch === undefined)
    return createLastOnlyScreen(openLast(plain), style, saidOnce)
  return {
    out: plain,
    redrawn: false,
    width: style.width,
    notes: (notes) => (watching ? saidOnce(notes) : notes),
    polls: {
      between: () => plain.write(format.separator ?? ''),
      end: () => plain.end(),
    },
  }
}

/** True if an answer goes through the pager. The answer to a write stays on the screen, beside what was typed. */
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

/** Finds whether a person is there; only one at a screen can type: elsewhere terminals are not even loaded. */
const detectPresence = async (env: NodeJS.ProcessEnv): Promise<() => boolean> => {
  const stderr = getStandardError()
  const typed = stderr.isTTY === true && (await getCurrentIo().typed())
  return () => isInteractive({ stdin: { isTTY: typed }, stderr }, env)
}

const createRunPrompts = (signal: AbortSignal, env: NodeJS.ProcessEnv): Prompts =>
  createPrompts(
    {
      // Opened when a question is asked: it takes milliseconds.
      get input() {
        return getStandardInput()
      },
      output: getStandardError(),
      signal,
    },
    env,
  )

export type ScreenOptions = Pick<
  AnswerOptions,
  'globals' | 'format' | 'env' | 'command' | 'signal' | 'isSilent' | 'inner'
>

type NoteOptions = Pick<AnswerOptions, 'globals' | 'format' | 'env'>

/**
 * Opens the notes of a run.
 * @param of the profile that is spoken of, where there are several
 */
export const openNotes = async (
  { globals, format, env }: NoteOptions,
  of?: string,
): Promise<Notes> => {
  const stream = getStandardError()
  const style = await createStyle(stream, env, globals.color)
  return createNotes({
    stream,
    style,
    quiet: globals.quiet,
    json: format.json === true,
    of,
  })
}

interface PagerOptions {
  readonly plain: Stdout
  readonly width: number
  readonly env: NodeJS.ProcessEnv
  readonly meter: Meter
}

const openRunPager = ({ plain, width, env, meter }: PagerOptions): Stdout =>
  openPager({
    stdout: plain,
    rows: getStandardOutput().rows ?? 24,
    columns: width,
    env,
    onStart: () => void meter.hold(),
  })

/** True if a flag asks for a table where there is no terminal. A variable or a profile never does: scripts read tab-separated values. */
const isAlignedAnyway = (
  { format, globals }: Pick<AnswerOptions, 'format' | 'globals'>,
  { terminal }: Style,
): boolean => !terminal && globals.output !== undefined && format.reader === 'people'

/** The output for an answer that is not wanted. */
const nowhere: Stdout = { write: async () => {}, end: async () => {} }

/** Opens the streams of a run. */
export const openStreams = async (options: ScreenOptions): Promise<Streams> => {
  const { globals, format, env, command, signal, isSilent = false } = options
  const stdout = getStandardOutput()
  const outer = options.inner?.file
  const filed = globals.open || globals.to !== undefined || isSilent || outer !== undefined
  const plainStyle = await createStyle(filed ? {} : stdout, env, globals.color)
  const style = isAlignedAnyway(options, plainStyle)
    ? createAlignedStyle(plainStyle, env)
    : plainStyle
  const said = await openNotes(options)
  const plain = outer ?? openStdout(getStandardOutput())
  const { out, width, notes, polls } = createPolls(globals, env, format, style, plain)
  // A watch shows by itself that it goes on.
  const liveness = getLiveness(getStandardError(), env, globals.quiet || isRepeated(globals))
  const meter = createMeter({ name: getCommandName(command), liveness, stream: getStandardError() })
  const shown = usesPager(options, style)
    ? openRunPager({ plain, width: style.width, env, meter })
    : out
  const streams: Streams = {
    style,
    width,
    plain,
    out: shown,
    notes: notes(said),
    prompts: createRunPrompts(signal, env),
    meter,
    liveness,
    polls,
    interactive: await detectPresence(env),
    finish: async (say) => {
      await shown.end()
      say()
    },
  }
  if (isSilent) return { ...streams, out: nowhere }
  if (!filed && format.page === undefined) return streams
  const { checkFileFlags: checkFile, withFile } = await import('./file.js')
  checkFile(format, globals, style.terminal)
  const name = getCommandName(command)
  return withFile(streams, await format.page?.(), { name, globals, env, signal })
}

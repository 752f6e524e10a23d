/** The streams of a run: where answers go, what is said beside them, how questions are asked. */
import { writes } from '../../catalogue/endpoint.js'
import { named } from '../../commands/derive/index.js'
import { isRepeated } from '../../commands/repeat-flags.js'
import {
  createPrompts,
  interactive as isInteractive,
  type Prompts,
} from '../../terminal/questions/prompts.js'
import { createMeter, type Meter } from '../../terminal/streams/meter.js'
import { createNotes, livenessOf, type Notes } from '../../terminal/streams/notes.js'
import { openPager } from '../../terminal/streams/pager.js'
import { standardError, standardInput, standardOutput } from '../../terminal/streams/standard.js'
import { openStdout, type Stdout } from '../../terminal/streams/stdout.js'
import { type Style, styleOf } from '../../terminal/text/style.js'
import type { RunOptions } from './options.js'
import { roundsOf } from './rounds.js'
import type { Streams } from './screen.js'

/** What a write answers stays on the screen, beside what was typed. */
const pages = (
  { globals, command }: Pick<RunOptions, 'globals' | 'command'>,
  style: Style,
): boolean =>
  globals.pager &&
  style.terminal &&
  !isRepeated(globals) &&
  command.lasts !== true &&
  !Object.values(command.endpoints).some(writes)

/** Whether a person is there; only one at a screen can type: elsewhere terminals are not even loaded. */
const presence = async (env: NodeJS.ProcessEnv): Promise<() => boolean> => {
  const stderr = standardError()
  const typed = stderr.isTTY && (await import('node:tty')).isatty(0)
  return () => isInteractive({ stdin: { isTTY: typed }, stderr }, env)
}

const promptsOf = (signal: AbortSignal, env: NodeJS.ProcessEnv): Prompts =>
  createPrompts(
    {
      // Opened when a question is asked: it takes milliseconds.
      get input() {
        return standardInput()
      },
      output: standardError(),
      signal,
    },
    env,
  )

export type ScreenOptions = Pick<RunOptions, 'globals' | 'format' | 'env' | 'command' | 'signal'>

type Said = Pick<RunOptions, 'globals' | 'format' | 'env'>

/** @param of the profile that is spoken of, where there are several */
export const notesOf = async ({ globals, format, env }: Said, of?: string): Promise<Notes> => {
  const stream = standardError()
  const style = await styleOf(stream, env, globals.color)
  return createNotes({
    stream,
    style,
    quiet: globals.quiet,
    json: format.json === true,
    of,
  })
}

interface Paged {
  readonly plain: Stdout
  readonly width: number
  readonly env: NodeJS.ProcessEnv
  readonly meter: Meter
}

const pager = ({ plain, width, env, meter }: Paged): Stdout =>
  openPager({
    stdout: plain,
    rows: standardOutput().rows ?? 24,
    columns: width,
    env,
    started: () => void meter.hold(),
  })

/** The streams of a run, or those of the one that it is part of. */
export const streamsOf = async (options: RunOptions): Promise<Streams> =>
  options.part?.screen ?? options.inner?.screen ?? (await openStreams(options))

/** Opens the streams of a run. */
export const openStreams = async (options: ScreenOptions): Promise<Streams> => {
  const { globals, format, env, command, signal } = options
  const style = await styleOf(standardOutput(), env, globals.color)
  const said = await notesOf(options)
  const plain = openStdout(standardOutput())
  const { out, width, notes, rounds } = roundsOf(globals, env, format, style, plain)
  // A watch shows by itself that it goes on.
  const liveness = livenessOf(standardError(), env, globals.quiet || isRepeated(globals))
  const meter = createMeter({ name: named(command), liveness, stream: standardError() })
  return {
    style,
    width,
    plain,
    out: pages(options, style) ? pager({ plain, width: style.width, env, meter }) : out,
    notes: notes(said),
    prompts: promptsOf(signal, env),
    meter,
    liveness,
    rounds,
    interactive: await presence(env),
  }
}

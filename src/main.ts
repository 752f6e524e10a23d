/** Arguments in, exit code out. Nothing else ends the process. */

import type { FailureFormat } from './answer/options.js'
import { type Io, processIo, runWithIo } from './base/io.js'
import { cleanVariables } from './base/switches.js'
import { version } from './base/version.js'
import { renderCommandHelp } from './cli/help/command.js'
import type { PageStyle } from './cli/help/layout.js'
import { renderAreaHelp, renderRootHelp, renderTopic, suggestTopic } from './cli/help/topics.js'
import { expandFailed, parseInnerTokens, parseTokens } from './cli/words/tree.js'
import { findSwitch } from './engine/command/tokens.js'
import { type HelpTopic, isWord, type ParsedLine } from './engine/plan/line.js'
import { ClosedPipe, exitCodes, Failure } from './errors.js'
import { hasExtensions } from './profile/paths.js'
import { openPager } from './terminal/pager.js'
import { endBySignal, getStandardError, writeQuietly } from './terminal/standard.js'
import { openStdout, printAtOnce } from './terminal/stdout.js'
import { createStyle } from './terminal/style.js'

/** Signals that interrupt a run. */
const interrupting = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Turns the first signal into an interruption that commands can clean up after. Further signals change nothing. */
const watchSignals = (io: Io) => {
  let came: NodeJS.Signals | undefined
  let controller: AbortController | undefined
  const stop = (signal: NodeJS.Signals): void => {
    came ??= signal
    controller?.abort()
  }
  /** Returns the signal, made on demand: Node loads much for it, and help runs nothing that could be stopped. */
  const signal = (): AbortSignal => {
    controller ??= new AbortController()
    if (came !== undefined) controller.abort()
    return controller.signal
  }
  const releases = interrupting.map((name) => io.onSignal(name, stop))
  const release = (): void => {
    for (const releaseOne of releases) releaseOne()
  }
  return { signal, came: () => came, release }
}

/** Shows help and the like: on a terminal, text longer than the screen goes through the pager. */
const showPage = async (io: Io, text: string): Promise<number> => {
  if (!io.mayBeTerminal('stdout')) {
    await printAtOnce(io, text)
    return 0
  }
  const { stdout } = io
  const plain = openStdout(io)
  const paged = stdout.isTTY === true && findSwitch(io.argv, 'pager') !== false
  const out = paged
    ? openPager({
        stdout: plain,
        rows: stdout.rows ?? 24,
        columns: stdout.columns ?? 80,
        io,
        env: io.env,
      })
    : plain
  await out.write(text)
  await out.end()
  return 0
}

/** Creates the style of help, which fits 80 columns, and a narrower terminal. */
const createHelpStyle = async (io: Io): Promise<PageStyle> => {
  const screen = io.mayBeTerminal('stdout') ? io.stdout : {}
  const { width, bold, dim } = await createStyle(screen, io.env)
  return { width: Math.min(width, 80), bold, dim }
}

const renderHelp = async (io: Io, place: HelpTopic): Promise<string> => {
  const style = await createHelpStyle(io)
  if (place.kind === 'command')
    return renderCommandHelp(place.command, style, io.argv.includes('--all'))
  return place.kind === 'area'
    ? renderAreaHelp(place.area, style, place.group)
    : renderRootHelp(style)
}

/** The first word of the line that shells send for TAB. */
const tab = '__complete'

/** Answers TAB. */
const complete = async (io: Io, argv: readonly string[]): Promise<number> => {
  await (await import('./cli/tab.js')).printCandidates(argv, io)
  return 0
}

/** Loads the commands of extensions; the documents' commands go on where that fails. */
const extendCatalogue = async (io: Io, isTab: boolean): Promise<void> => {
  const { env } = io
  if (!hasExtensions(env)) return
  const { loadExtensions } = await import('./profile/extensions.js')
  const fault = loadExtensions(env)
  if (fault !== undefined && !isTab) writeQuietly(getStandardError(io), `${fault}\n`)
}

/** Runs what a line asks for. @returns the exit code */
const answerLine = async (
  io: Io,
  line: ParsedLine,
  signal: () => AbortSignal,
  onFormat: (how: FailureFormat) => void,
): Promise<number> => {
  if (line.kind === 'run') {
    const { execute } = await import('./answer/execute.js')
    const parse = (tokens: readonly string[]) => parseInnerTokens(tokens, io.env)
    return execute({ ...line, io, signal: signal(), onFormat, parse })
  }
  if (line.kind === 'version') return showPage(io, `${version}\n`)
  const text = await renderHelp(io, line.of)
  if (line.kind === 'help') return showPage(io, text)
  // An area without a verb is a mistake: its help is no answer.
  writeQuietly(getStandardError(io), text)
  return exitCodes.usage
}

/** The error of a refused line, with the line that was probably meant. */
const advise = async (io: Io, error: unknown): Promise<unknown> => {
  const isOfLine =
    error instanceof Failure && error.category === 'usage' && error.details.ofInput !== true
  if (!isOfLine) return error
  return (await import('./cli/foreign/index.js')).adviseLine(error, io.argv, io)
}

/** Runs one command line. @returns the exit code */
const dispatch = async (
  io: Io,
  signal: () => AbortSignal,
  onFormat: (how: FailureFormat) => void,
): Promise<number> => {
  const { argv, env } = io
  const [first, ...words] = argv
  await extendCatalogue(io, first === tab)
  if (first === tab) return complete(io, words)
  if (first !== 'help')
    try {
      return await answerLine(io, await parseTokens(argv, env), signal, onFormat)
    } catch (error) {
      throw await advise(io, error)
    }
  const [about = '', ...more] = words.filter(isWord)
  const topic = more.length === 0 ? await renderTopic(about) : undefined
  if (topic !== undefined) return showPage(io, topic)
  // As `--help` behind the words: Commander's own help takes one word only.
  const line = await parseTokens([...words, '--help'], env).catch(async (error: unknown) => {
    throw more.length === 0 ? await suggestTopic(about, error) : error
  })
  return answerLine(io, line, signal, onFormat)
}

/**
 * Begins a run with the exit code of a defect, so that a promise that never settles is no success: Node ends a process
 * that has nothing left to wait for, with whichever exit code is set.
 * @param tell reports that the run did not finish
 * @returns the function to call once the run has finished
 */
const beginRun = (io: Io, tell: () => Promise<void>): (() => void) => {
  io.exitCode = exitCodes.internal
  return io.onStall(tell)
}

/** Runs the line of an `Io`. */
const runLine = async (io: Io): Promise<void> => {
  const { argv } = io
  const { signal, came, release } = watchSignals(io)
  let how: FailureFormat | undefined
  const fail = async (error: unknown): Promise<void> => {
    const { getFailureExitCode, getRunFailure, reportFailure } = await import(
      './answer/failure-report.js'
    )
    const words = await expandFailed(argv, io.env)
    const ended = { error, interrupted: came() !== undefined, argv: words, env: io.env, how }
    const failure = getRunFailure(ended)
    io.exitCode = getFailureExitCode(failure, ended)
    await reportFailure(io, failure, ended)
  }
  const finish = beginRun(io, () =>
    fail(
      new Failure(
        'internal',
        'the command did not finish, because it waits for an event that cannot happen',
      ),
    ),
  )
  try {
    io.exitCode = await dispatch(io, signal, (decided) => {
      how = decided
    })
  } catch (error) {
    if (error instanceof ClosedPipe) io.exitCode = 0
    else await fail(error)
  } finally {
    finish()
    endBySignal(io, came())
    release()
  }
  // A name that is still being resolved would keep a TAB waiting.
  if (argv[0] === tab) io.end()
}

/**
 * Runs one command line. Sets `exitCode`; ends nothing by itself, so that output is drained, except after TAB.
 * A line that a signal interrupted ends by that signal, whatever its work came to.
 * @param io what the line has of the process: of this one, unless a test or a program gives another
 */
export const main = (io: Io = processIo): Promise<void> => {
  cleanVariables(io.env)
  return runWithIo(io, () => runLine(io))
}

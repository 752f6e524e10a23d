/** Arguments in, exit code out. Nothing else ends the process. */

import { version } from './base/version.js'
import { commandHelp } from './cli/help/command.js'
import type { PageStyle } from './cli/help/layout.js'
import { areaHelp, rootHelp } from './cli/help/pages.js'
import { topicHelp } from './cli/help/topics.js'
import type { Decided } from './cli/run/options.js'
import { type About, isWord, type Meant } from './cli/words/line.js'
import { parse } from './cli/words/tree.js'
import { exitCodes } from './errors.js'
import { openPager } from './terminal/streams/pager.js'
import {
  endWithTerminal,
  mayBeTerminal,
  say,
  standardError,
  standardOutput,
} from './terminal/streams/standard.js'
import { ClosedPipe, openStdout, printAtOnce } from './terminal/streams/stdout.js'
import { styleOf } from './terminal/text/style.js'

/** Turns signals into an interruption that commands can clean up after. */
const interruptions = () => {
  let [came, hungUp] = [false, false]
  let controller: AbortController | undefined
  const stop = (why: NodeJS.Signals): void => {
    came = true
    hungUp ||= why === 'SIGHUP'
    controller?.abort()
  }
  /** Made when it is asked for: Node loads much for it, and help runs nothing that could be stopped. */
  const signal = (): AbortSignal => {
    controller ??= new AbortController()
    if (came) controller.abort()
    return controller.signal
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)
  const release = (): void => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    process.off('SIGHUP', stop)
  }
  return { signal, came: () => came, hungUp: () => hungUp, release }
}

/** Help and the like: on a terminal, what is longer than the screen goes through the pager. */
const page = async (text: string): Promise<number> => {
  if (!mayBeTerminal()) {
    await printAtOnce(text)
    return 0
  }
  const { env, argv } = process
  const stdout = standardOutput()
  const plain = openStdout()
  const paged = stdout.isTTY === true && !argv.includes('--no-pager')
  const out = paged
    ? openPager({ stdout: plain, rows: stdout.rows ?? 24, columns: stdout.columns ?? 80, env })
    : plain
  await out.write(text)
  await out.end()
  return 0
}

/** Help fits 80 columns, and a narrower terminal. */
const helpStyle = async (): Promise<PageStyle> => {
  const screen = mayBeTerminal() ? standardOutput() : {}
  const { width, bold, dim } = await styleOf(screen, process.env)
  return { width: Math.min(width, 80), bold, dim }
}

const helpOn = (place: About, style: PageStyle): Promise<string> => {
  if (place.kind === 'command') return commandHelp(place.command, style)
  return place.kind === 'area' ? areaHelp(place.area, style, place.group) : rootHelp(style)
}

/** Answers TAB. */
const complete = async (argv: readonly string[]): Promise<never> => {
  await (await import('./cli/tab/tab.js')).answerTab(argv, process.env)
  // A name that is still being resolved would keep a TAB waiting.
  process.exit(0)
}

/** Does what a line asks for. @returns the exit code */
const answer = async (
  line: Meant,
  signal: () => AbortSignal,
  decided: (how: Decided) => void,
): Promise<number> => {
  if (line.kind === 'run') {
    const { execute } = await import('./cli/run/execute.js')
    return execute(line.command, line.raw, signal(), decided, line.own)
  }
  if (line.kind === 'version') return page(`${version}\n`)
  const text = await helpOn(line.of, await helpStyle())
  if (line.kind === 'help') return page(text)
  // An area without a verb is a mistake: its help is no answer.
  say(standardError(), text)
  return exitCodes.usage
}

/** Runs one command line. @returns the exit code */
const dispatch = async (
  argv: readonly string[],
  signal: () => AbortSignal,
  decided: (how: Decided) => void,
): Promise<number> => {
  const [first, ...words] = argv
  if (first === '__complete') return complete(words)
  if (first !== 'help') return answer(await parse(argv), signal, decided)
  const [about = '', ...more] = words.filter(isWord)
  const topic = more.length === 0 ? await topicHelp(about) : undefined
  if (topic !== undefined) return page(topic)
  // As `--help` behind the words: Commander's own help takes one word only.
  return answer(await parse([...words, '--help']), signal, decided)
}

/**
 * The program. Sets `process.exitCode`; never exits by itself, so that output is drained.
 * @param argv arguments without the interpreter and the script
 */
export const main = async (argv: readonly string[]): Promise<void> => {
  const { signal, came, hungUp, release } = interruptions()
  let how: Decided | undefined
  try {
    process.exitCode = await dispatch(argv, signal, (decided) => {
      how = decided
    })
  } catch (error) {
    if (error instanceof ClosedPipe) {
      process.exitCode = 0
      return
    }
    const { failureIn, tell } = await import('./cli/run/failed.js')
    const ended = { error, interrupted: came(), argv, how }
    const failure = failureIn(ended)
    process.exitCode = failure.exitCode
    await tell(failure, ended)
    await endWithTerminal(hungUp())
  } finally {
    release()
  }
}

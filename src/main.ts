/** Arguments in, exit code out. Nothing else ends the process. */

import type { Style } from './cli/help/layout.js'
import { areaHelp, commandHelp, rootHelp, topicHelp } from './cli/help/pages.js'
import { type Decided, execute } from './cli/run/execute.js'
import { failuresInJson } from './cli/run/format.js'
import { type AreaMeaning, checkFlags, resolve, verbMissing } from './cli/words/grammar.js'
import { parseLeaf, type Raw } from './cli/words/leaf.js'
import { bugs, version } from './cli/words/version.js'
import { codeOf, exitCodes, Failure, reasonOf, usage } from './errors.js'
import { printError } from './terminal/streams/notes.js'
import { openPager } from './terminal/streams/pager.js'
import { endWithTerminal, say, standardError, standardOutput } from './terminal/streams/standard.js'
import { ClosedPipe, openStdout } from './terminal/streams/stdout.js'
import { styleOf } from './terminal/text/style.js'

/** Turns signals into an interruption that commands can clean up after. */
const interruptions = () => {
  const controller = new AbortController()
  let hungUp = false
  const stop = (why: NodeJS.Signals): void => {
    hungUp ||= why === 'SIGHUP'
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  process.on('SIGHUP', stop)
  const release = (): void => {
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    process.off('SIGHUP', stop)
  }
  return { signal: controller.signal, hungUp: () => hungUp, release }
}

/** Help and the like: on a terminal, what is longer than the screen goes through the pager. */
const page = async (text: Promise<string>): Promise<number> => {
  const { env, argv } = process
  const stdout = standardOutput()
  const plain = openStdout()
  const paged = stdout.isTTY === true && !argv.includes('--no-pager')
  const out = paged
    ? openPager({ stdout: plain, rows: stdout.rows ?? 24, columns: stdout.columns ?? 80, env })
    : plain
  await out.write(await text)
  await out.end()
  return 0
}

const helpFor = async (words: readonly string[], style: Style): Promise<string> => {
  const [first] = words
  const topic = words.length === 1 && first !== undefined ? topicHelp(first) : undefined
  if (first === undefined) return rootHelp(style)
  if (topic !== undefined) return topic
  const meaning = await resolve(words)
  if (meaning.kind === 'command') return commandHelp(meaning.command, style)
  return meaning.kind === 'area' ? areaHelp(meaning.area, style, meaning.group) : rootHelp(style)
}

const asksHelp = (raw: Raw): boolean => raw.flags.get('help')?.at(-1) === 'true'

/** Help fits 80 columns, and a narrower terminal. */
const helpStyle = async (): Promise<Style> => {
  const { width, bold, dim } = await styleOf(standardOutput(), process.env)
  return { width: Math.min(width, 80), bold, dim }
}

const isHelp = (token: string): boolean => token === '--help' || token === '-h'

/** Runs one command line. @returns the exit code */
const dispatch = async (
  argv: readonly string[],
  signal: AbortSignal,
  decided: (how: Decided) => void,
): Promise<number> => {
  if (argv[0] === '__complete') {
    await (await import('./cli/tab/tab.js')).answerTab(argv.slice(1), process.env)
    // A name that is still being resolved would keep a TAB waiting.
    process.exit(0)
  }
  const style = await helpStyle()
  if (argv[0] === 'help')
    return page(
      helpFor(
        argv.slice(1).filter((t) => !isHelp(t)),
        style,
      ),
    )
  const meaning = await resolve(argv)
  if (meaning.kind === 'root') return rootOnly(meaning.rest, style)
  if (meaning.kind === 'area') return areaOnly(meaning, style)
  // Help is shown whatever else is wrong with the line.
  const end = meaning.rest.indexOf('--')
  const flags = end < 0 ? meaning.rest : meaning.rest.slice(0, end)
  if (flags.some(isHelp)) return page(commandHelp(meaning.command, style))
  const raw = parseLeaf(meaning.command, meaning.rest)
  if (asksHelp(raw)) return page(commandHelp(meaning.command, style))
  return execute(meaning.command, raw, signal, decided)
}

const isVersion = (token: string): boolean => token === '--version' || token === '-V'

/** No command: the version, help, or a flag that nothing here takes. */
const rootOnly = async (flags: readonly string[], style: Style): Promise<number> => {
  if (flags.length === 0 || flags.some(isHelp)) return page(rootHelp(style))
  if (flags.some(isVersion)) return page(Promise.resolve(`${version}\n`))
  checkFlags(flags, ['version'])
  throw usage('there is no command', 'Run svcctl --help for the list.')
}

/** An area or group without a verb is a mistake, except when help is asked for. */
const areaOnly = async ({ area, group, rest }: AreaMeaning, style: Style): Promise<number> => {
  if (rest.some(isHelp)) return page(areaHelp(area, style, group))
  if (rest.length > 0) throw await verbMissing(area, group, rest)
  say(standardError(), await areaHelp(area, style, group))
  return exitCodes.usage
}

/** After a signal, whatever ended the run is its doing; what says more than that is kept. */
const interruptionOf = (error: unknown): Failure =>
  error instanceof Failure && error.category === 'interrupted'
    ? error
    : new Failure('interrupted', 'interrupted')

/** A parser's message quotes what it was given, which may be an answer with secrets. */
const defectText = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'a text that it did not understand'
  return error instanceof Error ? error.message : String(error)
}

/** What the system refused, which no part of the program put into words, is no defect either. */
const refusedBySystem = (error: unknown): Failure | undefined => {
  if (!(error instanceof Error) || !('syscall' in error) || codeOf(error) === '') return undefined
  const path = 'path' in error ? String(error.path) : ''
  return new Failure(
    'failed',
    `${path === '' ? String(error.syscall) : path}: ${reasonOf(error)}`,
    {
      hint:
        path !== '' && path.startsWith(process.env.TMPDIR || '/tmp')
          ? 'It is for temporary files: name a folder that you can write in TMPDIR.'
          : 'Look at what is there, and at who may read and write it.',
      cause: error,
    },
  )
}

/** A defect, and where to report it. */
const defect = (message: string, cause: unknown): Failure =>
  new Failure('internal', `svcctl has a defect: ${message}`, {
    hint: `Please report it at ${bugs} with the command line and the output of -v, without tokens.`,
    cause,
  })

const failureOf = (error: unknown): Failure => {
  if (!(error instanceof Failure)) return refusedBySystem(error) ?? defect(defectText(error), error)
  return error.category === 'internal' ? defect(error.message, error) : error
}

/**
 * The program. Sets `process.exitCode`; never exits by itself, so that output is drained.
 * @param argv arguments without the interpreter and the script
 */
export const main = async (argv: readonly string[]): Promise<void> => {
  const { signal, hungUp, release } = interruptions()
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
    const failure = signal.aborted ? interruptionOf(error) : failureOf(error)
    process.exitCode = failure.exitCode
    how ??= { json: failuresInJson(argv, process.env) }
    await printError(failure, { ...how, env: process.env })
    if (
      failure.category === 'internal' &&
      error instanceof Error &&
      process.env.SVC_DEBUG !== undefined
    )
      say(standardError(), `${error.stack ?? ''}\n`)
    await endWithTerminal(hungUp())
  } finally {
    release()
  }
}

/** Passes output that is longer than the screen through a pager. */

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { getProgramFolder, hasOwnProcess, type Io, type Stdout } from '../base/io.js'
import { splitCommand } from '../base/shell-words.js'
import { openStdout } from './stdout.js'
import type { Env } from './style.js'

/** Splits a command line into words. An invalid one has no words, so that no pager is used. */
const splitPager = (line: string): readonly string[] => {
  try {
    return splitCommand(line)
  } catch {
    return []
  }
}

/** Returns the program and arguments of the pager; undefined if none is wanted (empty, or `cat`). */
export const parsePager = (env: Env): readonly [string, ...string[]] | undefined => {
  const [program, ...args] = splitPager(env.SVC_PAGER ?? env.PAGER ?? 'less')
  if (program === undefined || program === 'cat') return undefined
  const isLess = /(^|\/)less$/.test(program)
  // Short output stays on the screen, colors pass through, and the screen is not cleared at the end.
  return isLess && args.length === 0 ? [program, '-FRX'] : [program, ...args]
}

interface PagerOptions {
  readonly io: Io
  readonly stdout: Stdout
  /** The size of the terminal. */
  readonly rows: number
  readonly columns: number
  readonly env: Env
  /** Called when the pager takes over the terminal. */
  readonly onStart?: () => void
}

/** Counts the rows of a text on a screen, including wrapped lines. */
const countRows = (text: string, columns: number): number =>
  stripVTControlCharacters(text)
    .split('\n')
    .slice(0, -1)
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0)

/** Signals that are passed on to the pager, because they end only this program. The pager handles Ctrl-C itself. */
const forwardedSignals = [
  ['SIGTERM', 'SIGTERM'],
  ['SIGHUP', 'SIGHUP'],
  ['SIGQUIT', 'SIGTERM'],
] as const

/**
 * Passes signals on to the pager until it ends.
 * @returns a promise that resolves when the pager ends
 */
const forwardSignals = async (child: ChildProcess, io: Io): Promise<void> => {
  const releases = forwardedSignals.map(([signal, as]) =>
    io.onSignal(signal, () => void child.kill(as)),
  )
  await once(child, 'close')
  for (const release of releases) release()
}

/** Copies the pager's output to the streams of the line, if that runs inside another program. */
const showOutput = ({ stdout, stderr }: ChildProcess, io: Io): void => {
  stdout?.pipe(io.stdout, { end: false })
  stderr?.pipe(io.stderr, { end: false })
}

/** Starts the pager; returns undefined if it cannot be started. */
const startPager = async (
  command: readonly [string, ...string[]],
  { io, env }: Pick<PagerOptions, 'io' | 'env'>,
): Promise<ChildProcess | undefined> => {
  const [program, ...args] = command
  const { startProgram } = await import('../base/processes.js')
  const child = await startProgram(program, args, {
    as: 'tool',
    env,
    cwd: getProgramFolder(io),
    stdio: hasOwnProcess(io) ? ['pipe', 'inherit', 'inherit'] : 'pipe',
  })
  try {
    await once(child, 'spawn')
    showOutput(child, io)
    return child
  } catch {
    return undefined
  }
}

class PagedStdout implements Stdout {
  private held: (string | Uint8Array)[] = []
  private readonly decoder = new TextDecoder()
  private rows = 0
  /** The destination of output, once it is known to be short or long. */
  private target: Stdout | undefined
  private child: ChildProcess | undefined
  private gone: Promise<void> | undefined

  constructor(
    private readonly command: readonly [string, ...string[]],
    private readonly options: PagerOptions,
  ) {}

  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.target !== undefined) return this.target.write(chunk)
    this.held.push(chunk)
    const text = typeof chunk === 'string' ? chunk : this.decoder.decode(chunk)
    this.rows += countRows(text, this.options.columns)
    // The last row is the prompt's.
    if (this.rows < this.options.rows) return
    this.child = await startPager(this.command, this.options)
    if (this.child !== undefined) {
      this.gone = forwardSignals(this.child, this.options.io)
      this.options.onStart?.()
    }
    const stdin = this.child?.stdin
    await this.release(stdin ? openStdout(this.options.io, stdin) : this.options.stdout)
  }

  async end(): Promise<void> {
    if (this.target === undefined) await this.release(this.options.stdout)
    const { child } = this
    if (child === undefined) return this.options.stdout.end()
    try {
      await this.target?.end()
    } finally {
      child.stdin?.end()
      await this.gone
    }
  }

  private async release(target: Stdout): Promise<void> {
    this.target = target
    const { held } = this
    this.held = []
    for (const chunk of held) await target.write(chunk)
  }
}

/**
 * Opens standard output with a pager. Output is held back until it exceeds the screen, then piped to SVC_PAGER, PAGER
 * or `less -FRX`; shorter output is printed directly. Leaving the pager early counts as a closed pipe. `end` waits
 * until the person leaves the pager, so call it after a failure, too.
 */
export const openPager = (options: PagerOptions): Stdout => {
  const command = parsePager(options.env)
  return command === undefined ? options.stdout : new PagedStdout(command, options)
}

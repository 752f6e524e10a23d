/**
 * A command line as a function: the sources, run in the process of the test with arguments, variables, a folder, input and signals
 * of its own. For all tests but those of the process itself (`*.process.test.ts`), which take `program.ts`.
 */
import { tmpdir } from 'node:os'
import { PassThrough, type Writable } from 'node:stream'
import type { Io } from '../../src/base/io.js'
import { createLineIo, type LineSource } from '../../src/base/line-io.js'
import { main } from '../../src/main.js'
import { clean, configuration, folder, type How, type Ran } from './program.js'

/** What the lines of a test file share: the variables of the machine, and a folder in which nothing is. */
interface Surroundings {
  readonly variables: Readonly<Record<string, string>>
  readonly emptyFolder: string
}

/** The surroundings of each test file, by its temporary folder. Reading all variables takes a hundredth of a line's time. */
const surroundings = new Map<string, Surroundings>()
const getSurroundings = (): Surroundings => {
  const known = surroundings.get(tmpdir()) ?? { variables: clean(), emptyFolder: folder() }
  surroundings.set(tmpdir(), known)
  return known
}

/** What a test may exchange of a line's surroundings. */
export type LineChanges = Partial<Omit<Io, 'argv' | 'env' | 'cwd'>>

export interface LineHow extends Omit<How, 'input'> {
  readonly input?: LineSource
  /** With the variables given alone, and none of the test. */
  readonly bare?: true
  readonly io?: LineChanges
  /** Interrupts the line as Ctrl-C does. */
  readonly stop?: AbortSignal
  /** Called each time that it has written to standard output. */
  readonly afterOutput?: () => void
}

/** Calls a listener each time that something was written to a stream. */
const callAfterWrites = (stream: Writable, listener: () => void): void => {
  const write = stream._write.bind(stream)
  stream._write = (chunk, encoding, done) => {
    write(chunk, encoding, done)
    listener()
  }
}

/** Calls a listener each time that a line has written to standard output. */
const callAfterOutput = (io: Io, listener: () => void): void => {
  const { writeNow } = io
  const later = () => void setImmediate(listener)
  callAfterWrites(io.stdout, later)
  io.writeNow = (bytes) => {
    later()
    return writeNow(bytes)
  }
}

const createLine = (args: readonly string[], how: LineHow) => {
  const { env = {}, input, stop, afterOutput } = how
  const { variables, emptyFolder } = getSurroundings()
  const cwd = how.cwd ?? emptyFolder
  const common = () => ({ ...variables, SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? configuration() })
  const whole = { ...(how.bare === true ? {} : common()), ...env }
  const line = createLineIo([...args], { env: whole, cwd, input })
  Object.assign(line.io, how.io)
  if (afterOutput !== undefined) callAfterOutput(line.io, afterOutput)
  stop?.addEventListener('abort', () => line.interrupt(), { once: true })
  const run = async (): Promise<Ran> => {
    await main(line.io)
    const code = line.finish()
    return { stdout: line.stdout(), stderr: line.stderr(), code }
  }
  return { ...line, run }
}

/** Runs `svcctl` and waits for its end, as its namesake of `program.ts` does. */
export const svcctl = (args: readonly string[], how: LineHow = {}): Promise<Ran> =>
  createLine(args, how).run()

export interface StartedLine {
  /** Sends it a signal. */
  readonly kill: (signal: NodeJS.Signals) => void
  /** Writes to its standard input, which stays open; resolves once the line has taken it. */
  readonly write: (text: string) => Promise<void>
  /** Ends its standard input. */
  readonly endInput: () => void
  /** Resolves once standard output holds the text, with all that was said. */
  readonly said: (text: string) => Promise<string>
  /** Resolves once standard error holds the text. */
  readonly noted: (text: string) => Promise<void>
  readonly ended: Promise<Ran>
}

/** Resolves once what is written to a stream holds a text. */
const createWaiting = (stream: Writable, read: () => string) => {
  const waiting = new Set<() => void>()
  callAfterWrites(stream, () => {
    for (const look of waiting) look()
  })
  return (text: string): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!read().includes(text)) return
        waiting.delete(look)
        resolve(read())
      }
      waiting.add(look)
      look()
    })
}

/** Starts a line without waiting for its end, so that something may happen to it meanwhile. Its input stays open, unless it is given. */
export const startLine = (args: readonly string[], how: LineHow = {}): StartedLine => {
  const stdin = new PassThrough()
  const line = createLine(
    args,
    how.input === undefined ? { ...how, io: { stdin, ...how.io } } : how,
  )
  const said = createWaiting(line.io.stdout, line.stdout)
  const noted = createWaiting(line.io.stderr, line.stderr)
  return {
    kill: line.interrupt,
    write: (text) => new Promise((resolve) => stdin.write(text, () => resolve())),
    endInput: () => stdin.end(),
    said,
    noted: async (text) => void (await noted(text)),
    ended: line.run(),
  }
}

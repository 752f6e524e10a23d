/**
 * Runs command lines in the process of the test, from the sources, with their own arguments, variables, folder, input and signals.
 * All tests use it but those of the process itself (`*.process.test.ts`), which use `program.ts`.
 */
import { tmpdir } from 'node:os'
import { PassThrough, type Writable } from 'node:stream'
import type { Io } from '../../src/base/io.js'
import { createLineIo, type LineSource } from '../../src/base/line-io.js'
import { main } from '../../src/main.js'
import {
  createConfiguration,
  createFolder,
  getCleanEnv,
  type LineResult,
  type ProgramLineOptions,
} from './program.js'

/** The variables of the machine and an empty folder, which all lines of a test file share. */
interface FileDefaults {
  readonly variables: Readonly<Record<string, string>>
  readonly emptyFolder: string
}

/** The defaults of each test file, by its temporary folder. Reading all variables takes a hundredth of a line's time. */
const fileDefaults = new Map<string, FileDefaults>()
const getFileDefaults = (): FileDefaults => {
  const known = fileDefaults.get(tmpdir()) ?? {
    variables: getCleanEnv(),
    emptyFolder: createFolder(),
  }
  fileDefaults.set(tmpdir(), known)
  return known
}

/** The parts of a line's `Io` that a test may replace. */
export type LineChanges = Partial<Omit<Io, 'argv' | 'env' | 'cwd'>>

export interface LineOptions extends Omit<ProgramLineOptions, 'input'> {
  readonly input?: LineSource
  /** Passes only the given variables, and none of the test. */
  readonly bare?: true
  readonly io?: LineChanges
  /** Interrupts the line as Ctrl-C does. */
  readonly stop?: AbortSignal
  /** Called after each write to standard output. */
  readonly afterOutput?: () => void
}

/** Calls a listener after each write to a stream. */
const callAfterWrites = (stream: Writable, listener: () => void): void => {
  const write = stream._write.bind(stream)
  stream._write = (chunk, encoding, done) => {
    write(chunk, encoding, done)
    listener()
  }
}

/** Calls a listener after each write of a line to standard output. */
const callAfterOutput = (io: Io, listener: () => void): void => {
  const { writeNow } = io
  const later = () => void setImmediate(listener)
  callAfterWrites(io.stdout, later)
  io.writeNow = (bytes) => {
    later()
    return writeNow(bytes)
  }
}

const createLine = (args: readonly string[], how: LineOptions) => {
  const { env = {}, input, stop, afterOutput } = how
  const { variables, emptyFolder } = getFileDefaults()
  const cwd = how.cwd ?? emptyFolder
  const common = () => ({
    ...variables,
    SVC_CONFIG_DIR: env.SVC_CONFIG_DIR ?? createConfiguration(),
  })
  const whole = { ...(how.bare === true ? {} : common()), ...env }
  const line = createLineIo([...args], { env: whole, cwd, input })
  Object.assign(line.io, how.io)
  if (afterOutput !== undefined) callAfterOutput(line.io, afterOutput)
  stop?.addEventListener('abort', () => line.interrupt(), { once: true })
  const run = async (): Promise<LineResult> => {
    await main(line.io)
    const code = line.finish()
    return { stdout: line.stdout(), stderr: line.stderr(), code }
  }
  return { ...line, run }
}

/** Runs `svcctl` and waits for its end, as the function of the same name in `program.ts` does. */
export const svcctl = (args: readonly string[], how: LineOptions = {}): Promise<LineResult> =>
  createLine(args, how).run()

export interface StartedLine {
  /** Sends a signal to the line. */
  readonly kill: (signal: NodeJS.Signals) => void
  /** Writes to standard input, which stays open; resolves once the line has read it. */
  readonly write: (text: string) => Promise<void>
  /** Ends standard input. */
  readonly endInput: () => void
  /** Resolves with all output once standard output contains the text. */
  readonly said: (text: string) => Promise<string>
  /** Resolves once standard error contains the text. */
  readonly noted: (text: string) => Promise<void>
  readonly ended: Promise<LineResult>
}

/** Creates a function that resolves once the output contains a text. */
const createTextWaiter = (stream: Writable, read: () => string) => {
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

/** Starts a line without waiting for its end, so that a test can act meanwhile. Its input stays open unless it is given. */
export const startLine = (args: readonly string[], how: LineOptions = {}): StartedLine => {
  const stdin = new PassThrough()
  const line = createLine(
    args,
    how.input === undefined ? { ...how, io: { stdin, ...how.io } } : how,
  )
  const said = createTextWaiter(line.io.stdout, line.stdout)
  const noted = createTextWaiter(line.io.stderr, line.stderr)
  return {
    kill: line.interrupt,
    write: (text) => new Promise((resolve) => stdin.write(text, () => resolve())),
    endInput: () => stdin.end(),
    said,
    noted: async (text) => void (await noted(text)),
    ended: line.run(),
  }
}

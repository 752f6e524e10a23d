/**
 * Declares `Io`, the interface of a command line to its process: arguments, environment, streams, clock, signals and exit code. `main` runs
 * a line with one. Only this file and `start/` access the process itself, so that tests and other programs can run lines, too.
 */
import type { AsyncLocalStorage } from 'node:async_hooks'
import { type BigIntStats, closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { usage } from '../errors.js'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A stream for answers or notes; a terminal has a size. */
export type OutputStream = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** The stream that input is read from. */
export type InputStream = Readable & { readonly isTTY?: boolean }

/** A function that removes what was registered. */
type Removal = () => void

export interface Io {
  /** The arguments, without the interpreter and the script. */
  readonly argv: readonly string[]
  readonly env: Environment
  /** The folder against which relative paths are resolved. */
  readonly cwd: string
  /** The stream is opened on first access, since opening a stream of the process takes milliseconds. */
  readonly stdin: InputStream
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  now(): Date
  /** Returns the time of a monotonic clock in milliseconds, for durations. */
  uptime(): number
  /** Calls a function after a time of the line's clock, in milliseconds, unless it is released before. */
  after(milliseconds: number, work: () => void): Removal
  /** Returns a number from 0 (included) to 1 (excluded). */
  random(): number
  /** Returns unpredictable bytes. */
  randomBytes(size: number): Uint8Array
  /** Calls the listener for each such signal until it is released. */
  onSignal(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): Removal
  /** Calls the listener when the line has ended. */
  onExit(listener: (code: number) => void): Removal
  /** Calls the listener if the line waits for something that can no longer happen. Only a process of its own can detect that. */
  onStall(listener: () => void): Removal
  exitCode: number | undefined
  /** Ends the line by a signal, after everything else has ended. */
  endBy(signal: NodeJS.Signals): void
  /** Ends the line now, even if something is still open. */
  end(): void
  /** True if a person can type: standard input is a terminal. */
  typed(): Promise<boolean>
  /** True if the line was started from a terminal, even if its streams are redirected. */
  hasTerminal(): Promise<boolean>
  /** Returns the regular file that standard input is read from, which has an end; undefined for any other input. */
  inputFile(): BigIntStats | undefined
  /** False if a stream is certainly not a terminal, which is detected without opening it. */
  mayBeTerminal(stream: 'stdout' | 'stderr'): boolean
  /** True if another program reads standard output: it is a pipe or a socket. */
  isPiped(): boolean
  /** Writes to standard output without opening its stream. @returns the number of bytes written */
  writeNow(bytes: Uint8Array): number
  /** True if a terminal of the line hung up. A write of no bytes fails with EIO only then. */
  hasHungUp(): boolean
}

const isHungUp = (descriptor: number): boolean => {
  try {
    if (fstatSync(descriptor).isCharacterDevice()) writeSync(descriptor, new Uint8Array())
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EIO'
  }
}

const hasControllingTerminal = async (): Promise<boolean> => {
  if (process.platform === 'win32') return true
  const { isatty } = await import('node:tty')
  try {
    const descriptor = openSync('/dev/tty', 'r+')
    const is = isatty(descriptor)
    closeSync(descriptor)
    return is
  } catch {
    return false
  }
}

/** Calls a function after the given milliseconds of the machine's clock. */
export const doAfter: Io['after'] = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds)
  return () => clearTimeout(timer)
}

/** Returns the folder of the process. If it was deleted, that is its former path, which the shell still has. */
const getProcessFolder = (): string => {
  try {
    return process.cwd()
  } catch {
    const { PWD = '' } = processIo.env
    if (isAbsolute(PWD)) return PWD
    throw usage('the current folder was deleted', 'Change to another folder first.')
  }
}

/** The part of an `Io` that the machine has without a line: the clock, the randomness and the variables. */
export const machineIo = {
  get env(): Environment {
    return process.env
  },
  now: () => new Date(),
  uptime: () => performance.now(),
  after: doAfter,
  random: Math.random,
  randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
} satisfies Partial<Io>

/** The `Io` of the process itself. */
export const processIo: Io = {
  ...machineIo,
  get argv() {
    return process.argv.slice(2)
  },
  get env() {
    return machineIo.env
  },
  get cwd() {
    return getProcessFolder()
  },
  get stdin() {
    return process.stdin
  },
  get stdout() {
    return process.stdout
  },
  get stderr() {
    return process.stderr
  },
  onSignal: (signal, listener) => {
    process.on(signal, listener)
    return () => process.off(signal, listener)
  },
  onExit: (listener) => {
    process.once('exit', listener)
    return () => process.off('exit', listener)
  },
  onStall: (listener) => {
    process.once('beforeExit', listener)
    return () => process.off('beforeExit', listener)
  },
  get exitCode() {
    return Number(process.exitCode ?? 0)
  },
  set exitCode(code) {
    process.exitCode = code
  },
  endBy: (signal) => {
    // Prompts listen to the signal as well, and a signal with a listener would not end the process.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  },
  end: () => process.exit(),
  typed: async () => (await import('node:tty')).isatty(0),
  hasTerminal: hasControllingTerminal,
  inputFile: () => {
    try {
      const stats = fstatSync(0, { bigint: true })
      return stats.isFile() ? stats : undefined
    } catch {
      return undefined
    }
  },
  mayBeTerminal: (stream) => {
    if (process.platform === 'win32') return true
    try {
      return fstatSync(stream === 'stdout' ? 1 : 2).isCharacterDevice()
    } catch {
      return true
    }
  },
  isPiped: () => {
    try {
      const stats = fstatSync(1)
      return stats.isFIFO() || stats.isSocket()
    } catch {
      return false
    }
  },
  writeNow: (bytes) => writeSync(1, bytes),
  hasHungUp: () => [0, 1, 2].some(isHungUp),
}

/** The storage of the current `Io`. It is created only if a line runs with its own `Io`. */
let lines: AsyncLocalStorage<Io> | undefined

/** Returns the `Io` of the running line. */
const getCurrentIo = (): Io => lines?.getStore() ?? processIo

/** True if a line has the process for itself, and is not run by another program. */
export const hasOwnProcess = (io: Io): boolean => io === processIo

/** Runs a line with an `Io`, which applies to everything that the line starts. */
export const runWithIo = async <T>(io: Io, line: () => Promise<T>): Promise<T> => {
  if (io === processIo && getCurrentIo() === processIo) return line()
  if (lines === undefined) {
    const { AsyncLocalStorage } = await import('node:async_hooks')
    lines ??= new AsyncLocalStorage<Io>()
  }
  return lines.run(io, line)
}

/** Calls the listener when the process ends. It is for what belongs to the process and not to one of its lines, such as a lock. */
export const { onExit: onProcessExit } = processIo

/** Returns the folder for temporary files. */
export const getTemporaryFolder = (env: Environment): string => env.TMPDIR || tmpdir()

/**
 * Returns the home folder of the user. Without HOME the system's list of users has it, as for a program that is started without HOME: the
 * variables of the process are not those of a line that another program runs. A user without an entry, such as the bare user ID of a
 * container, has `/`, where nothing is found and nothing can be written.
 */
export const getHomeFolder = (env: Environment): string => {
  if (env.HOME) return env.HOME
  try {
    return userInfo().homedir
  } catch {
    return '/'
  }
}

/**
 * Resolves a path that the line names, relative to the folder of the line. `~/` is the home folder, because shells leave it as it is in
 * `--to=~/x`, in `@~/x` and in files of variables.
 */
export const resolvePath = (path: string, folder?: string): string => {
  const io = getCurrentIo()
  const whole = path === '~' || path.startsWith('~/') ? getHomeFolder(io.env) + path.slice(1) : path
  // A folder that was deleted has no name, so it is read only if it is needed.
  return isAbsolute(whole) ? resolve(whole) : resolve(folder ?? io.cwd, whole)
}

/** Returns the folder in which the line starts programs; undefined if it is the folder of the process. */
export const getProgramFolder = (io: Io): string | undefined =>
  hasOwnProcess(io) ? undefined : io.cwd

/** Declares state that each line has for itself. @returns a function that returns the state of the running line */
export const createLineState = <T>(create: () => T): (() => T) => {
  const states = new WeakMap<Io, { readonly state: T }>()
  return () => {
    const io = getCurrentIo()
    const known = states.get(io)
    if (known !== undefined) return known.state
    const state = create()
    states.set(io, { state })
    return state
  }
}

/** The output for answers. */
export interface Stdout {
  /**
   * Writes a chunk; resolves when the stream accepts more.
   * @throws ClosedPipe if the reader is gone; Failure if the output cannot be written
   */
  write(chunk: string | Uint8Array): Promise<void>
  /** Resolves when everything has been passed to the system; the stream stays open. */
  end(): Promise<void>
}

// Random values.

/** Returns bytes for keys and tokens. */
export const createRandomBytes = ({ randomBytes }: Pick<Io, 'randomBytes'>, size: number): Buffer =>
  Buffer.from(randomBytes(size))

/** Returns a UUID of version 4. */
export const createUuid = (io: Pick<Io, 'randomBytes'>): string => {
  const bytes = createRandomBytes(io, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

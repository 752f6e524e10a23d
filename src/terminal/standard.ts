/**
 * Owns the process's streams. No other room uses them. Standard error is best effort: failing to write there changes
 * neither the work nor its exit code.
 */
import type { Io, OutputStream } from '../base/io.js'
import { hasLostInput } from '../base/standard-input.js'

// The redrawn line of the terminal: other output clears it first.

interface LiveLine {
  /** Removes the line from the screen. */
  clear(): void
  /** Draws the line again. */
  draw(): void
  /** Ends the line for good. */
  leave(): void
}

/** The state of a terminal, which both output streams of a line share. */
interface ScreenState {
  live: LiveLine | undefined
  /** True in the middle of a line of the answer. */
  open: boolean
}

const screens = new WeakMap<Io, ScreenState>()

const getScreen = (io: Io): ScreenState => {
  const screen = screens.get(io) ?? { live: undefined, open: false }
  screens.set(io, screen)
  return screen
}

/** Registers the redrawn line; undefined removes it. */
export const setLiveLine = (io: Io, line: LiveLine | undefined): void => {
  getScreen(io).live = line
}

/** Clears the redrawn line, if there is one; its owner draws it again. */
export const clearLine = (io: Io): void => getScreen(io).live?.clear()

/** True if the terminal is in the middle of a line of the answer, where nothing else may be drawn. */
export const isWithinLine = (io: Io): boolean => getScreen(io).open

/**
 * Prints on the terminal after clearing the redrawn line. The line is drawn again below the text, or ended if the text
 * ends without a line break.
 */
export const printAside = <T>(io: Io, ends: boolean, print: () => T): T => {
  const state = getScreen(io)
  if (ends) state.live?.clear()
  else state.live?.leave()
  state.open = !ends
  const printed = print()
  if (ends) state.live?.draw()
  return printed
}

/**
 * Ends the redrawn line before the answer goes into a pipe, because the pipe's reader may write to the same terminal at
 * any time.
 */
export const leaveLine = (io: Io): void => {
  const state = getScreen(io)
  state.live?.leave()
  state.open = true
}

/** A stream of text. */
interface TextSink {
  write(text: string): unknown
}

/** Standard error; a terminal has a size. */
type ErrorScreen = TextSink & Pick<OutputStream, 'isTTY' | 'columns'>

const failedStreams = new WeakSet<object>()
const guarded = new WeakSet<object>()

/**
 * Treats errors of a stream (a closed pipe, a full disk, a terminal that hung up) as its end.
 * @returns the stream
 */
const ignoreErrors = <S extends NodeJS.WritableStream>(stream: S): S => {
  if (guarded.has(stream)) return stream
  guarded.add(stream)
  stream.on('error', () => failedStreams.add(stream))
  return stream
}

/** Returns standard error. */
export const getStandardError = (io: Io): OutputStream => ignoreErrors(io.stderr)

/**
 * Returns standard error for texts. If it is certainly not a terminal, its stream is opened for the first text, and most
 * runs have none.
 */
export const getErrorScreen = (io: Io): ErrorScreen =>
  io.mayBeTerminal('stderr')
    ? getStandardError(io)
    : { write: (text) => writeQuietly(getStandardError(io), text) }

/** The exit code that shells report for a process that ended by SIGQUIT. */
const quitCode = 131

/**
 * Ends the process, after its work, by the signal that interrupted it, so that a shell ends its loop as well. If the
 * terminal hung up, Node would abort during its cleanup, so SIGHUP is used. A core file could contain the token, so
 * SIGQUIT only sets the exit code.
 * @param signal the signal that interrupted the work; undefined if none did
 */
export const endBySignal = (io: Io, signal: NodeJS.Signals | undefined): void => {
  io.onExit(() => {
    // Reads fail a moment earlier than writes.
    const end = hasLostInput(io) || io.hasHungUp() ? 'SIGHUP' : signal
    if (end === 'SIGQUIT') io.exitCode = quitCode
    if (end === undefined || end === 'SIGQUIT' || process.platform === 'win32') return
    io.endBy(end)
  })
}

/** True if nothing reads the stream any more. */
export const isGone = (stream: object): boolean =>
  failedStreams.has(stream) || ('destroyed' in stream && stream.destroyed === true)

/** Writes text to a stream and ignores failures. */
export const writeQuietly = (stream: TextSink, text: string): void => {
  if (isGone(stream)) return
  try {
    stream.write(text)
  } catch {
    // Files are written synchronously, and throw.
    failedStreams.add(stream)
  }
}

/** Writes to standard output without opening its stream, which would take longer than the rest of a completion. */
export const writeAtOnce = (io: Io, text: string): void => {
  const bytes = Buffer.from(text)
  try {
    for (let at = 0; at < bytes.length; ) at += io.writeNow(bytes.subarray(at))
  } catch {
    // Nothing reads the output.
  }
}

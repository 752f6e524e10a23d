/**
 * The process's own streams: nothing outside of this room touches them. Standard error is best
 * effort: what cannot be said there is not said, and the work and its exit code are the same.
 */
import { createLineState, getCurrentIo, type OutputStream } from '../base/io.js'
import { hasLostInput } from '../base/standard-input.js'

// The one line of a terminal that is redrawn: whoever prints makes room for it first.

interface LiveLine {
  /** Takes it off the screen. */
  clear(): void
  /** Draws it again. */
  draw(): void
  /** Ends it. */
  leave(): void
}

const screen = createLineState((): { live: LiveLine | undefined; open: boolean } => ({
  live: undefined,
  open: false,
}))

/** Registers the live line; undefined when it is gone. */
export const setLiveLine = (line: LiveLine | undefined): void => {
  screen().live = line
}

/** Clears the live line, if there is one; its owner draws it again. */
export const clearLine = (): void => screen().live?.clear()

/** True if the terminal is within a line of the answer, where nothing else may be drawn. */
export const isWithinLine = (): boolean => screen().open

/**
 * Prints on the terminal after clearing the live line. That is redrawn below the text; if the text does not end its
 * line,
 * the live line is gone for good.
 */
export const printAside = <T>(ends: boolean, print: () => T): T => {
  const state = screen()
  if (ends) state.live?.clear()
  else state.live?.leave()
  state.open = !ends
  const printed = print()
  if (ends) state.live?.draw()
  return printed
}

/**
 * Takes the live line off for good before the answer goes into a pipe: its reader may write to the same terminal, at a time
 * that nobody here knows.
 */
export const leaveLine = (): void => {
  const state = screen()
  state.live?.leave()
  state.open = true
}

/** A stream that text can be written to. */
interface TextSink {
  write(text: string): unknown
}

const failed = new WeakSet<object>()
const heard = new WeakSet<object>()

/** Returns the stream after making its errors (a closed pipe, a full disk, a terminal that hung up) count as its end. */
const ignoreErrors = <S extends NodeJS.WritableStream>(stream: S): S => {
  if (heard.has(stream)) return stream
  heard.add(stream)
  stream.on('error', () => failed.add(stream))
  return stream
}

/** Standard error. */
export const getStandardError = (): OutputStream => ignoreErrors(getCurrentIo().stderr)

/** Standard output: to be written to through `openStdout`. */
export const getStandardOutput = (): OutputStream => getCurrentIo().stdout

/**
 * Returns whether standard output may be a terminal, which only its stream knows for certain. Opening that takes
 * as long as making a page of help: a pipe or a file is written to without it.
 */
export const mayBeTerminal = (): boolean => getCurrentIo().mayBeTerminal()

/** True if standard output is a pipe or a socket, so that another program reads it. */
export const isPiped = (): boolean => getCurrentIo().isPiped()

/** The exit code that shells report for a process that ended by SIGQUIT. */
const quit = 131

/**
 * Has the process end, once its work is done, by the signal that interrupted it: then the shell that
 * started it ends its loop, too. Where its terminal hung up Node would abort while it tidies that up; it
 * ends by SIGHUP instead. A core file would hold the token, so that SIGQUIT is told by the exit code alone.
 * @param signal what interrupted the work; undefined where nothing did
 */
export const endBy = (signal: NodeJS.Signals | undefined): void => {
  const io = getCurrentIo()
  io.onExit(() => {
    // Reads fail a moment before writes do.
    const end = hasLostInput() || io.hasHungUp() ? 'SIGHUP' : signal
    if (end === 'SIGQUIT') io.exitCode = quit
    if (end === undefined || end === 'SIGQUIT' || process.platform === 'win32') return
    io.endBy(end)
  })
}

/** True if nothing reads the stream any more. */
export const isGone = (stream: object): boolean =>
  failed.has(stream) || ('destroyed' in stream && stream.destroyed === true)

/** Writes text to a stream, and ignores failures. */
export const writeQuietly = (stream: TextSink, text: string): void => {
  if (isGone(stream)) return
  try {
    stream.write(text)
  } catch {
    // Files are written at once, and throw.
    failed.add(stream)
  }
}

/** Writes to standard output, past its stream: opening that takes longer than all the rest of a TAB. */
export const answerAtOnce = (text: string): void => {
  const bytes = Buffer.from(text)
  try {
    for (let at = 0; at < bytes.length; ) at += getCurrentIo().writeNow(bytes.subarray(at))
  } catch {
    // Nobody reads it.
  }
}

/**
 * The process's own streams: nothing outside of this room touches them. Standard error is best
 * effort: what cannot be said there is not said, and the work and its exit code are the same.
 */
import { fstatSync, writeSync } from 'node:fs'

/** What there is to know of a stream that notes go to. */
interface Sayable {
  write(text: string): unknown
}

const failed = new WeakSet<object>()
const heard = new WeakSet<object>()

/** The stream, its errors (a closed pipe, a full disk, a terminal that hung up) taken for its end. */
const bestEffort = <S extends NodeJS.WritableStream>(stream: S): S => {
  if (heard.has(stream)) return stream
  heard.add(stream)
  stream.on('error', () => failed.add(stream))
  return stream
}

/** Standard error. */
export const standardError = (): NodeJS.WriteStream => bestEffort(process.stderr)

/** Standard output: to be written to through `openStdout`. */
export const standardOutput = (): NodeJS.WriteStream => process.stdout

/**
 * Whether standard output may be a terminal, which only `process.stdout` knows for certain. Opening that takes
 * as long as making a page of help: a pipe or a file is written to without it.
 */
export const mayBeTerminal = (): boolean => {
  if (process.platform === 'win32') return true
  try {
    return fstatSync(1).isCharacterDevice()
  } catch {
    return true
  }
}

/** Standard input. Opening it takes milliseconds. */
export const standardInput = (): NodeJS.ReadStream => process.stdin

let lost = false
/** The terminal hung up, as its keyboard tells: it ends, which no key does while keys are read one by one. */
export const terminalLost = (): void => {
  lost = true
}

/**
 * Where the terminal itself hung up, Node would abort while it tidies that up, with a core file: the
 * process ends by the signal instead, once its own work is done.
 * @param told whether the signal said so; the terminal may be there for a moment more
 */
export const endWithTerminal = async (told: boolean): Promise<void> => {
  const { isatty } = await import('node:tty')
  const terminals = [process.stdout, process.stderr].filter(({ isTTY }) => isTTY)
  process.once('exit', () => {
    if (!terminals.some(({ fd }) => told || lost || !isatty(fd))) return
    // Prompts listen to it, too: heard by anybody, it would end nothing.
    process.removeAllListeners('SIGHUP')
    process.kill(process.pid, 'SIGHUP')
  })
}

/** Whether nobody hears what is said there any more. */
export const isGone = (stream: object): boolean =>
  failed.has(stream) || ('destroyed' in stream && stream.destroyed === true)

/** Says it, as far as anybody hears. */
export const say = (stream: Sayable, text: string): void => {
  if (isGone(stream)) return
  try {
    stream.write(text)
  } catch {
    // Files are written at once, and throw.
    failed.add(stream)
  }
}

/** To standard output, past `process.stdout`: opening that takes longer than all the rest of a TAB. */
export const answerAtOnce = (text: string): void => {
  const bytes = Buffer.from(text)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
  } catch {
    // Nobody reads it.
  }
}

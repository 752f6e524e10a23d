/** Standard output: buffers small writes, obeys back-pressure, and ends quietly when the pipe is closed. */
import type { Writable } from 'node:stream'
import { getCurrentIo, type Stdout } from '../base/io.js'
import { ClosedPipe, Failure, getErrorCode } from '../errors.js'
import { getStandardOutput, isPiped, leaveLine, printAside } from './standard.js'

/**
 * Writes are gathered up to this size, and for no longer than a turn of the event loop. What a list
 * writes at once is most of the 64 KB that a socket gives at once: gathering those would copy them.
 */
const chunkSize = 32 * 1024
/** The size, in bytes, from which a write of its own is cheaper than a copy. */
const large = 16 * 1024
const newline = 0x0a

const toFailure = (error: NodeJS.ErrnoException): Error =>
  error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED'
    ? new ClosedPipe()
    : new Failure('failed', `cannot write to standard output: ${error.message}`, {
        hint: 'The output is incomplete. Free some space and run the command again.',
        cause: error,
      })

/** Encodes text. A character takes three bytes at most: reserving them all saves counting them first. */
const encode = (text: string): Uint8Array => {
  const bytes = Buffer.allocUnsafe(text.length * 3)
  return bytes.subarray(0, bytes.write(text))
}

/** Joins pieces so that only the last may be large, into as few as that takes without a copy of it. */
const gatherPieces = (pieces: readonly Uint8Array[]): readonly Uint8Array[] => {
  const last = pieces.at(-1)
  if (pieces.length < 2 || last === undefined) return pieces
  return last.length < large
    ? [Buffer.concat(pieces)]
    : [...gatherPieces(pieces.slice(0, -1)), last]
}

class BufferedStdout implements Stdout {
  private pending: Uint8Array[] = []
  private size = 0
  private turn: NodeJS.Immediate | undefined
  private broken: Error | undefined
  private wanting: Promise<void> = Promise.resolve()

  private readonly terminal: boolean
  private piped: boolean

  constructor(private readonly stream: Writable) {
    this.terminal = 'isTTY' in stream && stream.isTTY === true
    this.piped = stream === getStandardOutput() && isPiped()
    stream.on('error', (error) => {
      this.broken ??= toFailure(error)
    })
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    if (this.broken !== undefined) throw this.broken
    const bytes = typeof chunk === 'string' ? encode(chunk) : chunk
    this.pending.push(bytes)
    this.size += bytes.length
    if (this.size >= chunkSize) this.flush()
    else this.turn ??= setImmediate(() => this.flush())
    await this.wanting
    if (this.broken !== undefined) throw this.broken
  }

  async end(): Promise<void> {
    this.flush()
    await this.wanting
    if (this.broken !== undefined) throw this.broken
    await new Promise<void>((resolve, reject) => {
      this.stream.write('', (error) => (error ? reject(toFailure(error)) : resolve()))
    })
  }

  private flush(): void {
    clearImmediate(this.turn)
    this.turn = undefined
    // Node destroys the pipe to a pager that was left, and no error tells of it.
    if (this.stream.destroyed) this.broken ??= new ClosedPipe()
    if (this.size === 0 || this.broken !== undefined) return
    const last = this.pending.at(-1)
    const pieces = gatherPieces(this.pending)
    const print = (): boolean => pieces.map((bytes) => this.stream.write(bytes)).every(Boolean)
    this.pending = []
    this.size = 0
    if (this.piped) leaveLine()
    this.piped = false
    const more = this.terminal ? printAside(last?.at(-1) === newline, print) : print()
    if (!more) this.wanting = this.drained()
  }

  private drained(): Promise<void> {
    const { stream } = this
    return new Promise((resolve) => {
      const done = (): void => {
        for (const event of ['drain', 'error', 'close']) stream.off(event, done)
        resolve()
      }
      for (const event of ['drain', 'error', 'close']) stream.once(event, done)
    })
  }
}

/** Standard output, or another stream, for a run. */
export const openStdout = (stream: Writable = getStandardOutput()): Stdout =>
  new BufferedStdout(stream)

/**
 * Prints a whole text to standard output that is no terminal, past its stream (`mayBeTerminal`).
 * @throws ClosedPipe when the reader is gone; Failure when the output cannot be written
 */
export const printAtOnce = async (text: string): Promise<void> => {
  const bytes = Buffer.from(text)
  let at = 0
  try {
    while (at < bytes.length) at += getCurrentIo().writeNow(bytes.subarray(at))
  } catch (error) {
    // A reader that takes nothing just now is waited for as ever.
    if (getErrorCode(error) !== 'EAGAIN') throw toFailure(error as NodeJS.ErrnoException)
    const out = openStdout()
    await out.write(bytes.subarray(at))
    await out.end()
  }
}

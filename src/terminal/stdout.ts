/** Writes standard output: buffers small writes, respects back-pressure, and ends quietly when the pipe is closed. */
import type { Writable } from 'node:stream'
import type { Io, Stdout } from '../base/io.js'
import { ClosedPipe, Failure, getErrorCode } from '../errors.js'
import { leaveLine, printAside } from './standard.js'

/**
 * The size up to which writes are buffered, in bytes; the buffer is also written after each turn of the event loop. A
 * list writes almost the 64 KB that a socket accepts at once, and buffering that would only copy it.
 */
const chunkSize = 32 * 1024
/** The size, in bytes, from which a separate write is cheaper than a copy. */
const largeSize = 16 * 1024
const newline = 0x0a

const toFailure = (error: NodeJS.ErrnoException): Error =>
  error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED'
    ? new ClosedPipe()
    : new Failure('failed', `cannot write to standard output: ${error.message}`, {
        hint: 'The output is incomplete. Free some space and run the command again.',
        cause: error,
      })

/** Encodes text. A character takes at most three bytes; reserving that much saves counting. */
const encode = (text: string): Uint8Array => {
  const bytes = Buffer.allocUnsafe(text.length * 3)
  return bytes.subarray(0, bytes.write(text))
}

/** Joins small pieces, so that as few writes as possible are needed without copying a large last piece. */
const gatherPieces = (pieces: readonly Uint8Array[]): readonly Uint8Array[] => {
  const last = pieces.at(-1)
  if (pieces.length < 2 || last === undefined) return pieces
  return last.length < largeSize
    ? [Buffer.concat(pieces)]
    : [...gatherPieces(pieces.slice(0, -1)), last]
}

class BufferedStdout implements Stdout {
  private pending: Uint8Array[] = []
  private size = 0
  private turn: NodeJS.Immediate | undefined
  private broken: Error | undefined
  private drain: Promise<void> = Promise.resolve()

  private readonly terminal: boolean
  private piped: boolean

  constructor(
    private readonly io: Io,
    private readonly stream: Writable,
  ) {
    this.terminal = 'isTTY' in stream && stream.isTTY === true
    this.piped = stream === io.stdout && io.isPiped()
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
    await this.drain
    if (this.broken !== undefined) throw this.broken
  }

  async end(): Promise<void> {
    this.flush()
    await this.drain
    if (this.broken !== undefined) throw this.broken
    await new Promise<void>((resolve, reject) => {
      this.stream.write('', (error) => (error ? reject(toFailure(error)) : resolve()))
    })
  }

  private flush(): void {
    clearImmediate(this.turn)
    this.turn = undefined
    // Node destroys the pipe to a closed pager without an error.
    if (this.stream.destroyed) this.broken ??= new ClosedPipe()
    if (this.size === 0 || this.broken !== undefined) return
    const last = this.pending.at(-1)
    const pieces = gatherPieces(this.pending)
    const print = (): boolean => pieces.map((bytes) => this.stream.write(bytes)).every(Boolean)
    this.pending = []
    this.size = 0
    if (this.piped) leaveLine(this.io)
    this.piped = false
    const more = this.terminal ? printAside(this.io, last?.at(-1) === newline, print) : print()
    if (!more) this.drain = this.waitForDrain()
  }

  private waitForDrain(): Promise<void> {
    const { stream } = this
    return new Promise((resolve) => {
      const finish = (): void => {
        for (const event of ['drain', 'error', 'close']) stream.off(event, finish)
        resolve()
      }
      for (const event of ['drain', 'error', 'close']) stream.once(event, finish)
    })
  }
}

/** Opens standard output, or another stream, for a run. */
export const openStdout = (io: Io, stream: Writable = io.stdout): Stdout =>
  new BufferedStdout(io, stream)

/**
 * Prints a whole text to standard output without opening its stream, if it is no terminal (`mayBeTerminal`).
 * @throws ClosedPipe if the reader is gone; Failure if the output cannot be written
 */
export const printAtOnce = async (io: Io, text: string): Promise<void> => {
  const bytes = Buffer.from(text)
  let at = 0
  try {
    while (at < bytes.length) at += io.writeNow(bytes.subarray(at))
  } catch (error) {
    // If the reader is not ready, the rest is written to the stream, which waits.
    if (getErrorCode(error) !== 'EAGAIN') throw toFailure(error as NodeJS.ErrnoException)
    const out = openStdout(io)
    await out.write(bytes.subarray(at))
    await out.end()
  }
}

/** Reads the standard input of a run once, either whole or piece by piece as it arrives. */
import { Failure, getErrorCode } from '../errors.js'
import { callOnAbort, waitForAbort } from './async.js'
import type { InputStream, Io } from './io.js'
import { TextReader } from './utf8.js'

/** The lines whose terminal failed to be read, which happens shortly before it hangs up. */
const linesWithLostInput = new WeakSet<Io>()

/** Returns true if the terminal of a line failed to be read. */
export const hasLostInput = (io: Io): boolean => linesWithLostInput.has(io)

const prepared = new WeakSet<object>()

/**
 * Returns standard input. Opening it takes milliseconds. A terminal that can no longer be read counts as ended: its error would reach the
 * readline of a prompt, which cannot be listened to.
 */
export const getStandardInput = (io: Io): InputStream => {
  const { stdin } = io
  if (prepared.has(stdin)) return stdin
  prepared.add(stdin)
  if (!stdin.isTTY) return stdin
  const destroy = stdin.destroy.bind(stdin)
  stdin.destroy = (error) => {
    if (getErrorCode(error) !== 'EIO') return destroy(error)
    linesWithLostInput.add(io)
    stdin.push(null)
    return stdin
  }
  return stdin
}

/** The maximum number of characters that are read to detect the format. */
const headSize = 1 << 16

/**
 * The time, in milliseconds, within which a pipe must close to count as an input that ends: a program that prints a list is done by then.
 */
const closeTime = 1000
/** The maximum number of characters of a pipe that are held to see whether it closes. */
const maxAhead = 1 << 24

export class StandardInput {
  #chunks: AsyncIterator<Buffer> | undefined
  readonly #reader = new TextReader('standard input')
  /** The text that was read and not yet returned. */
  #begun = ''
  /** The pieces that were read after the head, and the one that is being read. */
  readonly #ahead: string[] = []
  #pending: Promise<string | undefined> | undefined
  #ended = false
  #text: Promise<string> | undefined
  readonly #io: Io
  readonly #signal: AbortSignal | undefined

  /**
   * @param signal ends the wait for input that may never come
   * @param text the whole input, if it is known
   */
  constructor(io: Io, signal?: AbortSignal, text?: string) {
    this.#io = io
    this.#signal = signal
    this.#begun = text ?? ''
    this.#ended = text !== undefined
  }

  /** Opens the stream itself, for a reader that limits its own waits. */
  readonly open = (): InputStream => getStandardInput(this.#io)

  hasTerminal(): Promise<boolean> {
    return this.#io.hasTerminal()
  }

  /** Reads the whole input. */
  readonly text = (): Promise<string> => {
    this.#text ??= this.#readAll()
    return this.#text
  }

  /** Returns the beginning of the input: its first line, up to a limit. */
  async head(): Promise<string> {
    const isThere = (): boolean =>
      this.#begun.length >= headSize || this.#begun.trimStart().includes('\n')
    while ((!this.#ended || this.#ahead.length > 0) && !isThere()) {
      const chunk = await this.#takePiece()
      if (chunk !== undefined) this.#begun += chunk
    }
    return this.#begun
  }

  /** Yields the input piece by piece, as it comes. */
  async *readChunks(): AsyncGenerator<string> {
    const head = await this.head()
    this.#begun = ''
    if (head !== '') yield head
    for (let chunk = await this.#takePiece(); chunk !== undefined; chunk = await this.#takePiece())
      yield chunk
  }

  /** Yields the bytes of the input as they come, for a reader that decodes them itself. */
  async *readBytes(): AsyncGenerator<Uint8Array> {
    for (let bytes = await this.#readInput(); bytes !== undefined; bytes = await this.#readInput())
      yield bytes
  }

  /** True if the whole input can be read before anything is done: it is a file, or a pipe that closes within a second. */
  async endsSoon(): Promise<boolean> {
    if (this.#ended || this.#io.inputFile() !== undefined) return true
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), closeTime)
    const tooLate = waitForAbort(late.signal).then(() => undefined)
    try {
      for (let held = 0; !this.#ended && held < maxAhead; ) {
        this.#pending ??= this.#readPiece()
        // The next reader of the piece handles its error.
        this.#pending.catch(() => {})
        const chunk = await Promise.race([this.#pending, tooLate])
        if (late.signal.aborted) return this.#ended
        this.#pending = undefined
        this.#ahead.push(chunk ?? '')
        held += chunk?.length ?? 0
      }
      return this.#ended
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends the wait for input that may never come. */
  close(): void {
    if (this.#chunks !== undefined && !this.#ended) getStandardInput(this.#io).destroy()
  }

  /** Returns the next piece, which may have been read ahead. */
  async #takePiece(): Promise<string | undefined> {
    const chunk = this.#ahead.shift()
    if (chunk !== undefined) return chunk
    const pending = this.#pending
    this.#pending = undefined
    return pending ?? this.#readPiece()
  }

  async #readPiece(): Promise<string | undefined> {
    if (this.#ended) return undefined
    const bytes = await this.#readInput()
    return bytes === undefined ? this.#reader.end() : this.#reader.write(bytes)
  }

  async #readInput(): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined
    this.#chunks ??= this.#openInput()
    const step = await this.#chunks.next()
    if (step.done !== true) return Buffer.from(step.value)
    this.#ended = true
    return undefined
  }

  #openInput(): AsyncIterator<Buffer> {
    const stdin = getStandardInput(this.#io)
    const stop = (): void => {
      // After the end of the input, an error would have no listener.
      if (!this.#ended) stdin.destroy(new Failure('interrupted', 'interrupted'))
    }
    if (this.#signal !== undefined) callOnAbort(this.#signal, stop)
    return stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async #readAll(): Promise<string> {
    const texts: string[] = []
    for await (const chunk of this.readChunks()) texts.push(chunk)
    return texts.join('')
  }
}

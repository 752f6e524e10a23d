/** Standard input of a run: whole, or as it comes. It is read once. */
import { Failure, getErrorCode } from '../errors.js'
import { createLineState, getCurrentIo, type InputStream } from './io.js'
import { TextReader } from './utf8.js'

/** Set where a terminal failed to be read: it is about to hang up. */
const input = createLineState(() => ({ lost: false }))

/** Returns true if a terminal failed to be read. */
export const hasLostInput = (): boolean => input().lost

const heard = new WeakSet<object>()

/**
 * Returns standard input. Opening it takes milliseconds. A terminal that can no longer be read counts as ended: its error would reach the
 * readline of a prompt, which cannot be listened to.
 */
export const getStandardInput = (): InputStream => {
  const { stdin } = getCurrentIo()
  const state = input()
  if (heard.has(stdin)) return stdin
  heard.add(stdin)
  if (!stdin.isTTY) return stdin
  const destroy = stdin.destroy.bind(stdin)
  stdin.destroy = (error) => {
    if (getErrorCode(error) !== 'EIO') return destroy(error)
    state.lost = true
    stdin.push(null)
    return stdin
  }
  return stdin
}

/** So much is looked at to see what it is. */
const headSize = 1 << 16

/**
 * The time, in milliseconds, within which a pipe must close to count as an input that ends: a program that prints a list is done by then.
 */
const soon = 1000
/** The maximum number of characters of a pipe that are held to see whether it closes. */
const maxAhead = 1 << 24

export class StandardInput {
  #chunks: AsyncIterator<Buffer> | undefined
  readonly #reader = new TextReader('standard input')
  /** Read, and not given yet. */
  #head = ''
  /** The pieces that were read after the head, and the one that is being read. */
  readonly #ahead: string[] = []
  #pending: Promise<string | undefined> | undefined
  #ended = false
  #text: Promise<string> | undefined
  readonly #signal: AbortSignal | undefined

  /**
   * @param signal ends the wait for input that may never come
   * @param text the whole input, if it is known
   */
  constructor(signal?: AbortSignal, text?: string) {
    this.#signal = signal
    this.#head = text ?? ''
    this.#ended = text !== undefined
  }

  /** All of it. */
  readonly text = (): Promise<string> => {
    this.#text ??= this.#whole()
    return this.#text
  }

  /** Returns the beginning of the input: its first line, as far as that is not too long. */
  async head(): Promise<string> {
    const isThere = (): boolean =>
      this.#head.length >= headSize || this.#head.trimStart().includes('\n')
    while ((!this.#ended || this.#ahead.length > 0) && !isThere()) {
      const chunk = await this.#take()
      if (chunk !== undefined) this.#head += chunk
    }
    return this.#head
  }

  /** Yields the input piece by piece, as it comes. */
  async *chunks(): AsyncGenerator<string> {
    const head = await this.head()
    this.#head = ''
    if (head !== '') yield head
    for (let chunk = await this.#take(); chunk !== undefined; chunk = await this.#take())
      yield chunk
  }

  /** Returns true if all of the input can be read before anything is done: it is a file, or a pipe that closes within a second. */
  async endsSoon(): Promise<boolean> {
    if (this.#ended || getCurrentIo().inputFile() !== undefined) return true
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), soon)
    const tooLate = new Promise<undefined>((resolve) => {
      late.signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    try {
      for (let held = 0; !this.#ended && held < maxAhead; ) {
        this.#pending ??= this.#next()
        // Whoever reads on hears of what broke it.
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
    if (this.#chunks !== undefined && !this.#ended) getStandardInput().destroy()
  }

  /** The next piece, whether or not it was read before. */
  async #take(): Promise<string | undefined> {
    const chunk = this.#ahead.shift()
    if (chunk !== undefined) return chunk
    const pending = this.#pending
    this.#pending = undefined
    return pending ?? this.#next()
  }

  async #next(): Promise<string | undefined> {
    if (this.#ended) return undefined
    this.#chunks ??= this.#open()
    const step = await this.#chunks.next()
    if (step.done !== true) return this.#reader.write(Buffer.from(step.value))
    this.#ended = true
    return this.#reader.end()
  }

  #open(): AsyncIterator<Buffer> {
    const stdin = getStandardInput()
    const stop = (): void => {
      // Nobody would hear of it behind its end.
      if (!this.#ended) stdin.destroy(new Failure('interrupted', 'interrupted'))
    }
    if (this.#signal?.aborted === true) stop()
    else this.#signal?.addEventListener('abort', stop, { once: true })
    return stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async #whole(): Promise<string> {
    const texts: string[] = []
    for await (const chunk of this.chunks()) texts.push(chunk)
    return texts.join('')
  }
}

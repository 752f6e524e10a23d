/** Standard input of a run: whole, or as it comes. It is read once. */
import { Failure, getErrorCode } from '../errors.js'
import { createLineState, currentIo, type InputStream } from './io.js'
import { TextReader } from './utf8.js'

/** Set where a terminal failed to be read: it is about to hang up. */
const input = createLineState(() => ({ lost: false }))

/** Returns true if a terminal failed to be read. */
export const hasLostInput = (): boolean => input().lost

const heard = new WeakSet<object>()

/**
 * Standard input. Opening it takes milliseconds. A terminal that cannot be read any more has ended: the error would reach the
 * readline of a prompt, where nobody can listen to it.
 */
export const standardInput = (): InputStream => {
  const { stdin } = currentIo()
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

/** A pipe that closes within so many milliseconds is an input that ends: a program that prints a list is done by then. */
const soon = 1000
/** So many characters of a pipe are held at most to see whether it closes. */
const maxAhead = 1 << 24

export class StandardInput {
  #chunks: AsyncIterator<Buffer> | undefined
  readonly #reader = new TextReader('standard input')
  /** Read, and not given yet. */
  #head = ''
  /** What was read behind the head, and what is being read. */
  readonly #ahead: string[] = []
  #pending: Promise<string | undefined> | undefined
  #ended = false
  #text: Promise<string> | undefined
  readonly #signal: AbortSignal | undefined

  /**
   * @param signal ends the wait for what may never come
   * @param text all of it, where it is known
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

  /** How it begins: its first line, as far as that is not too long. */
  async head(): Promise<string> {
    const isThere = (): boolean =>
      this.#head.length >= headSize || this.#head.trimStart().includes('\n')
    while ((!this.#ended || this.#ahead.length > 0) && !isThere()) {
      const chunk = await this.#take()
      if (chunk !== undefined) this.#head += chunk
    }
    return this.#head
  }

  /** As it comes. */
  async *chunks(): AsyncGenerator<string> {
    const head = await this.head()
    this.#head = ''
    if (head !== '') yield head
    for (let chunk = await this.#take(); chunk !== undefined; chunk = await this.#take())
      yield chunk
  }

  /** Whether all of it can be read before anything is done: it is a file, or a pipe that closes within a second. */
  async endsSoon(): Promise<boolean> {
    if (this.#ended || currentIo().inputFile() !== undefined) return true
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

  /** Nobody waits for what may never come. */
  close(): void {
    if (this.#chunks !== undefined && !this.#ended) standardInput().destroy()
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
    const stdin = standardInput()
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

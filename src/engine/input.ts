/** Standard input of a run: read once, whole or as it comes. */
import { StringDecoder } from 'node:string_decoder'
import { Failure } from '../errors.js'
import { standardInput } from '../terminal/standard.js'

/** So much is looked at to see what it is. */
const headSize = 1 << 16

export class StandardInput {
  #chunks: AsyncIterator<Buffer> | undefined
  readonly #decoder = new StringDecoder('utf8')
  /** Read, and not given yet. */
  #head = ''
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
    while (!this.#ended && !/\S[^\n]*\n/.test(this.#head) && this.#head.length < headSize) {
      const chunk = await this.#next()
      if (chunk !== undefined) this.#head += chunk
    }
    return this.#head
  }

  /** As it comes. */
  async *chunks(): AsyncGenerator<string> {
    const head = await this.head()
    this.#head = ''
    if (head !== '') yield head
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next())
      yield chunk
  }

  /** Nobody waits for what may never come. */
  close(): void {
    if (this.#chunks !== undefined && !this.#ended) standardInput().destroy()
  }

  async #next(): Promise<string | undefined> {
    if (this.#ended) return undefined
    this.#chunks ??= this.#open()
    const step = await this.#chunks.next()
    if (step.done !== true) return this.#decoder.write(Buffer.from(step.value))
    this.#ended = true
    return this.#decoder.end()
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

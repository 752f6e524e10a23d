/** Reading a body whole, within bounds. */
import { ByteBuffer } from '../../base/byte-buffer.js'
import { bounds } from '../../base/json/malformed.js'
import { Failure } from '../../errors.js'
import { unusable } from './lost.js'

const minutes = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s`

/** Milliseconds that only ever grow, from a clock that needs no loading. */
const now = (): number => process.uptime() * 1000

/** How much longer than the time-out a body may take altogether, in which nothing comes of it. */
const patience = 10

/**
 * A body that gives up when too much time was spent waiting for it: against answers that trickle
 * for ever and never come to an end. Time that the reader takes does not count.
 */
export class Patient {
  readonly #bytes: AsyncIterable<Uint8Array>
  readonly #limit: number
  readonly #label: string
  #waited = 0

  /** @param timeout milliseconds; 0 for no limit */
  constructor(bytes: AsyncIterable<Uint8Array>, timeout: number, label: string) {
    this.#bytes = bytes
    this.#limit = timeout === 0 ? Number.POSITIVE_INFINITY : timeout * patience
    this.#label = label
  }

  /** Something whole has come: patience starts afresh. */
  progressed(): void {
    this.#waited = 0
  }

  /** The same bytes for one who may take all the time there is: a download. */
  unhurried(): AsyncIterable<Uint8Array> {
    return this.#bytes
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let since = now()
    for await (const chunk of this.#bytes) {
      this.#waited += now() - since
      if (this.#waited > this.#limit)
        throw unusable(`the response did not finish within ${minutes(this.#limit)}`, this.#label)
      yield chunk
      since = now()
    }
  }
}

/**
 * The bytes of a body.
 * @throws Failure `unreachable` when it is cut short, or larger than `limit`
 */
export const readWhole = async (
  bytes: AsyncIterable<Uint8Array>,
  label: string,
  limit: number = bounds.bytes,
): Promise<Uint8Array> => {
  const gathered = new ByteBuffer(limit)
  for await (const chunk of bytes)
    if (!gathered.add(chunk))
      throw unusable(
        `the response was rejected because it is larger than ${limit >> 20} MiB`,
        label,
        { code: 'response-size' },
      )
  return gathered.bytes()
}

/** Error bodies are read up to this much; the rest would not be shown. */
const shownError = 256 * 1024

/** The beginning of a body that is only to be shown; what goes wrong with it does not matter. */
export const readSome = async (bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of bytes) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= shownError) break
    }
  } catch (error) {
    if (error instanceof Failure && error.category === 'interrupted') throw error
  }
  return Buffer.concat(chunks).subarray(0, shownError)
}

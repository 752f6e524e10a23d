/** Bytes that come in pieces, kept in one piece of memory. */
import { bounds } from './json/malformed.js'

/** Up to this much, pieces are kept as they came. */
const small = 1 << 20

/**
 * Gathers what was cut up. Once it is more than a little, memory is set aside for as much as there
 * may be: what is never written to is never given by the system, and nothing is held twice.
 */
export class ByteBuffer {
  length = 0
  #pieces: Uint8Array[] = []
  #whole: Buffer | undefined
  readonly #limit: number

  constructor(limit: number = bounds.bytes) {
    this.#limit = limit
  }

  /** False when that is more than there may be. */
  add(piece: Uint8Array): boolean {
    const length = this.length + piece.length
    if (length > this.#limit) return false
    if (this.#whole === undefined && length > small) {
      this.#whole = Buffer.allocUnsafeSlow(this.#limit)
      let at = 0
      for (const one of this.#pieces.splice(0)) {
        this.#whole.set(one, at)
        at += one.length
      }
    }
    if (this.#whole === undefined) this.#pieces.push(piece)
    else this.#whole.set(piece, this.length)
    this.length = length
    return true
  }

  bytes(): Uint8Array {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.length)
    const [only] = this.#pieces
    return this.#pieces.length === 1 && only !== undefined
      ? only
      : Buffer.concat(this.#pieces, this.length)
  }
}

/** Bytes: viewed as a Buffer, made well-formed UTF-8, and gathered from pieces in one piece of memory. */
import { isAscii, isUtf8 } from 'node:buffer'

import { bounds } from './json/json.js'

/** Returns the same memory as a Buffer. */
export const viewBytes = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The bytes as UTF-8: what is none is replaced by U+FFFD. */
export const makeWellFormed = (bytes: Uint8Array): Uint8Array =>
  isUtf8(bytes) ? bytes : Buffer.from(viewBytes(bytes).toString())

/** The text of UTF-8. Most of it is ASCII, which Node finds out and reads in a fifth of the time. */
export const decodeBytes = (bytes: Uint8Array): string =>
  viewBytes(bytes).toString(isAscii(bytes) ? 'latin1' : 'utf8')

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

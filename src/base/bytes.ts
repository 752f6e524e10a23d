/** Views bytes as a Buffer, decodes them, and gathers pieces of bytes. */
import { isAscii, isUtf8 } from 'node:buffer'

import { bounds } from './json/json.js'

/** Returns the same memory as a Buffer. */
export const viewBytes = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Returns the bytes as valid UTF-8. Invalid sequences are replaced by U+FFFD. */
export const makeWellFormed = (bytes: Uint8Array): Uint8Array =>
  isUtf8(bytes) ? bytes : Buffer.from(viewBytes(bytes).toString())

/** Decodes UTF-8. Most texts are ASCII, which Node detects and decodes in a fifth of the time. */
export const decodeBytes = (bytes: Uint8Array): string =>
  viewBytes(bytes).toString(isAscii(bytes) ? 'latin1' : 'utf8')

/** The size up to which pieces are kept as they are, in bytes. */
const small = 1 << 20

/**
 * Gathers pieces of bytes. Above `small` bytes, it allocates the maximum size at once: the system provides only the memory that is written
 * to, and no byte is held twice.
 */
export class ByteBuffer {
  length = 0
  #pieces: Uint8Array[] = []
  #whole: Buffer | undefined
  readonly #limit: number

  constructor(limit: number = bounds.bytes) {
    this.#limit = limit
  }

  /** Adds a piece. @returns false if the limit would be exceeded */
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

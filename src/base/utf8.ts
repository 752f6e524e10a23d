/** Text that comes in, from files and pipes: UTF-8, or a message that says what it is instead. One sentence for every place. */

import { isUtf8 } from 'node:buffer'
import { createInputFailure, usage } from '../errors.js'

/** The advice for a text that is not UTF-8. */
export const encodingHint =
  'Save it as UTF-8. Windows PowerShell writes UTF-16 with ">": use Out-File -Encoding utf8 instead.'

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)

const notUtf8 = 'is not UTF-8 text'

/** Returns the fault of bytes as text, in words that follow the name of their source; undefined if they are UTF-8. */
export const findEncodingFault = (bytes: Uint8Array): string | undefined => {
  if (isUtf16(bytes)) return 'is UTF-16, not UTF-8'
  if (bytes.includes(0)) return `${notUtf8}: it contains NUL bytes (UTF-16?)`
  return isUtf8(bytes) ? undefined : notUtf8
}

/** Removes the byte order mark that some editors put before UTF-8. */
const removeMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** Decodes bytes that are known to be UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string =>
  removeMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())

/**
 * Decodes a text that came in.
 * @param name what it is of, for the message
 * @throws Failure `usage` for anything but UTF-8, which quotes nothing of it
 */
export const decodeStrictly = (bytes: Uint8Array, name: string): string => {
  const fault = findEncodingFault(bytes)
  if (fault !== undefined) throw usage(`${name} ${fault}`, encodingHint)
  return decodeUtf8(bytes)
}

/** Decodes standard input as it comes, in pieces that may end within a character. Throws as `decodeStrictly`. */
export class TextReader {
  readonly #name: string
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  /** The first byte, if it may be half of a byte order mark. */
  #first: Uint8Array | undefined = new Uint8Array()

  constructor(name: string) {
    this.#name = name
  }

  write(chunk: Uint8Array): string {
    const bytes = this.#first === undefined ? chunk : Buffer.concat([this.#first, chunk])
    const held = this.#first !== undefined && bytes.length === 1 && (bytes[0] ?? 0) >= 0xfe
    this.#first = bytes.length === 0 || held ? bytes : undefined
    if (held) return ''
    // In the middle of a text the same bytes are no mark, and no UTF-8 either.
    if (isUtf16(bytes) || bytes.includes(0)) throw this.#refuse(findEncodingFault(bytes) ?? notUtf8)
    return this.#decode(bytes, true)
  }

  end(): string {
    return this.#decode(this.#first ?? new Uint8Array(), false)
  }

  #refuse(fault: string): Error {
    return createInputFailure(`${this.#name} ${fault}`, encodingHint)
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream })
    } catch {
      throw this.#refuse(notUtf8)
    }
  }
}

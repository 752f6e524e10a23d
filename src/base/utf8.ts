/** Decodes UTF-8 from files and standard input, and reports any other encoding with the same message everywhere. */

import { isUtf8 } from 'node:buffer'
import { createInputFailure, usage } from '../errors.js'

/** The hint of errors about a text that is not UTF-8. */
export const encodingHint =
  'Save it as UTF-8. Windows PowerShell writes UTF-16 with ">": use Out-File -Encoding utf8 instead.'

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)

const notUtf8 = 'is not UTF-8 text'

/** Says why bytes are not UTF-8, as the predicate of a sentence (`is UTF-16, not UTF-8`). Returns undefined if they are UTF-8. */
export const findEncodingFault = (bytes: Uint8Array): string | undefined => {
  if (isUtf16(bytes)) return 'is UTF-16, not UTF-8'
  if (bytes.includes(0)) return `${notUtf8}: it contains NUL bytes (UTF-16?)`
  return isUtf8(bytes) ? undefined : notUtf8
}

/** Removes the byte order mark that some editors put before UTF-8. */
const removeByteOrderMark = (text: string): string =>
  text.startsWith('\ufeff') ? text.slice(1) : text

const byteOrderMark = Buffer.from('\ufeff')

/** Removes the byte order mark from bytes that come in chunks. */
export class ByteOrderMarkFilter {
  /** The first bytes, kept until they are a byte order mark or cannot be one; undefined after that. */
  #first: Uint8Array | undefined = new Uint8Array()

  write(chunk: Uint8Array): Uint8Array {
    if (this.#first === undefined) return chunk
    const bytes = this.#first.length === 0 ? chunk : Buffer.concat([this.#first, chunk])
    const length = Math.min(bytes.length, byteOrderMark.length)
    const isMark = byteOrderMark.subarray(0, length).equals(bytes.subarray(0, length))
    const isOpen = isMark && length < byteOrderMark.length
    this.#first = isOpen ? bytes : undefined
    if (isOpen) return new Uint8Array()
    return isMark ? bytes.subarray(length) : bytes
  }

  /** Returns the bytes that are left at the end. */
  end(): Uint8Array {
    return this.#first ?? new Uint8Array()
  }
}

/** Decodes bytes that are known to be UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string =>
  removeByteOrderMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())

/**
 * Decodes bytes that must be UTF-8.
 * @param name the source of the bytes, for the message
 * @throws Failure `usage` for any other encoding; its message quotes none of the bytes
 */
export const decodeStrictly = (bytes: Uint8Array, name: string): string => {
  const fault = findEncodingFault(bytes)
  if (fault !== undefined) throw usage(`${name} ${fault}`, encodingHint)
  return decodeUtf8(bytes)
}

/** Decodes standard input chunk by chunk. A chunk may end within a character. Methods throw a Failure `usage` as `decodeStrictly` does. */
export class TextReader {
  readonly #name: string
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  /** The first byte, kept until the second shows whether both are a byte order mark; undefined after that. */
  #first: Uint8Array | undefined = new Uint8Array()

  constructor(name: string) {
    this.#name = name
  }

  write(chunk: Uint8Array): string {
    const bytes = this.#first === undefined ? chunk : Buffer.concat([this.#first, chunk])
    const held = this.#first !== undefined && bytes.length === 1 && (bytes[0] ?? 0) >= 0xfe
    this.#first = bytes.length === 0 || held ? bytes : undefined
    if (held) return ''
    // The bytes of a UTF-16 mark are invalid in UTF-8 anywhere, so each chunk is checked, not only the first.
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

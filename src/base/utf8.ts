/** Text from outside that may be no UTF-8. */
import { isAscii, isUtf8 } from 'node:buffer'

/** The same memory as a Buffer. */
export const viewed = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The bytes as UTF-8: what is none is replaced by U+FFFD. */
export const wellFormed = (bytes: Uint8Array): Uint8Array =>
  isUtf8(bytes) ? bytes : Buffer.from(viewed(bytes).toString())

/** The text of UTF-8. Most of it is ASCII, which Node finds out and reads in a fifth of the time. */
export const textOf = (bytes: Uint8Array): string =>
  viewed(bytes).toString(isAscii(bytes) ? 'latin1' : 'utf8')

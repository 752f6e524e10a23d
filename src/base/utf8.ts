/** Text from outside that may be no UTF-8. */
import { isUtf8 } from 'node:buffer'

/** The same memory as a Buffer. */
export const viewed = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The bytes as UTF-8: what is none is replaced by U+FFFD. */
export const wellFormed = (bytes: Uint8Array): Uint8Array =>
  isUtf8(bytes) ? bytes : Buffer.from(viewed(bytes).toString())

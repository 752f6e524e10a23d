/** Unpredictable random values from the `Io` of the running line; a line with an `Io` of its own decides what they are. */
import { getCurrentIo } from './io.js'

/** Returns bytes for keys and tokens. */
export const createRandomBytes = (size: number): Buffer =>
  Buffer.from(getCurrentIo().randomBytes(size))

/** Returns a UUID of version 4. */
export const createUuid = (): string => {
  const bytes = createRandomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

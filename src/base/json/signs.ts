/** Bytes of JSON by name. Each by itself: so they stand in the built program as numbers. */

export const space = 0x20
export const newline = 0x0a
export const carriage = 0x0d
export const tab = 0x09
export const quote = 0x22
export const comma = 0x2c
export const plus = 0x2b
export const minus = 0x2d
export const point = 0x2e
export const zero = 0x30
export const nine = 0x39
export const colon = 0x3a
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
export const letterE = 0x65
export const letterU = 0x75
export const openBrace = 0x7b
export const closeBrace = 0x7d

export const isBlank = (byte: number): boolean =>
  byte === space || byte === newline || byte === carriage || byte === tab

/** 1 at the place of each of these bytes. */
export const createByteTable = (bytes: Iterable<number>): Uint8Array => {
  const table = new Uint8Array(256)
  for (const byte of bytes) table[byte] = 1
  return table
}

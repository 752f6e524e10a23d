/** Texts of JSON, as far as nothing in them is special. */
import { backslash, createByteTable, quote, space } from './signs.js'

/** The bytes that a string cannot simply run over. */
const special = createByteTable([...Array(space).keys(), quote, backslash])

// Of four bytes at once: what is 0x20 or less once quotes and spaces are swapped, and backslashes.
const swap = 0x02020202
const tooLow = 0x21212121
const backslashes = 0x5c5c5c5c
const ones = 0x01010101
const highBits = 0x80808080

/**
 * Where a text stops being plain: at a quote, a backslash, a control character, or the end. Of four
 * bytes at once, a subtraction sets the high bit of those that are too low; it may set that of bytes
 * above the first such by its borrow, never below: so the lowest bit is right.
 */
export const plainEnd = (chunk: Uint8Array, view: DataView, start: number): number => {
  const { length } = chunk
  let i = start
  for (const last = length - 4; i <= last; i += 4) {
    const four = view.getInt32(i, true)
    const low = four ^ swap
    const slash = four ^ backslashes
    const hit = (((low - tooLow) & ~low) | ((slash - ones) & ~slash)) & highBits
    if (hit !== 0) return i + ((31 - Math.clz32(hit & -hit)) >> 3)
  }
  while (i < length && special[chunk[i] as number] === 0) i++
  return i
}

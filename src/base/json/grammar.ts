/** The grammar of JSON, byte by byte, for `Scanner`: bytes by name, plain text, and what may come next. */

// Bytes of JSON by name. Each by itself: so they stand in the built program as numbers.

const space = 0x20
const newline = 0x0a
const carriage = 0x0d
const tab = 0x09
export const quote = 0x22
export const comma = 0x2c
export const plus = 0x2b
export const minus = 0x2d
export const point = 0x2e
export const zero = 0x30
export const nine = 0x39
export const colon = 0x3a
const openBracket = 0x5b
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

// Texts of JSON, as far as nothing in them is special.

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

// What comes next.
export const aValue = 0
export const valueOrEnd = 1
export const keyOrEnd = 2
const aKey = 3
export const aColon = 4
export const inObject = 5
export const inArray = 6
export const nothingMore = 7
const wanted = [
  'a value',
  'a value or "]"',
  'a name or "}"',
  'a name',
  'a colon',
  'a comma or the closing bracket',
  'a comma or the closing bracket',
  'a comma or the closing bracket',
] as const

/** In words. */
export const describeWanted = (want: number): string => wanted[want] ?? wanted[aValue]

// What a byte begins; a smaller number is what comes next behind it.
export const firstAction = 8
export const aKeyBegins = 8
export const closes = 9
export const refuses = 10
export const opens = 11
export const aTextBegins = 12
export const aNumberBegins = 13
const aWordBegins = 14

type Row = readonly (readonly [bytes: Iterable<number>, step: number])[]

const blanks = [space, newline, carriage, tab]
const numbers = [minus, ...Array.from({ length: nine - zero + 1 }, (_, i) => zero + i)]
const values: Row = [
  [[quote], aTextBegins],
  [[openBrace, openBracket], opens],
  [numbers, aNumberBegins],
  [Buffer.from('tfn'), aWordBegins],
]
/** By what comes next; blanks change nothing, and every other byte is refused. */
const rows: readonly Row[] = [
  values,
  [...values, [[closeBracket], closes]],
  [
    [[quote], aKeyBegins],
    [[closeBrace], closes],
  ],
  [[[quote], aKeyBegins]],
  [[[colon], aValue]],
  [
    [[comma], aKey],
    [[closeBrace], closes],
  ],
  [
    [[comma], aValue],
    [[closeBracket], closes],
  ],
  [],
]

/** The step for what comes next (high) and a byte (low). */
export const steps: Uint8Array = new Uint8Array(rows.length << 8).fill(refuses)
for (const [want, row] of rows.entries())
  for (const [bytes, step] of [[blanks, want] as const, ...row])
    for (const byte of bytes) steps[(want << 8) | byte] = step

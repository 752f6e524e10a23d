/** What each byte means where it stands between the tokens of a JSON text. */
import {
  carriage,
  closeBrace,
  closeBracket,
  colon,
  comma,
  minus,
  newline,
  nine,
  openBrace,
  openBracket,
  quote,
  space,
  tab,
  zero,
} from './signs.js'

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

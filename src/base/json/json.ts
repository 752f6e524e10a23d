/**
 * Parses and writes JSON whose numbers are printed as they arrived, and declares the limits and errors of JSON. Node's own parser does the
 * work: `lossless-json`, which reads character by character, needs 1.3 GB for a text of 40 MB.
 */

/** The marker of numbers in the text that is being written. */
let writing: { readonly note: (text: string) => string } | undefined

/** A number as it was written, if JavaScript would print it differently: above 2^53, `1.0`, `1e400`. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  valueOf(): number {
    return Number(this.text)
  }

  toString(): string {
    return this.text
  }

  /** Returns a number for ordinary JSON; `serializeExact` restores the text. */
  toJSON(): unknown {
    return writing === undefined ? Number(this.text) : writing.note(this.text)
  }
}

/** True if a value is a number, in either representation. */
export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

/** Formats a number that identifies something. It keeps its own digits if JavaScript would round them. */
export const formatNumber = (value: number | ExactNumber): string =>
  Number.isSafeInteger(Number(value)) ? String(Number(value)) : String(value)

/** Matches a number that JavaScript may print differently: with 16 or more digits, an exponent, a zero at its end, or the value -0. */
const unusual =
  /(?:^|[:,[\s])-?\d(?:[\d.]{15}|[\d.]{0,15}[eE]|\d{0,15}\.\d{0,15}0(?=[,\]}\s]|$))|-0(?=[,\]}\s]|$)/

/** Returns the index after the closing quote of a string that starts at `start`. */
export const findStringEnd = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}

const number = /-?\d[\d.eE+-]*/g

/** Converts each number that JavaScript would change to a string with a marker. */
const markNumbers = (text: string, mark: string): string => {
  let out = ''
  let from = 0
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at)
    const end = quote < 0 ? text.length : quote
    for (const { 0: digits, index } of text.slice(at, end).matchAll(number)) {
      if (String(Number(digits)) === digits) continue
      out += `${text.slice(from, at + index)}"${mark}${digits}"`
      from = at + index + digits.length
    }
    if (quote < 0) break
    at = findStringEnd(text, quote)
  }
  return from === 0 ? text : out + text.slice(from)
}

type Holder = Record<string | number, unknown>

/** Converts the marked strings of a value back to numbers, in place. */
const restoreNumbers = (root: unknown, mark: string): unknown => {
  const top: Holder = { root }
  const open: Holder[] = [top]
  const restoreField = (holder: Holder, key: string | number): void => {
    const value = holder[key]
    if (typeof value === 'object' && value !== null) open.push(value as Holder)
    else if (typeof value === 'string' && value.startsWith(mark))
      setOwn(holder, key, new ExactNumber(value.slice(mark.length)))
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (let i = 0; i < next.length; i++) restoreField(next, i)
    else for (const key in next) restoreField(next, key)
  }
  return top.root
}

/** Sets a field. A plain assignment to `__proto__` would lose the value. */
const setOwn = (holder: Holder, key: string | number, value: unknown): void => {
  if (key !== '__proto__') holder[key] = value
  else
    Object.defineProperty(holder, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
}

/** Creates a random marker, so that no text can be prepared to begin with it. */
const createMark = (): string => `${Math.random()}${Math.random()} `.replaceAll('.', '_')

/** Parses a JSON text. Numbers that JavaScript would print differently become `ExactNumber`. @throws SyntaxError */
export const parseExact = (text: string): unknown => {
  if (!unusual.test(text)) return JSON.parse(text)
  const mark = createMark()
  const safe = markNumbers(text, mark)
  return safe === text ? JSON.parse(text) : restoreNumbers(JSON.parse(safe), mark)
}

/** Writes a value as JSON text; undefined if it has none. */
export const serializeExact = (value: unknown): string | undefined => {
  let mark: string | undefined
  writing = {
    note: (text) => {
      mark ??= createMark()
      return mark + text
    },
  }
  try {
    const text: string | undefined = JSON.stringify(value)
    return mark === undefined ? text : text?.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1')
  } finally {
    writing = undefined
  }
}

// Limits and errors: malformed JSON, and JSON that is too large to be parsed.

/** The limits of what is built of one answer, or of one record of a list. */
export const bounds = {
  /** Bytes, after decompression. */
  bytes: 64 << 20,
  values: 1_000_000,
  depth: 200,
} as const

/** The limits of one record if a format needs its fields: values take far more memory than bytes. */
export const maxBuilt = { bytes: 12 << 20, values: 250_000 } as const

/** The error for a malformed JSON text, in words that follow the name of the text; no byte of it is repeated. */
export class MalformedJson extends Error {
  /** The position of the error in the chunk that was read; undefined if the error concerns the whole text. */
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.at = at
  }

  /** Returns the same error with its position, counted from the beginning of the text. */
  placed(before: number): MalformedJson {
    if (this.at === undefined) return this
    return new MalformedJson(`${this.message}, at byte ${before + this.at + 1}`)
  }
}

export const createMalformed = (why: string, at: number): MalformedJson =>
  new MalformedJson(`is not valid JSON: ${why}`, at)

export const createTooManyValues = (most: number): MalformedJson =>
  new MalformedJson(
    `was rejected because it has more than ${most < 1_000_000 ? most : `${most / 1_000_000} million`} values`,
  )

export const createTooDeep = (): MalformedJson =>
  new MalformedJson(`was rejected because it is nested more than ${bounds.depth} levels deep`)

/** @param what the part of the answer that is too large */
export const createTooLarge = (what = ''): MalformedJson =>
  new MalformedJson(
    `${what} was rejected because it is larger than ${bounds.bytes >> 20} MiB`.trim(),
  )

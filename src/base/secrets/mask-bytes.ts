/** Finds and masks credentials in the bytes of records, without parsing them. */

import { viewBytes } from '../bytes.js'
import { findStringEnd } from '../json/json.js'
import { joinPieces, readTokens } from '../json/text-tokens.js'
import { backslash, colon, quote } from '../json/tokens.js'
import { tryParseJson } from '../objects.js'
import { getSecrecy, isAddressText, maskText, type Secrecy, type SecrecyFinder } from './mask.js'
import { keySign } from './mask-text.js'
import { innerWords, masked } from './names.js'

const slash = 0x2f
const addressSigns = [0x40, 0x3f] as const

/** A string of JSON that has to be replaced. */
interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

const isEscapedAt = (bytes: Uint8Array, at: number): boolean => {
  let slashes = 0
  while (bytes[at - 1 - slashes] === backslash) slashes++
  return slashes % 2 === 1
}

/**
 * Returns the index at which the string begins that contains the sign at `at`, if it may be an address. Then a slash or an escape stands
 * before the sign. Returns -1 otherwise, and if the string began before `from`, since no sign stands before the first slash of an address.
 */
const findOpening = (bytes: Buffer, at: number, from: number): number => {
  let found = false
  for (let i = at - 1; i >= from; i--) {
    const byte = bytes[i]
    if (byte === slash || byte === backslash) found = true
    else if (byte === quote && !isEscapedAt(bytes, i)) return found ? i : -1
  }
  return -1
}

/** Returns the index after the closing quote of the string that begins at `start`. */
const findQuotedEnd = (bytes: Buffer, start: number): number => {
  let at = bytes.indexOf(quote, start + 1)
  while (at !== -1 && isEscapedAt(bytes, at)) at = bytes.indexOf(quote, at + 1)
  return at === -1 ? bytes.length : at + 1
}

/**
 * The number of characters that are tested for the beginning of an address. It is more than a scheme has, since characters may be escaped.
 */
const opening = 64

/** True if a string may be an address; most strings that contain such characters are not. */
const mayBeAddress = (bytes: Buffer, start: number): boolean => {
  const head = bytes.toString('latin1', start + 1, start + 1 + opening)
  return isAddressText(head) || head.includes('\\')
}

const isKey = (bytes: Buffer, end: number): boolean => {
  let at = end
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++
  return bytes[at] === colon
}

/** Returns the string to write instead; undefined if it is unchanged. */
const maskString = (bytes: Buffer, start: number, end: number): string | undefined => {
  try {
    const text: unknown = JSON.parse(bytes.toString('utf8', start, end))
    if (typeof text !== 'string' || isKey(bytes, end)) return undefined
    const safe = maskText(text)
    return safe === text ? undefined : JSON.stringify(safe)
  } catch {
    // The buffer of a batch may contain bytes that are not part of it, so the slice need not be JSON.
    return undefined
  }
}

/** Finds the next of several characters. No byte is searched twice for the same character. */
class CharacterFinder {
  readonly #bytes: Buffer
  readonly #found: number[]

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#found = addressSigns.map(() => -1)
  }

  /** Returns the index of the next sign; the bytes' length if there is none. */
  next(from: number): number {
    let first = this.#bytes.length
    for (let i = 0; i < addressSigns.length; i++) {
      let at = this.#found[i] ?? -1
      if (at < from) {
        at = this.#bytes.indexOf(addressSigns[i] ?? 0, from)
        if (at === -1) at = this.#bytes.length
        this.#found[i] = at
      }
      if (at < first) first = at
    }
    return first
  }
}

const findAddresses = (bytes: Buffer): readonly Change[] => {
  const changes: Change[] = []
  const signs = new CharacterFinder(bytes)
  for (let from = 0, at = signs.next(0); at < bytes.length; at = signs.next(from)) {
    const start = findOpening(bytes, at, from)
    if (start === -1) {
      from = at + 1
      continue
    }
    from = findQuotedEnd(bytes, start)
    const text = mayBeAddress(bytes, start) ? maskString(bytes, start, from) : undefined
    if (text !== undefined) changes.push({ start, end: from, text })
  }
  return changes
}

/** Returns the index at which the string begins that contains the byte at `at`; -1 if none begins from `from` on. */
const findStart = (bytes: Buffer, at: number, from: number): number => {
  let start = at
  do start = start <= from ? -1 : bytes.lastIndexOf(quote, start - 1)
  while (start >= from && isEscapedAt(bytes, start))
  return start < from ? -1 : start
}

/** Finds the strings that contain a private key. */
const findKeys = (bytes: Buffer): readonly Change[] => {
  const changes: Change[] = []
  for (let from = 0, at = bytes.indexOf(keySign); at !== -1; at = bytes.indexOf(keySign, from)) {
    const start = findStart(bytes, at, from)
    from = start === -1 ? at + 1 : findQuotedEnd(bytes, start)
    const text = start === -1 ? undefined : maskString(bytes, start, from)
    if (text !== undefined) changes.push({ start, end: from, text })
  }
  return changes
}

const finders = [findAddresses, findKeys]

/** True if these bytes contain a text with a secret: an address with a credential, or a private key. */
export const holdsSecretText = (given: Uint8Array): boolean => {
  const bytes = viewBytes(given)
  return finders.some((find) => find(bytes).length > 0)
}

/** Masks the secrets in texts; all other bytes stay. */
const maskSecretTexts = (given: Uint8Array): Uint8Array =>
  finders.reduce((before, find) => {
    const bytes = viewBytes(before)
    const kept: Uint8Array[] = []
    let from = 0
    for (const { start, end, text } of find(bytes)) {
      kept.push(bytes.subarray(from, start), Buffer.from(text))
      from = end
    }
    return from === 0 ? before : Buffer.concat([...kept, bytes.subarray(from)])
  }, given)

// Secrets in the text of a record, masked token by token at any depth.

const decodeKey = (token: string): string =>
  token.includes('\\') ? String(tryParseJson(token) ?? token) : token.slice(1, -1)

/** The values of a marker field that show that a record is not a variable. */
const unmarked = new Set(['false', '"false"', 'null'])

/** An open bracket: the index of its object among all objects, and whether all objects in it are variables. */
interface NestedBracket {
  readonly object: number
  readonly held: boolean
}

/** Finds the objects that are variables, by their index: they have a marker field, or are below `variables`. */
const findVariables = (text: string, findSecrecy: SecrecyFinder): ReadonlySet<number> => {
  const found = new Set<number>()
  const open: NestedBracket[] = []
  let [objects, last] = [0, '']
  let meaning: ReturnType<SecrecyFinder>
  for (const token of readTokens(text)) {
    const { object = 0, held = false } = open.at(-1) ?? {}
    if (meaning === 'marks' && !unmarked.has(token)) found.add(object)
    if (token === '{' || token === '[') {
      const inner = { object: token === '{' ? ++objects : 0, held: held || meaning === 'holds' }
      open.push(inner)
      if (inner.held) found.add(inner.object)
    } else if (token === '}' || token === ']') open.pop()
    meaning = token === ':' ? findSecrecy(decodeKey(last)) : undefined
    last = token
  }
  return found
}

/** An open bracket: whether the texts of a list are masked, or whether an object is a variable. */
interface OpenBracket {
  readonly listed: boolean
  readonly variable: boolean
}

/** Masks the values of secrets, token by token. */
class SecretMasker {
  /** True if anything was hidden. */
  changed = false
  /** The number of open brackets within a value that is dropped as a whole. */
  private dropped = 0
  private objects = 0
  private readonly open: OpenBracket[] = []
  private armed: Secrecy | undefined
  private last = ''
  constructor(
    private readonly findSecrecy: SecrecyFinder,
    private readonly variables: ReadonlySet<number>,
  ) {}

  /** Returns the token to write; undefined to write nothing. */
  take(token: string): string | undefined {
    if (token === '{') this.objects++
    if (this.dropped > 0) {
      if (token === '{' || token === '[') this.dropped++
      if (token === '}' || token === ']') this.dropped--
      return undefined
    }
    const { armed } = this
    this.armed = undefined
    if (armed === 'declared') return this.hide(token)
    if (token === ':' && this.last.startsWith('"')) this.armed = this.secrecy(decodeKey(this.last))
    this.last = token
    const listed = this.open.at(-1)?.listed === true
    if (token === '{') this.open.push({ listed: false, variable: this.variables.has(this.objects) })
    else if (token === '[')
      this.open.push({ listed: listed || armed === 'guessed', variable: false })
    else if (token === '}' || token === ']') this.open.pop()
    const text = token.startsWith('"') && token !== '""'
    return text && (listed || armed === 'guessed') ? this.mask() : token
  }

  private secrecy(name: string): Secrecy | undefined {
    const own = this.open.at(-1)?.variable === true && this.findSecrecy(name) === 'value'
    return own ? 'declared' : getSecrecy(this.findSecrecy, name)
  }

  private hide(token: string): string {
    this.last = ''
    if (token === 'null' || token === '""') return token
    if (token === '{' || token === '[') this.dropped = 1
    return this.mask()
  }

  private mask(): string {
    this.changed = true
    return JSON.stringify(masked)
  }
}

function* maskTokens(text: string, hider: SecretMasker): Generator<string> {
  for (const token of readTokens(text)) {
    const kept = hider.take(token)
    if (kept !== undefined) yield kept
  }
}

/**
 * Masks the secrets of a JSON text and removes white space; all other tokens are as they came.
 * @returns undefined if the text has no secrets
 */
const maskJsonText = (text: string, findSecrecy: SecrecyFinder): Uint8Array | undefined => {
  const hider = new SecretMasker(findSecrecy, findVariables(text, findSecrecy))
  const bytes = joinPieces(maskTokens(text, hider))
  return hider.changed ? bytes : undefined
}

/** Converts each byte to the character with the same code, so that patterns can match bytes without loss. */
const toLatin1 = (bytes: Uint8Array): string => viewBytes(bytes).toString('latin1')

/** Matches the escapes of letters and the underscore. No writer needs them, but a secret's name could be disguised by them. */
const disguise = '\\\\u00[4-7]'
const disguised = new RegExp(disguise)

/** Converts a text to a pattern that matches its JSON form, with one character for each byte. */
const toLiteralPattern = (text: string): string =>
  toLatin1(Buffer.from(JSON.stringify(text).slice(1, -1))).replace(/[^\w]/g, '\\$&')

const window = 1 << 16

/** Creates a test of bytes. It works in pieces, since a copy of the whole text might be too large. */
const createPatternTest =
  (pattern: RegExp, overlap: number) =>
  (bytes: Uint8Array): boolean => {
    for (let at = 0; at < bytes.length; at += window)
      if (pattern.test(toLatin1(bytes.subarray(at, at + window + overlap)))) return true
    return false
  }

/** The number of characters that a search for inner words inspects. */
const maxWordLength = 64

/**
 * Parts that such words contain, in lower or upper case. They have less than eight letters, which Node finds in half the time of longer
 * ones. They begin at a letter that is rarer than those before it, which halves the time again.
 */
const innerParts = ['necti', 'NECTI'] as const

/** True if these bytes contain a word that a secret's name may have anywhere. */
export const holdsInner = (given: Uint8Array): boolean => {
  const bytes = viewBytes(given)
  return innerParts.some((sign) => {
    for (let at = bytes.indexOf(sign); at !== -1; at = bytes.indexOf(sign, at + 1))
      if (innerWords.test(toLatin1(bytes.subarray(Math.max(0, at - 3), at + maxWordLength))))
        return true
    return false
  })
}

/** Creates a test for strings that end like names of secrets. It is far cheaper than parsing. @param names the endings of the names */
export const createMentionTest = (names: readonly string[]): ((bytes: Uint8Array) => boolean) => {
  const endings = names.map(toLiteralPattern)
  const pattern = new RegExp(`(?:${endings.join('|')})"|${innerWords.source}|${disguise}`, 'i')
  return createPatternTest(
    pattern,
    Math.max(...endings.map((ending) => ending.length), maxWordLength) + 1,
  )
}

const mask = Buffer.from(JSON.stringify(masked))

/** Decides from the bytes after a key whether its value is masked. It returns `parse` if the bytes do not suffice. */
const classifyKey = (
  name: string,
  text: string,
  start: number,
  findSecrecy: SecrecyFinder,
): 'hide' | 'keep' | 'parse' => {
  const kind = text[start]
  if (kind === 'n' || text.startsWith('""', start)) return 'keep'
  const meaning = findSecrecy(name)
  if (meaning === 'value' || meaning === 'holds') return 'parse'
  const secrecy = getSecrecy(findSecrecy, name)
  if (secrecy === undefined) return 'keep'
  if (secrecy === 'guessed' && kind !== '"' && kind !== '[') return 'keep'
  return kind === '"' ? 'hide' : 'parse'
}

/**
 * Masks the secrets of a record in its bytes and leaves every other byte as it is. A quote inside of a string has a backslash before it, so
 * a bare quote and a colon end a key.
 * @returns undefined if that is not enough: a secret that is no string, a name with an escape, a variable
 */
const maskRecordBytes = (
  bytes: Uint8Array,
  key: RegExp,
  findSecrecy: SecrecyFinder,
): Uint8Array | undefined => {
  const text = toLatin1(bytes)
  if (disguised.test(text)) return undefined
  const kept: Uint8Array[] = []
  let from = 0
  for (const { 0: all, 1: ending = '', index } of text.matchAll(key)) {
    const start = index + all.length
    // A string without a colon after it is not a key.
    if (all === ending || start < from) continue
    const opening = text.lastIndexOf('"', index)
    const name = text.slice(opening + 1, index + ending.length)
    if (name.includes('\\') || text[opening - 1] === '\\') return undefined
    const found = classifyKey(Buffer.from(name, 'latin1').toString(), text, start, findSecrecy)
    if (found === 'parse') return undefined
    if (found === 'keep') continue
    kept.push(bytes.subarray(from, start), mask)
    from = findStringEnd(text, start)
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)])
}

const decoder = new TextDecoder()

/** Creates a function that masks the secrets of a record in its bytes, or token by token if the bytes do not suffice. */
export const createByteMasker = (
  names: readonly string[],
  findSecrecy: SecrecyFinder,
): ((bytes: Uint8Array) => Uint8Array) => {
  const endings = names.map(toLiteralPattern).join('|')
  // A text that repeats inner words is skipped in one match, since the pattern also matches without a colon.
  const key = new RegExp(`((?:${endings})(?=")|${innerWords.source}[^"\\\\]*)(?:"\\s*:\\s*)?`, 'gi')
  const maskByName = (bytes: Uint8Array): Uint8Array =>
    maskRecordBytes(bytes, key, findSecrecy) ??
    maskJsonText(decoder.decode(bytes), findSecrecy) ??
    bytes
  return (bytes) => maskSecretTexts(maskByName(bytes))
}

/** Credentials in records that are not parsed: found and masked in their bytes. */
import { stringEnd } from '../../base/json/json.js'
import { type Secrecy, type SecrecyOf, secrecyIn } from '../../base/secrets/mask.js'
import { innerWords, masked } from '../../base/secrets/names.js'
import { viewed } from '../../base/utf8.js'
import { bytesOfPieces, readTokens } from '../json/text.js'
import { withoutAddresses } from './addresses.js'

// Credentials in the text of a record: masked however many tokens they have, at any depth.

const keyOf = (token: string): string => {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}

/** What is written where a variable is not marked as one. */
const unmarked = new Set(['false', '"false"', 'null'])

/** The objects of a text that say of themselves that they are variables, by their place among all. */
const variablesIn = (text: string, secrecyOf: SecrecyOf): ReadonlySet<number> => {
  const found = new Set<number>()
  const open: number[] = []
  let [objects, last, marks] = [0, '', false]
  for (const token of readTokens(text)) {
    if (marks && !unmarked.has(token)) found.add(open.at(-1) ?? 0)
    marks = token === ':' && secrecyOf(keyOf(last)) === 'marks'
    if (token === '{') open.push(++objects)
    else if (token === '[') open.push(0)
    else if (token === '}' || token === ']') open.pop()
    last = token
  }
  return found
}

/** A bracket that is open: of a list, whether its texts are hidden, of an object, whether it is a variable. */
interface Open {
  readonly listed: boolean
  readonly variable: boolean
}

/** Hides the values of secrets, token by token. */
class Hider {
  /** Whether anything was hidden. */
  changed = false
  /** Brackets open within a value that is dropped as a whole. */
  private dropped = 0
  private objects = 0
  private readonly open: Open[] = []
  private armed: Secrecy | undefined
  private last = ''
  constructor(
    private readonly secrecyOf: SecrecyOf,
    private readonly variables: ReadonlySet<number>,
  ) {}

  /** The token to write for this one; undefined to write nothing. */
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
    if (token === ':' && this.last.startsWith('"')) this.armed = this.secrecy(keyOf(this.last))
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
    const own = this.open.at(-1)?.variable === true && this.secrecyOf(name) === 'value'
    return own ? 'declared' : secrecyIn(this.secrecyOf, name)
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

function* hiddenPieces(text: string, hider: Hider): Generator<string> {
  for (const token of readTokens(text)) {
    const kept = hider.take(token)
    if (kept !== undefined) yield kept
  }
}

/**
 * JSON text with its secrets masked and no white space; all other tokens are as they came.
 * @returns undefined where it holds none
 */
const maskedText = (text: string, secrecyOf: SecrecyOf): Uint8Array | undefined => {
  const hider = new Hider(secrecyOf, variablesIn(text, secrecyOf))
  const bytes = bytesOfPieces(hiddenPieces(text, hider))
  return hider.changed ? bytes : undefined
}

/** Bytes as characters of the same number, so that patterns see them and nothing is lost. */
const latin = (bytes: Uint8Array): string => viewed(bytes).toString('latin1')

/** Escapes of letters and the underscore: nobody needs them, and a name could hide behind them. */
const disguise = '\\\\u00[4-7]'
const disguised = new RegExp(disguise)

/** Text as a pattern that is that text, in the characters of its bytes. */
const literal = (text: string): string =>
  latin(Buffer.from(JSON.stringify(text).slice(1, -1))).replace(/[^\w]/g, '\\$&')

const window = 1 << 16

/** A test of bytes, in pieces: a copy of everything at once would be one more of what may be large. */
const testOf =
  (pattern: RegExp, overlap: number) =>
  (bytes: Uint8Array): boolean => {
    for (let at = 0; at < bytes.length; at += window)
      if (pattern.test(latin(bytes.subarray(at, at + window + overlap)))) return true
    return false
  }

/** More letters than a search of words looks at. */
const longestWords = 64

/**
 * What such words have in them, whichever of their letters are large. Of less than eight letters, which Node finds in half
 * the time of longer ones, and from a letter on that is rarer than those before it, which halves that again.
 */
const innerSigns = ['necti', 'NECTI'] as const

/** Whether a word that a secret's name may have anywhere stands in these bytes. */
export const holdsInner = (given: Uint8Array): boolean => {
  const bytes = viewed(given)
  return innerSigns.some((sign) => {
    for (let at = bytes.indexOf(sign); at !== -1; at = bytes.indexOf(sign, at + 1))
      if (innerWords.test(latin(bytes.subarray(Math.max(0, at - 3), at + longestWords))))
        return true
    return false
  })
}

/**
 * A test of bytes for strings that end as names of secrets do, far cheaper than parsing.
 * @param names what those end in
 */
export const mentions = (names: readonly string[]): ((bytes: Uint8Array) => boolean) => {
  const endings = names.map(literal)
  const pattern = new RegExp(`(?:${endings.join('|')})"|${innerWords.source}|${disguise}`, 'i')
  return testOf(pattern, Math.max(...endings.map((ending) => ending.length), longestWords) + 1)
}

const mask = Buffer.from(JSON.stringify(masked))

/** What stands behind a key says whether it is hidden; `parse` where the bytes do not tell enough. */
const verdict = (
  name: string,
  text: string,
  start: number,
  secrecyOf: SecrecyOf,
): 'hide' | 'keep' | 'parse' => {
  const kind = text[start]
  if (kind === 'n' || text.startsWith('""', start)) return 'keep'
  if (secrecyOf(name) === 'value') return 'parse'
  const secrecy = secrecyIn(secrecyOf, name)
  if (secrecy === undefined) return 'keep'
  if (secrecy === 'guessed' && kind !== '"' && kind !== '[') return 'keep'
  return kind === '"' ? 'hide' : 'parse'
}

/**
 * Masks the secrets of a record in its bytes and leaves every other byte as it is. A quote inside
 * of a string has a backslash before it, so what ends in a bare quote and a colon is a key.
 * @returns undefined where that is not enough: a secret that is no string, a name with an escape, a variable
 */
const hidden = (bytes: Uint8Array, key: RegExp, secrecyOf: SecrecyOf): Uint8Array | undefined => {
  const text = latin(bytes)
  if (disguised.test(text)) return undefined
  const kept: Uint8Array[] = []
  let from = 0
  for (const match of text.matchAll(key)) {
    const start = match.index + match[0].length
    if (start < from) continue
    const opening = text.lastIndexOf('"', match.index)
    const name = text.slice(opening + 1, match.index + (match[1] ?? '').length)
    if (name.includes('\\') || text[opening - 1] === '\\') return undefined
    const found = verdict(Buffer.from(name, 'latin1').toString(), text, start, secrecyOf)
    if (found === 'parse') return undefined
    if (found === 'keep') continue
    kept.push(bytes.subarray(from, start), mask)
    from = stringEnd(text, start)
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)])
}

const decoder = new TextDecoder()

/** A record's bytes with its secrets masked; token by token where its bytes do not tell enough. */
export const maskerOfBytes = (
  names: readonly string[],
  secrecyOf: SecrecyOf,
): ((bytes: Uint8Array) => Uint8Array) => {
  const endings = names.map(literal).join('|')
  const key = new RegExp(`(${endings}|${innerWords.source}[^"\\\\]*)"\\s*:\\s*`, 'gi')
  const named = (bytes: Uint8Array): Uint8Array =>
    hidden(bytes, key, secrecyOf) ?? maskedText(decoder.decode(bytes), secrecyOf) ?? bytes
  return (bytes) => withoutAddresses(named(bytes))
}

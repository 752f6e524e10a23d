/** Credentials in records that are not parsed: found and masked in their bytes. */
import { stringEnd } from '../../base/json/json.js'
import { type SecrecyOf, secrecyIn } from '../../base/secrets/mask.js'
import { innerWords, masked } from '../../base/secrets/names.js'
import { viewed } from '../../base/utf8.js'
import { withoutAddresses } from './addresses.js'
import { maskedText } from './text.js'

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

/** What such words have in them, whichever of their letters are large. */
const innerSigns = ['onnection', 'ONNECTION'] as const

/** Whether a word that a secret's name may have anywhere stands in these bytes. */
export const holdsInner = (given: Uint8Array): boolean => {
  const bytes = viewed(given)
  return innerSigns.some((sign) => {
    for (let at = bytes.indexOf(sign); at !== -1; at = bytes.indexOf(sign, at + 1))
      if (innerWords.test(latin(bytes.subarray(at - 1, at + longestWords)))) return true
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

/** Credentials in records that are not parsed: found and masked in their bytes. */
import { stringEnd } from '../../base/json/json.js'
import { masked } from '../../base/secrets/names.js'
import { viewed } from '../../base/utf8.js'
import type { SecrecyOf } from './secrets.js'
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

/**
 * A test of bytes for strings that end as names of secrets do, far cheaper than parsing.
 * @param names what those end in
 */
export const mentions = (names: readonly string[]): ((bytes: Uint8Array) => boolean) => {
  const endings = names.map(literal)
  const pattern = new RegExp(`(?:${endings.join('|')})"|${disguise}`, 'i')
  const overlap = Math.max(...endings.map((ending) => ending.length), disguise.length) + 1
  // A copy of everything at once would be one more of what may be large.
  return (bytes) => {
    for (let at = 0; at < bytes.length; at += window)
      if (pattern.test(latin(bytes.subarray(at, at + window + overlap)))) return true
    return false
  }
}

const mask = Buffer.from(JSON.stringify(masked))

/**
 * Masks the secrets of a record in its bytes and leaves every other byte as it is. A quote inside
 * of a string has a backslash before it, so what ends in a bare quote and a colon is a key.
 * @returns undefined where that is not enough: a secret that is no string, or a name with an escape
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
    const secrecy = secrecyOf(Buffer.from(name, 'latin1').toString())
    const kind = text[start]
    if (secrecy === undefined || kind === 'n' || text.startsWith('""', start)) continue
    if (secrecy === 'guessed' && kind !== '"' && kind !== '[') continue
    if (kind !== '"') return undefined
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
  const key = new RegExp(`(${endings})"\\s*:\\s*`, 'gi')
  return (bytes) => hidden(bytes, key, secrecyOf) ?? maskedText(decoder.decode(bytes), secrecyOf)
}

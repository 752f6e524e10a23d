/** JSON records as bytes: passed on as they came wherever nothing needs their fields. */
import { rewrite } from './json-text.js'
import { holdsSecrets, parse, shaper, stringify, textOf } from './record.js'
import type { View } from './types.js'

const encoder = new TextEncoder()
const bytesOf = (text: string): Uint8Array => encoder.encode(text)

const [tab, newline, carriage, space, quote, backslash, comma, colon] = [...'\t\n\r "\\,:'].map(
  (char) => char.charCodeAt(0),
)

const isSpace = (byte: number | undefined): boolean =>
  byte === space || byte === newline || byte === carriage || byte === tab

/**
 * Whether a record has white space between its tokens. Line breaks and tabs never stand raw
 * inside a JSON string, so finding one is proof. Spaces do, so the first tokens are looked at:
 * whoever writes JSON spaces all of it or none.
 */
export const spaced = (bytes: Uint8Array): boolean => {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (all.includes(newline ?? 0) || all.includes(carriage ?? 0) || all.includes(tab ?? 0))
    return true
  let inside = false
  for (let i = 0, seen = 0; i < bytes.length && seen < 2; i++) {
    const byte = bytes[i]
    if (inside && byte === backslash) i++
    else if (byte === quote) inside = !inside
    else if (!inside && isSpace(byte)) return true
    else if (!inside && (byte === colon || byte === comma)) {
      if (isSpace(bytes[i + 1])) return true
      seen++
    }
  }
  return false
}

/**
 * How a view's records are written as JSON on one line: the bytes themselves, a rewriting of
 * their text, or the fields asked for. On a terminal strings cannot move the cursor.
 */
export const liner = (view: View): ((bytes: Uint8Array) => Uint8Array) => {
  if (view.fields !== undefined) {
    const shape = shaper(view)
    const show = view.terminal ? view.style.visible : (text: string) => text
    return (bytes) => bytesOf(show(stringify(shape(parse(bytes)))))
  }
  const holds = holdsSecrets(view)
  return (bytes) => {
    const hide = holds(bytes)
    if (!hide && !view.terminal && !spaced(bytes)) return bytes
    return bytesOf(
      rewrite(textOf(bytes), {
        ...(hide ? { secrets: view.secrets } : {}),
        ...(view.terminal ? { show: view.style.visible } : {}),
      }),
    )
  }
}

/** The bytes of a value that was already parsed. */
export const encode = (value: unknown): Uint8Array => bytesOf(stringify(value))

/** Records as one piece of memory: `before` each of them, `after` each of them. */
export const joined = (records: readonly Uint8Array[], before: string, after: string): Buffer => {
  const [head, tail] = [bytesOf(before), bytesOf(after)]
  const parts = records.flatMap((record) => [head, record, tail])
  return Buffer.concat(parts)
}

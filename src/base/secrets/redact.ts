/**
 * Keeps secrets out of messages. Text from outside that may be secret is held as a value that no message can quote. Every secret that this
 * process sent is removed, in any encoding, from texts that are shown or stored, except from the answer itself.
 */

import { Failure, type FailureDetails } from '../../errors.js'
import { createLineState } from '../io.js'
import { describeSize } from '../text.js'
import { maskPrivateKeys } from './mask-text.js'

// Held texts, from a named file, the environment or a program. Each is a symbol, which the compiler accepts neither in a template nor as a
// string. At run time, a template throws, and JSON omits it.

/** A held text; code that needs the text itself calls `openHeld`. */
export type HeldText = symbol

const texts = new WeakMap<HeldText, string>()

/** Holds a text. */
export const holdText = (text: string): HeldText => {
  const held = Symbol('held text')
  texts.set(held, text)
  return held
}

/** Returns the text itself, to check, hash or send it, but never to quote it. */
export const openHeld = (held: HeldText): string => {
  const text = texts.get(held)
  if (text === undefined) throw new TypeError('this symbol holds no text')
  return text
}

/** Describes a held text by its length, for messages. */
export const describeHeld = (held: HeldText): string => describeSize(openHeld(held))

// Sent secrets are found by their value and removed from texts.

export const redactedMark = '***'

/** The minimum length of a secret that is searched for. Shorter texts would match by chance. */
const minLength = 8
/** The minimum length of a line that is searched for separately. Headers have no line breaks, so lines of a secret may appear alone. */
const minLineLength = 16
/** The length above which a secret is searched for in pieces. */
const maxPiece = 1024
/** The number of secrets that are kept. The oldest is dropped first: a run over many objects may send a secret for each. */
const maxKept = 1000

/** The secrets that a line sent, each with its pattern once one is needed; `latest` is the one recorded last. */
const getSentSecrets = createLineState(() => ({
  secrets: new Map<string, RegExp | undefined>(),
  latest: undefined as string | undefined,
}))

const joinAlternatives = (...patterns: readonly string[]): string => `(?:${patterns.join('|')})`

const escapeLiteral = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')

/** Returns a pattern of a number in hexadecimal digits of either case. */
const toHexPattern = (value: number, width: number): string =>
  value
    .toString(16)
    .padStart(width, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const listCodeUnits = (char: string): number[] =>
  Array.from({ length: char.length }, (_, i) => char.charCodeAt(i))

/** The escapes that a JSON text may use for a character besides its number, at any depth of quoting. */
const jsonEscapes: Readonly<Record<string, string>> = {
  '"': '\\\\+"',
  '/': '\\\\+\\/',
  '\\': '\\\\+',
  '\n': '\\\\+n',
  '\r': '\\\\+r',
  '\t': '\\\\+t',
}

/** Lists the patterns of a character's spellings: percent-encoded (more than once, too), escaped as in JSON, plain. */
const listSpellings = (char: string): string[] => {
  const escaped = jsonEscapes[char]
  return [
    [...Buffer.from(char)].map((byte) => `%(?:25)*${toHexPattern(byte, 2)}`).join(''),
    listCodeUnits(char)
      .map((unit) => `\\\\+u${toHexPattern(unit, 4)}`)
      .join(''),
    ...(escaped === undefined ? [] : [escaped]),
    ...(char === ' ' ? ['\\+'] : []),
    escapeLiteral(char),
  ]
}

/** The two characters of base64 that differ in base64url. */
const base64urlCharacters: Readonly<Record<string, string>> = { '+': '-', '/': '_' }

const listBase64Spellings = (char: string): string[] => {
  const other = base64urlCharacters[char]
  return other === undefined ? listSpellings(char) : [...listSpellings(char), escapeLiteral(other)]
}

/**
 * Builds the pattern of a text, character by character. Leading backslashes must match a whole run of them, so that a long run is searched
 * only once.
 */
const buildSequence = (
  text: string,
  listCharSpellings: (char: string) => readonly string[],
): string => {
  const [first = [], ...others] = Array.from(text, listCharSpellings)
  const start = first.map((spelling) => spelling.replace(/^\\\\\+/, '(?<!\\\\)$&'))
  return [start, ...others].map((all) => joinAlternatives(...all)).join('')
}

/** Returns the characters of the base64 of a longer text that depend only on the secret, which begins at `offset`. */
const encodeInBase64 = (bytes: Buffer, offset: number): string => {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return whole.slice(Math.ceil((8 * offset) / 6), Math.floor((8 * (offset + bytes.length)) / 6))
}

/** Builds the pattern of a secret: as it is, and in base64 at each of the three offsets that it may have in a longer text. */
const buildSecretPattern = (secret: string): RegExp => {
  const bytes = Buffer.from(secret)
  const plain = buildSequence(secret, listSpellings)
  const encoded = [0, 1, 2].map((offset) =>
    buildSequence(encodeInBase64(bytes, offset), listBase64Spellings),
  )
  return new RegExp([plain, ...encoded].join('|'), 'gu')
}

const splitIntoPieces = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / maxPiece) }, (_, i) =>
    text.slice(i * maxPiece, (i + 1) * maxPiece),
  )

/** Records a secret that is sent: the whole text, and each line of a text with several. */
export const recordSecret = (secret: string): void => {
  // Most requests of a run send the same secret.
  const state = getSentSecrets()
  if (secret === state.latest) return
  state.latest = secret
  const { secrets } = state
  const lines = secret.split(/[\r\n]+/).filter((line) => line.length >= minLineLength)
  for (const text of new Set([...lines, secret.trim()].flatMap(splitIntoPieces))) {
    if (text.length < minLength) continue
    const known = secrets.get(text)
    // The secret that was sent last is moved to the end, so that it is forgotten last.
    secrets.delete(text)
    secrets.set(text, known)
  }
  for (const oldest of secrets.keys()) {
    if (secrets.size <= maxKept) break
    secrets.delete(oldest)
  }
}

/** Removes private keys and sent secrets from a text: plain, percent-encoded, in base64, or escaped as in JSON. */
export const redactSecrets = (text: string): string => {
  if (text.length < minLength) return text
  let clean = maskPrivateKeys(text, () => redactedMark)
  const { secrets } = getSentSecrets()
  for (const [secret, known] of secrets) {
    // No encoding is shorter than the secret. The test saves compiling patterns, which takes a second for a long secret.
    if (clean.length < secret.length) continue
    const pattern = known ?? buildSecretPattern(secret)
    if (known === undefined) secrets.set(secret, pattern)
    clean = clean.replace(pattern, redactedMark)
  }
  return clean
}

const redactDetails = (details: FailureDetails): FailureDetails => {
  const { request, hint, advice, code, requestId } = details
  return {
    ...details,
    request: request && redactSecrets(request),
    hint: hint && redactSecrets(hint),
    advice:
      advice?.about === undefined ? advice : { ...advice, about: redactSecrets(advice.about) },
    code: code && redactSecrets(code),
    requestId: requestId && redactSecrets(requestId),
  }
}

/** Redacts the texts of a failure; other errors are returned as they are. */
export const redactError = (error: unknown): unknown =>
  error instanceof Failure
    ? new Failure(error.category, redactSecrets(error.message), redactDetails(error.details))
    : error

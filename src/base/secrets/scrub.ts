/**
 * Secrets that no text repeats. Text from outside that may be secret is held as a value that no message can quote. A secret that this
 * process sent is removed, in every form, from the texts that are shown or stored, except from the answer itself.
 */

import { Failure, type FailureDetails } from '../../errors.js'
import { createLineState } from '../io.js'
import { formatCount } from '../text.js'
import { maskPrivateKeys } from './text.js'

// Held texts: of a file that is named, the environment, a program. Each is a symbol, which the compiler takes neither in
// a template nor for a string. At run time a template throws, and JSON leaves it out.

/** A held text; code that needs the text itself calls `openHeld`. */
export type HeldText = symbol

const texts = new WeakMap<HeldText, string>()

/** Holds a text. */
export const holdText = (text: string): HeldText => {
  const held = Symbol('held text')
  texts.set(held, text)
  return held
}

/** The text itself: to check, hash or send it, never to quote it. */
export const openHeld = (held: HeldText): string => {
  const text = texts.get(held)
  if (text === undefined) throw new TypeError('this symbol holds no text')
  return text
}

/** Describes a text by its length, for messages that must not quote it. */
export const describeSize = (text: string): string =>
  text === '' ? 'an empty value' : `a value of ${formatCount(text.length, 'character')}`

/** Describes a held text by its length, for messages. */
export const describeHeld = (held: HeldText): string => describeSize(openHeld(held))

// Scrubbing by value.

export const scrubbedMark = '***'

/** Shorter texts would be found everywhere. */
const shortest = 8
/** Lines of a text of several that are looked for by themselves, since headers have no line breaks. */
const tellingLine = 16
/** A longer secret is looked for piece by piece. */
const longestPiece = 1024
/** The latest are kept: a run over many objects may send a secret for each. */
const maxKept = 1000

/** The secrets that a line sent, each with its pattern once one is needed; `latest` is the one recorded last. */
const sent = createLineState(() => ({
  secrets: new Map<string, RegExp | undefined>(),
  latest: undefined as string | undefined,
}))

const joinAlternatives = (...patterns: readonly string[]): string => `(?:${patterns.join('|')})`

const escapeLiteral = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')

/** Digits of a number in base 16, of either case. */
const toHexPattern = (value: number, width: number): string =>
  value
    .toString(16)
    .padStart(width, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)

const listCodeUnits = (char: string): number[] =>
  Array.from({ length: char.length }, (_, i) => char.charCodeAt(i))

/** The escapes that a JSON text may use for a character besides its number, at any depth of quoting. */
const short: Readonly<Record<string, string>> = {
  '"': '\\\\+"',
  '/': '\\\\+\\/',
  '\\': '\\\\+',
  '\n': '\\\\+n',
  '\r': '\\\\+r',
  '\t': '\\\\+t',
}

/** The ways to write a character: percent-encoded (more than once, too), escaped as in JSON, plain. */
const listSpellings = (char: string): string[] => {
  const escaped = short[char]
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

/** The two characters of base64 that base64url writes otherwise. */
const urlSafe: Readonly<Record<string, string>> = { '+': '-', '/': '_' }

const listBase64Spellings = (char: string): string[] => {
  const other = urlSafe[char]
  return other === undefined ? listSpellings(char) : [...listSpellings(char), escapeLiteral(other)]
}

/** A text, character by character. Backslashes at its start are all of their run, so that a long run is searched once. */
const buildSequence = (text: string, ways: (char: string) => readonly string[]): string => {
  const [first = [], ...others] = Array.from(text, ways)
  const start = first.map((way) => way.replace(/^\\\\\+/, '(?<!\\\\)$&'))
  return [start, ...others].map((all) => joinAlternatives(...all)).join('')
}

/** Of the base64 of a longer text, what depends on the secret alone, which begins at `offset` in it. */
const encodeInBase64 = (bytes: Buffer, offset: number): string => {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return whole.slice(Math.ceil((8 * offset) / 6), Math.floor((8 * (offset + bytes.length)) / 6))
}

const buildSecretPattern = (secret: string): RegExp => {
  const bytes = Buffer.from(secret)
  const plain = buildSequence(secret, listSpellings)
  const encoded = [0, 1, 2].map((offset) =>
    buildSequence(encodeInBase64(bytes, offset), listBase64Spellings),
  )
  return new RegExp([plain, ...encoded].join('|'), 'gu')
}

const splitIntoPieces = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / longestPiece) }, (_, i) =>
    text.slice(i * longestPiece, (i + 1) * longestPiece),
  )

/** Records a secret that is sent: the whole text, and each line of a text with several. */
export const recordSecret = (secret: string): void => {
  // Every request of a run sends the same.
  const state = sent()
  if (secret === state.latest) return
  state.latest = secret
  const { secrets } = state
  const lines = secret.split(/[\r\n]+/).filter((line) => line.length >= tellingLine)
  for (const text of new Set([...lines, secret.trim()].flatMap(splitIntoPieces))) {
    if (text.length < shortest) continue
    const known = secrets.get(text)
    // What was sent last stands last, and is forgotten last.
    secrets.delete(text)
    secrets.set(text, known)
  }
  for (const oldest of secrets.keys()) {
    if (secrets.size <= maxKept) break
    secrets.delete(oldest)
  }
}

/** A text without private keys, and without what was sent as a secret: plain, percent-encoded, in base64, escaped as in JSON. */
export const redactSecrets = (text: string): string => {
  if (text.length < shortest) return text
  let clean = maskPrivateKeys(text, () => scrubbedMark)
  const { secrets } = sent()
  for (const [secret, known] of secrets) {
    // No way to write it is shorter, and the pattern of a long one takes a second to compile.
    if (clean.length < secret.length) continue
    const pattern = known ?? buildSecretPattern(secret)
    if (known === undefined) secrets.set(secret, pattern)
    clean = clean.replace(pattern, scrubbedMark)
  }
  return clean
}

const cleanDetails = (details: FailureDetails): FailureDetails => {
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

/** A failure whose texts were scrubbed; anything else as it is. */
export const redactError = (error: unknown): unknown =>
  error instanceof Failure
    ? new Failure(error.category, redactSecrets(error.message), cleanDetails(error.details))
    : error

/** The error codes that OAuth registers for its token endpoint (RFC 6749 5.2, and the IANA registry). */
const codes: ReadonlySet<unknown> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
  'authorization_pending',
  'slow_down',
  'expired_token',
  'invalid_target',
  'invalid_token',
  'insufficient_scope',
  'invalid_dpop_proof',
  'use_dpop_nonce',
  'unmet_authentication_requirements',
])

/** A registered code; anything else in its place could be a secret, and is not repeated. */
export const parseOauthError = (value: unknown): string | undefined =>
  typeof value === 'string' && codes.has(value) ? value : undefined

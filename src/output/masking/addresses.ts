/**
 * Credentials in addresses of records that are not parsed. Sought from what such an address cannot
 * do without, `@` or `?`: the two are rare, and the processor finds them in no time.
 */
import { isAddress, maskAddresses } from '../../base/secrets/addresses.js'
import { viewed } from '../../base/utf8.js'

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const slash = 0x2f
const signs = [0x40, 0x3f] as const

/** A string of JSON that is to be written otherwise. */
interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

const isEscaped = (bytes: Uint8Array, at: number): boolean => {
  let slashes = 0
  while (bytes[at - 1 - slashes] === backslash) slashes++
  return slashes % 2 === 1
}

/**
 * Where the string begins that holds the sign at `at`, if it may be an address: then a slash or an escape stands before
 * the sign. -1 otherwise, and where it began before `from`, since no sign stands before the first slash of an address.
 */
const openingOf = (bytes: Buffer, at: number, from: number): number => {
  let found = false
  for (let i = at - 1; i >= from; i--) {
    const byte = bytes[i]
    if (byte === slash || byte === backslash) found = true
    else if (byte === quote && !isEscaped(bytes, i)) return found ? i : -1
  }
  return -1
}

/** Where the string ends that begins at `start`, past its closing quote. */
const endOf = (bytes: Buffer, start: number): number => {
  let at = bytes.indexOf(quote, start + 1)
  while (at !== -1 && isEscaped(bytes, at)) at = bytes.indexOf(quote, at + 1)
  return at === -1 ? bytes.length : at + 1
}

/** Letters that an address begins with, more than its scheme has; an escape may stand for any of them. */
const opening = 64

/** Whether a string may be an address: most texts with such signs in them are none. */
const mayBeAddress = (bytes: Buffer, start: number): boolean => {
  const head = bytes.toString('latin1', start + 1, start + 1 + opening)
  return isAddress(head) || head.includes('\\')
}

const isKey = (bytes: Buffer, end: number): boolean => {
  let at = end
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++
  return bytes[at] === colon
}

/** The string as it is to be written; undefined where it stays as it is. */
const changed = (bytes: Buffer, start: number, end: number): string | undefined => {
  try {
    const text: unknown = JSON.parse(bytes.toString('utf8', start, end))
    if (typeof text !== 'string' || !isAddress(text) || isKey(bytes, end)) return undefined
    const safe = maskAddresses(text)
    return safe === text ? undefined : JSON.stringify(safe)
  } catch {
    // The memory of a batch may hold what is no part of it.
    return undefined
  }
}

/** The next of the signs from `from` on; each is sought once. */
class SignSeeker {
  readonly #bytes: Buffer
  readonly #found: number[]

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#found = signs.map(() => -1)
  }

  /** The bytes' length where there is none. */
  next(from: number): number {
    let first = this.#bytes.length
    for (let i = 0; i < signs.length; i++) {
      let at = this.#found[i] ?? -1
      if (at < from) {
        at = this.#bytes.indexOf(signs[i] ?? 0, from)
        if (at === -1) at = this.#bytes.length
        this.#found[i] = at
      }
      if (at < first) first = at
    }
    return first
  }
}

const findChanges = (bytes: Buffer): readonly Change[] => {
  const changes: Change[] = []
  const signs = new SignSeeker(bytes)
  for (let from = 0, at = signs.next(0); at < bytes.length; at = signs.next(from)) {
    const start = openingOf(bytes, at, from)
    if (start === -1) {
      from = at + 1
      continue
    }
    from = endOf(bytes, start)
    const text = mayBeAddress(bytes, start) ? changed(bytes, start, from) : undefined
    if (text !== undefined) changes.push({ start, end: from, text })
  }
  return changes
}

/** Whether an address with a credential in it stands in these bytes. */
export const holdsAddress = (bytes: Uint8Array): boolean => findChanges(viewed(bytes)).length > 0

/** The bytes with the credentials of their addresses masked; every other byte stays. */
export const withoutAddresses = (given: Uint8Array): Uint8Array => {
  const bytes = viewed(given)
  const kept: Uint8Array[] = []
  let from = 0
  for (const { start, end, text } of findChanges(bytes)) {
    kept.push(bytes.subarray(from, start), Buffer.from(text))
    from = end
  }
  return from === 0 ? given : Buffer.concat([...kept, bytes.subarray(from)])
}

/** How the record is written: what differs from run to run as a placeholder, and entries as text that a person can read in a diff. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** What differs from run to run: texts and what stands for them, longest first. */
export type Placeholders = readonly (readonly [text: string, placeholder: string])[]

/** Replaces the checksum of a journal's line, which is of the address of its instance, by whether it is right. */
const checkSums = (text: string): string =>
  text.replace(
    /^(\{.*),"c":(\d+)\}$/gm,
    (_, start: string, sum: string) =>
      `${start},"c":"${crc32(`${start}}`) === Number(sum) ? 'right' : 'WRONG'}"}`,
  )

/** Replaces what differs from run to run. Checksums come first, which are of the text as it was. */
export const pinText = (text: string, placeholders: Placeholders): string => {
  let pinned = checkSums(text)
  for (const [from, to] of placeholders) pinned = pinned.replaceAll(from, to)
  return (
    pinned
      .replace(/\b(127\.0\.0\.1|localhost)(:|%3A)\d{5}\b/g, '$1$2<port>')
      // It is local time.
      .replace(/\d\d:\d\d:\d\d(?=, every )/g, '<time>')
      .replace(/("request_id":")[0-9a-f-]{36}"/g, '$1<id of an earlier request>"')
      // The checksum that a plan has of itself is of its instance's address, too.
      .replace(/("counts":\s*\{[^}]*\},\s*"sha256":\s*")[0-9a-f]{64}"/g, '$1<sha256 of the plan>"')
  )
}

/** Returns the picture that Unicode has of a control character; a tab and a line's end are what they are. */
const showControl = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code === 0x7f) return '\u2421'
  return code > 0x1f || code === 0x09 || code === 0x0a
    ? character
    : String.fromCharCode(0x2400 + code)
}

const showControls = (text: string): string => text.replace(/\p{Cc}/gu, showControl)

/** Indents a text, and says where it does not end with a line's end. */
const indent = (text: string, by: string): string => {
  if (text === '') return ''
  const whole = text.endsWith('\n')
  const rows = showControls(whole ? text.slice(0, -1) : text).split('\n')
  return `${rows.map((row) => `${by}${row}\n`).join('')}${whole ? '' : `${by.slice(2)}\\ no line's end\n`}`
}

/** Longer texts are recorded by their first lines and their digest. */
const maxLength = 16_000
const firstLines = 30

const shorten = (text: string): string => {
  if (text.length <= maxLength) return text
  const digest = createHash('sha256').update(text).digest('hex')
  const rows = text
    .split('\n')
    .slice(0, firstLines)
    .map((row) => row.slice(0, 200))
  return `${rows.join('\n')}\n… ${text.length} characters, sha256 ${digest}\n`
}

export const printBlock = (name: string, text: string): string =>
  text === '' ? '' : `${name}\n${indent(shorten(text), '  ')}`

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the text of bytes, or their size and digest where they are none. */
export const describeBytes = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    return `${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}\n`
  }
}

/** The texts of a file of the record, by the titles of their entries. */
export const splitRecord = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(/^==== /m)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n')
        return [part.slice(0, end), part.slice(end + 1)] as const
      }),
  )

export const joinRecord = (entries: ReadonlyMap<string, string>): string =>
  [...entries].map(([title, text]) => `==== ${title}\n${text}`).join('')

/** Says where two texts differ first. */
export const findDifference = (expected: string, found: string): string => {
  const [before, after] = [expected.split('\n'), found.split('\n')]
  const at = after.findIndex((row, index) => row !== before[index])
  const place = at < 0 ? after.length : at
  return `line ${place + 1}\n    - ${before[place] ?? 'nothing'}\n    + ${after[place] ?? 'nothing'}`
}

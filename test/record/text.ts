/** Formats the record: placeholders for what differs from run to run, and entries as text that a person can read in a diff. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Texts that differ from run to run and their placeholders, longest first. */
export type Placeholders = readonly (readonly [text: string, placeholder: string])[]

/** Replaces the checksum of a journal line by whether it is right, because it depends on the address of the instance. */
const replaceChecksums = (text: string): string =>
  text.replace(
    /^(\{.*),"c":(\d+)\}$/gm,
    (_, start: string, sum: string) =>
      `${start},"c":"${crc32(`${start}}`) === Number(sum) ? 'right' : 'WRONG'}"}`,
  )

/** Replaces what differs from run to run. Checksums come first, because they are computed from the original text. */
export const replaceVolatile = (text: string, placeholders: Placeholders): string => {
  let pinned = replaceChecksums(text)
  for (const [from, to] of placeholders) pinned = pinned.replaceAll(from, to)
  return (
    pinned
      .replace(/\b(127\.0\.0\.1|localhost)(:|%3A)\d{5}\b/g, '$1$2<port>')
      // The time is local.
      .replace(/\d\d:\d\d:\d\d(?=, every )/g, '<time>')
      .replace(/("request_id":")[0-9a-f-]{36}"/g, '$1<id of an earlier request>"')
      // The checksum of a plan also depends on the address of its instance.
      .replace(/("counts":\s*\{[^}]*\},\s*"sha256":\s*")[0-9a-f]{64}"/g, '$1<sha256 of the plan>"')
  )
}

/** Returns the Unicode picture of a control character. A tab and a line feed stay. */
const showControl = (character: string): string => {
  const code = character.charCodeAt(0)
  if (code === 0x7f) return '\u2421'
  return code > 0x1f || code === 0x09 || code === 0x0a
    ? character
    : String.fromCharCode(0x2400 + code)
}

const showControls = (text: string): string => text.replace(/\p{Cc}/gu, showControl)

/** Indents a text, and marks a missing line feed at its end. */
const padLines = (text: string, by: string): string => {
  if (text === '') return ''
  const whole = text.endsWith('\n')
  const rows = showControls(whole ? text.slice(0, -1) : text).split('\n')
  return `${rows.map((row) => `${by}${row}\n`).join('')}${whole ? '' : `${by.slice(2)}\\ no line's end\n`}`
}

/** Longer texts are recorded as their first lines and a digest. */
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
  text === '' ? '' : `${name}\n${padLines(shorten(text), '  ')}`

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the text of bytes, or their size and digest if they are not UTF-8. */
export const describeBytes = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    return `${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}\n`
  }
}

/** Splits a file of the record into the texts of its entries, by title. */
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

/** Describes the first difference between two texts. */
export const findDifference = (expected: string, found: string): string => {
  const [before, after] = [expected.split('\n'), found.split('\n')]
  const at = after.findIndex((row, index) => row !== before[index])
  const place = at < 0 ? after.length : at
  return `line ${place + 1}\n    - ${before[place] ?? 'nothing'}\n    + ${after[place] ?? 'nothing'}`
}

/** The checksum of a journal's line: CRC-32 of its text, as its last member `c`. */
import { crc32 } from 'node:zlib'

const member = /,"c":(\d{1,10})\}$/

/** A line's text with its checksum. */
export const withSum = (text: string): string => `${text.slice(0, -1)},"c":${crc32(text)}}`

/**
 * Checks the lines of one journal, in their order. The first journals had no checksums: where the first line has
 * none, no line needs one.
 */
export class Sums {
  /** Whether each line of this journal has one; undefined before the first. */
  required: boolean | undefined

  /** A line's text without its checksum; empty where the line is damaged. */
  check(text: string): string {
    const sum = member.exec(text)
    this.required ??= sum !== null
    if (sum === null) return this.required ? '' : text
    const bare = `${text.slice(0, sum.index)}}`
    return crc32(bare) === Number(sum[1]) ? bare : ''
  }
}

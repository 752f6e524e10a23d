/** Finds the keys of given names in a list while it is cut into records: cheap enough to look at every key. */
import { addToGroup } from '../../base/group-by.js'
import type { FieldMatch } from '../../base/json/records.js'
import { hashTail, type Marks } from '../../base/json/scan.js'
import { viewed } from '../../base/utf8.js'

const tailIn = (bytes: Uint8Array, end: number): number =>
  hashTail(bytes[end - 3] ?? 0, bytes[end - 2] ?? 0, bytes[end - 1] ?? 0)

/** All bits of a letter but that of its case. */
const withoutCase = ~0x20

const endsWith = (chunk: Uint8Array, from: number, end: number, ending: Uint8Array): boolean => {
  const start = end - ending.length
  if (start < from) return false
  for (let i = 0; i < ending.length; i++)
    if ((((chunk[start + i] ?? 0) ^ (ending[i] ?? 0)) & withoutCase) !== 0) return false
  return true
}

/** Looks at the last three letters of a key first: few keys share them with a name. */
export class KeyMatcher implements Marks {
  readonly tails = new Uint8Array(1 << 15)
  readonly match: FieldMatch | undefined
  /** The endings by their last three letters; those of one or two letters by 0. */
  readonly #endings = new Map<number, Uint8Array[]>()

  constructor(match?: FieldMatch) {
    this.match = match
    for (const ending of match?.endings ?? []) {
      const bytes = Buffer.from(ending)
      this.#mark([...bytes.subarray(-3)])
      const tail = bytes.length < 3 ? 0 : tailIn(bytes, bytes.length)
      addToGroup(this.#endings, tail, bytes)
    }
  }

  /** Before fewer than three letters anything may stand. */
  #mark([third, second, last]: readonly number[]): void {
    if (third !== undefined && second !== undefined && last !== undefined)
      this.tails[hashTail(third, second, last)] = 1
    else if (third !== undefined)
      for (let any = 0; any < 256; any++)
        this.#mark(second === undefined ? [any, third] : [any, third, second])
  }

  /** Whether a key that ends as one of the names does is one: `reason` ends like `json`. */
  isName(chunk: Uint8Array, from: number, end: number): boolean {
    const ends = (ending: Uint8Array): boolean => endsWith(chunk, from, end, ending)
    const found =
      this.#endings.get(tailIn(chunk, end))?.some(ends) || this.#endings.get(0)?.some(ends)
    if (found !== true) return false
    return this.match?.isName?.(viewed(chunk).toString('utf8', from, end)) ?? true
  }
}

/** Looking out for names in a list while it is cut up, so cheaply that every key can be looked at. */
import { type Marks, tailOf } from '../../base/json/scan.js'
import { viewed } from '../../base/utf8.js'
import type { FieldWatch } from '../types.js'

/**
 * What names have in common with a string: their last three letters. A string that ends otherwise
 * is none of them.
 */
export class Lookout implements Marks {
  readonly tails = new Uint8Array(1 << 15)
  readonly #watch: FieldWatch | undefined

  constructor(watch?: FieldWatch) {
    this.#watch = watch
    for (const ending of watch?.endings ?? []) this.#mark([...Buffer.from(ending).subarray(-3)])
  }

  /** Before fewer than three letters anything may stand. */
  #mark([third, second, last]: readonly number[]): void {
    if (third !== undefined && second !== undefined && last !== undefined)
      this.tails[tailOf(third, second, last)] = 1
    else if (third !== undefined)
      for (let any = 0; any < 256; any++)
        this.#mark(second === undefined ? [any, third] : [any, third, second])
  }

  /** Whether a key that ends as one of the names does is one: `reason` ends like `json`. */
  isName(chunk: Uint8Array, from: number, end: number): boolean {
    return this.#watch?.isName?.(viewed(chunk).toString('utf8', from, end)) ?? true
  }

  tell(record: Uint8Array): void {
    this.#watch?.tell(record)
  }
}

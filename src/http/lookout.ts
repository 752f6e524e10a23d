/** Looking out for names in a list while it is cut up, so cheaply that every string can be looked at. */
import type { Watch } from './types.js'

/** The lower five bits of a letter: which it is, whatever its case. */
const letter = 31

/** A place in the table for the last three bytes of a string. */
export const tailOf = (third: number, second: number, last: number): number =>
  ((third & letter) << 10) | ((second & letter) << 5) | (last & letter)

/**
 * What names have in common with a string: their last three letters. A string that ends otherwise
 * is none of them.
 */
export class Lookout {
  readonly tails = new Uint8Array(1 << 15)
  readonly #tell: Watch['tell'] | undefined

  constructor(watch?: Watch) {
    this.#tell = watch?.tell
    for (const ending of watch?.endings ?? []) {
      const [third = 0, second = 0, last = 0] = Buffer.from(ending).subarray(-3)
      this.tails[tailOf(third, second, last)] = 1
    }
  }

  tell(record: Uint8Array): void {
    this.#tell?.(record)
  }
}

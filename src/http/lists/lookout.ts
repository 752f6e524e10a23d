/** Looking out for names in a list while it is cut up, so cheaply that every key can be looked at. */
import { type Marks, tailOf } from '../../base/json/scan.js'
import type { FieldWatch } from '../types.js'

/**
 * What names have in common with a string: their last three letters. A string that ends otherwise
 * is none of them.
 */
export class Lookout implements Marks {
  readonly tails = new Uint8Array(1 << 15)
  readonly #tell: FieldWatch['tell'] | undefined

  constructor(watch?: FieldWatch) {
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

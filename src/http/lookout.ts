/** Looking out for names in a list while it is cut up, so cheaply that every string can be looked at. */
import type { Watch } from './types.js'

/**
 * What names have in common with a string: lengths (a bit each) by their first byte and by their
 * last. A string whose first byte, last byte and length go together may be one of them; any other
 * is none.
 */
export class Lookout {
  readonly first = new Int32Array(256)
  readonly last = new Int32Array(256)
  readonly #tell: Watch['tell'] | undefined

  constructor(watch?: Watch) {
    this.#tell = watch?.tell
    for (const name of watch?.names ?? []) {
      const bytes = Buffer.from(name)
      const [first = 0, last = 0] = [bytes[0], bytes.at(-1)]
      this.first[first] = (this.first[first] ?? 0) | (1 << bytes.length)
      this.last[last] = (this.last[last] ?? 0) | (1 << bytes.length)
    }
  }

  tell(record: Uint8Array): void {
    this.#tell?.(record)
  }
}

/** Lets records be looked at on their way to a format: whether they have the fields that are to be shown. */
import { parse } from './record.js'
import type { Inspection, Printer } from './types.js'

/** So many records are held back at most: about a page. */
const mostHeld = 100

/** Hands records to a printer while an inspection looks at them. */
class Inspected {
  readonly #inspection: Inspection
  #open = true
  #held: (() => Promise<void>)[] = []
  #count = 0

  constructor(inspection: Inspection) {
    this.#inspection = inspection
  }

  /** Prints records, or holds them back until the inspection has seen enough. */
  async take(records: () => readonly unknown[], print: () => Promise<void>): Promise<void> {
    if (!this.#open) return print()
    if (this.#inspection.holds) {
      // How many came at once makes no difference.
      const seen = records().slice(0, mostHeld - this.#count)
      this.#held.push(print)
      this.#count += seen.length
      if (this.#inspection.see(seen) || this.#count >= mostHeld) await this.end()
      return
    }
    const enough = this.#inspection.see(records())
    if (enough) this.#open = false
    await print()
  }

  /** @throws Failure of the inspection; then nothing of what was held is printed */
  async end(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    const held = this.#held
    this.#held = []
    await this.#inspection.end()
    for (const print of held) await print()
  }

  /** What came before the answer broke off stands. */
  async abandon(): Promise<void> {
    this.#open = false
    for (const print of this.#held.splice(0)) await print()
  }
}

/** A printer whose records are looked at first. */
export const inspected = (printer: Printer, inspection: Inspection): Printer => {
  const all = new Inspected(inspection)
  const { bytes } = printer
  return {
    ...(bytes === undefined
      ? {}
      : {
          bytes: (batch) =>
            all.take(
              () => batch.map(parse),
              () => bytes(batch),
            ),
        }),
    values: (batch) =>
      all.take(
        () => batch,
        () => printer.values(batch),
      ),
    close: async () => {
      await all.end()
      await printer.close()
    },
    abandon: async () => {
      await all.abandon()
      await printer.abandon?.()
    },
  }
}

/** The single records behind a list, each read once, whatever it is read for. */
import { isObjectFailure } from '../../errors.js'
import type { SingleReader } from '../../output/types.js'
import type { SingleBudget } from './budget.js'
import type { SingleReads } from './stage.js'

export class SingleSource implements SingleReader {
  readonly #reads: SingleReads
  readonly #budget: SingleBudget | undefined
  readonly #keeps: boolean
  /** What conditions read, until it is shown, by what the record is called. */
  readonly #kept = new Map<string, unknown>()

  /** @param keeps whether what conditions read is shown as well */
  constructor(reads: SingleReads, budget: SingleBudget | undefined, keeps: boolean) {
    this.#reads = reads
    this.#budget = budget
    this.#keeps = keeps
  }

  /** For conditions, which tell by themselves of what cannot be read. */
  get forConditions(): SingleReads {
    return {
      ...this.#reads,
      read: async (record) => {
        const single = await this.#fetched(record)
        if (this.#keeps) this.#kept.set(this.#reads.textOf(record), single)
        return single
      },
    }
  }

  has(record: unknown): boolean {
    return this.#kept.size > 0 && this.#kept.has(this.#reads.textOf(record))
  }

  async read(record: unknown): Promise<unknown> {
    const text = this.#reads.textOf(record)
    if (this.#kept.has(text)) {
      const single = this.#kept.get(text)
      this.#kept.delete(text)
      return single
    }
    try {
      return await this.#fetched(record)
    } catch (error) {
      if (!isObjectFailure(error)) throw error
      this.#reads.failed(text, error)
      return undefined
    }
  }

  #fetched(record: unknown): Promise<unknown> {
    this.#budget?.add()
    return this.#reads.read(record)
  }
}

/** The answer of one of several instances: what it prints goes below its profile's name. */

import type { Writer } from '../../output/types.js'
import { PartOfAnswer } from '../answer/part.js'
import type { RunAnswer } from '../answer/printing.js'
import type { Emit, PlanAnswer } from '../command/services.js'
import type { InstancePart } from '../options.js'

export class PartOfInstance extends PartOfAnswer implements RunAnswer {
  readonly #part: InstancePart

  constructor(printing: RunAnswer, part: InstancePart) {
    super(printing, (emit) => part.writer(emit), 'instance')
    this.#part = part
  }

  async writer(_many: boolean, emit: Emit): Promise<Writer> {
    return this.#part.writer(emit)
  }

  override async print(value: unknown, emit: Emit = {}): Promise<void> {
    if (emit.noted === true && this.reader === 'people') return
    await super.print(value, emit)
  }

  override async printMany(
    values: Iterable<unknown> | AsyncIterable<unknown>,
    emit: Emit = {},
  ): Promise<void> {
    await super.printMany(values, await this.#inRows(emit))
  }

  override async printAnswer(answer: PlanAnswer, emit: Emit = {}): Promise<void> {
    if (this.#part.keep !== undefined) return this.#part.keep(answer, emit)
    await super.printAnswer(answer, await this.#inRows(emit))
  }

  /** What one instance would have shown whole has columns among others. */
  async #inRows(emit: Emit): Promise<Emit> {
    const { endpoint, columns, fields } = emit
    const chosen = endpoint === undefined || (columns ?? fields) !== undefined
    if (chosen || this.reader !== 'people') return emit
    return { ...emit, columns: await this.columnsFor(endpoint) }
  }

  override write(chunk: string | Uint8Array): Promise<void> {
    return this.#part.write(chunk)
  }
}

/** `--wait-until`: whether what a round printed is what is waited for. */
import { parseBytes } from '../base/json/built.js'
import { nearest } from '../base/suggest.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { levelsNamed } from '../catalogue/shapes/common.js'
import type { Words } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import type { Writer } from '../output/types.js'
import type { Command } from './command/types.js'
import { withNeutral, withShown } from './records/where.js'
import { bindWhere, type Expression, type Known, parseWhere } from './where/index.js'

interface UntilOptions {
  readonly command: Pick<Command, 'computedFields' | 'instanceFields'>
  /** Seconds; for as long as it takes where there are none. */
  readonly timeout?: number | undefined
  /** The instance's own, where a vocabulary is in force. */
  readonly words?: Words
}

/** What a run waits for, looked at round by round. */
export class Until {
  readonly #expressions: readonly Expression[]
  readonly #texts: readonly string[]
  readonly #options: UntilOptions
  #records: unknown[] = []
  #endpoint: Endpoint | undefined

  /** @throws Failure `usage` for what cannot be understood */
  constructor(texts: readonly string[], options: UntilOptions) {
    this.#expressions = parseWhere(texts)
    this.#texts = texts
    this.#options = options
  }

  get timeout(): number | undefined {
    return this.#options.timeout
  }

  /** Nothing was printed in this round yet. */
  begin(): void {
    this.#records = []
  }

  /** What is written there, seen on its way. */
  tap(writer: Writer, endpoint: Endpoint | undefined): Writer {
    this.#endpoint = endpoint
    return {
      raw: (batch) => {
        for (const bytes of batch) this.#see(parseBytes(bytes))
        return writer.raw(batch)
      },
      record: (value) => {
        this.#see(value)
        return writer.record(value)
      },
      close: () => writer.close(),
      abandon: () => writer.abandon(),
    }
  }

  /**
   * Whether there is a record, and all of them match.
   * @throws Failure `usage` for a field that none has
   */
  holds(now: Date): boolean {
    if (this.#records.length === 0) return false
    const known = this.#known(now)
    const { matches } = bindWhere(this.#bound(known), known)
    return this.#records.every(matches)
  }

  /** What is told where it never was so. */
  late(): Failure {
    const texts = this.#texts.join(' or ')
    return new Failure('failed', `${texts} did not become true within ${this.timeout} s`, {
      hint: 'The last output shows the current state. Wait longer with --wait-timeout.',
    })
  }

  /** An answer that is a list is its items; what is below something else is itself. */
  #see(value: unknown): void {
    if (Array.isArray(value)) for (const one of value) this.#see(one)
    else this.#records.push(value)
  }

  #bound(known: Known): readonly Expression[] {
    const endpoint = this.#endpoint
    if (endpoint === undefined) return this.#expressions
    return withShown(withNeutral(this.#expressions, known, endpoint), known)
  }

  #known(now: Date): Known {
    const { command, words } = this.#options
    const { computedFields: made, instanceFields: others } = command
    return {
      list: this.#endpoint?.returns.shape,
      samples: this.#records,
      now: now.getTime(),
      names: levelsNamed,
      nearest,
      made,
      others,
      words,
    }
  }
}

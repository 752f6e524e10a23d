/** The answer of a command for one of several parents: records that go below its name. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { usage } from '../../errors.js'
import type { Reader, Writer } from '../../output/types.js'
import type { AnswerService, Emit, PlanAnswer, Text } from '../command/services.js'
import { isList, printedValue } from './about.js'

const encoder = new TextEncoder()

/** What is no record has no place among records. */
export const refusePart = (what: string) =>
  usage(`this result belongs to a single ${what}`, 'Run the command once for each.')

export class PartOfAnswer implements AnswerService {
  readonly #whole: AnswerService
  readonly #part: (emit: Emit) => Writer
  readonly #what: string

  /** @param what it is one of several of */
  constructor(whole: AnswerService, part: (emit: Emit) => Writer, what = 'project or group') {
    this.#what = what
    this.#whole = whole
    this.#part = part
  }

  get reader(): Reader {
    const { reader } = this.#whole
    // Those of all parts are one list.
    return reader === 'pages' ? 'sheets' : reader
  }

  get terminal(): boolean {
    return this.#whole.terminal
  }

  get width(): number {
    return this.#whole.width
  }

  get text(): Text {
    return this.#whole.text
  }

  print(value: unknown, emit: Emit = {}): Promise<void> {
    return this.printMany([value], emit)
  }

  async printMany(
    values: Iterable<unknown> | AsyncIterable<unknown>,
    emit: Emit = {},
  ): Promise<void> {
    const writer = this.#part(emit)
    for await (const value of emit.among ?? values) await writer.record(value)
    await writer.close()
  }

  async printAnswer(outcome: PlanAnswer, emit: Emit = {}): Promise<void> {
    const items = isList(outcome) ? printedValue(outcome) : undefined
    if (Array.isArray(items)) return this.printMany(items, emit)
    const writer = this.#part(emit)
    await writer.raw([outcome.bytes ?? encoder.encode(JSON.stringify(outcome.value))])
    await writer.close()
  }

  async printDocument(_value: unknown): Promise<void> {
    throw refusePart(this.#what)
  }

  async write(_chunk: string | Uint8Array): Promise<void> {
    throw refusePart(this.#what)
  }

  async flush(): Promise<void> {}

  columnsFor(endpoint: Endpoint): Promise<readonly string[]> {
    return this.#whole.columnsFor(endpoint)
  }

  exit(code: number): void {
    this.#whole.exit(code)
  }
}

/** What an agent asked for, done. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { type JsonValues, jsonFields } from '../../base/json/value.js'
import { didYouMean } from '../../base/suggest.js'
import { Failure, usage } from '../../errors.js'
import type { Given } from '../described.js'
import type { Within, WithinAnswer, WithinAsk } from '../within.js'
import { answered, recordsAnswered } from './answers.js'
import { type Cursors, cursors, type ListPlace } from './cursor.js'
import { describeCommand, findCommands } from './finding.js'
import {
  argumentsIn,
  checkInput,
  type Query,
  queryBeside,
  queryOf,
  type ToolInput,
  textIn,
} from './inputs.js'
import { lineOf } from './line.js'
import type { Offer } from './offers.js'
import { failureFor, wordsFor } from './wording.js'

/** Records a page: about as many as fit. */
const perPage = 50

interface Around {
  readonly within: Within
  /** Every command that may be asked for. */
  readonly offers: () => Promise<readonly Offer[]>
  /** The tools of areas, by name. */
  readonly tools: ReadonlyMap<string, Offer>
  /** Flags that name the instance, for the lines of plans. */
  readonly where: readonly string[]
}

export class Calls {
  readonly #around: Around
  readonly #cursors: Cursors = cursors()

  constructor(around: Around) {
    this.#around = around
  }

  /** @throws Failure for whatever refused it */
  async call(tool: string, input: ToolInput, signal: AbortSignal): Promise<CallToolResult> {
    const own = this.#around.tools.get(tool)
    if (own !== undefined)
      return own.reads
        ? this.#read(queryBeside(own, input), signal)
        : this.#write(own, jsonFields(input), signal)
    switch (tool) {
      case 'find_commands':
        checkInput(input, tool, ['query'])
        return answered(findCommands(await this.#around.offers(), textIn(input, 'query') ?? ''))
      case 'describe_command':
        checkInput(input, tool, ['command'])
        return answered(describeCommand(await this.#named(input)))
      case 'read': {
        checkInput(input, tool, ['command', 'arguments', 'fields', 'cursor'])
        const offer = await this.#named(input)
        return this.#read(queryOf(offer, input, argumentsIn(input)), signal)
      }
      case 'plan':
        checkInput(input, tool, ['command', 'arguments'])
        return this.#plan(await this.#named(input), argumentsIn(input), signal)
      default:
        throw usage(`there is no tool "${tool}"`)
    }
  }

  async #named(input: ToolInput): Promise<Offer> {
    const name = textIn(input, 'command') ?? ''
    const offers = await this.#around.offers()
    const offer = offers.find((one) => one.name === name)
    if (offer !== undefined) return offer
    const names = offers.map((one) => one.name)
    throw usage(
      `there is no command "${name}" here`,
      didYouMean(name, names) ?? 'find_commands names those that there are.',
    )
  }

  /** @throws Failure for what went wrong with it */
  async #within(offer: Offer, ask: Omit<WithinAsk, 'command' | 'plain'>): Promise<WithinAnswer> {
    const { command, plain } = offer
    const came = await this.#around.within({ ...ask, command, plain })
    if (came.failure !== undefined) throw failureFor(offer, came.failure)
    return { ...came, notes: came.notes.flatMap((note) => wordsFor(offer, note) || []) }
  }

  async #read({ offer, values, fields, cursor }: Query, signal: AbortSignal) {
    const { name, reads, lists } = offer
    if (!reads) throw usage(`${name} does not only read`, 'plan shows what it would change.')
    const query = { values, fields: fields ?? null }
    const at = cursor === undefined ? { page: 1, skip: 0 } : this.#cursors.open(cursor, name, query)
    const came = await this.#within(offer, {
      manner: 'reads',
      values,
      signal,
      fields,
      ...(lists ? { page: at.page, perPage } : {}),
    })
    return this.#page(came, at, (next) => this.#cursors.of(name, query, next))
  }

  /** The records of a page from a place on, and where it goes on. */
  #page(
    { records, more, notes }: WithinAnswer,
    { page, skip }: ListPlace,
    cursorOf: (next: ListPlace) => string,
  ): CallToolResult {
    const left = records.slice(skip)
    const onward = (count: number): ListPlace | undefined => {
      if (count < left.length) return { page, skip: skip + count }
      return more ? { page: page + 1, skip: 0 } : undefined
    }
    return recordsAnswered({
      name: 'records',
      records: left,
      notes,
      beside: { cursor: cursorOf({ page: page + 1, skip: skip + left.length }) },
      finally: (count) => {
        const next = onward(count)
        return next === undefined ? {} : { cursor: cursorOf(next) }
      },
    })
  }

  async #plan(offer: Offer, values: JsonValues, signal: AbortSignal): Promise<CallToolResult> {
    if (offer.reads) throw usage(`${offer.name} changes nothing`, 'read runs it.')
    const came = await this.#within(offer, { manner: 'tries', values, signal })
    if (came.given === undefined) throw new Failure('internal', 'a plan of nothing')
    const line = this.#line(offer, came.given)
    return recordsAnswered({
      name: 'changes',
      beside: { applied: false, command_line: line },
      ...came,
    })
  }

  /** @throws Failure `usage` for what no line says */
  #line(offer: Offer, given: Given): string {
    try {
      return lineOf(offer, given, this.#around.where)
    } catch (error) {
      throw error instanceof Failure ? failureFor(offer, error) : error
    }
  }

  async #write(offer: Offer, values: JsonValues, signal: AbortSignal): Promise<CallToolResult> {
    const came = await this.#within(offer, { manner: 'writes', values, signal })
    return recordsAnswered({
      name: 'records',
      // A note names what it did not take.
      beside: { applied: came.code === 0 },
      ...came,
    })
  }
}

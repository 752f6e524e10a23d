/** `--where` on the lists of a run: what of it is sent, and the stage that tests the rest. */

import { nearest } from '../../../base/suggest.js'
import type { Endpoint } from '../../../catalogue/endpoint.js'
import { levelsNamed } from '../../../catalogue/shapes/common.js'
import type { Words } from '../../../catalogue/words.js'
import { largestPage } from '../../../client/defaults.js'
import type { Paging } from '../../../client/paging.js'
import type { Globals } from '../../../commands/globals.js'
import type { Command, Given, Plan } from '../../../commands/types.js'
import { Failure } from '../../../errors.js'
import {
  bindWhere,
  type Expression,
  type Known,
  parseWhere,
  unshaped,
} from '../../../fleet/where/index.js'
import type { Ask, Batch, ListEnd } from '../../../http/types.js'
import type { SingleReader } from '../../../output/types.js'
import { mayAskSingles, type SingleBudget } from '../singles/budget.js'
import { singleFieldsOf } from '../singles/fields.js'
import { SingleSource } from '../singles/source.js'
import { askedOf } from './asked.js'
import { withNeutral, withShown } from './shown.js'
import { type SingleRecord, singleOf } from './single.js'
import { filtered, type SingleReads } from './stage.js'

type Batches = AsyncGenerator<Batch, ListEnd>

export interface RecordChoiceOptions {
  readonly command: Command
  readonly paging: Pick<Paging, 'perPage'>
  readonly width: number
  readonly signal: AbortSignal
  /** The instance's own, where a vocabulary is in force. */
  readonly words?: Words
  readonly planned: (command: Command, given: Given) => Promise<readonly Plan[]>
  readonly data: (ask: Ask) => Promise<unknown>
  /** What else single records are read for. */
  readonly asked?: Pick<Globals, 'fields' | 'sort'>
  /** How many of them may be read. */
  readonly budget?: SingleBudget
  /** Told of a record that could not be read. */
  readonly failed: (text: string, failure: Failure) => void
}

/** A list of which some records are chosen. */
export interface Narrowed<A> {
  readonly ask: A
  /** Absent where every record that comes matches. */
  readonly stage?: (batches: Batches) => Batches
  /** What reads single records, where fields are shown or sorted by that only these have. */
  readonly singles?: SingleReader
  /** What is tested here, a line each. */
  readonly tested: readonly string[]
}

/** Columns that say which parent or object a row is of. */
const besides: Readonly<Record<string, string>> = {
  project: 'projects are chosen by --project',
  group: 'groups are chosen by --group',
  of: 'what records are of is chosen by --project and --group',
  object: 'objects are chosen by naming them',
}
const beside = (field: string): string | undefined => besides[field]

/** The records of a run's lists that are wanted. */
export class RecordChoice {
  readonly #options: RecordChoiceOptions
  readonly #expressions: readonly Expression[]

  /** @throws Failure `usage` for what cannot be understood */
  constructor(texts: readonly string[], options: RecordChoiceOptions) {
    this.#options = options
    this.#expressions = parseWhere(texts)
  }

  /**
   * @param limit how many records, at most
   * @throws Failure `usage` for what the list's records cannot be asked
   */
  async of<A extends Ask>(ask: A, limit: number | undefined): Promise<Narrowed<A>> {
    const single = await singleOf(this.#options.command, ask)
    const known: Known = {
      list: ask.endpoint.returns.shape,
      single: single?.endpoint.returns.shape,
      ...this.#known(),
    }
    const expressions = withShown(withNeutral(this.#expressions, known, ask.endpoint), known)
    const { values, tested } = askedOf(ask, expressions, known)
    const asked = { ...ask, values }
    const more = await this.#asksSingles(ask.endpoint)
    const source =
      single && new SingleSource(this.#reading(single), this.#options.budget, more !== undefined)
    const shown = {
      ...(more === undefined || source === undefined ? {} : { singles: source }),
      lines:
        more === undefined
          ? []
          : [`for ${more} single records are read: ${single?.endpoint.route}`],
    }
    const { lines, ...singles } = shown
    if (tested.length === 0) return { ask: asked, tested: lines, ...singles }
    const open = unshaped(tested, known).length > 0
    const read = !open && bindWhere(tested, known).detail.length > 0
    const reading = source === undefined ? {} : { reading: source.forConditions }
    return {
      ask: asked,
      ...singles,
      stage: (batches) => this.#stage(batches, tested, known, { limit, ...reading }),
      tested: [
        ...tested.map(({ text }) => `tested here: ${text}`),
        ...(read ? [`for that each record is read: ${single?.endpoint.route}`] : []),
        ...lines,
      ],
    }
  }

  /** The fields for which single records are read, beside those of conditions. */
  async #asksSingles(endpoint: Endpoint): Promise<string | undefined> {
    const { asked, command, words } = this.#options
    if (asked === undefined || !mayAskSingles(command, asked)) return undefined
    const found = await singleFieldsOf({ command, emit: { endpoint }, words }, asked)
    return found && [...new Set([...found.shown, ...found.sorted])].join(', ')
  }

  /** A list of which the catalogue knows nothing. */
  ofAny(batches: Batches, limit: number | undefined): Batches {
    return this.#stage(batches, this.#expressions, this.#known(), { limit })
  }

  #known(): Known {
    const { command, words } = this.#options
    const { made } = command
    return {
      now: Date.now(),
      names: levelsNamed,
      nearest,
      beside,
      made,
      words,
    }
  }

  #stage(
    batches: Batches,
    tested: readonly Expression[],
    known: Known,
    how: { readonly limit: number | undefined; readonly reading?: SingleReads },
  ): Batches {
    const open = unshaped(tested, known).length > 0
    return filtered(batches, {
      bind: (samples) => bindWhere(tested, { ...known, ...(samples && { samples }) }),
      samples: open ? (this.#options.paging.perPage ?? largestPage) : 0,
      ...how,
    })
  }

  #reading({ command, textOf, given }: SingleRecord): SingleReads {
    const { width, signal, failed, planned, data } = this.#options
    return {
      width,
      signal,
      failed,
      textOf,
      read: async (record) => {
        const [plan] = await planned(command, given(record))
        if (plan === undefined) throw new Failure('internal', 'a record without a plan')
        return data(plan)
      },
    }
  }
}

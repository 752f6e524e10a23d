/**
 * A plan carried out on the engine: an object is serial, objects go side by side; what waits for an action
 * goes when that has ended, and is skipped where it failed.
 */
import { shelve } from '../../base/shelves.js'
import { Failure } from '../../errors.js'
import type { Item } from '../../fleet/items.js'
import { type Outcome, outcomeOf, type Report } from '../../fleet/report.js'
import { type EngineOptions, run } from '../../fleet/run.js'
import type { PlannedAction } from '../actions.js'
import { placeText } from '../address.js'
import { Ready } from '../ready.js'
import { type Performed, type PerformingParts, perform } from './performing.js'

/** An action in its place. */
interface ActionItem extends Item {
  readonly action: PlannedAction
}

export interface CarryingOptions
  extends PerformingParts,
    Pick<
      EngineOptions<Performed, ActionItem>,
      'gate' | 'signal' | 'record' | 'mostFailures' | 'told'
    > {
  /** The place of an action in its journal, where it is not that in the list. */
  readonly numbered?: (action: PlannedAction) => number | undefined
}

/** What became of the actions that were tried, by their ids; the others were not. */
export interface Carried {
  readonly report: Report
  readonly outcomes: ReadonlyMap<string, Outcome<Performed>>
  /** Those that were not tried since what they wait for failed, each with that. */
  readonly skipped: ReadonlyMap<string, string>
}

/** Hands out actions as they become ready: when those that they wait for, and the one before in their place, ended. */
class Queue {
  readonly #actions: readonly PlannedAction[]
  readonly #numbered: CarryingOptions['numbered']
  /** How many each still waits for. */
  readonly #left: number[]
  /** The places of those that wait for an action, by its id. */
  readonly #waiters = new Map<string, number[]>()
  readonly #ready = new Ready()
  /** Of an action the first of those that it waits for that failed. */
  readonly failed = new Map<string, string>()
  #wake: () => void = () => {}

  constructor(actions: readonly PlannedAction[], numbered: CarryingOptions['numbered']) {
    this.#actions = actions
    this.#numbered = numbered
    const ids = new Set(actions.map(({ id }) => id))
    const last = new Map<string, string>()
    this.#left = actions.map(({ id, waitsFor, address }, i) => {
      const place = placeText(address).toLowerCase()
      const first = new Set([...waitsFor.filter((other) => ids.has(other)), last.get(place) ?? ''])
      first.delete('')
      last.set(place, id)
      for (const other of first) shelve(this.#waiters, other, i)
      return first.size
    })
    for (let i = actions.length - 1; i >= 0; i--) if (this.#left[i] === 0) this.#ready.add(i)
  }

  async *items(): AsyncGenerator<ActionItem> {
    for (let left = this.#actions.length; left > 0; left--) {
      let i = this.#ready.take()
      for (; i === undefined; i = this.#ready.take())
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      const action = this.#actions[i]
      if (action !== undefined)
        yield { n: this.#numbered?.(action) ?? i + 1, object: action.id, action }
    }
  }

  /** An action has come to its end. */
  ended(id: string, well: boolean): void {
    for (const i of this.#waiters.get(id) ?? []) {
      const waiter = this.#actions[i]
      const left = (this.#left[i] ?? 0) - 1
      this.#left[i] = left
      if (waiter === undefined) continue
      if (!well && waiter.waitsFor.includes(id) && !this.failed.has(waiter.id))
        this.failed.set(waiter.id, id)
      if (left === 0) this.#ready.add(i)
    }
    this.#wake()
  }
}

const isDone = (outcome: Outcome<Performed> | undefined): boolean =>
  outcome !== undefined && !('failure' in outcome)

const outcomeFrom = (result: Performed): Outcome<Performed> => ({
  state: result.gone ? 'unchanged' : 'done',
  result,
})

const skipping = (other: string, outcome: Outcome<Performed> | undefined): Failure => {
  const cause = outcome !== undefined && 'failure' in outcome ? outcome.failure : undefined
  const { status } = cause?.details ?? {}
  return new Failure(cause?.category ?? 'failed', `skipped: it waits for ${other}, which failed`, {
    status,
  })
}

/**
 * Carries out actions, in the order in which the plan has them.
 * @throws what is no action's own: the journal cannot be kept, a defect
 */
export const carryOut = async (
  actions: readonly PlannedAction[],
  options: CarryingOptions,
): Promise<Carried> => {
  const queue = new Queue(actions, options.numbered)
  const outcomes = new Map<string, Outcome<Performed>>()
  const skipped = new Map<string, string>()
  const one = async (action: PlannedAction): Promise<Outcome<Performed>> => {
    const failed = queue.failed.get(action.id)
    if (failed !== undefined) skipped.set(action.id, failed)
    const outcome: Outcome<Performed> =
      failed === undefined
        ? await perform(options, action).then(outcomeFrom, outcomeOf)
        : { state: 'failed', failure: skipping(failed, outcomes.get(failed)) }
    outcomes.set(action.id, outcome)
    return outcome
  }
  const { gate, signal, record, mostFailures, told } = options
  const going = run<Performed, ActionItem>({
    items: queue.items(),
    gate,
    signal,
    record,
    mostFailures,
    queued: () => actions.length,
    work: ({ action }) =>
      one(action).finally(() => queue.ended(action.id, isDone(outcomes.get(action.id)))),
    told,
  })
  for await (const _ of going);
  return { report: await going.report, outcomes, skipped }
}

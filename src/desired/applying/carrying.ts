/**
 * A plan carried out on the engine: an object is serial, objects go side by side; what waits for an action
 * goes when that has ended, and is skipped where it failed.
 */
import { Failure } from '../../errors.js'
import type { Item } from '../../fleet/items.js'
import { type Outcome, outcomeOf, type Report } from '../../fleet/report.js'
import { type EngineOptions, run } from '../../fleet/run.js'
import type { PlannedAction } from '../actions.js'
import { placeText } from '../address.js'
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

const itemsOf = async function* (
  actions: readonly PlannedAction[],
  numbered: CarryingOptions['numbered'],
): AsyncGenerator<ActionItem> {
  for (const [i, action] of actions.entries())
    yield { n: numbered?.(action) ?? i + 1, object: action.id, action }
}

/** Who comes before an action: those that it waits for, and the one before it in its place. */
class Turns {
  readonly #ended = new Map<string, Promise<boolean>>()
  readonly #last = new Map<string, Promise<boolean>>()

  /**
   * Takes an action's turn.
   * @returns the first of those it waits for that failed, once all of them have ended
   */
  async wait(
    { id, waitsFor, address }: PlannedAction,
    ended: Promise<boolean>,
  ): Promise<string | undefined> {
    const place = placeText(address).toLowerCase()
    const before = this.#last.get(place)
    this.#last.set(place, ended)
    this.#ended.set(id, ended)
    const awaited = waitsFor.map((other) => ({ other, went: this.#ended.get(other) }))
    await before
    let failed: string | undefined
    for (const { other, went } of awaited) if ((await went) === false) failed ??= other
    return failed
  }
}

const outcomeFrom = (result: Performed): Outcome<Performed> => ({
  state: result.gone ? 'unchanged' : 'done',
  result,
})

const skipping = (other: string, outcome: Outcome<Performed> | undefined): Failure => {
  const cause = outcome !== undefined && 'failure' in outcome ? outcome.failure : undefined
  const { status } = cause?.details ?? {}
  return new Failure(cause?.category ?? 'failed', `skipped: it waits for ${other}, which failed`, {
    ...(status === undefined ? {} : { status }),
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
  const turns = new Turns()
  const outcomes = new Map<string, Outcome<Performed>>()
  const skipped = new Map<string, string>()
  const tried = async (action: PlannedAction, ended: Promise<boolean>) => {
    try {
      const failed = await turns.wait(action, ended)
      if (failed === undefined) return outcomeFrom(await perform(options, action))
      skipped.set(action.id, failed)
      return { state: 'failed', failure: skipping(failed, outcomes.get(failed)) } as const
    } catch (error) {
      return outcomeOf(error)
    }
  }
  const one = async (action: PlannedAction): Promise<Outcome<Performed>> => {
    let went: (well: boolean) => void = () => {}
    const ended = new Promise<boolean>((resolve) => {
      went = resolve
    })
    try {
      const outcome = await tried(action, ended)
      outcomes.set(action.id, outcome)
      return outcome
    } finally {
      const outcome = outcomes.get(action.id)
      went(outcome !== undefined && !('failure' in outcome))
    }
  }
  const { gate, signal, record, mostFailures, told } = options
  const going = run<Performed, ActionItem>({
    items: itemsOf(actions, options.numbered),
    gate,
    signal,
    ...(record === undefined ? {} : { record }),
    ...(mostFailures === undefined ? {} : { mostFailures }),
    queued: () => actions.length,
    work: ({ action }) => one(action),
    ...(told === undefined ? {} : { told }),
  })
  for await (const _ of going);
  return { report: await going.report, outcomes, skipped }
}

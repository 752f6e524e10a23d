/** A run whose plans are all in hand, by way of its journal. Loaded late: an object that is only read needs none of it. */
import { survived } from '../../errors.js'
import { getParentFields } from '../answer/about.js'
import type { Many, PlanAnswer } from '../command/services.js'
import type { Plan } from '../command/types.js'
import { seenIn } from '../journal/work.js'
import { isNamedBySecret, type JournaledRun } from '../journaling/journaled-run.js'
import {
  createQueue,
  Deduplicator,
  type Numbered,
  type WorkQueue,
} from '../journaling/work-queue.js'
import type { Item } from '../work/items.js'
import { type End, type Outcome, toOutcome } from '../work/report.js'
import type { Engine, Keeper } from './each.js'
import { runBulk } from './run-bulk.js'

/** What a plan works on, as the journal names it: of a tree its kind stands before its name. */
const placeOf = (plan: Plan) => {
  const fields = getParentFields(plan)
  return { ...fields, parent: plan.parent?.name ?? fields.parent }
}

/** The same as it waits: with the attributes of its row. */
const queuedAs = (plan: Plan) => ({
  ...placeOf(plan),
  row: plan.row,
})

const numbered = (plan: Plan, item: Item): Numbered => ({ ...item, plan })

const fresh = async (
  journaled: JournaledRun,
  plans: readonly Plan[],
): Promise<readonly Numbered[]> => {
  const last = journaled.journal.states.last
  await journaled.enlist(plans.map(queuedAs))
  return plans.map((plan, i) => numbered(plan, { n: last + 1 + i, ...placeOf(plan) }))
}

/** Those that are left, and those that are not there yet where the input was cut. */
const goneOnWith = async (
  journaled: JournaledRun,
  plans: readonly Plan[],
): Promise<readonly Numbered[]> => {
  const left = await journaled.left()
  const again = journaled.resumed?.again === true
  const seen = again ? await seenIn(journaled.journal) : undefined
  const [known, others]: [Numbered[], Plan[]] = [[], []]
  for (const plan of plans) {
    const item = left(placeOf(plan))
    if (item !== undefined) known.push(numbered(plan, item))
    else if (seen?.add(placeOf(plan)) === true) others.push(plan)
  }
  return again ? [...known, ...(await fresh(journaled, others))] : known
}

const queueIn = async (journaled: JournaledRun, plans: readonly Plan[]): Promise<WorkQueue> => {
  const once = new Deduplicator()
  const own = plans.filter((plan) => once.take(plan))
  const items =
    journaled.resumed === undefined ? await fresh(journaled, own) : await goneOnWith(journaled, own)
  return createQueue(items, once.twice)
}

/** Runs plans that are confirmed, each on record before and after. */
export const keptRun = async (
  engine: Engine,
  journaled: JournaledRun,
  plans: readonly Plan[],
  how: Many,
): Promise<void> => {
  try {
    await runBulk(engine, await queueIn(journaled, plans), how, journaled)
  } finally {
    // Where nothing else said how it ended, something broke it.
    await journaled.end('stopped')
  }
}

/**
 * The journal of one object, which stands in it; undefined where it is named by a secret, or no journal can be
 * written where nobody asked for one: that is no reason not to write.
 */
const opened = async (
  { globals, ui }: Engine,
  keeper: Keeper,
  plan: Plan,
): Promise<JournaledRun | undefined> => {
  if (isNamedBySecret(plan)) return undefined
  let journaled: JournaledRun | undefined
  try {
    journaled = await keeper()
    await journaled.enlist([queuedAs(plan)])
    return journaled
  } catch (error) {
    await journaled?.discard()
    const failure = survived(error)
    if (globals.journal !== undefined) throw failure
    ui.warn(`this write cannot be undone, because it has no journal: ${failure.message}`)
    return undefined
  }
}

/** Does one object on record; what becomes of it counts, whether or not that can be written down. */
export const keptSingle = async (
  engine: Engine,
  keeper: Keeper,
  plan: Plan,
  work: (plan: Plan) => Promise<PlanAnswer>,
): Promise<PlanAnswer> => {
  const journaled = await opened(engine, keeper, plan)
  if (journaled === undefined) return work(plan)
  const item: Numbered = { n: 1, ...placeOf(plan), plan }
  let warned = false
  const written = (line: Promise<void>): Promise<void> =>
    line.catch((error: unknown) => {
      const { message } = survived(error)
      if (!warned) engine.ui.warn(`the result of this write is not recorded: ${message}`)
      warned = true
    })
  let end: End = 'interrupted'
  try {
    await journaled.look(item)
    await written(journaled.record.begun(item))
    const outcome = await journaled.do(item, plan, work).then(
      (result): Outcome<PlanAnswer> => ({
        state: result.unchanged === true ? 'unchanged' : 'done',
        result,
      }),
      toOutcome,
    )
    await written(journaled.record.settled(item, outcome))
    end = 'completed'
    if ('failure' in outcome) throw outcome.failure
    return outcome.result ?? {}
  } finally {
    await journaled.end(end)
  }
}

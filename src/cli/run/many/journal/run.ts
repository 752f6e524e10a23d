/** A run whose plans are all in hand, by way of its journal. */
import type { Plan } from '../../../../commands/described.js'
import type { Many } from '../../../../commands/services.js'
import type { Item } from '../../../../fleet/items.js'
import { seenIn } from '../../../../fleet/journal/work.js'
import { belongingOf } from '../../answer/about.js'
import type { Engine } from '../each.js'
import { type Intake, intakeOf, type Numbered, Once } from '../intake.js'
import { several } from '../several.js'
import type { Keeping } from './keeping.js'

/** What a plan works on, as the journal names it: of a tree its kind stands before its name. */
const placeOf = (plan: Plan) => ({
  ...belongingOf(plan),
  ...(plan.parent === undefined ? {} : { parent: plan.parent.name }),
})

const numbered = (plan: Plan, item: Item): Numbered => ({ ...item, plan })

const fresh = async (keeping: Keeping, plans: readonly Plan[]): Promise<readonly Numbered[]> => {
  const last = keeping.journal.states.last
  await keeping.enlist(plans.map(placeOf))
  return plans.map((plan, i) => numbered(plan, { n: last + 1 + i, ...placeOf(plan) }))
}

/** Those that are left, and those that are not there yet where the input was cut. */
const goneOnWith = async (
  keeping: Keeping,
  plans: readonly Plan[],
): Promise<readonly Numbered[]> => {
  const left = await keeping.left()
  const again = keeping.resumed?.again === true
  const seen = again ? await seenIn(keeping.journal) : undefined
  const [known, others]: [Numbered[], Plan[]] = [[], []]
  for (const plan of plans) {
    const item = left(placeOf(plan))
    if (item !== undefined) known.push(numbered(plan, item))
    else if (seen?.add(placeOf(plan)) === true) others.push(plan)
  }
  return again ? [...known, ...(await fresh(keeping, others))] : known
}

const intakeIn = async (keeping: Keeping, plans: readonly Plan[]): Promise<Intake> => {
  const once = new Once()
  const own = plans.filter((plan) => once.take(plan))
  const items =
    keeping.resumed === undefined ? await fresh(keeping, own) : await goneOnWith(keeping, own)
  return intakeOf(items, once.twice)
}

/** Runs plans that are confirmed, each on record before and after. */
export const keptRun = async (
  engine: Engine,
  keeping: Keeping,
  plans: readonly Plan[],
  how: Many,
): Promise<void> => {
  try {
    await several(engine, await intakeIn(keeping, plans), how, keeping)
  } finally {
    // Where nothing else said how it ended, something broke it.
    await keeping.end('stopped')
  }
}

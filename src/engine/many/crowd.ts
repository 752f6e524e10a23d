/** Running the plans of a command: one object's answer, or several objects with an outcome each. */
import { writes } from '../../catalogue/endpoint.js'
import { Failure, survived } from '../../errors.js'
import { belongingOf, showsNothing } from '../answer/about.js'
import { toleratedText } from '../command/answered.js'
import type { Plan, PlanSource } from '../command/described.js'
import { lossIn } from '../command/running.js'
import type { Emit, Many, PlanAnswer } from '../command/services.js'
import { seenIn } from '../journal/work.js'
import { held, type Intake, intakeOf, type Numbered, Once } from '../keeping/intake.js'
import { isNamedBySecret, type Keeping } from '../keeping/keeping.js'
import { linesOf } from '../person/attendant.js'
import type { Item } from '../work/items.js'
import { type End, type Outcome, outcomeOf } from '../work/report.js'
import {
  callOf,
  doneOf,
  doneText,
  type Engine,
  eachOf,
  type Keeper,
  mostOf,
  objectOf,
  tolerant,
  toleratedIn,
  unprinted,
  widthOf,
} from './each.js'
import { several } from './several.js'
import { streamed } from './streaming.js'

// A run whose plans are all in hand, by way of its journal.

/** What a plan works on, as the journal names it: of a tree its kind stands before its name. */
const placeOf = (plan: Plan) => ({
  ...belongingOf(plan),
  ...(plan.parent === undefined ? {} : { parent: plan.parent.name }),
})

/** The same as it waits: with the attributes of its row. */
const queuedAs = (plan: Plan) => ({
  ...placeOf(plan),
  row: plan.row,
})

const numbered = (plan: Plan, item: Item): Numbered => ({ ...item, plan })

const fresh = async (keeping: Keeping, plans: readonly Plan[]): Promise<readonly Numbered[]> => {
  const last = keeping.journal.states.last
  await keeping.enlist(plans.map(queuedAs))
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
const keptRun = async (
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

/**
 * The journal of one object, which stands in it; undefined where it is named by a secret, or no journal can be
 * written where nobody asked for one: that is no reason not to write.
 */
const opened = async (
  { globals, person }: Engine,
  keeper: Keeper,
  plan: Plan,
): Promise<Keeping | undefined> => {
  if (isNamedBySecret(plan)) return undefined
  let keeping: Keeping | undefined
  try {
    keeping = await keeper()
    await keeping.enlist([queuedAs(plan)])
    return keeping
  } catch (error) {
    await keeping?.discard()
    const failure = survived(error)
    if (globals.journal !== undefined) throw failure
    person.warn(`this write cannot be undone, since it has no journal: ${failure.message}`)
    return undefined
  }
}

/** Does one object on record; what becomes of it counts, whether or not that can be written down. */
const keptSingle = async (
  engine: Engine,
  keeper: Keeper,
  plan: Plan,
  work: (plan: Plan) => Promise<PlanAnswer>,
): Promise<PlanAnswer> => {
  const keeping = await opened(engine, keeper, plan)
  if (keeping === undefined) return work(plan)
  const item: Numbered = { n: 1, ...placeOf(plan), plan }
  let warned = false
  const written = (line: Promise<void>): Promise<void> =>
    line.catch((error: unknown) => {
      const { message } = survived(error)
      if (!warned) engine.person.warn(`the result of this write is not recorded: ${message}`)
      warned = true
    })
  let end: End = 'interrupted'
  try {
    await keeping.look(item)
    await written(keeping.record.begun(item))
    const outcome = await keeping.do(item, plan, work).then(
      (result): Outcome<PlanAnswer> => ({
        state: result.unchanged === true ? 'unchanged' : 'done',
        result,
      }),
      outcomeOf,
    )
    await written(keeping.record.settled(item, outcome))
    end = 'completed'
    if ('failure' in outcome) throw outcome.failure
    return outcome.result ?? {}
  } finally {
    await keeping.end(end)
  }
}

const emitOf = ({ endpoint }: Plan, { emit }: Many): Emit => ({
  endpoint,
  columns: endpoint.columns,
  ...emit,
})

/** Many objects, or one: confirmed together, worked on side by side. */
export class Crowd {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Confirms, runs and shows plans; throws what the run as a whole came to. */
  async many(plans: readonly Plan[], how: Many = {}): Promise<void> {
    mostOf(this.#engine)
    const [only] = plans
    if (only === undefined) return
    const due = plans.filter(({ refused }) => refused === undefined)
    if (due.length > 0) await this.#confirm(due, how)
    const single = plans.length === 1 && !this.#engine.listed
    const keeper = due.length > 0 ? this.#engine.keeper?.(only, single, how.final) : undefined
    if (single && this.#engine.resumed?.() === undefined) return this.#single(only, how, keeper)
    if (keeper !== undefined) {
      return keptRun(this.#engine, await keeper(), plans, how)
    }
    await several(this.#engine, held(plans), how)
  }

  /** The same with objects that are planned as they come. */
  async stream(source: PlanSource, how: Many = {}): Promise<void> {
    mostOf(this.#engine)
    await streamed({
      engine: this.#engine,
      source,
      how,
      confirmable: async ({ endpoint }) => {
        const what = lossIn(how)?.what ?? endpoint.destructive
        if (what !== undefined) await this.#engine.person.confirmable(what)
      },
      confirm: (first, count) => this.#confirm(first, how, count),
    })
  }

  /** Runs `work` over items, bounded in number, their count shown. */
  async each<T>(
    items: readonly T[],
    work: (item: T, index: number) => Promise<void>,
  ): Promise<void> {
    const { person, signal } = this.#engine
    const tally = person.tally(items.length)
    const counted: typeof work = (...item) => work(...item).finally(() => tally.add(1))
    await eachOf(items, widthOf(this.#engine), signal, counted).finally(tally.end)
  }

  /** Asks once for all plans together when something is lost with them. */
  async #confirm(plans: readonly Plan[], how: Many, count: number = plans.length): Promise<void> {
    const { person } = this.#engine
    const losing = plans.filter(({ endpoint }) => endpoint.destructive !== undefined)
    const loses = lossIn(how)
    const what = loses?.what ?? losing[0]?.endpoint.destructive
    if (what === undefined) return
    const each = loses?.each
    const named = async (): Promise<readonly string[]> =>
      each === undefined
        ? person.naming(losing.length === 0 ? plans : losing)
        : (await Promise.all(plans.map((plan) => each(plan)))).flat()
    const details = loses?.details ?? named
    if (loses?.told !== undefined && !person.interactive)
      for (const line of await linesOf(details)) person.note(`${loses.told} ${line}`)
    await person.confirm(what, details, undefined, loses?.details === undefined ? count : undefined)
  }

  async #single(plan: Plan, how: Many, keeper: Keeper | undefined): Promise<void> {
    const send = tolerant(this.#engine.globals, how.run ?? callOf(this.#engine))
    const work = async (one: Plan): Promise<PlanAnswer> => {
      await how.together?.([one])
      return send(one)
    }
    const outcome =
      keeper === undefined ? await work(plan) : await keptSingle(this.#engine, keeper, plan, work)
    try {
      await this.#show(plan, outcome, how)
      await this.#engine.answer.flush()
    } catch (error) {
      if (!writes(plan.endpoint) || !(error instanceof Failure)) throw error
      throw unprinted(error, `${objectOf(plan)}: ${doneOf(plan, how)} before that`)
    }
  }

  async #show(plan: Plan, outcome: PlanAnswer, how: Many): Promise<void> {
    const { answer, person } = this.#engine
    if (outcome.told === true) return
    const tolerated = toleratedIn(outcome)
    if (tolerated !== undefined) person.note(toleratedText(objectOf(plan), tolerated))
    else if (outcome.unchanged === true && showsNothing(outcome))
      person.note(plan.endpoint.unchanged ?? `${objectOf(plan)}: already so, nothing changed`)
    else if (showsNothing(outcome))
      person.note(`${objectOf(plan)}: ${doneText(plan, outcome, how)}`)
    else if (how.present === undefined) await answer.printAnswer(outcome, emitOf(plan, how))
    else {
      const { records, emit } = how.present(plan, outcome)
      await (records.length === 1 && emit.people === undefined
        ? answer.print(records[0], emit)
        : answer.printMany(records, emit))
    }
  }
}

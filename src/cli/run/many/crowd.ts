/** Running the plans of a command: one object's answer, or several objects with an outcome each. */
import { writes } from '../../../catalogue/endpoint.js'
import type { Plan } from '../../../commands/described.js'
import type { Details, Emit, Many, PlanAnswer } from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import { showsNothing } from '../answer/outcome.js'
import { callOf, doneOf, doneText, type Engine, eachOf, objectOf, widthOf } from './each.js'
import { several, showSeveral, unfinished, unprinted, verdict } from './several.js'

const emitOf = ({ endpoint }: Plan, { emit }: Many): Emit => ({
  endpoint,
  ...(endpoint.columns === undefined ? {} : { columns: endpoint.columns }),
  ...emit,
})

const linesOf = async (details: Details): Promise<readonly string[]> =>
  typeof details === 'function' ? details() : details

/** Many objects, or one: confirmed together, worked on side by side. */
export class Crowd {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Confirms, runs and shows plans; throws what the run as a whole came to. */
  async many(plans: readonly Plan[], how: Many = {}): Promise<void> {
    const [only] = plans
    if (only === undefined) return
    await this.#confirm(plans, how)
    if (plans.length === 1 && !this.#engine.listed) return this.#single(only, how)
    await this.#several(plans, how)
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
  async #confirm(plans: readonly Plan[], { loses }: Many): Promise<void> {
    const { person } = this.#engine
    const what = loses?.what ?? plans[0]?.endpoint.destructive
    if (what === undefined) return
    const details = loses?.details ?? (() => person.naming(plans))
    if (loses?.told !== undefined && !person.interactive)
      for (const line of await linesOf(details)) person.note(`${loses.told} ${line}`)
    await person.confirm(what, details)
  }

  async #single(plan: Plan, how: Many): Promise<void> {
    const outcome = await (how.run ?? callOf(this.#engine))(plan)
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
    if (outcome.unchanged === true)
      person.note(plan.endpoint.unchanged ?? `${objectOf(plan)}: already so, nothing changed`)
    else if (showsNothing(outcome))
      person.note(`${objectOf(plan)}: ${doneText(plan, outcome, how)}`)
    else await answer.printAnswer(outcome, emitOf(plan, how))
  }

  async #several(plans: readonly Plan[], how: Many): Promise<void> {
    const { results, known, stop, ended, cause } = several(this.#engine, plans, how)
    let lost: unknown
    try {
      await showSeveral(this.#engine, plans, known, how)
    } catch (error) {
      lost = error
      stop()
    }
    await ended
    const wrote = plans.some(({ endpoint }) => writes(endpoint))
    const failure = wrote ? unfinished(results, lost) : undefined
    if (failure !== undefined) throw failure
    if (lost !== undefined) throw lost
    const came = verdict(results, cause())
    if (came !== undefined) throw came
  }
}

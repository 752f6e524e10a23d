/** The outcomes of several plans, printed in their order as soon as they are known. */
import { type Endpoint, writes } from '../../../catalogue/endpoint.js'
import type { Plan } from '../../../commands/described.js'
import type { Many } from '../../../commands/services.js'
import { toleratedText } from '../../../commands/tolerated.js'
import { Failure } from '../../../errors.js'
import { mostTold } from '../../../fleet/report.js'
import { about, below, belowOf, identityOf, leadOf, toldApart } from '../answer/about.js'
import { printedValue, showsNothing } from '../answer/outcome.js'
import { doneText, type Engine, objectOf } from './each.js'
import type { Intake, Result } from './intake.js'
import { toleratedIn } from './tolerated.js'

/** What one object of several is under -o json where the API answers with nothing: what became of it. */
const recordOf = ({ item: { plan }, outcome }: Result): unknown => {
  const failure = 'failure' in outcome ? outcome.failure : toleratedIn(outcome.result)
  const failed = failure?.toJSON() ?? {}
  return { ...belowOf(plan), ...identityOf(plan), outcome: outcome.state, ...failed }
}

/** How the results of a run are shown. */
interface View {
  readonly endpoint: Endpoint
  readonly columns: readonly string[]
  readonly lead: { readonly lead?: string }
  /** Every object has its place in the answer, also one that failed. */
  readonly inline: boolean
  /** The objects are those of several parents, which this column names. */
  readonly parent: { readonly parent?: string }
}

export class Showing {
  readonly #engine: Engine
  readonly #options: Many
  readonly #view: View
  #told = 0

  private constructor(engine: Engine, options: Many, view: View) {
    this.#engine = engine
    this.#options = options
    this.#view = view
  }

  static async of(engine: Engine, { known, first }: Intake, options: Many): Promise<Showing> {
    if (first === undefined) throw new Failure('internal', 'a run without a plan')
    const endpoint = options.emit?.endpoint ?? first.endpoint
    const columns = options.emit?.columns ?? (await engine.answer.columnsFor(endpoint))
    const lead = leadOf(engine.globals.fields ?? columns, known)
    const parent = first.parent === undefined ? {} : { parent: first.parent.column }
    const placed = writes(first.endpoint) || first.parent !== undefined
    const inline = engine.answer.reader === 'programs' && placed
    return new Showing(engine, options, { endpoint, columns, lead, inline, parent })
  }

  /** Prints what there is to be printed, and says the rest. */
  async show(results: AsyncIterable<Result>): Promise<void> {
    const shown = this.#rows(results)
    // Nobody may be reading when the printing fails; what is under way ends all the same.
    await this.#print(shown).finally(() => shown.return(undefined))
  }

  async #print(shown: AsyncGenerator<unknown>): Promise<void> {
    const { endpoint, columns, lead, inline, parent } = this.#view
    const { answer } = this.#engine
    const first = await shown.next()
    if (first.done === true && !inline) return
    const rows = (async function* () {
      if (first.done !== true) yield first.value
      yield* shown
    })()
    await answer.printMany(rows, {
      endpoint,
      ...this.#options.emit,
      columns: lead.lead === undefined ? columns : [lead.lead, ...columns],
      ...parent,
      ...lead,
    })
    await answer.flush()
  }

  async *#rows(results: AsyncIterable<Result>): AsyncGenerator<unknown> {
    for await (const result of results) {
      this.#tell(result)
      const { outcome, item } = result
      const came = 'result' in outcome ? outcome.result : undefined
      if (came?.told === true) continue
      if (came !== undefined && !showsNothing(came)) yield this.#row(item.plan, printedValue(came))
      else if (this.#view.inline) yield recordOf(result)
    }
  }

  #row(plan: Plan, value: unknown): unknown {
    return below(plan, this.#record(plan, value))
  }

  #record(plan: Plan, value: unknown): unknown {
    const { answer, globals } = this.#engine
    const programs = answer.reader === 'programs'
    if (programs && globals.fields === undefined) return toldApart(plan, value)
    return programs || this.#view.lead.lead !== undefined ? about(plan, value) : value
  }

  /** Says of one result what the answer does not show. */
  #tell({ item: { plan }, outcome }: Result): void {
    const { person } = this.#engine
    if ('failure' in outcome) {
      const told = this.#view.inline && plan.parent === undefined
      if (!told && this.#told++ < mostTold) person.report(outcome.failure, objectOf(plan))
      return
    }
    const { result } = outcome
    if (result?.told === true) return
    const tolerated = toleratedIn(result)
    if (tolerated !== undefined) person.note(toleratedText(objectOf(plan), tolerated))
    else if (outcome.state === 'unchanged')
      person.note(`${objectOf(plan)}: ${plan.endpoint.unchanged ?? 'already so'}`)
    else if (result !== undefined && showsNothing(result))
      person.note(`${objectOf(plan)}: ${doneText(plan, result, this.#options)}`)
  }
}

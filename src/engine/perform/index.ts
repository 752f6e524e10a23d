/**
 * What a command does with its objects: planned, then listed, printed as curl commands, previewed, or confirmed, journaled
 * and sent. A command says how its requests are made, followed and shown; everything else is done here, for all alike.
 */
import { ahead, mostAtOnce } from '../../base/ahead.js'
import { writes } from '../../catalogue/endpoint.js'
import { type Failure, survived, usage } from '../../errors.js'
import type { Answer as Download, Whole } from '../../http/types.js'
import type { Coming, Given, Plan, PlanSource } from '../command/described.js'
import type { Globals } from '../command/globals.js'
import type { AnswerService, Many, PlanAnswer } from '../command/services.js'
import type { Operation, Received } from '../command/types.js'
import type { ExchangeServices } from '../instance/exchange.js'
import type { Lists } from '../instance/listing.js'
import type { Planning } from '../instance/planning.js'
import type { Sending } from '../instance/sending.js'
import type { Crowd } from '../many/crowd.js'
import { answerOf } from '../many/each.js'
import { completing } from '../plan/complete.js'
import { givenFor, type Slot } from '../plan/parents.js'
import { apartWithRows } from '../plan/row-fields.js'
import type { Curl } from './curl.js'
import { mergedOf } from './merged.js'
import type { Previews } from './preview.js'

// Requests as they are sent: each by its way, followed to its end where the command does that.

interface LiveSendingParts {
  readonly sending: Pick<Sending, 'open' | 'send'>
  readonly exchange: Pick<ExchangeServices, 'admit' | 'anonymous' | 'build' | 'client'>
}

type SendingParts = LiveSendingParts & {
  readonly crowd: {
    readonly each: <T>(items: readonly T[], work: (item: T) => Promise<void>) => Promise<void>
  }
}

/** What is sent of one operation, and how it is followed. */
class LiveSending {
  readonly #parts: SendingParts
  readonly #operation: Operation
  /** What requests that were sent before were answered with. */
  readonly #came = new Map<Plan, Received>()
  /** What became of the objects of one request for several. */
  readonly #merged = new Map<Plan, Failure | undefined>()

  constructor(parts: SendingParts, operation: Operation) {
    this.#parts = parts
    this.#operation = operation
  }

  /** How a run over these requests goes. */
  get how(): Pick<Many, 'run' | 'together'> {
    const { finishWhen, merge } = this.#operation
    const together = merge === undefined ? finishWhen && this.#allSent : this.#allInOne
    return { run: this.#one, together }
  }

  readonly #one = async (plan: Plan): Promise<PlanAnswer> => {
    if (plan.refused !== undefined) throw plan.refused
    const { finish, send } = this.#operation
    if (send !== undefined) return send(plan)
    if (this.#merged.has(plan)) {
      const failure = this.#merged.get(plan)
      if (failure !== undefined) throw failure
      return {}
    }
    if (finish === undefined) return answerOf(plan, await this.#whole(plan))
    const came = this.#came.get(plan) ?? (await this.#answered(plan))
    this.#came.delete(plan)
    return finish(plan, came)
  }

  /** All are sent before the first is followed. */
  readonly #allSent = (plans: readonly Plan[]): Promise<void> =>
    this.#parts.crowd.each(plans, async (plan) => {
      if (plan.refused === undefined) this.#came.set(plan, await this.#answered(plan))
    })

  /** One request for all of them that go together. */
  readonly #allInOne = async (plans: readonly Plan[]): Promise<void> => {
    const { merge } = this.#operation
    const several = mergedOf(plans, merge).filter((merged) => merged.plans.length > 1)
    await this.#parts.crowd.each(several, async ({ request, plans: due }) => {
      try {
        const outcomes = await merge?.outcomes(due, await this.#whole(request))
        for (const [i, plan] of due.entries()) this.#merged.set(plan, outcomes?.[i])
      } catch (error) {
        const failure = survived(error)
        for (const plan of due) this.#merged.set(plan, failure)
      }
    })
  }

  async #answered(plan: Plan): Promise<Received> {
    try {
      if (plan.endpoint.returns.kind === 'file' && plan.request === undefined)
        return { download: await this.#download(plan) }
      return { whole: await this.#whole(plan) }
    } catch (error) {
      return { failure: survived(error) }
    }
  }

  #download(plan: Plan): Promise<Download> {
    return this.#parts.sending.open(plan)
  }

  async #whole(plan: Plan): Promise<Whole> {
    const { exchange, sending } = this.#parts
    const { to } = this.#operation
    if (plan.request !== undefined) {
      await exchange.admit(plan.request)
      return (await exchange.client(plan.called)).call(plan.request)
    }
    if (to === undefined) return sending.send(plan)
    const { origin, credential, party, request = (one) => one } = to
    const wire = request(await exchange.build(plan, origin))
    await exchange.admit(wire, true)
    return (await exchange.anonymous(origin, credential, party)).call(wire)
  }
}

/** What an operation works on, where that is not what the line names by itself. */
export type Targets = { readonly slots: readonly Slot[] } | { readonly coming: Coming }

interface PerformerParts extends LiveSendingParts {
  readonly planning: Planning
  readonly lists: Lists
  readonly crowd: Pick<Crowd, 'each' | 'many' | 'stream'>
  readonly answer: Pick<AnswerService, 'printDocument'>
  readonly globals: Pick<Globals, 'curl' | 'sort'>
  /** `--curl`: prints requests. */
  readonly curl: Curl
  /** `--dry-run`: shows what would be written; undefined where it is. */
  readonly preview: (() => Promise<Previews>) | undefined
}

const isList = (plan: Plan | undefined): boolean => plan?.endpoint.returns.kind === 'many'

const isSource = (plans: readonly Plan[] | PlanSource): plans is PlanSource => 'planOf' in plans

export class Performer {
  readonly #parts: PerformerParts

  constructor(parts: PerformerParts) {
    this.#parts = parts
  }

  /** @throws Failure what became of the one object, or of all as a whole */
  async perform(given: Given, operation: Operation, targets?: Targets): Promise<void> {
    const { around = (work) => work() } = operation
    const { globals, preview } = this.#parts
    const rehearsed = globals.curl || preview !== undefined
    const source = await this.#source(given, operation, targets)
    const work = (): Promise<void> => this.#work(operation, source)
    await (rehearsed ? work() : around(work))
    const further = rehearsed ? undefined : await operation.after?.()
    if (further !== undefined)
      await this.#parts.crowd.many(further, { done: 'resumed', final: operation.final })
  }

  async #work(operation: Operation, source: readonly Plan[] | PlanSource): Promise<void> {
    const { crowd, globals, lists, preview, curl } = this.#parts
    if (!isSource(source) && isList(source[0])) return this.#list(operation, source)
    if (globals.curl) return curl.print(source, operation)
    if (preview !== undefined && (await this.#isWriting(source)))
      return (await preview()).show(source, operation)
    if (!isSource(source) && source[0]?.request !== undefined) lists.refuseChoice()
    const how = this.#how(operation)
    return isSource(source) ? crowd.stream(source, how) : crowd.many(source, how)
  }

  /** Objects that come are of one verb: the first says whether it writes. */
  async #isWriting(source: readonly Plan[] | PlanSource): Promise<boolean> {
    if (isSource(source)) return true
    return source.some(({ endpoint }) => writes(endpoint))
  }

  async #list({ emit = {} }: Operation, plans: readonly Plan[]): Promise<void> {
    const { answer, curl, globals, lists } = this.#parts
    const { document } = emit
    if (document !== undefined && globals.sort !== undefined)
      throw usage('--sort goes with a list of records, and this answer is one document')
    for (const plan of plans) {
      if (globals.curl) await curl.list(plan, document?.whole === true)
      else if (plan.request !== undefined) await lists.streamRequest(plan.request)
      else if (document === undefined) await lists.stream(plan, emit)
      else {
        const records = await (document.whole ? lists.gather(plan) : lists.collect(plan))
        await answer.printDocument(await document.of(records, plan))
      }
    }
  }

  #how({ done, emit, loses, final, ...operation }: Operation): Many {
    return {
      ...new LiveSending(this.#parts, operation).how,
      done,
      emit,
      loses,
      final,
      present: operation.present,
    }
  }

  #source(
    given: Given,
    operation: Operation,
    targets: Targets | undefined,
  ): Promise<readonly Plan[] | PlanSource> {
    const { plans, plansFor } = operation
    if (plans !== undefined) return Promise.resolve(plans)
    const asked = operation.given ?? given
    if (targets === undefined && plansFor !== undefined) return plansFor(asked)
    if (targets === undefined) return this.#planned(asked, operation)
    if ('slots' in targets) return this.below(asked, operation, targets.slots)
    return this.#parts.planning.source(asked, operation, targets.coming)
  }

  /** The requests for what the line names. */
  async #planned(given: Given, operation: Operation): Promise<readonly Plan[]> {
    const { planning } = this.#parts
    const { preset, split, standIn } = operation
    const { texts, ...rows } = apartWithRows(given, split)
    const args = standIn === undefined ? texts : texts.map(standIn)
    const apart = operation.merge !== undefined
    const plans = await planning.plans({ ...given, args, ...rows }, preset, apart)
    const named = plans.map((plan, i) => {
      const text = texts[i]
      return standIn === undefined || text === undefined ? plan : { ...plan, label: text }
    })
    return this.#completed(named, operation)
  }

  /** The requests for what each of several projects or groups has of it. */
  async below(
    given: Given,
    operation: Operation,
    slots: readonly Slot[],
  ): Promise<readonly Plan[]> {
    const { planning } = this.#parts
    const plans: Plan[] = []
    for (const slot of slots)
      if (operation.plansFor !== undefined)
        for (const plan of await operation.plansFor(givenFor(given, slot)))
          plans.push({ ...plan, parent: slot.parent })
      else for await (const plan of planning.below(given, operation, slot)) plans.push(plan)
    return this.#completed(plans, operation)
  }

  async #completed(plans: readonly Plan[], operation: Operation): Promise<readonly Plan[]> {
    if (operation.complete === undefined) return plans
    const all: Plan[] = []
    const width = operation.reads === true ? mostAtOnce : 1
    for await (const plan of ahead(plans, width, completing(operation))) all.push(plan)
    return all
  }
}

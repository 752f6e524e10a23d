/**
 * One command over several parents: it runs once for each as if there were no other. What lists print
 * goes below each other in the order of the parents, what verbs plan becomes one run.
 */

import { scopeOf } from '../../../commands/derive/index.js'
import type { Globals } from '../../../commands/globals.js'
import type { Services } from '../../../commands/services.js'
import { isTolerated, toleratedText } from '../../../commands/tolerated.js'
import type { Command, Given } from '../../../commands/types.js'
import { Failure } from '../../../errors.js'
import type { Item } from '../../../fleet/items.js'
import { mostTold, type Report, type Settled } from '../../../fleet/report.js'
import type { EngineOptions } from '../../../fleet/run.js'
import { givenFor, type Slot } from '../../plan/parents.js'
import type { Running } from '../context.js'
import { callOf } from '../many/each.js'
import { Round } from './round.js'
import { causeOf, Ended, Enough, isOwn, Shared } from './shared.js'
import { Sightings } from './sightings.js'

type Action = (services: Services, given: Given) => Promise<void>

export interface Over {
  readonly command: Command
  readonly running: Pick<Running, 'below' | 'held' | 'later' | 'services' | 'writer'>
  readonly slots: readonly Slot[]
  readonly given: Given
  readonly action: Action
  readonly signal: AbortSignal
  /** How many records, of all together. */
  readonly most: number
  /** How many parents are worked on at once. */
  readonly gate: EngineOptions<undefined>['gate']
  readonly globals: Pick<Globals, 'tolerate'>
}

interface Latch {
  readonly opened: Promise<void>
  readonly open: () => void
}

const latch = (): Latch => {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

class OverParents {
  readonly #over: Over
  readonly #shared: Shared
  readonly #round: Round
  readonly #failed = new Map<number, Failure>()
  #told = 0
  readonly #sightings = new Sightings()
  /** Actions that wait for their plans to be run. */
  #waiting: Promise<unknown>[] = []
  /** Resolves when the parents so far have written what they print. */
  #turn: Promise<void> = Promise.resolve()

  constructor(over: Over) {
    const { instance } = over.running.services
    this.#over = over
    this.#round = new Round(callOf({ send: (plan) => instance.send(plan) }))
    const { running } = over
    this.#shared = new Shared((emit) => running.writer(emit), over.most, running.held)
  }

  async run(): Promise<void> {
    const report = await this.#each().catch(async (error: unknown) => {
      await this.#shared.abandon()
      throw causeOf(error)
    })
    this.#sightings.check()
    if (this.#round.isEmpty) return this.#end(report)
    for (const [n, failure] of this.#failed) this.#handFailed(n, failure)
    // Some commands hand plans over once more, when the first are done.
    while (!this.#round.isEmpty) {
      const { instance } = this.#over.running.services
      await this.#round.run((plans, how) => instance.many(plans, how))
      await Promise.all(this.#waiting.splice(0))
    }
  }

  /** In the place of a parent for which nothing could be planned: what it failed with. */
  #handFailed(n: number, failure: Failure): void {
    const { command, slots } = this.#over
    const slot = slots[n - 1]
    const [key, endpoint] =
      Object.entries(command.endpoints).find(([, e]) => scopeOf(e)?.kind === slot?.kind) ?? []
    if (slot === undefined || key === undefined || endpoint === undefined) return
    const { parent } = slot
    const values = { [scopeOf(endpoint)?.placeholder ?? 'id']: slot.value }
    const run = async (): Promise<never> => {
      throw failure
    }
    // Nothing is lost where nothing can be done.
    const { destructive: _, ...harmless } = endpoint
    this.#round.hand(n, [{ key, endpoint: harmless, values, parent }], { run }).catch(() => {})
  }

  /** Every parent once, in their order, several of them at a time. */
  async #each(): Promise<Report> {
    const { run } = await import('../../../fleet/run.js')
    const { slots, signal, gate } = this.#over
    const shared = this.#shared
    const items = async function* (): AsyncGenerator<Item> {
      for (const [i, { parent }] of slots.entries()) {
        if (shared.full) return
        yield { n: i + 1, object: parent.name }
      }
    }
    const work = async ({ n }: Item) => {
      await this.#one(n)
      return { state: 'done', result: undefined } as const
    }
    const tally = this.#over.running.services.person.tally(slots.length)
    const told = ({ outcome }: Settled<undefined>): void => tally.add(1, 'failure' in outcome)
    const parents = run({ items: items(), work, gate, signal, told })
    try {
      for await (const _ of parents);
    } finally {
      tally.end()
    }
    return parents.report
  }

  async #one(n: number): Promise<void> {
    const slot = this.#over.slots[n - 1]
    if (slot === undefined) return
    const turn = this.#turn
    const over = latch()
    this.#turn = over.opened
    try {
      await this.#act(n, slot, turn)
      this.#sightings.shown()
    } catch (error) {
      await turn
      if (this.#sightings.waives(error)) return
      // Behind the last record that was asked for nothing matters.
      if (error instanceof Enough || (isOwn(error) && this.#shared.full)) return
      if (!isOwn(error)) throw error instanceof Failure ? wholly(error) : error
      if (this.#tolerates(slot, error)) return
      await this.#fail(n, slot, error)
      throw error
    } finally {
      await turn
      over.open()
    }
  }

  /** Until the command ends, or hands over what it planned. */
  async #act(n: number, slot: Slot, turn: Promise<void>): Promise<void> {
    const { action, command, running, given } = this.#over
    if (slot.failure !== undefined) throw slot.failure
    const handed = latch()
    const { left } = this.#shared
    const services = running.below({
      parent: slot.parent,
      paging: left === Number.POSITIVE_INFINITY ? {} : { limit: left },
      writer: (emit) => this.#shared.part(slot.parent, emit, turn),
      hand: async (plans, how = {}) => {
        const ran = this.#round.hand(n, plans, how)
        handed.open()
        if (command.run !== undefined) return ran
        // What is derived does nothing afterwards: of many nobody need wait.
        ran.catch(() => {})
      },
      together: () => this.#round.runs,
    })
    const acted = action(services, givenFor(given, slot))
    const first = await Promise.race([acted.then(() => 'ended'), handed.opened])
    if (first === 'ended') return
    acted.catch(() => {})
    this.#waiting.push(acted)
  }

  async #fail(n: number, { parent }: Slot, failure: Failure): Promise<void> {
    this.#failed.set(n, failure)
    // Among plans it is told in its place.
    if (!this.#lists) return
    this.#tell(n, failure)
    if (this.#over.running.services.answer.reader === 'programs')
      await this.#shared.about(parent, { outcome: 'failed', ...failure.toJSON() })
  }

  /** Notes what `--tolerate` asks only to be noted. */
  #tolerates({ parent }: Slot, failure: Failure): boolean {
    if (!isTolerated(this.#over.globals, failure)) return false
    this.#over.running.services.person.note(toleratedText(parent.name, failure))
    return true
  }

  #tell(n: number, failure: Failure): void {
    if (++this.#told > mostTold) return
    this.#over.running.services.person.report(failure, this.#over.slots[n - 1]?.parent.name)
  }

  get #lists(): boolean {
    return Object.values(this.#over.command.endpoints).some((e) => e.returns.kind === 'many')
  }

  /** What is to be said when everything is printed. */
  async #end(report: Report): Promise<void> {
    const { verdict } = await import('../../../fleet/report.js')
    const failure = verdict(report)
    const whole = report.end === 'completed'
    await (whole ? this.#shared.close() : this.#shared.abandon()).catch((error: unknown) => {
      throw causeOf(error)
    })
    if (!this.#lists) for (const [n, failed] of this.#failed) this.#tell(n, failed)
    const { person } = this.#over.running.services
    if (this.#told > mostTold) person.note(`${this.#told - mostTold} more failed`)
    const { printed, full } = this.#shared
    if (full) this.#over.running.later(`showing ${printed}; --limit <n> or --limit all gives more`)
    else if (printed === 0 && failure === undefined) this.#over.running.later('nothing found')
    if (failure !== undefined) throw failure
  }
}

/** What ends the run wherever it happens. */
const wholly = (failure: Failure): Error =>
  failure.category === 'interrupted' ? failure : new Ended(failure)

/** Runs a command for each of several parents. @throws Failure what they came to together */
export const overParents = (over: Over): Promise<void> => new OverParents(over).run()

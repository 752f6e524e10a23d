/** Records of several parents: they are read of each, and printed below each other in the order of the parents. */

import type { Paging } from '../../client/defaults.js'
import { Failure } from '../../errors.js'
import type { Writer } from '../../output/types.js'
import { PartOfAnswer, refusePart } from '../answer/objects.js'
import { printRows } from '../answer/print-rows.js'
import type { Globals } from '../command/globals.js'
import { isTolerated, toleratedText } from '../command/running.js'
import type { LineAsk, Services } from '../command/services.js'
import type { Command, Given, Operation } from '../command/types.js'
import { Lists } from '../instance/listing.js'
import { LiveInstance, type Parts } from '../perform/live.js'
import { givenFor, type ParentTarget } from '../plan/parents.js'
import { FieldPresence } from '../records/single.js'
import type { RecordView } from '../rows.js'
import type { RunParts } from '../services.js'
import { type Item, type ItemOutcome, maxTold, type Report, verdict } from '../work/report.js'
import { type EngineOptions, run } from '../work/run.js'
import { EnoughRecordsError, isOwn, RunError, SharedWriter, unwrapEnded } from './shared-writer.js'

/** Where the records of one of several go, and how many of them at most. */
interface ParentPart {
  readonly paging: Paging
  readonly writer: (emit: RecordView) => Writer
}

interface ParentListsOptions {
  readonly services: Pick<Services, 'answer' | 'ui'>
  readonly targets: readonly ParentTarget[]
  /** Told of each in their order, when its records are written. */
  readonly settled?: NonNullable<LineAsk['parents']>['settled'] | undefined
  /** Writes the records of one of them. */
  readonly one: (target: ParentTarget, part: ParentPart) => Promise<void>
  /** Starts the answer that all write to. */
  readonly writer: (emit: RecordView) => Promise<Writer>
  /** Whether that answer waits for those of other instances. */
  readonly held: () => boolean
  /** A line that stands below the output. */
  readonly later: (text: string) => void
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
  readonly #over: ParentListsOptions
  readonly #shared: SharedWriter
  #reported = 0
  readonly #presence = new FieldPresence()
  /** Resolves when the parents so far have written what they print. */
  #turn: Promise<void> = Promise.resolve()

  constructor(over: ParentListsOptions) {
    this.#over = over
    this.#shared = new SharedWriter(over.writer, over.most, over.held)
  }

  async run(): Promise<void> {
    const read = async (): Promise<Report> => {
      const report = await this.#each()
      this.#presence.check()
      return report
    }
    const report = await read().catch(async (error: unknown) => {
      await this.#shared.abandon()
      throw unwrapEnded(error)
    })
    return this.#end(report)
  }

  /** Every parent once, in their order, several of them at a time. */
  async #each(): Promise<Report> {
    const { targets, signal, gate } = this.#over
    const shared = this.#shared
    const items = async function* (): AsyncGenerator<Item> {
      for (const [i, { parent }] of targets.entries()) {
        if (shared.full) return
        yield { n: i + 1, object: parent.name }
      }
    }
    const work = async ({ n }: Item) => {
      await this.#one(n)
      return { state: 'done', result: undefined } as const
    }
    const counter = this.#over.services.ui.counter(targets.length)
    const onSettled = ({ outcome }: ItemOutcome<undefined>): void =>
      counter.add(1, 'failure' in outcome)
    const parents = run({ items: items(), work, gate, signal, onSettled })
    try {
      for await (const _ of parents);
    } finally {
      counter.end()
    }
    return parents.report
  }

  async #one(n: number): Promise<void> {
    const target = this.#over.targets[n - 1]
    if (target === undefined) return
    const turn = this.#turn
    const over = latch()
    this.#turn = over.opened
    let failure: Failure | undefined
    let isRead = true
    try {
      await this.#list(target, turn)
      this.#presence.shown()
    } catch (error) {
      await turn
      failure = error instanceof Failure ? error : undefined
      isRead = !(error instanceof RunError)
      if (this.#presence.waives(error)) return
      // Behind the last record that was asked for nothing matters.
      if (error instanceof EnoughRecordsError || (isOwn(error) && this.#shared.full)) return
      if (!isOwn(error)) throw error instanceof Failure ? wholly(error) : error
      if (this.#tolerates(target, error)) return
      await this.#fail(target, error)
      throw error
    } finally {
      await turn
      // Whatever comes of that, those behind it wait for their turn.
      await (isRead ? this.#tellSettled(target, failure) : Promise.resolve()).finally(over.open)
    }
  }

  /** @throws RunError if the listener fails: then it cannot take note of the other parents either */
  async #tellSettled({ parent }: ParentTarget, failure: Failure | undefined): Promise<void> {
    if (failure !== undefined && !isOwn(failure)) return
    try {
      await this.#over.settled?.(parent.name, failure)
    } catch (error) {
      throw new RunError(error)
    }
  }

  async #list(target: ParentTarget, turn: Promise<void>): Promise<void> {
    if (target.failure !== undefined) throw target.failure
    const { left } = this.#shared
    const paging = left === Number.POSITIVE_INFINITY ? {} : { limit: left }
    const writer = (own: RecordView): Writer => this.#shared.part(target.parent, own, turn)
    await this.#over.one(target, { paging, writer })
  }

  async #fail({ parent }: ParentTarget, failure: Failure): Promise<void> {
    if (++this.#reported <= maxTold) this.#over.services.ui.report(failure, parent.name)
    if (this.#over.services.answer.reader === 'programs')
      await this.#shared.about(parent, { outcome: 'failed', ...failure.toJSON() })
  }

  /** Notes what `--tolerate` asks only to be noted. */
  #tolerates({ parent }: ParentTarget, failure: Failure): boolean {
    if (!isTolerated(this.#over.globals, failure)) return false
    this.#over.services.ui.note(toleratedText(parent.name, failure))
    return true
  }

  /** What is to be said when everything is printed. */
  async #end(report: Report): Promise<void> {
    const failure = verdict(report)
    const whole = report.end === 'completed'
    await (whole ? this.#shared.close() : this.#shared.abandon()).catch((error: unknown) => {
      throw unwrapEnded(error)
    })
    const { ui } = this.#over.services
    if (this.#reported > maxTold) ui.note(`${this.#reported - maxTold} more failed`)
    const { printed, full } = this.#shared
    if (full) this.#over.later(`showing ${printed}; use --limit <n> or --limit all for more`)
    else if (printed === 0 && failure === undefined) this.#over.later('nothing found')
    if (failure !== undefined) throw failure
  }
}

/** What ends the run wherever it happens. */
const wholly = (failure: Failure): Error =>
  failure.category === 'interrupted' ? failure : new RunError(failure)

/** Prints what each of several parents has. @throws Failure what they came to together */
const overParents = (over: ParentListsOptions): Promise<void> => new OverParents(over).run()

// What a run does for each of several parents by itself: it lists, or it runs a command that works in its own way.

type OwnRows = NonNullable<Command['rows']>

/** What of a run each parent takes. */
type OverParts = Pick<
  RunParts,
  | 'answer'
  | 'choice'
  | 'bulk'
  | 'exchange'
  | 'later'
  | 'lists'
  | 'options'
  | 'place'
  | 'planning'
  | 'caller'
  | 'ui'
>

/** The parents that a line within another reads, in its order. */
const chosen = (
  targets: readonly ParentTarget[],
  choose: (names: readonly string[]) => readonly string[],
): readonly ParentTarget[] => {
  const known = new Map(targets.map((target) => [target.parent.name, target]))
  return choose([...known.keys()]).flatMap((name) => known.get(name) ?? [])
}

class EachParent {
  readonly #parts: OverParts

  constructor(parts: OverParts) {
    this.#parts = parts
  }

  /** One list. */
  listing(given: Given, operation: Operation): ParentListsOptions['one'] {
    const { emit = {} } = operation
    if (emit.document !== undefined) throw refusePart('project or group')
    return async (target, part) => {
      const [plan] = await this.#parts.planning.below(operation.given ?? given, operation, [target])
      if (plan === undefined) throw new Failure('internal', 'a list without a plan')
      if (plan.refused !== undefined) throw plan.refused
      const lists = this.#listsTo(part)
      await (plan.request === undefined
        ? lists.stream(plan, emit)
        : lists.streamRequest(plan.request))
    }
  }

  /** A command, which sees one parent alone. */
  running(given: Given, rows: OwnRows): ParentListsOptions['one'] {
    const { answer, ui, place, planning } = this.#parts
    return async (target, part) => {
      const { parent } = target
      const own: Parts['planning'] = {
        plans: async (...asked) =>
          (await planning.plans(...asked)).map((plan) => ({ ...plan, parent })),
        plan: async (...asked) => ({ ...(await planning.plan(...asked)), parent }),
      }
      const lists = this.#listsTo(part)
      const instance = new LiveInstance({ ...this.#parts, planning: own, lists })
      const writer = (emit: RecordView) => answer.part(part.writer, emit)
      const services = { instance, answer: new PartOfAnswer(answer, writer), ui, place }
      await printRows(rows(services, givenFor(given, target)), services)
    }
  }

  #listsTo({ paging, writer }: ParentPart): Lists {
    const { answer, choice, exchange, options } = this.#parts
    const { asked } = options.inner ?? {}
    // What is said of a list is said of all of them together.
    const own = async (_: boolean, emit: RecordView) => answer.part(writer, emit)
    const to = { writer: own, later: () => {}, asked }
    return new Lists({ ...options.globals, ...paging }, exchange.instance, to, choice)
  }
}

/** Prints what each of several parents has, so many records at most. */
export const listOver = async (
  parts: OverParts,
  given: Given,
  work: Operation | OwnRows,
  found: readonly ParentTarget[],
  most: number,
): Promise<void> => {
  const { answer, exchange, later, options, ui } = parts
  const { globals, inner, part, signal } = options
  const each = new EachParent(parts)
  await overParents({
    services: { answer, ui },
    targets: inner?.parents === undefined ? found : chosen(found, inner.parents.choose),
    settled: inner?.parents?.settled,
    most,
    one: typeof work === 'function' ? each.running(given, work) : each.listing(given, work),
    writer: (emit) => answer.writer(true, emit),
    held: part?.held ?? (() => false),
    later,
    signal,
    gate: await exchange.gate(),
    globals,
  })
}

/** Records of several parents: they are read of each, and stand below each other in the order of the parents. */
import { yieldPushed } from '../../base/async.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Paging } from '../../client/defaults.js'
import { Failure } from '../../errors.js'
import type { Context, LineAsk } from '../command/context.js'
import type { Globals } from '../command/globals.js'
import { describeTolerated, isTolerated } from '../command/running.js'
import type { ActionOptions, Command, Given, Parent } from '../command/types.js'
import { ListReader } from '../instance/listing.js'
import type { LineParts } from '../line-parts.js'
import { describeUnread, TargetWriter, TurnScheduler } from '../order.js'
import { LiveInstance, type Parts } from '../perform/live.js'
import { type ParentTarget, toGiven } from '../plan/parents.js'
import { createPartFailure } from '../records/object-rows.js'
import { FieldPresence } from '../records/single.js'
import type { RecordView, Row, Rows } from '../rows.js'
import {
  getRunVerdict,
  type Item,
  type ItemOutcome,
  isObjectOwn,
  maxReported,
  type Report,
} from '../work/report.js'
import { type EngineOptions, runWork } from '../work/run.js'

/** Ends the whole run and not one parent's part of it. */
class RunError extends Error {
  constructor(override readonly cause: unknown) {
    super('ended')
  }
}

/** As many records as were asked for are there. */
class EnoughRecordsError extends Error {}

interface ParentRowsOptions {
  readonly context: Pick<Context, 'answer' | 'ui'>
  readonly targets: readonly ParentTarget[]
  /** Takes each in their order, when its records were taken. */
  readonly settled?: NonNullable<LineAsk['parents']>['finishParent'] | undefined
  /** The rows of one of them. */
  readonly rowsOf: (target: ParentTarget, paging: Paging) => Rows
  readonly signal: AbortSignal
  /** The maximum number of records, of all parents together. */
  readonly most: number
  /** The gate that says how many parents are worked on at once. */
  readonly gate: EngineOptions<undefined>['gate']
  /** Returns true while all of them wait for other instances. */
  readonly isHeld: (() => boolean) | undefined
  readonly globals: Pick<Globals, 'tolerate'>
}

/** The rows of several parents, each read by itself, in the order of the parents. */
class OverParents {
  readonly #over: ParentRowsOptions
  readonly #push: (row: Row) => Promise<void>
  #count = 0
  /** The parent that has the last record that was asked for, and whether it has more of them. */
  #full: { readonly last: ParentTarget; isCut: boolean } | undefined
  #reported = 0
  readonly #presence = new FieldPresence()
  readonly #turns = new TurnScheduler()

  constructor(over: ParentRowsOptions, push: (row: Row) => Promise<void>) {
    this.#over = over
    this.#push = push
  }

  /** Hands over the rows of all. @throws Failure what they came to together */
  async run(): Promise<void> {
    const report = await this.#each()
    this.#presence.check()
    const failure = getRunVerdict(report)
    if (report.end === 'completed') await this.#push({ kind: 'end', said: this.#describe(failure) })
    if (this.#reported > maxReported)
      this.#over.context.ui.note(`${this.#reported - maxReported} more failed`)
    if (failure !== undefined) throw failure
  }

  get #isFull(): boolean {
    return this.#count >= this.#over.most
  }

  /** A parent has more records than were wanted of it. */
  #noteCut(target: ParentTarget): void {
    if (this.#full?.last === target) this.#full.isCut = true
  }

  #describe(failure: Failure | undefined): string | undefined {
    const { targets } = this.#over
    const { last, isCut } = this.#full ?? {}
    if (last !== undefined) {
      const left = targets.slice(targets.indexOf(last) + (isCut === true ? 0 : 1))
      const names = left.map(({ parent }) => parent.name)
      return names.length === 0 ? undefined : describeUnread(this.#count, names)
    }
    return this.#count === 0 && failure === undefined ? 'nothing found' : undefined
  }

  /** Every parent once, in their order, several of them at a time. */
  async #each(): Promise<Report> {
    const { targets, signal, gate } = this.#over
    const isFull = (): boolean => this.#isFull
    const items = async function* (): AsyncGenerator<Item> {
      for (const [i, { parent }] of targets.entries()) {
        if (isFull()) return
        yield { n: i + 1, object: parent.name }
      }
    }
    const work = async ({ n }: Item) => {
      const target = targets[n - 1]
      if (target !== undefined) await this.#turns.take((turn) => this.#one(target, turn))
      return { state: 'done', result: undefined } as const
    }
    const counter = this.#over.context.ui.startCounter(targets.length)
    const onSettled = ({ outcome }: ItemOutcome<undefined>): void =>
      counter.add(1, 'failure' in outcome)
    const parents = runWork({ items: items(), work, gate, signal, onSettled })
    try {
      for await (const _ of parents);
    } finally {
      counter.end()
    }
    return parents.report
  }

  async #one(target: ParentTarget, turn: Promise<void>): Promise<void> {
    const { isHeld } = this.#over
    const parent = { target: { parent: target.parent }, turn, isHeld, push: this.#push }
    const writer = new TargetWriter(parent)
    let failure: Failure | undefined
    let isRead = true
    try {
      await this.#takeRows(target, writer)
      this.#presence.recordShown()
    } catch (error) {
      await turn
      failure = error instanceof Failure ? error : undefined
      isRead = !(error instanceof RunError)
      await this.#settleFailed(target, writer, error)
    } finally {
      await turn
      if (isRead) await this.#tellSettled(target, failure)
    }
  }

  /** @throws what counts as a failure of the parent, or ends all of them */
  async #settleFailed(target: ParentTarget, writer: TargetWriter, error: unknown): Promise<void> {
    await writer.cut()
    if (this.#presence.canWaive(error)) return
    // Behind the last record that was asked for nothing matters.
    if (error instanceof EnoughRecordsError || (isObjectOwn(error) && this.#isFull)) return
    if (!isObjectOwn(error)) throw error instanceof Failure ? toRunError(error) : error
    if (isTolerated(this.#over.globals, error)) {
      this.#over.context.ui.note(describeTolerated(target.parent.name, error))
      return
    }
    if (++this.#reported <= maxReported) this.#over.context.ui.report(error, target.parent.name)
    await writer.take({ kind: 'failed', failure: error })
    throw error
  }

  /** @throws RunError if the listener fails: then it cannot take note of the other parents either */
  async #tellSettled({ parent }: ParentTarget, failure: Failure | undefined): Promise<void> {
    if (failure !== undefined && !isObjectOwn(failure)) return
    try {
      await this.#over.settled?.(parent.name, failure)
    } catch (error) {
      throw new RunError(error)
    }
  }

  async #takeRows(target: ParentTarget, writer: TargetWriter): Promise<void> {
    if (target.failure !== undefined) throw target.failure
    const left = this.#over.most - this.#count
    const paging = left === Number.POSITIVE_INFINITY ? {} : { limit: left }
    for await (const row of this.#over.rowsOf(target, paging)) await this.#take(row, target, writer)
  }

  /** Takes a row, as far as its records are still wanted. */
  async #take(row: Row, target: ParentTarget, writer: TargetWriter): Promise<void> {
    if (row.kind === 'text' || row.kind === 'document') throw createPartFailure('project or group')
    if (row.kind === 'end' && row.more === true) this.#noteCut(target)
    if (row.kind !== 'records' && row.kind !== 'value' && row.kind !== 'answer')
      return writer.take(row)
    await writer.turn
    if (this.#isFull) this.#noteCut(target)
    if (this.#isFull) throw new EnoughRecordsError()
    const batch = row.kind === 'records' ? row.batch : undefined
    const taken = batch?.slice(0, this.#over.most - this.#count)
    const isShort = taken !== undefined && batch !== undefined && taken.length < batch.length
    this.#count += taken?.length ?? 1
    if (this.#isFull) this.#full = { last: target, isCut: isShort }
    await writer.take(
      row.kind === 'records' && taken !== undefined && isShort
        ? { ...row, batch: taken, readers: row.readers?.slice(0, taken.length) }
        : row,
    )
    if (isShort) throw new EnoughRecordsError()
  }
}

/** Converts a failure to an error that ends the run wherever it happens. */
const toRunError = (failure: Failure): Error =>
  failure.category === 'interrupted' ? failure : new RunError(failure)

/** Returns the failure that ended a run, if a part of the run wrapped it in an error of its own. */
const unwrapEnded = (error: unknown): unknown => (error instanceof RunError ? error.cause : error)

// What a run does for each of several parents by itself: it lists, or it runs a command that works in its own way.

type OwnRows = NonNullable<Command['rows']>

/** A list that each of several parents has. */
interface ParentList {
  readonly how: ActionOptions
  readonly view: RecordView
}

/** Chooses the parents that a line within another reads, in its order. */
const chooseTargets = (
  targets: readonly ParentTarget[],
  choose: (names: readonly string[]) => readonly string[],
): readonly ParentTarget[] => {
  const known = new Map(targets.map((target) => [target.parent.name, target]))
  return choose([...known.keys()]).flatMap((name) => known.get(name) ?? [])
}

/** Creates the lists of one parent. What is said of a list is said of all of them together. */
const createPartLists = (
  { choice, exchange, options: { globals, inner } }: LineParts,
  paging: Paging,
  parent: Parent,
): ListReader => {
  const to = { noteAtEnd: () => {}, onList: inner?.asked }
  const choose = (endpoint?: Endpoint) => choice(endpoint, parent)
  return new ListReader({ ...globals, ...paging }, exchange.openInstance, to, choose)
}

/** Returns the rows of one list. */
const yieldList = (
  parts: LineParts,
  given: Given,
  { how, view }: ParentList,
): ParentRowsOptions['rowsOf'] =>
  async function* (target, paging) {
    const [plan] = await parts.planning.planTargets(given, how, [target])
    if (plan === undefined) throw new Failure('internal', 'a list without a plan')
    if (plan.refused !== undefined) throw plan.refused
    const lists = createPartLists(parts, paging, target.parent)
    yield* plan.request === undefined
      ? lists.listRecords(plan, view)
      : lists.listRequest(plan.request)
  }

/** Returns the rows of a command, which sees one parent alone. */
const yieldCommand =
  (parts: LineParts, given: Given, rows: OwnRows): ParentRowsOptions['rowsOf'] =>
  (target, paging) => {
    const { planning } = parts
    const { parent } = target
    const own: Parts['planning'] = {
      createPlans: async (...asked) =>
        (await planning.createPlans(...asked)).map((plan) => ({ ...plan, parent })),
    }
    const lists = createPartLists(parts, paging, parent)
    const instance = new LiveInstance({ ...parts, planning: own, lists })
    return rows(parts.createContext(instance), toGiven(given, target))
  }

/** Yields what each of several parents has, so many records at most. @throws Failure what they came to together */
export async function* listOver(
  parts: LineParts,
  given: Given,
  work: ParentList | OwnRows,
  found: readonly ParentTarget[],
  most: number,
): Rows {
  const { answer, exchange, options, ui } = parts
  const { globals, inner, signal } = options
  const over: ParentRowsOptions = {
    context: { answer, ui },
    targets: inner?.parents === undefined ? found : chooseTargets(found, inner.parents.choose),
    settled: inner?.parents?.finishParent,
    most,
    rowsOf:
      typeof work === 'function' ? yieldCommand(parts, given, work) : yieldList(parts, given, work),
    signal,
    gate: await exchange.openGate(),
    isHeld: options.part?.isHeld,
    globals,
  }
  try {
    yield* yieldPushed<Row>((push) => new OverParents(over, push).run())
  } catch (error) {
    throw unwrapEnded(error)
  }
}

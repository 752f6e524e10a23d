/** Yields the rows of a command for several projects or groups. They are read at once, and come in the order of the parents. */
import { yieldPushed } from '../../base/async.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Paging } from '../../client/paging.js'
import { Failure, isObjectFailure } from '../../errors.js'
import type { Context, ReadingLine } from '../command/context.js'
import type { Globals } from '../command/globals.js'
import { describeTolerated, isTolerated } from '../command/outcomes.js'
import type { ActionOptions, Command, Given, Parent } from '../command/types.js'
import { ListReader } from '../instance/listing.js'
import type { LineParts } from '../line-parts.js'
import { LiveInstance, type Parts } from '../perform/live.js'
import { type ParentTarget, toGiven } from '../plan/parents.js'
import { createPartFailure } from '../records/object-rows.js'
import { FieldPresence } from '../records/single.js'
import type { RecordsRow, RecordView, Row, Rows } from '../rows.js'
import { describeUnread, TargetWriter, TurnScheduler } from '../target-order.js'
import {
  getRunVerdict,
  type Item,
  type ItemOutcome,
  maxReported,
  type Report,
} from '../work/report.js'
import { runWork, type WorkOptions } from '../work/run.js'

/** Wraps an error that ends the whole run, and not only the part of one parent. */
class FatalError extends Error {
  constructor(override readonly cause: unknown) {
    super('ended')
  }
}

/** Ends the reading of a parent when `--limit` is reached. */
class EnoughRecordsError extends Error {}

interface ParentRowsOptions {
  readonly context: Pick<Context, 'answer' | 'ui'>
  readonly targets: readonly ParentTarget[]
  /** Called for each parent in order, when its records were read or could not be read. */
  readonly onSettled?: NonNullable<ReadingLine['parents']>['finishParent'] | undefined
  /** Yields the rows of one parent. */
  readonly yieldRows: (target: ParentTarget, paging: Paging) => Rows
  readonly signal: AbortSignal
  /** The maximum number of records over all parents. */
  readonly maxRecords: number
  /** The gate that decides how many parents are read at once. */
  readonly gate: WorkOptions<undefined>['gate']
  /** Returns true while all parents wait for other instances. */
  readonly isHeld: (() => boolean) | undefined
  readonly globals: Pick<Globals, 'tolerate'>
}

/** Reads the rows of several parents at once, and pushes them in the order of the parents. */
class ParentRows {
  readonly #options: ParentRowsOptions
  readonly #push: (row: Row) => Promise<void>
  /** The number of records that were pushed for all parents. */
  #count = 0
  /** The parent with the last record within `--limit`; undefined while the limit is not reached. */
  #last: ParentTarget | undefined
  /** True if that parent has further records. */
  #hasMore = false
  /** The number of parents that failed, and were reported. */
  #reported = 0
  readonly #presence = new FieldPresence()
  readonly #turns = new TurnScheduler()

  constructor(over: ParentRowsOptions, push: (row: Row) => Promise<void>) {
    this.#options = over
    this.#push = push
  }

  /** Pushes the rows of all parents. @throws Failure if parents could not be read */
  async run(): Promise<void> {
    const report = await this.#readAll()
    this.#presence.check()
    const failure = getRunVerdict(report)
    if (report.end === 'completed') {
      const note = this.#describeEnd(failure)
      await this.#push({ kind: 'end', more: this.#isFull && note !== undefined, note })
    }
    if (this.#reported > maxReported)
      this.#options.context.ui.note(`${this.#reported - maxReported} more failed`)
    if (failure !== undefined) throw failure
  }

  /** True if `--limit` is reached. */
  get #isFull(): boolean {
    return this.#count >= this.#options.maxRecords
  }

  /** Remembers that a parent has further records, beyond the limit. */
  #recordMore(target: ParentTarget): void {
    if (this.#last === target) this.#hasMore = true
  }

  #describeEnd(failure: Failure | undefined): string | undefined {
    const { targets } = this.#options
    if (this.#last !== undefined) {
      const left = targets.slice(targets.indexOf(this.#last) + (this.#hasMore ? 0 : 1))
      const names = left.map(({ parent }) => parent.name)
      return names.length === 0 ? undefined : describeUnread(this.#count, names)
    }
    return this.#count === 0 && failure === undefined ? 'nothing found' : undefined
  }

  /** Reads each parent, several at a time, in their order. */
  async #readAll(): Promise<Report> {
    const { targets, signal, gate } = this.#options
    const isFull = (): boolean => this.#isFull
    const yieldItems = async function* (): AsyncGenerator<Item> {
      for (const [i, { parent }] of targets.entries()) {
        if (isFull()) return
        yield { n: i + 1, object: parent.name }
      }
    }
    const work = async ({ n }: Item) => {
      const target = targets[n - 1]
      if (target !== undefined) await this.#turns.schedule((turn) => this.#readParent(target, turn))
      return { state: 'done', result: undefined } as const
    }
    const counter = this.#options.context.ui.startCounter(targets.length)
    const onSettled = ({ outcome }: ItemOutcome<undefined>): void =>
      counter.add(1, 'failure' in outcome)
    const parents = runWork({ items: yieldItems(), work, gate, signal, onSettled })
    try {
      for await (const _ of parents);
    } finally {
      counter.end()
    }
    return parents.report
  }

  async #readParent(target: ParentTarget, turn: Promise<void>): Promise<void> {
    const { isHeld } = this.#options
    const parent = { target: { parent: target.parent }, turn, isHeld, push: this.#push }
    const writer = new TargetWriter(parent)
    let failure: Failure | undefined
    try {
      await this.#takeRows(target, writer)
      this.#presence.recordShown()
    } catch (error) {
      await turn
      await writer.endEarly()
      if (this.#presence.canWaive(error)) return
      if (!(error instanceof EnoughRecordsError)) failure = toParentFailure(error)
    }
    await turn
    const counts = failure !== undefined && (await this.#reportFailure(target, writer, failure))
    await this.#tellSettled(target, failure)
    if (counts) throw failure
  }

  /** Reports the failure of a parent. @returns false if it does not count: it is tolerated, or the limit was reached before it */
  async #reportFailure(
    { parent }: ParentTarget,
    writer: TargetWriter,
    failure: Failure,
  ): Promise<boolean> {
    const { context, globals } = this.#options
    if (this.#isFull) return false
    if (isTolerated(globals, failure)) {
      context.ui.note(describeTolerated(parent.name, failure))
      return false
    }
    if (++this.#reported <= maxReported) context.ui.report(failure, parent.name)
    await writer.write({ kind: 'failed', failure })
    return true
  }

  /** @throws FatalError if the listener fails, since it would fail for the other parents as well */
  async #tellSettled({ parent }: ParentTarget, failure: Failure | undefined): Promise<void> {
    try {
      await this.#options.onSettled?.(parent.name, failure)
    } catch (error) {
      throw new FatalError(error)
    }
  }

  async #takeRows(target: ParentTarget, writer: TargetWriter): Promise<void> {
    if (target.failure !== undefined) throw target.failure
    const left = this.#options.maxRecords - this.#count
    const paging = left === Number.POSITIVE_INFINITY ? {} : { limit: left }
    for await (const row of this.#options.yieldRows(target, paging))
      await this.#takeRow(row, target, writer)
  }

  /** Writes a row, without the records beyond the limit. @throws EnoughRecordsError if there were some */
  async #takeRow(row: Row, target: ParentTarget, writer: TargetWriter): Promise<void> {
    if (row.kind === 'text' || row.kind === 'document') throw createPartFailure('project or group')
    if (row.kind === 'end' && row.more === true) this.#recordMore(target)
    if (row.kind !== 'records' && row.kind !== 'value' && row.kind !== 'answer')
      return writer.write(row)
    await writer.turn
    const left = this.#options.maxRecords - this.#count
    if (left <= 0) this.#stop(target)
    const kept = row.kind === 'records' ? cutRecords(row, left) : row
    this.#count += kept.kind === 'records' ? kept.batch.length : 1
    if (this.#isFull) this.#last = target
    await writer.write(kept)
    if (kept !== row) this.#stop(target)
  }

  /** Ends the reading of a parent that has records beyond the limit. */
  #stop(target: ParentTarget): never {
    this.#recordMore(target)
    throw new EnoughRecordsError()
  }
}

/** Returns a row with at most so many records. It is the same row if it has no more. */
const cutRecords = (row: RecordsRow, most: number): RecordsRow =>
  row.batch.length <= most
    ? row
    : { ...row, batch: row.batch.slice(0, most), readers: row.readers?.slice(0, most) }

/** Returns an error as the failure of one parent. @throws any error that ends the whole run */
const toParentFailure = (error: unknown): Failure => {
  if (isObjectFailure(error)) return error
  const isWrapped = error instanceof Failure && error.category !== 'interrupted'
  throw isWrapped ? new FatalError(error) : error
}

/** Returns the wrapped error of a `FatalError`, and any other error as it is. */
const unwrapFatal = (error: unknown): unknown => (error instanceof FatalError ? error.cause : error)

// The rows of one parent: those of a list, or of a command with code of its own.

type OwnRows = NonNullable<Command['rows']>

/** The list that is read in each parent. */
interface ParentList {
  readonly how: ActionOptions
  readonly view: RecordView
}

/** Returns the parents that an outer run chooses, in its order. */
const chooseTargets = (
  targets: readonly ParentTarget[],
  choose: (names: readonly string[]) => readonly string[],
): readonly ParentTarget[] => {
  const known = new Map(targets.map((target) => [target.parent.name, target]))
  return choose([...known.keys()]).flatMap((name) => known.get(name) ?? [])
}

/** Creates the lists of one parent. Their notes are dropped, since one note describes all parents. */
const createPartLists = (
  { chooseRecords: choice, exchange, options: { globals, inner } }: LineParts,
  paging: Paging,
  parent: Parent,
): ListReader => {
  const to = { noteAtEnd: () => {}, onList: inner?.onPlanned }
  const choose = (endpoint?: Endpoint) => choice(endpoint, parent)
  return new ListReader({ ...globals, ...paging }, exchange.openInstance, to, choose)
}

/** Creates the function that yields the list of one parent. */
const yieldList = (
  parts: LineParts,
  given: Given,
  { how, view }: ParentList,
): ParentRowsOptions['yieldRows'] =>
  async function* (target, paging) {
    const [plan] = await parts.planning.planTargets(given, how, [target])
    if (plan === undefined) throw new Failure('internal', 'a list without a plan')
    if (plan.refused !== undefined) throw plan.refused
    const lists = createPartLists(parts, paging, target.parent)
    yield* plan.request === undefined
      ? lists.listRecords(plan, view)
      : lists.listRequest(plan.request)
  }

/** Creates the function that yields the rows of a command in one parent. */
const yieldCommand =
  (parts: LineParts, given: Given, rows: OwnRows): ParentRowsOptions['yieldRows'] =>
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

/**
 * Yields the rows of several parents, in their order.
 * @param most the maximum number of records over all parents
 * @throws Failure if parents could not be read
 */
export async function* yieldParentRows(
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
    onSettled: inner?.parents?.finishParent,
    maxRecords: most,
    yieldRows:
      typeof work === 'function' ? yieldCommand(parts, given, work) : yieldList(parts, given, work),
    signal,
    gate: await exchange.openGate(),
    isHeld: options.part?.isHeld,
    globals,
  }
  try {
    yield* yieldPushed<Row>((push) => new ParentRows(over, push).run())
  } catch (error) {
    throw unwrapFatal(error)
  }
}

/** Runs several confirmed plans of one command, and yields their outcomes in the order of the plans. */
import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import { type Endpoint, writes } from '../../catalogue/endpoint.js'
import { ClosedPipe, Failure } from '../../errors.js'
import { canShowOutcomes, describeTolerated } from '../command/outcomes.js'
import type { Plan } from '../command/types.js'
import type { JournaledRun } from '../journaling/journaled-run.js'
import type { NumberedPlan, Result, WorkQueue } from '../journaling/work-queue.js'
import {
  createObjectRow,
  getLeadColumn,
  getObjectFields,
  getPrintedValue,
  hasNothingToShow,
} from '../records/object-rows.js'
import type { PlanAnswer, Rows } from '../rows.js'
import {
  formatClosingLine,
  formatOutcomeCounts,
  getRunVerdict,
  maxNamed,
  maxReported,
  type Report,
} from '../work/report.js'
import { type Run, runWork } from '../work/run.js'
import {
  type BulkOptions,
  createSender,
  createUnprintedFailure,
  createWithheldHandler,
  describeBareOutcome,
  describeOtherShape,
  type Engine,
  getObjectName,
  getToleratedFailure,
} from './plan-work.js'

// The outcomes of several plans, in the order of the plans.

/** Returns the record of an object for which the API returned none: its name and outcome. */
export const toOutcomeRecord = ({
  item: { plan },
  outcome,
}: Pick<Result, 'outcome'> & { readonly item: Pick<Result['item'], 'plan'> }): unknown => {
  const failure = 'failure' in outcome ? outcome.failure : getToleratedFailure(outcome.result)
  const failed = failure?.toJSON() ?? {}
  return { ...getObjectFields(plan), outcome: outcome.state, ...failed }
}

/** The options that decide how the results of a run are shown. */
interface View {
  readonly endpoint: Endpoint
  readonly columns: readonly string[]
  readonly lead: { readonly lead?: string }
  /** True if the answer has a row for every object, including those that failed. */
  readonly inline: boolean
  /** The column that names the parent, if the objects belong to several parents. */
  readonly parent: { readonly parent?: string }
}

/** Creates rows from the outcomes of a run, and reports the outcomes that the rows do not show. */
class OutcomeRows {
  readonly #engine: Engine
  readonly #options: BulkOptions
  readonly #view: View
  #reported = 0
  /** True if notes told the outcome of an object, which then has no row. */
  #hasToldByNotes = false

  private constructor(engine: Engine, options: BulkOptions, view: View) {
    this.#engine = engine
    this.#options = options
    this.#view = view
  }

  static async create(
    engine: Engine,
    { known, first }: WorkQueue,
    options: BulkOptions,
  ): Promise<OutcomeRows> {
    if (first === undefined) throw new Failure('internal', 'a run without a plan')
    const endpoint = options.view?.endpoint ?? first.endpoint
    const columns = options.view?.columns ?? (await engine.answer.borrowColumns(endpoint))
    const lead = getLeadColumn(engine.globals.fields ?? columns, known)
    const isOwn = options.toRecord !== undefined
    const parent = first.parent === undefined || isOwn ? {} : { parent: first.parent.column }
    const placed = writes(first.endpoint) || first.parent !== undefined
    const inline = isOwn || (canShowOutcomes(engine.answer) && placed)
    return new OutcomeRows(engine, options, { endpoint, columns, lead, inline, parent })
  }

  /** Yields the rows of the answer, and reports everything else as notes. */
  async *read(results: AsyncIterable<Result>): Rows {
    const { endpoint, columns, lead, inline, parent } = this.#view
    // The first record decides if an extension declares no fields.
    const chosen = columns.length === 0 ? undefined : columns
    const view = {
      endpoint,
      ...this.#options.view,
      columns: lead.lead === undefined ? chosen : chosen && [lead.lead, ...chosen],
      ...parent,
      ...lead,
    }
    let isOpen = false
    for await (const value of this.#yieldValues(results)) {
      if (!isOpen) yield { kind: 'open', many: true, view }
      isOpen = true
      yield { kind: 'value', value }
    }
    if (!isOpen && (!inline || this.#hasToldByNotes)) return
    if (!isOpen) yield { kind: 'open', many: true, view }
    yield { kind: 'end' }
    yield { kind: 'flush' }
  }

  async *#yieldValues(results: AsyncIterable<Result>): AsyncGenerator<unknown> {
    for await (const result of results) {
      this.#tell(result)
      const { outcome, item } = result
      const { toRecord } = this.#options
      if (toRecord !== undefined) {
        yield toRecord(item.plan, outcome)
        continue
      }
      const came = 'result' in outcome ? outcome.result : undefined
      if (came?.reported === true) this.#hasToldByNotes = true
      else if (came !== undefined && !hasNothingToShow(came))
        yield this.#toRow(item.plan, getPrintedValue(came))
      else if (this.#view.inline) yield toOutcomeRecord(result)
    }
  }

  #toRow(plan: Plan, value: unknown): unknown {
    const { answer, globals } = this.#engine
    const isLed =
      answer.reader === 'programs'
        ? globals.fields !== undefined
        : this.#view.lead.lead !== undefined
    return createObjectRow(plan, value, isLed ? 'always' : 'unsaid')
  }

  /** Reports the outcome of one object if the answer does not show it. */
  #tell({ item: { plan }, outcome }: Result): void {
    const { ui } = this.#engine
    if ('failure' in outcome) {
      const inline = this.#view.inline && plan.parent === undefined
      if (!inline && this.#reported++ < maxReported) ui.report(outcome.failure, getObjectName(plan))
      return
    }
    const { result } = outcome
    if (result?.reported === true || this.#options.toRecord !== undefined) return
    const other = result && describeOtherShape(plan, result)
    if (other !== undefined) ui.note(`${getObjectName(plan)}: ${other}`)
    const tolerated = getToleratedFailure(result)
    if (tolerated !== undefined) ui.note(describeTolerated(getObjectName(plan), tolerated))
    else if (outcome.state === 'unchanged')
      ui.note(`${getObjectName(plan)}: ${plan.endpoint.unchanged ?? 'already in this state'}`)
    else if (result !== undefined && hasNothingToShow(result))
      ui.note(`${getObjectName(plan)}: ${describeBareOutcome(plan, result, this.#options)}`)
  }
}

// The progress of an interrupted run: objects that are done, that failed, and whose result is unknown.

/** A list of object names that is short enough to read, and the number of the others. */
class Names {
  readonly #names: string[] = []
  #more = 0

  add(plan: Plan): void {
    if (this.#names.length < maxNamed) this.#names.push(getObjectName(plan))
    else this.#more += 1
  }

  get text(): string {
    const more = this.#more === 0 ? '' : ` and ${this.#more} more`
    return `${this.#names.join(', ')}${more}`
  }
}

class ObjectStates {
  readonly #open = new Set<Plan>()
  readonly #done = new Names()
  readonly #failed = new Names()

  markBegun(plan: Plan): void {
    this.#open.add(plan)
  }

  markSettled({ item: { plan }, outcome }: Result): void {
    this.#open.delete(plan)
    if ('failure' in outcome) this.#failed.add(plan)
    else this.#done.add(plan)
  }

  describe(): string {
    const open = new Names()
    for (const plan of this.#open) if (writes(plan.endpoint)) open.add(plan)
    return [
      `interrupted; finished before that: ${this.#done.text || 'none'}`,
      ...(this.#failed.text === '' ? [] : [`failed: ${this.#failed.text}`]),
      ...(open.text === '' ? [] : [`in progress, so the result is unknown: ${open.text}`]),
    ].join('; ')
  }
}

/** Starts the run, and counts each outcome as it arrives. */
const startBulkRun = async (
  engine: Engine,
  { items, countQueued, getTotal }: WorkQueue,
  states: ObjectStates,
  options: BulkOptions,
  journaled: JournaledRun | undefined,
  record: JournaledRun['record'] | undefined,
): Promise<Run<PlanAnswer, NumberedPlan>> => {
  const send = createSender(engine, options)
  const gate = await engine.getGate()
  const counter = engine.ui.startCounter(getTotal(), () => gate.waiting)
  const { merging } = options
  const going = runWork<PlanAnswer, NumberedPlan>({
    items,
    gate,
    signal: engine.signal,
    failureLimit: engine.globals.maxFailures,
    countQueued,
    record,
    readBefore: journaled && ((item: NumberedPlan) => journaled.readBefore(item)),
    merging: merging && {
      getKey: ({ plan, resumeBy }) => (resumeBy === 'verifying' ? undefined : merging.getKey(plan)),
      send: (due) => merging.send(due.map(({ plan }) => plan)),
    },
    work: async (item) => {
      const { plan } = item
      states.markBegun(plan)
      const sent = journaled?.sendOne(item, plan, send) ?? send(plan)
      const result = await sent.catch(createWithheldHandler(plan))
      return { state: result.unchanged === true ? 'unchanged' : 'done', result }
    },
    onSettled: (settled) => {
      states.markSettled(settled)
      counter.add(1, 'failure' in settled.outcome)
      const total = getTotal()
      if (total !== undefined) counter.setTotal(total)
    },
  })
  going.report.finally(counter.end).catch(() => {})
  return going
}

const describeDuplicates = (count: number): string =>
  count === 1
    ? 'one object was given more than once and is processed once'
    : `${count} objects were given more than once and are processed once`

/**
 * Sends all plans at once after they are recorded in the journal.
 * @returns the record for the run that follows, which does not record the start of these plans again
 */
const sendTogether = async (
  { held = [] }: WorkQueue,
  { sendTogether }: BulkOptions,
  journaled: JournaledRun | undefined,
): Promise<JournaledRun['record'] | undefined> => {
  const record = journaled?.record
  if (sendTogether === undefined) return record
  // Plans whose result is unknown are only read.
  const due = held.filter(({ resumeBy }) => resumeBy !== 'verifying')
  await journaled?.readAllBefore(due)
  const begin = async (item: NumberedPlan) => record?.recordStart(item)
  for await (const _ of mapConcurrent(due, maxConcurrent, begin));
  if (due.length > 0) await sendTogether(due.map(({ plan }) => plan))
  const begun = new Set(due.map(({ n }) => n))
  return (
    record && {
      ...record,
      recordStart: async (item) => (begun.has(item.n) ? undefined : record.recordStart(item)),
    }
  )
}

/** Returns the failure of an input that turned out to be invalid after requests were sent; undefined for any other error. */
const toInputFailure = ({ counts }: Report, lost: unknown): Failure | undefined => {
  const isOfInput = lost instanceof Failure && lost.details.ofInput === true
  if (!isOfInput || lost.category !== 'usage') return undefined
  if (counts.done + counts.unchanged + counts.failed + counts.unknown === 0) return undefined
  return new Failure('partial', `${lost.message}; ${formatOutcomeCounts(counts)} before that`, {
    hint: lost.details.hint,
    cause: lost,
  })
}

/** Returns the failure of a run that wrote, but whose answers can no longer be printed; undefined for any other error. */
const toUnfinishedFailure = (
  { report, journaled }: Pick<FinishedRun, 'report' | 'journaled'>,
  lost: unknown,
): Failure | undefined => {
  const closed = lost instanceof ClosedPipe
  if (!closed && !(lost instanceof Failure && lost.category === 'failed')) return undefined
  const { counts } = report
  const done = counts.done + counts.unchanged
  const failed = counts.failed + counts.unknown
  const left = counts.not_tried
  const texts = [
    `${done} of ${done + failed + left} done`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(left === 0 ? [] : [`${left} not attempted`]),
  ].join(', ')
  if (!closed && lost === journaled?.journal.failure)
    return new Failure(lost.category, `${lost.message}; ${texts}`, lost.details)
  if (!closed) return createUnprintedFailure(lost, texts)
  if (left === 0) return getRunVerdict(report)
  return new Failure('partial', `standard output was closed: ${texts}`)
}

/** A run that has ended, with its report and journal. */
interface FinishedRun {
  readonly engine: Engine
  readonly report: Report
  readonly states: ObjectStates
  readonly journaled: JournaledRun | undefined
  readonly wrote: boolean
  readonly cut: boolean
}

/**
 * Prints how a run ended.
 * @param lost the error that ended the input or the output, if any
 * @throws the failure of the run, if it has one
 */
const endRun = (run: FinishedRun, lost: unknown): void => {
  const { engine, report, states, journaled, wrote, cut } = run
  const { ui, signal } = engine
  const broken = toInputFailure(report, lost)
  const closing = (): void => {
    if (journaled === undefined) return
    const { file, resumeLine } = journaled
    const input = broken === undefined ? 'same' : 'corrected'
    ui.note(
      formatClosingLine(report, { file, resumeLine: resumeLine, cut: cut ? input : undefined }),
    )
  }
  if (report.end === 'interrupted' || signal.aborted) {
    ui.note(states.describe())
    closing()
    throw new Failure('interrupted', 'interrupted')
  }
  closing()
  if (broken !== undefined) throw broken
  const failure = wrote ? toUnfinishedFailure(run, lost) : undefined
  if (failure !== undefined) throw failure
  if (lost !== undefined) throw lost
  const came = getRunVerdict(report)
  const { failed, unknown } = report.counts
  if (journaled === undefined && failed + unknown > report.failures.length)
    ui.note(formatClosingLine(report))
  if (came !== undefined) throw came
}

/** Returns the error that a run ends with when its output can no longer be printed. */
const describeLost = (run: FinishedRun, lost: unknown): unknown => {
  try {
    endRun(run, lost)
    return lost
  } catch (error) {
    return error
  }
}

/**
 * Runs plans, continues after failures, and yields the outcome of each. A consumer that stops early waits for requests in progress.
 * @throws Failure of the run as a whole
 */
export async function* runBulk(
  engine: Engine,
  queue: WorkQueue,
  options: BulkOptions,
  journaled?: JournaledRun,
  leaveOff: () => void = () => {},
): Rows {
  const { first } = queue
  if (first === undefined) return
  const states = new ObjectStates()
  const shown = await OutcomeRows.create(engine, queue, options)
  const record = await sendTogether(queue, options, journaled)
  const going = await startBulkRun(engine, queue, states, options, journaled, record)
  const finish = async (): Promise<FinishedRun> => {
    const report = await going.report
    const cut = queue.isCut?.() ?? false
    leaveOff()
    await journaled?.end(report.end)
    if (queue.countDuplicates() > 0) engine.ui.note(describeDuplicates(queue.countDuplicates()))
    return { engine, report, states, journaled, wrote: writes(first.endpoint), cut }
  }
  let lost: unknown
  let isRead = false
  try {
    yield* shown.read(going)
    isRead = true
  } catch (error) {
    lost = error
    isRead = true
  } finally {
    if (!isRead) {
      const left = await finish()
      engine.report.set((failure) => describeLost(left, failure))
    }
  }
  endRun(await finish(), lost)
}

/** Runs the plans of a command: one object with its answer, or several objects with an outcome each. */
import { writes } from '../../catalogue/endpoint.js'
import { Failure } from '../../errors.js'
import { getConcurrencyLimit } from '../command/globals.js'
import { canShowOutcomes, describeTolerated } from '../command/outcomes.js'
import { resolveDetails, resolveLoss, withReversal } from '../command/reversal.js'
import type { Plan, PlanSource } from '../command/types.js'
import { hasNothingToShow } from '../records/object-rows.js'
import type { PlanAnswer, RecordView } from '../rows.js'
import { createFooterRow, createNoteRow, type Rows, yieldRecord, yieldRecords } from '../rows.js'
import { runWork, type WorkRunner } from '../work/run.js'
import {
  type BulkOptions,
  createSender,
  createUnprintedFailure,
  describeBareOutcome,
  describeOtherShape,
  type Engine,
  getDoneWord,
  getObjectName,
  getToleratedFailure,
  type Keeper,
} from './plan-work.js'

const getView = (plan: Plan, { view }: BulkOptions): RecordView => ({
  endpoint: plan.endpoint,
  columns: plan.endpoint.columns,
  object: writes(plan.endpoint) ? plan.label : undefined,
  ...view,
})

/** Runs `work` for items, at most `width` at once. After an abort, no further item is started. */
const runEach = async <T>(
  items: readonly T[],
  width: number,
  signal: AbortSignal,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> => {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length && !signal.aborted) {
      const index = next++
      const item = items[index]
      if (item !== undefined) await work(item, index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  if (signal.aborted) throw new Failure('interrupted', 'interrupted')
}

/** Confirms plans, and runs a single one or several concurrently. */
export class BulkRunner {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /**
   * Confirms and runs plans, and yields their outcomes.
   * @throws Failure of the run as a whole
   */
  async *runPlans(plans: readonly Plan[], options: BulkOptions = {}): Rows {
    const [only] = plans
    if (only === undefined) return
    const due = plans.filter(({ refused }) => refused === undefined)
    if (due.length > 0) await this.confirm(due, options)
    const isList = this.#engine.listed || options.isList === true || options.toRecord !== undefined
    const single = plans.length === 1 && !isList
    const resumed = this.#engine.getResumed?.()
    const keeps = (due.length > 0 || resumed !== undefined) && options.kept !== false
    const keeper = keeps ? this.#engine.createKeeper?.(only, single, options) : undefined
    if (single && resumed === undefined) return yield* this.#runSingle(only, options, keeper)
    if (keeper !== undefined) {
      const { runJournaled } = await import('./queues.js')
      return yield* runJournaled(this.#engine, await keeper(), plans, options)
    }
    const { createHeldQueue } = await import('../journaling/work-queue.js')
    const { runBulk } = await import('./run-bulk.js')
    yield* runBulk(this.#engine, createHeldQueue(plans), options)
  }

  /** Runs plans like `runPlans`, but plans each object when it arrives. */
  async *stream(source: PlanSource, options: BulkOptions = {}): Rows {
    const { runStream } = await import('./queues.js')
    yield* runStream({
      engine: this.#engine,
      source,
      how: options,
      checkConfirmable: async (plan) => {
        const { ui, explainIrreversible } = this.#engine
        const what = resolveLoss(options)?.what ?? plan.endpoint.destructive
        if (what !== undefined)
          await ui.checkConfirmable(withReversal(what, explainIrreversible(plan)))
      },
      confirm: async (first, count) => void (await this.confirm(first, options, count)),
    })
  }

  /** Runs `work` for items with limited concurrency, and shows the progress. */
  async each<T>(
    items: readonly T[],
    work: (item: T, index: number) => Promise<void>,
  ): Promise<void> {
    const { ui, signal } = this.#engine
    const counter = ui.startCounter(items.length)
    const counted: typeof work = (...item) => work(...item).finally(() => counter.add(1))
    await runEach(items, getConcurrencyLimit(this.#engine.globals), signal, counted).finally(
      counter.end,
    )
  }

  /** Carries out the work of a command on objects, with progress, --max-failures and the gate of the instance. */
  readonly carryOut: WorkRunner = async ({ total, onSettled, ...work }) => {
    const { globals, signal, ui } = this.#engine
    const gate = await this.#engine.getGate()
    const counter = ui.startCounter(total, () => gate.waiting)
    const run = runWork({
      ...work,
      gate,
      signal,
      failureLimit: globals.maxFailures,
      countQueued: () => total,
      onSettled: (settled) => {
        counter.add(1, 'failure' in settled.outcome)
        onSettled?.(settled)
      },
    })
    try {
      for await (const _ of run);
    } finally {
      counter.end()
    }
    return run.report
  }

  /**
   * Asks once for all plans if data would be lost.
   * @param count the number of objects, if the plans are only the first ones
   * @returns true if a confirmation was required
   */
  async confirm(given: readonly Plan[], options: BulkOptions, count?: number): Promise<boolean> {
    const { ui, explainIrreversible } = this.#engine
    const isLosing = ({ endpoint }: Plan): boolean => endpoint.destructive !== undefined
    const loses = resolveLoss(options)
    const what = loses?.what ?? given.find(isLosing)?.endpoint.destructive
    if (what === undefined) return false
    const plans =
      given.length > 1 ? (await import('../journaling/work-queue.js')).removeRepeated(given) : given
    const losing = plans.filter(isLosing)
    const each = loses?.describePlan
    const named = async (): Promise<readonly string[]> =>
      each === undefined
        ? ui.nameObjects(losing.length === 0 ? plans : losing)
        : (await Promise.all(plans.map((plan) => each(plan)))).flat()
    const details = loses?.details ?? named
    if (loses?.noteVerb !== undefined && !ui.interactive)
      for (const line of await resolveDetails(details)) ui.note(`${loses.noteVerb} ${line}`)
    const why = plans.map(explainIrreversible).find((text) => text !== undefined)
    await ui.confirm(withReversal(what, why), details, undefined, count ?? plans.length)
    return true
  }

  async *#runSingle(plan: Plan, options: BulkOptions, keeper: Keeper | undefined): Rows {
    const send = createSender(this.#engine, options)
    const outcome =
      keeper === undefined
        ? await send(plan)
        : await (await import('./single.js')).runJournaledSingle(this.#engine, keeper, plan, send)
    if (writes(plan.endpoint))
      this.#engine.report.set((lost) =>
        lost instanceof Failure
          ? createUnprintedFailure(
              lost,
              `${getObjectName(plan)}: ${getDoneWord(plan, options)} before that`,
            )
          : lost,
      )
    yield* this.#show(plan, outcome, options)
    yield { kind: 'flush' }
  }

  async *#show(plan: Plan, outcome: PlanAnswer, options: BulkOptions): Rows {
    const { answer } = this.#engine
    if (outcome.rows !== undefined) return yield* outcome.rows
    if (outcome.reported === true) return
    if (hasNothingToShow(outcome) && canShowOutcomes(answer)) {
      const { toOutcomeRecord } = await import('./run-bulk.js')
      const state = outcome.unchanged === true ? 'unchanged' : 'done'
      const settled = { state, result: outcome } as const
      yield* yieldRecord(toOutcomeRecord({ item: { plan }, outcome: settled }), options.view)
    }
    const other = describeOtherShape(plan, outcome)
    if (other !== undefined) yield createFooterRow(other)
    const tolerated = getToleratedFailure(outcome)
    if (tolerated !== undefined)
      yield createNoteRow(describeTolerated(getObjectName(plan), tolerated))
    else if (outcome.unchanged === true && hasNothingToShow(outcome))
      yield createNoteRow(
        plan.endpoint.unchanged ?? `${getObjectName(plan)}: already in this state, nothing changed`,
      )
    else if (hasNothingToShow(outcome))
      yield createNoteRow(`${getObjectName(plan)}: ${describeBareOutcome(plan, outcome, options)}`)
    else if (options.present === undefined)
      yield { kind: 'answer', answer: outcome, view: getView(plan, options) }
    else {
      const { records, emit } = options.present(plan, outcome)
      yield* records.length === 1 && emit.people === undefined
        ? yieldRecord(records[0], emit)
        : yieldRecords(records, emit)
    }
  }
}

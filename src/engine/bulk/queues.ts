/** Runs plans from a stream, or plans in memory with a journal. Loaded only when needed, because a single object needs none of it. */
import { mapConcurrent, waitForAbort } from '../../base/async.js'
import { Failure } from '../../errors.js'
import { resolveLoss } from '../command/reversal.js'
import type { Plan, PlanSource } from '../command/types.js'
import { readSeenObjects, readWork, type Spool, startSpool } from '../journal/objects.js'
import type { JournaledRun } from '../journaling/journaled-run.js'
import type { UnfinishedRun } from '../journaling/runs.js'
import {
  createArrivingQueue,
  createQueue,
  Deduplicator,
  getPlanPlace,
  type NumberedPlan,
  toQueuedItem,
  type WorkQueue,
} from '../journaling/work-queue.js'
import { createNoteRow, type Rows } from '../rows.js'
import { type GivenObject, type Item, maxNamed } from '../work/report.js'
import { SeenObjects } from '../work/seen-objects.js'
import { type BulkOptions, checkPlannedState, type Engine } from './plan-work.js'
import { runBulk } from './run-bulk.js'

// Streams of which the first items have been read already.

/** Yields the first items and then the others. A consumer that stops early closes the stream. */
async function* yieldFirstThenRest<T>(
  first: readonly T[],
  others: AsyncIterator<T>,
): AsyncGenerator<T> {
  try {
    yield* first
    for (let step = await others.next(); step.done !== true; step = await others.next())
      yield step.value
  } finally {
    await others.return?.()
  }
}

/** Reads the first items of a stream, at most `most`. */
const takeFirst = async <T>(some: AsyncIterator<T>, most: number): Promise<T[]> => {
  const first: T[] = []
  while (first.length < most) {
    const step = await some.next()
    if (step.done === true) break
    first.push(step.value)
  }
  return first
}

/** The parts of the engine that a run over a stream of objects needs. */
interface StreamContext {
  readonly engine: Engine
  readonly source: PlanSource
  readonly how: BulkOptions
  /** Fails if the run must be confirmed and there is no terminal. Called before the stream is read. */
  readonly checkConfirmable: (first: Plan) => Promise<void>
  /** Asks for confirmation before data is lost. It shows the first plans and the number of all. */
  readonly confirm: (first: readonly Plan[], count: number) => Promise<void>
}

const isDestructive = ({ endpoint }: Plan, options: BulkOptions): boolean =>
  resolveLoss(options) !== undefined || endpoint.destructive !== undefined

/** True if all objects must be read before the first one is processed. */
const mustWaitForAll = (first: Plan, { how, source }: StreamContext): boolean =>
  isDestructive(first, how) || source.confirm !== undefined || source.whole === true

/** Waits until the input is read to its end. An interruption ends the wait. */
const waitForInput = async ({ ended }: Spool, signal: AbortSignal): Promise<void> => {
  await Promise.race([ended, waitForAbort(signal)])
  if (signal.aborted) throw new Failure('interrupted', 'interrupted')
}

async function* planItems(
  items: AsyncIterable<Item>,
  { engine, source }: StreamContext,
): AsyncGenerator<NumberedPlan> {
  yield* mapConcurrent(items, source.width ?? 1, async (item) => ({
    plan: await checkPlannedState(engine, item, await source.planOf(item)),
    ...item,
  }))
}

/** The objects of a journal, and what is known about them. */
interface Work {
  readonly items: AsyncIterable<Item>
  readonly first: Plan
  readonly spooled: Spool | undefined
  /** The number of objects that an earlier run left, without those that are still being read. */
  readonly left: number
  /** True if the input of the interrupted run was cut and is not given again. */
  readonly cut?: boolean
}

const createStreamQueue = (
  streaming: StreamContext,
  { items, first, spooled, left, cut }: Work,
): WorkQueue => {
  const queued = (): number =>
    spooled === undefined ? left : spooled.countQueued() - spooled.before + left
  return {
    items: planItems(items, streaming),
    first,
    known: [first],
    getTotal: () => (spooled?.isOpen() === true ? undefined : queued()),
    countQueued: queued,
    countDuplicates: () => spooled?.countDuplicates() ?? 0,
    isCut: () => (spooled === undefined ? cut === true : !spooled.isWhole()),
  }
}

/** Asks for confirmation before anything is sent. */
const confirmObjects = async (
  { source, confirm, how }: StreamContext,
  first: readonly GivenObject[],
  count: number,
): Promise<void> => {
  await source.confirm?.(count)
  const plans: Plan[] = []
  for (const object of first) plans.push(await source.planOf(object))
  const [one] = plans
  if (one !== undefined && isDestructive(one, how)) await confirm(plans, count)
}

/** Does work, and cleans up if it fails: a run that is not confirmed leaves no journal, and a stream may hold a file. */
const cleanUpOnFailure = async <T>(cleanUp: () => unknown, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    await cleanUp()
    throw error
  }
}

async function* runKept(
  streaming: StreamContext,
  journaled: JournaledRun,
  first: Plan,
  objects: AsyncIterable<GivenObject>,
): Rows {
  const { engine, how } = streaming
  const spooled = journaled.spool(objects)
  try {
    if (mustWaitForAll(first, streaming))
      await cleanUpOnFailure(
        () => journaled.discard(),
        async () => {
          await waitForInput(spooled, engine.signal)
          await confirmObjects(streaming, spooled.first, spooled.countQueued())
        },
      )
    const items = readWork(journaled.journal, spooled)
    const queue = createStreamQueue(streaming, { items, first, spooled, left: 0 })
    yield* runBulk(engine, queue, how, journaled, spooled.stop)
  } finally {
    spooled.stop()
    await journaled.end('stopped')
  }
}

/** Resumes the objects of a journal, and those that a cut input did not record yet. */
async function* resumeStream(streaming: StreamContext, resumed: UnfinishedRun): Rows {
  const { engine, how, source } = streaming
  const { journal, again, getStep, past } = resumed
  const spooled = again
    ? startSpool(journal, source.objects, await readSeenObjects(journal))
    : undefined
  if (spooled !== undefined) await waitForInput(spooled, engine.signal)
  const items = readWork(journal, spooled, getStep)
  const head = await takeFirst(items, maxNamed)
  const [one] = head
  if (one === undefined) return yield createNoteRow('nothing is left to do')
  const first = await source.planOf(one)
  const journaled = await engine.createKeeper?.(first, false)?.()
  if (journaled === undefined) throw new Failure('internal', 'a run without its journal')
  const { counts } = past
  const left = counts.failed + counts.unknown + counts.not_tried
  const queue = createStreamQueue(streaming, {
    items: yieldFirstThenRest(head, items),
    first,
    spooled,
    left,
    cut: past.total === undefined,
  })
  yield* runQueue(engine, journaled, how, async () => {
    if (mustWaitForAll(first, streaming))
      await cleanUpOnFailure(
        () => journaled.discard(),
        () => confirmObjects(streaming, head, queue.countQueued()),
      )
    return queue
  })
}

/** Runs objects without a journal. They wait in memory, by name. */
async function* runWaited(
  streaming: StreamContext,
  first: Plan,
  objects: AsyncIterable<GivenObject>,
): Rows {
  const { engine, how, source } = streaming
  const waiting: GivenObject[] = []
  for await (const { object, parent, row, identity } of objects)
    waiting.push({ object, parent, row, identity })
  const seen = new SeenObjects()
  const distinct = waiting.filter((one) => seen.add(one))
  await confirmObjects(streaming, distinct.slice(0, maxNamed), distinct.length)
  yield* runBulk(engine, createArrivingQueue(first, waiting, source), how)
}

/** Runs the plans of a stream and yields the outcome of each. */
export async function* runStream(streaming: StreamContext): Rows {
  const { engine, source, how, checkConfirmable } = streaming
  const resumed = engine.getResumed?.()
  if (resumed !== undefined) return yield* resumeStream(streaming, resumed)
  const objects = source.objects[Symbol.asyncIterator]()
  const [one] = await takeFirst(objects, 1)
  if (one === undefined) return yield* engine.endEmptyShard()
  const first = await cleanUpOnFailure(
    () => objects.return?.(),
    async () => {
      const plan = await source.planOf(one)
      await checkConfirmable(plan)
      const { known } = source
      if (known !== undefined && mustWaitForAll(plan, streaming))
        await confirmObjects(streaming, known.first, known.count)
      return plan
    },
  )
  const all = yieldFirstThenRest([one], objects)
  const keeper = engine.createKeeper?.(first, false, how)
  const { known } = source
  if (keeper !== undefined && known !== undefined) {
    const journaled = await keeper()
    yield* runQueue(engine, journaled, how, async () => {
      await journaled.writeObjects(known.readAgain())
      return createArrivingQueue(first, all, source)
    })
  } else if (keeper !== undefined) yield* runKept(streaming, await keeper(), first, all)
  else if (known === undefined && mustWaitForAll(first, streaming))
    yield* runWaited(streaming, first, all)
  else yield* runBulk(engine, createArrivingQueue(first, all, source), how)
}

// Plans in memory that are recorded in a journal.

const toNumberedPlan = (plan: Plan, item: Item): NumberedPlan => ({ plan, ...item })

const addNewPlans = async (
  journaled: JournaledRun,
  plans: readonly Plan[],
): Promise<readonly NumberedPlan[]> => {
  const last = journaled.journal.states.last
  await journaled.writeObjects(plans.map(toQueuedItem))
  return plans.map((plan, i) => toNumberedPlan(plan, { n: last + 1 + i, ...getPlanPlace(plan) }))
}

/** Finds the plans that are left to do. If the input was cut, it also adds those that the journal does not have. */
const findItemsLeft = async (
  engine: Engine,
  journaled: JournaledRun,
  plans: readonly Plan[],
): Promise<readonly NumberedPlan[]> => {
  const left = await journaled.loadRemaining()
  const again = journaled.resumed?.again === true
  const seen = again ? await readSeenObjects(journaled.journal) : undefined
  const [known, others]: [NumberedPlan[], Plan[]] = [[], []]
  for (const plan of plans) {
    const item = left(getPlanPlace(plan))
    if (item !== undefined)
      known.push(toNumberedPlan(await checkPlannedState(engine, item, plan), item))
    else if (seen?.add(getPlanPlace(plan)) === true) others.push(plan)
  }
  return again ? [...known, ...(await addNewPlans(journaled, others))] : known
}

const queueIn = async (
  engine: Engine,
  journaled: JournaledRun,
  plans: readonly Plan[],
): Promise<WorkQueue> => {
  const once = new Deduplicator()
  const own = plans.filter((plan) => once.add(plan))
  const items =
    journaled.resumed === undefined
      ? await addNewPlans(journaled, own)
      : await findItemsLeft(engine, journaled, own)
  return createQueue(items, once.duplicates)
}

/** Runs the queue of a run with a journal. */
async function* runQueue(
  engine: Engine,
  journaled: JournaledRun,
  options: BulkOptions,
  open: () => Promise<WorkQueue>,
): Rows {
  try {
    yield* runBulk(engine, await open(), options, journaled)
  } finally {
    // If the journal was not ended yet, an error ended the run.
    await journaled.end('stopped')
  }
}

/** Runs confirmed plans and records each before and after it is sent. */
export const runJournaled = (
  engine: Engine,
  journaled: JournaledRun,
  plans: readonly Plan[],
  options: BulkOptions,
): Rows => runQueue(engine, journaled, options, () => queueIn(engine, journaled, plans))

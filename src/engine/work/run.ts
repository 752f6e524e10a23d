/**
 * Runs work for many objects at once and yields the outcomes in the order of the objects. A window limits how far the
 * work runs ahead, so that neither a long input nor a slow reader makes memory grow.
 */
import { Failure, isInterruption } from '../../errors.js'
import type { Listener } from '../../http/gate.js'
import {
  Breaker,
  type End,
  type FailureLimit,
  type Item,
  type ItemOutcome,
  type Outcome,
  OutcomeCounter,
  type Report,
  toOutcome,
  toPatienceFailure,
} from './report.js'

// Merging objects that one request can process.

/** An object with its position in the run. */
interface IndexedItem<I> {
  readonly place: number
  readonly item: I
}

/** Options for merging objects into one request. */
interface MergeOptions<I> {
  /** Returns a key that is equal for objects of one request; undefined for an object with a request of its own. */
  readonly getKey: (item: I) => string | undefined
  /** Sends the request for all objects, before each of them is processed. */
  readonly send: (items: readonly I[]) => Promise<void>
}

/**
 * The maximum number of objects in one request: an instance limits the length of a request and the time for its answer.
 */
const maxMerged = 100

/** The maximum number of merged requests at once; each keeps a hundred objects in memory. */
const maxGroups = 4

/** The maximum number of later objects after which an incomplete group is sent. */
const maxAhead = 4_000

/**
 * Groups objects by key. Yields a group when it is full, or when its oldest object has waited for `maxAhead` others.
 */
export async function* groupMergeable<I>(
  items: AsyncIterable<I>,
  getKey: MergeOptions<I>['getKey'],
): AsyncGenerator<readonly IndexedItem<I>[]> {
  const open = new Map<string, IndexedItem<I>[]>()
  let place = 0
  for await (const item of items) {
    const placed = { place, item }
    place += 1
    const key = getKey(item)
    if (key === undefined) {
      yield [placed]
      continue
    }
    const group = open.get(key) ?? []
    group.push(placed)
    if (group.length < maxMerged) open.set(key, group)
    else {
      open.delete(key)
      yield group
    }
    const [oldest] = open
    if (oldest === undefined || place - (oldest[1][0]?.place ?? 0) < maxAhead) continue
    open.delete(oldest[0])
    yield oldest[1]
  }
  yield* open.values()
}

/** Records the objects of a run (`journal/run-record.ts`). An object is only sent after its start was recorded. */
export interface RunRecord<R> {
  /** Resolves when the start of an object is recorded. */
  recordStart(item: Item): Promise<void>
  recordOutcome(item: Item, outcome: Outcome<R>): Promise<void>
}

export interface WorkOptions<R, I extends Item = Item> {
  readonly items: AsyncIterable<I>
  /** Processes one object. A failure that it throws becomes the object's outcome. */
  readonly work: (item: I) => Promise<Outcome<R>>
  /** Limits how many objects are processed at once, and reports attempts. */
  readonly gate: { readonly width: number; listen?(listener: Listener): () => void }
  readonly signal: AbortSignal
  readonly record?: RunRecord<R>
  /** Reads an object before its start is recorded. */
  readonly readBefore?: (item: I) => Promise<void>
  /** Options for one request for several objects; it is sent after the start of all of them was recorded. */
  readonly merging?: MergeOptions<I>
  readonly failureLimit?: FailureLimit
  /** Returns the number of objects that are known so far, processed or not. */
  readonly countQueued?: () => number
  /** Receives each outcome at once, in any order. */
  readonly onSettled?: (settled: ItemOutcome<R, I>) => void
}

/** Work of a command on objects that are no actions of its line. */
export interface ObjectWork<R, I extends Item = Item>
  extends Pick<WorkOptions<R, I>, 'items' | 'work' | 'record' | 'onSettled'> {
  /** The number of objects. */
  readonly total: number
}

/** Carries out such work within the limits of a line. */
export type WorkRunner = <R, I extends Item>(work: ObjectWork<R, I>) => Promise<Report>

/** A run whose outcomes can be read once, in order. Ending the iteration early stops it. */
export interface Run<R, I extends Item = Item> extends AsyncIterable<ItemOutcome<R, I>> {
  /** Resolves when everything that was started has ended; the outcomes must be read for that. */
  readonly report: Promise<Report>
}

/** The maximum distance between the first and the last object in progress, as a multiple of the width. */
const windowFactor = 4

/** Runs work for several objects at once; usually there is only one. */
const runTogether = <T>(some: readonly T[], work: (one: T) => Promise<void>): Promise<unknown> => {
  const [only] = some
  return some.length === 1 && only !== undefined ? work(only) : Promise.all(some.map(work))
}

/** Waits until both promises are settled, and ignores a rejection of the second. */
const waitForBoth = async (first: Promise<void>, second: Promise<void>): Promise<void> => {
  const ended = second.catch(() => {})
  await first
  await ended
}

/**
 * The promise of a run's report. It is always settled, by the report or by an error, so that no reader waits forever.
 */
class ReportPromise {
  readonly report: Promise<Report>
  #resolve: (report: Report) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor() {
    this.report = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // A defect also ends the iteration over the outcomes, where it is reported.
    this.report.catch(() => {})
  }

  /**
   * Resolves with the created report.
   * @throws the error of `create`
   */
  settle(create: () => Report): void {
    try {
      this.#resolve(create())
    } catch (error) {
      this.#reject(error)
      throw error
    }
  }
}

class RunEngine<R, I extends Item> {
  readonly #options: WorkOptions<R, I>
  readonly #reported: ReportPromise
  readonly #items: AsyncIterator<I>
  /** The objects of each request, which is one unless requests can be merged. */
  readonly #groups: AsyncIterator<readonly IndexedItem<I>[]>
  readonly #breaker = new Breaker()
  readonly #counter = new OutcomeCounter()
  /** Settled outcomes that were not yielded yet, by the order of their start. */
  readonly #known = new Map<number, ItemOutcome<R, I> | undefined>()
  #started = 0
  #yielded = 0
  #underWay = 0
  #pulling = false
  #ended = false
  #stopped = false
  #tooMany = false
  #cause: Failure | undefined
  #defect: { readonly error: unknown } | undefined
  #lastRead: Promise<void> = Promise.resolve()
  /** Ends the wait for a change; undefined while nobody waits. */
  #wake: (() => void) | undefined

  constructor(options: WorkOptions<R, I>, reported: ReportPromise) {
    const { items, merging } = options
    this.#options = options
    this.#reported = reported
    this.#items = items[Symbol.asyncIterator]()
    const others = { [Symbol.asyncIterator]: () => this.#items }
    this.#groups = groupMergeable(others, merging?.getKey ?? (() => undefined))
  }

  /** Yields the outcomes in the order of the objects. The work only proceeds while they are read. */
  async *yieldOutcomes(): AsyncGenerator<ItemOutcome<R, I>> {
    const { gate, signal } = this.#options
    let leaveOff: (() => void) | undefined
    const wake = (): void => this.#continueRun()
    signal.addEventListener('abort', wake)
    try {
      leaveOff = gate.listen?.({
        onResult: (came) => this.#breaker.countAttempt(came),
        getRefusal: () => this.#breaker.cause,
      })
      while (await this.#waitForNext()) {
        const settled = this.#known.get(this.#yielded)
        this.#known.delete(this.#yielded)
        this.#yielded += 1
        if (settled !== undefined) yield settled
      }
    } finally {
      this.#stopped = true
      while (this.#underWay > 0) await this.#waitForChange()
      signal.removeEventListener('abort', wake)
      leaveOff?.()
      // An input that never yields another object must not delay the end.
      this.#items.return?.()?.catch(() => {})
      this.#reported.settle(() => this.#createReport())
    }
    if (this.#defect !== undefined) throw this.#defect.error
  }

  /** Resolves to true when the next outcome is known, or to false when there is none left. */
  async #waitForNext(): Promise<boolean> {
    for (;;) {
      this.#fill()
      if (this.#known.has(this.#yielded)) return true
      if (this.#underWay === 0 && (this.#ended || this.#isOver())) return false
      await this.#waitForChange()
    }
  }

  /** Starts work as long as the gate and the window have room. */
  #fill(): void {
    if (this.#pulling || this.#ended || this.#isOver()) return
    if (this.#underWay >= this.#width || this.#started - this.#yielded >= this.#window) return
    this.#pulling = true
    this.#pull().then(
      (due) => {
        this.#pulling = false
        if (due === undefined) this.#ended = true
        else if (!this.#isOver()) void this.#start(due)
        this.#continueRun()
      },
      (error: unknown) => {
        this.#pulling = false
        this.#fail(error)
        this.#continueRun()
      },
    )
  }

  /** The maximum number of requests at once. */
  get #width(): number {
    const { gate, merging } = this.#options
    return merging === undefined ? gate.width : Math.min(gate.width, maxGroups)
  }

  /** The maximum distance between the first and the last object in progress. */
  get #window(): number {
    return this.#options.merging === undefined
      ? windowFactor * this.#width
      : maxAhead + windowFactor * maxMerged
  }

  /** Returns the next object, or the objects of the next merged request; undefined at the end. */
  async #pull(): Promise<readonly IndexedItem<I>[] | undefined> {
    const step = await this.#groups.next()
    return step.done === true ? undefined : step.value
  }

  /** Processes the objects of one request, from recording their start to recording their outcomes. */
  async #start(due: readonly IndexedItem<I>[]): Promise<void> {
    this.#started += due.length
    this.#underWay += 1
    let looked = false
    try {
      await this.#readBefore(due)
      looked = true
      await this.#begin(due)
      await runTogether(due, (one) => this.#processOne(one))
    } catch (error) {
      for (const { place } of due) this.#markLost(place, error, looked)
    }
    this.#underWay -= 1
    this.#continueRun()
  }

  /**
   * Handles an object without an outcome.
   * @param looked false if nothing of the object was recorded or sent yet: after an interruption it counts as not
   * attempted
   */
  #markLost(place: number, error: unknown, looked: boolean): void {
    this.#known.set(place, undefined)
    if (!isInterruption(error)) this.#fail(error)
    else if (looked) this.#counter.addLost()
  }

  async #readBefore(due: readonly IndexedItem<I>[]): Promise<void> {
    const { readBefore } = this.#options
    if (readBefore !== undefined)
      await runTogether(due, ({ item }) => this.#keepOrder(readBefore(item)))
  }

  async #begin(due: readonly IndexedItem<I>[]): Promise<void> {
    const { record, merging } = this.#options
    if (record !== undefined) await runTogether(due, ({ item }) => record.recordStart(item))
    if (due.length > 1) await merging?.send(due.map(({ item }) => item))
  }

  async #processOne({ place, item }: IndexedItem<I>): Promise<void> {
    const { record, onSettled } = this.#options
    try {
      const outcome = await this.#options.work(item).catch(toOutcome)
      const settled = { item, outcome }
      this.#countOutcome(settled)
      // The outcome is yielded even if it could not be recorded.
      await record
        ?.recordOutcome(item, settled.outcome)
        .catch((error: unknown) => this.#fail(error))
      onSettled?.(settled)
      this.#known.set(place, settled)
    } catch (error) {
      this.#markLost(place, error, true)
    }
  }

  /** Starts are recorded in the order of the objects, however long each read takes. */
  async #keepOrder(looked: Promise<void>): Promise<void> {
    this.#lastRead = waitForBoth(this.#lastRead, looked)
    await this.#lastRead
    await looked
  }

  #countOutcome(settled: ItemOutcome<R, I>): void {
    const { outcome } = settled
    const failure = 'failure' in outcome ? outcome.failure : undefined
    this.#counter.add(settled)
    this.#breaker.countOutcome(failure)
    const gated = this.#options.gate.listen !== undefined
    const tired = gated && failure !== undefined ? toPatienceFailure(failure) : undefined
    this.#cause ??= this.#breaker.cause ?? tired
    if (this.#counter.exceeds(this.#options.failureLimit)) this.#tooMany = true
  }

  #isOver(): boolean {
    return (
      this.#stopped ||
      this.#tooMany ||
      this.#cause !== undefined ||
      this.#breaker.cause !== undefined ||
      this.#defect !== undefined ||
      this.#options.signal.aborted
    )
  }

  #fail(error: unknown): void {
    if (!isInterruption(error)) this.#defect ??= { error }
  }

  #continueRun(): void {
    this.#wake?.()
    this.#wake = undefined
    this.#fill()
  }

  #waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #createReport(): Report {
    const { signal, countQueued } = this.#options
    const counts = this.#counter.count(Math.max(countQueued?.() ?? 0, this.#started))
    const cause = this.#cause ?? this.#breaker.cause
    const open = counts.not_tried > 0 || !this.#ended
    const end: End = signal.aborted ? 'interrupted' : open ? 'stopped' : 'completed'
    const stoppedBy = end === 'stopped' ? cause : undefined
    const { failures, alike, mayHelp } = this.#counter
    return { end, counts, failures, alike, mayHelp, cause: stoppedBy, tooMany: this.#tooMany }
  }
}

/**
 * Runs work for many objects. The work only proceeds while the outcomes are read.
 * @throws an error that concerns more than one object: the record cannot be written, the input fails, or a defect
 */
export const runWork = <R, I extends Item = Item>(options: WorkOptions<R, I>): Run<R, I> => {
  const reported = new ReportPromise()
  const engine = new RunEngine(options, reported)
  return { report: reported.report, [Symbol.asyncIterator]: () => engine.yieldOutcomes() }
}

/** @throws Failure if a run was interrupted, or stopped itself */
export const checkEnd = ({ end, cause }: Report): void => {
  if (end === 'interrupted') throw new Failure('interrupted', 'interrupted')
  if (cause !== undefined) throw cause
}

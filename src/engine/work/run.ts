/**
 * The engine: one piece of work for each of many objects, as many at once as the gate has room for,
 * each outcome handed on in its place. What is not yet due waits in a window, so that neither a long
 * input nor a slow reader makes memory grow.
 */
import { Failure } from '../../errors.js'
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

// Objects that one request does together, taken from those of a run as they come.

/** An object with its place among the others of its run. */
interface IndexedItem<I> {
  readonly place: number
  readonly item: I
}

/** The options that say which objects go as one request, and how that is sent. */
interface MergeOptions<I> {
  /** Returns an equal key for objects that go together; undefined for one that goes alone. */
  readonly keyOf: (item: I) => string | undefined
  /** Sends what does all of them, before each of them is worked on. */
  readonly send: (items: readonly I[]) => Promise<void>
}

/** At most so many go as one request: an instance limits the length of a request and the time for its answer. */
const maxMerged = 100

/** The number of such requests that are under way at once: each is a hundred objects in memory. */
const maxGroups = 4

/** The number of others that come at most before an object goes with those that there are. */
const maxAhead = 4_000

/** Groups in the order in which they are full; those that are not, once one of them waited long enough. */
export async function* groupMergeable<I>(
  items: AsyncIterable<I>,
  keyOf: MergeOptions<I>['keyOf'],
): AsyncGenerator<readonly IndexedItem<I>[]> {
  const open = new Map<string, IndexedItem<I>[]>()
  let place = 0
  for await (const item of items) {
    const placed = { place, item }
    place += 1
    const key = keyOf(item)
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

/** The record of a run: nothing is sent of which it does not know. */
export interface RunRecord<R> {
  /** Resolves when it is written that an object is begun. */
  begun(item: Item): Promise<void>
  settled(item: Item, outcome: Outcome<R>): Promise<void>
}

export interface EngineOptions<R, I extends Item = Item> {
  readonly items: AsyncIterable<I>
  /** Does one; a Failure it throws is the object's outcome. */
  readonly work: (item: I) => Promise<Outcome<R>>
  /** The gate that the work passes. */
  readonly gate: { readonly width: number; listen?(listener: Listener): () => void }
  readonly signal: AbortSignal
  readonly record?: RunRecord<R>
  /** Looks at an object before it is on record as begun. */
  readonly look?: (item: I) => Promise<void>
  /** The options of one request for several objects, which is sent once all of these are on record. */
  readonly merging?: MergeOptions<I>
  readonly failureLimit?: FailureLimit
  /** Returns the number of objects that are known of by now, tried or not. */
  readonly queued?: () => number
  /** Takes each outcome as it becomes known, in whichever order. */
  readonly onSettled?: (settled: ItemOutcome<R, I>) => void
}

/** A run under way: its outcomes in order, to be read once; leaving off stops it. */
export interface Run<R, I extends Item = Item> extends AsyncIterable<ItemOutcome<R, I>> {
  /** When everything that was begun has come to its end; needs the outcomes to be read. */
  readonly report: Promise<Report>
}

/** The most that may lie between the first object under way and the last, as a multiple of the width. */
const windows = 4

const isInterruption = (error: unknown): boolean =>
  error instanceof Failure && error.category === 'interrupted'

/** Does work for each of some objects at once; mostly there is one. */
const runTogether = async <T>(
  some: readonly T[],
  work: (one: T) => Promise<void>,
): Promise<void> => {
  const [only] = some
  if (some.length === 1 && only !== undefined) await work(only)
  else await Promise.all(some.map(work))
}

/** Waits until both have ended, however the second did. */
const waitForBoth = async (first: Promise<void>, second: Promise<void>): Promise<void> => {
  const ended = second.catch(() => {})
  await first
  await ended
}

/** The report of a run, which is settled once, by whatever its making comes to: a report that stays open would keep its reader waiting. */
class ReportPromise {
  readonly report: Promise<Report>
  #resolve: (report: Report) => void = () => {}
  #reject: (error: unknown) => void = () => {}

  constructor() {
    this.report = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // A defect ends the reading of the outcomes as well, and is known from there.
    this.report.catch(() => {})
  }

  /** @throws whatever `create` throws */
  settle(create: () => Report): void {
    try {
      this.#resolve(create())
    } catch (error) {
      this.#reject(error)
      throw error
    }
  }
}

class Engine<R, I extends Item> {
  readonly #options: EngineOptions<R, I>
  readonly #reported: ReportPromise
  readonly #items: AsyncIterator<I>
  readonly #groups: AsyncIterator<readonly IndexedItem<I>[]> | undefined
  readonly #breaker = new Breaker()
  readonly #counter = new OutcomeCounter()
  /** By place in the order of starts: settled, and not handed on yet. */
  readonly #known = new Map<number, ItemOutcome<R, I> | undefined>()
  #pulled = 0
  #started = 0
  #given = 0
  #underWay = 0
  #pulling = false
  #ended = false
  #stopped = false
  #tooMany = false
  #cause: Failure | undefined
  #defect: { readonly error: unknown } | undefined
  #lastLooked: Promise<void> = Promise.resolve()
  #wake: () => void = () => {}

  constructor(options: EngineOptions<R, I>, reported: ReportPromise) {
    const { items, merging } = options
    this.#options = options
    this.#reported = reported
    this.#items = items[Symbol.asyncIterator]()
    const others = { [Symbol.asyncIterator]: () => this.#items }
    this.#groups = merging && groupMergeable(others, merging.keyOf)
  }

  /** The outcomes in the order of the objects; reading them is what drives the work. */
  async *outcomes(): AsyncGenerator<ItemOutcome<R, I>> {
    const { gate, signal } = this.#options
    let leaveOff: (() => void) | undefined
    const stir = (): void => this.#stir()
    signal.addEventListener('abort', stir)
    try {
      leaveOff = gate.listen?.({
        came: (came) => this.#breaker.came(came),
        refusal: () => this.#breaker.cause,
      })
      while (await this.#nextKnown()) {
        const settled = this.#known.get(this.#given)
        this.#known.delete(this.#given)
        this.#given += 1
        if (settled !== undefined) yield settled
      }
    } finally {
      this.#stopped = true
      while (this.#underWay > 0) await this.#change()
      signal.removeEventListener('abort', stir)
      leaveOff?.()
      // Nobody waits for an input that may never give another object.
      this.#items.return?.()?.catch(() => {})
      this.#reported.settle(() => this.#report())
    }
    if (this.#defect !== undefined) throw this.#defect.error
  }

  /** Resolves to true once the next outcome is known, and to false once there will be none. */
  async #nextKnown(): Promise<boolean> {
    for (;;) {
      this.#fill()
      if (this.#known.has(this.#given)) return true
      if (this.#underWay === 0 && (this.#ended || this.#isOver())) return false
      await this.#change()
    }
  }

  /** Starts what there is room for. */
  #fill(): void {
    if (this.#pulling || this.#ended || this.#isOver()) return
    if (this.#underWay >= this.#width || this.#started - this.#given >= this.#window) return
    this.#pulling = true
    this.#next().then(
      (due) => {
        this.#pulling = false
        if (due === undefined) this.#ended = true
        else if (!this.#isOver()) void this.#start(due)
        this.#stir()
      },
      (error: unknown) => {
        this.#pulling = false
        this.#fail(error)
        this.#stir()
      },
    )
  }

  /** Returns the number of requests that are under way at once. */
  get #width(): number {
    const { width } = this.#options.gate
    return this.#groups === undefined ? width : Math.min(width, maxGroups)
  }

  /** Returns the number of objects that lie at most between the first under way and the last. */
  get #window(): number {
    return this.#groups === undefined ? windows * this.#width : maxAhead + windows * maxMerged
  }

  /** Returns what is done next: one object, or those of one request; undefined if there is nothing more. */
  async #next(): Promise<readonly IndexedItem<I>[] | undefined> {
    if (this.#groups !== undefined) {
      const step = await this.#groups.next()
      return step.done === true ? undefined : step.value
    }
    const step = await this.#items.next()
    return step.done === true ? undefined : [{ place: this.#pulled++, item: step.value }]
  }

  /** The objects of one request, from their beginning on record to their outcomes on record. */
  async #start(due: readonly IndexedItem<I>[]): Promise<void> {
    this.#started += due.length
    this.#underWay += 1
    let looked = false
    try {
      await this.#look(due)
      looked = true
      await this.#begin(due)
      await runTogether(due, (one) => this.#one(one))
    } catch (error) {
      for (const { place } of due) this.#lose(place, error, looked)
    }
    this.#underWay -= 1
    this.#stir()
  }

  /** @param looked false where nothing of the object was on record or sent yet: interrupted then, it was not attempted */
  #lose(place: number, error: unknown, looked: boolean): void {
    this.#known.set(place, undefined)
    if (!isInterruption(error)) this.#fail(error)
    else if (looked) this.#counter.lost()
  }

  async #look(due: readonly IndexedItem<I>[]): Promise<void> {
    const { look } = this.#options
    if (look !== undefined) await runTogether(due, ({ item }) => this.#inTurn(look(item)))
  }

  async #begin(due: readonly IndexedItem<I>[]): Promise<void> {
    const { record, merging } = this.#options
    if (record !== undefined) await runTogether(due, ({ item }) => record.begun(item))
    if (due.length > 1) await merging?.send(due.map(({ item }) => item))
  }

  async #one({ place, item }: IndexedItem<I>): Promise<void> {
    const { record, onSettled } = this.#options
    try {
      const settled = { item, outcome: await this.#outcome(item) }
      this.#judge(settled)
      // What was done is told of, also where it can be recorded no more.
      await record?.settled(item, settled.outcome).catch((error: unknown) => this.#fail(error))
      onSettled?.(settled)
      this.#known.set(place, settled)
    } catch (error) {
      this.#lose(place, error, true)
    }
  }

  async #outcome(item: I): Promise<Outcome<R>> {
    try {
      return await this.#options.work(item)
    } catch (error) {
      return toOutcome(error)
    }
  }

  /** Objects are begun in their order, however long it takes to look at each. */
  async #inTurn(looked: Promise<void>): Promise<void> {
    this.#lastLooked = waitForBoth(this.#lastLooked, looked)
    await this.#lastLooked
    await looked
  }

  #judge(settled: ItemOutcome<R, I>): void {
    const { outcome } = settled
    const failure = 'failure' in outcome ? outcome.failure : undefined
    this.#counter.add(settled)
    this.#breaker.observe(failure)
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

  #stir(): void {
    this.#wake()
    this.#fill()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #report(): Report {
    const { signal, queued } = this.#options
    const counts = this.#counter.counts(Math.max(queued?.() ?? 0, this.#started))
    const cause = this.#cause ?? this.#breaker.cause
    const open = counts.not_tried > 0 || !this.#ended
    const end: End = signal.aborted ? 'interrupted' : open ? 'stopped' : 'completed'
    const stoppedBy = end === 'stopped' ? cause : undefined
    const { failures, alike, mayHelp } = this.#counter
    return { end, counts, failures, alike, mayHelp, cause: stoppedBy, tooMany: this.#tooMany }
  }
}

/**
 * Works on many objects. Reading the outcomes is what drives it.
 * @throws what is no object's own: where the record cannot be kept, the input breaks, or a defect
 */
export const run = <R, I extends Item = Item>(options: EngineOptions<R, I>): Run<R, I> => {
  const reported = new ReportPromise()
  const engine = new Engine(options, reported)
  return { report: reported.report, [Symbol.asyncIterator]: () => engine.outcomes() }
}

/**
 * The engine: one piece of work for each of many objects, as many at once as the gate has room for,
 * each outcome handed on in its place. What is not yet due waits in a window, so that neither a long
 * input nor a slow reader makes memory grow.
 */
import { Failure } from '../../errors.js'
import type { Listener } from '../../http/gate/gate.js'
import { Breaker, outOfPatience } from './breaker.js'
import { groupsOf, type Indexed, type Merging, maxAhead, maxGroups, maxMerged } from './groups.js'
import type { Item } from './items.js'
import {
  type End,
  type FailureLimit,
  type Outcome,
  type Report,
  type Settled,
  Tally,
  toOutcome,
} from './report.js'

/** What is on record of a run; nothing is sent of which it does not know. */
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
  /** What goes as one request for several objects, once all of these are on record. */
  readonly merging?: Merging<I>
  readonly failureLimit?: FailureLimit
  /** How many objects are known of by now, tried or not. */
  readonly queued?: () => number
  /** Told of each outcome as it becomes known, in whichever order. */
  readonly told?: (settled: Settled<R, I>) => void
}

/** A run under way: its outcomes in order, to be read once; leaving off stops it. */
export interface Run<R, I extends Item = Item> extends AsyncIterable<Settled<R, I>> {
  /** When everything that was begun has come to its end; needs the outcomes to be read. */
  readonly report: Promise<Report>
}

/** So many times the width may lie between the first object under way and the last. */
const windows = 4

const isInterruption = (error: unknown): boolean =>
  error instanceof Failure && error.category === 'interrupted'

class Engine<R, I extends Item> {
  readonly #options: EngineOptions<R, I>
  readonly #items: AsyncIterator<I>
  readonly #groups: AsyncIterator<readonly Indexed<I>[]> | undefined
  readonly #breaker = new Breaker()
  readonly #tally = new Tally()
  /** By place in the order of starts: settled, and not handed on yet. */
  readonly #known = new Map<number, Settled<R, I> | undefined>()
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

  constructor(options: EngineOptions<R, I>) {
    const { items, merging } = options
    this.#options = options
    this.#items = items[Symbol.asyncIterator]()
    const others = { [Symbol.asyncIterator]: () => this.#items }
    this.#groups = merging && groupsOf(others, merging.keyOf)
  }

  async *outcomes(): AsyncGenerator<Settled<R, I>> {
    const { gate, signal } = this.#options
    const leaveOff = gate.listen?.({
      came: (came) => this.#breaker.came(came),
      refusal: () => this.#breaker.cause,
    })
    const stir = (): void => this.#stir()
    signal.addEventListener('abort', stir)
    try {
      yield* this.#inOrder()
    } finally {
      this.#stopped = true
      while (this.#underWay > 0) await this.#change()
      signal.removeEventListener('abort', stir)
      leaveOff?.()
      // Nobody waits for an input that may never give another object.
      this.#items.return?.()?.catch(() => {})
    }
    if (this.#defect !== undefined) throw this.#defect.error
  }

  async *#inOrder(): AsyncGenerator<Settled<R, I>> {
    for (;;) {
      this.#fill()
      if (this.#known.has(this.#given)) {
        const settled = this.#known.get(this.#given)
        this.#known.delete(this.#given)
        this.#given += 1
        if (settled !== undefined) yield settled
      } else if (this.#underWay === 0 && (this.#ended || this.#isOver())) {
        return
      } else await this.#change()
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
        else if (!this.#isOver()) this.#start(due)
        this.#stir()
      },
      (error: unknown) => {
        this.#pulling = false
        this.#fail(error)
        this.#stir()
      },
    )
  }

  /** So many requests are under way at once. */
  get #width(): number {
    const { width } = this.#options.gate
    return this.#groups === undefined ? width : Math.min(width, maxGroups)
  }

  /** So many objects lie at most between the first under way and the last. */
  get #window(): number {
    return this.#groups === undefined ? windows * this.#width : maxAhead + windows * maxMerged
  }

  /** What is done next: one object, or those of one request; undefined where there is nothing more. */
  async #next(): Promise<readonly Indexed<I>[] | undefined> {
    if (this.#groups !== undefined) {
      const step = await this.#groups.next()
      return step.done === true ? undefined : step.value
    }
    const step = await this.#items.next()
    return step.done === true ? undefined : [{ place: this.#pulled++, item: step.value }]
  }

  #start(due: readonly Indexed<I>[]): void {
    this.#started += due.length
    this.#underWay += 1
    this.#all(due)
      .catch((error: unknown) => {
        for (const { place } of due) this.#lose(place, error)
      })
      .finally(() => {
        this.#underWay -= 1
        this.#stir()
      })
  }

  #lose(place: number, error: unknown): void {
    this.#known.set(place, undefined)
    if (isInterruption(error)) this.#tally.lost()
    else this.#fail(error)
  }

  /** The objects of one request, from their beginning on record to their outcomes on record. */
  async #all(due: readonly Indexed<I>[]): Promise<void> {
    const { look, record, merging } = this.#options
    const items = due.map(({ item }) => item)
    if (look !== undefined) await Promise.all(items.map((item) => this.#inTurn(look(item))))
    if (record !== undefined) await Promise.all(items.map((item) => record.begun(item)))
    if (items.length > 1) await merging?.send(items)
    const lost =
      ({ place }: Indexed<I>) =>
      (error: unknown) =>
        this.#lose(place, error)
    await Promise.all(due.map((one) => this.#one(one).catch(lost(one))))
  }

  async #one({ place, item }: Indexed<I>): Promise<void> {
    const { record, told } = this.#options
    const settled: Settled<R, I> = { item, outcome: await this.#outcome(item) }
    this.#judge(settled)
    // What was done is told of, also where it can be recorded no more.
    await record?.settled(item, settled.outcome).catch((error: unknown) => this.#fail(error))
    told?.(settled)
    this.#known.set(place, settled)
  }

  /** Objects are begun in their order, however long it takes to look at each. */
  async #inTurn(looked: Promise<void>): Promise<void> {
    const turn = Promise.allSettled([this.#lastLooked, looked]).then(() => {})
    this.#lastLooked = turn
    await turn
    await looked
  }

  async #outcome(item: I): Promise<Outcome<R>> {
    try {
      return await this.#options.work(item)
    } catch (error) {
      return toOutcome(error)
    }
  }

  #judge(settled: Settled<R, I>): void {
    const { outcome } = settled
    const failure = 'failure' in outcome ? outcome.failure : undefined
    this.#tally.add(settled)
    this.#breaker.observe(failure)
    const gated = this.#options.gate.listen !== undefined
    const tired = gated && failure !== undefined ? outOfPatience(failure) : undefined
    this.#cause ??= this.#breaker.cause ?? tired
    if (this.#tally.exceeds(this.#options.failureLimit)) this.#tooMany = true
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

  report(): Report {
    const { signal, queued } = this.#options
    const counts = this.#tally.counts(Math.max(queued?.() ?? 0, this.#started))
    const cause = this.#cause ?? this.#breaker.cause
    const open = counts.not_tried > 0 || !this.#ended
    const end: End = signal.aborted ? 'interrupted' : open ? 'stopped' : 'completed'
    const stoppedBy = end === 'stopped' ? cause : undefined
    const { failures, alike, mayHelp } = this.#tally
    return { end, counts, failures, alike, mayHelp, cause: stoppedBy, tooMany: this.#tooMany }
  }
}

/**
 * Works on many objects. Reading the outcomes is what drives it.
 * @throws what is no object's own: where the record cannot be kept, the input breaks, or a defect
 */
export const run = <R, I extends Item = Item>(options: EngineOptions<R, I>): Run<R, I> => {
  const engine = new Engine(options)
  let resolve: (report: Report) => void = () => {}
  const report = new Promise<Report>((done) => {
    resolve = done
  })
  const outcomes = async function* (): AsyncGenerator<Settled<R, I>> {
    try {
      yield* engine.outcomes()
    } finally {
      resolve(engine.report())
    }
  }
  return { report, [Symbol.asyncIterator]: () => outcomes() }
}

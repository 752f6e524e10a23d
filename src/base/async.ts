/** Provides asynchronous helpers: polling, a cache of answers, and concurrent work with results in order. */
import { Failure } from '../errors.js'
import { type Io, machineIo } from './io.js'

const firstWait = 500
const maxWait = 10_000
const growth = 1.5

/** Returns the moment this many seconds from now, in milliseconds of the epoch. */
export const getTimeAfter = (seconds: number, { now }: Pick<PollPace, 'now'>): number =>
  now().getTime() + seconds * 1000

/** Resolves once a signal is aborted. Waiting does not keep the process alive. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })

interface PollPace {
  readonly now: () => Date
  /** Waits the given milliseconds; throws if it is interrupted. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

/**
 * Calls `look` at once, again after half a second, and then less and less often, at least every ten seconds.
 * @param look returns the awaited value; undefined while there is none
 * @param until the end of the wait, in milliseconds of the epoch
 * @returns the value; undefined after the end of the wait
 */
export const poll = async <T>(
  look: () => Promise<T | undefined>,
  until: number,
  { now, sleep }: PollPace,
): Promise<T | undefined> => {
  for (let wait = firstWait; ; wait = Math.min(wait * growth, maxWait)) {
    const found = await look()
    if (found !== undefined || now().getTime() >= until) return found
    await sleep(wait)
  }
}

/** A cache of answers by key. Each is requested once, and again if it failed. */
export class AsyncCache<K, T> {
  readonly #known = new Map<K, Promise<T>>()

  of(key: K, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const pending = ask()
    this.#known.set(key, pending)
    pending.catch(() => this.#known.delete(key))
    return pending
  }

  clear(): void {
    this.#known.clear()
  }

  all(): Iterable<Promise<T>> {
    return this.#known.values()
  }
}

/**
 * The functions that wait for each signal. They are in an array, since each table that a Set outgrows keeps the next one, and what its
 * functions hold, until the next full collection.
 */
const waiting = new WeakMap<AbortSignal, (() => void)[]>()

/**
 * Calls `stop` once a signal is aborted, or at once if it already is. The signal has one listener for all functions, since Node warns of
 * more than ten.
 * @returns a function that ends the waiting
 */
export const callOnAbort = (signal: AbortSignal, stop: () => void): (() => void) => {
  if (signal.aborted) stop()
  const known = waiting.get(signal)
  const stops = known ?? []
  if (known === undefined) {
    waiting.set(signal, stops)
    const stopAll = (): void => {
      for (let one = stops.shift(); one !== undefined; one = stops.shift()) one()
    }
    signal.addEventListener('abort', stopAll, { once: true })
  }
  stops.push(stop)
  return () => {
    const at = stops.indexOf(stop)
    if (at >= 0) stops.splice(at, 1)
  }
}

/** The maximum number of concurrent requests that a gate ever permits. */
export const maxConcurrent = 32

/**
 * Applies `work` to items, at most `most` at once, and yields the results in order.
 * @throws what `work` throws, in its place; an error of the input, after all results before it
 */
export async function* mapConcurrent<T, R>(
  some: Iterable<T> | AsyncIterable<T>,
  most: number,
  work: (one: T) => R | Promise<R>,
): AsyncGenerator<R> {
  const open: Promise<R>[] = []
  const begin = async (one: T): Promise<R> => work(one)
  let broken: { readonly error: unknown } | undefined
  const readInput = async function* (): AsyncGenerator<T> {
    try {
      yield* some
    } catch (error) {
      broken = { error }
    }
  }
  for await (const one of readInput()) {
    const begun = begin(one)
    // If the reader stops early, a failed piece of work must not count as unhandled.
    begun.catch(() => {})
    open.push(begun)
    const first = open.length < most ? undefined : open.shift()
    if (first !== undefined) yield await first
  }
  for (const begun of open) yield await begun
  if (broken !== undefined) throw broken.error
}

/** The error of a hand-over whose reader has stopped. */
export class NobodyTakesError extends Error {}

/** A piece that waits for the reader. */
interface WaitingPiece<T> {
  readonly piece: T
  readonly taken: () => void
  readonly refused: (error: Error) => void
}

/**
 * Yields the pieces that `work` pushes, in order. Each push resolves when the reader asks for the next piece. If the reader stops early,
 * all further pushes fail, and the generator waits for the end of the work.
 * @throws the error of `work`, after all pieces before it
 */
export async function* yieldPushed<T>(
  work: (push: (piece: T) => Promise<void>) => Promise<void>,
): AsyncGenerator<T, void> {
  const waiting: WaitingPiece<T>[] = []
  let wake = (): void => {}
  let ended = false
  let hasReaderLeft = false
  const push = (piece: T): Promise<void> =>
    new Promise((taken, refused) => {
      if (hasReaderLeft) return refused(new NobodyTakesError())
      waiting.push({ piece, taken, refused })
      wake()
    })
  const working = work(push).finally(() => {
    ended = true
    wake()
  })
  working.catch(() => {})
  try {
    for (;;) {
      const [first] = waiting
      if (first !== undefined) {
        yield first.piece
        waiting.shift()
        first.taken()
      } else if (ended) break
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    await working
  } finally {
    hasReaderLeft = true
    for (const { refused } of waiting.splice(0)) refused(new NobodyTakesError())
    await working.catch(() => {})
  }
}

/** The sources of time and randomness of a line, which tests replace. */
export interface Clock {
  /** Returns the time in milliseconds of the epoch. */
  readonly now: () => number
  /** Returns the time of a monotonic clock in milliseconds, for durations. */
  readonly uptime: () => number
  /** Returns a number from 0 (included) to 1 (excluded). */
  readonly random: () => number
  /** Calls a function after the given milliseconds; returns a function that cancels it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
}

/** Returns the clock of a line. */
export const toClock = ({
  now,
  uptime,
  random,
  after,
}: Pick<Io, 'after' | 'now' | 'random' | 'uptime'>): Clock => ({
  now: () => now().getTime(),
  uptime,
  random,
  later: after,
})

/** The clock of the machine, for programs that run no line. */
export const machineClock: Clock = toClock(machineIo)

/**
 * Waits for a time in milliseconds.
 * @throws Failure `interrupted` if the signal is aborted first
 */
export const sleep = (
  milliseconds: number,
  signal: AbortSignal,
  { later }: Pick<Clock, 'later'>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = later(milliseconds, () => {
      forget()
      resolve()
    })
    const forget = callOnAbort(signal, () => {
      leave()
      reject(new Failure('interrupted', 'interrupted'))
    })
  })

/** Asynchronous work: polling, a cache of answers, and several pieces at once. */
import { currentIo } from './io.js'

const first = 500
const longest = 10_000
const growth = 1.5

/** A moment so many seconds from now, in milliseconds of the epoch. */
export const inSeconds = (seconds: number, { now }: Pick<PollPace, 'now'>): number =>
  now().getTime() + seconds * 1000

interface PollPace {
  readonly now: () => Date
  /** Waits so many milliseconds; throws where it is interrupted. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

/**
 * Looks at once, and again after half a second, then ever more seldom, at most every ten seconds.
 * @param look what is waited for, or undefined while it is not there
 * @param until when it is too late, in milliseconds of the epoch
 * @returns what came; undefined when the time was over
 */
export const poll = async <T>(
  look: () => Promise<T | undefined>,
  until: number,
  { now, sleep }: PollPace,
): Promise<T | undefined> => {
  for (let wait = first; ; wait = Math.min(wait * growth, longest)) {
    const found = await look()
    if (found !== undefined || now().getTime() >= until) return found
    await sleep(wait)
  }
}

/** What is asked for once, each by its key; anew where that failed. */
export class AsyncCache<K, T> {
  readonly #known = new Map<K, Promise<T>>()

  of(key: K, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const asked = ask()
    this.#known.set(key, asked)
    asked.catch(() => this.#known.delete(key))
    return asked
  }

  clear(): void {
    this.#known.clear()
  }

  all(): Iterable<Promise<T>> {
    return this.#known.values()
  }
}

/** What waits for each signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `stop` once a signal is aborted, at once where it is. However many wait, the signal has one listener: Node warns
 * of more than ten.
 * @returns what ends the waiting
 */
export const onAbort = (signal: AbortSignal, stop: () => void): (() => void) => {
  if (signal.aborted) stop()
  const known = waiting.get(signal)
  const stops = known ?? new Set()
  if (known === undefined) {
    waiting.set(signal, stops)
    const stopAll = (): void => {
      for (const one of stops) one()
    }
    signal.addEventListener('abort', stopAll, { once: true })
  }
  stops.add(stop)
  return () => stops.delete(stop)
}

/** As many at once as a gate ever lets go. */
export const maxConcurrent = 32

/**
 * `work` on what comes, on so many at once, in its order.
 * @throws what `work` throws, in its place; what broke the input, after all that came before
 */
export async function* mapConcurrent<T, R>(
  some: Iterable<T> | AsyncIterable<T>,
  most: number,
  work: (one: T) => R | Promise<R>,
): AsyncGenerator<R> {
  const open: Promise<R>[] = []
  const begin = async (one: T): Promise<R> => work(one)
  let broken: { readonly error: unknown } | undefined
  const whole = async function* (): AsyncGenerator<T> {
    try {
      yield* some
    } catch (error) {
      broken = { error }
    }
  }
  for await (const one of whole()) {
    const begun = begin(one)
    // Who leaves meanwhile hears of no other.
    begun.catch(() => {})
    open.push(begun)
    const first = open.length < most ? undefined : open.shift()
    if (first !== undefined) yield await first
  }
  for (const begun of open) yield await begun
  if (broken !== undefined) throw broken.error
}

/** Says to whoever hands over that nobody takes any more. */
export class NobodyTakesError extends Error {}

/** A piece that waits to be taken. */
interface WaitingPiece<T> {
  readonly piece: T
  readonly taken: () => void
  readonly refused: (error: Error) => void
}

/**
 * Yields what `work` hands over, in its order; each hand-over ends when the piece was taken and the next is asked for.
 * Who leaves meanwhile makes all further ones fail, and waits for the end of the work.
 * @throws what `work` throws, after all that came before
 */
export async function* yieldPushed<T>(
  work: (push: (piece: T) => Promise<void>) => Promise<void>,
): AsyncGenerator<T, void> {
  const waiting: WaitingPiece<T>[] = []
  let wake = (): void => {}
  let ended = false
  let left = false
  const push = (piece: T): Promise<void> =>
    new Promise((taken, refused) => {
      if (left) return refused(new NobodyTakesError())
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
    left = true
    for (const { refused } of waiting.splice(0)) refused(new NobodyTakesError())
    await working.catch(() => {})
  }
}

/** Time and chance, handed in so that tests need neither. */
export interface Clock {
  /** Milliseconds of the epoch. */
  readonly now: () => number
  /** From 0 up to, and never, 1. */
  readonly random: () => number
  /** Does something after so many milliseconds; gives a way to leave it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
}

export const systemClock: Clock = {
  now: () => currentIo().now().getTime(),
  random: () => currentIo().random(),
  later: (milliseconds, work) => currentIo().after(milliseconds, work),
}

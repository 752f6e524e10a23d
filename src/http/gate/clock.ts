/** Time and chance of the engine, handed in so that tests need neither. */

export interface Clock {
  /** Milliseconds of the epoch. */
  readonly now: () => number
  /** From 0 up to, and never, 1. */
  readonly random: () => number
  /** Does something after so many milliseconds; gives a way to leave it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
}

export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  later: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds)
    return () => clearTimeout(timer)
  },
}

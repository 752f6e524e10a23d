/** A clock that stands still until a test moves it. */
import type { Clock } from '../../../src/base/async.js'

export interface ScriptedClock extends Clock {
  /** Moves the clock by milliseconds, and runs all timers that are due. */
  readonly pass: (milliseconds: number) => Promise<void>
  /** Moves the clock from timer to timer until a promise is settled. */
  readonly until: (ended: Promise<unknown>) => Promise<void>
}

/** Runs everything that does not wait for time. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const createScriptedClock = (random: () => number = () => 0.5): ScriptedClock => {
  let now = 1_700_000_000_000
  let serial = 0
  const timers: { readonly at: number; readonly serial: number; readonly work: () => void }[] = []
  const next = (before: number) => {
    const [first] = timers.toSorted((a, b) => a.at - b.at || a.serial - b.serial)
    return first !== undefined && first.at <= before ? first : undefined
  }
  const run = async (before: number): Promise<boolean> => {
    const first = next(before)
    if (first === undefined) return false
    timers.splice(timers.indexOf(first), 1)
    now = Math.max(now, first.at)
    first.work()
    await settle()
    return true
  }
  return {
    now: () => now,
    uptime: () => now,
    random,
    later: (milliseconds, work) => {
      // Like real timers: never early, and in whole milliseconds.
      const timer = { at: now + Math.max(1, Math.ceil(milliseconds)), serial: ++serial, work }
      timers.push(timer)
      return () => {
        const at = timers.indexOf(timer)
        if (at >= 0) timers.splice(at, 1)
      }
    },
    pass: async (milliseconds) => {
      const end = now + milliseconds
      await settle()
      while (await run(end));
      now = end
    },
    until: async (ended) => {
      let open = true
      ended.then(
        () => {
          open = false
        },
        () => {
          open = false
        },
      )
      await settle()
      while (open) if (!(await run(Number.POSITIVE_INFINITY))) await settle()
    },
  }
}

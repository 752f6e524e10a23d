/** An instance that allows so many requests a second, and a run through the gate, in scripted time. */
import { describe, expect, it } from 'vitest'
import { FleetGate } from '../../../src/http/gate.js'
import { type Scripted, scriptedClock } from './clock.js'

const never = new AbortController().signal
const allowed = 100
/** As many as a run has by itself. */
const retries = 3

type Instance = (now: number) => {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
}

const dateOf = (now: number): string => new Date(Math.floor(now / 1000) * 1000).toUTCString()

/** So many at once, and as many again each second. */
const bucket = (): Instance => {
  let [tokens, at] = [allowed, 0]
  return (now) => {
    if (at > 0) tokens = Math.min(allowed, tokens + ((now - at) * allowed) / 1000)
    at = now
    if (tokens < 1) return { status: 429, headers: { date: dateOf(now), 'retry-after': '1' } }
    tokens -= 1
    return { status: 200, headers: { date: dateOf(now) } }
  }
}

/** So many within each second of its clock, which is ahead of ours; it says what is left, or not. */
const windows = (silent = false): Instance => {
  let [window, taken] = [0, 0]
  return (here) => {
    const now = here + 1_234_567
    const current = Math.floor(now / 1000)
    if (current !== window) [window, taken] = [current, 0]
    taken += 1
    const limits = {
      'ratelimit-limit': String(allowed),
      'ratelimit-remaining': String(Math.max(0, allowed - taken)),
      'ratelimit-reset': String(current + 1),
    }
    const headers = { date: dateOf(now), ...(silent ? {} : limits) }
    return taken > allowed
      ? { status: 429, headers: { ...headers, 'retry-after': '1' } }
      : { status: 200, headers }
  }
}

/** The same, where windows begin between seconds, and their end is told in whole ones: as a time, or from now on. */
const rounding = (how: 'time' | 'rest'): Instance => {
  let [window, taken] = [0, 0]
  return (here) => {
    const now = here + 1_234_567
    const current = Math.floor((now - 400) / 1000)
    if (current !== window) [window, taken] = [current, 0]
    taken += 1
    const headers = {
      date: dateOf(now),
      'ratelimit-limit': String(allowed),
      'ratelimit-remaining': String(Math.max(0, allowed - taken)),
      'ratelimit-reset': how === 'time' ? String(current + 2) : '1',
    }
    return { status: taken > allowed ? 429 : 200, headers }
  }
}

interface Run {
  readonly served: number
  readonly refused: number
  readonly seconds: number
}

interface How {
  readonly concurrency?: number
  /** There and back, in milliseconds. */
  readonly latency?: number
}

/** As many at once as the gate lets go. */
const run = async (
  instance: Instance,
  count: number,
  { concurrency, latency = 5 }: How = {},
): Promise<Run> => {
  let seed = 7
  const chance = (): number => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const clock: Scripted = scriptedClock(chance)
  const gate = new FleetGate({ clock, ...(concurrency === undefined ? {} : { concurrency }) })
  const way = (): Promise<void> =>
    new Promise((resolve) => clock.later(latency / 2 - 0.5 + chance(), resolve))
  const began = clock.now()
  let [left, served, refused] = [count, 0, 0]
  const one = async (): Promise<void> => {
    for (let before: Awaited<ReturnType<FleetGate['admit']>> | undefined; ; ) {
      const leave = await gate.admit(never, before)
      before = leave
      await way()
      const came = instance(clock.now())
      await way()
      if (gate.observe(leave, came, retries)) {
        refused += 1
        continue
      }
      if (came.status === 200) served += 1
      return
    }
  }
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await one()
    }
  }
  await clock.until(Promise.all(Array.from({ length: 32 }, worker)))
  return { served, refused, seconds: (clock.now() - began) / 1000 }
}

const widths: readonly How[] = [{}, { concurrency: 32 }]

describe('1,500 requests where 100 a second are allowed', () => {
  const ideal = (1500 - allowed) / allowed
  const near = widths.flatMap((width) => [width, { ...width, latency: 20 }])
  it.each(near)('fail none, and are soon done: %o', async (how) => {
    const { served, refused, seconds } = await run(bucket(), 1500, how)
    expect(served).toBe(1500)
    expect(refused).toBeLessThanOrEqual(50)
    expect(seconds).toBeLessThanOrEqual(ideal * 1.08)
  })
  it.each(near)('are paced by what the instance says: %o', async (how) => {
    const { served, refused, seconds } = await run(windows(), 1500, how)
    expect(served).toBe(1500)
    expect(refused).toBe(0)
    expect(seconds).toBeLessThanOrEqual(ideal * 1.08)
  })
  it.each(
    near.flatMap((how) => [
      { ...how, told: 'time' as const },
      { ...how, told: 'rest' as const },
    ]),
  )('are paced by its rate where it rounds up: %o', async ({ told, ...how }) => {
    const { served, refused, seconds } = await run(rounding(told), 1500, how)
    expect(served).toBe(1500)
    expect(refused).toBe(0)
    expect(seconds).toBeLessThanOrEqual(ideal * 1.15)
  })
  // Each 429 asks for a whole second, which is the allowance of another one.
  it.each(widths)('wait seldom where it tells nothing of its windows: %o', async (how) => {
    const { served, refused, seconds } = await run(windows(true), 1500, how)
    expect(served).toBe(1500)
    expect(refused).toBeLessThanOrEqual(50)
    expect(seconds).toBeLessThanOrEqual(ideal * 1.5)
  })
})

describe('6,000 requests where 100 a second are allowed', () => {
  it.each(widths)('are done nearly as soon as they may be: %o', async (how) => {
    const { served, refused, seconds } = await run(bucket(), 6000, how)
    expect(served).toBe(6000)
    expect(refused).toBeLessThanOrEqual(50)
    expect(seconds).toBeLessThanOrEqual(((6000 - allowed) / allowed) * 1.03)
  })
})

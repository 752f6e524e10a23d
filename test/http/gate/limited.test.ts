/** A run through the gate against an instance with a rate limit, in scripted time. */
import { describe, expect, it } from 'vitest'
import { FleetGate } from '../../../src/http/gate.js'
import { createScriptedClock, type ScriptedClock } from './clock.js'

const never = new AbortController().signal
const allowed = 100
/** The default of --retries. */
const retries = 3

type Instance = (now: number) => {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
}

const formatDate = (now: number): string => new Date(Math.floor(now / 1000) * 1000).toUTCString()

/** Creates an instance that allows a burst, and the same number of requests each second after it. */
const createBucket = (): Instance => {
  let [tokens, at] = [allowed, 0]
  return (now) => {
    if (at > 0) tokens = Math.min(allowed, tokens + ((now - at) * allowed) / 1000)
    at = now
    if (tokens < 1) return { status: 429, headers: { date: formatDate(now), 'retry-after': '1' } }
    tokens -= 1
    return { status: 200, headers: { date: formatDate(now) } }
  }
}

/**
 * Creates an instance that counts requests within each second of its clock, which is ahead of ours. With `silent` it has no RateLimit
 * headers.
 */
const createWindows = (silent = false): Instance => {
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
    const headers = { date: formatDate(now), ...(silent ? {} : limits) }
    return taken > allowed
      ? { status: 429, headers: { ...headers, 'retry-after': '1' } }
      : { status: 200, headers }
  }
}

/**
 * Creates an instance whose windows begin between two seconds, with their end rounded to whole seconds: as a time, or as the rest of
 * the window.
 */
const createRoundedWindows = (how: 'time' | 'rest'): Instance => {
  let [window, taken] = [0, 0]
  return (here) => {
    const now = here + 1_234_567
    const current = Math.floor((now - 400) / 1000)
    if (current !== window) [window, taken] = [current, 0]
    taken += 1
    const headers = {
      date: formatDate(now),
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

interface RunOptions {
  readonly concurrency?: number
  /** Round-trip time in milliseconds. */
  readonly latency?: number
}

/** Runs `count` requests through the gate, as many at once as it admits. */
const run = async (
  instance: Instance,
  count: number,
  { concurrency, latency = 5 }: RunOptions = {},
): Promise<Run> => {
  let seed = 7
  const chance = (): number => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const clock: ScriptedClock = createScriptedClock(chance)
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

const widths: readonly RunOptions[] = [{}, { concurrency: 32 }]

describe('1,500 requests where 100 a second are allowed', () => {
  const ideal = (1500 - allowed) / allowed
  const near = widths.flatMap((width) => [width, { ...width, latency: 20 }])
  it.each(near)('fail none, and are soon done: %o', async (how) => {
    const { served, refused, seconds } = await run(createBucket(), 1500, how)
    expect(served).toBe(1500)
    expect(refused).toBeLessThanOrEqual(50)
    expect(seconds).toBeLessThanOrEqual(ideal * 1.08)
  })
  it.each(near)('are paced by what the instance says: %o', async (how) => {
    const { served, refused, seconds } = await run(createWindows(), 1500, how)
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
    const { served, refused, seconds } = await run(createRoundedWindows(told), 1500, how)
    expect(served).toBe(1500)
    expect(refused).toBe(0)
    expect(seconds).toBeLessThanOrEqual(ideal * 1.15)
  })
  // Each 429 requires a wait of a whole second, in which another request could have been allowed.
  it.each(widths)('wait seldom where it tells nothing of its windows: %o', async (how) => {
    const { served, refused, seconds } = await run(createWindows(true), 1500, how)
    expect(served).toBe(1500)
    expect(refused).toBeLessThanOrEqual(50)
    expect(seconds).toBeLessThanOrEqual(ideal * 1.5)
  })
})

describe('6,000 requests where 100 a second are allowed', () => {
  it.each(widths)('are done nearly as soon as they may be: %o', async (how) => {
    const { served, refused, seconds } = await run(createBucket(), 6000, how)
    expect(served).toBe(6000)
    expect(refused).toBeLessThanOrEqual(50)
    expect(seconds).toBeLessThanOrEqual(((6000 - allowed) / allowed) * 1.03)
  })
})

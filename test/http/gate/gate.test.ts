import { describe, expect, it } from 'vitest'
import { machineClock } from '../../../src/base/async.js'
import { Failure } from '../../../src/errors.js'
import {
  createGates,
  FleetGate,
  type GateOptions,
  parseRate,
  takeLowerRate,
} from '../../../src/http/gate.js'
import { getWait } from '../../../src/http/pace.js'
import { createScriptedClock, type ScriptedClock } from './clock.js'

type Headers = Record<string, string>
const never = new AbortController().signal
const toMilliseconds = (count: number): number => count * 60_000

const createGate = (options: Omit<GateOptions, 'clock'> = {}, random?: () => number) => {
  const clock = createScriptedClock(random)
  return { clock, gate: new FleetGate({ clock, patience: toMilliseconds(15), ...options }) }
}

/** True if the gate has admitted the request by now. */
const isAdmitted = async (clock: ScriptedClock, leave: Promise<unknown>): Promise<boolean> => {
  let done = false
  leave.then(
    () => {
      done = true
    },
    () => {},
  )
  await clock.pass(0)
  return done
}
const answer = async (gate: FleetGate, status: number, headers: Headers = {}) => {
  const leave = await gate.admit(never)
  return { leave, again: gate.observe(leave, { status, headers }) }
}

it.each<[Headers, readonly number[]]>([
  [{ 'retry-after': '5' }, [5000, 5000, 5000]],
  [{ 'retry-after': '0' }, [0, 0, 0]],
  [{ 'ratelimit-reset': '0' }, [0, 200, 800]],
  [{}, [1000, 2000, 8000]],
])(
  'waits as long as it is asked to, and ever longer where it is not told well: %j',
  (headers, waits) => {
    expect([1, 2, 4].map((inRow) => getWait({ status: 429, headers }, 0, inRow))).toEqual(waits)
  },
)

describe('a 429', () => {
  it('stops everybody until the instance says, and up to a tenth longer', async () => {
    const { gate, clock } = createGate({}, () => 0.999)
    await answer(gate, 429, { 'retry-after': '10' })
    const waiting = [gate.admit(never), gate.admit(never)]
    await clock.pass(10_000)
    expect(await isAdmitted(clock, Promise.race(waiting))).toBe(false)
    await clock.pass(1000)
    expect(await isAdmitted(clock, Promise.all(waiting))).toBe(true)
  })
  it('lets what was sent back go first', async () => {
    const { gate, clock } = createGate({ concurrency: 2 })
    const { leave, again } = await answer(gate, 429, { 'retry-after': '1' })
    expect(again).toBe(true)
    const order: string[] = []
    gate.admit(never).then(() => order.push('new'))
    gate.admit(never, leave).then(() => order.push('sent back'))
    await clock.pass(1200)
    expect(order).toEqual(['sent back'])
  })
  it('waits for RateLimit-Reset by the date of the answer, whatever our clock shows', async () => {
    const { gate, clock } = createGate({}, () => 0)
    const date = Date.parse('2030-01-01T00:00:00Z')
    const headers = {
      date: new Date(date).toUTCString(),
      'ratelimit-reset': String(date / 1000 + 7),
    }
    await answer(gate, 429, headers)
    const leave = gate.admit(never)
    await clock.pass(6900)
    expect(await isAdmitted(clock, leave)).toBe(false)
    await clock.pass(200)
    expect(await isAdmitted(clock, leave)).toBe(true)
  })
  it('halves the width once, however many of those under way are turned away', async () => {
    const { gate } = createGate({ concurrency: 32 })
    const leaves = await Promise.all(Array.from({ length: 32 }, () => gate.admit(never)))
    for (const leave of leaves)
      gate.observe(leave, { status: 429, headers: { 'retry-after': '1' } })
    expect(gate.width).toBe(16)
  })
  it('that says nothing is waited for, each time twice as long', async () => {
    const { gate, clock } = createGate({}, () => 0)
    const waits: number[] = []
    for (let i = 0; i < 7; i++) {
      await answer(gate, 429)
      waits.push(gate.waiting?.milliseconds ?? 0)
      await clock.pass(30_000)
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })
  it('is told of once: how long, and what the instance allows', async () => {
    const notes: string[] = []
    const { gate, clock } = createGate({ note: (text) => notes.push(text) }, () => 0)
    const reset = String(clock.now() / 1000 + 60)
    const limits = { 'ratelimit-limit': '600', 'ratelimit-reset': reset }
    await answer(gate, 200, { ...limits, 'ratelimit-remaining': '599' })
    const leaves = await Promise.all([gate.admit(never), gate.admit(never)])
    const headers = { ...limits, 'ratelimit-remaining': '0', 'retry-after': '12' }
    for (const leave of leaves) gate.observe(leave, { status: 429, headers })
    expect(notes).toEqual([
      'too many requests (429): waiting 12 s; the instance allows 600 a minute',
    ])
  })
  it('503 that says when to come again is the same; another is none', async () => {
    const { gate } = createGate()
    for (const headers of [{}, { 'retry-after': 'soon' }, { 'ratelimit-reset': '9' }])
      expect((await answer(gate, 503, headers as Headers)).again).toBe(false)
    expect(gate.waiting).toBeUndefined()
    expect((await answer(gate, 503, { 'retry-after': '5' })).again).toBe(true)
    expect(gate.waiting).toBeDefined()
  })
})

describe('patience', () => {
  it('ends fifteen minutes after the last answer that was none', async () => {
    const { gate, clock } = createGate({}, () => 0)
    await answer(gate, 200)
    const outcomes: boolean[] = []
    for (let i = 0; i < 16; i++) {
      const { again } = await answer(gate, 429, { 'retry-after': '60' })
      outcomes.push(again)
      await clock.pass(toMilliseconds(1))
    }
    expect(outcomes).toEqual([...Array(15).fill(true), false])
  })
  it('does not begin while nobody asks', async () => {
    const { gate, clock } = createGate()
    await answer(gate, 200)
    await clock.pass(toMilliseconds(60))
    expect((await answer(gate, 429, { 'retry-after': '60' })).again).toBe(true)
  })
  it('of one request ends, also where others are answered', async () => {
    const { gate, clock } = createGate({}, () => 0)
    let { leave } = await answer(gate, 429, { 'retry-after': '300' })
    const again: boolean[] = []
    for (let i = 0; i < 3; i++) {
      await clock.pass(toMilliseconds(5))
      await answer(gate, 200)
      leave = await gate.admit(never, leave)
      again.push(gate.observe(leave, { status: 429, headers: { 'retry-after': '300' } }))
    }
    expect(again).toEqual([true, true, false])
  })
  it('is exhausted once it has ended, until an answer comes', async () => {
    const { gate, clock } = createGate({}, () => 0)
    const seen = [gate.exhausted]
    await answer(gate, 429, { 'retry-after': '60' })
    await clock.pass(toMilliseconds(15) - 1)
    seen.push(gate.exhausted)
    await clock.pass(2)
    seen.push(gate.exhausted)
    await answer(gate, 200)
    expect([...seen, gate.exhausted]).toEqual([false, false, true, false])
  })
  it('of nobody waits not at all', async () => {
    const { gate } = createGate({ patience: 0 })
    expect((await answer(gate, 429, { 'retry-after': '0' })).again).toBe(false)
  })
  it('is not tried by a wait that is longer: all who wait fail at once', async () => {
    const { gate, clock } = createGate({ concurrency: 1 })
    const leave = await gate.admit(never)
    const waiting = gate.admit(never)
    expect(gate.observe(leave, { status: 429, headers: { 'retry-after': '3600' } })).toBe(false)
    await expect(waiting).rejects.toMatchObject({ category: 'rate_limited', exitCode: 6 })
    await expect(gate.admit(never)).rejects.toMatchObject({ category: 'rate_limited' })
    await clock.pass(toMilliseconds(70))
    await expect(gate.admit(never)).resolves.toBeDefined()
  })
})

describe('retries', () => {
  /** Rejects a request four times, and returns after each time whether it may be sent again. */
  const turnedAway = async (retries: number, between: (gate: FleetGate) => Promise<unknown>) => {
    const { gate, clock } = createGate({ concurrency: 32 }, () => 0)
    const again: boolean[] = []
    let leave = await gate.admit(never)
    for (let i = 0; i < 4; i++) {
      await between(gate)
      again.push(gate.observe(leave, { status: 429, headers: { 'retry-after': '1' } }, retries))
      await clock.pass(1000)
      leave = await gate.admit(never, leave)
    }
    return again
  }
  it.each([0, 1, 3])('end after %i, where nothing else is answered', async (retries) => {
    const again = await turnedAway(retries, async () => {})
    expect(again).toEqual([0, 1, 2, 3].map((times) => times < retries))
  })
  it.each([301, 302, 500])('end after a %i in between, too', async (status) => {
    expect(await turnedAway(1, (gate) => answer(gate, status))).toEqual([true, false, false, false])
  })
  it.each([200, 304, 404])('begin anew where others are answered: %i', async (status) => {
    expect(await turnedAway(0, (gate) => answer(gate, status))).toEqual([true, true, true, true])
  })
})

describe('the width', () => {
  it('grows by one with eight answers, from 4 to 32', async () => {
    const { gate } = createGate()
    expect(gate.width).toBe(4)
    for (let i = 0; i < 16; i++) await answer(gate, 200)
    expect(gate.width).toBe(6)
    for (let i = 0; i < 1000; i++) await answer(gate, 404)
    expect(gate.width).toBe(32)
  })
  it('is a ceiling where it is a number', async () => {
    const { gate } = createGate({ concurrency: 6 })
    for (let i = 0; i < 100; i++) await answer(gate, 200)
    expect(gate.width).toBe(6)
  })
  it('is halved by a time-out', async () => {
    const { gate } = createGate({ concurrency: 16 })
    gate.observe(await gate.admit(never), { lost: 'time-out' })
    expect(gate.width).toBe(8)
    gate.observe(await gate.admit(never), { lost: 'connection' })
    expect(gate.width).toBe(8)
  })
  it('is halved when answers take twice as long as the first fifty', async () => {
    const { gate, clock } = createGate()
    const answers = async (count: number, milliseconds: number) => {
      for (let i = 0; i < count; i++) {
        const leave = await gate.admit(never)
        await clock.pass(milliseconds)
        gate.observe(leave, { status: 200, headers: {} })
      }
    }
    await answers(100, 20)
    const before = gate.width
    await answers(50, 60)
    expect(gate.width).toBe(Math.floor((before + 6) / 2))
  })
  it('bounds what is under way', async () => {
    const { gate, clock } = createGate()
    const leaves = Array.from({ length: 9 }, () => gate.admit(never))
    const first = await leaves[0]
    expect(await isAdmitted(clock, Promise.resolve(leaves[3]))).toBe(true)
    expect(await isAdmitted(clock, Promise.resolve(leaves[4]))).toBe(false)
    if (first !== undefined) gate.observe(first, { status: 200, headers: {} })
    expect(await isAdmitted(clock, Promise.resolve(leaves[4]))).toBe(true)
  })
})

describe('what the instance says is left', () => {
  const limits = (clock: ScriptedClock, remaining: number): Headers => ({
    'ratelimit-limit': '100',
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(clock.now() / 1000 + 10),
  })
  /** Counts the requests that are admitted within some milliseconds. Their answers have no RateLimit headers. */
  const within = async (gate: FleetGate, clock: ScriptedClock, milliseconds: number) => {
    let sent = 0
    for (let i = 0; i < 50; i++)
      gate.admit(never).then((leave) => {
        sent += 1
        gate.observe(leave, { status: 200, headers: {} })
      })
    await clock.pass(milliseconds)
    return sent
  }
  it('is not asked for once it is nothing', async () => {
    const { gate, clock } = createGate()
    await answer(gate, 200, limits(clock, 0))
    expect(await within(gate, clock, 9990)).toBe(0)
    await clock.pass(20)
    expect(await isAdmitted(clock, gate.admit(never))).toBe(true)
  })
  it('is spread over nine tenths of the time once it is less than three tenths', async () => {
    const { gate, clock } = createGate()
    await answer(gate, 200, limits(clock, 20))
    const half = await within(gate, clock, 4500)
    expect(half).toBeGreaterThanOrEqual(9)
    expect(half).toBeLessThanOrEqual(13)
    await clock.pass(4500)
    expect(gate.width).toBeGreaterThan(4)
  })
  it('is taken at once while it is enough', async () => {
    const { gate, clock } = createGate({ concurrency: 50 })
    await answer(gate, 200, limits(clock, 90))
    expect(await within(gate, clock, 0)).toBe(50)
  })
})

describe('who waits', () => {
  it('is let go when interrupted', async () => {
    const { gate, clock } = createGate()
    await answer(gate, 429, { 'retry-after': '100' })
    const interruption = new AbortController()
    const leave = gate.admit(interruption.signal)
    interruption.abort()
    await expect(leave).rejects.toMatchObject({ category: 'interrupted' })
    await clock.pass(200_000)
    await expect(gate.admit(never)).resolves.toBeDefined()
  })
  it('is denied when a listener ends it all', async () => {
    const { gate } = createGate({ concurrency: 1 })
    const dead = new Failure('auth', 'dead')
    let refusal: Failure | undefined
    const came: unknown[] = []
    const leaveOff = gate.listen({ onResult: (one) => came.push(one), getRefusal: () => refusal })
    const leave = await gate.admit(never)
    const waiting = gate.admit(never)
    refusal = dead
    gate.observe(leave, { status: 401, headers: {} })
    await expect(waiting).rejects.toBe(dead)
    expect(came).toHaveLength(1)
    leaveOff()
    await expect(gate.admit(never)).resolves.toBeDefined()
  })
})

describe('a rate', () => {
  it.each([
    ['100/s', 0.1],
    [' 0.5/s', 0.0005],
    ['600/min', 0.01],
    ['100', 0.1],
  ])('%s', (text, rate) => expect(parseRate(text)).toBeCloseTo(rate))
  it.each(['100/', '0/s', '-1/s', '5/h', 'fast', '1e3/s'])('%s is none', (text) => {
    expect(() => parseRate(text)).toThrow(Failure)
  })
  it('is the stricter of two', () => {
    expect(takeLowerRate(0.1, 0.2)).toBe(0.1)
    expect(takeLowerRate(undefined, 0.2)).toBe(0.2)
    expect(takeLowerRate()).toBeUndefined()
  })
  it('is kept over all requests', async () => {
    const { gate, clock } = createGate({ rate: parseRate('10/s'), concurrency: 32 })
    let sent = 0
    for (let i = 0; i < 100; i++)
      gate.admit(never).then((leave) => {
        sent += 1
        gate.observe(leave, { status: 200, headers: {} })
      })
    await clock.pass(5000)
    expect(sent).toBeGreaterThanOrEqual(49)
    expect(sent).toBeLessThanOrEqual(52)
  })
})

describe('gates', () => {
  it('are one for each origin', () => {
    const of = createGates({ clock: machineClock })
    expect(of('https://a.example/forge')).toBe(of('https://a.example'))
    expect(of('https://a.example')).not.toBe(of('https://b.example'))
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFailureLimit } from '../../../src/engine/command/global-flag.js'
import {
  getRunVerdict,
  type Item,
  type Outcome,
  type Report,
} from '../../../src/engine/work/report.js'
import { runWork, type WorkOptions } from '../../../src/engine/work/run.js'
import { SeenObjects } from '../../../src/engine/work/seen-objects.js'
import { Failure } from '../../../src/errors.js'
import type { Listener } from '../../../src/http/gate.js'
import { countDraws } from '../../support/draws.js'

async function* yieldItems(count: number): AsyncGenerator<Item> {
  for (let n = 1; n <= count; n++) yield { n, object: String(n) }
}
const waitTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const createDone = (n: number): Outcome<number> => ({ state: 'done', result: n })
const createFailure = (category: Failure['category'], status?: number) =>
  new Failure(category, 'no', status === undefined ? {} : { status })

interface RunResult {
  readonly places: number[]
  readonly report: Report
}
const completeRun = async (options: Partial<WorkOptions<number>> = {}): Promise<RunResult> => {
  const running = runWork({
    items: yieldItems(100),
    work: async ({ n }) => createDone(n),
    gate: { width: 4 },
    signal: new AbortController().signal,
    ...options,
  })
  const places: number[] = []
  for await (const { item } of running) places.push(item.n)
  return { places, report: await running.report }
}
const listNumbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe('a run', () => {
  it('hands outcomes on in the order of the input, whatever takes how long', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(4), { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        async (delays, width) => {
          let [underWay, most] = [0, 0]
          const { places } = await completeRun({
            items: yieldItems(delays.length),
            gate: { width },
            work: async ({ n }) => {
              underWay += 1
              most = Math.max(most, underWay)
              for (let i = 0; i < (delays[n - 1] ?? 0); i++) await waitTurn()
              underWay -= 1
              return createDone(n)
            },
          })
          expect(places).toEqual(listNumbers(delays.length))
          expect(most).toBeLessThanOrEqual(width)
        },
      ),
      { numRuns: countDraws(50) },
    )
  })
  it('begins objects in their order, however long it takes to look at each', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 40 }), async (delays) => {
        const begun: number[] = []
        await completeRun({
          items: yieldItems(delays.length),
          readBefore: async ({ n }) => {
            for (let i = 0; i < (delays[n - 1] ?? 0); i++) await waitTurn()
            if (n % 7 === 0) throw createFailure('interrupted')
          },
          record: {
            recordStart: async ({ n }) => void begun.push(n),
            recordOutcome: async () => {},
          },
        })
        expect(begun).toEqual(listNumbers(delays.length).filter((n) => n % 7 !== 0))
      }),
      { numRuns: countDraws(50) },
    )
  })
  it('starts nothing further than four widths ahead of what was handed on', async () => {
    let latest = 0
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const running = completeRun({
      gate: { width: 3 },
      work: async ({ n }) => {
        latest = Math.max(latest, n)
        if (n === 1) await held
        return createDone(n)
      },
    })
    for (let i = 0; i < 50; i++) await waitTurn()
    expect(latest).toBe(12)
    release()
    expect((await running).places).toEqual(listNumbers(100))
  })
  it('takes no more of the input than it works on, when nobody reads', async () => {
    let taken = 0
    async function* endless(): AsyncGenerator<Item> {
      for (;;) yield { n: ++taken, object: String(taken) }
    }
    const running = runWork({
      items: endless(),
      work: async ({ n }) => createDone(n),
      gate: { width: 4 },
      signal: new AbortController().signal,
    })
    const outcomes = running[Symbol.asyncIterator]()
    await outcomes.next()
    for (let i = 0; i < 50; i++) await waitTurn()
    expect(taken).toBeLessThanOrEqual(4 * 4 + 2)
    await outcomes.return?.()
    expect((await running.report).end).toBe('stopped')
  })
  it('takes the width that there is room for as it changes', async () => {
    const gate = { width: 1 }
    let [underWay, most] = [0, 0]
    await completeRun({
      gate,
      work: async ({ n }) => {
        most = Math.max(most, ++underWay)
        await waitTurn()
        underWay -= 1
        if (n === 20) gate.width = 6
        return createDone(n)
      },
    })
    expect(most).toBe(6)
  })
  it('keeps counts and the first twenty failures', async () => {
    const { report } = await completeRun({
      work: async ({ n }) => {
        if (n % 2 === 0) throw createFailure('not_found', 404)
        if (n === 1) throw new Failure('unreachable', 'lost', { unknownOutcome: true })
        return n === 3 ? { state: 'unchanged' } : createDone(n)
      },
    })
    expect(report.counts).toEqual({ done: 48, unchanged: 1, failed: 50, unknown: 1, not_tried: 0 })
    expect(report.failures).toHaveLength(20)
    expect(report.failures.map(({ item }) => item.n)).toEqual(expect.arrayContaining([1, 2, 4]))
    expect(getRunVerdict(report)).toMatchObject({ exitCode: 8, message: '51 of 100 failed' })
  })
  it('ends with the category that all failures have in common, where all failed', async () => {
    const { report } = await completeRun({
      items: yieldItems(3),
      work: async () => {
        throw createFailure('not_found', 404)
      },
    })
    expect(getRunVerdict(report)).toMatchObject({ exitCode: 4, message: 'all 3 failed' })
    expect(getRunVerdict((await completeRun()).report)).toBeUndefined()
  })
  it('throws a defect, after what was under way has ended', async () => {
    let underWay = 0
    const defect = new TypeError('a defect')
    const running = completeRun({
      work: async ({ n }) => {
        underWay += 1
        await waitTurn()
        underWay -= 1
        if (n === 5) throw defect
        return createDone(n)
      },
    })
    await expect(running).rejects.toBe(defect)
    expect(underWay).toBe(0)
  })
  it('throws what broke the input, after what came before it', async () => {
    async function* broken(): AsyncGenerator<Item> {
      yield* yieldItems(5)
      throw new Error('the pipe broke')
    }
    const seen: number[] = []
    const running = runWork({
      items: broken(),
      work: async ({ n }) => createDone(n),
      gate: { width: 4 },
      signal: new AbortController().signal,
    })
    await expect(
      (async () => {
        for await (const { item } of running) seen.push(item.n)
      })(),
    ).rejects.toThrow('the pipe broke')
    expect(seen).toEqual(listNumbers(5))
  })
})

describe('the breaker', () => {
  const refusing = (category: Failure['category'], status?: number) => async (): Promise<never> => {
    throw createFailure(category, status)
  }
  it.each([
    ['ten 401', 'auth', 401, 3, 10],
    ['no credential ten times', 'auth', undefined, 3, 10],
    ['twenty that are not there', 'unreachable', undefined, 7, 20],
  ] as const)('stops at %s in a row', async (_, category, status, exitCode, tried) => {
    const { report } = await completeRun({
      work: refusing(category, status),
      countQueued: () => 100,
    })
    const { failed, not_tried } = report.counts
    expect(failed).toBeGreaterThanOrEqual(tried)
    expect(failed).toBeLessThan(tried + 4)
    expect(failed + not_tried).toBe(100)
    expect(report.end).toBe('stopped')
    expect(getRunVerdict(report)).toMatchObject({ exitCode })
    expect(getRunVerdict(report)?.message).toMatch(
      /^stopped: .* in a row; 0 done, .* not attempted$/,
    )
  })
  it.each([
    ['auth', 403],
    ['not_found', 404],
    ['failed', 422],
  ] as const)('does not stop for %s %i', async (category, status) => {
    const { report } = await completeRun({ work: refusing(category, status) })
    expect(report.counts.failed).toBe(100)
  })
  it('does not stop where one goes well in between', async () => {
    const { report } = await completeRun({
      gate: { width: 1 },
      work: async ({ n }) => {
        if (n % 10 !== 0) throw createFailure('auth', 401)
        return createDone(n)
      },
    })
    expect(report.end).toBe('completed')
  })
  it('counts attempts as they come: twenty at once end it, with retries to come', async () => {
    let listener: Listener | undefined
    const gate = {
      width: 32,
      listen: (one: Listener) => {
        listener = one
        return () => {}
      },
    }
    // Each item times out once, and then asks the gate for a second attempt.
    const work = async (): Promise<never> => {
      await waitTurn()
      listener?.onResult({ lost: 'time-out' })
      await waitTurn()
      const refusal = listener?.getRefusal()
      if (refusal !== undefined) throw refusal
      return new Promise<never>(() => {})
    }
    const { report } = await completeRun({ gate, work, countQueued: () => 100 })
    expect(report.counts).toMatchObject({ failed: 32, not_tried: 68 })
    expect(getRunVerdict(report)).toMatchObject({ exitCode: 7 })
  })
  it('stops where the gate’s patience has ended, which is everybody’s', async () => {
    const gate = { width: 2, listen: () => () => {} }
    const { report } = await completeRun({ gate, work: refusing('rate_limited', 429) })
    expect(report.counts.failed).toBeLessThanOrEqual(3)
    expect(getRunVerdict(report)).toMatchObject({ exitCode: 6 })
  })
})

describe('--max-failures', () => {
  const third = async ({ n }: Item): Promise<Outcome<number>> => {
    if (n % 3 === 0) throw createFailure('not_found', 404)
    return createDone(n)
  }
  it('stops handing out once reached, and waits for what is under way', async () => {
    const { report } = await completeRun({
      work: third,
      failureLimit: { count: 5 },
      gate: { width: 1 },
    })
    expect(report).toMatchObject({ end: 'stopped', counts: { failed: 5, done: 10 } })
    expect(getRunVerdict({ ...report, counts: { ...report.counts, not_tried: 85 } })).toMatchObject(
      {
        exitCode: 8,
        message: 'stopped after too many failures; 10 done, 5 failed, 85 not attempted',
      },
    )
  })
  it('is judged as a part from the twentieth outcome on', async () => {
    const { report } = await completeRun({
      work: third,
      failureLimit: { percent: 10 },
      gate: { width: 1 },
    })
    expect(report.counts.failed + report.counts.done).toBe(20)
  })
  it('takes a number or a part', () => {
    expect(parseFailureLimit('1')).toEqual({ count: 1 })
    expect(parseFailureLimit('2.5%')).toEqual({ percent: 2.5 })
    for (const text of ['0', '-1', '1.5', '0%', '101%', 'many', ''])
      expect(() => parseFailureLimit(text)).toThrow(Failure)
  })
})

describe('an interruption', () => {
  it('ends the run; what was under way is not known', async () => {
    const controller = new AbortController()
    const { places, report } = await completeRun({
      signal: controller.signal,
      gate: { width: 2 },
      countQueued: () => 100,
      work: async ({ n }) => {
        if (n === 9) controller.abort()
        if (n >= 9) throw new Failure('interrupted', 'interrupted')
        await waitTurn()
        return createDone(n)
      },
    })
    expect(places).toEqual(listNumbers(8))
    expect(report.end).toBe('interrupted')
    expect(report.counts.unknown).toBeGreaterThanOrEqual(1)
    expect(report.counts.done + report.counts.unknown + report.counts.not_tried).toBe(100)
    expect(getRunVerdict(report)).toMatchObject({ exitCode: 130 })
  })
})

describe('what is on record', () => {
  it('is begun before anything is sent, and nothing is sent that is not', async () => {
    const events: string[] = []
    const full = new Failure('failed', 'no space left')
    const running = completeRun({
      gate: { width: 1 },
      record: {
        recordStart: async ({ n }) => {
          await waitTurn()
          if (n === 4) throw full
          events.push(`begun ${n}`)
        },
        recordOutcome: async ({ n }, { state }) => {
          events.push(`${state} ${n}`)
        },
      },
      work: async ({ n }) => {
        events.push(`sent ${n}`)
        return createDone(n)
      },
    })
    await expect(running).rejects.toBe(full)
    expect(events).toEqual(listNumbers(3).flatMap((n) => [`begun ${n}`, `sent ${n}`, `done ${n}`]))
  })
})

describe('objects given before', () => {
  it('are known again: numbers, text, and by their parents', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record(
            {
              object: fc.oneof(fc.nat(50).map(String), fc.constantFrom('a/b', 'a', '')),
              parent: fc.oneof(fc.nat(3).map(String), fc.constantFrom('a', 'a/b')),
            },
            { requiredKeys: ['object'] },
          ),
        ),
        (given) => {
          const seen = new SeenObjects()
          const plain = new Set<string>()
          for (const one of given) {
            const key = JSON.stringify([one.object, one.parent])
            expect(seen.add(one)).toBe(!plain.has(key))
            plain.add(key)
          }
        },
      ),
    )
  })
  it('are the same with zeros before them', () => {
    const seen = new SeenObjects()
    expect(seen.add({ object: '7' })).toBe(true)
    expect(seen.add({ object: '007' })).toBe(false)
    expect(seen.add({ object: '7', parent: '1' })).toBe(true)
    expect(seen.add({ object: '07', parent: '01' })).toBe(false)
  })
  it('stay apart when there are many', () => {
    const seen = new SeenObjects()
    const numbers = [0, 1, 65_535, 65_536, 999_999_999_999_999]
    for (let i = 0; i < 5000; i++) numbers.push(2 + i * 13, 70_000 + i, 1_000_000 + i * 70_000)
    for (const number of numbers) expect(seen.add({ object: String(number) })).toBe(true)
    for (const number of numbers) expect(seen.add({ object: String(number) })).toBe(false)
    for (let i = 0; i < 20_000; i++) expect(seen.add({ object: `p/${i}` })).toBe(true)
    for (let i = 0; i < 20_000; i++) expect(seen.add({ object: `p/${i}` })).toBe(false)
  })
})

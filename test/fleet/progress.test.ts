import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.js'
import { closingLine, progressLine, Speed, spanText } from '../../src/fleet/progress.js'
import type { Failed, Report } from '../../src/fleet/report.js'

const none = { done: 0, unchanged: 0, failed: 0, unknown: 0, not_tried: 0 }
const report = (
  counts: Partial<Report['counts']>,
  categories: Failure['category'][] = [],
): Report => ({
  end: 'completed',
  counts: { ...none, ...counts },
  failures: categories.map(
    (category, i): Failed => ({
      item: { n: i + 1, object: String(i) },
      failure: new Failure(category, 'no'),
    }),
  ),
  alike: undefined,
  cause: undefined,
  tooMany: false,
})

describe('the line of progress', () => {
  it('says how far it is, how fast, and what is waited for', () => {
    expect(
      progressLine({
        command: 'runners pause',
        done: 4213,
        total: 10_000,
        failed: 3,
        rate: 118,
        waiting: { milliseconds: 11_400, why: 'the instance allows 600 a minute' },
      }),
    ).toBe(
      'runners pause  4,213/10,000  42%  3 failed  118/s  ETA 50 s  (waiting 12 s: the instance allows 600 a minute)',
    )
  })
  it('leaves out what is not known', () => {
    expect(progressLine({ command: 'jobs list', done: 1200, failed: 0 })).toBe('jobs list  1,200')
    expect(progressLine({ command: 'x', done: 0, total: 5, failed: 0 })).toBe('x  0/5  0%')
    expect(progressLine({ command: 'x', done: 5, total: 5, failed: 0, rate: 2.51 })).toBe(
      'x  5/5  100%  2.5/s',
    )
    expect(progressLine({ command: 'x', done: 1, failed: 0, rate: 0.05 })).toBe('x  1  3.0/min')
  })
  it.each([
    [0.2, '1 s'],
    [119, '119 s'],
    [120, '2 min'],
    [7200, '2 h'],
    [7500, '2 h 5 min'],
  ])('%i seconds are %s', (seconds, text) => expect(spanText(seconds)).toBe(text))
})

describe('the speed', () => {
  it('is that of the last ten seconds', () => {
    let now = 0
    const speed = new Speed(() => now)
    expect(speed.value).toBeUndefined()
    for (; now < 20_000; now += 10) speed.add()
    expect(speed.value).toBeCloseTo(100, -1)
    for (; now < 40_000; now += 100) speed.add()
    expect(speed.value).toBeCloseTo(10, 0)
  })
})

describe('the closing line', () => {
  it('says what became of all, where the journal is, and how to go on', () => {
    const ended = report({ done: 9994, unchanged: 3, failed: 3 }, [
      'not_found',
      'auth',
      'not_found',
    ])
    expect(closingLine(ended, { file: '/x.ndjson', again: 'runners pause --resume last' })).toBe(
      '9,994 done, 3 already so, 3 failed (2 not found, 1 refused). Journal: /x.ndjson — svcctl runners pause --resume last tries the failed ones again',
    )
  })
  it('says no more than there is', () => {
    const kept = { file: '/x', again: 'x y --resume last' }
    expect(closingLine(report({ done: 2 }))).toBe('2 done')
    expect(closingLine(report({ done: 2 }), kept)).toBe('2 done. Journal: /x')
    expect(closingLine(report({ done: 2, not_tried: 5, unknown: 1 }), kept)).toBe(
      '2 done, 1 not known, 5 not tried. Journal: /x — svcctl x y --resume last does the rest, and tries the failed ones again',
    )
    expect(closingLine(report({ failed: 21 }, Array(20).fill('auth')))).toBe('0 done, 21 failed')
    const failed = report({ failed: 1 }, ['auth'])
    expect(closingLine(failed, { ...kept, again: undefined })).toBe(
      '0 done, 1 failed (1 refused). Journal: /x',
    )
  })
})

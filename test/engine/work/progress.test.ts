import { describe, expect, it } from 'vitest'
import {
  type FailedItem,
  formatClosingLine,
  OutcomeCounter,
  type Report,
} from '../../../src/engine/work/report.js'
import { Failure } from '../../../src/errors.js'

const none = { done: 0, unchanged: 0, failed: 0, unknown: 0, not_tried: 0 }
const report = (
  counts: Partial<Report['counts']>,
  categories: Failure['category'][] = [],
): Report => ({
  end: 'completed',
  counts: { ...none, ...counts },
  failures: categories.map(
    (category, i): FailedItem => ({
      item: { n: i + 1, object: String(i) },
      failure: new Failure(category, 'no'),
    }),
  ),
  alike: undefined,
  mayHelp: true,
  cause: undefined,
  tooMany: false,
})

describe('the closing line', () => {
  it('says what became of all, where the journal is, and how to go on', () => {
    const ended = report({ done: 9994, unchanged: 3, failed: 3 }, [
      'not_found',
      'auth',
      'not_found',
    ])
    expect(
      formatClosingLine(ended, { file: '/x.ndjson', resumeLine: 'runners pause --resume last' }),
    ).toBe(
      '9,994 done, 3 unchanged, 3 failed (2 not found, 1 refused). Journal: /x.ndjson — svcctl runners pause --resume last retries the failed objects',
    )
  })
  it('offers to go on only where that can help', () => {
    const kept = { file: '/x', resumeLine: 'x y --resume last' }
    const lasting = (counts: Partial<Report['counts']>) => ({ ...report(counts), mayHelp: false })
    expect(formatClosingLine(lasting({ failed: 2 }), kept)).toBe('0 done, 2 failed. Journal: /x')
    expect(formatClosingLine(lasting({ failed: 2, not_tried: 1 }), kept)).toMatch(
      /last completes the run$/,
    )
  })
  it('says no more than there is', () => {
    const kept = { file: '/x', resumeLine: 'x y --resume last' }
    expect(formatClosingLine(report({ done: 2 }))).toBe('2 done')
    expect(formatClosingLine(report({ done: 2 }), kept)).toBe('2 done. Journal: /x')
    expect(formatClosingLine(report({ done: 2, not_tried: 5, unknown: 1 }), kept)).toBe(
      '2 done, 1 unknown, 5 not attempted. Journal: /x — svcctl x y --resume last completes the run and checks the unknown objects',
    )
    expect(formatClosingLine(report({ not_tried: 5, unknown: 1, failed: 2 }), kept)).toContain(
      'last completes the run, retries the failed objects and checks the unknown objects',
    )
    expect(formatClosingLine(report({ failed: 21 }, Array(20).fill('auth')))).toBe(
      '0 done, 21 failed',
    )
    expect(formatClosingLine(report({ done: 2 }), { ...kept, cut: 'same' })).toBe(
      '2 done. Journal: /x — svcctl x y --resume last - completes the run with the same input',
    )
    const failed = report({ failed: 1 }, ['auth'])
    expect(formatClosingLine(failed, { ...kept, resumeLine: undefined })).toBe(
      '0 done, 1 failed (1 refused). Journal: /x',
    )
  })
})

describe('resuming a run', () => {
  const item = { n: 1, object: '1' }
  it.each([
    ['a missing object', 'failed', { status: 404 }, false],
    ['a refused object', 'failed', { status: 403 }, false],
    ['a read-only instance', 'failed', { status: 403, advice: { code: 'maintenance' } }, true],
    ['an instance in maintenance', 'failed', { status: 503 }, true],
    ['a lost answer', 'unknown', {}, true],
    ['a deletion that was repeated', 'unknown', { status: 404 }, true],
    ['a lost answer that nothing shows', 'unknown', { unverifiable: true }, false],
  ] as const)('may help after %s, or not', (_, state, details, helps) => {
    const counter = new OutcomeCounter()
    counter.add({ item, outcome: { state, failure: new Failure('failed', 'no', details) } })
    expect(counter.mayHelp).toBe(helps)
  })

  it.each([
    ['not_found', {}, false],
    ['conflict', {}, false],
    ['conflict', { status: 503 }, true],
    ['unreachable', {}, true],
  ] as const)('may help after a failure of the kind %s with %j, or not', (kind, details, helps) => {
    const counter = new OutcomeCounter()
    counter.add({ item, outcome: { state: 'failed', failure: new Failure(kind, 'no', details) } })
    expect(counter.mayHelp).toBe(helps)
  })
})

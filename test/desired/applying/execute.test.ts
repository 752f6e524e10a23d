/** Tests the execution of a plan: actions of one object run in order, and an action is skipped if one that it waits for failed. */
import { describe, expect, it } from 'vitest'
import { holdText } from '../../../src/base/secrets/redact.js'
import { type ExecutionOptions, executePlan } from '../../../src/desired/applying/execute.js'
import { Failure } from '../../../src/errors.js'
import { createAction, createCarrier, type Limits, Rules } from './parts.js'

const getOptions = ({ instance, view }: Rules, limits: Limits = {}): ExecutionOptions => ({
  instance,
  view,
  secrets: { value: async () => holdText('') },
  carryOut: createCarrier(limits),
})
const createRule = (name: string, id = 0) => ({ id, name, approvals_required: 1 })
const waitTurns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

describe('a plan', () => {
  it('is serial within an object, and side by side between objects', async () => {
    const rules = new Rules({})
    const under = new Map<string, number>()
    let most = 0
    rules.before = async ({ values }) => {
      const path = String(values.id)
      under.set(path, (under.get(path) ?? 0) + 1)
      expect(under.get(path)).toBe(1)
      most = Math.max(most, [...under.values()].filter((n) => n > 0).length)
      await waitTurns(3)
    }
    rules.after = ({ values }) => {
      under.set(String(values.id), 0)
    }
    const actions = ['a', 'b', 'c'].flatMap((name) => [
      createAction('create', 'x/one', createRule(name)),
      createAction('create', 'x/two', createRule(name)),
    ])
    const { report } = await executePlan(actions, getOptions(rules))
    expect(report.counts).toMatchObject({ done: 6, failed: 0, not_tried: 0 })
    expect(most).toBe(2)
    expect(rules.sent.filter((line) => line.includes('x/one'))).toEqual([
      'POST x/one a',
      'POST x/one b',
      'POST x/one c',
    ])
  })

  it.each([1, 4])(
    'does what waits later, at width %i, and skips it after a failure',
    async (width) => {
      const rules = new Rules({})
      rules.before = async ({ values }) => {
        await waitTurns(values.name === 'first' ? 8 : 1)
        if (values.name === 'bad') throw new Failure('auth', 'no', { status: 403 })
      }
      const first = createAction('create', 'x/one', createRule('first'))
      const bad = createAction('create', 'x/two', createRule('bad'))
      const after = createAction('create', 'x/three', createRule('after'), { waitsFor: [first.id] })
      const skipped = createAction('create', 'x/four', createRule('never'), {
        waitsFor: [first.id, bad.id],
      })
      const last = createAction('create', 'x/five', createRule('nor'), { waitsFor: [skipped.id] })
      const {
        outcomes,
        skipped: left,
        report,
      } = await executePlan(
        [first, bad, after, skipped, last],
        getOptions(rules, { gate: { width } }),
      )
      expect(rules.sent).toEqual(['POST x/one first', 'POST x/three after'])
      expect([...left]).toEqual([
        [skipped.id, bad.id],
        [last.id, skipped.id],
      ])
      expect(outcomes.get(after.id)?.state).toBe('done')
      // All three actions failed for the same reason.
      expect([report.counts.failed, report.alike]).toEqual([3, 'auth'])
    },
  )

  it('tries no more once as many failed as may', async () => {
    const rules = new Rules({})
    rules.before = () => {
      throw new Failure('failed', 'no', { status: 400 })
    }
    const actions = ['a', 'b', 'c', 'd'].map((name) =>
      createAction('create', 'x/one', createRule(name)),
    )
    const { report, outcomes } = await executePlan(
      actions,
      getOptions(rules, { gate: { width: 1 }, failureLimit: { count: 2 } }),
    )
    expect(report.counts).toMatchObject({ failed: 2, not_tried: 2 })
    expect(outcomes.size).toBe(2)
  })

  it('leaves nobody waiting when it is interrupted', async () => {
    const rules = new Rules({})
    const stop = new AbortController()
    rules.before = () => {
      stop.abort()
      throw new Failure('interrupted', 'interrupted')
    }
    const first = createAction('create', 'x/one', createRule('first'))
    const second = createAction('create', 'x/two', createRule('second'), { waitsFor: [first.id] })
    const { report } = await executePlan(
      [first, second],
      getOptions(rules, { signal: stop.signal }),
    )
    expect(report.end).toBe('interrupted')
    expect(rules.sent).toEqual([])
  })
})

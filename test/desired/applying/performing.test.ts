/** Tests the execution of one action: its requests, its secrets, and the outcome if the answer was lost. */
import { describe, expect, it } from 'vitest'
import { holdText } from '../../../src/base/secrets/redact.js'
import { executeAction } from '../../../src/desired/applying/execute.js'
import { Failure } from '../../../src/errors.js'
import { createAction, createLostAnswer, Rules } from './parts.js'

const held = holdText('hidden')
const secrets = { value: async () => held }
const getParts = ({ instance, view }: Rules) => ({ instance, view, secrets })
const old = { id: 1, name: 'Old', approvals_required: 1 }
const wish = { id: 1, name: 'Old', approvals_required: 2 }

describe('an action', () => {
  it('sends the values of its secrets', async () => {
    const rules = new Rules({ 'a/b': [old] })
    const current: unknown[] = []
    rules.before = ({ values }) => {
      current.push(values)
    }
    const made = createAction('create', 'a/b', { id: 0, name: 'New', approvals_required: 1 })
    const step = { ...made.step, secrets: { token: { env: 'X' } } }
    const done = await executeAction(getParts(rules), { ...made, step })
    expect(rules.sent).toEqual(['POST a/b New'])
    expect(current[0]).toMatchObject({ name: 'New', token: 'hidden' })
    expect(done.set).toEqual([{ address: { ...made.address, attribute: 'token' }, value: held }])
  })

  it('that deletes what is gone has nothing to do', async () => {
    const rules = new Rules({ 'a/b': [] })
    rules.before = () => {
      throw new Failure('not_found', '404 Not found', { status: 404, lacks: 'record' })
    }
    expect((await executeAction(getParts(rules), createAction('delete', 'a/b', old))).gone).toBe(
      true,
    )
    await expect(
      executeAction(getParts(rules), createAction('update', 'a/b', wish)),
    ).rejects.toMatchObject({
      category: 'not_found',
    })
  })
})

describe('a lost answer', () => {
  it.each([
    ['create', { id: 0, name: 'New', approvals_required: 1 }],
    ['update', wish],
    ['delete', old],
  ] as const)('of a %s that was done is settled by reading', async (verb, rule) => {
    const rules = new Rules({ 'a/b': [old] })
    rules.after = () => {
      throw createLostAnswer()
    }
    await executeAction(getParts(rules), createAction(verb, 'a/b', rule, { before: old }))
    expect([rules.sent.length, rules.reads]).toEqual([1, 1])
  })

  it('of a create that was not done says so, and is not sent again', async () => {
    const rules = new Rules({ 'a/b': [] })
    rules.before = () => {
      throw createLostAnswer()
    }
    const failed = await executeAction(getParts(rules), createAction('create', 'a/b', wish)).catch(
      (error: unknown) => error,
    )
    expect(failed).toMatchObject({ message: expect.stringContaining('the change was not made') })
    expect(failed).not.toMatchObject({ details: { unknownOutcome: true } })
    expect(rules.sent).toEqual([])
  })

  it.each([
    ['the object is otherwise than before and than wanted', () => {}],
    [
      'nothing can be read',
      () => {
        throw new Failure('unreachable', 'gone')
      },
    ],
  ])('stays unknown where %s', async (_, reading) => {
    const rules = new Rules({ 'a/b': [{ ...old, approvals_required: 7 }] })
    rules.reading = reading
    rules.before = () => {
      throw createLostAnswer()
    }
    await expect(
      executeAction(getParts(rules), createAction('update', 'a/b', wish, { before: old })),
    ).rejects.toMatchObject({ details: { unknownOutcome: true } })
  })

  it('of an update that left the object as it was says that the change was not made', async () => {
    const rules = new Rules({ 'a/b': [old] })
    rules.before = () => {
      throw createLostAnswer()
    }
    const failed = await executeAction(
      getParts(rules),
      createAction('update', 'a/b', wish, { before: old }),
    ).catch((error: unknown) => error)
    expect(failed).toMatchObject({ message: expect.stringContaining('the change was not made') })
    expect(failed).not.toMatchObject({ details: { unknownOutcome: true } })
  })
})

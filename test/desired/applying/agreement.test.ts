/** Tests the comparison of written values with the state of the instance afterwards. */

import { describe, expect, it } from 'vitest'
import {
  managedKinds,
  projectIntegrations,
  projectKeys,
  projectMembers,
} from '../../../src/catalogue/managed.js'
import {
  findActionItem,
  findDifferences,
  matchConfirmedPlan,
  verifyActions,
} from '../../../src/desired/applying/verify.js'
import { absentDigest } from '../../../src/desired/attributes.js'
import { isManaged } from '../../../src/desired/reading/records.js'
import { Failure } from '../../../src/errors.js'
import { createAction, Rules, toCurrentRule } from './parts.js'

const old = { id: 1, name: 'Old', approvals_required: 1, user_ids: [2, 1] }

describe('an action and what is there', () => {
  it.each([
    ['create', { ...old, id: 0 }, [toCurrentRule(old)], []],
    ['create', { ...old, id: 0, user_ids: [1, 2] }, [toCurrentRule(old)], []],
    ['create', { ...old, id: 0 }, [], ['the object does not exist']],
    ['delete', old, [], []],
    ['delete', old, [toCurrentRule(old)], ['the object still exists']],
    [
      'update',
      { ...old, approvals_required: 3 },
      [toCurrentRule(old)],
      ['the instance did not keep approvals_required: it has 1 instead of 3'],
    ],
  ] as const)('agree or not: %s %j', (verb, rule, items, texts) => {
    const found = findDifferences(createAction(verb, 'a/b', rule), items)
    expect(found.map(({ text }) => text)).toEqual(texts)
  })

  it('finds an item by its own numbers, else by its identity in any spelling', () => {
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'
    const item = { identity: key, label: 'deploy', at: { key_id: 9 }, attributes: {}, record: {} }
    const step = { values: { id: 'a/b', key: `${key} ana@home`, title: 'other' } }
    expect(findActionItem(projectKeys, step, [item])).toBe(item)
    const member = { identity: 'ana', at: { user_id: 5 }, attributes: {}, record: {} }
    expect(findActionItem(projectMembers, { values: { user_id: '5' } }, [member])).toBe(member)
    expect(findActionItem(projectMembers, { values: { user_id: 6 } }, [member])).toBeUndefined()
    const domain = { identity: 'b.x', at: { domain: 'b.x' }, attributes: {}, record: {} }
    for (const kind of managedKinds.filter(({ name }) => name === 'pages_domains'))
      expect(findActionItem(kind, { values: { domain: 'B.x' } }, [domain])).toBe(domain)
  })

  it('takes an integration that is off for deleted', () => {
    // Reads leave out an integration that is off, so verification does not find it.
    expect(isManaged(projectIntegrations, { slug: 'chat', active: '0' })).toBe(false)
    expect(isManaged(projectIntegrations, { slug: 'chat', active: true })).toBe(true)
  })
})

describe('verification', () => {
  const partsOf = ({ view }: Rules, slept: number[] = []) => ({
    view,
    each: async <T>(items: readonly T[], work: (item: T, index: number) => Promise<void>) => {
      for (const [i, item] of items.entries()) await work(item, i)
    },
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds)
    },
  })

  it('reads a kind of a place once, and says what was not kept after two more looks', async () => {
    const rules = new Rules({ 'a/b': [old] })
    const slept: number[] = []
    const good = createAction('update', 'a/b', old)
    const bad = createAction('update', 'a/b', { ...old, approvals_required: 5 })
    expect((await verifyActions(partsOf(rules, slept), [good])).unkept).toEqual([])
    expect([rules.reads, slept]).toEqual([1, []])
    const { unkept } = await verifyActions(partsOf(rules, slept), [good, bad])
    expect(unkept.map(({ action: { id } }) => id)).toEqual([bad.id])
    expect(rules.reads).toBe(4)
    expect(slept.reduce((sum, one) => sum + one)).toBe(2000)
  })

  it('is patient with an instance that takes a moment', async () => {
    const rules = new Rules({ 'a/b': [] })
    rules.reading = () => {
      if (rules.reads === 2) rules.projects.set('a/b', [old])
    }
    expect(
      (await verifyActions(partsOf(rules), [createAction('create', 'a/b', { ...old, id: 0 })]))
        .unkept,
    ).toEqual([])
  })

  it('says what could not be read once more', async () => {
    const rules = new Rules({ 'a/b': [] })
    rules.reading = () => {
      throw new Failure('auth', 'no')
    }
    const { unkept, unread } = await verifyActions(partsOf(rules), [
      createAction('delete', 'a/b', old),
    ])
    expect([unkept.length, unread[0]?.failure.category]).toEqual([0, 'auth'])
  })
})

describe('a plan that was agreed to', () => {
  const planOf = (
    actions: ReturnType<typeof createAction>[],
    sets: Readonly<Record<string, string>> = {},
  ) => ({
    actions,
    sets,
    findings: [],
    unread: [],
    refused: [],
    same: 0,
  })
  const one = createAction('update', 'a/b', old, { before: old })
  const two = createAction('create', 'a/b', { ...old, id: 0, name: 'New' })

  it('goes on where everything is as it was, with what was agreed to and no more', () => {
    const { actions, stale } = matchConfirmedPlan(planOf([one]), planOf([one, two]))
    expect([actions, stale]).toEqual([[one], []])
  })

  it.each([
    ['the object was changed since', one, { ...one, digest: 'other' }],
    ['the object no longer exists', one, { ...one, digest: absentDigest }],
    ['the object exists now', two, { ...two, digest: 'other' }],
    ['the plan for it is different now', one, undefined],
  ])('is stale where %s', (why, agreed, now) => {
    const { actions, stale } = matchConfirmedPlan(
      planOf([agreed]),
      planOf(now === undefined ? [] : [now]),
    )
    expect([actions, stale]).toEqual([[], [{ id: agreed.id, why }]])
  })

  it('is stale where an exact set has other items, though no action is about them', () => {
    const set = 'projects/a/b:approval_rules'
    const grown = matchConfirmedPlan(planOf([one], { [set]: 'x' }), planOf([one], { [set]: 'y' }))
    expect(grown.stale).toEqual([{ id: one.id, why: expect.stringContaining('exact set') }])
    const empty = matchConfirmedPlan(planOf([], { [set]: 'x' }), planOf([two], { [set]: 'y' }))
    expect(empty.stale).toEqual([{ id: set, why: expect.stringContaining('exact set') }])
  })
})

/** Tests the limits of a plan, which need confirmation beyond them: each limit, and the flag that lifts it. */

import { describe, expect, it } from 'vitest'
import type { DiffOptions } from '../../../src/desired/diff/context.js'
import { buildWish, planWorld } from './world.js'

const app = 'projects/platform/app'
const createRules = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    name: `R${i}`,
    rule_type: 'regular',
    approvals_required: 1,
    users: [],
    groups: [],
  }))
const createDeletions = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`R${i}`, null]))
const listRefusedFlags = async (
  had: number,
  said: Parameters<typeof buildWish>[2],
  limits?: DiffOptions['limits'],
): Promise<readonly string[]> =>
  (
    await planWorld(
      { [`${app}:approval_rules`]: createRules(had) },
      [buildWish(app, 'approval_rules', said)],
      {
        ...(limits === undefined ? {} : { limits }),
      },
    )
  ).refused.map(({ flag }) => flag)

describe('deletes', () => {
  const few = `--allow-removals ${app}:approval_rules`
  it('may be a quarter of a set of ten or more, half of one of four or more', async () => {
    // The maximum number of deletions for sets of 1, 2, 3 … items. The smallest sets may lose all items.
    const most = [1, 2, 3, 2, 2, 3, 3, 4, 4, 2, 2, 3]
    for (const [i, may] of most.entries()) {
      const had = i + 1
      expect([had, may, await listRefusedFlags(had, createDeletions(may))]).toEqual([had, may, []])
      if (may < had)
        expect([had, may, await listRefusedFlags(had, createDeletions(may + 1))]).toEqual([
          had,
          may,
          [few],
        ])
    }
  })
  it('may be more of the sets that are named, and no more in all', async () => {
    const removals = ['approval_rules']
    expect(await listRefusedFlags(12, createDeletions(10), { removals })).toEqual([])
    expect(await listRefusedFlags(12, createDeletions(11), { removals })).toEqual(['--max-deletes'])
    expect(await listRefusedFlags(5, createDeletions(3), { removals: ['members'] })).toEqual([few])
    expect(await listRefusedFlags(3, { $exact: true }, { removals })).toHaveLength(1)
  })
  it('may be ten in all', async () => {
    expect(await listRefusedFlags(40, createDeletions(10))).toEqual([])
    expect(await listRefusedFlags(100, createDeletions(11))).toEqual(['--max-deletes'])
    expect(await listRefusedFlags(40, createDeletions(11))).toEqual([few, '--max-deletes'])
  })
  it('may be as many as the flag says', async () => {
    expect(await listRefusedFlags(12, createDeletions(4), { deletes: { count: 4 } })).toEqual([])
    expect(await listRefusedFlags(12, createDeletions(4), { deletes: { count: 3 } })).toEqual([
      '--max-deletes',
    ])
    expect(await listRefusedFlags(100, createDeletions(50), { deletes: { percent: 50 } })).toEqual(
      [],
    )
    expect(await listRefusedFlags(4, createDeletions(3), { deletes: { percent: 50 } })).toEqual([
      '--max-deletes',
    ])
  })
  it('do not empty an exact set unasked', async () => {
    const flag = `--allow-empty ${app}:approval_rules`
    expect(await listRefusedFlags(2, { $exact: true })).toEqual([flag])
    expect(await listRefusedFlags(2, { $exact: true, New: { approvals_required: 1 } })).toEqual([])
    expect(await listRefusedFlags(2, { $exact: true }, { empty: ['approval_rules'] })).toEqual([])
    expect(await listRefusedFlags(2, createDeletions(2))).toEqual([])
  })
})

describe('changes', () => {
  const many = async (changed: number, projects: number, limits?: DiffOptions['limits']) =>
    (
      await planWorld(
        {},
        Array.from({ length: changed }, (_, i) =>
          buildWish(`projects/g/p${i}`, 'approval_rules', { New: { approvals_required: 1 } }),
        ),
        { projects, ...(limits === undefined ? {} : { limits }) },
      )
    ).refused.map(({ flag }) => flag)

  it('may be of ten projects, or of 30 % of those that are selected', async () => {
    expect(await many(10, 10)).toEqual([])
    expect(await many(11, 20)).toEqual(['--max-changes'])
    expect(await many(30, 100)).toEqual([])
    expect(await many(31, 100)).toEqual(['--max-changes'])
  })
  it('may be as many as the flag says', async () => {
    expect(await many(11, 20, { changes: { count: 11 } })).toEqual([])
    expect(await many(3, 20, { changes: { count: 2 } })).toEqual(['--max-changes'])
    expect(await many(11, 20, { changes: { percent: 60 } })).toEqual([])
  })
  it('are counted in words', async () => {
    const one = [buildWish('projects/g/p', 'approval_rules', { New: { approvals_required: 1 } })]
    const { refused } = await planWorld({}, one, { limits: { changes: { count: 0 } } })
    expect(refused.map(({ text }) => text)).toEqual(['1 project would change, more than 0'])
  })
})

/** Whatever state an instance is in: what is exported of it plans to nothing, and no secret is in it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { countDraws } from '../../support/draws.js'
import { inside } from '../inside.js'
import { exportOf, planOf } from './rounds.js'
import { leftOut, type RandomWrite, writes } from './writes.js'

const { readable, send, fresh, asked } = inside()
const names = [...new Set(managedKinds.map(({ name }) => name))]

/** A state in which a runner of a project is called so: found with the seed 295774571. */
const called = (
  description: string,
): [
  RandomWrite[],
  Record<'exact' | 'operational' | 'factor' | 'allSettings', boolean>,
  string[],
] => [
  [{ method: 'PUT', path: '/runners/6', body: { description } }],
  { exact: false, operational: false, factor: false, allSettings: false },
  ['runners', 'deploy_keys', 'error_tracking'],
]

it('plans to nothing on random states', { timeout: 120_000 }, async () => {
  const taken = new Map<string, number>()
  const ways = fc.record({
    exact: fc.boolean(),
    operational: fc.boolean(),
    factor: fc.boolean(),
    allSettings: fc.boolean(),
  })
  const some = fc.subarray(names, { minLength: 3, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(writes, ways, some, async (list, how, only) => {
      const scoping = { only, except: leftOut }
      fresh()
      for (const { method, path, body } of list) {
        const { status } = await send(method, path, body)
        const kind = `${method} ${path.replace(/\d+/g, 'n')}`
        expect(status, kind).toBeLessThan(500)
        if (status < 300) taken.set(kind, (taken.get(kind) ?? 0) + 1)
      }
      asked.length = 0
      const document = await exportOf(readable, { ...how, scoping })
      expect(document).not.toMatch(/a-secret|hooks\.example/)
      const plan = await planOf(readable, document, scoping)
      expect(plan.actions.map(({ id, changes }) => ({ id, changes }))).toEqual([])
      expect([plan.unread, plan.refused]).toEqual([[], []])
      expect(plan.findings.filter(({ is }) => is === 'impossible')).toEqual([])
      expect(asked.filter((line) => !line.startsWith('GET '))).toEqual([])
    }),
    {
      numRuns: countDraws(80),
      examples: [called('@ '), called('@gpu'), called('@7'), called('7')],
    },
  )
  // Nearly every kind of write was taken by some state.
  expect(taken.size).toBeGreaterThan(12)
})

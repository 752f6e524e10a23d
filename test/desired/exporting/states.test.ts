/** Tests that the export of a random state produces an empty plan and contains no secret. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { countDraws } from '../../support/draws.js'
import { createLocalInstance } from '../inside.js'
import { exportDocument, planDocument } from './rounds.js'
import { excludedPlaces, type RandomWrite, writes } from './writes.js'

const { readable, send, fresh, asked } = createLocalInstance()
const names = [...new Set(managedKinds.map(({ name }) => name))]

/** Creates a state in which a runner of a project has this description. The seed 295774571 found it. */
const createNamedState = (
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
      const scoping = { only, except: excludedPlaces }
      fresh()
      for (const { method, path, body } of list) {
        const { status } = await send(method, path, body)
        const kind = `${method} ${path.replace(/\d+/g, 'n')}`
        expect(status, kind).toBeLessThan(500)
        if (status < 300) taken.set(kind, (taken.get(kind) ?? 0) + 1)
      }
      asked.length = 0
      const document = await exportDocument(readable, { ...how, scoping })
      expect(document).not.toMatch(/a-secret|hooks\.example/)
      const plan = await planDocument(readable, document, scoping)
      expect(plan.actions.map(({ id, changes }) => ({ id, changes }))).toEqual([])
      expect([plan.unread, plan.refused]).toEqual([[], []])
      expect(plan.findings.filter(({ is }) => is === 'impossible')).toEqual([])
      expect(asked.filter((line) => !line.startsWith('GET '))).toEqual([])
    }),
    {
      numRuns: countDraws(80),
      examples: [
        createNamedState('@ '),
        createNamedState('@gpu'),
        createNamedState('@7'),
        createNamedState('7'),
      ],
    },
  )
  // Some states accepted nearly every kind of write.
  expect(taken.size).toBeGreaterThan(12)
})

/**
 * Tests random files: after they are applied, the instance has their state, and each write is one of the plan.
 * The export from before then restores the earlier state to the byte.
 */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { holdText } from '../../../src/base/secrets/redact.js'
import { getMethod } from '../../../src/catalogue/endpoint.js'
import { managedKinds } from '../../../src/catalogue/managed.js'
import type { DesiredPlan } from '../../../src/desired/actions.js'
import { executePlan } from '../../../src/desired/applying/execute.js'
import { createStepRequest } from '../../../src/desired/planfile.js'
import { openView } from '../../../src/desired/reading/index.js'
import type { SelectionOptions } from '../../../src/desired/selection.js'
import { createCarrier } from '../applying/parts.js'
import { createLocalInstance } from '../inside.js'
import { exportDocument, planDocument } from './rounds.js'
import { createFiles } from './wishes.js'
import { excludedPlaces, restorableWrites } from './writes.js'

const { readable, call, send, fresh, asked } = createLocalInstance()
const names = [...new Set(managedKinds.map(({ name }) => name))]

/** The kinds of a round: single kinds, and kinds that depend on each other. */
const kindChoices = fc.oneof(
  { weight: 8, arbitrary: fc.subarray(names, { minLength: 1, maxLength: 1 }) },
  { weight: 3, arbitrary: fc.constant(['members', 'approval_rules']) },
  { weight: 1, arbitrary: fc.subarray(names, { minLength: 2, maxLength: 3 }) },
)

const randomFiles = kindChoices.chain((only) =>
  createFiles(only).map((wishes) => ({ only, wishes })),
)

/** The places that no file names. */
const untouchedPlaces = [
  'groups/web',
  'groups/labs',
  'groups/partners',
  'groups/platform/tools',
  'projects/platform/core/protocol',
]

const listWrites = (): readonly string[] => asked.filter((line) => !line.startsWith('GET '))

const planFor = async (document: string, scoping: SelectionOptions): Promise<DesiredPlan> => {
  asked.length = 0
  const plan = await planDocument(readable, document, scoping)
  expect(listWrites()).toEqual([])
  expect(plan.unread).toEqual([])
  return plan
}

/** Applies a document. Expects exactly the writes of its plan. */
const apply = async (document: string, scoping: SelectionOptions): Promise<DesiredPlan> => {
  const plan = await planFor(document, scoping)
  asked.length = 0
  const { outcomes } = await executePlan(plan.actions, {
    instance: { send: call },
    view: openView(readable, scoping),
    secrets: { value: async () => holdText('a-secret') },
    carryOut: createCarrier(),
  })
  for (const [id, outcome] of outcomes) expect(outcome, id).toMatchObject({ state: 'done' })
  const requests = plan.actions.map(
    ({ step }) => `${getMethod(step.endpoint)} ${createStepRequest(step).path}`,
  )
  expect([...listWrites()].sort()).toEqual(requests.sort())
  return plan
}

/** The number of random files, such as `SVCCTL_TEST_FILES=200`. */
const numRuns = Number(process.env.SVCCTL_TEST_FILES ?? 28)

it('is as random files want it, and as before where the export is applied', {
  timeout: 300_000,
}, async () => {
  const verbs = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(restorableWrites, randomFiles, async (list, { only, wishes }) => {
      const scoping = { only, except: [...excludedPlaces, ...untouchedPlaces] }
      fresh()
      for (const { method, path, body } of list) await send(method, path, body)
      const before = await exportDocument(readable, { exact: true, operational: true, scoping })
      const document = JSON.stringify(wishes)
      const { actions } = await apply(document, scoping)
      for (const { kind, verb } of actions)
        verbs.set(`${verb} ${kind.name}`, (verbs.get(`${verb} ${kind.name}`) ?? 0) + 1)
      const again = await planFor(document, scoping)
      expect(again.actions.map(({ id, changes }) => ({ id, changes }))).toEqual([])
      await apply(before, scoping)
      expect(await exportDocument(readable, { exact: true, operational: true, scoping })).toBe(
        before,
      )
    }),
    { numRuns, interruptAfterTimeLimit: 290_000 },
  )
  // Most kinds were created, changed and deleted.
  expect(verbs.size).toBeGreaterThan(14)
})

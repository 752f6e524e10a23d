/** Tests that a fresh export produces an empty plan. */
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { isObject } from '../../../src/base/objects.js'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { useSharedSandbox } from '../../sandbox/instance.js'
import { openRecordedInstance } from '../open.js'
import { exportDocument, planDocument, type RoundOptions } from './rounds.js'

const box = useSharedSandbox()

/** Lists the kinds that a document declares. */
const listKinds = (document: unknown): ReadonlySet<string> => {
  const { site, groups, projects } = document as Record<string, Record<string, object>>
  const below = (all: object = {}) => Object.values(all).filter(isObject)
  return new Set(
    [site ?? {}, ...below(groups), ...below(projects)].flatMap((one) => Object.keys(one)),
  )
}

it.each<[string, RoundOptions]>([
  ['plainly', {}],
  ['exactly', { exact: true }],
  ['with all there is', { operational: true, allSettings: true }],
  ['with what is shared said once', { factor: true, exact: true }],
])('the sample data, %s', async (_, ways) => {
  const { instance, asked } = openRecordedInstance(box.url(), 'sandbox-root-token')
  const document = await exportDocument(instance, ways)
  const names = new Set(managedKinds.map(({ name }) => name))
  if (ways.factor !== true) expect(listKinds(parse(document))).toEqual(names)
  const plan = await planDocument(instance, document)
  expect(plan.actions.map(({ id, changes }) => [id, changes])).toEqual([])
  expect(plan.unread).toEqual([])
  expect(plan.refused).toEqual([])
  expect(plan.same).toBeGreaterThan(50)
  expect(asked.filter((line) => !line.startsWith('GET '))).toEqual([])
  expect(plan.findings.map(({ is }) => is)).toEqual(['warning'])
})

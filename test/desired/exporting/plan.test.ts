/** What is exported plans to nothing. */
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { isObject } from '../../../src/base/objects.js'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { sandbox } from '../../sandbox/instance.js'
import { instanceAt } from '../open.js'
import { exportOf, planOf, type Ways } from './rounds.js'

const box = sandbox()

/** The kinds that a document has anything of. */
const kindsIn = (document: unknown): ReadonlySet<string> => {
  const { site, groups, projects } = document as Record<string, Record<string, object>>
  const below = (all: object = {}) => Object.values(all).filter(isObject)
  return new Set(
    [site ?? {}, ...below(groups), ...below(projects)].flatMap((one) => Object.keys(one)),
  )
}

it.each<[string, Ways]>([
  ['plainly', {}],
  ['exactly', { exact: true }],
  ['with all there is', { operational: true, allSettings: true }],
  ['with what is shared said once', { factor: true, exact: true }],
])('the sample data, %s', async (_, ways) => {
  const { instance, asked } = instanceAt(box.url(), 'sandbox-root-token')
  const document = await exportOf(instance, ways)
  const names = new Set(managedKinds.map(({ name }) => name))
  if (ways.factor !== true) expect(kindsIn(parse(document))).toEqual(names)
  const plan = await planOf(instance, document)
  expect(plan.actions.map(({ id, changes }) => [id, changes])).toEqual([])
  expect(plan.unread).toEqual([])
  expect(plan.refused).toEqual([])
  expect(plan.same).toBeGreaterThan(50)
  expect(asked.filter((line) => !line.startsWith('GET '))).toEqual([])
  expect(plan.findings.map(({ is }) => is)).toEqual(['warning'])
})

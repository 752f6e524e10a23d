/** The rule of names against the commands of the documents: each operation named without knowing its own command. */
import { expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { PathNames } from '../../src/extension/naming.js'
import { listDocumentedOperations } from '../../src/extension/read-source.js'

const all = listDocumentedOperations(
  await Promise.all(areas.map(async (row) => ({ area: row.name, endpoints: await row.load() }))),
)

/** Each operation with the name that the rule gives it, and whether that is its own. */
const table = all.map((one) => {
  const others = all.filter((other) => other !== one)
  const name = new PathNames([one], others).name(one)
  const own = `${one.area} ${one.command}`
  return {
    ...one,
    name,
    own,
    line: `${one.method} ${one.path}  ${name}${name === own ? '' : `  (${own})`}`,
  }
})

it('names at least 95 of the 132 documented operations exactly', async () => {
  expect(all).toHaveLength(132)
  expect(table.filter(({ name, own }) => name === own).length).toBeGreaterThanOrEqual(95)
  await expect(`${table.map(({ line }) => line).join('\n')}\n`).toMatchFileSnapshot(
    'golden/names.txt',
  )
})

it.each([
  ['/runners/:/merge_train_rules', 'runners merge-train-rules create'],
  ['/runners/:/copy_all_merge_rules', 'runners copy-all-merge-rules'],
  ['/runners/:/refresh', 'runners refresh'],
])('takes the last word of POST %s for objects or for a verb by its length', (path, name) => {
  const one = { method: 'POST', path, many: false }
  expect(new PathNames([one], all).name(one)).toBe(name)
})

it.each([
  ['pipeline', 'pipelines', 'pipelines create'],
  ['policy', 'policies', 'policies create'],
])('takes POST to /%s for an object of /%s', (one, several, name) => {
  const create = { method: 'POST', path: `/projects/:id/${one}`, many: false }
  const list = { method: 'GET', path: `/projects/:id/${several}`, many: true }
  const item = { method: 'GET', path: `/projects/:id/${several}/:item_id`, many: false }
  expect(new PathNames([create, list, item], all).name(create)).toBe(name)
  const read = { ...create, method: 'GET' }
  expect(new PathNames([create, read, list, item], all).name(create)).toBe(
    `${several} ${one} create`,
  )
})

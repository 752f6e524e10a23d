/** Tests runs of many plans: destructive ones are confirmed first, and the loss is noted if there is nobody to ask. */
import { expect, it } from 'vitest'
import { deployKeys } from '../../src/catalogue/areas/deploy-keys.js'
import type { BulkOptions } from '../../src/engine/bulk/plan-work.js'
import { BulkRunner } from '../../src/engine/bulk/runner.js'
import type { Details } from '../../src/engine/command/context.js'

const plan = {
  key: 'delete',
  endpoint: deployKeys.delete,
  values: { id: 2, key_id: 1 },
  label: '1',
}

const runBulk = async (how: BulkOptions, interactive = false) => {
  const said: string[] = []
  const engine = {
    send: async () => ({ status: 204, headers: {}, bytes: new Uint8Array(), data: undefined }),
    answer: {},
    report: { set: () => {} },
    ui: {
      interactive,
      note: (text: string) => said.push(`note: ${text}`),
      nameObjects: async () => ['key 1 "one"'],
      confirm: async (what: string, details: Details = []) => {
        const lines = typeof details === 'function' ? await details() : details
        said.push(`confirm: ${what} ${lines.join(', ')}`)
      },
    },
    globals: {},
    explainIrreversible: () => undefined,
    signal: new AbortController().signal,
    listed: false,
  }
  // The engine has only the parts that one plan needs.
  const runner = new BulkRunner(engine as unknown as ConstructorParameters<typeof BulkRunner>[0])
  for await (const row of runner.runPlans([plan], how))
    if (row.kind === 'note') said.push(`note: ${row.text}`)
  return said
}

it('confirms what an endpoint destroys, by the names of its objects', async () => {
  const [confirmed, done] = await runBulk({})
  expect(confirmed).toBe(`confirm: ${deployKeys.delete.destructive} key 1 "one"`)
  expect(done).toMatch(/^note: 1 of project 2: /)
})

it('confirms what the command knows to be lost', async () => {
  const loses = { what: 'All is lost.', details: ['this', 'that'] }
  expect((await runBulk({ loses }))[0]).toBe('confirm: All is lost. this, that')
})

it('tells what is lost where nobody can be asked, and only there', async () => {
  const loses = { what: 'Some go.', details: ['ana'], noteVerb: 'removes' }
  expect((await runBulk({ loses })).slice(0, 2)).toEqual([
    'note: removes ana',
    'confirm: Some go. ana',
  ])
  expect((await runBulk({ loses }, true))[0]).toBe('confirm: Some go. ana')
})

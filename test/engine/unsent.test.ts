/** Tests `--curl`: a planned action ends with its request, also in other modules, and real errors are passed on. */
import { expect, it } from 'vitest'
import { runners } from '../../src/catalogue/areas/runners.js'
import { CurlPrinter, UnsentInstance } from '../../src/engine/perform/curl.js'
import { createNoteRow, type Rows } from '../../src/engine/rows.js'
import { buildRequest } from '../../src/http/index.js'
import type { Ask } from '../../src/http/types.js'

const createUnsent = () => {
  const printed: string[] = []
  const parts = {
    exchange: {
      formatCurl: async ({ method, path }: { method: string; path: string }) => `${method} ${path}`,
      formatTransport: () => [],
      checkWrite: async () => {},
      build: async (ask: Ask) => buildRequest(ask),
    },
    lists: {
      request: async (ask: Ask) => ({ request: buildRequest(ask), tested: [] }),
      whole: buildRequest,
      checkNoListFlags: () => {},
    },
    print: async (rows: Rows) => {
      for await (const row of rows) if (row.kind === 'text') printed.push(String(row.chunk).trim())
    },
    ui: { note: () => {} },
  }
  // Planning is not tested here.
  const instance = new UnsentInstance({
    ...parts,
    planning: {},
  } as unknown as ConstructorParameters<typeof UnsentInstance>[0])
  const curl = new CurlPrinter(parts as unknown as ConstructorParameters<typeof CurlPrinter>[0])
  /** Expects that the command ends at the missing answer, before it yields a row. */
  const follow = async (work: () => Promise<unknown>): Promise<void> => {
    const rows = async function* (): Rows {
      await work()
      yield createNoteRow('went on')
    }
    for await (const row of curl.yieldUnanswered(rows())) expect(row).toBeUndefined()
  }
  return { instance, printed, follow }
}
const plan = (id: number) => ({ endpoint: runners.update, values: { id } })

it('ends with whatever was planned, and never reaches elsewhere', async () => {
  const { instance, printed, follow } = createUnsent()
  await follow(() => instance.send(plan(3)))
  const there = instance.createClientFor('https://other.example', undefined)
  const request = { method: 'GET', path: '/user', headers: {} }
  await follow(() => there.call(request))
  expect(printed).toEqual(['PUT /runners/3', 'curl https://other.example/api/v4/user'])
})

it('passes on what really went wrong', async () => {
  const { instance, follow } = createUnsent()
  const wrong = new Error('wrong')
  const fail = async () => {
    throw wrong
  }
  await expect(follow(() => instance.each([1, 2], fail))).rejects.toBe(wrong)
})

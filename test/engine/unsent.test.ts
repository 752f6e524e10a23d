/** `--curl`: what a command wants to know is printed and goes on; what it would do ends its object, then the run. */
import { expect, it } from 'vitest'
import { runners } from '../../src/catalogue/areas/runners.js'
import { UnsentInstance } from '../../src/engine/perform/curl.js'
import { Printed } from '../../src/engine/perform/requests.js'
import { buildRequest } from '../../src/http/index.js'
import type { Ask } from '../../src/http/types.js'

const unsent = () => {
  const printed: string[] = []
  const notes: string[] = []
  const parts = {
    exchange: {
      curlOf: async ({ method, path }: { method: string; path: string }) => `${method} ${path}`,
      guard: async () => {},
      build: async (ask: Ask) => buildRequest(ask),
    },
    lists: {
      request: async (ask: Ask) => ({ request: buildRequest(ask), tested: [] }),
      whole: buildRequest,
      refuseChoice: () => {},
    },
    answer: { write: async (text: string | Uint8Array) => void printed.push(String(text).trim()) },
    ui: { note: (text: string) => void notes.push(text) },
  }
  // Planning is handed through, and not looked at here.
  const instance = new UnsentInstance({
    ...parts,
    planning: {},
  } as unknown as ConstructorParameters<typeof UnsentInstance>[0])
  return { instance, printed, notes }
}
const plan = (id: number) => ({ key: 'update', endpoint: runners.update, values: { id } })

it('goes on after a read, with its fields, and says once what they are', async () => {
  const { instance, printed, notes } = unsent()
  const { data } = await instance.call(runners.get, { id: 7 })
  await instance.call(runners.get, { id: 8 })
  expect(data?.description).toBe('<description>')
  expect(printed).toEqual(['GET /runners/7', 'GET /runners/8'])
  expect(notes).toHaveLength(1)
})

it('ends an object at its write, the run after the last', async () => {
  const { instance, printed } = unsent()
  const begun: unknown[] = []
  const work = async (id: number) => {
    begun.push(id)
    await instance.call(runners.update, { id, active: true })
    throw new Error('went on after a write')
  }
  await expect(instance.each([1, 2], work)).rejects.toBeInstanceOf(Printed)
  expect(begun).toEqual([1, 2])
  expect(printed).toEqual(['PUT /runners/1', 'PUT /runners/2'])
})

it('ends with whatever was planned, and never reaches elsewhere', async () => {
  const { instance, printed } = unsent()
  await expect(instance.send(plan(3))).rejects.toBeInstanceOf(Printed)
  const there = instance.elsewhere('https://other.example', undefined)
  const request = { method: 'GET', path: '/user', headers: {} }
  await expect(there.call(request)).rejects.toBeInstanceOf(Printed)
  expect(printed).toEqual(['PUT /runners/3', 'curl https://other.example/api/v4/user'])
})

it('passes on what really went wrong', async () => {
  const { instance } = unsent()
  const wrong = new Error('wrong')
  await expect(
    instance.each([1, 2], async () => {
      throw wrong
    }),
  ).rejects.toBe(wrong)
})

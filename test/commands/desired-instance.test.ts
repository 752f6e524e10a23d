/** Tests the instance of a run, as declared state uses it. */
import { describe, expect, it } from 'vitest'
import { members } from '../../src/catalogue/areas/members.js'
import { runners } from '../../src/catalogue/areas/runners.js'
import { toReadable, toWritable } from '../../src/commands/plan/instance.js'
import { ListReader } from '../../src/engine/instance/listing.js'
import { LiveInstance, type Parts } from '../../src/engine/perform/live.js'
import { openInstance } from '../client/clients.js'
import { getRejection, sendJson, serve } from '../support/servers.js'

/** Opens the instance of a run, with a client for a test server. */
const openTestInstance = async (answer: Parameters<typeof serve>[0]) => {
  const { base, seen } = await serve(answer)
  const client = openInstance(base)
  const screen = {
    writer: () => Promise.reject(new Error('nothing is printed')),
    noteAtEnd: () => {},
  }
  const lists = new ListReader({ limit: 1 }, async () => client, screen)
  const parts = {
    lists,
    caller: { send: (ask: Parameters<typeof client.send>[0]) => client.send(ask) },
  }
  const instance = new LiveInstance(parts as unknown as Parts)
  return { run: { instance }, seen, url: base }
}
const list = { endpoint: members.listOfProject, values: { id: 7 } }

describe('a list', () => {
  it('comes whole, whatever the limit of the run, and keeps only what is wanted', async () => {
    const { run, seen, url } = await openTestInstance((request, response) => {
      const first = !(request.url ?? '').includes('page=2')
      const next = first ? { link: `<${url}/api/v4/projects/7/members?page=2>; rel="next"` } : {}
      sendJson(response, 200, [{ id: first ? 1 : 2 }, { id: first ? 3 : 4 }], next)
    })
    const instance = toReadable(run)
    expect(await instance.records(list)).toEqual([{ id: 1 }, { id: 3 }, { id: 2 }, { id: 4 }])
    expect(await instance.records(list, ({ id }) => Number(id) > 2)).toEqual([{ id: 3 }, { id: 4 }])
    expect(seen[0]?.url).toBe('/api/v4/projects/7/members?per_page=100')
  })

  it('that is not whole is none', async () => {
    const { run } = await openTestInstance((_, response) =>
      sendJson(response, 200, [{ id: 1 }], { 'x-next-page': '2' }),
    )
    expect(await getRejection(toReadable(run).records(list))).toMatchObject({
      category: 'unreachable',
      message: 'the list ended after 1, although the instance reported more',
    })
  })

  it('that holds what is no record is none, whatever is wanted of it', async () => {
    const { run } = await openTestInstance((_, response) => sendJson(response, 200, [{ id: 1 }, 7]))
    const records = toReadable(run).records(list, () => false)
    expect(await getRejection(records)).toMatchObject({ category: 'unreachable' })
  })
})

describe('one call', () => {
  it('goes as the catalogue says', async () => {
    const { run, seen } = await openTestInstance((_, response) =>
      sendJson(response, 200, { id: 7 }),
    )
    const instance = toWritable(run)
    expect((await instance.get({ endpoint: runners.get, values: { id: 7 } })).data).toEqual({
      id: 7,
    })
    await instance.send({ endpoint: runners.update, values: { id: 7, locked: true } })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v4/runners/7',
      'PUT /api/v4/runners/7',
    ])
  })
})

/** The client, its gate and the engine together, against an instance with a rate limit. */

import { describe, expect, it } from 'vitest'
import { machineClock } from '../../../src/base/async.js'
import { getRunVerdict, type Item } from '../../../src/engine/work/report.js'
import { runWork } from '../../../src/engine/work/run.js'
import { FleetGate } from '../../../src/http/gate.js'
import { sendJson, serve, serveRaw } from '../../support/servers.js'
import { buildGet, buildWrite, createTestClient } from '../clients.js'

async function* listItems(count: number): AsyncGenerator<Item> {
  for (let n = 1; n <= count; n++) yield { n, object: String(n) }
}
const { signal } = new AbortController()

describe('an instance that allows so many at a time', () => {
  it.each(['PUT', 'POST'])('is asked by nobody in vain: %s', async (method) => {
    let [tokens, refused] = [15, 0]
    const server = await serve((_, response) => {
      if (tokens > 0) {
        tokens -= 1
        return sendJson(response, 200, {})
      }
      refused += 1
      // The allowance is refilled after clients were told to wait.
      if (refused % 3 === 0) tokens = 25
      response.writeHead(429, { 'retry-after': '0.05' }).end('Retry later')
    })
    const gate = new FleetGate({ clock: machineClock, concurrency: 32 })
    const client = createTestClient(server.base, { gate, retries: 3 })
    const running = runWork({
      items: listItems(100),
      work: async ({ object }) => {
        const { status } = await client.call(buildWrite(method, `/runners/${object}`))
        return { state: 'done', result: status }
      },
      gate,
      signal,
    })
    const places: number[] = []
    for await (const { item } of running) places.push(item.n)
    expect(places).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    const report = await running.report
    expect(report.counts).toMatchObject({ done: 100, failed: 0 })
    expect(refused).toBeGreaterThan(0)
    expect(getRunVerdict(report)).toBeUndefined()
  })
  it('is asked for the pages of a list by the same gate', async () => {
    let refused = 0
    const server = await serve(({ url }, response, count) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
      if (count % 4 === 0) {
        refused += 1
        return response.writeHead(429, { 'retry-after': '0.02' }).end('Retry later')
      }
      const base = `http://127.0.0.1${url}`.replace(/[?&]page=\d+/, '')
      const link = page < 9 ? { link: `<${base}?page=${page + 1}>; rel="next"` } : {}
      sendJson(response, 200, [{ id: page }], { ...link, 'x-total-pages': '9', 'x-per-page': '1' })
    })
    const client = createTestClient(server.base, {
      gate: new FleetGate({ clock: machineClock }),
      retries: 3,
    })
    const ids: unknown[] = []
    for await (const batch of client.list(buildGet('/runners'), {}))
      for (const bytes of batch) ids.push(JSON.parse(Buffer.from(bytes).toString()).id)
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(refused).toBeGreaterThan(0)
  })
})

describe('an instance that is not there', () => {
  it('is given up after twenty attempts, however many retries there would be', async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy())
    const gate = new FleetGate({ clock: machineClock, concurrency: 8 })
    const client = createTestClient(server.base, { gate, retries: 50 })
    const running = runWork({
      items: listItems(100),
      work: async ({ object }) => {
        await client.call(buildWrite('PUT', `/runners/${object}`))
        return { state: 'done', result: undefined }
      },
      gate,
      signal,
      countQueued: () => 100,
    })
    for await (const _ of running);
    const report = await running.report
    expect(server.count()).toBeLessThan(20 + 8)
    expect(report.counts.done).toBe(0)
    expect(getRunVerdict(report)).toMatchObject({ exitCode: 7 })
  })
})

import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.js'
import type { Admission, AdmissionResult, Gate } from '../../src/http/types.js'
import { getRejection, sendJson, serve, serveRaw } from '../support/servers.js'
import { buildGet, buildWrite, createFakeClock, createTestClient } from './clients.js'

/** Creates a gate that records what it is told. Unless it is impatient, rejected requests are sent again. */
const createRecordingGate = (patient = true) => {
  const told: string[] = []
  const gate: Gate = {
    width: 4,
    admit: async (_, before) => {
      const admission: Admission = { at: told.length }
      told.push(before === undefined ? 'first' : `again after ${before.at}`)
      return admission
    },
    observe: (_, came: AdmissionResult) => {
      told.push('lost' in came ? came.lost : String(came.status))
      return patient && 'status' in came && (came.status === 429 || came.status === 503)
    },
  }
  return { gate, told }
}

describe('a client with a gate', () => {
  it.each(['GET', 'POST', 'PATCH'])(
    'neither waits for a 429 itself nor counts it: %s',
    async (method) => {
      const server = await serve((_, response, count) => {
        if (count < 4) response.writeHead(429, { 'retry-after': '3' }).end('Retry later')
        else sendJson(response, 200, {})
      })
      const { gate, told } = createRecordingGate()
      const clock = createFakeClock()
      await createTestClient(server.base, { gate, retries: 0 }, clock).call(
        buildWrite(method, '/x'),
      )
      expect(server.seen).toHaveLength(4)
      expect(clock.slept).toEqual([])
      expect(told).toEqual([
        'first',
        '429',
        'again after 0',
        '429',
        'again after 2',
        '429',
        'again after 4',
        '200',
      ])
    },
  )
  it('gives what the gate has no more patience for', async () => {
    const server = await serve((_, response) => response.writeHead(429).end('Retry later'))
    const { gate } = createRecordingGate(false)
    const error = await getRejection(
      createTestClient(server.base, { gate, retries: 3 }).call(buildGet('/x')),
    )
    expect(error).toMatchObject({ category: 'rate_limited', details: { status: 429 } })
    expect(server.seen).toHaveLength(1)
  })
  it('sends nothing again that a 503 may have carried out', async () => {
    const server = await serve((_, response) =>
      response.writeHead(503, { 'retry-after': '1' }).end(),
    )
    const { gate } = createRecordingGate()
    const error = await getRejection(
      createTestClient(server.base, { gate }).call(buildWrite('POST', '/x')),
    )
    expect(error).toMatchObject({ details: { status: 503, unknownOutcome: true } })
    expect(server.seen).toHaveLength(1)
  })
  it('tells it of retries, and of requests that were lost', async () => {
    const cut = await serveRaw((socket) => socket.resetAndDestroy())
    const { gate, told } = createRecordingGate()
    await getRejection(createTestClient(cut.base, { gate, retries: 1 }).call(buildGet('/x')))
    expect(told).toEqual(['first', 'connection', 'again after 0', 'connection'])
    const silent = await serveRaw(() => {})
    const second = createRecordingGate()
    await getRejection(
      createTestClient(silent.base, { gate: second.gate, timeout: 0.05 }).call(buildGet('/x')),
    )
    expect(second.told).toEqual(['first', 'time-out'])
  })
  it('sends nothing that the gate refuses', async () => {
    const server = await serve((_, response) => sendJson(response, 200, {}))
    const closed = new Failure('auth', 'the run has stopped')
    const gate: Gate = { ...createRecordingGate().gate, admit: () => Promise.reject(closed) }
    expect(
      await getRejection(createTestClient(server.base, { gate }).call(buildGet('/x'))),
    ).toMatchObject({
      message: 'the run has stopped',
    })
    expect(server.seen).toEqual([])
  })
  it('asks it for every page, and not for what is elsewhere', async () => {
    const elsewhere = await serve((_, response) => response.end('bytes'))
    const home = await serve((_, response) =>
      response.writeHead(302, { location: `${elsewhere.base}/file` }).end(),
    )
    const { gate, told } = createRecordingGate()
    const answer = await createTestClient(home.base, { gate }).open(buildGet('/x'))
    for await (const _ of answer.body);
    expect(elsewhere.seen).toHaveLength(1)
    expect(told).toEqual(['first', '302'])
  })
})

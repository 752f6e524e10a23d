import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { machineClock } from '../../src/base/async.js'
import { getRequestedWait } from '../../src/http/headers.js'
import { getRejection, sendJson, serve, serveRaw } from '../support/servers.js'
import { buildGet, buildWrite, createFakeClock, createTestClient } from './clients.js'

const now = 1_700_000_000_000

describe('the wait that an answer asks for', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': new Date(now + 9000).toUTCString() }, 9000],
    [{ 'retry-after': new Date(now - 9000).toUTCString() }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'soon 5' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': '9'.repeat(400) }, 1e15],
    [{ 'retry-after': String(now / 1000 + 5) }, 5000],
    [{ 'retry-after': String(now / 1000 - 5) }, 0],
    [{ 'retry-after': 'Tuesday, 14-Nov-23 22:13:29 GMT' }, 9000],
    [{ 'retry-after': 'Tue Nov 14 22:13:29 2023' }, 9000],
    [{ 'retry-after': '2023-11-14T22:13:29Z' }, 9000],
    [{ 'retry-after': '-5', 'ratelimit-reset': '30' }, 30_000],
    [{ 'ratelimit-reset': String(now / 1000 + 5) }, 5000],
    [{ 'ratelimit-reset': String(now / 1000 - 5) }, 0],
    [{ 'ratelimit-reset': '30' }, 30_000],
    [{ 'ratelimit-reset': 'never' }, undefined],
    [{ 'retry-after': '2', 'ratelimit-reset': '30' }, 2000],
    [{}, undefined],
  ])('%j asks for %s ms', (headers, wait) => {
    expect(getRequestedWait(429, (name) => headers[name], now)).toBe(wait)
  })
  it.each<[number, Record<string, string>, number | undefined]>([
    [503, { 'retry-after': '7', 'ratelimit-reset': '30' }, 7000],
    [503, { 'ratelimit-reset': '30' }, undefined],
    [503, { 'ratelimit-reset': '30', 'ratelimit-remaining': '1' }, undefined],
    [503, { 'ratelimit-reset': '30', 'ratelimit-remaining': '' }, undefined],
    [503, { 'ratelimit-reset': '30', 'ratelimit-remaining': '0' }, 30_000],
  ])('of a %i: %j asks for %s ms', (status, headers, wait) => {
    expect(getRequestedWait(status, (name) => headers[name], now)).toBe(wait)
  })
})

describe('a client that is closed', () => {
  it('ends what is under way, and tries nothing again', async () => {
    let came = (): void => {}
    const asked = new Promise<void>((resolve) => {
      came = resolve
    })
    const server = await serve(() => came())
    const clock = createFakeClock()
    const client = createTestClient(server.base, { retries: 3 }, clock)
    const ended = getRejection(client.call(buildWrite('GET', '/x')))
    await asked
    await client.close()
    expect(await ended).toMatchObject({ category: 'interrupted' })
    expect(await getRejection(client.call(buildWrite('GET', '/x')))).toMatchObject({
      category: 'interrupted',
    })
    expect([server.seen.length, clock.slept]).toEqual([1, []])
  })
})

const methods = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'] as const
const repeated = new Set<string>(['GET', 'HEAD', 'PUT', 'DELETE'])

describe.each(methods)('%s', (method) => {
  const again = repeated.has(method)
  const request = buildWrite(method, '/x', method === 'PUT' ? '{"a":1}' : undefined)

  it.each([502, 503, 504])(`is ${again ? '' : 'not '}sent again on %i`, async (status) => {
    const server = await serve((_, response, count) =>
      sendJson(response, count < 3 ? status : 200, { n: count }),
    )
    const clock = createFakeClock()
    const call = createTestClient(server.base, { retries: 3 }, clock).call(request)
    if (again) {
      expect((await call).status).toBe(200)
      expect(clock.slept).toEqual([500, 1000])
    } else {
      const error = await getRejection(call)
      expect(error).toMatchObject({
        category: 'unreachable',
        details: { status, unknownOutcome: true },
      })
      expect(server.seen).toHaveLength(1)
    }
  })
  it(`is ${again ? '' : 'not '}sent again when the connection is reset`, async () => {
    const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'
    const server = await serveRaw((socket, _, count) => {
      if (count < 3) socket.resetAndDestroy()
      else socket.end(method === 'HEAD' ? ok : `${ok}{}`)
    })
    const call = createTestClient(server.base, { retries: 3 }).call(request)
    if (again) {
      await call
      expect(server.count()).toBe(3)
    } else {
      const error = await getRejection(call)
      expect(error).toMatchObject({ category: 'unreachable', details: { unknownOutcome: true } })
      expect(String(error)).toContain('it is unknown whether')
      expect(server.count()).toBe(1)
    }
  })
  it(`${method === 'GET' || method === 'HEAD' ? 'changed nothing' : 'may have changed something'} where no answer comes`, async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy())
    const error = await getRejection(createTestClient(server.base).call(request))
    const unknown = method === 'GET' || method === 'HEAD' ? {} : { unknownOutcome: true }
    expect(error).toMatchObject({ category: 'unreachable', details: unknown })
    expect(String(error).includes('it is unknown whether')).toBe('unknownOutcome' in unknown)
  })
  it('is sent again on 429, after as long as it was asked', async () => {
    const server = await serve((_, response, count) => {
      if (count < 2) response.writeHead(429, { 'retry-after': '3' }).end('Retry later')
      else sendJson(response, 200, {})
    })
    const clock = createFakeClock()
    await createTestClient(server.base, { retries: 3 }, clock).call(request)
    expect(server.seen).toHaveLength(2)
    expect(clock.slept).toEqual([3000])
  })
  it('is sent again when the connection is refused', async () => {
    const notes: string[] = []
    const clock = createFakeClock()
    const options = { retries: 2, note: (text: string) => notes.push(text) }
    const client = createTestClient('http://127.0.0.1:1', options, clock)
    const error = await getRejection(client.call(request))
    expect(error).toMatchObject({ category: 'unreachable', details: { code: 'ECONNREFUSED' } })
    expect(error).not.toHaveProperty('details.unknownOutcome')
    expect(clock.slept).toHaveLength(2)
    expect(notes[0]).toMatch(/retrying in 0\.5 s \(1 of 2\)/)
  })
  it('is not sent again on 400 or 500', async () => {
    for (const status of [400, 500]) {
      const server = await serve((_, response) => sendJson(response, status, { error: 'no' }))
      const error = await getRejection(createTestClient(server.base, { retries: 3 }).call(request))
      expect(error).not.toHaveProperty('details.unknownOutcome')
      expect(server.seen).toHaveLength(1)
    }
  })
})

describe('attempts', () => {
  it('end with what the last one gave', async () => {
    const server = await serve((_, response) => response.writeHead(429).end('Retry later'))
    const clock = createFakeClock()
    const error = await getRejection(
      createTestClient(server.base, { retries: 2 }, clock).call(buildGet('/x')),
    )
    expect(error).toMatchObject({
      category: 'rate_limited',
      exitCode: 6,
      message: '429 Too Many Requests',
    })
    expect(server.seen).toHaveLength(3)
    expect(clock.slept).toEqual([500, 1000])
  })
  it('do not wait for an hour', async () => {
    const server = await serve((_, response) =>
      response.writeHead(429, { 'retry-after': '3600' }).end(),
    )
    const clock = createFakeClock()
    const error = await getRejection(
      createTestClient(server.base, { retries: 2 }, clock).call(buildGet('/x')),
    )
    expect(error).toMatchObject({
      category: 'rate_limited',
      details: { advice: { code: 'rate', about: '3600 s' } },
    })
    expect(clock.slept).toEqual([])
  })
  it('say that a DELETE may have worked before', async () => {
    const server = await serveRaw((socket, _, count) => {
      if (count === 1) socket.resetAndDestroy()
      else socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
    })
    const error = await getRejection(
      createTestClient(server.base, { retries: 1 }).call(buildWrite('DELETE', '/x')),
    )
    expect(error).toMatchObject({ category: 'not_found', details: { unknownOutcome: true } })
  })
  it('give up when no answer comes in time', async () => {
    const server = await serveRaw(() => {})
    const error = await getRejection(
      createTestClient(server.base, { timeout: 0.05 }).call(buildGet('/x')),
    )
    expect(error).toMatchObject({
      category: 'unreachable',
      details: { code: 'UND_ERR_HEADERS_TIMEOUT', request: `GET ${server.base}/api/v4/x` },
    })
  })
  it('give up when a body stops midway, or trickles for ever', async () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
    const stuck = await serveRaw((socket) => socket.write(`${head}1\r\n[\r\n`))
    expect(
      await getRejection(createTestClient(stuck.base, { timeout: 0.05 }).call(buildGet('/x'))),
    ).toMatchObject({
      details: { code: 'UND_ERR_BODY_TIMEOUT' },
    })
    const trickling = await serveRaw((socket) => {
      socket.write(head)
      const timer = setInterval(() => socket.write('1\r\n \r\n'), 5)
      socket.on('close', () => clearInterval(timer))
    })
    const error = await getRejection(
      createTestClient(trickling.base, { timeout: 0.02 }).call(buildGet('/x')),
    )
    expect(String(error)).toContain('the response did not finish within 0 s')
  })
  it('give up on an answer that is only ever announced, or is no HTTP', async () => {
    const announcing = await serveRaw((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))
    })
    const error = await getRejection(
      createTestClient(announcing.base, { retries: 1 }).call(buildGet('/x')),
    )
    expect(error).toMatchObject({ category: 'unreachable' })
    const odd = await serveRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
    expect(String(await getRejection(createTestClient(odd.base).call(buildGet('/x'))))).toContain(
      'not HTTP',
    )
  })
  it('give up on headers that never end', async () => {
    const server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const line = `X-Filler: ${'x'.repeat(1000)}\r\n`
      const timer = setInterval(() => socket.write(line), 1)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await getRejection(createTestClient(server.base).call(buildGet('/x')))).toMatchObject({
      category: 'unreachable',
    })
  })
  it('is heard by many clients without a listener for each: Node warns of more than ten', () => {
    const { signal } = new AbortController()
    for (let i = 0; i < 12; i++) createTestClient('http://127.0.0.1:9', { signal })
    expect(getEventListeners(signal, 'abort').length).toBeLessThan(2)
  })

  it('end at once when interrupted: before, during, and while waiting', async () => {
    const server = await serve((_, response) => response.writeHead(503).end())
    const before = new AbortController()
    before.abort()
    expect(
      await getRejection(
        createTestClient(server.base, { signal: before.signal }).call(buildGet('/x')),
      ),
    ).toMatchObject({ category: 'interrupted', exitCode: 130 })
    expect(server.seen).toEqual([])

    const during = new AbortController()
    const silent = await serveRaw(() => during.abort())
    expect(
      await getRejection(
        createTestClient(silent.base, { signal: during.signal }).call(buildGet('/x')),
      ),
    ).toMatchObject({ category: 'interrupted' })

    const waiting = new AbortController()
    const options = { signal: waiting.signal, retries: 3, note: () => waiting.abort() }
    expect(
      await getRejection(createTestClient(server.base, options, machineClock).call(buildGet('/x'))),
    ).toMatchObject({ category: 'interrupted' })
    expect(server.seen).toHaveLength(1)
  })
})

describe('a name that is not known', () => {
  it('is a Failure at once that names the host', async () => {
    const clock = createFakeClock()
    const client = createTestClient('https://nowhere.invalid', { retries: 3 }, clock)
    const error = await getRejection(client.call(buildWrite('POST', '/x')))
    expect(error).toMatchObject({ category: 'unreachable' })
    expect(String(error)).toContain('nowhere.invalid')
    expect(error).not.toHaveProperty('details.unknownOutcome')
  })
})

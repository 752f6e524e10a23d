import { createHash, randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { pagesDomains } from '../../src/catalogue/areas/pages-domains.js'
import { Failure } from '../../src/errors.js'
import { buildRequest } from '../../src/http/index.js'
import type { ClientOptions } from '../../src/http/types.js'
import { getRejection, sendJson, serve, serveRaw } from '../support/servers.js'
import { buildGet, buildWrite, createFakeClock, createTestClient } from './clients.js'

describe('call', () => {
  it('reads JSON below the base URL’s path, whole and as bytes', async () => {
    const server = await serve((_, response) => sendJson(response, 200, { id: 7 }))
    const whole = await createTestClient(`${server.base}/forge/api/v4/`).call(
      buildGet('/projects/a%2Fb%2Ec'),
    )
    expect(whole.data).toEqual({ id: 7 })
    expect(Buffer.from(whole.bytes).toString()).toBe('{"id":7}')
    expect(server.seen[0]?.url).toBe('/forge/api/v4/projects/a%2Fb%2Ec')
    expect(server.seen[0]?.headers).toMatchObject({
      'user-agent': 'svcctl/test',
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
    })
  })
  it('skips a byte order mark, wherever it is cut, but not in a file', async () => {
    const server = await serve(async ({ url }, response) => {
      response.flushHeaders()
      const body = Buffer.from(url.includes('list') ? '\ufeff[{"id":7}]' : '\ufeff{"id":7}')
      for (const byte of body.subarray(0, 4)) {
        response.write(Buffer.of(byte))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      response.end(body.subarray(4))
    })
    const client = createTestClient(server.base)
    expect((await client.call(buildGet('/x'))).data).toEqual({ id: 7 })
    const texts: string[] = []
    for await (const batch of client.list(buildGet('/list'), {}))
      for (const record of batch) texts.push(Buffer.from(record).toString())
    expect(texts).toEqual(['{"id":7}'])
    const { body } = await client.open(buildGet('/file'))
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toBe('\ufeff{"id":7}')
  })
  it('sends a body byte for byte and none where there is none', async () => {
    const server = await serve((_, response) => sendJson(response, 200, {}))
    const client = createTestClient(server.base)
    await client.call(buildWrite('PUT', '/x', '{"a":"ü"}'))
    await client.call(buildWrite('POST', '/y'))
    expect(server.seen.map((s) => [s.method, s.body, s.headers['content-type']])).toEqual([
      ['PUT', '{"a":"ü"}', 'application/json'],
      ['POST', '', undefined],
    ])
    expect(server.connections()).toBe(1)
  })
  it.each([204, 304])('has no data for %i', async (status) => {
    const server = await serve((_, response) => response.writeHead(status).end())
    const whole = await createTestClient(server.base).call(buildWrite('POST', '/x'))
    expect([whole.status, whole.data, whole.bytes.length]).toEqual([status, undefined, 0])
  })
  it('has no data for a DELETE that answers 202 without a body', async () => {
    const server = await serve((_, response) => response.writeHead(202).end())
    expect(
      (await createTestClient(server.base).call(buildWrite('DELETE', '/x'))).data,
    ).toBeUndefined()
  })
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('undoes %s', async (encoding, pack) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding })
      response.end(pack('{"a":1}'))
    })
    expect((await createTestClient(server.base).call(buildGet('/x'))).data).toEqual({ a: 1 })
  })
})

describe('a credential', () => {
  const headersWith = async (options: Partial<ClientOptions>) => {
    const server = await serve((_, response) => sendJson(response, 200, {}))
    await createTestClient(server.base, options).call(buildGet('/x'))
    const { authorization, cookie, sudo, ...rest } = server.seen[0]?.headers ?? {}
    return {
      authorization,
      cookie,
      sudo,
      private: rest['private-token'],
      job: rest['job-token'],
    }
  }
  it.each([
    ['personal', { private: 'abc' }],
    ['oauth', { authorization: 'Bearer abc' }],
    ['bearer', { authorization: 'Bearer abc' }],
    ['basic', { authorization: 'Basic OmFiYw==' }],
    ['session', { cookie: '_svc_session=abc' }],
    ['job', { job: 'abc' }],
  ] as const)('of kind %s is one header', async (kind, expected) => {
    const sent = await headersWith({ credential: { kind, value: 'abc' } })
    expect(Object.fromEntries(Object.entries(sent).filter(([, v]) => v !== undefined))).toEqual(
      expected,
    )
  })
  it('goes with the user to act as', async () => {
    const sent = await headersWith({ credential: { kind: 'personal', value: 'abc' }, sudo: 'ana' })
    expect(sent).toMatchObject({ private: 'abc', sudo: 'ana' })
  })
  it('gives way to one among the request’s own headers', async () => {
    const server = await serve((_, response) => sendJson(response, 200, {}))
    const client = createTestClient(server.base, { credential: { kind: 'personal', value: 'abc' } })
    await client.call({ ...buildGet('/x'), headers: { Authorization: 'Bearer own' } })
    expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer own' })
    expect(server.seen[0]?.headers).not.toHaveProperty('private-token')
  })
  it.each(['a\r\nSudo: root', 'a\nb', 'a\u0000', 'a\u2028b'])('is refused as %j', async (value) => {
    const server = await serve((_, response) => sendJson(response, 200, {}))
    for (const options of [
      { credential: { kind: 'personal', value } },
      { credential: { kind: 'session', value } },
      { sudo: value },
    ] as const) {
      const error = await getRejection(createTestClient(server.base, options).call(buildGet('/x')))
      expect(error).toMatchObject({ category: 'usage' })
    }
    expect(server.seen).toEqual([])
  })
  it('never leaves for another origin, but an alert’s key goes where it is sent', async () => {
    const here = await serve((_, response) => sendJson(response, 200, {}))
    const there = await serve((_, response) => sendJson(response, 200, {}))
    const request = { ...buildWrite('POST', `${there.base}/notify`, '{}'), absolute: true } as const
    const personal = { kind: 'personal', value: 'abc' } as const
    await createTestClient(here.base, { credential: personal, sudo: 'ana' }).call(request)
    await createTestClient(here.base, { credential: { kind: 'bearer', value: 'key' } }).call(
      request,
    )
    await createTestClient(here.base, { credential: personal }).call({
      ...buildGet(`${here.base}/api/graphql`),
      absolute: true,
    })
    expect(there.seen[0]?.headers).not.toHaveProperty('private-token')
    expect(there.seen[0]?.headers).not.toHaveProperty('sudo')
    expect(there.seen[1]?.headers).toMatchObject({ authorization: 'Bearer key' })
    expect(here.seen[0]).toMatchObject({ url: '/api/graphql', headers: { 'private-token': 'abc' } })
  })
  it('is renewed once on 401, for all calls under way', async () => {
    const server = await serve(({ headers }, response) => {
      if (headers.authorization === 'Bearer new') sendJson(response, 200, { ok: true })
      else sendJson(response, 401, { message: '401 Unauthorized' })
    })
    let renewals = 0
    const client = createTestClient(server.base, {
      credential: { kind: 'oauth', value: 'old' },
      renew: async () => {
        renewals += 1
        return { kind: 'oauth', value: 'new' }
      },
    })
    const answers = await Promise.all([
      client.call(buildGet('/a')),
      client.call(buildWrite('POST', '/b')),
      client.call(buildGet('/c')),
    ])
    expect(answers.map((a) => a.data)).toEqual([{ ok: true }, { ok: true }, { ok: true }])
    expect(renewals).toBe(1)
  })
  it('that stays refused after renewal is a Failure', async () => {
    const server = await serve((_, response) =>
      sendJson(response, 401, { message: '401 Unauthorized' }),
    )
    const client = createTestClient(server.base, {
      credential: { kind: 'oauth', value: 'old' },
      renew: async () => ({ kind: 'oauth', value: 'new' }),
    })
    expect(await getRejection(client.call(buildGet('/x')))).toMatchObject({ category: 'auth' })
    expect(server.seen).toHaveLength(2)
  })
  it('that the instance repeats is blotted out', async () => {
    const server = await serve(({ headers }, response) =>
      sendJson(response, 400, { message: `bad token ${headers['private-token']}` }),
    )
    const told: unknown[] = []
    const client = createTestClient(server.base, {
      credential: { kind: 'personal', value: 'canary-token' },
      trace: (exchange) => told.push(exchange),
    })
    const error = await getRejection(client.call(buildGet('/x')))
    expect(error).toMatchObject({ message: '400 Bad Request: bad token ***' })
    expect(JSON.stringify(told)).not.toContain('canary')
  })
})

describe('a secret of a form', () => {
  it('that the instance repeats is blotted out, the certificate is not', async () => {
    const server = await serve((_, response) =>
      sendJson(
        response,
        400,
        { message: { key: ['canary\nkey of many letters is odd'], certificate: ['plain text'] } },
        { 'x-said': 'key of many letters' },
      ),
    )
    const told: unknown[] = []
    const request = buildRequest({
      endpoint: pagesDomains.add,
      values: { id: 1, domain: 'a.example' },
      files: {
        key: { filename: 'k.pem', bytes: Buffer.from('canary\nkey of many letters\n') },
        certificate: { filename: 'c.pem', bytes: Buffer.from('plain text\n') },
      },
    })
    const client = createTestClient(server.base, { trace: (exchange) => told.push(exchange) })
    const error = await getRejection(client.call(request))
    expect(String(error)).toContain('*** is odd')
    expect(String(error)).toContain('plain text')
    expect(JSON.stringify(told)).not.toMatch(/canary|key of many/)
  })
})

describe('an answer that is no JSON', () => {
  const outcome = async (body: string | Buffer, method = 'GET', headers = {}) => {
    const server = await serve((_, response) => {
      response.writeHead(200, headers)
      response.end(body)
    })
    const error = await getRejection(createTestClient(server.base).call(buildWrite(method, '/x')))
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({ category: 'unreachable' })
    return error as Failure
  }
  it.each<[string, string | Buffer, string]>([
    ['a portal’s page', '<html><title>Please sign in</title>', 'an HTML page, “Please sign in”'],
    ['text', 'hello \u001b[2J', 'something else'],
    ['cut JSON', '{"a":', 'ends early, after 5 bytes'],
    ['nothing', '', 'nothing'],
    [
      'a value too deep',
      '['.repeat(100_000) + ']'.repeat(100_000),
      'nested more than 200 levels deep',
    ],
    ['a wrong token', '{"a":1 2}', 'expected a comma or the closing bracket, at byte 8'],
  ])('%s is a Failure that says what came', async (_, body, words) => {
    expect((await outcome(body)).message).toContain(words)
  })
  it.each(['{"a":"canary-1', '{"a":canary-1}', '["canary-1" 2]', 'canary-1', '{"canary-1":1 2}'])(
    'nothing of %j is repeated, nor of the same as a list or a refusal',
    async (body) => {
      expect(JSON.stringify(await outcome(body))).not.toContain('canary')
      const server = await serve(({ url }, response) => {
        response.writeHead(url.includes('refused') ? 400 : 200)
        response.end(body)
      })
      const client = createTestClient(server.base)
      const refused = await getRejection(client.call(buildGet('/refused')))
      const records = client.list(buildGet('/x'), {})
      // The record before the broken one is valid.
      const listed = await getRejection(records.next().then(() => records.next()))
      expect(`${refused} ${listed}`).toMatch(/400.*JSON|400.*answer/)
      expect(`${JSON.stringify(refused)} ${JSON.stringify(listed)}`).not.toContain('canary')
    },
  )
  it('has what is no UTF-8 replaced', async () => {
    const server = await serve((_, response) => response.end(Buffer.from([0x22, 0xc3, 0x28, 0x22])))
    const { bytes, data } = await createTestClient(server.base).call(buildWrite('GET', '/x'))
    expect(data).toBe('\ufffd(')
    expect(Buffer.from(bytes).toString()).toBe('"\ufffd("')
  })
  it('leaves the outcome of a write open', async () => {
    expect((await outcome('<html></html>', 'POST')).details.unknownOutcome).toBe(true)
  })
  it('counts only brackets outside of text as depth', async () => {
    const value = { a: '['.repeat(5000), b: '"['.repeat(2000) }
    const server = await serve((_, response) => sendJson(response, 200, value))
    expect((await createTestClient(server.base).call(buildGet('/x'))).data).toEqual(value)
  })
  it.each([
    ['broken', Buffer.from('not gzip at all')],
    ['cut short', gzipSync('{"a":"'.concat('x'.repeat(5000), '"}')).subarray(0, 30)],
  ])('%s gzip is a Failure', async (_, body) => {
    const failure = await outcome(body, 'GET', { 'content-encoding': 'gzip' })
    expect(failure.message).toContain('the compressed response is damaged or incomplete')
  })
  it('an unknown encoding is a Failure', async () => {
    expect((await outcome('x', 'GET', { 'content-encoding': 'zstd' })).message).toContain('zstd')
  })
  it('a bomb is refused before it is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(200 << 20, ' '))
    const failure = await outcome(bomb, 'GET', { 'content-encoding': 'gzip' })
    expect(failure.message).toContain(
      'the response was rejected because it is too large when decompressed',
    )
  })
})

describe('a body on a bad connection', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
  it.each([
    ['with a length', `${head}Content-Length: 100\r\n\r\n{"a":`],
    ['in chunks', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`],
  ])('cut short %s is read again, then a Failure', async (_, text) => {
    const server = await serveRaw((socket) => socket.end(text))
    const clock = createFakeClock()
    const error = await getRejection(
      createTestClient(server.base, { retries: 2 }, clock).call(buildGet('/x')),
    )
    expect(error).toMatchObject({ category: 'unreachable' })
    expect(server.count()).toBe(3)
    expect(clock.slept).toHaveLength(2)
  })
  it('cut short after a POST leaves its outcome open', async () => {
    const server = await serveRaw((socket) => socket.end(`${head}Content-Length: 9\r\n\r\n{`))
    const error = await getRejection(
      createTestClient(server.base, { retries: 2 }).call(buildWrite('POST', '/x')),
    )
    expect(error).toMatchObject({ details: { unknownOutcome: true } })
    expect(server.count()).toBe(1)
  })
  it('cut short without a length is a Failure, never a shorter answer', async () => {
    const server = await serveRaw((socket) => socket.end(`${head}Connection: close\r\n\r\n{"a":`))
    const error = await getRejection(createTestClient(server.base).call(buildGet('/x')))
    expect(error).toMatchObject({ category: 'unreachable' })
  })
})

describe('open', () => {
  it('streams a body of any kind', async () => {
    const server = await serve((_, response) => response.end('PK raw'))
    const answer = await createTestClient(server.base).open(buildGet('/file'))
    let text = ''
    for await (const chunk of answer.body) text += Buffer.from(chunk).toString()
    expect(text).toBe('PK raw')
    expect(answer.url).toBe(`${server.base}/api/v4/file`)
  })
  it('gives a large body whole to a reader that takes its time', async () => {
    const piece = randomBytes(1 << 20)
    const server = await serve(async (_, response) => {
      for (let i = 0; i < 24; i++)
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
      response.end()
    })
    const answer = await createTestClient(server.base).open(buildGet('/file'))
    const digest = createHash('sha256')
    let length = 0
    for await (const chunk of answer.body) {
      digest.update(chunk)
      length += chunk.length
      await new Promise((resolve) => setImmediate(resolve))
    }
    const expected = createHash('sha256')
    for (let i = 0; i < 24; i++) expected.update(piece)
    expect(length).toBe(24 << 20)
    expect(digest.digest('hex')).toBe(expected.digest('hex'))
  })
  it('throws for a refusal', async () => {
    const server = await serve((_, response) =>
      sendJson(response, 404, { message: '404 Not found' }),
    )
    expect(await getRejection(createTestClient(server.base).open(buildGet('/file')))).toMatchObject(
      {
        category: 'not_found',
        details: { request: `GET ${server.base}/api/v4/file`, status: 404 },
      },
    )
  })
  it('ends with a Failure when the body is cut short', async () => {
    const server = await serveRaw((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    )
    const answer = await createTestClient(server.base).open(buildGet('/file'))
    const read = async () => {
      for await (const chunk of answer.body) expect(Buffer.from(chunk).toString()).toBe('abc')
    }
    expect(await getRejection(read())).toMatchObject({ category: 'unreachable' })
  })
})

describe('a trace', () => {
  it('tells of each exchange without what is secret', async () => {
    const server = await serve((_, response) =>
      sendJson(
        response,
        200,
        { id: 1, runners_token: 'canary-1', nested: [{ dsn: 'canary-2' }] },
        {
          'x-request-id': 'r1',
          'set-cookie': 'canary-3',
        },
      ),
    )
    const told: unknown[] = []
    const client = createTestClient(server.base, {
      credential: { kind: 'personal', value: 'canary-4' },
      trace: (exchange) => told.push(exchange),
    })
    const body = JSON.stringify({ token: 'canary-5', description: 'd', odd: 'canary-6' })
    await client.call({
      ...buildWrite('POST', '/x?private_token=canary-7', body),
      secrets: new Set(['odd']),
    })
    expect(told).toEqual([
      expect.objectContaining({
        method: 'POST',
        url: `${server.base}/api/v4/x?private_token=***`,
        status: 200,
        requestId: 'r1',
        requestBody: '{"token":"***","description":"d","odd":"***"}',
        responseBody: '{"id":1,"runners_token":"***","nested":[{"dsn":"***"}]}',
      }),
    ])
    expect(JSON.stringify(told)).not.toContain('canary')
  })
  it('tells of a refusal and of an answer that never came', async () => {
    const server = await serveRaw((socket, _, count) => {
      if (count === 1) socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
      else socket.destroy()
    })
    const told: { status?: number; error?: string }[] = []
    const client = createTestClient(server.base, { trace: (exchange) => told.push(exchange) })
    await getRejection(client.call(buildGet('/x')))
    await getRejection(client.call(buildGet('/x')))
    expect(told.map((e) => [e.status, e.error !== undefined])).toEqual([
      [404, false],
      [undefined, true],
    ])
  })
})

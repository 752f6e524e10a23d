import { generateKeyPairSync } from 'node:crypto'
import {
  createServer as createHttpServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import net, { type AddressInfo, connect, type Socket } from 'node:net'
import tls, { type TLSSocket, type TlsOptions } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { recordSecret } from '../../src/base/secrets/redact.js'
import { readWhole } from '../../src/http/answers/body.js'
import { toLostRequest } from '../../src/http/answers/network.js'
import { getRejection, sendJson, serve, serveRaw } from '../support/servers.js'
import { certificate, key } from './certificate.js'
import { buildGet, buildWrite, createTestClient } from './clients.js'

const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

const listen = async (server: ReturnType<typeof createServer | typeof createHttpServer>) => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const serveTls = async (more: TlsOptions = {}): Promise<string> => {
  const options = {
    cert: certificate,
    key,
    ca: certificate,
    requestCert: true,
    rejectUnauthorized: false,
    ...more,
  }
  const server = createServer(options, (request, response) => {
    const { authorized } = request.socket as TLSSocket
    sendJson(response, 200, { authorized })
  })
  return `https://127.0.0.1:${await listen(server)}`
}

describe('a host with several addresses', () => {
  it.each(['http', 'https'])('has a second for each address over %s', async (scheme) => {
    const opened = vi.spyOn(scheme === 'http' ? net : tls, 'connect')
    onTestFinished(() => opened.mockRestore())
    const server = await serve((_, response) => sendJson(response, 200, {}))
    const base = scheme === 'http' ? server.base : await serveTls()
    await createTestClient(base, { transport: { ca: certificate } }).call(buildGet('/x'))
    expect(opened).toHaveBeenCalledWith(
      expect.objectContaining({ autoSelectFamilyAttemptTimeout: 1000 }),
    )
  })
})

describe('TLS', () => {
  it('refuses an unknown certificate, once, and says what to do', async () => {
    const base = await serveTls()
    const error = await getRejection(
      createTestClient(base, { retries: 2 }).call(buildWrite('POST', '/x')),
    )
    expect(error).toMatchObject({
      category: 'unreachable',
      details: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', advice: { code: 'authority' } },
    })
    expect(error).not.toHaveProperty('details.unknownOutcome')
  })
  it('trusts a further authority', async () => {
    const client = createTestClient(await serveTls(), { transport: { ca: certificate } })
    expect((await client.call(buildGet('/x'))).data).toEqual({ authorized: false })
  })
  it.each([
    ['TLSv1.3', 'it requires a client certificate'],
    ['TLSv1.2', 'it refused the TLS handshake, and may require a client certificate'],
  ] as const)('says once that a server requires a client certificate: %s', async (version, why) => {
    const base = await serveTls({ rejectUnauthorized: true, maxVersion: version })
    const client = createTestClient(base, { retries: 2, transport: { ca: certificate } })
    const error = await getRejection(client.call(buildWrite('POST', '/x')))
    expect(error).toMatchObject({
      category: 'unreachable',
      details: { advice: { code: 'identity' } },
    })
    expect(String(error)).toContain(why)
    expect(error).not.toHaveProperty('details.unknownOutcome')
  })
  it.each([
    ['3.0, of Node 20', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'],
    ['3.5, of Node 22', 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'],
  ])('names a refused handshake under the code of OpenSSL %s', (_, code) => {
    const error = toLostRequest(Object.assign(new Error('alert'), { code }), 'GET /x', true)
    expect(error).toMatchObject({ sent: false, details: { advice: { code: 'identity' }, code } })
  })
  it('shows a client certificate', async () => {
    const transport = { ca: certificate, cert: certificate, key }
    const client = createTestClient(await serveTls(), { transport })
    expect((await client.call(buildGet('/x'))).data).toEqual({ authorized: true })
  })
  it('is not given up on the way: a redirect to http is refused, of downloads and data', async () => {
    const open = await serve((_, response) => sendJson(response, 200, { id: 1 }))
    const server = createServer({ cert: certificate, key }, (_, response) =>
      response.writeHead(302, { location: `${open.base}/file` }).end(),
    )
    const base = `https://127.0.0.1:${await listen(server)}`
    const client = createTestClient(base, { transport: { ca: certificate } })
    for (const failed of [client.open(buildGet('/x')), client.call(buildGet('/x'))]) {
      const error = await getRejection(failed)
      expect(error).toMatchObject({
        category: 'failed',
        details: { status: 302, hint: expect.stringContaining('external URL should use https') },
      })
      expect(String(error)).toMatch(/from https to http/)
    }
    expect(open.seen).toHaveLength(0)
  })
  it('shows it to no other origin that a download is sent on to', async () => {
    const there = await serveTls()
    const options = { cert: certificate, key, ca: certificate }
    const server = createServer(options, (_, response) => {
      response.writeHead(302, { location: `${there}/file` }).end()
    })
    const base = `https://127.0.0.1:${await listen(server)}`
    const transport = { ca: certificate, cert: certificate, key }
    const { body } = await createTestClient(base, { transport }).open(buildGet('/x'))
    expect(JSON.parse(Buffer.from(await readWhole(body, '')).toString())).toEqual({
      authorized: false,
    })
  })
  it.each([
    ['a broken key', { cert: certificate, key: key.replace(/[A-Z]{3}/g, 'AAA') }, /certificate/],
    ['the key of another certificate', { cert: certificate, key: otherKey }, /certificate/],
    ['a broken authority', { ca: certificate.replace(/MII.*/, 'broken') }, /authorities/],
  ])('says that %s cannot be used, before anything is sent', async (_, transport, says) => {
    const error = await getRejection(
      createTestClient(await serveTls(), { transport }).call(buildGet('/x')),
    )
    expect(error).toMatchObject({ category: 'usage' })
    expect(String(error)).toMatch(says)
  })
  it('trusts anyone only when told to', async () => {
    const client = createTestClient(await serveTls(), { transport: { insecure: true } })
    expect((await client.call(buildGet('/x'))).status).toBe(200)
  })
  it('says when the other side does not speak it', async () => {
    const { base } = await serve((_, response) => sendJson(response, 200, {}))
    const error = await getRejection(
      createTestClient(base.replace('http:', 'https:')).call(buildGet('/x')),
    )
    expect(String(error)).toContain('no TLS on that port')
  })
})

interface ProxyServer {
  readonly base: string
  /** Method, target and proxy credential of each request. */
  readonly seen: string[]
}

/** Serves a proxy that forwards plain requests and tunnels the rest. */
const serveProxy = async (refuse = false, tls?: TlsOptions): Promise<ProxyServer> => {
  const seen: string[] = []
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
    if (refuse) {
      response.writeHead(407).end()
      return
    }
    const { 'proxy-authorization': _, ...headers } = request.headers
    const onward = forward(request.url ?? '', { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  }
  const server = tls === undefined ? createHttpServer(handle) : createServer(tls, handle)
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`)
    if (refuse) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const [host, port] = (request.url ?? '').split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    socket.on('error', () => onward.destroy())
    onward.on('error', () => socket.destroy())
  })
  return { base: `127.0.0.1:${await listen(server)}`, seen }
}

describe('a proxy', () => {
  const basic = `Basic ${Buffer.from('user:pa:ss').toString('base64')}`
  it('forwards http, with its own credential', async () => {
    const server = await serve((_, response) => sendJson(response, 200, { ok: 1 }))
    const proxy = await serveProxy()
    const client = createTestClient(server.base, {
      transport: { proxy: `http://user:pa%3Ass@${proxy.base}` },
      credential: { kind: 'personal', value: 'token' },
    })
    expect((await client.call(buildGet('/x'))).data).toEqual({ ok: 1 })
    expect(proxy.seen).toEqual([`GET ${server.base}/api/v4/x ${basic}`])
    expect(server.seen[0]?.headers).toMatchObject({ 'private-token': 'token' })
    expect(server.seen[0]?.headers).not.toHaveProperty('proxy-authorization')
  })
  it('tunnels https', async () => {
    const base = await serveTls()
    const proxy = await serveProxy()
    const transport = { proxy: `http://user:pa%3Ass@${proxy.base}`, ca: certificate }
    const client = createTestClient(base, { transport })
    expect((await client.call(buildGet('/x'))).status).toBe(200)
    expect(proxy.seen).toEqual([`CONNECT ${base.slice('https://'.length)} ${basic}`])
  })
  it('may speak TLS at an IP address, which is no server name', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => {
      process.off('warning', warn)
    })
    const plain = await serve((_, response) => sendJson(response, 200, {}))
    for (const base of [await serveTls(), plain.base]) {
      const proxy = await serveProxy(false, { cert: certificate, key })
      const transport = { proxy: `https://${proxy.base}`, ca: certificate }
      const client = createTestClient(base, { transport })
      expect((await client.call(buildGet('/x'))).status).toBe(200)
      expect(proxy.seen).toHaveLength(1)
    }
    expect(warnings).toEqual([])
  })
  it('is passed by for the names it is not for', async () => {
    const server = await serve((_, response) => sendJson(response, 200, {}))
    const proxy = await serveProxy()
    const transport = { proxy: `http://${proxy.base}`, noProxy: 'example.test,127.0.0.1' }
    await createTestClient(server.base, { transport }).call(buildGet('/x'))
    expect(proxy.seen).toEqual([])
  })
  it.each([
    ['http://127.0.0.1:1', 'the proxy 127.0.0.1:1 the connection was refused'],
    ['http://proxy.invalid:3128', 'the proxy proxy.invalid host name not found'],
  ])('that is not there is named, not the instance: %s', async (proxy, says) => {
    for (const base of ['http://forge.invalid', 'https://forge.invalid']) {
      const error = await getRejection(
        createTestClient(base, { transport: { proxy } }).call(buildGet('/x')),
      )
      expect(String(error)).toContain(says)
      expect(error).toMatchObject({ details: { hint: expect.stringContaining('HTTPS_PROXY') } })
    }
  })
  it('that refuses is a Failure without its password', async () => {
    const proxy = await serveProxy(true)
    for (const base of ['http://127.0.0.1:1', 'https://127.0.0.1:1']) {
      const transport = { proxy: `http://user:canary@${proxy.base}` }
      const error = await getRejection(createTestClient(base, { transport }).call(buildGet('/x')))
      expect(error).toMatchObject({ category: 'unreachable' })
      expect(String(error)).toContain('the proxy refused (407)')
      expect(JSON.stringify(error)).not.toContain('canary')
    }
  })
  it.each([
    ['cuts every tunnel', 'the proxy cut the connection', (socket: Socket) => socket.end()],
    ['never answers', 'the proxy did not respond in time', () => {}],
  ])('that %s is given up', async (_, says, handle) => {
    const { base: proxy, count } = await serveRaw(handle)
    const given = { transport: { proxy }, timeout: 1, retries: 1 }
    const client = createTestClient('https://forge.invalid', given)
    const error = await getRejection(client.call(buildGet('/x')))
    expect(String(error)).toContain(says)
    expect(error).toMatchObject({ details: { hint: expect.stringContaining('HTTPS_PROXY') } })
    expect(count()).toBe(2)
  })
  it('keeps its password out of failures, however many secrets were sent since', async () => {
    const server = await serve((_, response) =>
      sendJson(response, 400, { message: 'no canary-7431' }),
    )
    const proxy = await serveProxy()
    const transport = { proxy: `http://user:canary-7431@${proxy.base}` }
    const client = createTestClient(server.base, { transport })
    await getRejection(client.call(buildGet('/x')))
    // These secrets are longer than the texts in which they are searched, so this takes no time.
    for (let i = 0; i < 1000; i++) recordSecret(`sent-for-object-${i}`.padEnd(400, '.'))
    const error = await getRejection(client.call(buildGet('/x')))
    expect(String(error)).toContain('no ***')
    expect(JSON.stringify(error)).not.toContain('canary')
  })
})

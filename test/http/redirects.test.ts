import { describe, expect, it } from 'vitest'
import { readWhole } from '../../src/http/answers/body.js'
import { getRejection, sendJson, serve } from '../support/servers.js'
import { buildGet, buildWrite, createTestClient } from './clients.js'

const options = { credential: { kind: 'personal', value: 'canary' }, sudo: 'ana' } as const
const secrets = ['private-token', 'job-token', 'authorization', 'sudo', 'cookie']

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is followed when reading', async (status) => {
    const server = await serve(({ url }, response) => {
      if (url.endsWith('/old')) response.writeHead(status, { location: '/api/v4/new?x=1' }).end()
      else sendJson(response, 200, { url })
    })
    const whole = await createTestClient(server.base, options).call(buildGet('/old'))
    expect(whole.data).toEqual({ url: '/api/v4/new?x=1' })
    expect(server.seen[1]?.headers).toMatchObject({ 'private-token': 'canary', sudo: 'ana' })
  })
  it('is followed on HEAD', async () => {
    const server = await serve(({ url }, response) => {
      response.writeHead(url.endsWith('/old') ? 301 : 204, { location: '/api/v4/new' }).end()
    })
    expect(
      (await createTestClient(server.base, options).call(buildWrite('HEAD', '/old'))).status,
    ).toBe(204)
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'HEAD /api/v4/old',
      'HEAD /api/v4/new',
    ])
  })
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'is refused on %s, and names the address',
    async (method) => {
      const there = 'https://new.test/api/v4/x?token=canary'
      const server = await serve((_, response) =>
        response.writeHead(301, { location: there }).end(),
      )
      const error = await getRejection(
        createTestClient(server.base, { ...options, retries: 2 }).call(buildWrite(method, '/x')),
      )
      expect(error).toMatchObject({ category: 'failed', details: { status: 301 } })
      expect(String(error)).toContain('https://new.test/api/v4/x?token=***')
      expect(server.seen).toHaveLength(1)
    },
  )
  it.each([
    ['another origin', (other: string) => `${other}/x`, ''],
    ['another path of its host', () => '/elsewhere/x', '/forge'],
    ['a path that only begins like its own', () => '/forgery/x', '/forge'],
  ])('to %s is refused where data is asked for', async (_, to, path) => {
    const other = await serve((_, response) => sendJson(response, 200, { id: 99 }))
    const home = await serve((_, response) =>
      response.writeHead(302, { location: to(other.base) }).end(),
    )
    const client = createTestClient(`${home.base}${path}`, options)
    const list = client.list(buildGet('/runners'), {})
    for (const failed of [client.call(buildGet('/x')), list.next()]) {
      const error = await getRejection(failed)
      expect(error).toMatchObject({
        category: 'failed',
        details: { status: 302, hint: expect.stringContaining('base URL') },
      })
      expect(String(error)).toMatch(/which was not contacted/)
    }
    expect(home.seen).toHaveLength(2)
    expect(other.seen).toHaveLength(0)
  })
  it('of a download to another origin takes no credential along, not even back again', async () => {
    const home = await serve(({ url }, response) => {
      if (url === '/back') response.writeHead(200).end('whole')
      else response.writeHead(302, { location: `${other.base}/file` }).end()
    })
    const other = await serve((_, response) =>
      response.writeHead(302, { location: `${home.base}/back` }).end(),
    )
    const request = {
      ...buildGet('/x'),
      headers: { cookie: 'a=b', 'job-token': 'j', range: 'bytes=1-' },
    }
    const { body } = await createTestClient(home.base, options).open(request)
    expect(Buffer.from(await readWhole(body, '')).toString()).toBe('whole')
    expect(home.seen[0]?.headers).toMatchObject({ cookie: 'a=b', sudo: 'ana', 'job-token': 'j' })
    for (const seen of [other.seen[0], home.seen[1]]) {
      for (const name of secrets) expect(seen?.headers).not.toHaveProperty(name)
      expect(seen?.headers).toMatchObject({ range: 'bytes=1-', 'user-agent': 'svcctl/test' })
    }
  })
  it('without end is a Failure', async () => {
    const server = await serve((_, response) =>
      response.writeHead(302, { location: '/api/v4/x' }).end(),
    )
    const error = await getRejection(createTestClient(server.base).call(buildGet('/x')))
    expect(error).toMatchObject({ category: 'failed' })
    expect(server.seen).toHaveLength(6)
  })
  it.each([
    [undefined, 'The redirect has no target. Check the base URL: the instance may have moved.'],
    ['ftp://x.test/', 'Check the base URL.'],
    ['http://', 'Check the base URL.'],
  ])('to %s is a Failure', async (location, hint) => {
    const server = await serve((_, response) =>
      response.writeHead(302, location === undefined ? {} : { location }).end(),
    )
    expect(await getRejection(createTestClient(server.base).call(buildGet('/x')))).toMatchObject({
      category: 'failed',
      details: { hint },
    })
  })
})

import { describe, expect, it } from 'vitest'
import { clientOf, get, json, rejected, send, serve } from './servers.js'

const options = { credential: { kind: 'personal', value: 'canary' }, sudo: 'ana' } as const
const secrets = ['private-token', 'job-token', 'authorization', 'sudo', 'cookie']

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is followed when reading', async (status) => {
    const server = await serve(({ url }, response) => {
      if (url.endsWith('/old')) response.writeHead(status, { location: '/api/v4/new?x=1' }).end()
      else json(response, 200, { url })
    })
    const whole = await clientOf(server.base, options).call(get('/old'))
    expect(whole.data).toEqual({ url: '/api/v4/new?x=1' })
    expect(server.seen[1]?.headers).toMatchObject({ 'private-token': 'canary', sudo: 'ana' })
  })
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'is refused on %s, and names the address',
    async (method) => {
      const there = 'https://new.test/api/v4/x?token=canary'
      const server = await serve((_, response) =>
        response.writeHead(301, { location: there }).end(),
      )
      const error = await rejected(
        clientOf(server.base, { ...options, retries: 2 }).call(send(method, '/x')),
      )
      expect(error).toMatchObject({ category: 'failed', details: { status: 301 } })
      expect(String(error)).toContain('https://new.test/api/v4/x?token=***')
      expect(server.seen).toHaveLength(1)
    },
  )
  it('to another origin takes no credential along, not even back again', async () => {
    const home = await serve(({ url }, response) => {
      if (url === '/back') json(response, 200, { ok: true })
      else response.writeHead(302, { location: `${other.base}/file` }).end()
    })
    const other = await serve((_, response) =>
      response.writeHead(302, { location: `${home.base}/back` }).end(),
    )
    const request = {
      ...get('/x'),
      headers: { cookie: 'a=b', 'job-token': 'j', range: 'bytes=1-' },
    }
    expect((await clientOf(home.base, options).call(request)).data).toEqual({ ok: true })
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
    const error = await rejected(clientOf(server.base).call(get('/x')))
    expect(error).toMatchObject({ category: 'failed' })
    expect(server.seen).toHaveLength(6)
  })
  it.each([undefined, 'ftp://x.test/', 'http://'])('to %s is a Failure', async (location) => {
    const server = await serve((_, response) =>
      response.writeHead(302, location === undefined ? {} : { location }).end(),
    )
    expect(await rejected(clientOf(server.base).call(get('/x')))).toMatchObject({
      category: 'failed',
    })
  })
})

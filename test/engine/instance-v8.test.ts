import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { buildGet, createTestClient } from '../http/clients.js'
import { serve } from '../support/servers.js'

let texts = 0

/** Compiles a new script. Returns a check that V8 accepts its cached code, which needs the flags of the compilation. */
const createCacheCheck = (): (() => boolean) => {
  const text = `(function kept() { return ${texts++} })`
  const cachedData = new Script(text).createCachedData()
  // V8 ignores cached data for a script that it has compiled already, so each check uses a new file name.
  return () => new Script(text, { cachedData, filename: `${texts++}` }).cachedDataRejected === false
}

test('a client by itself sets none, whatever it reads', async () => {
  const server = await serve(({ url }, response) => {
    const next = `<http://${response.req.headers.host}${url}&page=2>; rel="next"`
    response.writeHead(200, { link: next }).end('[{"id":1},{"id":2}]')
  })
  const good = createCacheCheck()
  for await (const _ of createTestClient(server.base).list(buildGet('/runners?per_page=2'), {})) {
    expect(good()).toBe(true)
    break
  }
  setFlagsFromString('--semi-space-growth-factor=3')
  expect(good()).toBe(false)
  setFlagsFromString('--semi-space-growth-factor=2')
  expect(good()).toBe(true)
})

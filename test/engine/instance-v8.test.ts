import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import { aroundEach, expect, test } from 'vitest'
import { processIo, runWithIo } from '../../src/base/io.js'
import { clientOf, get } from '../http/clients.js'
import { serve } from '../support/servers.js'

// Only a line that has the process for itself tunes it.
aroundEach((run) => runWithIo(processIo, run))

let texts = 0

/** Whether code that was kept compiled would be taken: only under the flags that it was made with. */
const keeper = (): (() => boolean) => {
  const text = `(function kept() { return ${texts++} })`
  const cachedData = new Script(text).createCachedData()
  // V8 remembers what it compiled, and looks at no data for that: another name is another script.
  return () => new Script(text, { cachedData, filename: `${texts++}` }).cachedDataRejected === false
}

test('a client by itself sets none, whatever it reads', async () => {
  const server = await serve(({ url }, response) => {
    const next = `<http://${response.req.headers.host}${url}&page=2>; rel="next"`
    response.writeHead(200, { link: next }).end('[{"id":1},{"id":2}]')
  })
  const good = keeper()
  for await (const _ of clientOf(server.base).list(get('/runners?per_page=2'), {})) {
    expect(good()).toBe(true)
    break
  }
  setFlagsFromString('--semi-space-growth-factor=3')
  expect(good()).toBe(false)
  setFlagsFromString('--semi-space-growth-factor=2')
  expect(good()).toBe(true)
})

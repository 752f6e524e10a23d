import { Script } from 'node:vm'
import { expect, it } from 'vitest'
import { unhurried } from '../../src/http/lists/list.js'
import { clientOf, get, serve } from './servers.js'

let texts = 0

/** Whether compiled code that was kept would be taken: only under the flags that it was made with. */
const keeper = (): (() => boolean) => {
  const text = `(function kept() { return ${texts++} })`
  const cachedData = new Script(text).createCachedData()
  // V8 remembers what it compiled, and looks at no data for that: another name is another script.
  return () => new Script(text, { cachedData, filename: `${texts++}` }).cachedDataRejected === false
}

const counted = process.versions.v8.startsWith('11.3.')

it('has V8 optimise later until the last of them is done', async () => {
  const good = keeper()
  const [one, other] = await Promise.all([unhurried(), unhurried()])
  expect(good()).toBe(!counted)
  one()
  expect(good()).toBe(!counted)
  other()
  expect(good()).toBe(true)
})

it('leaves code that is kept good behind a list, though nobody read it to its end', async () => {
  const server = await serve(({ url }, response) => {
    const next = `<http://${response.req.headers.host}${url}&page=2>; rel="next"`
    response.writeHead(200, { link: next }).end('[{"id":1},{"id":2}]')
  })
  const good = keeper()
  for await (const _ of clientOf(server.base).list(get('/runners?per_page=2'), {})) {
    expect(good()).toBe(!counted)
    break
  }
  expect(good()).toBe(true)
})

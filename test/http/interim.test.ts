import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ResponseHeads } from '../../src/http/sending/connections.js'
import { getRejection, serveRaw } from '../support/servers.js'
import { buildGet, buildWrite, createTestClient } from './clients.js'

const body = '"HTTP/1.1 100 Continue\\r\\n\\r\\n"'
const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const go = 'HTTP/1.1 100 Continue\r\n\r\n'
const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'

describe('an unasked 100 Continue', () => {
  it.each([
    ['alone', go],
    ['twice', `${go}${go}`],
    ['among others', `${hints}${go}HTTP/1.1 100\r\nx: y\r\n\r\n`],
    ['after an empty line', `\r\n${go}`],
  ])('is passed over %s, on every request of a connection', async (_, before) => {
    const server = await serveRaw((socket) => socket.write(`${before}${answer}`))
    const client = createTestClient(server.base)
    for (const method of ['GET', 'POST', 'PUT'])
      expect((await client.call(buildWrite(method, '/x', '{}'))).data).toBe(JSON.parse(body))
    expect(server.count()).toBe(3)
  })
  it('is passed over byte by byte', async () => {
    const server = await serveRaw(async (socket) => {
      socket.setNoDelay(true)
      for (const byte of `${go}${answer}`) {
        socket.write(byte)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    expect((await createTestClient(server.base).call(buildGet('/x'))).data).toBe(JSON.parse(body))
  })
  it('without an answer after it is a failure', async () => {
    const server = await serveRaw((socket) => socket.write(go.repeat(30)))
    expect(await getRejection(createTestClient(server.base).call(buildGet('/x')))).toMatchObject({
      category: 'unreachable',
    })
  })
  it('is found however the bytes are cut, and nothing else is touched', () => {
    const heads = fc.array(fc.constantFrom(go, hints, '\r\n'), { maxLength: 4 })
    fc.assert(
      fc.property(heads, fc.array(fc.nat(200)), (before, cuts) => {
        const bytes = Buffer.from(`${before.join('')}${answer}`)
        const seen = new ResponseHeads()
        seen.expect()
        let from = 0
        for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
          seen.look(bytes.subarray(from, cut))
          from = Math.max(from, cut)
        }
        const wanted = before.map((head) => head.replace(' 100 ', ' 102 ')).join('')
        expect(bytes.toString()).toBe(`${wanted}${answer}`)
      }),
    )
  })
})

/** The embedded instance under load: what goes beyond its limit is turned away as instances do, until it begins anew. */

import { expect, it } from 'vitest'
import { machineClock } from '../../src/base/async.js'
import { createClient } from '../../src/http/index.js'
import { Counter } from '../../src/sandbox/server/test-double.js'
import { useFreshSandbox } from './instance.js'

it('counts in spans that begin with the clock', () => {
  let now = 1_700_000_000_400
  const counter = new Counter({ requests: 2, span: 1000 }, () => now)
  const reset = 1_700_000_001_000
  expect([counter.next(), counter.next(), counter.next()]).toEqual([
    { observed: 1, remaining: 1, reset },
    { observed: 2, remaining: 0, reset },
    { observed: 3, remaining: 0, reset },
  ])
  now += 599
  expect(counter.next().observed).toBe(4)
  now += 1
  expect(counter.next()).toEqual({ observed: 1, remaining: 1, reset: reset + 1000 })
})

// So long that no test meets its end.
const age = 1_000_000_000_000
const { send, url } = useFreshSandbox({ limit: { requests: 3, span: age } })

it('answers with 429 beyond its limit, whoever asks, and says when to come again', async () => {
  const answers = []
  for (const as of ['root', 'ana', '', 'root', 'ana']) answers.push(await send('GET /user', { as }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 429, 429])
  const left = answers.map(({ headers }) => headers.get('ratelimit-remaining'))
  expect(left).toEqual(['2', '1', '0', '0', '0'])
  const last = answers.at(-1)
  expect(last?.text).toBe('Retry later\n')
  expect(last?.headers.get('content-type')).toMatch(/^text\/plain/)
  expect(last?.headers.get('x-request-id')).not.toBeNull()
  const reset = Number(last?.headers.get('ratelimit-reset')) * 1000
  expect(reset % age).toBe(0)
  const wait = Number(last?.headers.get('retry-after'))
  expect(Math.abs(Date.now() + wait * 1000 - reset)).toBeLessThan(60_000)
  expect(answers[0]?.headers.get('retry-after')).toBeNull()
})

it('is understood by the client, which says that it is limited', async () => {
  for (let i = 0; i < 3; i++) await send('GET /user')
  const client = await createClient({
    clock: machineClock,
    baseUrl: url(),
    userAgent: 'test',
    retries: 0,
    timeout: 5,
  })
  try {
    await expect(client.call({ method: 'GET', path: '/user', headers: {} })).rejects.toMatchObject({
      category: 'rate_limited',
      details: { status: 429 },
    })
  } finally {
    await client.close()
  }
})

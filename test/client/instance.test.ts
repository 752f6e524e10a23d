/** Tests the client of an instance: waiting, guards, the record of writes, and requests that are never sent. */
import { describe, expect, it } from 'vitest'
import { ci } from '../../src/catalogue/areas/ci.js'
import { runners } from '../../src/catalogue/areas/runners.js'
import { type Endpoint, getPath } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import type { Param } from '../../src/catalogue/params.js'
import { defaultRetries, defaultTimeout, getWaitSettings } from '../../src/client/defaults.js'
import { addPaging, toListOptions } from '../../src/client/paging.js'
import { globalFlagRows } from '../../src/engine/command/global-flags.js'
import { Failure } from '../../src/errors.js'
import type { Exchange, Gate, WireRequest } from '../../src/http/types.js'
import { buildGet } from '../http/clients.js'
import { getRejection, sendJson, serve } from '../support/servers.js'
import { openInstance } from './clients.js'

const serveJson = (value: unknown = {}) => serve((_, response) => sendJson(response, 200, value))

describe('waiting', () => {
  it('takes the defaults where nothing is given', () => {
    const usual = { timeout: defaultTimeout, retries: defaultRetries }
    expect(getWaitSettings('usual', {})).toEqual(usual)
  })
  it('and a list’s length are what help says of the flags', () => {
    const { timeout, retries, limit, 'per-page': perPage } = globalFlagRows
    expect(getWaitSettings('usual', {})).toMatchObject({
      timeout: timeout.param.default,
      retries: retries.param.default,
    })
    expect(toListOptions({})).toEqual({ limit: limit.param.default })
    expect(addPaging(buildGet('/x'), { limit: 'all' }).path).toBe(
      `/x?per_page=${perPage.param.max}`,
    )
  })
  it('takes what is given, and no longer than a glance where it is one', () => {
    const given = { timeout: 9, retries: 7 }
    expect(getWaitSettings('usual', given)).toEqual({ ...given })
    expect(getWaitSettings('brief', given)).toEqual({ timeout: 3, retries: 0, refusals: 7 })
    expect(getWaitSettings('brief', { timeout: 1 })).toMatchObject({ timeout: 1 })
  })
  it('asks once at a glance, however often it may', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 503, {}))
    const glance = openInstance(base, { retries: 5 }).peek(runners.get, { id: 1 })
    expect(await getRejection(glance)).toMatchObject({ details: { status: 503 } })
    expect(seen).toHaveLength(1)
  })
})

describe('one client', () => {
  it('is kept for all calls of a credential, over one connection', async () => {
    const { base, seen, connections } = await serveJson({ id: 1 })
    const instance = openInstance(base)
    for (let id = 1; id <= 3; id++) await instance.call(runners.get, { id })
    expect(seen).toHaveLength(3)
    expect(connections()).toBe(1)
  })
  it('is made anew where its credential could not be had', async () => {
    const { base, seen } = await serveJson({ id: 1 })
    const lost = new Failure('unreachable', 'the refresh came to nothing')
    let asked = 0
    const instance = openInstance(base, {
      credential: async () => {
        if (asked++ === 0) throw lost
        return { kind: 'oauth', value: 'fresh' }
      },
    })
    expect(await getRejection(instance.call(runners.get, { id: 1 }))).toBe(lost)
    await instance.call(runners.get, { id: 1 })
    expect([asked, seen.length]).toEqual([2, 1])
  })
  it('is not made before it is asked for', async () => {
    const { base, connections } = await serveJson()
    let asked = 0
    const instance = openInstance(base, {
      credential: async () => {
        asked += 1
        return undefined
      },
    })
    await instance.close()
    expect([asked, connections()]).toEqual([0, 0])
  })
  it('passes every request through the gate', async () => {
    const { base } = await serveJson([])
    const told: string[] = []
    const gate: Gate = {
      width: 1,
      admit: async () => {
        told.push('admit')
        return { at: 0, closings: 0, refused: undefined }
      },
      observe: (_, came) => {
        told.push('status' in came ? String(came.status) : came.lost)
        return false
      },
    }
    const instance = openInstance(base, { gate })
    await instance.call(runners.get, { id: 1 })
    await instance.list(runners.list, {}).next()
    expect(told).toEqual(['admit', '200', 'admit', '200'])
  })
})

describe('a guard', () => {
  const refusing = (asked: string[]) => ({
    guard: ({ method, path }: WireRequest): void => {
      asked.push(`${method} ${path}`)
      throw new Failure('usage', 'only reads')
    },
  })
  it('is asked before each write, and nothing is sent that it refuses', async () => {
    const { base, seen } = await serveJson()
    const asked: string[] = []
    const instance = openInstance(base, refusing(asked))
    const failure = await getRejection(instance.call(runners.update, { id: 1, description: 'x' }))
    expect(failure).toMatchObject({ message: 'only reads' })
    expect([asked, seen]).toEqual([['PUT /runners/1'], []])
  })
  it('is not asked to read, by whichever method', async () => {
    const { base, seen } = await serveJson()
    const asked: string[] = []
    const instance = openInstance(base, refusing(asked))
    await instance.call(runners.get, { id: 1 })
    await instance.call(ci.lintOfProject, { id: 1, content: 'x' })
    expect([asked, seen.map(({ method }) => method)]).toEqual([[], ['GET', 'POST']])
  })
})

describe('an instance that is only read', () => {
  it('is sent nothing but GET, whatever is asked for', async () => {
    const { base, seen } = await serveJson({ id: 1 })
    const instance = openInstance(base, { readOnly: true })
    const endpoints = Object.values(runners).filter((e: Endpoint) => !e.route.startsWith('GET '))
    expect(endpoints.length).toBeGreaterThan(3)
    const values = { id: 1, runner_id: 1, token: 'x' }
    for (const endpoint of [...endpoints, ci.lintOfProject]) {
      const ask = { endpoint, values: { ...values, content: 'x' } }
      for (const asked of [instance.send(ask), instance.open(ask)])
        expect(await getRejection(asked)).toMatchObject({
          category: 'internal',
          message: expect.stringContaining('read-only'),
        })
    }
    expect(seen).toEqual([])
    await instance.call(runners.get, { id: 1 })
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
  })
})

describe('the record of writes', () => {
  it('is opened before what may write, and told of each exchange', async () => {
    const { base } = await serveJson()
    const told: Exchange[] = []
    const opened: (string | undefined)[] = []
    const instance = openInstance(base, {
      record: (credential) => {
        opened.push(credential?.kind)
        return (exchange) => void told.push(exchange)
      },
    })
    await instance.call(runners.get, { id: 1 })
    expect(opened).toEqual([])
    await instance.call(runners.update, { id: 1, description: 'x' })
    await instance.call(runners.update, { id: 2, description: 'x' })
    expect(opened).toEqual(['personal'])
    expect(told.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
      'PUT /api/v4/runners/1',
      'PUT /api/v4/runners/2',
    ])
  })
  it('that cannot be opened lets nothing be sent', async () => {
    const { base, seen } = await serveJson()
    const instance = openInstance(base, {
      record: () => {
        throw new Failure('usage', 'no log')
      },
    })
    const write = instance.call(runners.update, { id: 1, description: 'x' })
    expect(await getRejection(write)).toMatchObject({ message: 'no log' })
    expect(seen).toEqual([])
  })
})

describe('what is thrown', () => {
  it('leaves nothing open of a request that changes nothing', async () => {
    const { base } = await serve((_, response) => sendJson(response, 502, {}))
    const instance = openInstance(base)
    const read = await getRejection(instance.call(ci.lintOfProject, { id: 1, content: 'x' }))
    expect(read).toMatchObject({ category: 'unreachable' })
    expect(read).not.toMatchObject({ details: { unknownOutcome: true } })
    const write = await getRejection(instance.call(runners.enable, { id: 1, runner_id: 1 }))
    expect(write).toMatchObject({ details: { unknownOutcome: true } })
  })
  it('is in the words of its owner, whichever way it is called', async () => {
    const { base } = await serve((_, response) => sendJson(response, 404, {}))
    const instance = openInstance(base, { mapError: () => new Failure('failed', 'in my words') })
    const ask = { endpoint: runners.get, values: { id: 1 } }
    const ways: readonly (() => Promise<unknown>)[] = [
      () => instance.call(runners.get, { id: 1 }),
      () => instance.send(ask),
      () => instance.open(ask),
      () => instance.list(runners.list, {}).next(),
      () => instance.batches({ endpoint: runners.list, values: {} }).next(),
    ]
    for (const way of ways)
      expect(await getRejection(way())).toMatchObject({ message: 'in my words' })
  })
})

describe('progress', () => {
  it('counts the records of a list, at most its limit, and ends', async () => {
    const { base } = await serve(({ url }, response) =>
      sendJson(response, 200, url.includes('?page=2') ? [{ id: 3 }] : [{ id: 1 }, { id: 2 }], {
        'x-total': '900',
        link: '</api/v4/runners?page=2&per_page=2>; rel="next"',
      }),
    )
    const told: string[] = []
    const progress = {
      begin: () => ({
        add: (count: number) => void told.push(`+${count}`),
        setTotal: (count: number) => void told.push(`of ${count}`),
        end: () => void told.push('end'),
      }),
    }
    const records = openInstance(base, { progress }).list(
      runners.list,
      {},
      { limit: 3, perPage: 2 },
    )
    for (let step = await records.next(); step.done !== true; step = await records.next());
    expect(told).toEqual(['+2', 'of 3', '+1', 'of 3', 'end'])
  })
})

/** Returns a valid value for a path parameter. */
const getSample = (param: Param): unknown => {
  if (param.type === 'integer' || param.type === 'project' || param.type === 'group') return 1
  return 'x'
}

/** Lists the names in the query and in the body of a request. */
const listNames = (url: string, body: string): string[] => [
  ...new URL(url, 'http://x').searchParams.keys(),
  ...(body.startsWith('{') ? Object.keys(JSON.parse(body)) : []),
]

describe('a default of the documents', () => {
  it('is never sent, by any endpoint', async () => {
    const { base, seen } = await serveJson([])
    const instance = openInstance(base, {
      credential: async (need) => ({ kind: need === 'job' ? 'job' : 'personal', value: 'x' }),
    })
    const loaded = await Promise.all(areas.map((area) => area.load()))
    const all = loaded.flatMap((area) => Object.values<Endpoint>(area))
    // The address of an alert endpoint is not a path of the instance.
    const called = all.filter((endpoint) => !getPath(endpoint).startsWith('<'))
    for (const endpoint of called) {
      const given = Object.entries(endpoint.path).map(([name, param]) => [name, getSample(param)])
      const ask = { endpoint, values: Object.fromEntries(given) }
      if (endpoint.returns.kind === 'file') (await instance.open(ask)).cancel()
      else await instance.send(ask)
      const { url, body } = seen.at(-1) ?? { url: '', body: '' }
      expect([endpoint.route, listNames(url, body)]).toEqual([endpoint.route, []])
    }
    expect(seen).toHaveLength(called.length)
    expect(all.length - called.length).toBe(1)
    const withDefaults = called.filter(({ params }) =>
      Object.values<Param>(params).some((param) => param.default !== undefined),
    )
    expect(withDefaults.length).toBeGreaterThan(20)
  })
})

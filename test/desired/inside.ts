/** Provides the embedded instance without a network: its own handlers, in this process, with a new state each time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Fields, isObject } from '../../src/base/objects.js'
import type { ReadableInstance } from '../../src/desired/state.js'
import { toFailure } from '../../src/http/answers/failure.js'
import { buildRequest } from '../../src/http/request/request.js'
import type { Ask, WholeAnswer } from '../../src/http/types.js'
import { type Instance, InstanceClock } from '../../src/sandbox/call.js'
import { Repositories } from '../../src/sandbox/git/repositories.js'
import { loadSampleState } from '../../src/sandbox/seed/index.js'
import { buildServer } from '../../src/sandbox/server/server.js'

type App = Awaited<ReturnType<typeof buildServer>>

/** Records per page. A page with fewer is the last one. */
const pageSize = 100

/** Creates the instance for the tests of one file. */
export const createLocalInstance = () => {
  let app: App | undefined
  let folder = ''
  const instance: { -readonly [K in keyof Instance]?: Instance[K] } = {}
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svcctl-inside-'))
    Object.assign(instance, {
      clock: new InstanceClock(),
      git: new Repositories(folder, async () => undefined, process.env),
      base: 'http://127.0.0.1:1',
      touch: () => {},
      save: async () => {},
    })
    fresh()
    app = await buildServer(instance as Instance)
  })
  afterAll(async () => {
    await app?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  /** Resets the instance to the sample data. */
  const fresh = (): void => {
    instance.state = loadSampleState()
  }
  const asked: string[] = []
  const send = async (method: string, path: string, body?: unknown) => {
    asked.push(`${method} ${path}`)
    const came = await app?.inject({
      method: method as 'GET',
      url: `/api/v4${path}`,
      headers: {
        'private-token': 'sandbox-root-token',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined
        ? {}
        : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    if (came === undefined) throw new Error('the instance is not there yet')
    return { status: came.statusCode, text: came.body, headers: came.headers }
  }
  const call = async (ask: Ask): Promise<WholeAnswer> => {
    const { method, path, body } = buildRequest(ask)
    const { status, text, headers } = await send(method, path, body)
    const request = `${method} ${path}`
    if (status >= 300)
      throw toFailure({ status, headers: {}, body: Buffer.from(text), request, author: 'user' })
    return {
      status,
      headers: headers as WholeAnswer['headers'],
      bytes: Buffer.from(text),
      data: JSON.parse(text || 'null'),
    }
  }
  const records: ReadableInstance['records'] = async (ask, wanted = () => true) => {
    const found: Fields[] = []
    for (let n = 1; ; n++) {
      const extra = { ...ask.extra, per_page: pageSize, page: n }
      const { data } = await call({ ...ask, extra })
      const all = Array.isArray(data) ? data.filter(isObject) : []
      found.push(...all.filter(wanted))
      if (all.length < pageSize) return found
    }
  }
  const readable: ReadableInstance = {
    get: call,
    records,
    each: async (items, work) => {
      for (const [i, item] of items.entries()) await work(item, i)
    },
  }
  return { readable, send, call, fresh, asked }
}

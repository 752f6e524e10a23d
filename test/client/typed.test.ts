/** Tests the types of parameters and answers, which come from the catalogue, against the embedded instance. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { jobs } from '../../src/catalogue/areas/jobs.js'
import { members } from '../../src/catalogue/areas/members.js'
import { projects } from '../../src/catalogue/areas/projects.js'
import { runners } from '../../src/catalogue/areas/runners.js'
import type { InstanceClient } from '../../src/client/instance.js'
import type { Data, Input, RecordOf } from '../../src/client/types.js'
import { Failure } from '../../src/errors.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createFolder } from '../support/program.js'
import { getRejection, sendJson, serve } from '../support/servers.js'
import { openInstance } from './clients.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: join(createFolder(), 'state') })
})
afterAll(() => sandbox.close())

const openClient = (): InstanceClient =>
  openInstance(sandbox.url, {
    credential: async () => ({ kind: 'personal', value: sandbox.users[0]?.token ?? '' }),
  })

describe('a call', () => {
  it('takes what the endpoint takes, and gives its record', async () => {
    const { data, status, bytes } = await openClient().call(runners.get, { id: 6 })
    expect(status).toBe(200)
    expect(data?.id).toBe(6)
    expect(data?.projects?.[0]?.path_with_namespace).toMatch(/\//)
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual(data)
  })
  it('writes, and reads what was written', async () => {
    const instance = openClient()
    await instance.call(runners.update, { id: 1, description: 'typed', tag_list: ['a', 'b'] })
    const { data } = await instance.call(runners.get, { id: 1 })
    expect([data?.description, data?.tag_list]).toEqual(['typed', ['a', 'b']])
  })
  it('gives undefined where nothing comes', async () => {
    const instance = openClient()
    await instance.call(runners.enable, { id: 'web/site', runner_id: 7 })
    const { data, status } = await instance.call(runners.disable, {
      id: 'web/site',
      runner_id: 7,
    })
    expect([data, status]).toEqual([undefined, 204])
  })
  it('fails as the instance says', async () => {
    const failure = await getRejection(openClient().call(runners.get, { id: 999 }))
    expect(failure).toMatchObject({ category: 'not_found', details: { status: 404 } })
  })
})

const collect = async <T>(records: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const record of records) found.push(record)
  return found
}

describe('a list', () => {
  it('gives typed records, over all pages', async () => {
    const records = openClient().list(
      projects.list,
      { order_by: 'id' },
      { limit: 'all', perPage: 2 },
    )
    const all = await collect(records)
    expect(all.length).toBeGreaterThan(2)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(all.every(({ path_with_namespace: path }) => path?.includes('/'))).toBe(true)
  })
  it('says how it ended', async () => {
    const records = openClient().list(projects.list, {}, { limit: 2 })
    let step = await records.next()
    while (step.done !== true) step = await records.next()
    expect(step.value).toMatchObject({ records: 2, more: true })
  })
  it('may be left', async () => {
    for await (const job of openClient().list(jobs.list, { id: 'platform/app' })) {
      expect(job.id).toBeTypeOf('number')
      break
    }
  })
})

describe('what is not of the kind that the documents have', () => {
  it.each([
    ['a list', []],
    ['a text', 'no'],
    ['null', null],
  ])('is no record: %s', async (_, body) => {
    const { base } = await serve((__, response) => sendJson(response, 200, body))
    const { data, bytes } = await openInstance(base).call(runners.get, { id: 1 })
    expect(data).toBeUndefined()
    expect(Buffer.from(bytes).toString()).toBe(JSON.stringify(body))
  })
  it('is no list either', async () => {
    const { base } = await serve((_, response) => sendJson(response, 200, { id: 1 }))
    expect((await openInstance(base).call(runners.list, {})).data).toBeUndefined()
  })
  it('ends a list that should hold records', async () => {
    const { base } = await serve((_, response) => sendJson(response, 200, [{ id: 1 }, 'no']))
    const records = openInstance(base).list(runners.list, {})
    expect((await records.next()).value).toEqual({ id: 1 })
    const failure = await getRejection(records.next())
    expect(failure).toBeInstanceOf(Failure)
    expect(failure).toMatchObject({
      category: 'unreachable',
      message: 'the list contains an item that is not an object',
      details: { request: 'GET /runners?per_page=100' },
    })
  })
})

describe('the types', () => {
  it('of an input are those that the embedded instance takes', () => {
    expectTypeOf<Input<typeof runners.get>>().toEqualTypeOf<{ readonly id: number }>()
  })
  it('of an answer leave every field open, at any depth', () => {
    type Runner = Data<typeof runners.get>
    expectTypeOf<Runner['description']>().toEqualTypeOf<string | null | undefined>()
    expectTypeOf<RecordOf<typeof projects.list>['id']>().toEqualTypeOf<number | null | undefined>()
    type Of = NonNullable<NonNullable<Runner['projects']>[number]['path_with_namespace']>
    expectTypeOf<Of>().toEqualTypeOf<string>()
  })

  /** This function is never called: the test is that it compiles. */
  const wrong = async (instance: InstanceClient): Promise<void> => {
    // @ts-expect-error a name that the endpoint does not have
    await instance.call(runners.update, { id: 1, descripton: 'x' })
    // @ts-expect-error a placeholder of the path is missing
    await instance.call(runners.get, {})
    // @ts-expect-error a required parameter is missing
    await instance.call(members.addToProject, { id: 'platform/app', user_id: 1 })
    // @ts-expect-error another type
    await instance.call(runners.get, { id: 'one' })
    // @ts-expect-error a word that the enumeration does not have
    instance.list(runners.list, { status: 'onlin' })
    // @ts-expect-error an endpoint that does not list
    instance.list(runners.get, { id: 1 })
    const { data } = await instance.call(runners.get, { id: 1 })
    // @ts-expect-error a field that the answer does not have
    data?.descripton
    // @ts-expect-error the answer may be empty
    data.description
    // @ts-expect-error the field may be missing
    data?.description.length
    // @ts-expect-error a field that the records do not have
    for await (const runner of instance.list(runners.list, {})) runner.nam
    // @ts-expect-error a name that the endpoint does not have
    await instance.peek(runners.get, { id: 1, name: 'x' })
  }
  it('refuse what the catalogue does not have', () => {
    expect(wrong).toBeTypeOf('function')
  })
})

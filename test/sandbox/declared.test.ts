/** Kinds of records that are declared when the instance starts: each is answered without code of its own. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type DeclaredResource, startSandbox } from '../../src/sandbox/index.js'
import { createSender, useFreshSandbox } from './instance.js'

const text = { type: 'string' } as const
const resources: readonly DeclaredResource[] = [
  {
    path: '/projects/:id/hooks',
    one: 'hook_id',
    shape: {
      properties: {
        id: { type: 'integer' },
        url: text,
        push_events: { type: 'boolean', default: true },
        events: { anyOf: [{ type: 'array' }, { type: 'null' }] },
        state: text,
        created_at: text,
      },
    },
    sets: { disable: { state: 'disabled' } },
  },
  { path: '/broadcasts', one: 'broadcast_id', shape: { properties: { id: {}, message: text } } },
  {
    path: '/projects/:id/issues/:issue_iid/links',
    one: 'link_id',
    access: 'at least Reporter of the project',
    shape: { properties: { id: {}, target: text } },
  },
  {
    path: '/projects/:id/jobs',
    one: 'job_id',
    table: 'jobs',
    access: 'at least Developer of the project',
    shape: { properties: { id: {}, status: text } },
    sets: { retry: { status: 'pending' } },
  },
  // The instance has these: nothing of them changes.
  { path: '/projects/:id/labels', one: 'name', shape: { properties: { other: text } } },
]
const { send } = useFreshSandbox({ resources, now: () => new Date('2026-11-02T10:00:00Z') })
const hooks = '/projects/platform%2Fapp/hooks'
const read = async (route: string, as = 'ben'): Promise<unknown> =>
  JSON.parse((await send(route, { as })).text)

describe('a declared kind of record', () => {
  it('is listed, shown, made, changed and removed', async () => {
    expect(await read(`GET ${hooks}`)).toEqual([])
    const json = { url: 'https://a.test', events: ['push'], unknown: 1 }
    const made = await send(`POST ${hooks}`, { as: 'ben', json })
    expect(made.status, made.text).toBe(201)
    const record = {
      id: 1,
      url: 'https://a.test',
      push_events: true,
      events: ['push'],
      state: null,
      created_at: '2026-11-02T10:00:00.000Z',
    }
    expect(JSON.parse(made.text)).toEqual(record)
    expect(await read(`GET ${hooks}/1`)).toEqual(record)
    expect(await read(`GET ${hooks}`)).toEqual([record])
    const changed = await send(`PUT ${hooks}/1`, { as: 'ben', json: { push_events: 'false' } })
    expect(JSON.parse(changed.text)).toEqual({ ...record, push_events: false })
    const disabled = await send(`POST ${hooks}/1/disable`, { as: 'ben' })
    expect(JSON.parse(disabled.text)).toMatchObject({ state: 'disabled', push_events: false })
    expect((await send(`DELETE ${hooks}/1`, { as: 'ben' })).status).toBe(204)
    expect((await send(`GET ${hooks}/1`, { as: 'ben' })).status).toBe(404)
  })

  it('belongs to the place of its path alone', async () => {
    await send(`POST ${hooks}`, { as: 'ben', json: { url: 'https://a.test' } })
    expect(await read('GET /projects/web%2Fsite/hooks', 'root')).toEqual([])
    const links = '/projects/platform%2Fapp/issues/1/links'
    await send(`POST ${links}`, { json: { target: '#2' } })
    expect(await read(`GET ${links}`)).toEqual([{ id: 2, target: '#2' }])
    expect(await read(`GET ${links.replace('/1/', '/2/')}`)).toEqual([])
  })

  it('is changed by who may, and holds what is sent to its shape', async () => {
    const json = { url: 'https://a.test' }
    expect((await send(`POST ${hooks}`, { as: 'chi', json })).status).toBe(403)
    expect((await send(`POST ${hooks}`, { as: '', json })).status).toBe(401)
    expect((await send('POST /broadcasts', { as: 'ben', json: { message: 'x' } })).status).toBe(403)
    expect((await send('POST /broadcasts', { json: { message: 'x' } })).status).toBe(201)
    const wrong = await send(`POST ${hooks}`, { json: { push_events: 'maybe' } })
    expect([wrong.status, wrong.refusal.error]).toEqual([400, 'push_events is invalid'])
    await send(`POST ${hooks}`, { json })
    expect((await send(`PUT ${hooks}/2`, { json: {} })).status).toBe(400)
  })

  it('adds what is done with records that the instance has, and leaves its routes as they are', async () => {
    const [label] = JSON.parse((await send('GET /projects/platform%2Fapp/labels')).text)
    expect(label).toHaveProperty('color')
    const [job] = (await send('GET /projects/1/jobs?scope[]=failed')).body
    const retried = await send(`POST /projects/1/jobs/${job?.id}/retry`, { as: 'chi' })
    expect([retried.status, JSON.parse(retried.text)]).toEqual([
      201,
      { id: job?.id, status: 'pending' },
    ])
    expect((await send(`POST /projects/1/jobs/${job?.id}/retry`, { as: 'dov' })).status).toBe(403)
    expect((await send(`POST /projects/3/jobs/${job?.id}/retry`)).status).toBe(404)
  })
})

describe('records of a declared kind', () => {
  const folder = mkdtemp(join(tmpdir(), 'svcctl-declared-'))
  afterAll(async () => rm(await folder, { recursive: true, force: true }))

  it('are there again after a restart', async () => {
    const stateDir = await folder
    const first = await startSandbox({ stateDir, resources })
    await createSender(() => first.url)(`POST ${hooks}`, { json: { url: 'https://kept.test' } })
    await first.close()
    const again = await startSandbox({ stateDir, resources })
    try {
      const came = await createSender(() => again.url)(`GET ${hooks}`)
      expect(JSON.parse(came.text)).toEqual([expect.objectContaining({ url: 'https://kept.test' })])
    } finally {
      await again.close()
    }
  })
})

import { describe, expect, it } from 'vitest'
import { geo } from '../../src/catalogue/areas/geo.js'
import { useFreshSandbox } from './instance.js'

const { send, url } = useFreshSandbox()

describe('replication nodes', () => {
  it('are for administrators', async () => {
    for (const route of ['GET /geo_nodes', 'GET /geo_nodes/1', 'GET /geo_nodes/status'])
      expect((await send(route, { as: 'ana' })).status).toBe(403)
  })

  it('show their addresses', async () => {
    const { body } = await send('GET /geo_nodes')
    expect(body[0]).not.toHaveProperty('web_geo_projects_url')
    expect(body[1]).toMatchObject({
      name: 'south',
      internal_url: 'https://south.example.test/',
      _links: { repair: `${url()}/api/v4/geo_nodes/2/repair` },
    })
    expect(body[1]).not.toHaveProperty('oauth_application')
  })

  it('report every documented field of their status', async () => {
    const { body } = await send('GET /geo_nodes/status')
    expect(Object.keys(body[1] ?? {}).sort()).toEqual(
      Object.keys(geo.status.returns.shape.properties).sort(),
    )
    expect(body[1]).toMatchObject({ geo_node_id: 2, lfs_objects_synced_in_percentage: '100.00%' })
  })

  it('are healthy again once repaired', async () => {
    const status = async () => (await send('GET /geo_nodes/status')).body[1]
    expect(await status()).toMatchObject({ healthy: false, missing_oauth_application: true })
    expect((await send('POST /geo_nodes/2/repair')).status).toBe(201)
    expect(await status()).toMatchObject({ healthy: true, missing_oauth_application: false })
  })

  it('stay enabled where they are primary', async () => {
    const { body: primary } = await send('GET /geo_nodes/1')
    const { name, url: address } = primary
    const json = { name, url: address, enabled: false }
    const { status, refusal } = await send('PUT /geo_nodes/1', { json })
    expect([status, refusal.message]).toEqual([
      400,
      { enabled: ['primary node cannot be disabled'] },
    ])
    expect((await send('GET /geo_nodes/1')).body.enabled).toBe(true)
  })

  it('are created with the documented defaults, updated and deleted', async () => {
    const create = (json: unknown) => send('POST /geo_nodes', { json })
    const { status, body } = await create({ name: 'east', url: 'https://east.test' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      url: 'https://east.test/',
      enabled: true,
      primary: false,
      repos_max_capacity: 25,
      verification_max_capacity: 100,
      selective_sync_type: null,
    })
    expect((await create({ name: 'east', url: 'https://e.test' })).refusal.message).toHaveProperty(
      'name',
    )
    expect((await create({ name: 'e', url: 'https://east.test/' })).refusal.message).toHaveProperty(
      'url',
    )
    expect((await create({ name: 'e', url: 'ftp://e.test' })).status).toBe(400)
    expect((await create({ name: 'e', url: 'https://e.test', primary: true })).status).toBe(400)
    expect((await create({ name: 'e' })).refusal).toEqual({ error: 'url is missing' })
    const path = `/geo_nodes/${body.id}` as const
    const named = { name: 'east', url: 'https://east.test' }
    expect((await send(`PUT ${path}`, { json: { enabled: false } })).refusal).toEqual({
      error: 'name is missing',
    })
    const shards = { selective_sync_type: 'shards', selective_sync_shards: ['second'] }
    const changed = await send(`PUT ${path}`, { json: { ...named, enabled: false, ...shards } })
    expect(changed.body).toMatchObject({ enabled: false, repos_max_capacity: 25, ...shards })
    const all = await send(`PUT ${path}`, { json: { ...named, selective_sync_type: null } })
    expect(all.body.selective_sync_type).toBeNull()
    expect((await send(`DELETE ${path}`)).status).toBe(204)
    expect((await send(`GET ${path}`)).status).toBe(404)
  })
})

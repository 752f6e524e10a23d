import { describe, expect, it } from 'vitest'
import { useFreshSandbox } from './instance.js'

const { send, url } = useFreshSandbox()

describe('error tracking', () => {
  const path = '/projects/1/error_tracking/settings'

  it('is for maintainers', async () => {
    expect((await send(`GET ${path}`, { as: 'chi' })).status).toBe(403)
    expect((await send('GET /projects/7/error_tracking/settings', { as: 'eva' })).status).toBe(404)
  })

  it('switches what is configured', async () => {
    expect((await send(`GET ${path}`)).body).toMatchObject({ active: true, integrated: false })
    expect((await send(`PATCH ${path}`, { json: {} })).refusal).toEqual({
      error: 'active is missing',
    })
    const off = await send(`PATCH ${path}`, { json: { active: false } })
    expect([off.status, off.body.active]).toEqual([200, false])
  })

  it('needs no configuration for the integrated backend', async () => {
    const other = '/projects/2/error_tracking/settings'
    expect((await send(`GET ${other}`)).status).toBe(404)
    expect((await send(`PATCH ${other}`, { json: { active: true } })).status).toBe(404)
    const json = { active: true, integrated: true }
    expect((await send(`PATCH ${other}`, { json })).body).toMatchObject(json)
    expect((await send(`GET ${other}`)).body).toMatchObject(json)
  })

  it('makes keys whose collector address holds them', async () => {
    const keys = '/projects/6/error_tracking/client_keys'
    const { status, body } = await send(`POST ${keys}`, { as: 'ben' })
    expect(status).toBe(201)
    expect(body.active).toBe(true)
    const [scheme, host] = url().split('://')
    expect(body.errsvc_dsn).toBe(
      `${scheme}://${body.public_key}@${host}/api/v4/error_tracking/collector/6`,
    )
    expect((await send(`GET ${keys}`)).body).toHaveLength(2)
    expect((await send(`DELETE /projects/1/error_tracking/client_keys/${body.id}`)).status).toBe(
      404,
    )
    expect((await send(`DELETE ${keys}/${body.id}`)).status).toBe(204)
    expect((await send(`GET ${keys}`)).body).toHaveLength(1)
  })
})

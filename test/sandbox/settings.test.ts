import { describe, expect, it } from 'vitest'
import { settings } from '../../src/catalogue/areas/settings.js'
import { sandbox } from './instance.js'

const { send } = sandbox()
const put = (json: unknown) => send('PUT /application/settings', { json })

describe('application settings', () => {
  it('are for administrators', async () => {
    expect((await send('GET /application/settings', { as: 'ana' })).status).toBe(403)
    expect((await send('GET /application/settings', { as: '' })).status).toBe(401)
  })

  it('hold every documented attribute', async () => {
    const { body } = await send('GET /application/settings')
    expect(Object.keys(body).sort()).toEqual(
      Object.keys(settings.get.returns.shape.properties).sort(),
    )
  })

  it('change, and stay changed', async () => {
    const { status, body } = await put({ default_project_visibility: 'internal' })
    expect(status).toBe(200)
    expect(body.default_project_visibility).toBe('internal')
    const after = (await send('GET /application/settings')).body
    expect(after.default_project_visibility).toBe('internal')
    expect(after.updated_at).not.toBe(after.created_at)
  })

  it('refuse values out of range, and an update that says nothing', async () => {
    expect((await put({ deletion_adjourned_period: 91 })).body).toEqual({
      error: 'deletion_adjourned_period does not have a valid value',
    })
    expect((await put({ default_group_visibility: 'secret' })).status).toBe(400)
    expect((await put({})).status).toBe(400)
    expect((await put({ nothing_known: 1 })).status).toBe(400)
  })

  it.each([
    ['spamsvc_enabled', 'spamsvc_api_key', 'k'],
    ['asset_proxy_enabled', 'asset_proxy_url', 'https://proxy.test'],
    ['domain_denylist_enabled', 'domain_denylist', ['bad.test']],
  ])('need each other: %s and %s', async (name, needed, value) => {
    expect((await put({ [name]: true })).body).toEqual({ error: `${needed} is missing` })
    expect((await put({ [name]: true, [needed]: value })).status).toBe(200)
    expect((await put({ [needed]: '' })).status).toBe(400)
    expect((await put({ [name]: false, [needed]: '' })).status).toBe(200)
  })

  it('keep a deprecated attribute and its successor the same', async () => {
    const old = await put({ asset_proxy_whitelist: 'a.test, b.test' })
    expect(old.body.asset_proxy_allowlist).toEqual(['a.test', 'b.test'])
    const fresh = await put({ abuse_notification_email: 'new@example.test' })
    expect(fresh.body.admin_notification_email).toBe('new@example.test')
  })

  it('archive jobs after a day at least', async () => {
    const archive = (text: string) => put({ archive_builds_in_human_readable: text })
    expect((await archive('15 days')).status).toBe(200)
    expect((await archive('1 month')).status).toBe(200)
    expect((await archive('')).status).toBe(200)
    expect((await archive('3 hours')).body.message).toHaveProperty('archive_builds_in_seconds')
    expect((await archive('soon')).status).toBe(400)
  })

  it('take null for no restriction, and attributes that answers show', async () => {
    await put({ domain_allowlist: ['a.test'] })
    expect((await put({ domain_allowlist: null })).body.domain_allowlist).toBeNull()
    expect((await put({ signup_enabled: false })).body.signup_enabled).toBe(false)
  })
})

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settings } from '../../src/catalogue/areas/settings.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { createSender, useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox()
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
    expect((await put({ deletion_adjourned_period: 91 })).refusal).toEqual({
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
    ['diagram_a_enabled', 'diagram_a_url', 'https://diagram.test'],
  ])('need each other: %s and %s', async (name, needed, value) => {
    expect((await put({ [name]: true })).refusal).toEqual({ error: `${needed} is missing` })
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
    expect((await archive('1 day')).status).toBe(200)
    expect((await archive('')).status).toBe(200)
    expect((await archive('3 hours')).refusal.message).toHaveProperty('archive_builds_in_seconds')
    expect((await archive('soon')).status).toBe(400)
  })

  it('take every duration that a CI configuration takes', async () => {
    for (const duration of ['2w', '1 day, 2 hrs', '2 weeks and 3 days', 'one month', '30:00:00'])
      expect((await put({ archive_builds_in_human_readable: duration })).status, duration).toBe(200)
  })

  it('take null for no restriction, and attributes that answers show', async () => {
    await put({ domain_allowlist: ['a.test'] })
    expect((await put({ domain_allowlist: null })).body.domain_allowlist).toBeNull()
    expect((await put({ signup_enabled: false })).body.signup_enabled).toBe(false)
  })

  it('begin without a list of allowed domains', async () => {
    const fresh = await startSandbox({
      stateDir: await mkdtemp(join(tmpdir(), 'svcctl-settings-')),
    })
    const { body } = await createSender(() => fresh.url)('GET /application/settings')
    await fresh.close()
    expect(body.domain_allowlist).toBeNull()
  })

  it('take null wherever a fresh instance answers it, and nowhere else', async () => {
    await put({ after_sign_out_path: '/bye', performance_bar_allowed_group_id: 3 })
    const { body } = await put({
      after_sign_out_path: null,
      performance_bar_allowed_group_id: null,
      default_branch_name: null,
      session_expire_delay: null,
    })
    expect(body.after_sign_out_path).toBeNull()
    expect(body.performance_bar_allowed_group_id).toBeNull()
    expect([body.default_branch_name, body.session_expire_delay]).toEqual(['main', 10_080])
  })

  it.each([
    ['signup_enabled', 'maybe'],
    ['session_expire_delay', 'long'],
    ['polling_interval_multiplier', 'x'],
    ['repository_storages_weighted', 'default'],
    ['repository_storages_weighted', { default: 1000 }],
    ['terms', { a: 1 }],
  ])('beyond the table have the type that answers show: %s', async (name, value) => {
    const { status, refusal } = await put({ [name]: value })
    expect([status, refusal.error]).toEqual([
      400,
      expect.stringMatching(`^${name}.*(is invalid|valid value)$`),
    ])
  })

  it('keep their types when they come as a form', async () => {
    const form = new URLSearchParams({
      signup_enabled: '0',
      session_expire_delay: '60',
      polling_interval_multiplier: '1.5',
      'restricted_visibility_levels[]': 'public',
      'repository_storages_weighted[default]': '90',
    })
    expect((await send('PUT /application/settings', { body: form })).body).toMatchObject({
      signup_enabled: false,
      session_expire_delay: 60,
      polling_interval_multiplier: 1.5,
      restricted_visibility_levels: ['public'],
      repository_storages_weighted: { default: 90 },
    })
  })
})

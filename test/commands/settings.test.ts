/** Tests `settings get` by name, and what `settings update` reports as changed. */
import { describe, expect, it } from 'vitest'
import { createCaller, parseRows } from './calling.js'

const { server, call, sent } = createCaller()
const oldSettings = {
  default_project_visibility: 'private',
  signup_enabled: true,
  asset_proxy_secret_key: 'old-secret',
  updated_at: '2026-01-01T00:00:00Z',
}
const newSettings = {
  ...oldSettings,
  default_project_visibility: 'internal',
  asset_proxy_secret_key: 'new-secret',
  updated_at: '2026-02-01T00:00:00Z',
}
const mockInstance = (): void => {
  server.answer = ({ method }) => ({ body: method === 'GET' ? oldSettings : newSettings })
}

describe('settings get', () => {
  it('shows them all, or those that are named, with dashes too', async () => {
    mockInstance()
    expect(JSON.parse((await call('settings get -o json')).stdout)).toMatchObject({
      signup_enabled: true,
      default_project_visibility: 'private',
    })
    const some = await call('settings get default-project-visibility signup_enabled -o json')
    expect(JSON.parse(some.stdout)).toEqual({
      default_project_visibility: 'private',
      signup_enabled: true,
    })
  })

  it('is exit 4 for a name that the instance does not have, and shows nothing', async () => {
    mockInstance()
    const ran = await call('settings get signup_enabled no_such_setting neither')
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toContain('unknown setting no_such_setting, neither')
    expect(ran.stderr).toContain('svcctl settings get" lists all settings.')
    const near = await call('settings get signup_enable')
    expect(near.stderr).toContain(
      'Did you mean signup_enabled? "svcctl settings get" lists all settings.',
    )
  })

  it('masks a secret that is named, unless --show-secrets', async () => {
    mockInstance()
    const line = 'settings get asset_proxy_secret_key -o json'
    expect((await call(line)).stdout).not.toContain('old-secret')
    expect((await call(`${line} --show-secrets`)).stdout).toContain('old-secret')
  })
})

describe('settings update', () => {
  const line = 'settings update --default-project-visibility internal'

  it('shows in tables what changed, old and new, and of a secret only that it did', async () => {
    mockInstance()
    const ran = await call(line)
    expect(ran.code).toBe(0)
    expect(server.lines().map((l) => l.split('?')[0])).toEqual([
      'GET /application/settings',
      'PUT /application/settings',
    ])
    expect(sent()[0]?.body).toEqual({ default_project_visibility: 'internal' })
    const rows = parseRows(ran.stdout)
    expect(rows.map(({ setting }) => setting)).toEqual([
      'default_project_visibility',
      'asset_proxy_secret_key',
    ])
    expect(rows[0]).toEqual({
      setting: 'default_project_visibility',
      old: 'private',
      new: 'internal',
    })
    expect(ran.stdout + ran.stderr).not.toMatch(/(old|new)-secret/)
    const shown = parseRows((await call(`${line} --show-secrets`)).stdout)
    expect(shown[1]).toMatchObject({ old: 'old-secret', new: 'new-secret' })
  })

  it('gives programs the record, and reads nothing first', async () => {
    mockInstance()
    const ran = await call(`${line} -o json --no-undo-record`)
    expect(JSON.parse(ran.stdout)).toMatchObject({ default_project_visibility: 'internal' })
    expect(server.lines()).toEqual(['PUT /application/settings'])
  })

  it('says where nothing changed', async () => {
    server.answer = () => ({ body: newSettings })
    const ran = await call(line)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('nothing changed: the settings already have these values')
    expect(parseRows(ran.stdout)).toEqual([])
  })

  it('shows the record where what was there cannot be read', async () => {
    server.answer = ({ method }) =>
      method === 'GET' ? { status: 500, body: { message: 'no' } } : { body: newSettings }
    const ran = await call(`${line} --retries 0`)
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('internal')
    expect(ran.stdout).not.toContain('setting\told')
  })

  it('sends nothing with --curl, and names the successor of a deprecated flag', async () => {
    const ran = await call(`${line} --asset-proxy-whitelist a.test --curl`)
    expect(ran.stderr).toContain('--asset-proxy-whitelist is deprecated: use asset_proxy_allowlist')
    expect(ran.stdout).toContain('/api/v4/application/settings')
    expect(server.seen).toEqual([])
  })
})

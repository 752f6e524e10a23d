/** What a profile knows of its instance: kept by `auth login` and `doctor`, used by the lines that need it. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { configuration } from '../support/program.js'
import { recording, type Script } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = recording()
const canary = 'canary-of-a-setting'
const route404 = { status: 404, body: { error: '404 Not Found' } }
const own = {
  admin_mode: true,
  moon_enabled: true,
  moon_limit: 5,
  moon_ratio: 0.5,
  moon_name: canary,
  moon_list: [canary],
  moon_any: null,
  'Not a name': canary,
}
const answer: Script = ({ url, method }) => {
  const path = url.replace(/^\/api\/v4/, '').split('?')[0] ?? ''
  if (path === '/user') return { body: { id: 7, username: 'ana', is_admin: true } }
  if (path === '/version')
    return {
      body: { version: '18.3.1', enterprise: true },
      headers: { 'set-cookie': `_hub_session=${canary}; Path=/` },
    }
  if (path === '/application/settings') return { body: method === 'PUT' ? { ...own } : own }
  if (path === '/projects') return { body: [{ id: 3, name: canary, crater: canary }] }
  if (path === '/runners/all' || path === '/runners')
    return {
      body: [
        { id: 1, status: 'stale', moons: canary },
        { id: 2, status: 'Not A Word' },
      ],
    }
  if (path === '/geo_nodes') return route404
  if (path === '/deploy_keys') return { status: 403, body: { message: '403 Forbidden' } }
  if (path === '/pages/domains') return { status: 404, body: { message: '404 Not Found' } }
  return undefined
}

let config = ''
beforeEach(() => {
  server.answer = answer
  config = configuration()
})
const run = (line: string, more: Record<string, string> = {}, input?: string) =>
  svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', ...more }, input })
const file = () => join(config, 'instances/work.json')
const login = async (more: Record<string, string> = {}) => {
  const line = `auth login work --base-url ${server.url} --token-stdin`
  expect(await run(line, more, 'a-token-of-ana\n')).toMatchObject({ code: 0 })
}
const asked = () => server.lines().filter((line) => !line.startsWith('GET /personal'))

describe('what auth login keeps', () => {
  it('is names and types, and never contents', async () => {
    await login()
    const text = readFileSync(file(), 'utf8')
    expect(text).not.toContain(canary)
    expect(text).not.toContain('a-token-of-ana')
    expect(JSON.parse(text)).toMatchObject({
      format: 1,
      base_url: server.url,
      as: { user_id: 7, admin: true },
      version: '18.3.1',
      edition: 'enterprise',
      settings: {
        moon_enabled: { type: 'boolean', nullable: false },
        moon_limit: { type: 'integer', nullable: false },
        moon_ratio: { type: 'number', nullable: false },
        moon_name: { type: 'text', nullable: false },
        moon_list: { type: 'list', nullable: false },
        moon_any: { type: 'unknown', nullable: true },
      },
      values: { 'runners.status': ['stale'] },
      fields: { projects: ['crater'], runners: ['moons'] },
      gone: [{ route: 'GET /geo_nodes', status: 404 }],
      cookie: '_hub_session',
      sections: { settings: 'ok', geo: 'absent', 'deploy-keys': 'refused' },
    })
    expect(Object.keys(JSON.parse(text).settings)).not.toContain('Not a name')
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  })

  it('takes twelve requests at most, none of which writes', async () => {
    server.answer = (seen, i) => (seen.url.endsWith('/version') ? route404 : answer(seen, i))
    await login()
    const known = asked().slice(asked().indexOf('GET /version'))
    expect(known.length).toBeLessThanOrEqual(12)
    expect(known.filter((line) => !line.startsWith('GET '))).toEqual([])
    expect(known).toContain('GET /metadata')
  })

  it('is nothing in CI, and no reason to fail where it cannot be read or written', async () => {
    await login({ CI: 'true' })
    expect(existsSync(file())).toBe(false)
    server.answer = (seen, i) =>
      /\/(user|application\/settings)$/.test(seen.url) ? answer(seen, i) : { status: 500, body: {} }
    await login()
    expect(JSON.parse(readFileSync(file(), 'utf8')).sections).toMatchObject({
      settings: 'ok',
      runners: 'failed',
    })
    writeFileSync(file(), 'x'.repeat(300_000))
    await login()
    expect(JSON.parse(readFileSync(file(), 'utf8')).format).toBe(1)
  })

  it('is forgotten with the profile', async () => {
    await login()
    expect(await run('profile delete work --yes')).toMatchObject({ code: 0 })
    expect(existsSync(file())).toBe(false)
  })
})

describe('doctor', () => {
  const row = async (line: string, more?: Record<string, string>) => {
    const { stdout } = await run(`${line} -o json`, more)
    const rows: { check: string; message: string; known?: object }[] = JSON.parse(stdout)
    return rows.find(({ check }) => check === 'beyond documents')
  }

  it('shows it, and looks again after a day or with --refresh', async () => {
    await login()
    const before = asked().length
    expect(await row('doctor')).toMatchObject({
      message: expect.stringMatching(/^6 settings, 2 fields, 1 value \(seen \d{4}-\d\d-\d\d\)$/),
      known: { version: '18.3.1', values: { 'runners.status': ['stale'] } },
    })
    expect(asked().slice(before)).not.toContain('GET /geo_nodes?per_page=20')
    await row('doctor --refresh')
    expect(asked().slice(before)).toContain('GET /geo_nodes?per_page=20')
    expect((await run('doctor')).stdout).toMatch(/gone\twarning\tGET \/geo_nodes: this instance/)
    const known = JSON.parse(readFileSync(file(), 'utf8'))
    writeFileSync(file(), JSON.stringify({ ...known, read_at: '2020-01-01T00:00:00Z' }))
    const again = asked().length
    await row('doctor')
    expect(asked().slice(again)).toContain('GET /geo_nodes?per_page=20')
  })

  it('keeps what an earlier look found where this user may not read it', async () => {
    await login()
    server.answer = (seen, i) =>
      seen.url.endsWith('/application/settings') ? { status: 403, body: {} } : answer(seen, i)
    await row('doctor --refresh')
    const known = JSON.parse(readFileSync(file(), 'utf8'))
    expect(known.sections.settings).toBe('refused')
    expect(known.settings.moon_limit).toEqual({ type: 'integer', nullable: false })
  })

  it('has nothing of another address', async () => {
    await login()
    const known = JSON.parse(readFileSync(file(), 'utf8'))
    writeFileSync(file(), JSON.stringify({ ...known, base_url: 'https://other.test' }))
    expect((await run('settings update --moon-limit 7')).code).toBe(2)
  })
})

describe('a line', () => {
  beforeEach(() => login())
  const sent = () => server.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)

  it('changes the settings of the instance, by their types', async () => {
    const line = 'settings update --moon-limit 7 --no-moon-enabled --moon-name x --moon-list a,b'
    expect(await run(line)).toMatchObject({ code: 0 })
    expect(await run('settings update --moon-ratio 0.25')).toMatchObject({ code: 0 })
    expect(sent().map((body) => JSON.parse(body))).toEqual([
      { moon_limit: 7, moon_enabled: false, moon_name: 'x', moon_list: ['a', 'b'] },
      { moon_ratio: 0.25 },
    ])
    expect(await run('settings update --moon-limit much')).toMatchObject({ code: 2 })
    const near = await run('settings update --mon-limit 7')
    expect(near).toMatchObject({ code: 2 })
    expect(near.stderr).toContain('Did you mean --moon-limit?')
  })

  it('has them in its help and its completion', async () => {
    const { stdout } = await run('settings update --help')
    expect(stdout).toMatch(/--moon-limit <n>\s+of this instance, not in the API documents/)
    const tab = async (words: string) =>
      (await run(`__complete bash -- ${words}`)).stdout.split('\n').map((one) => one.split('\t')[0])
    expect(await tab('settings update --moon-l')).toEqual([
      '--moon-limit',
      '--moon-list',
      ':none',
      '',
    ])
    expect(await tab('runners list --status s')).toEqual(['stale', ':none', ''])
  })

  it('takes the values that the instance was seen to answer', async () => {
    expect(await run('runners list --status stale')).toMatchObject({ code: 0 })
    expect(server.lines().at(-1)).toContain('status=stale')
    const wrong = await run('runners list --status stael')
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('Did you mean stale?')
  })

  it('knows none of it with the embedded instance, another address, or several profiles', async () => {
    for (const where of ['--sandbox', '--base-url http://127.0.0.1:1', '-p work,work2'])
      expect(await run(`runners list --status stale ${where}`)).toMatchObject({ code: 2 })
  })

  it('opens no such file where it has only documented names', async () => {
    writeFileSync(file(), '{')
    expect(await run('runners list --status online')).toMatchObject({ code: 0 })
    expect(await run('runners list --status stale')).toMatchObject({ code: 2 })
  })
})

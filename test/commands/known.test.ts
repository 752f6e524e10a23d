/** Tests what a profile knows of its instance: `auth login` and `doctor` store it, and other lines use it. */
import { execFileSync } from 'node:child_process'
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { type Script, useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const canary = 'canary-of-a-setting'
const route404 = { status: 404, body: { error: '404 Not Found' } }
const ownSettings = {
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
  if (path === '/application/settings')
    return { body: method === 'PUT' ? { ...ownSettings } : ownSettings }
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
  config = createConfiguration()
})
const run = (line: string, more: Record<string, string> = {}, input?: string) =>
  svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', ...more }, input })
const getKnownPath = () => join(config, 'instances/work.json')
const logIn = async (more: Record<string, string> = {}) => {
  const line = `auth login work --base-url ${server.url} --token-stdin`
  expect(await run(line, more, 'a-token-of-ana\n')).toMatchObject({ code: 0 })
}
const listRequests = () => server.lines().filter((line) => !line.startsWith('GET /personal'))

/** Calls `opened` whenever a profile's file is opened, until the test ends. */
const watchFiles = (opened: () => void): void => {
  const { openSync, readFileSync, readFile, open } = fs
  const originals = { openSync, readFileSync, readFile, open }
  const replace = (functions: object): void => {
    Object.assign(fs, functions)
    syncBuiltinESMExports()
  }
  const watched = Object.entries(originals).map(([name, original]) => [
    name,
    (...args: unknown[]): unknown => {
      if (String(args[0]).includes('instances')) opened()
      return Reflect.apply(original, fs, args)
    },
  ])
  replace(Object.fromEntries(watched))
  onTestFinished(() => replace(originals))
}

describe('what auth login keeps', () => {
  it('is names and types, and never contents', async () => {
    await logIn()
    const text = readFileSync(getKnownPath(), 'utf8')
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
    expect(statSync(getKnownPath()).mode & 0o777).toBe(0o600)
  })

  it('takes twelve requests at most, none of which writes', async () => {
    server.answer = (seen, i) => (seen.url.endsWith('/version') ? route404 : answer(seen, i))
    await logIn()
    const known = listRequests().slice(listRequests().indexOf('GET /version'))
    expect(known.length).toBeLessThanOrEqual(12)
    expect(known.filter((line) => !line.startsWith('GET '))).toEqual([])
    expect(known).toContain('GET /metadata')
  })

  it('is nothing in CI, and no reason to fail where it cannot be read or written', async () => {
    await logIn({ CI: 'true' })
    expect(existsSync(getKnownPath())).toBe(false)
    server.answer = (seen, i) =>
      /\/(user|application\/settings)$/.test(seen.url) ? answer(seen, i) : { status: 500, body: {} }
    await logIn()
    expect(JSON.parse(readFileSync(getKnownPath(), 'utf8')).sections).toMatchObject({
      settings: 'ok',
      runners: 'failed',
    })
    writeFileSync(getKnownPath(), 'x'.repeat(300_000))
    await logIn()
    expect(JSON.parse(readFileSync(getKnownPath(), 'utf8')).format).toBe(1)
  })

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ])('is no reason to fail where %s stands in its place', async (_, make) => {
    await logIn()
    rmSync(getKnownPath())
    make(getKnownPath())
    expect(await run('doctor --refresh')).toMatchObject({ code: 0 })
    expect(await run('settings get admin_mode')).toMatchObject({ code: 0 })
    expect(await run('profile delete work --yes')).toMatchObject({ code: 0 })
  })

  it('is no reason to fail where there can be no folder for it', async () => {
    writeFileSync(join(config, 'instances'), '')
    await logIn()
    expect(await run('doctor --refresh')).toMatchObject({ code: 0 })
    expect(await run('settings get admin_mode')).toMatchObject({ code: 0 })
    expect(await run('profile delete work --yes')).toMatchObject({ code: 0 })
  })

  it('is forgotten with the profile', async () => {
    await logIn()
    expect(await run('profile delete work --yes')).toMatchObject({ code: 0 })
    expect(existsSync(getKnownPath())).toBe(false)
  })
})

describe('doctor', () => {
  const row = async (line: string, more?: Record<string, string>) => {
    const { stdout } = await run(`${line} -o json`, more)
    const rows: { check: string; message: string; known?: object }[] = JSON.parse(stdout)
    return rows.find(({ check }) => check === 'beyond documents')
  }

  it('shows it, and looks again after a day or with --refresh', async () => {
    await logIn()
    const before = listRequests().length
    expect(await row('doctor')).toMatchObject({
      message: expect.stringMatching(/^6 settings, 2 fields, 1 value \(seen \d{4}-\d\d-\d\d\)$/),
      known: { version: '18.3.1', values: { 'runners.status': ['stale'] } },
    })
    expect(listRequests().slice(before)).not.toContain('GET /geo_nodes?per_page=20')
    await row('doctor --refresh')
    expect(listRequests().slice(before)).toContain('GET /geo_nodes?per_page=20')
    expect((await run('doctor')).stdout).toMatch(/gone\twarning\tGET \/geo_nodes: this instance/)
    const known = JSON.parse(readFileSync(getKnownPath(), 'utf8'))
    writeFileSync(getKnownPath(), JSON.stringify({ ...known, read_at: '2020-01-01T00:00:00Z' }))
    const again = listRequests().length
    await row('doctor')
    expect(listRequests().slice(again)).toContain('GET /geo_nodes?per_page=20')
  })

  it('keeps what an earlier look found where this user may not read it', async () => {
    await logIn()
    const first = JSON.parse(readFileSync(getKnownPath(), 'utf8'))
    server.answer = (seen, i) =>
      seen.url.endsWith('/application/settings') ? { status: 403, body: {} } : answer(seen, i)
    await row('doctor --refresh')
    const known = JSON.parse(readFileSync(getKnownPath(), 'utf8'))
    expect(known.sections.settings).toBe('refused')
    expect(known.kept_from).toEqual({ settings: first.read_at })
    expect(known.settings.moon_limit).toEqual({ type: 'integer', nullable: false })
    // The date is that of the earlier look, however often the settings are refused since.
    writeFileSync(
      getKnownPath(),
      JSON.stringify({ ...known, kept_from: { settings: '2026-02-03T00:00:00Z' } }),
    )
    expect(await row('doctor --refresh')).toMatchObject({
      message: expect.stringMatching(/\(seen \d{4}-\d\d-\d\d; settings 2026-02-03\)$/),
    })
    server.answer = answer
    await row('doctor --refresh')
    expect(JSON.parse(readFileSync(getKnownPath(), 'utf8')).kept_from).toEqual({})
  })

  it('has nothing of another address', async () => {
    await logIn()
    const known = JSON.parse(readFileSync(getKnownPath(), 'utf8'))
    writeFileSync(getKnownPath(), JSON.stringify({ ...known, base_url: 'https://other.test' }))
    expect((await run('settings update --moon-limit 7')).code).toBe(2)
  })
})

describe('a line', () => {
  beforeEach(() => logIn())
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
    expect(near.stderr).toContain('Run "svcctl settings update --moon-limit 7".')
  })

  it('says where the instance did not take one of its own settings', async () => {
    const { stderr } = await run('settings update --moon-limit 7 --moon-name x --no-moon-enabled')
    expect(stderr).toContain('the instance did not apply moon_limit: the value is 5')
    expect(stderr).toContain('the instance did not apply moon_enabled: the value is true')
    server.answer = ({ method }) => ({
      body: method === 'PUT' ? { admin_mode: true } : ownSettings,
    })
    const lost = await run('settings update --moon-limit 7 --strict')
    expect(lost.code).toBe(1)
    expect(lost.stderr).toContain('the instance ignored moon_limit: not in the response')
  })

  it('takes text for a setting that is null, and a secret as one', async () => {
    server.answer = (seen, i) =>
      seen.url.endsWith('/application/settings') && seen.method === 'GET'
        ? { body: { moon_any: null, moon_map: { a: 1 }, moon_api_key: null } }
        : answer(seen, i)
    await run('doctor --refresh')
    const line = 'settings update --moon-any b --moon-map {"a":2} --moon-api-key env:MOON'
    const { code, stdout, stderr } = await run(line, { MOON: 'a-moon-secret' })
    expect(code, stderr).toBe(0)
    expect(JSON.parse(sent().at(-1) ?? '')).toEqual({
      moon_any: 'b',
      moon_map: { a: 2 },
      moon_api_key: 'a-moon-secret',
    })
    expect(stdout + stderr).not.toContain('a-moon-secret')
    expect((await run('settings update --help --all')).stdout).toMatch(/--moon-api-key <secret>/)
  })

  it('has them in its help, in a group of their own, and its completion', async () => {
    const { stdout } = await run('settings update --help --all')
    const own = stdout.slice(stdout.indexOf('\nSettings of this instance:'))
    expect(own).toMatch(/^\nSettings of this instance:\n +--\[no-\]moon-enabled /)
    expect(stdout.indexOf('--moon-limit')).toBeGreaterThan(stdout.indexOf('--admin-mode'))
    expect((await run('settings get --help')).stdout).not.toContain('moon')
    expect((await run('settings get --moon-limit 7')).code).toBe(2)
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
    expect(wrong.stderr).toContain('Run "svcctl runners list --status stale".')
  })

  it('takes them in conditions, also where no record has them', async () => {
    server.answer = (seen, i) =>
      seen.url.includes('/runners') ? { body: [{ id: 1, status: 'online' }] } : answer(seen, i)
    expect(await run('runners list --where status=stale')).toMatchObject({ code: 0 })
    expect(await run('runners pause --select status=stale --yes')).toMatchObject({ code: 0 })
    for (const line of ['list --where', 'pause --yes --select']) {
      const wrong = await run(`runners ${line} status=stael`)
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('mean stale?') })
    }
  })

  it('knows none of it with the embedded instance, or another address', async () => {
    for (const where of ['--sandbox', '--base-url http://127.0.0.1:1'])
      expect(await run(`runners list --status stale ${where}`)).toMatchObject({ code: 2 })
  })

  it('takes the fields that the instance was seen to have, also where no record has them', async () => {
    server.answer = (seen, i) =>
      seen.url.includes('/runners') ? { body: [{ id: 1, status: 'online' }] } : answer(seen, i)
    const shown = await run('runners list --fields id,moons -o json')
    expect(JSON.parse(shown.stdout)).toEqual([{ id: 1 }])
    for (const line of [
      '--where moons=3',
      '--sort -moons',
      '--fields status --where id=1,moons!=3',
    ])
      expect(await run(`runners list ${line}`), line).toMatchObject({ code: 0 })
    for (const line of ['--where moonz=3', '--sort moonz', '--fields moonz']) {
      const wrong = await run(`runners list ${line}`)
      expect(wrong.code, line).toBe(2)
      expect(wrong.stderr, line).toMatch(/did you mean moons/i)
    }
    // A write shows these fields as well: the line is no longer rejected before it is sent.
    expect(await run('runners update 1 --description x --fields id,moons')).toMatchObject({
      code: 0,
    })
  })

  it('completes them, and explains them', async () => {
    const tab = async (words: string) =>
      (await run(`__complete bash -- ${words}`)).stdout.split('\n').map((one) => one.split('\t')[0])
    expect(await tab('runners list --fields moo')).toEqual(['moons', ':none', ''])
    expect(await tab('runners list --where moo')).toContain('moons=')
    expect(await tab('runners list --where=moo')).toContain('--where=moons=')
    const rows = async (line: string) => JSON.parse((await run(`${line} -o json`)).stdout)
    expect(await rows('explain runner')).toContainEqual(expect.objectContaining({ field: 'moons' }))
    expect(await rows('explain projects')).toContainEqual(
      expect.objectContaining({ field: 'crater' }),
    )
    expect(await rows('explain settings update')).toContainEqual(
      expect.objectContaining({ parameter: 'moon_limit', type: 'integer' }),
    )
    const [{ values }] = (await rows('explain runners list')).filter(
      ({ parameter }: { parameter: string }) => parameter === 'status',
    )
    expect(values).toMatch(/, stale$/)
  })

  it('opens no such file where it has only documented names', async () => {
    let count = 0
    watchFiles(() => {
      count += 1
    })
    const opened = async (line: string) => {
      count = 0
      const ran = await run(line)
      expect(ran.code, ran.stderr).toBe(0)
      return count > 0
    }
    expect(await opened('runners list')).toBe(false)
    const documented = '--where status=online,contacted_at>30d --fields id,status --sort -id'
    expect(await opened(`runners list --status online ${documented}`)).toBe(false)
    expect(await opened('settings update --admin-mode')).toBe(false)
    expect(await opened('runners list --status stale')).toBe(true)
    expect(await opened('runners list --fields moons')).toBe(true)
    expect(await opened('geo nodes get 1')).toBe(false)
    expect(await opened('settings update --moon-limit 7')).toBe(true)
  })

  it('means a flag of the tool by its name, whatever the instance calls its settings', async () => {
    const names = [
      'dry_run',
      'yes',
      'output',
      'profile',
      'sandbox',
      'help',
      'version',
      'param',
      'curl',
    ]
    const taken = {
      no_admin_mode: true,
      no_moon_enabled: true,
      ...Object.fromEntries(names.map((name) => [name, true])),
    }
    server.answer = (seen, i) =>
      seen.url.endsWith('/application/settings')
        ? { body: { ...ownSettings, ...taken } }
        : answer(seen, i)
    await logIn()
    const before = sent().length
    expect(await run('settings update --moon-limit 7 --dry-run')).toMatchObject({ code: 0 })
    expect(sent()).toHaveLength(before)
    const help = await run('settings update --help')
    expect(help).toMatchObject({ code: 0 })
    expect(help.stdout).toContain('--moon-limit')
    expect(await run('settings update --no-admin-mode --no-moon-enabled -o json')).toMatchObject({
      code: 0,
    })
    expect(await run('settings update --param dry_run=true')).toMatchObject({ code: 0 })
    expect(
      sent()
        .slice(before)
        .map((body) => JSON.parse(body)),
    ).toEqual([{ admin_mode: false, moon_enabled: false }, { dry_run: true }])
  })

  it('believes no file that others may write', async () => {
    chmodSync(getKnownPath(), 0o666)
    expect(await run('runners list --status stale')).toMatchObject({ code: 2 })
    chmodSync(getKnownPath(), 0o600)
    expect(await run('runners list --status stale')).toMatchObject({ code: 0 })
  })

  it('exports what no document names with --all, and says without how much is left out', async () => {
    const less = await run('export settings')
    expect(less.stderr).toMatch(/\d settings .* left out; --all-settings includes them/)
    expect(less.stdout).not.toContain('moon_limit')
    const all = await run('export settings --all')
    expect(all.stdout, all.stderr).toContain('moon_limit: 5')
  })
})

it('vocabulary learn and check look as well', async () => {
  await logIn()
  rmSync(getKnownPath())
  expect(await run('vocabulary learn')).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(getKnownPath(), 'utf8')).settings).toHaveProperty('moon_limit')
})

it('a name that a vocabulary knows is no name beyond the documents', async () => {
  const words = join(config, 'words.yml')
  writeFileSync(words, 'vocabulary: 1\nwords: { cloud: moon }\n', { mode: 0o600 })
  server.answer = (seen, i) =>
    seen.url.endsWith('/application/settings')
      ? { body: { moon_account_id: 'x', moon_limit: 5 } }
      : answer(seen, i)
  await logIn()
  expect(JSON.parse(readFileSync(getKnownPath(), 'utf8')).settings).toHaveProperty(
    'moon_account_id',
  )
  expect(await run(`profile set work --vocabulary ${words}`)).toMatchObject({ code: 0 })
  await logIn()
  expect(Object.keys(JSON.parse(readFileSync(getKnownPath(), 'utf8')).settings)).toEqual([
    'moon_limit',
  ])
})

it('a column that no record has may have another name, if the documents use a neutral word', async () => {
  server.answer = () => ({ body: [{ id: 1, active: true, public_key: 'x' }] })
  const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
  const { stderr } = await run('error-tracking keys list -P 3 -o table', env)
  expect(stderr).toContain('errsvc_dsn, so its column is empty')
  expect(stderr).toContain('run "svcctl vocabulary learn"')
})

it('many requests by one client are no reason for a warning', async () => {
  const warnings: string[] = []
  const hear = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', hear)
  await logIn()
  // Node emits a warning in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', hear)
  expect(warnings).toEqual([])
})

describe('a route that is gone', () => {
  beforeEach(() => logIn())
  const gone = () => JSON.parse(readFileSync(getKnownPath(), 'utf8')).gone
  const refusing =
    (status: number, body: object): Script =>
    (seen, i) =>
      seen.url.includes('/ci/lint') || seen.url.includes('/alert_management')
        ? { status, body }
        : answer(seen, i)
  const line = 'vulnerabilities get 7'
  const route = 'GET /vulnerabilities/:id'
  const lacking = (status: number, body: object): void => {
    server.answer = (seen, i) =>
      seen.url.includes('/vulnerabilities/') ? { status, body } : answer(seen, i)
  }

  it.each([
    [404, { error: '404 Not Found' }],
    [405, { error: '405 Not Allowed' }],
    [410, { message: '410 Gone' }],
  ])(
    'is remembered after %i, said before it is asked again, and forgotten once it answers',
    async (status, body) => {
      lacking(status, body)
      const first = await run(line)
      expect(first.code).not.toBe(0)
      expect(first.stderr).not.toContain('did not have')
      expect(gone()).toContainEqual({ route, status, at: expect.any(String) })
      const day = new Date().toISOString().slice(0, 10)
      const again = await run(line)
      expect(again.stderr).toContain(`the instance did not have ${route} on ${day} (${status})`)
      lacking(200, { id: 7 })
      const back = await run(line)
      expect(back).toMatchObject({ code: 0, stderr: expect.stringContaining('did not have') })
      expect((await run(line)).stderr).not.toContain('did not have')
      expect(gone()).toEqual([expect.objectContaining({ route: 'GET /geo_nodes' })])
    },
  )

  it.each([
    [404, { message: '404 Not Found' }],
    [405, { message: '405 Method Not Allowed' }],
    [403, { message: '403 Forbidden' }],
    [500, { error: '500 Internal Server Error' }],
  ])('is not one that answers %i of an object', async (status, body) => {
    lacking(status, body)
    await run(`${line} --retries 0`)
    expect(gone()).toHaveLength(1)
  })

  it('is said with what is there in its place', async () => {
    server.answer = refusing(404, { error: '404 Not Found' })
    const lint = () => run('ci lint -', {}, 'build: { script: make }\n')
    await lint()
    expect((await lint()).stderr).toMatch(/did not have POST \/ci\/lint on .*: add --project/)
  })

  it('counts for a month', async () => {
    const known = JSON.parse(readFileSync(getKnownPath(), 'utf8'))
    const at = new Date(Date.now() - 31 * 86_400_000).toISOString()
    writeFileSync(getKnownPath(), JSON.stringify({ ...known, gone: [{ route, status: 404, at }] }))
    expect((await run(line)).stderr).not.toContain('did not have')
  })

  it('is kept of no other address, in no rehearsal, and not in CI', async () => {
    lacking(...([405, { error: '405 Not Allowed' }] as const))
    const before = readFileSync(getKnownPath(), 'utf8')
    await run(line, { CI: 'true' })
    await run(`${line} --base-url ${server.url}/other`, { SVC_TOKEN: 'x' })
    await run('vulnerabilities dismiss 7 --dry-run --yes')
    expect(readFileSync(getKnownPath(), 'utf8')).toBe(before)
  })

  it('is kept by a profile that knows nothing yet, and leaves the look to doctor', async () => {
    rmSync(getKnownPath())
    rmSync(join(config, 'instances/work.gone'), { recursive: true })
    lacking(404, { error: '404 Not Found' })
    await run(line)
    expect(gone()).toHaveLength(1)
    const { stdout } = await run('doctor -o json')
    expect(stdout).toContain('moon_limit')
    expect(stdout).toContain('GET /geo_nodes')
    expect(stdout).toContain(route)
  })

  it('that none is costs no file', async () => {
    server.answer = (seen, i) => (seen.url.includes('/geo_nodes') ? { body: [] } : answer(seen, i))
    expect(await run('doctor --refresh')).toMatchObject({ code: 0 })
    expect(existsSync(join(config, 'instances/work.gone'))).toBe(false)
  })
})

describe('settings that are read anyway', () => {
  const aged = () => {
    const old = new Date(Date.now() - 2 * 86_400_000)
    utimesSync(getKnownPath(), old, old)
  }
  const limit = (value: unknown): void => {
    server.answer = (seen, i) =>
      seen.url.endsWith('/application/settings') ? { body: { moon_limit: value } } : answer(seen, i)
  }
  const known = () => JSON.parse(readFileSync(getKnownPath(), 'utf8'))

  it('are kept by name and type, once a day, and a look by doctor stays due', async () => {
    await logIn()
    const { read_at: at } = known()
    limit(canary)
    await run('settings get')
    expect(known().settings.moon_limit.type).toBe('integer')
    aged()
    const line = 'settings get moon_limit -o json'
    expect(JSON.parse((await run(line)).stdout)).toEqual({ moon_limit: canary })
    expect(known()).toMatchObject({
      read_at: at,
      version: '18.3.1',
      settings: { moon_limit: { type: 'text', nullable: false } },
    })
    expect(readFileSync(getKnownPath(), 'utf8')).not.toContain(canary)
  })

  it('are kept where nothing was known, and not of another address, with --curl or in CI', async () => {
    await logIn({ CI: 'true' })
    await run('settings get', { CI: 'true' })
    await run('settings get --curl')
    await run(`settings get --base-url ${server.url}/other`, { SVC_TOKEN: 'x' })
    expect(existsSync(getKnownPath())).toBe(false)
    await run('settings get')
    expect(Object.keys(known().settings)).toContain('moon_limit')
    expect(await run('settings update --moon-limit 7')).toMatchObject({ code: 0 })
    expect((await run('doctor -o json')).stdout).toContain('crater')
  })

  it('are completed, and taken by --param without a word', async () => {
    await logIn()
    const { stdout } = await run('__complete bash -- settings get moon_l')
    expect(stdout.split('\n')).toEqual(['moon_limit', 'moon_list', ':none', ''])
    const set = await run('settings update --param moon_limit=7')
    expect(set).toMatchObject({ code: 0 })
    expect(set.stderr).not.toContain('unknown')
    const wrong = await run('settings update --param moon_limt=7')
    expect(wrong.stderr).toMatch(/unknown.*did you mean moon_limit/s)
    expect(await run('settings get --fields moon_name -o json')).toMatchObject({ code: 0 })
  })
})

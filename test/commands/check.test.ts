/** Tests `check …`: one line of output, a meaningful exit code, and no OK for data that cannot be read. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createFolder } from '../support/program.js'
import { answerByRoute, createCaller } from './calling.js'

const { server, call } = createCaller()

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())

/** Runs a check against the embedded instance. */
const runCheck = (line: string, user = 0) =>
  call(`check ${line} -q`, {
    env: { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.users[user]?.token ?? '' },
  })

const unreachable = { env: { SVC_BASE_URL: 'http://127.0.0.1:9' } }
const names = ['instance', 'runners', 'geo', 'certificates', 'tokens']
const hostile = 'a|b"c\\d\u001b[31m\ne\u202e'

const createRunner = (id: number, status: string, more = {}) => ({
  id,
  description: `r${id}`,
  active: status !== 'paused',
  status,
  runner_type: 'instance_type',
  ...more,
})

const getTimeIn = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString()
const day = 86_400
/** Returns the day on which a certificate with this number of days left ends. */
const getDayIn = (days: number): string => getTimeIn(days * day + 3600).slice(0, 10)

const createDomain = (name: string, days: number, more = {}) => ({
  domain: name,
  certificate: { expired: days < 0, expiration: getTimeIn(days * day + 3600) },
  ...more,
})

const createSite = (id: number, more = {}) => ({
  id,
  name: `s${id}`,
  primary: id === 1,
  enabled: true,
  ...more,
})
const createSiteStatus = (id: number, more = {}) => ({
  geo_node_id: id,
  healthy: true,
  health: 'Healthy',
  db_replication_lag_seconds: id === 1 ? null : 30,
  repositories_count: 10,
  repositories_synced_count: 9,
  repositories_failed_count: 1,
  repositories_synced_in_percentage: '90.00%',
  wikis_count: 0,
  wikis_synced_count: 0,
  wikis_synced_in_percentage: '0.00%',
  ...more,
})
const answerGeo = (nodes: readonly unknown[], statuses: readonly unknown[]) =>
  answerByRoute({ 'GET /geo_nodes/status': statuses, 'GET /geo_nodes': nodes })

describe.each(names)('check %s', (name) => {
  it.each([
    ['plain', 8, `${name} unknown: `],
    ['nagios', 3, `${name.toUpperCase()} UNKNOWN - `],
    ['prometheus', 8, '# HELP svcctl_check_status'],
  ])('never says fine of what nobody answers, as %s', async (format, code, begins) => {
    const ran = await call(`check ${name} -o ${format} --retries 0`, unreachable)
    expect(ran).toMatchObject({ code })
    expect(ran.stdout).toMatch(new RegExp(`^${begins}`))
    if (format === 'prometheus') expect(ran.stdout).toMatch(/^svcctl_check_status\{.*\} 3$/m)
    else expect(ran.stdout.trimEnd().split('\n')).toHaveLength(1)
  })

  it.each([500, 401, 404])('says that it could not read, where it is answered %d', async (code) => {
    server.answer = () => ({ status: code, body: { message: hostile } })
    const ran = await call(`check ${name} -o nagios --retries 0`)
    const [line = '', ...more] = ran.stdout.trimEnd().split('\n')
    expect(more).toEqual([])
    // A rejected token, and an address without this API, are definite results.
    const known = (name === 'tokens' && code === 401) || (name === 'instance' && code === 404)
    const fine = name === 'instance' && code === 401
    expect(ran.code).toBe(known ? 2 : fine ? 0 : 3)
    expect(line.split('|').length).toBeLessThanOrEqual(2)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(line).not.toMatch(/[\u0000-\u001f\u202e]/)
  })

  it('is written as before by --format', async () => {
    for (const format of ['plain', 'nagios', 'prometheus']) {
      const ran = await call(`check ${name} --format ${format} --retries 0`, unreachable)
      const now = await call(`check ${name} -o ${format} --retries 0`, unreachable)
      expect(ran).toEqual(now)
    }
  })
})

describe('levels', () => {
  it('are reached beyond them, each by itself', async () => {
    server.answer = () => ({ body: [createRunner(1, 'online'), createRunner(2, 'offline')] })
    for (const [line, code] of [
      ['--warn 1', 0],
      ['--warn 0', 1],
      ['--crit 0', 2],
      ['--crit 1', 0],
      ['--warn 50%', 0],
      ['--warn 51%', 1],
      ['--warn 51% --crit 50.5%', 2],
      ['--warn 51%,1 --crit 40%', 1],
    ] as const)
      expect([line, (await call(`check runners ${line} -o nagios`)).code]).toEqual([line, code])
  })
})

describe('a line that cannot check anything', () => {
  it.each([
    'check runners --warn xx',
    'check runners --nosuch',
    'check runners -p nosuch',
    'check policy nosuch.yml',
  ])('is unknown to Nagios, and not critical: %s', async (line) => {
    expect((await call(line)).code).toBe(2)
    for (const format of ['-o nagios', '-onagios', '--output=nagios', '--format nagios']) {
      const { code, stderr } = await call(`${line} ${format}`)
      expect([code, stderr]).toEqual([3, expect.stringMatching(/^svcctl: /)])
    }
  })
})

describe('check runners', () => {
  it('counts those that are neither online nor paused, and names them', async () => {
    const ran = await runCheck('runners')
    expect(ran).toMatchObject({
      code: 1,
      stdout:
        'runners warning: 4 of 8 runners not online: shared-linux-2, web-builder, gpu, shop-tests\n',
    })
  })

  it('is critical where none is online, and where there is none at all', async () => {
    server.answer = () => ({
      body: [createRunner(1, 'offline'), createRunner(2, 'paused', { online: true })],
    })
    const ran = await call('check runners -o nagios')
    expect(ran.code).toBe(2)
    expect(ran.stdout).toBe(
      'RUNNERS CRITICAL - no runner is online; 1 of 1 runner not online: r1 | online=0%;; offline=1;0;\n',
    )
    server.answer = () => ({ body: [] })
    expect(await call('check runners')).toMatchObject({
      code: 1,
      stdout: 'runners critical: there are no runners\n',
    })
    // A limit in percent cannot be checked either.
    const share = await call('check runners --warn 80% -o nagios')
    expect(share.stdout).toContain('no share to compute: there are no active runners')
  })

  it.each([
    ['', 'GET /runners/all?per_page=100'],
    ['-P a/b --tag-list x,y', 'GET /projects/a%2Fb/runners?tag_list=x,y&per_page=100'],
    ['-G a --type group_type', 'GET /groups/a/runners?type=group_type&per_page=100'],
  ])('asks for those that are meant: %s', async (line, asked) => {
    server.answer = () => ({ body: [createRunner(1, 'online')] })
    expect(await call(`check runners ${line}`.trim())).toMatchObject({
      code: 0,
      stdout: 'runners ok: 1 runner: 1 online\n',
    })
    expect(server.lines()).toEqual([asked])
  })

  it('keeps names from outside to the line, the numbers and the quotes', async () => {
    server.answer = () => ({ body: [createRunner(1, 'offline', { description: hostile })] })
    const { stdout } = await call('check runners -o nagios')
    expect(stdout.match(/\n/g)).toHaveLength(1)
    expect(stdout.match(/\|/g)).toHaveLength(1)
    expect(stdout).toContain('a/b"c\\d\\u001b[31m\\ne\\u202e |')
  })

  it('is not allowed to everybody, and says so', async () => {
    const ran = await runCheck('runners -o nagios', 1)
    expect(ran).toMatchObject({
      code: 3,
      stdout: 'RUNNERS UNKNOWN - not permitted: 403 Forbidden\n',
    })
  })

  it('is one object for programs', async () => {
    const ran = await runCheck('runners -o json')
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.stdout)).toMatchObject({
      check: 'runners',
      status: 'warning',
      address: sandbox.url,
      levels: { offline: { warn: 0, crit: null } },
      measures: [
        { measure: 'online', unit: 'percent', value: 50 },
        { measure: 'offline', unit: 'count', value: 4 },
      ],
    })
  })
})

describe('check geo', () => {
  it('says which site is unhealthy, and why', async () => {
    expect(await runCheck('geo')).toMatchObject({
      code: 1,
      stdout:
        'geo critical: south is unhealthy: This node is missing its OAuth application: repair its authentication.\n',
    })
  })

  it('measures the secondary sites by lag, share and failures', async () => {
    server.answer = answerGeo(
      [createSite(1), createSite(2)],
      [createSiteStatus(1), createSiteStatus(2)],
    )
    const fine = await call('check geo --warn 30s,90%,1 -o nagios')
    expect(fine).toMatchObject({
      code: 0,
      stdout:
        'GEO OK - 2 sites healthy; s2 30 s behind at least 90.0 % synced | lag=30s;30; synced=90%;90:; failed=1;1;\n',
    })
    for (const [line, says] of [
      ['--crit 29s', 's2 is 30 s behind'],
      ['--crit 91%', 's2 has 90.0 % of its repositories'],
      ['--crit 0', 's2 has 1 failed'],
    ]) {
      const ran = await call(`check geo ${line} -o nagios`)
      expect(ran.code).toBe(2)
      expect(ran.stdout).toContain(`GEO CRITICAL - ${says} |`)
    }
  })

  it('does not take for fine what a site does not tell', async () => {
    const untold = createSiteStatus(2, { healthy: null, db_replication_lag_seconds: null })
    server.answer = answerGeo([createSite(1), createSite(2)], [createSiteStatus(1), untold])
    const ran = await call('check geo --warn 1m -o nagios')
    expect(ran.code).toBe(3)
    expect(ran.stdout).toMatch(
      /^GEO UNKNOWN - the health of s2 is unknown; the lag of s2 is unknown \|/,
    )
    server.answer = answerGeo([createSite(1), createSite(2)], [createSiteStatus(1)])
    expect((await call('check geo')).code).toBe(8)
    server.answer = answerGeo([createSite(1)], [createSiteStatus(1)])
    expect(await call('check geo')).toMatchObject({
      code: 8,
      stdout: 'geo unknown: no secondary site is enabled\n',
    })
  })

  it('leaves disabled sites out', async () => {
    const ill = createSiteStatus(3, { healthy: false })
    server.answer = answerGeo(
      [createSite(1), createSite(2), createSite(3, { enabled: false })],
      [createSiteStatus(1), createSiteStatus(2), ill],
    )
    expect((await call('check geo')).code).toBe(0)
  })

  it('writes metrics that a collector reads, a series a site', async () => {
    server.answer = answerGeo(
      [createSite(1), createSite(2, { name: hostile }), createSite(3)],
      [
        createSiteStatus(1),
        createSiteStatus(2),
        createSiteStatus(3, { db_replication_lag_seconds: 4 }),
      ],
    )
    const { stdout, code } = await call('check geo -o prometheus --crit 10s')
    expect(code).toBe(1)
    const lines = stdout.trimEnd().split('\n')
    const label = String.raw`"(?:[^"\\\n]|\\["\\n])*"`
    const series = new RegExp(`^[a-z_]+\\{[a-z]+=${label}(,[a-z]+=${label})*\\} -?[\\d.]+$`)
    expect(
      lines.filter((line) => !/^# (HELP|TYPE) [a-z_]+ /.test(line) && !series.test(line)),
    ).toEqual([])
    expect(lines).toContain(`svcctl_check_status{check="geo",address="${server.url}"} 2`)
    expect(lines).toContain(`svcctl_geo_lag_seconds{site="s3",address="${server.url}"} 4`)
    expect(lines).toContain(`svcctl_geo_synced_ratio{site="s3",address="${server.url}"} 0.9`)
    expect(stdout).toContain('site="a|b\\"c\\\\d\\\\u001b[31m\\\\ne')
  })
})

describe('check certificates', () => {
  it('says what has ended, and when the next ends', async () => {
    const ran = await runCheck('certificates')
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(
      /^certificates critical: old\.example\.test ended \d+ y ago \(\d{4}-\d\d-\d\d\)\n$/,
    )
    const one = await runCheck('certificates -P web/site')
    expect(one.code).toBe(0)
    expect(one.stdout).toMatch(
      /^certificates ok: 1 certificate, the next: site\.example\.test ends in \d+ y \(\d{4}-\d\d-\d\d\); 2 domains without one\n$/,
    )
  })

  it('warns of 30 days and is critical at 7, unless other levels are given', async () => {
    const table = [createDomain('a', 20), createDomain('b', 3), createDomain('c', 100)]
    server.answer = () => ({ body: table })
    const line = async (levels: string) =>
      (await call(`check certificates ${levels} -o nagios`.replace('  ', ' '))).stdout.replace(
        / \|.*\n$/,
        '',
      )
    const [a, b] = [20, 3].map((days) => `ends in ${days} d (${getDayIn(days)})`)
    expect(await line('')).toBe(`CERTIFICATES CRITICAL - b ${b}; a ${a}`)
    expect(await line('--warn 10d')).toBe(`CERTIFICATES WARNING - b ${b}`)
    expect(await line('--crit 2d')).toBe(`CERTIFICATES OK - 3 certificates, the next: b ${b}`)
  })

  it('cuts a long line by a count, and keeps all for programs', async () => {
    server.answer = () => ({
      body: Array.from({ length: 8 }, (_, i) => createDomain(`d${i}`, -i - 1)),
    })
    const ran = await call('check certificates')
    expect(ran.stdout).toContain(`d3 ended 3 d ago (${getDayIn(-4)}) and 3 more\n`)
    const shown = await call('check certificates -o json')
    expect(JSON.parse(shown.stdout).findings).toHaveLength(8)
    server.answer = () => ({
      body: Array.from({ length: 5 }, (_, i) => createDomain(`d${i}`, -i - 1)),
    })
    expect((await call('check certificates')).stdout).not.toContain('more')
  })

  it('does not take for fine a certificate whose end nobody says', async () => {
    server.answer = () => ({ body: [{ domain: 'a', certificate: { expired: false } }] })
    expect((await call('check certificates')).code).toBe(8)
    server.answer = () => ({ body: [{ domain: 'a', certificate: { expired: true } }] })
    expect(await call('check certificates')).toMatchObject({
      code: 1,
      stdout: 'certificates critical: a has expired\n',
    })
  })
})

/** Creates a configuration folder with these profiles and their stored tokens. */
const createProfileConfig = (
  tokens: Readonly<Record<string, object | undefined>>,
  more = {},
): string => {
  const config = join(createFolder(), 'config')
  mkdirSync(config, { mode: 0o700 })
  const names = Object.keys(tokens)
  const profiles = names.map((name) => [
    name,
    {
      baseUrl: `${server.url}/${name}`,
      ...(tokens[name] === undefined ? {} : { tokenStore: 'file' }),
      ...more,
    },
  ])
  const kept = names.flatMap((name) =>
    tokens[name] === undefined
      ? []
      : [
          [
            name,
            {
              token: `t-${name}`,
              kind: 'personal',
              baseUrl: `${server.url}/${name}`,
              ...tokens[name],
            },
          ],
        ],
  )
  const write = (file: string, value: object) =>
    writeFileSync(join(config, file), JSON.stringify(value), { mode: 0o600 })
  write('config.json', { current: names[0], profiles: Object.fromEntries(profiles) })
  write('tokens.json', Object.fromEntries(kept))
  return config
}

const withProfiles = (config: string, line: string) =>
  call(line, {
    env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', SVC_BASE_URL: '', SVC_TOKEN: '' },
  })

describe('check tokens', () => {
  it('sends one GET with each profile’s own token to its own address', async () => {
    const ran = await withProfiles(
      createProfileConfig({ a: {}, b: { kind: 'oauth' } }),
      'check tokens',
    )
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'tokens ok: 2 tokens work; the API does not say when 2 of them end\n',
    })
    const sent = server.seen.map(({ method, url, headers }) =>
      [method, url, headers['private-token'] ?? headers.authorization].join(' '),
    )
    expect(sent.sort()).toEqual([
      'GET /a/api/v4/merge_requests?per_page=1 t-a',
      'GET /b/api/v4/merge_requests?per_page=1 Bearer t-b',
    ])
  })

  it('knows when one ends that signing in was told of, and asks about no other', async () => {
    const config = createProfileConfig({
      soon: { expiresAt: getTimeIn(3 * day + 60) },
      later: { expiresAt: getTimeIn(200 * day) },
      open: {},
    })
    const ran = await withProfiles(config, 'check tokens -o nagios')
    expect(ran.code).toBe(2)
    expect(ran.stdout).toMatch(
      /^TOKENS CRITICAL - soon ends in 3 d \(\d{4}-\d\d-\d\d\) \| left=2592\d\ds;2592000:;604800:\n$/,
    )
    const one = await withProfiles(config, 'check tokens -p later')
    expect(one).toMatchObject({ code: 0, stdout: 'tokens ok: 1 token works\n' })
  })

  it('asks several instances for people and programs, and for no other reader', async () => {
    const config = createProfileConfig({ a: {}, b: {} })
    const ran = await withProfiles(config, 'check tokens -p a,b')
    expect(ran.stdout.match(/^# [ab]\ntokens ok: 1 token works/gm)).toHaveLength(2)
    const plugin = await withProfiles(config, 'check tokens -p a,b -o nagios')
    expect(plugin).toMatchObject({ code: 3, stdout: '' })
    expect(plugin.stderr).toContain('-o nagios and -p a,b exclude each other')
  })

  it('has no end for a token that is renewed by itself', async () => {
    const token = { kind: 'oauth', refreshToken: 'r', expiresAt: getTimeIn(3600) }
    const config = createProfileConfig({ a: token }, { tokenUrl: `${server.url}/oauth/token` })
    expect((await withProfiles(config, 'check tokens')).code).toBe(0)
    expect((await withProfiles(createProfileConfig({ a: token }), 'check tokens')).code).toBe(1)
  })

  it.each([
    [200, { id: 7 }, 0, 'tokens ok: 1 token works'],
    [404, { message: '404 Not Found' }, 8, 'the instance does not say whose job it is'],
  ])('tries a job token at its job: %i', async (status, body, code, text) => {
    server.answer = () => ({ status, body })
    const ran = await call('check tokens', { env: { SVC_TOKEN: '', SVC_JOB_TOKEN: 'job-token' } })
    expect([ran.code, ran.stdout]).toEqual([code, expect.stringContaining(text)])
    expect(server.lines()).toEqual(['GET /job'])
  })

  it('tells a refused token from one that nobody could try, and a token without rights works', async () => {
    server.answer = ({ url }) => ({
      status: url.startsWith('/bad') ? 401 : url.startsWith('/poor') ? 403 : 503,
      body: { message: 'no' },
    })
    const config = createProfileConfig({ bad: {}, poor: {}, down: {}, empty: undefined })
    const ran = await withProfiles(config, 'check tokens --retries 0 -o json')
    expect(ran.code).toBe(8)
    expect(JSON.parse(ran.stdout).findings).toMatchObject([
      { level: 'critical', text: expect.stringMatching(/^bad does not work/) },
      { level: 'critical', text: 'empty does not work: no token' },
      { level: 'unknown', text: expect.stringMatching(/^down could not be tried/) },
    ])
    const plugin = await withProfiles(config, 'check tokens --retries 0 -o nagios')
    expect(plugin.code).toBe(2)
  })
})

describe('check instance', () => {
  it('times one answer, without a credential', async () => {
    const ran = await call('check instance --warn 60s -o nagios')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/^INSTANCE OK - responded in [\d.]+ s \| answer=[\d.]+s;60;\n$/)
    expect(server.lines()).toEqual(['GET /projects?per_page=1'])
    expect(server.seen[0]?.headers['private-token']).toBeUndefined()
    // An answer within the same millisecond would take 0 s, so the server waits.
    server.answer = () => {
      const asked = Date.now()
      while (Date.now() < asked + 2);
      return { body: [] }
    }
    expect((await call('check instance --crit 0s -o nagios')).code).toBe(2)
  })

  it('is wrong where something else answers, or the clock differs', async () => {
    server.answer = () => ({ body: '<html></html>' })
    expect((await call('check instance')).code).not.toBe(0)
    server.answer = () => ({ body: {} })
    expect(await call('check instance')).toMatchObject({
      code: 1,
      stdout: 'instance critical: the server there does not provide this API\n',
    })
    server.answer = () => ({
      body: [],
      headers: { date: new Date(Date.now() + 3_600_000).toUTCString() },
    })
    const late = await call('check instance')
    expect(late.code).toBe(1)
    expect(late.stdout).toMatch(
      /instance warning: the clock of this machine is \d+ s behind the instance/,
    )
  })
})

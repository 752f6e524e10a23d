/** Tests the completion of live values against the embedded instance, and the fallback if there is no instance. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { hasSource, sources } from '../../src/engine/plan/value-lists.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
  // Completion gives up after 0.7 s, in which the first one of a process would load the client.
  await import('../../src/cli/tab-request.js')
})
afterAll(() => sandbox.close())

const complete = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const ran = await svcctl(['__complete', 'bash', '--', ...words], {
    env: { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.users[0]?.token ?? '', ...env },
  })
  const lines = ran.stdout.split('\n').filter((line) => line !== '')
  return { ...ran, values: lines.map((line) => line.split('\t')[0] ?? ''), lines }
}

const app = ['-P', 'platform/app']

describe('live values', () => {
  it.each<readonly [string, readonly string[], RegExp]>([
    ['runner ids', ['runners', 'get', ''], /^1$/],
    ['runners by name', ['runners', 'pause', '2', 'shared-'], /^shared-linux-1$/],
    ['project paths', ['projects', 'get', 'plat'], /^platform\/app$/],
    ['the project of a flag', ['jobs', 'list', '-P', 'plat'], /^platform\/app$/],
    ['the same, joined', ['jobs', 'list', '--project=plat'], /^--project=platform\/app$/],
    ['job ids', ['jobs', 'get', ...app, ''], /^\d+$/],
    ['merge requests', ['mr', 'rebase', ...app, ''], /^\d+$/],
    ['deploy keys', ['deploy-keys', 'get', ...app, ''], /^\d+$/],
    ['slugs', ['integrations', 'get', ...app, ''], /^[a-z][a-z-]+$/],
    ['node ids', ['geo', 'nodes', 'get', ''], /^\d+$/],
    ['resource groups', ['resource-groups', 'get', ...app, ''], /^[a-z]+/],
    ['storages', ['storage-move', 'schedule', '--source-storage-name', ''], /^[a-z]+/],
    ['approval rules', ['approvals', 'rules', 'get', ...app, ''], /^\d+$/],
    ['issues, by a project ID', ['issues', 'todo', '-P', '1', ''], /^\d+$/],
    ['pipelines', ['jobs', 'list', ...app, '--pipeline', ''], /^\d+$/],
    ['branches', ['commits', 'revert', 'HEAD', ...app, '--branch', ''], /^feature\/login$/],
    ['refs', ['commits', 'list', ...app, '--ref-name', ''], /^main$/],
    ['labels beside the words', ['mr', 'list', ...app, '--labels', ''], /^bug$/],
    ['groups', ['members', 'list', '-G', ''], /^platform\/core$/],
    ['members of a project', ['members', 'update', ...app, ''], /^dov$/],
    ['members of a group', ['members', 'remove', '-Gplatform', ''], /^ben$/],
    ['users to add', ['members', 'add', ...app, ''], /^ben$/],
    ['users to look for', ['members', 'where', ''], /^ben$/],
    ['users to remove', ['members', 'remove-everywhere', ''], /^ben$/],
    ['names of jobs', ['artifacts', 'download', ...app, '--job', ''], /^build$/],
    ['the same, joined', ['artifacts', 'file', 'x', ...app, '--job='], /^--job=build$/],
    ['a second of several', ['runners', 'pause', '1', ''], /^2$/],
  ])('%s', async (_, words, expected) => {
    // Completion gives up after 0.7 s, which a busy machine may need for the start, so the test repeats it.
    const pressed = async (times: number): ReturnType<typeof complete> => {
      const ran = await complete(words)
      return ran.values.length > 1 || times === 0 ? ran : pressed(times - 1)
    }
    const { values, code, stderr } = await pressed(30)
    expect(
      values.some((value) => expected.test(value)),
      values.join(' '),
    ).toBe(true)
    expect(values.at(-1)).toBe(':none')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it.each([
    [['members', 'remove', ''], { SVC_PROJECT: 'platform/app' }, ['dov', 'gus']],
    [['members', 'update', ''], { SVC_GROUP: 'platform' }, ['ana', 'ben']],
    [['members', 'remove', ...app, ''], { SVC_GROUP: 'platform' }, ['dov', 'gus']],
    [['members', 'remove', 'g'], { SVC_PROJECT: 'platform/app' }, ['gus']],
  ])('of %j under %j are the members of that place', async (words, env, names) => {
    const { values } = await complete(words, env)
    expect(values.slice(0, names.length)).toEqual(names)
  })

  it.each([
    [
      ['members', 'remove', '-P', '"platform/app"', ''],
      ['dov', 'gus', 'project_1_bot'],
    ],
    [['members', 'remove', '-P', "'platform'\\/app", '"g'], ['gus']],
    [['members', 'remove', "--project='platform/app'", "'g"], ['gus']],
    [['runners', 'list', '--status="onl'], ['--status=online']],
  ])('follow words that are quoted: %j', async (words, names) => {
    expect((await complete(words)).values.slice(0, -1)).toEqual(names)
  })

  it('are the profiles and their tags, also beside a profile with a mistake', async () => {
    const config = createConfiguration()
    const at = { baseUrl: sandbox.url }
    const profiles = { broken: { ...at, retries: 'x' }, work: { ...at, tags: ['eu'] } }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles }))
    const { values } = await complete(['runners', 'list', '-p', ''], { SVC_CONFIG_DIR: config })
    expect(values).toEqual(['broken', 'work', '@eu', ':none'])
  })

  it('name a value once', async () => {
    const { values } = await complete(['artifacts', 'download', ...app, '--job', ''])
    expect(values.length).toBeGreaterThan(2)
    expect(new Set(values).size).toBe(values.length)
  })

  it('are described', async () => {
    expect((await complete(['runners', 'get', ''])).lines[0]).toBe('1\tshared-linux-1')
  })

  it('name only lists that the catalogue has', async () => {
    for (const source of Object.values(sources).flat()) {
      if (!('area' in source)) continue
      const endpoints = await areas.find((row) => row.name === source.area)?.load()
      expect(endpoints?.[source.key], `${source.area} ${source.key}`).toBeDefined()
    }
  })

  it('have a list wherever a parameter of the catalogue says that there are some', async () => {
    const loaded = await Promise.all(areas.map((row) => row.load()))
    const params = loaded
      .flatMap((endpoints) => Object.values(endpoints))
      .flatMap(({ path, params }) => [...Object.values(path), ...Object.values(params)])
    const named = new Set(params.flatMap(({ completes }) => completes ?? []))
    expect([...named].filter((what) => !hasSource(what))).toEqual([])
  })

  it('are asked for once in a minute', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked++
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify([{ id: 12, description: 'one' }]))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: `http://127.0.0.1:${port}` }
    try {
      expect((await complete(['runners', 'get', ''], env)).values).toEqual(['12', ':none'])
      expect((await complete(['runners', 'get', '1'], env)).values).toEqual(['12', ':none'])
      expect(asked).toBe(1)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it('of an export are the kinds that it takes', async () => {
    const { values } = await complete(['export', ''])
    expect(values).toEqual(expect.arrayContaining(['settings', 'members', 'approval_rules']))
  })

  it.each([
    ['after + in --fields', ['--fields', '+stat'], ['+status']],
    ['after another field', ['--fields', 'id,+stat'], ['id,+status']],
    ['after - in --sort', ['--sort=-stat'], ['--sort=-status']],
    ['after - of a second field', ['--sort', 'id,-stat'], ['id,-status']],
    ['not after the sign of the other flag', ['--sort', '+stat'], []],
    ['nor the other way round', ['--fields', 'id,-stat'], []],
  ])('are fields %s', async (_, flags, expected) => {
    const { values } = await complete(['runners', 'list', ...flags])
    expect(values).toEqual([...expected, ':none'])
  })

  it('come from the instance that the line names', async () => {
    const words = ['runners', 'get', '--base-url', sandbox.url, '']
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: '' }
    expect((await complete(words, env)).values).toContain('1')
  })

  it('are none, silently, where the instance does not answer, refuses, or is not known', async () => {
    const server = createServer(() => {})
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const slow = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      for (const SVC_BASE_URL of [slow, 'http://127.0.0.1:9', ''])
        expect(await complete(['runners', 'get', ''], { SVC_BASE_URL })).toMatchObject({
          values: [':none'],
          stderr: '',
          code: 0,
        })
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it('leave out what a shell could run, and make control characters harmless', async () => {
    const names = ['$(touch x)', '`id`', 'a;b', "a'b", 'a b', 'a\u001b[2J', 'fine/one']
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const list = names.map((name) => ({
        path_with_namespace: name,
        description: 'x\u001b]0;\n$(y)',
      }))
      response.end(JSON.stringify(list))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    try {
      const { values, stdout } = await complete(['projects', 'get', ''], {
        SVC_BASE_URL: `http://127.0.0.1:${port}`,
      })
      expect(values).toEqual(['fine/one', ':none'])
      expect(stdout).not.toContain('\u001b')
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

/** Starts a server that records the paths of its requests. */
const listen = async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify([{ id: 4711, description: 'of the profile' }]))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { asked, url: `http://127.0.0.1:${port}`, close }
}

describe('the embedded instance', () => {
  it.each([
    [['runners', 'get', ''], { SVC_SANDBOX: '1' }],
    [['runners', 'get', '--sandbox', ''], {}],
    [['--sandbox', 'runners', 'get', ''], {}],
    [['runners', '--sandbox', 'get', ''], { SVC_SANDBOX: '0' }],
  ])('is asked in the place of the profile: %j', async (words, env) => {
    const profile = await listen()
    try {
      const of = { SVC_BASE_URL: profile.url, SVC_CONFIG_DIR: createConfiguration(), ...env }
      const pressed = async (times: number): ReturnType<typeof complete> => {
        const ran = await complete(words, of)
        return ran.values.length > 1 || times === 0 ? ran : pressed(times - 1)
      }
      expect((await pressed(5)).lines[0]).toBe('1\tshared-linux-1')
      expect(profile.asked).toEqual([])
    } finally {
      profile.close()
    }
  })

  it.each([
    [['runners', 'get', '--no-sandbox', ''], 1],
    [['runners', 'get', '--from', 'snapshot', ''], 0],
  ])('is not asked where the line says otherwise: %j', async (words, requests) => {
    const profile = await listen()
    try {
      const env = {
        SVC_SANDBOX: '1',
        SVC_BASE_URL: profile.url,
        SVC_CONFIG_DIR: createConfiguration(),
      }
      const { values, stderr } = await complete(words, env)
      expect({ values, stderr }).toEqual({
        values: requests === 0 ? [':none'] : ['4711', ':none'],
        stderr: '',
      })
      expect(profile.asked).toHaveLength(requests)
    } finally {
      profile.close()
    }
  })
})

describe('runs', () => {
  it('are offered where a journal is named, with what they did', async () => {
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_BASE_URL: sandbox.url }
    expect((await complete(['journal', 'undo', ''], env)).values).toEqual([':file'])
    for (const line of [
      ['runners', 'pause', '1', '2', '--yes'],
      ['runners', 'update', '1', '4711', '--description', 'x', '--yes'],
      ['runners', 'resume', '1', '2', '--yes'],
      ['runners', 'pause', '1', '2', '--dry-run', '--save'],
    ])
      await svcctl(line, { env: { ...env, SVC_TOKEN: sandbox.users[0]?.token ?? '' } })
    for (const [verb, planned] of [
      ['undo', []],
      ['show', ['runners-pause\trunners pause: planned']],
    ] as const) {
      const { lines } = await complete(['journal', verb, ''], env)
      expect(lines[0]).toBe('last\tthe last of them')
      const runs = lines.slice(1, -1).map((line) => line.replace(/^\d{8}T\d{6}-|_\d+(?=\t)/g, ''))
      expect(runs.toSorted()).toEqual([
        'runners-pause\trunners pause: 2 done',
        ...planned,
        'runners-resume\trunners resume: 2 done',
        'runners-update\trunners update: 1 done, 1 failed',
      ])
    }
    const open = await complete(['runners', 'update', '--resume', ''], env)
    expect(open.values.slice(1, -1)).toEqual([expect.stringMatching(/-runners-update$/)])
    expect((await complete(['runners', 'pause', '--resume', ''], env)).values).toEqual([':file'])
    expect((await complete(['journal', 'undo', './'], env)).values).toEqual([':file'])
  })
})

describe('the words of a line', () => {
  it.each<readonly [readonly string[], readonly string[]]>([
    [['runn'], ['runners']],
    [['runners', 'pau'], ['pause']],
    [['approvals', 'rules', 'u'], ['update']],
    [['approval', 'rule', 'u'], ['update']],
    [['runners', 'list', '--status', 'onl'], ['online']],
    [['runners', 'list', '-o', 'nd'], ['ndjson']],
    [['runners', 'list', '--output=nd'], ['--output=ndjson']],
    [['runners', 'list', '--fields', 'id,descr'], ['id,description']],
    [['jobs', 'list', '--sort', '-created'], ['-created_at']],
    [
      ['jobs', 'list', '--group-by', 'name,created_at:'],
      ['hour', 'day', 'week', 'month'].map((unit) => `name,created_at:${unit}`),
    ],
    [
      ['runners', 'list', '--fields', 'id,+tag_list,i'],
      ['id,+tag_list,ip_address', 'id,+tag_list,is_shared'],
    ],
    [['runners', 'update', '-', '--row-fields', 'locked,l'], []],
    [['runners', 'update', '-', '--row-fields', 'active,lo'], ['active,locked']],
    [['--outp'], ['--output']],
    [['help', 'exit'], ['exit-codes']],
    [['api', 'DEL'], ['DELETE']],
    [['api', '/application/'], ['/application/settings']],
    [['api', 'get', '/application/'], ['/application/settings']],
    [
      ['api', 'GET', '/projects/a%2Fb/merge_requests/7/cl'],
      ['/projects/a%2Fb/merge_requests/7/closes_issues'],
    ],
    [['explain', 'runner-s'], ['runner-summary']],
    [['explain', 'geo', 'st'], ['status']],
    [['settings', 'get', 'home_page'], ['home_page_url']],
    [['completion', 'po'], ['powershell']],
    [['help', 'runners', 'pau'], ['pause']],
  ])('%j', async (words, expected) => {
    expect((await complete(words)).values).toEqual([...expected, ':none'])
  })

  it.each<readonly [readonly string[], readonly string[]]>([
    [['mcp', 'serve', '--toolsets', 'runn'], ['runners']],
    [
      ['mcp', 'serve', '--toolsets', 'runners,mr,de'],
      ['runners,mr,deploy-keys', 'runners,mr,dependencies'],
    ],
    [
      ['sandbox', 'serve', '--jobs', ''],
      ['pass', 'fail=', 'hold'],
    ],
    [['audit', 'list', '--status', '4'], ['4xx']],
    [['alerts', 'send', '--severity', 'h'], ['high']],
    [['runners', 'list', '--limit', ''], ['all']],
    [['runners', 'list', '--concurrency='], ['--concurrency=auto']],
    [['runners', 'pause', '-', '--shard', ''], ['ci']],
  ])('are offered for values of which there are few: %j', async (words, values) => {
    expect((await complete(words)).values.filter((one) => !one.startsWith(':'))).toEqual(values)
  })

  it('are the profiles for --confirm', async () => {
    const config = createConfiguration()
    const profiles = { prod: { baseUrl: 'https://svc.example' } }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
    const ran = await complete(['runners', 'pause', '1', '--confirm', ''], {
      SVC_CONFIG_DIR: config,
    })
    expect(ran.values).toContain('prod')
  })

  it('leaves files to the shell', async () => {
    for (const words of [
      ['ci', 'lint', ''],
      ['runners', 'update', '1', '--input', ''],
      ['profile', 'set', 'x', '--ca-file', ''],
      ['runners', 'list', '--from', ''],
      ['runners', 'list', '--since', ''],
      ['snapshot', '--to', ''],
    ])
      expect((await complete(words)).values).toEqual([':file'])
  })

  it('are those of an alias, unless an argument is a part of a value', async () => {
    const env = { SVC_CONFIG_DIR: createConfiguration() }
    await svcctl(['alias', 'set', 'of', 'runners list --status $1'], { env })
    await svcctl(['alias', 'set', 'where', 'runners list --where status=$1'], { env })
    expect((await complete(['of', 'onl'], env)).values).toEqual(['online', ':none'])
    expect((await complete(['where', ''], env)).values).toEqual([':none'])
  })
})

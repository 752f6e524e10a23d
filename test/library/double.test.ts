/** `svcctl/sandbox` as a test double for programs of other people. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/library/client.js'
import { type RunningSandbox, type SeedRows, startSandbox } from '../../src/library/sandbox.js'
import { getRejection } from '../support/servers.js'

interface SeedAnswer {
  readonly runners?: readonly { readonly id: number }[]
}

let sandbox: RunningSandbox
const openApi = (token: string, retries = 0) => {
  const api = connect({ baseUrl: sandbox.url, token, retries })
  onTestFinished(() => api.close())
  return api
}

beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())
beforeEach(() => sandbox.reset())

describe('seed()', () => {
  it('adds records that requests find, and gives them with what the rows left out', async () => {
    const { runners } = await sandbox.seed({
      runners: [
        { description: 'mine', active: false, tag_list: ['arm'] },
        { description: 'other' },
      ],
    })
    expect(runners.map(({ id }) => id)).toEqual([11, 12])
    expect(new Set(runners.map(({ token }) => token)).size).toBe(2)
    const api = openApi(sandbox.token)
    expect(await api.runners.get({ id: 11 })).toMatchObject({
      description: 'mine',
      active: false,
      tag_list: ['arm'],
      version: '14.6.0',
    })
  })

  it('gives further users a token, who may do what their roles say', async () => {
    const { users, projects } = await sandbox.seed({
      members: [{ source_type: 'project', source_id: 15, user_id: 10, access_level: 40 }],
      projects: [{ path_with_namespace: 'platform/new', visibility: 'private' }],
      users: [{ username: 'zoe', name: 'Zoe' }],
    })
    expect([users[0]?.admin, projects[0]?.namespace_id]).toEqual([false, 1])
    const api = openApi(sandbox.tokens.zoe ?? '')
    expect((await api.projects.list({ membership: true }).all()).map(({ path }) => path)).toEqual([
      'new',
    ])
    expect(await getRejection(api.settings.get())).toMatchObject({ status: 403 })
  })

  it('gives a runner room for several jobs, which no response shows', async () => {
    const wide = { description: 'wide', tag_list: ['wide'], active: true, online: true } as const
    await sandbox.seed({ runners: [{ ...wide, runner_type: 'instance_type', concurrent: 2 }] })
    const api = openApi(sandbox.token)
    expect(await api.runners.get({ id: 11 })).not.toHaveProperty('concurrent')
    const names = ['a', 'b', 'c']
    const content = names.map((name) => `${name}: { script: [x], tags: [wide] }\n`).join('')
    await api.commits.create({
      id: 1,
      branch: 'main',
      commit_message: 'Add jobs',
      actions: [{ action: 'update', file_path: '.gitlab-ci.yml', content }],
    })
    const jobs = await api.jobs.list({ id: 1 }).all()
    const states = jobs.slice(0, 3).map(({ name, status }) => `${name} ${status}`)
    expect(states.sort()).toEqual(['a running', 'b running', 'c pending'])
  })

  it('reads rows from a file', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'rows-')), 'rows.yml')
    writeFileSync(
      file,
      'issues:\n  - { project_id: 1, title: From a file }\nsettings: { signup_enabled: false }\n',
    )
    const { issues } = await sandbox.seed(file)
    const api = openApi(sandbox.token)
    const found = await api.issues.list({ iids: [issues[0]?.iid ?? 0], scope: 'all' }).all()
    expect(found.map(({ title }) => title)).toContain('From a file')
    expect(await api.settings.get()).toMatchObject({ signup_enabled: false })
  })

  it.each([
    [{ runner: [] }, 'there is no table runner. Did you mean runners?'],
    [{ runners: [{ descripton: 'x' }] }, 'no such attribute. Did you mean description?'],
    [{ runners: [{ active: 'no' }] }, 'active of runners: it must be boolean, not string'],
    [{ runners: [{ contacted_at: 'soon' }] }, 'it must be a time'],
    [{ jobs: [{ project_id: 99 }] }, 'projects has no record 99'],
    [{ runners: [{ id: 1 }] }, 'runners has a record 1 already'],
    [{ alerts: [{}] }, 'can only be made by requests'],
    [{ runners: {} }, 'must be a list of rows'],
  ])('refuses %j, and adds nothing', async (rows, message) => {
    const before = sandbox.snapshot()
    const refused = await getRejection(
      sandbox.seed({ labels: [{ name: 'first' }], ...rows } as unknown as SeedRows),
    )
    expect(refused).toMatchObject({ category: 'usage', message: expect.stringContaining(message) })
    expect(sandbox.snapshot()).toEqual(before)
  })
})

describe('snapshot() and restore()', () => {
  it('bring a state back, IDs and repositories apart', async () => {
    const api = openApi(sandbox.token)
    const before = sandbox.snapshot()
    await api.runners.update({ id: 1, description: 'changed' })
    const rule = { id: 1, name: 'new', approvals_required: 1 }
    const added = await api.approvals.rulesCreate(rule)
    sandbox.restore(before)
    expect(await api.runners.get({ id: 1 })).toMatchObject({ description: 'shared-linux-1' })
    expect(await api.approvals.rulesCreate(rule)).toMatchObject({ id: added?.id })
    expect(JSON.parse(JSON.stringify(before))).toEqual(before)
  })

  it('keep what was restored on the disk', async () => {
    const state = mkdtempSync(join(tmpdir(), 'state-'))
    const first = await startSandbox({ state })
    const before = first.snapshot()
    await first.seed({ runners: [{ description: 'gone' }] })
    first.restore(before)
    await first.close()
    const second = await startSandbox({ state })
    expect(second.snapshot()).toEqual(before)
    await second.close()
  })

  it('refuse what is no state', () => {
    expect(() => sandbox.restore({ runners: 1 })).toThrow(
      'restore() takes what snapshot() returned',
    )
  })
})

describe('requests', () => {
  it('are kept with what tests ask for, and without credentials', async () => {
    const api = openApi(sandbox.tokens.ana ?? '')
    await api.runners.list({ status: 'online' }).all()
    await api.approvals.update({ id: 'platform/app', approvals_before_merge: 2 })
    const runners = await fetch(`${sandbox.url}/api/v4/runners?private_token=sandbox-ben-token`)
    expect(runners.status).toBe(200)
    expect(sandbox.requests).toMatchObject([
      { method: 'GET', path: '/runners', query: { status: 'online' }, user: 'ana', status: 200 },
      {
        method: 'POST',
        path: '/projects/platform%2Fapp/approvals',
        body: { approvals_before_merge: 2 },
        user: 'ana',
        status: 201,
      },
      { path: '/runners', query: { private_token: '***' }, user: 'ben' },
    ])
    expect(JSON.stringify(sandbox.requests)).not.toContain('-token"')
    await sandbox.reset()
    expect(sandbox.requests).toEqual([])
  })
})

describe('fail()', () => {
  it('has so many requests to a route fail, and no other', async () => {
    const api = openApi(sandbox.token)
    sandbox.fail('PUT /runners/:id', { status: 503, times: 2, body: { message: 'down' } })
    const before = sandbox.snapshot()
    for (const id of [1, 2])
      expect(
        await getRejection(api.runners.update({ id, description: 'not written', active: false })),
      ).toMatchObject({ status: 503 })
    expect(sandbox.snapshot()).toEqual(before)
    expect(sandbox.requests.slice(-2).map(({ status }) => status)).toEqual([503, 503])
    expect(await api.runners.get({ id: 1 })).toMatchObject({ id: 1 })
    expect(await api.runners.update({ id: 1, active: true })).toMatchObject({ id: 1 })
  })

  it('is late where it is told so, and answers all the same', async () => {
    sandbox.fail('GET /runners/7', { delay: 60_000 })
    const patient = connect({ baseUrl: sandbox.url, token: sandbox.token, timeout: 1, retries: 0 })
    onTestFinished(() => patient.close())
    expect(await getRejection(patient.runners.get({ id: 7 }))).toMatchObject({
      category: 'unreachable',
    })
    expect(await patient.runners.get({ id: 8 })).toMatchObject({ id: 8 })
  })

  it('is forgotten by reset(), and refuses a route that is none', async () => {
    sandbox.fail('GET /runners/all', { status: 500, times: 5 })
    await sandbox.reset()
    expect((await openApi(sandbox.token).runners.listAll().all()).length).toBe(10)
    expect(() => sandbox.fail('GET /runers', { status: 500 })).toThrow('no route "GET /runers"')
    expect(() => sandbox.fail('GET /runners', { status: 42 })).toThrow('status')
  })
})

describe('reset()', () => {
  it('makes repositories anew', async () => {
    const api = openApi(sandbox.token)
    const change = { action: 'create', file_path: 'new.txt', content: 'x' } as const
    const commit = () =>
      api.commits.create({ id: 1, branch: 'main', commit_message: 'New', actions: [change] })
    await commit()
    expect(await getRejection(commit())).toMatchObject({ status: 400 })
    await sandbox.reset()
    expect(await commit()).toMatchObject({ title: 'New' })
  })
})

describe('over HTTP', () => {
  it('does the same for other languages', async () => {
    const ask = async (route: string, sent?: unknown) => {
      const [method = '', path = ''] = route.split(' ')
      const came = await fetch(`${sandbox.url}/-/test/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: sent === undefined ? undefined : JSON.stringify(sent),
      })
      const body: SeedAnswer = JSON.parse(await came.text())
      return { status: came.status, body }
    }
    const before = (await ask('GET snapshot')).body
    const { runners } = (await ask('POST seed', { runners: [{ description: 'x' }] })).body
    expect(runners?.map(({ id }) => id)).toEqual([11])
    expect((await ask('PUT snapshot', before)).status).toBe(200)
    await ask('POST fail', { route: 'GET /version', status: 500 })
    expect((await fetch(`${sandbox.url}/api/v4/version`)).status).toBe(500)
    expect((await ask('GET requests')).body).toMatchObject<object>([
      { path: '/version', status: 500 },
    ])
    expect((await ask('POST reset', {})).body).toEqual({})
    expect(await ask('POST seed', { runner: [] })).toMatchObject({ status: 400 })
    expect(await ask('GET nothing')).toMatchObject({ status: 400 })
  })
})

/** A script that loads both libraries in a process of its own, and prints which globals, variables and listeners changed. */
const changes = `const v8 = require('node:v8')
const flags = []
v8.setFlagsFromString = (flag) => flags.push(flag)
require('node:module').syncBuiltinESMExports()
const names = () => Reflect.ownKeys(globalThis)
const values = () => new Map(names().filter((name) => name !== 'localStorage').map((name) => [name, globalThis[name]]))
const listeners = () => process.eventNames().map(String)
values() // Node makes some of them when they are looked at.
const before = { values: values(), env: { ...process.env }, listeners: listeners() }
const { startSandbox } = require('./dist/sandbox.cjs')
const { connect } = require('./dist/client.cjs')
const main = async () => {
  const sandbox = await startSandbox()
  const api = connect({ baseUrl: sandbox.url, token: sandbox.token })
  await sandbox.seed({ runners: [{ description: 'x' }] })
  await api.runners.listAll().all()
  await api.close()
  await sandbox.close()
  const changed = [...values()].filter(([name, value]) => !Object.is(value, before.values.get(name))).map(([name]) => name)
  const env = Object.keys(process.env).filter((name) => process.env[name] !== before.env[name])
  console.log(JSON.stringify({ flags, changed: changed.map(String), env, listeners: listeners().filter((name) => !before.listeners.includes(name)) }))
}
main()`

it('changes no global, variable or flag of V8, and listens to nothing', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'changes-')), 'changes.cjs')
  const dist = JSON.stringify(join(import.meta.dirname, '../../dist/'))
  writeFileSync(file, changes.replaceAll(/'\.\/dist\/([\w.]+)'/g, `${dist} + '$1'`))
  const { stdout } = await execa(process.execPath, [file])
  expect(JSON.parse(stdout)).toEqual({ flags: [], changed: [], env: [], listeners: [] })
})

/** Tests `overview`: one page whose parts are read in parallel. A part that fails does not end the others. */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createFolder } from '../support/program.js'
import type { Script } from '../support/recorder.js'
import { serve } from '../support/servers.js'
import { createCaller, parseRows } from './calling.js'

const { server, call, atTerminal } = createCaller()

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())

const runOverview = (line: string, user = 0) =>
  call(`overview -q ${line}`.trim(), {
    env: { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.users[user]?.token ?? '' },
  })

const routes = {
  runners: '/runners/all',
  certificates: '/pages/domains',
  replication: '/geo_nodes',
  storages: '/application/settings',
} as const
const hour = 3_600_000
const getTimeAgo = (hours: number): string => new Date(Date.now() - hours * hour).toISOString()

/** Answers as an instance with few projects, one of which has jobs that wait. */
const answerSmall: Script = ({ url }) => {
  const path = url.replace(/^\/api\/v4/, '').replace(/\?.*$/, '')
  const answers: Readonly<Record<string, unknown>> = {
    '/projects': [
      { id: 1, path_with_namespace: 'a/b', repository_storage: 'default' },
      { id: 2, path_with_namespace: 'a/c', repository_storage: 'default' },
      { id: 3, path_with_namespace: 'a/old', repository_storage: 'spare', archived: true },
      { id: 4, path_with_namespace: 'a/wiki', repository_storage: 'spare', jobs_enabled: false },
    ],
    '/projects/2/jobs': [
      { id: 9, name: 'new', created_at: getTimeAgo(1), tag_list: [] },
      { id: 8, name: 'old', created_at: getTimeAgo(50), tag_list: ['gpu', 'x'] },
    ],
    '/application/settings': { repository_storages: ['default', 'spare', 'empty'] },
  }
  return path in answers ? { body: answers[path] } : undefined
}

/** Answers as `answerSmall` does, except for one route. */
const answerExcept =
  (route: string, status: number, body: unknown = { message: `no ${status}` }): Script =>
  (seen, i) =>
    seen.url.replace(/^\/api\/v4/, '').startsWith(route) ? { status, body } : answerSmall(seen, i)

describe('overview', () => {
  it('has the parts as one object for programs', async () => {
    const ran = await runOverview('-o json')
    expect(ran.code).toBe(0)
    const page = JSON.parse(ran.stdout)
    expect(page).toMatchObject({
      address: sandbox.url,
      runners: {
        total: 10,
        by_state: { online: 4, offline: 2, not_connected: 2, paused: 2 },
        by_type: { project_type: { online: 2, paused: 1 } },
      },
      jobs: { waiting: 1, projects_looked_at: 13, oldest: { project: 'platform/app', id: 15 } },
      certificates: { without: 2, by_time_left: { ended: 1, later: 1 } },
      replication: [
        { name: 'north', primary: true, healthy: true, synced_percent: 100 },
        { name: 'south', healthy: false, lag_seconds: 3, failed: 18 },
      ],
      storages: [
        { storage: 'default', projects: 11, weight: 100 },
        { storage: 'second', projects: 2 },
        { storage: 'cluster', projects: 1 },
      ],
      tokens: [{ profile: '(environment)', works: true }],
      unread: [],
      not_in_the_api: ['alerts', 'storage moves under way'],
    })
    // South has 9 of 12 container repositories.
    expect(page.replication[1].least).toEqual({ kind: 'container repositories', percent: 75 })
  })

  it('has them as rows elsewhere', async () => {
    const rows = parseRows((await runOverview('')).stdout)
    expect(rows).toContainEqual({ part: 'runners', item: 'group', value: '1', state: 'online' })
    expect(rows).toContainEqual({
      part: 'replication',
      item: 'south',
      value: '96.7 %',
      state: 'unhealthy',
    })
    const sheet = (await runOverview('--parts storages -o markdown')).stdout
    expect(sheet).toContain('| storages | default | 11 |')
  })

  it('reads only what is asked for', async () => {
    server.answer = answerSmall
    const ran = await call('overview --parts storages -o json')
    expect(Object.keys(JSON.parse(ran.stdout))).toEqual([
      'address',
      'at',
      'storages',
      'unread',
      'not_in_the_api',
      'findings',
    ])
    expect(server.lines().sort()).toEqual([
      'GET /application/settings',
      'GET /projects?per_page=100',
    ])
    expect(await call('overview --parts geo')).toMatchObject({ code: 2, stdout: '' })
  })

  it('looks for jobs in every project that has any, and reads the projects once', async () => {
    server.answer = answerSmall
    const ran = await call('overview -o json')
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout).jobs).toMatchObject({
      waiting: 2,
      projects_looked_at: 2,
      oldest: { project: 'a/c', id: 8, tag_list: ['gpu', 'x'], waited_seconds: expect.any(Number) },
      by_project: { 'a/c': 2 },
      by_age: { '10 min to 1 h': 0, '1 to 6 h': 1, 'over 1 day': 1 },
    })
    const { jobs, storages } = JSON.parse(ran.stdout)
    expect(Math.round(jobs.oldest.waited_seconds / 3600)).toBe(50)
    expect(storages).toMatchObject([
      { projects: 2 },
      { projects: 2 },
      { storage: 'empty', projects: 0 },
    ])
    const asked = server.lines()
    expect(asked.filter((line) => line.startsWith('GET /projects?'))).toHaveLength(1)
    expect(asked.filter((line) => line.includes('/jobs')).sort()).toEqual([
      'GET /projects/1/jobs?scope[]=pending&per_page=100',
      'GET /projects/2/jobs?scope[]=pending&per_page=100',
    ])
  })

  it('asks for the parts side by side', async () => {
    const open = new Map<string, ServerResponse>()
    const wanted = Object.values(routes)
    // The server answers no request before all of them were sent.
    const slow = await serve(({ url }, response) => {
      const route = wanted.find((one) => url.replace(/\?.*$/, '').endsWith(one))
      if (route === undefined) return void response.end(url.includes('/status') ? '[]' : '{}')
      open.set(route, response)
      if (open.size === wanted.length) for (const one of open.values()) one.end('[]')
    })
    const env = { SVC_BASE_URL: slow.base, SVC_TOKEN: 'secret-token' }
    const line = `overview --parts ${Object.keys(routes).join(',')} --timeout 5 --retries 0`
    await call(line, { env })
    expect([...open.keys()].sort()).toEqual([...wanted].sort())
    expect([...open.values()].every((response) => response.writableEnded)).toBe(true)
  })

  it.each(
    Object.entries(routes).flatMap(([part, route]) =>
      [403, 500].map((status) => [part, status, route] as const),
    ),
  )('says that %s could not be read (%d), and shows the rest', async (part, status, route) => {
    server.answer = answerExcept(route, status)
    const ran = await call('overview --retries 0 -o json')
    expect(ran.code).toBe(8)
    const page = JSON.parse(ran.stdout)
    expect(page[part]).toBeNull()
    expect(page.jobs.waiting).toBe(2)
    expect(page.unread).toMatchObject([{ part, status, offered: true }])
    const rows = parseRows((await call('overview --retries 0')).stdout)
    expect(rows.filter(({ state }) => state === 'unread').map((row) => row.part)).toEqual([part])
  })

  it('takes for no failure what the instance does not have', async () => {
    server.answer = answerExcept(routes.replication, 404, { error: '404 Not Found' })
    const ran = await call('overview -o json')
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout).unread).toMatchObject([{ part: 'replication', offered: false }])
  })

  it.each([
    [404, '–'],
    [500, '!'],
  ])('marks on its page a part that the instance refuses with %d', async (status, sign) => {
    server.answer = answerExcept(routes.replication, status, { error: `${status} Not Found` })
    const { stdout } = await call('overview --retries 0 -o html')
    expect(stdout).toContain(`<b class="warn">${sign}</b>`)
  })

  it('tells projects that hide their jobs from projects that fail', async () => {
    server.answer = answerExcept('/projects/1/jobs', 403)
    const hidden = await call('overview --parts jobs -o json')
    expect(hidden.code).toBe(0)
    expect(JSON.parse(hidden.stdout)).toMatchObject({
      jobs: { waiting: 2, projects_hidden: 1 },
      unread: [{ why: '1 project does not show their jobs' }],
    })
    server.answer = answerExcept('/projects/1/jobs', 500)
    const failed = await call('overview --parts jobs -o json --retries 0')
    expect(failed.code).toBe(8)
    expect(JSON.parse(failed.stdout).jobs).toMatchObject({ waiting: 2, projects_unread: 1 })
  })

  it.each([
    [1, '1 project does not report their storage'],
    [2, '2 projects do not report their storage'],
  ])('counts the projects that do not report their storage (%d)', async (count, why) => {
    const projects = Array.from({ length: count }, (_, i) => ({ id: i + 1 }))
    server.answer = answerExcept('/projects', 200, projects)
    const ran = await call('overview --parts storages -o json')
    expect(JSON.parse(ran.stdout).unread).toMatchObject([{ part: 'storages', why }])
  })

  it.each([
    ['that round was read whole', 1, 0],
    ['it could not be read either', 2, 8],
  ])('ends with the code of its last round where %s', async (_, bad, code) => {
    server.answer = (seen, i) => {
      const rounds = server.lines().filter((line) => line.startsWith('GET /runners/all')).length
      if (seen.url.includes('/runners/all') && rounds <= bad) return { status: 403, body: {} }
      return (rounds < 2 ? answerSmall : answerExcept('/projects/2/jobs', 200, []))(seen, i)
    }
    const ran = await call(
      'overview --parts runners,jobs --watch 1 --wait-until jobs.waiting=0 -o json',
    )
    expect(ran.code).toBe(code)
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(2)
  })

  it('is no page where the instance says nothing at all', async () => {
    server.answer = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    expect(await call('overview')).toMatchObject({ code: 3, stdout: '' })
    const dead = await call('overview --retries 0', { env: { SVC_BASE_URL: 'http://127.0.0.1:9' } })
    expect(dead).toMatchObject({ code: 7, stdout: '' })
  })
})

describe('the page', () => {
  it('keeps names from outside where they belong', async () => {
    const hostile = 'a\u001b[31m\u202e\nb'.padEnd(90, '語')
    server.answer = (seen, i) =>
      seen.url.includes('/geo_nodes/status')
        ? { body: [{ geo_node_id: 1, healthy: false, health: hostile }] }
        : seen.url.includes('/geo_nodes')
          ? { body: [{ id: 1, name: hostile }] }
          : seen.url.includes('/pages/domains')
            ? { body: [{ domain: hostile, certificate: { expired: true } }] }
            : answerSmall(seen, i)
    await atTerminal('overview', async (terminal) => {
      const screen = await terminal.until(/ended with 0/)
      expect(screen).toContain('a\\u001b[31m')
      expect(screen).not.toContain('\u202e')
      for (const title of ['Jobs waiting', 'Replication', 'Tokens of the profiles', 'Next'])
        expect(screen).toMatch(new RegExp(`^${title}`, 'm'))
    })
  })

  it('is drawn again with --watch', async () => {
    server.answer = answerSmall
    await atTerminal('overview --parts jobs --watch 1', async (terminal) => {
      await terminal.until(/Jobs waiting {2}2 in 1 of 2 projects[\s\S]*Ctrl-C to stop/)
      server.answer = answerExcept('/projects/2/jobs', 200, [])
      const screen = await terminal.until(/Jobs waiting {2}0 in 0/)
      expect(screen.match(/Jobs waiting/g)).toHaveLength(1)
    })
  })
})

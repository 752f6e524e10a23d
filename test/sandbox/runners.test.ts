import { describe, expect, it } from 'vitest'
import { useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox()

describe('runners', () => {
  it('lists those an administrator sees, in summary form', async () => {
    const { status, body } = await send('GET /runners/all')
    expect(status).toBe(200)
    expect(body).toHaveLength(10)
    expect(Object.keys(body[0] ?? {})).toEqual([
      'id',
      'description',
      'ip_address',
      'active',
      'is_shared',
      'runner_type',
      'name',
      'online',
      'status',
    ])
    expect(new Set(body.map((r) => r.status))).toEqual(
      new Set(['online', 'offline', 'paused', 'not_connected']),
    )
  })

  it('keeps the list of all for administrators', async () => {
    expect((await send('GET /runners/all', { as: 'ana' })).status).toBe(403)
  })

  it('filters by type, status, tags and the deprecated scope', async () => {
    const ids = async (query: string) =>
      (await send(`GET /runners/all?${query}`)).body.map((r) => r.id)
    expect(await ids('type=group_type')).toEqual([4, 5])
    expect(await ids('status=paused')).toEqual([3, 8])
    expect(await ids('tag_list=linux,docker')).toEqual([1, 2])
    expect(await ids('scope=shared')).toEqual([1, 2, 3])
  })

  it('shows instance runners to anyone signed in, others to maintainers', async () => {
    expect((await send('GET /runners/1', { as: 'eva' })).status).toBe(200)
    expect((await send('GET /runners/6', { as: 'chi' })).status).toBe(403)
    const { body } = await send('GET /runners/6', { as: 'ben' })
    expect(body.projects[0]?.path_with_namespace).toBe('platform/app')
    expect(body.tag_list).toEqual(['deploy'])
  })

  it('pauses and resumes', async () => {
    const paused = await send('PUT /runners/6', { as: 'ben', json: { active: false } })
    expect([paused.status, paused.body.status]).toEqual([200, 'paused'])
    const form = new URLSearchParams({ active: 'true' })
    const resumed = await send('PUT /runners/6', { as: 'ben', body: form })
    expect(resumed.body.status).toBe('online')
  })

  it('refuses a change without attributes and one that leaves nothing to run', async () => {
    expect((await send('PUT /runners/6', { json: {} })).refusal.error).toContain('are missing')
    const none = await send('PUT /runners/6', { json: { tag_list: [] } })
    expect([none.status, none.refusal.message]).toEqual([400, { tags_list: [expect.any(String)] }])
  })

  it('sets and removes the longest time a job may take', async () => {
    const set = await send('PUT /runners/1', { json: { maximum_timeout: 900 } })
    expect(set.body.maximum_timeout).toBe(900)
    const gone = await send('PUT /runners/1', { json: { maximum_timeout: null } })
    expect(gone.body.maximum_timeout).toBeNull()
  })

  it('enables and disables, but never takes the last project', async () => {
    const path = '/projects/platform%2Fcore%2Fengine/runners'
    const only = await send('DELETE /projects/platform%2Fapp/runners/6', { as: 'ben' })
    expect([only.status, only.refusal.message]).toEqual([
      403,
      expect.stringContaining('remove the runner instead'),
    ])
    expect((await send(`POST ${path}`, { json: { runner_id: 6 } })).refusal.message).toContain(
      'locked',
    )
    expect((await send(`DELETE ${path}/7`)).status).toBe(204)
    const on = await send(`POST ${path}`, { json: { runner_id: 7 } })
    expect([on.status, on.body.id]).toEqual([201, 7])
  })

  it('has changed when it is enabled in a project, to a caller that saw it before', async () => {
    const path = '/projects/platform%2Fcore%2Fprotocol/runners'
    const headers = { 'if-unmodified-since': new Date(Date.now() - 60_000).toUTCString() }
    expect((await send(`POST ${path}`, { json: { runner_id: 7 } })).status).toBe(201)
    expect((await send(`DELETE ${path}/7`, { headers })).status).toBe(412)
    expect((await send(`DELETE ${path}/7`)).status).toBe(204)
  })

  it('lists what is available in a project and in a group', async () => {
    const ids = async (kind: 'projects' | 'groups', path: string) =>
      (await send(`GET /${kind}/${path}/runners`, { as: 'ana' })).body.map((r) => r.id)
    expect(await ids('projects', 'platform%2Fapp')).toEqual([1, 2, 3, 4, 6, 7])
    expect(await ids('groups', 'platform%2Fcore')).toEqual([4])
  })

  it('registers by token into instance, group or project', async () => {
    const register = async (token: string) =>
      send('POST /runners', { as: '', json: { token, info: { version: '16.1' } } })
    const { status, body } = await register('sandbox-project-1-registration')
    expect([status, Object.keys(body)]).toEqual([201, ['id', 'token']])
    const shown = (await send(`GET /runners/${body.id}`)).body
    expect([shown.runner_type, shown.version, shown.status]).toEqual([
      'project_type',
      '16.1',
      'not_connected',
    ])
    expect((await register('wrong')).status).toBe(403)
    const settings = {
      description: 'new',
      tag_list: ['b', 'a', 'b'],
      locked: true,
      run_untagged: false,
      maximum_timeout: 600,
      access_level: 'ref_protected',
      active: false,
    }
    const token = 'sandbox-project-1-registration'
    const made = await send('POST /runners', { as: '', json: { token, ...settings } })
    expect((await send(`GET /runners/${made.body.id}`)).body).toMatchObject({
      ...settings,
      tag_list: ['b', 'a'],
    })
    const idle = { token, ...settings, tag_list: [] }
    expect((await send('POST /runners', { as: '', json: idle })).status).toBe(400)
    const wrong = { token, access_level: 'all' }
    expect((await send('POST /runners', { as: '', json: wrong })).status).toBe(400)
    expect((await send('POST /runners', { as: '', json: {} })).refusal).toEqual({
      error: 'token is missing',
    })
  })
})

describe('a paused runner', () => {
  const clock = { now: new Date('2026-11-20T12:00:00Z') }
  const { send } = useFreshSandbox({ now: () => clock.now })

  it('ends what it runs, and takes no more', async () => {
    const running = async () => (await send('GET /runners/1/jobs?status=running')).body
    const [job] = await running()
    await send('PUT /runners/1', { json: { active: false } })
    expect((await running()).map((j) => j.id)).toContain(job?.id)
    clock.now = new Date('2026-11-20T12:00:03Z')
    expect(await running()).toEqual([])
    const ended = await send(`GET /projects/${job?.project.id}/jobs/${job?.id}`)
    expect(ended.body.status).toBe('success')
    expect(ended.body.finished_at).not.toBeNull()
  })
})

describe('tags', () => {
  it('may come as one text, joined by commas', async () => {
    for (const sending of [
      { json: { tag_list: 'linux, arm' } },
      { body: new URLSearchParams({ tag_list: 'linux,arm' }) },
      { json: { tag_list: ['linux', 'arm'] } },
    ])
      expect((await send('PUT /runners/1', sending)).body.tag_list).toEqual(['linux', 'arm'])
  })
})

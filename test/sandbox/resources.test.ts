/** Tests resources that are not in the documents: each record of a list can be read, created, changed and deleted. */
import { describe, expect, it } from 'vitest'
import type { Fields } from '../../src/base/objects.js'
import { collectRoutes } from '../../src/sandbox/server/routes.js'
import { toRecords, useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox({ now: () => new Date('2026-11-02T10:00:00Z') })

interface Row {
  /** The path of the list; `make` is the route that creates a record, if it is another. */
  readonly at: string
  readonly make?: string
  readonly json: Fields
  /** The field that is part of the record's path. */
  readonly key: string
  /** A change, and the fields that the record shows then. Some records cannot be changed. */
  readonly change?: readonly [method: 'PUT' | 'PATCH', json: Fields, shows: Fields]
  /** A user who may write, and one who may not. */
  readonly as: readonly [may: string, mayNot: string]
  /** The status if the same record is created again. */
  readonly again?: number
  readonly gone?: number
}

const app = '/projects/platform%2Fapp'
const rows: readonly Row[] = [
  {
    at: `${app}/labels`,
    json: { name: 'fresh / new', color: '#ffeedd', description: 'Fresh' },
    key: 'name',
    change: ['PUT', { new_name: 'fresh / new', priority: 3 }, { priority: 3 }],
    as: ['dov', 'eva'],
    again: 409,
  },
  {
    at: `${app}/issues`,
    json: { title: 'Fresh', labels: 'bug,never seen', weight: 2, assignee_ids: [4] },
    key: 'iid',
    change: [
      'PUT',
      { state_event: 'close', remove_labels: 'bug', add_labels: 'security' },
      { state: 'closed', labels: ['never seen', 'security'] },
    ],
    as: ['ana', 'eva'],
  },
  {
    at: `${app}/protected_branches`,
    json: { name: 'feature/login', push_access_level: 30 },
    key: 'name',
    change: ['PATCH', { allow_force_push: true }, { allow_force_push: true }],
    as: ['ben', 'chi'],
    again: 409,
  },
  {
    at: `${app}/repository/branches`,
    json: { branch: 'fresh/branch', ref: 'main' },
    key: 'name',
    as: ['chi', 'dov'],
    again: 400,
  },
  {
    at: `${app}/pipelines`,
    make: `${app}/pipeline`,
    json: { ref: 'main' },
    key: 'id',
    as: ['ana', 'dov'],
  },
  {
    at: '/groups',
    json: { name: 'Fresh', path: 'fresh', visibility: 'public' },
    key: 'id',
    change: ['PUT', { path: 'fresher', description: 'x' }, { full_path: 'fresher' }],
    as: ['ana', 'gus'],
    again: 400,
    gone: 202,
  },
  {
    at: '/users',
    json: { name: 'Fresh', username: 'fresh', email: 'fresh@example.test' },
    key: 'id',
    change: ['PUT', { bio: 'New here' }, { bio: 'New here' }],
    as: ['root', 'ben'],
    again: 409,
  },
]

const early = { 'if-unmodified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' }

describe('a resource beside the documents', () => {
  it.each(rows)('is served whole: $at', async (row) => {
    const {
      at,
      make = at,
      json,
      key,
      as: [as, other],
      again,
      gone = 204,
    } = row
    const made = await send(`POST ${make}`, { as, json })
    expect(made.status, made.text).toBe(201)
    const record: Fields = JSON.parse(made.text)
    const one = `${at}/${encodeURIComponent(String(record[key]))}`
    const show = async () => JSON.parse((await send(`GET ${one}`, { as })).text)
    const shown = await show()
    expect(shown).toEqual(expect.objectContaining({ [key]: record[key] }))
    const {
      branch = json.name,
      ref: _,
      labels: __,
      push_access_level: ___,
      assignee_ids: ____,
      ...plain
    } = json
    if (branch !== undefined) expect(shown.name).toBe(branch)
    expect(shown).toMatchObject(plain)
    const list = async () => toRecords((await send(`GET ${at}?per_page=100`, { as })).body)
    const listed = (await list()).find((found) => found[key] === record[key])
    expect(listed).toBeDefined()
    // A list shows no field that a single record does not have.
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(Object.keys(listed ?? {})))
    if (again !== undefined) expect((await send(`POST ${make}`, { as, json })).status).toBe(again)
    if (row.change !== undefined) {
      const [method, sent, shows] = row.change
      const changed = await send(`${method} ${one}`, { as, json: sent })
      expect([changed.status, JSON.parse(changed.text)]).toEqual([
        200,
        expect.objectContaining(shows),
      ])
      expect(await show()).toMatchObject(shows)
      const none = await send(`${method} ${one}`, { as, json: { nothing: 1 } })
      expect([none.status, none.refusal.error]).toEqual([
        400,
        expect.stringContaining('at least one parameter must be provided'),
      ])
      expect([401, 403]).toContain(
        (await send(`${method} ${one}`, { as: other, json: sent })).status,
      )
      expect((await send(`${method} ${one}`, { as: '', json: sent })).status).toBe(401)
    }
    for (const [who, status] of [
      [other, 403],
      ['', 401],
    ] as const)
      expect((await send(`DELETE ${one}`, { as: who })).status, `DELETE as ${who}`).toBe(status)
    expect((await send(`DELETE ${one}`, { as, headers: early })).status).toBe(412)
    expect((await send(`DELETE ${one}`, { as })).status).toBe(gone)
    expect((await send(`GET ${one}`, { as })).status).toBe(404)
    expect((await send(`DELETE ${one}`, { as })).status).toBe(404)
    expect((await list()).filter((found) => found[key] === record[key])).toEqual([])
  })

  it('has every route that records of its kind can have', () => {
    const routes = new Set(
      collectRoutes().map(({ method, url }) => `${method} ${String(url).replace(/:\w+$/, ':')}`),
    )
    const lists = collectRoutes().filter(
      ({ method, url, endpoint }) =>
        method === 'GET' && endpoint === undefined && routes.has(`GET ${String(url)}/:`),
    )
    expect(lists.length).toBeGreaterThan(6)
    /** Branches and pipelines cannot be changed. The documents have the other routes of resource groups. */
    const without: Readonly<Record<string, readonly string[]>> = {
      '/api/v4/projects/:id/repository/branches': ['PUT'],
      '/api/v4/projects/:id/pipelines': ['POST', 'PUT'],
      '/api/v4/projects/:id/resource_groups': ['POST', 'DELETE'],
    }
    for (const { url } of lists) {
      const changes = routes.has(`PATCH ${String(url)}/:`) ? 'PATCH' : 'PUT'
      const missing = [
        routes.has(`POST ${String(url)}`) ? [] : 'POST',
        routes.has(`${changes} ${String(url)}/:`) ? [] : 'PUT',
        routes.has(`DELETE ${String(url)}/:`) ? [] : 'DELETE',
      ].flat()
      expect(missing, String(url)).toEqual(without[String(url)] ?? [])
    }
    expect(routes).toContain('POST /api/v4/projects/:id/pipeline')
  })
})

describe('what records of a kind show', () => {
  const first = async (path: string) => toRecords((await send(`GET ${path}`)).body)[0] ?? {}

  it.each([
    [
      `${app}/pipelines`,
      'id iid project_id sha ref status source created_at updated_at web_url',
      'before_sha tag yaml_errors user started_at finished_at duration queued_duration coverage detailed_status',
    ],
    [
      `${app}/labels?with_counts=true`,
      'id name color text_color description description_html open_issues_count closed_issues_count open_merge_requests_count subscribed priority is_project_label',
      '',
    ],
    [
      `${app}/repository/branches`,
      'name merged protected default developers_can_push developers_can_merge can_push web_url commit',
      '',
    ],
    [
      `${app}/protected_branches`,
      'id name push_access_levels merge_access_levels allow_force_push unprotect_access_levels code_owner_approval_required',
      '',
    ],
    [
      '/groups',
      'id name path full_path full_name parent_id description visibility web_url avatar_url created_at',
      'shared_with_groups projects',
    ],
    [
      '/users',
      'id username name state avatar_url web_url email is_admin bot external created_at two_factor_enabled can_create_group identities',
      '',
    ],
  ])('%s', async (path, listed, alone) => {
    const record = await first(path)
    const fields = listed.split(' ')
    expect(Object.keys(record)).toEqual(expect.arrayContaining(fields))
    const key = String(record.id ?? record.name)
    const one = path.includes('branches') ? String(record.name) : key
    const { text } = await send(`GET ${path.replace(/\?.*/, '')}/${encodeURIComponent(one)}`)
    const counts = fields.filter((field) => !field.endsWith('_count'))
    expect(Object.keys(JSON.parse(text))).toEqual(
      expect.arrayContaining([...counts, ...alone.split(' ').filter((field) => field !== '')]),
    )
  })

  it('names a pipeline by project: the newest is asked for by its branch', async () => {
    const { text } = await send(`GET ${app}/pipelines/latest`)
    expect(JSON.parse(text)).toMatchObject({ id: 5, ref: 'main' })
    expect(JSON.parse((await send(`GET ${app}/pipelines/latest?ref=none`)).text)).toEqual({
      message: '404 Pipeline Not Found',
    })
    const shown = await first(`${app}/pipelines?sort=asc`)
    expect(shown.iid).toBe(1)
  })

  it('is filtered by what the documents of instances name', async () => {
    const count = async (query: string) => toRecords((await send(`GET ${query}`)).body).length
    const all = await count(`${app}/pipelines`)
    const finished = await count(`${app}/pipelines?scope=finished`)
    expect(finished).toBeGreaterThan(0)
    expect(finished).toBeLessThan(all)
    expect(await count(`${app}/pipelines?username=nobody`)).toBe(0)
    expect(await count(`${app}/pipelines?source=push`)).toBeLessThanOrEqual(all)
    expect(await count(`${app}/labels?include_ancestor_groups=false`)).toBe(0)
    expect(await count(`${app}/repository/branches?search=%5Efeature`)).toBe(4)
    expect(await count(`${app}/repository/branches?search=login$`)).toBe(1)
    expect(await count('/groups?top_level_only=true&skip_groups[]=1')).toBe(3)
    expect(await count('/users?blocked=true')).toBe(1)
    expect(await count('/users?admins=true')).toBe(1)
  })
})

describe('a change', () => {
  const get = async (path: string) => JSON.parse((await send(`GET ${path}`)).text)

  it('of a label shows wherever it is used', async () => {
    await send(`POST ${app}/issues`, { json: { title: 'Labelled', labels: 'mine' } })
    await send(`PUT ${app}/labels/mine`, { json: { new_name: 'ours' } })
    expect((await get(`${app}/issues?labels=ours`)).length).toBe(1)
    await send(`DELETE ${app}/labels/ours`)
    expect((await get(`${app}/issues?labels=ours`)).length).toBe(0)
    // Labels of a group are changed in the group.
    expect((await send(`PUT ${app}/labels/bug`, { json: { color: '#000000' } })).status).toBe(404)
    const odd = await send(`POST ${app}/labels`, { json: { name: 'odd', color: '12' } })
    expect([odd.status, odd.refusal.message]).toEqual([
      400,
      { color: ['must be a valid color code'] },
    ])
  })

  it('are also named by a parameter, as on the deprecated routes', async () => {
    await send(`POST ${app}/labels`, { json: { name: 'by name', color: '#112233' } })
    const put = (json: unknown) => send(`PUT ${app}/labels`, { json })
    expect((await put({ name: 'by name', new_name: 'by hand' })).status).toBe(200)
    expect((await put({ name: 'by hand' })).status).toBe(400)
    expect((await put({ name: 'nothing', color: '#112233' })).status).toBe(404)
    expect((await put({ color: '#112233' })).refusal).toEqual({
      error: 'label_id, name are missing, exactly one parameter must be provided',
    })
    expect((await send(`DELETE ${app}/labels?name=by%20hand`)).status).toBe(204)
    expect((await send(`GET ${app}/labels/by%20hand`)).status).toBe(404)
  })

  it('of an issue is an event of whoever did it, and only Reporters set what plans it', async () => {
    const json = { title: 'By a guest', labels: 'bug', weight: 5 }
    const { text } = await send(`POST ${app}/issues`, { as: 'eva', json })
    const issue = JSON.parse(text)
    expect(issue).toMatchObject({ labels: [], weight: null, author: { username: 'eva' } })
    const one = `${app}/issues/${issue.iid}`
    await send(`PUT ${one}`, { as: 'eva', json: { state_event: 'close' } })
    await send(`PUT ${one}`, { as: 'dov', json: { state_event: 'reopen', due_date: '2026-12-01' } })
    const events = (await send(`GET ${app}/events?target_type=issue&per_page=3`)).body
    expect(events.map((e) => [e.action_name, e.author_username])).toEqual([
      ['reopened', 'dov'],
      ['closed', 'eva'],
      ['opened', 'eva'],
    ])
    expect(await get(one)).toMatchObject({
      state: 'opened',
      closed_by: null,
      due_date: '2026-12-01',
    })
    expect((await send(`DELETE ${one}`, { as: 'eva' })).status).toBe(403)
    expect((await send(`POST ${app}/issues`, { json: { title: ' ' } })).status).toBe(400)
  })

  it('of a branch follows its protection, and of a request’s target', async () => {
    const branches = `${app}/repository/branches`
    const remove = async (name: string) => {
      const { status, refusal } = await send(`DELETE ${branches}/${encodeURIComponent(name)}`)
      return [status, refusal.message]
    }
    expect(await remove('main')).toEqual([
      400,
      'The default branch of a project cannot be deleted.',
    ])
    await send(`POST ${app}/protected_branches`, { json: { name: 'feature/login' } })
    expect(await remove('feature/login')).toEqual([400, 'Protected branches cannot be deleted.'])
    const { text } = await send(`POST ${branches}?branch=x&ref=none`)
    expect(JSON.parse(text).message).toBe('Invalid reference name: none')
    const [event] = (await send(`GET ${app}/events?action=pushed`)).body
    await send(`POST ${branches}?branch=x&ref=feature%2Flogin`)
    const made = (await send(`GET ${app}/events?action=pushed`)).body[0]
    expect([made?.id === event?.id, made?.push_data?.ref]).toEqual([false, 'x'])
  })

  it('of a protection leaves no rule behind that names it', async () => {
    const [rule] = await get(`${app}/protected_branches`)
    const json = { name: 'Guarded', approvals_required: 1, protected_branch_ids: [rule.id] }
    const made = (await send(`POST ${app}/approval_rules`, { json })).body
    await send(`DELETE ${app}/protected_branches/${rule.name}`)
    expect((await send(`GET ${app}/approval_rules/${made.id}`)).body.protected_branches).toEqual([])
  })

  it('of a pipeline: what was canceled or failed runs again', async () => {
    const made = JSON.parse((await send(`POST ${app}/pipeline`, { json: { ref: 'main' } })).text)
    const one = `${app}/pipelines/${made.id}`
    expect([made.source, made.user.username]).toEqual(['api', 'root'])
    const jobs = async () =>
      toRecords((await send(`GET ${one}/jobs`)).body).map(({ status }) => status)
    expect(await jobs()).toContain('running')
    const canceled = await send(`POST ${one}/cancel`)
    expect([canceled.status, JSON.parse(canceled.text).status]).toEqual([200, 'canceled'])
    expect(new Set(await jobs())).toEqual(new Set(['canceled']))
    expect((await send(`POST ${one}/retry`)).status).toBe(201)
    expect(await get(one)).toMatchObject({ status: 'running' })
    expect(await jobs()).toContain('running')
    const actions = [{ action: 'delete', file_path: '.gitlab-ci.yml' }]
    const bare = { branch: 'bare', start_branch: 'main', commit_message: 'x', actions }
    expect((await send(`POST ${app}/repository/commits`, { json: bare })).status).toBe(201)
    const refused = async (ref: string) =>
      (await send(`POST ${app}/pipeline`, { json: { ref } })).refusal.message
    expect(await refused('none')).toEqual({ base: ['Reference not found'] })
    expect(await refused('bare')).toEqual({ base: ['Missing CI config file'] })
  })

  it('of a group’s path takes all along that is below it', async () => {
    await send('PUT /groups/platform', { json: { path: 'base', name: 'Base' } })
    expect(await get('/groups/base%2Fcore')).toMatchObject({ full_name: 'Base / Core' })
    expect(await get('/projects/1')).toMatchObject({ path_with_namespace: 'base/app' })
    expect((await send('GET /groups/platform')).status).toBe(404)
    const taken = await send('PUT /groups/web', { json: { path: 'base' } })
    expect(taken.refusal.message).toEqual({ path: ['has already been taken'] })
    const below = { name: 'Below', path: 'below', parent_id: 4 }
    expect(JSON.parse((await send('POST /groups', { json: below })).text)).toMatchObject({
      full_path: 'web/below',
      visibility: 'public',
    })
  })

  it('that deletes a group deletes all that is its own, and nothing that is left breaks', async () => {
    expect((await send('DELETE /groups/platform', { as: 'ana' })).status).toBe(202)
    const projects = (await send('GET /projects?per_page=100')).body
    expect(projects.map(({ path_with_namespace: path }) => path).join()).not.toMatch(/platform/)
    expect((await send('GET /groups/platform')).status).toBe(404)
    let asked = 0
    for (const { method, url } of collectRoutes()) {
      if (method !== 'GET' || typeof url !== 'string') continue
      const path = url
        .slice('/api/v4'.length)
        .replace(/^\/projects\/:\w+/, '/projects/6')
        .replace(/^\/groups\/:\w+/, '/groups/4')
      const came = await send(`GET ${path.replace(/:\w+|\*\w+/g, '1')}?per_page=100&scope=all`)
      expect(came.status, `${path} ${came.text.slice(0, 200)}`).toBeLessThan(500)
      asked += 1
    }
    expect(asked).toBeGreaterThan(80)
    const runners = (await send('GET /runners/all?per_page=100')).body
    for (const { id } of runners) expect((await send(`GET /runners/${id}`)).status).toBe(200)
  })

  it('that deletes a user leaves what they wrote, under the name of a ghost', async () => {
    const before = (await send(`GET /issues?scope=all&author_username=chi&per_page=100`)).body
    expect((await send('DELETE /users/4')).status).toBe(204)
    expect((await send('GET /user', { as: 'chi' })).status).toBe(401)
    const after = (await send(`GET /issues?scope=all&author_id=4&per_page=100`)).body
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(after[0]?.author.name).toBe('Ghost User')
    expect((await send('GET /users?username=chi')).body).toEqual([])
    expect((await send('DELETE /users/1')).status).toBe(403)
  })

  it('of a user’s state takes effect at once', async () => {
    expect((await send('POST /users/4/block')).status).toBe(201)
    expect((await send('GET /user', { as: 'chi' })).status).toBe(403)
    expect((await send('POST /users/4/unblock')).status).toBe(201)
    expect((await send('GET /user', { as: 'chi' })).status).toBe(200)
    expect((await send('POST /users/4/block', { as: 'ben' })).status).toBe(403)
  })
})

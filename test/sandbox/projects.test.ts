import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readState, startSandbox } from '../../src/sandbox/index.js'
import { type ApiAnswer, createSender, useFreshSandbox } from './instance.js'

const { send, folder } = useFreshSandbox()
const listPaths = async (query: string, as = 'root') =>
  (await send(`GET /projects?per_page=100&${query}`, { as })).body.map((p) => p.path_with_namespace)

describe('GET /projects', () => {
  it('shows anonymous callers public projects in their simple form', async () => {
    const { body } = await send('GET /projects', { as: '' })
    expect(body.map((p) => p.path)).toEqual(['dotfiles', 'docs', 'site'])
    expect(body[0]).not.toHaveProperty('visibility')
    expect(body[0]).toHaveProperty('star_count')
  })

  it('shows each user what the user may see, external users no internal ones', async () => {
    expect(await listPaths('visibility=internal', 'dov')).toContain('web/legacy')
    expect(await listPaths('visibility=internal', 'gus')).not.toContain('web/legacy')
    expect(await listPaths('', 'eva')).not.toContain('web/shop')
    expect(await listPaths('')).toHaveLength(14)
  })

  it('filters', async () => {
    expect(await listPaths('archived=true')).toEqual(['labs/prototype'])
    expect(await listPaths('topic=service,web')).toEqual(['web/shop'])
    expect(await listPaths('with_issues_enabled=true')).not.toContain('web/docs')
    expect(await listPaths('with_merge_requests_enabled=true')).not.toContain('labs/sensors')
    expect(await listPaths('with_programming_language=Rust&sort=asc')).toEqual([
      'platform/core/engine',
      'platform/core/protocol',
    ])
    expect(await listPaths('starred=true', 'dov')).toEqual(['web/site'])
    expect(await listPaths('owned=true', 'chi')).toEqual(['chi/notes'])
    expect(await listPaths('membership=true&min_access_level=40', 'dov')).toEqual([
      'labs/sensors',
      'labs/prototype',
    ])
    expect(await listPaths('membership=true')).toEqual([])
    expect(await listPaths('id_after=12&sort=asc')).toEqual(['chi/notes', 'ben/app'])
    expect(await listPaths('search=handbook')).toEqual(['web/docs'])
    expect(await listPaths('search=tools')).toEqual([])
    expect(await listPaths('search=tools&search_namespaces=true')).toHaveLength(2)
    expect(await listPaths('last_activity_after=2026-11-01T00:00:00Z')).toEqual(['platform/app'])
    expect(await listPaths('repository_checksum_failed=true')).toEqual(['web/shop'])
    expect(await listPaths('wiki_checksum_failed=true')).toEqual(['web/docs'])
  })

  it('orders, by similarity only while searching', async () => {
    expect((await listPaths('order_by=name&sort=asc'))[0]).toBe('platform/app')
    expect(await listPaths('order_by=similarity&search=app', 'ana')).toEqual(['platform/app'])
    // An administrator is no member of every project.
    expect(await listPaths('order_by=similarity&search=app')).toEqual([])
    expect((await listPaths('order_by=repository_size'))[0]).toBe('ben/app')
  })

  it('keeps storages, sizes and custom attributes for administrators', async () => {
    expect(await listPaths('repository_storage=second')).toEqual(['web/docs', 'web/shop'])
    expect(await listPaths('custom_attributes[team]=core')).toEqual(['platform/core/engine'])
    for (const query of [
      'repository_storage=second',
      'order_by=wiki_size',
      'custom_attributes[team]=core',
      'with_custom_attributes=true',
    ])
      expect((await send(`GET /projects?${query}`, { as: 'ana' })).status).toBe(403)
    const { body } = await send('GET /projects?with_custom_attributes=true&topic=flagship')
    expect(body[0]?.custom_attributes).toContainEqual({ key: 'tier', value: '1' })
  })

  it('gives statistics to reporters and above', async () => {
    const [app] = (await send('GET /projects?statistics=true&topic=flagship', { as: 'dov' })).body
    const { storage_size, repository_size } = app?.statistics ?? {}
    expect(storage_size).toBeGreaterThan(Number(repository_size))
    const [seen] = (await send('GET /projects?statistics=true&topic=flagship', { as: 'eva' })).body
    expect(seen).not.toHaveProperty('statistics')
  })

  it('answers 405 past 50,000 records by offset', async () => {
    expect((await send('GET /projects?page=500&per_page=100')).status).toBe(200)
    const { status, refusal } = await send('GET /projects?page=501&per_page=100')
    expect(status).toBe(405)
    expect(refusal.error).toContain('keyset pagination')
  })

  it('walks by keyset to the end, in both directions', async () => {
    for (const [sort, first] of [
      ['asc', 1],
      ['desc', 14],
    ] as const) {
      const ids: number[] = []
      let next: string | undefined =
        `pagination=keyset&order_by=id&sort=${sort}&per_page=5&simple=true`
      while (next !== undefined) {
        const { body, headers }: ApiAnswer<`GET /projects?${string}`> = await send(
          `GET /projects?${next}`,
        )
        ids.push(...body.map((p) => p.id))
        next = /<[^>]*\/api\/v4\/projects\?([^>]*)>; rel="next"/.exec(
          headers.get('link') ?? '',
        )?.[1]
        expect(headers.get('x-total')).toBeNull()
      }
      expect(ids[0]).toBe(first)
      expect(ids).toHaveLength(14)
      expect(new Set(ids).size).toBe(14)
    }
    const other = await send('GET /projects?pagination=keyset&order_by=name')
    expect(other.status).toBe(405)
  })
})

describe('GET /users/:user_id/projects', () => {
  it('lists what a user owns, by ID or name, as far as one sees it', async () => {
    const of = async (user: string, as: string) =>
      (await send(`GET /users/${user}/projects`, { as })).body.map((p) => p.id)
    expect(await of('ana', '')).toEqual([12])
    expect(await of('3', 'root')).toEqual([14])
    expect(await of('3', 'chi')).toEqual([])
    expect((await send('GET /users/nobody/projects')).status).toBe(404)
  })
})

describe('GET /projects/:id', () => {
  it('shows members more than others', async () => {
    const anonymous = await send('GET /projects/web%2Fsite', { as: '' })
    expect(anonymous.body).not.toHaveProperty('visibility')
    const maintainer = (await send('GET /projects/platform%2Fapp', { as: 'ben' })).body
    expect(maintainer.runners_token).toBe('sandbox-project-1-registration')
    expect(maintainer.permissions).toEqual({
      project_access: null,
      group_access: { access_level: 40, notification_level: 3 },
    })
    const guest = (await send('GET /projects/1', { as: 'eva' })).body
    expect(guest).not.toHaveProperty('runners_token')
    expect((await send('GET /projects/7', { as: 'eva' })).status).toBe(404)
  })
})

describe('storage moves', () => {
  const schedule = (kind: string, json: unknown, as = 'root') =>
    send(`POST /${kind}_repository_storage_moves`, { as, json })
  const route = { source_storage_name: 'second', destination_storage_name: 'default' }

  it('are for administrators and known storages', async () => {
    expect((await schedule('project', route, 'ana')).status).toBe(403)
    const unknown = { ...route, destination_storage_name: 'tape' }
    expect((await schedule('project', unknown)).refusal).toEqual({
      error: 'destination_storage_name does not have a valid value',
    })
    const same = { ...route, destination_storage_name: 'second' }
    expect((await schedule('project', same)).status).toBe(400)
  })

  it('go to the storage of the greatest weight where none is named', async () => {
    const { status } = await schedule('snippet', { source_storage_name: 'second' })
    expect(status).toBe(202)
    const moves = (await readState(folder())).storageMoves.filter((m) => m.kind === 'snippet')
    expect(new Set(moves.map((m) => m.destination_storage_name))).toEqual(new Set(['default']))
  })

  it('answer 202, leave the project where it is for a while, then have it arrive', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svcctl-moves-'))
    let now = Date.parse('2026-11-20T12:00:00Z')
    const instance = await startSandbox({ stateDir: folder, now: () => new Date(now) })
    try {
      const ask = createSender(() => instance.url)
      const onSource = async () =>
        (await ask('GET /projects?repository_storage=second')).body.length
      const { status } = await ask('POST /project_repository_storage_moves', { json: route })
      expect(status).toBe(202)
      await ask('POST /snippet_repository_storage_moves', { json: route })
      await ask('POST /group_repository_storage_moves', { json: route })
      expect(await onSource()).toBe(2)
      now += 60_000
      expect(await onSource()).toBe(0)
      expect((await ask('GET /projects/7')).body.repository_storage).toBe('default')
    } finally {
      await instance.close()
    }
    const state = await readState(folder)
    expect(state.groups.some((g) => g.storage === 'second')).toBe(false)
    expect(state.snippets.some((s) => s.storage === 'second')).toBe(false)
    expect(state.storageMoves.size).toBe(0)
    await rm(folder, { recursive: true, force: true })
  })

  it('schedule nothing twice, and leave what moves read-only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svcctl-moves-'))
    const instance = await startSandbox({ stateDir: folder, speed: 0 })
    const ask = createSender(() => instance.url)
    await ask('POST /project_repository_storage_moves', { json: route })
    await ask('POST /project_repository_storage_moves', { json: route })
    const { status, refusal } = await ask('POST /projects/7/repository/commits', {
      json: {
        branch: 'main',
        commit_message: 'x',
        actions: [{ action: 'create', file_path: 'x', content: 'x' }],
      },
    })
    expect(status).toBe(403)
    expect(refusal.message).toContain('read-only')
    await instance.close()
    expect((await readState(folder)).storageMoves.size).toBe(2)
    await rm(folder, { recursive: true, force: true })
  })
})

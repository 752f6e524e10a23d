/** Tests where a user is a member: the requests, which memberships are told apart, and what could not be read. */
import { describe, expect, it } from 'vitest'
import {
  createUserQuery,
  formatMemberPlace,
  type MemberPlace,
  MemberPlaces,
} from '../../src/commands/memberships.js'
import type { InstanceService } from '../../src/engine/command/context.js'
import { createCaller, parseRows } from './calling.js'

const { server, call } = createCaller()
const dov = { id: 5, username: 'dov', access_level: 30, expires_at: null }
const createProject = (id: number, path: string, kind = 'group') => ({
  id,
  path_with_namespace: path,
  namespace: { kind, full_path: path.slice(0, path.lastIndexOf('/')) },
})
const projects = [createProject(1, 'web/inner/site'), createProject(2, 'dov/own', 'user')]

/** Answers with the members of each place, by the path of the list. */
const answerMembers =
  (
    table: Readonly<Record<string, readonly unknown[]>>,
    groups: unknown = [],
  ): typeof server.answer =>
  ({ url }) => {
    const [path = ''] = decodeURIComponent(url).replace('/api/v4/', '').split('?')
    if (path === 'groups') return Array.isArray(groups) ? { body: groups } : { status: 404 }
    if (path === 'projects') return { body: projects }
    if (path === 'users') return { body: [] }
    return { body: table[path] ?? [] }
  }

describe('members where', () => {
  it('asks every project and every group above one, and tells direct from inherited', async () => {
    const ends = { ...dov, expires_at: '2030-01-31' }
    server.answer = answerMembers(
      {
        'groups/web/members/all': [dov],
        'groups/web/members': [dov],
        'groups/web/inner/members/all': [dov],
        'projects/web/inner/site/members/all': [{ ...dov, access_level: 40 }, { id: 6 }],
        'projects/web/inner/site/members': [{ id: 6 }, ends],
      },
      [{ full_path: 'empty' }],
    )
    const ran = await call('members where @DOV -o csv')
    expect(ran.code).toBe(0)
    expect(ran.stdout.trim().split(/\r?\n/)).toEqual([
      'of,username,membership,access_level,expires_at',
      'group:web,dov,direct,developer,',
      'group:web/inner,dov,inherited,developer,',
      'project:web/inner/site,dov,direct,developer,2030-01-31',
      'project:web/inner/site,dov,inherited,maintainer,',
    ])
    expect(ran.stderr.trim().split('\n').at(-1)).toBe(
      "checked 2 projects and 3 groups: the projects that you can see, the groups of their namespaces, and the instance's list of groups",
    )
    const asked = server.lines().map((line) => decodeURIComponent(line).split('?')[0])
    expect(asked.filter((line) => line?.includes('empty'))).toEqual([
      'GET /groups/empty/members/all',
    ])
    expect(server.lines().some((line) => line.includes('/members/all?query=DOV'))).toBe(true)
    // Archived projects are included, because a user who leaves must not stay in them.
    expect(server.lines().some((line) => line.includes('archived'))).toBe(false)
  })

  it.each(['', '-o csv', '-o json'])('is read by members update: %s', async (how) => {
    server.answer = answerMembers({ 'groups/web/members': [dov] })
    const { stdout } = await call(`members where dov --direct ${how}`.trim())
    const line = 'members update - --access-level reporter --curl'
    const { stdout: requests } = await call(line, { input: stdout })
    expect(requests).toMatch(/groups\/web\/members\//)
  })

  it('asks for direct ones alone, by number', async () => {
    server.answer = answerMembers({ 'groups/web/members': [{ ...dov, id: 50 }, dov] })
    const ran = await call('members where 5 --direct -o json')
    expect(JSON.parse(ran.stdout)).toEqual([
      { of: 'group:web', record: { ...dov, membership: 'direct' } },
    ])
    const asked = server.lines().filter((line) => line.includes('/members'))
    expect(asked).toHaveLength(4)
    for (const line of asked) expect(line).toMatch(/\/members\?user_ids(\[\]|%5B%5D)=5&/)
  })

  it('lists what could not be read, exit 8, and tolerates what it is told to', async () => {
    const open = answerMembers(
      { 'groups/web/members/all': [dov], 'groups/web/members': [dov] },
      'none',
    )
    server.answer = (seen, index) =>
      seen.url.includes('site') ? { status: 403, body: { message: 'no' } } : open(seen, index)
    const ran = await call('members where dov -o csv')
    expect(ran.code).toBe(8)
    expect(parseRows(ran.stdout.replaceAll(',', '\t'))).toMatchObject([{ of: 'group:web' }])
    expect(ran.stderr).toMatch(/project:web\/inner\/site: .*no/)
    expect(ran.stderr.trim().split('\n').at(-1)).toBe(
      'checked 2 projects and 2 groups: the projects that you can see, the groups of their namespaces; the instance does not list groups, so groups without projects are not included; 1 could not be read',
    )
    const noted = await call('members where dov --tolerate forbidden')
    expect(noted.code).toBe(0)
    expect(noted.stderr).toContain('(tolerated)')
    expect(noted.stderr).toContain('1 could not be read')
  })

  it('is exit 4 for a name that the instance does not know, and fails where nothing can be read', async () => {
    expect((await call('members where')).code).toBe(2)
    expect(server.seen).toEqual([])
    server.answer = answerMembers({})
    expect(await call('members where nobody')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('unknown user "nobody'),
    })
    expect((await call('members where 77')).stderr).toContain(
      '77 has no membership in any project or group that could be read',
    )
    server.answer = ({ url }) => ({ status: /\/members/.test(url) ? 403 : 200, body: projects })
    expect((await call('members where dov')).code).toBe(3)
  })

  it('ends where the credential is refused again and again', async () => {
    const many = Array.from({ length: 300 }, (_, i) => createProject(i + 1, `a/p${i}`))
    server.answer = ({ url }) => {
      if (/\/members/.test(url)) return { status: 401, body: { message: '401 Unauthorized' } }
      return { body: url.includes('/projects?') ? many : [] }
    }
    const ran = await call('members where dov --direct')
    expect(ran.code).toBe(3)
    expect(server.lines().length).toBeLessThan(100)
  })
})

/** Creates the places of an instance that lists these projects. `ids` returns the IDs of the page after an ID. */
const createPlaces = (ids: (after: number) => readonly number[]) => {
  const asked: unknown[] = []
  const records = async (
    { route }: { route: string },
    input: { id_after?: number },
    { where }: { where?: (record: unknown) => boolean } = {},
  ) => {
    if (route === 'GET /groups') return []
    asked.push(input)
    for (const id of ids(input.id_after ?? 0)) where?.(createProject(id, `g/p${id}`))
    return []
  }
  const instance = { readRecords: records as unknown as InstanceService['readRecords'] }
  return { asked, places: new MemberPlaces(instance) }
}
const createPage = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, Math.min(to, from + 999) - from + 1) }, (_, i) => from + i)
const collectPlaces = async (places: MemberPlaces): Promise<MemberPlace[]> => {
  const found: MemberPlace[] = []
  for await (const place of places.yieldPlaces()) found.push(place)
  return found
}

describe('the places that are looked at', () => {
  it('come a thousand at a time, each once', async () => {
    const { asked, places } = createPlaces((after) => createPage(after + 1, 2300))
    const found = (await collectPlaces(places)).map(formatMemberPlace)
    expect(found).toHaveLength(2301)
    expect(new Set(found).size).toBe(2301)
    expect(asked).toMatchObject([{ sort: 'asc' }, { id_after: 1000 }, { id_after: 2000 }])
  })

  it('are no endless list where an instance begins again', async () => {
    const { places } = createPlaces(() => createPage(1, 1000))
    await expect(collectPlaces(places)).rejects.toThrow(
      'the list of projects starts again instead of continuing',
    )
  })
})

it('looks for a user by number or by name', () => {
  expect(createUserQuery('7').filter).toEqual({ user_ids: [7] })
  expect(createUserQuery('@Ana').filter).toEqual({ query: 'Ana' })
  expect(createUserQuery('ana').is({ username: 'ANA' })).toBe(true)
  expect(createUserQuery('ana').is({ username: 'anab' })).toBe(false)
  expect(createUserQuery('7').is({ id: 77 })).toBe(false)
})

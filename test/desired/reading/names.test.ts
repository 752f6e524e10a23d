/** Tests names for IDs and back: their source, and the requests for them. */
import { describe, expect, it } from 'vitest'
import { approvalRules, projectMembers, projectRunners } from '../../../src/catalogue/managed.js'
import { openView } from '../../../src/desired/reading/index.js'
import { useSharedSandbox } from '../../sandbox/instance.js'
import { getRejection, sendJson, serve } from '../../support/servers.js'
import { openRecordedInstance } from '../open.js'

const box = useSharedSandbox()
const site = { scope: 'site', path: '' } as const
const app = { scope: 'project', path: 'platform/app' } as const
const openSandboxView = (token = 'sandbox-root-token') => {
  const { instance, asked } = openRecordedInstance(box.url(), token)
  return { view: openView(instance), asked }
}
const openScriptedView = async (answers: Readonly<Record<string, unknown>>) => {
  const { base, seen: current } = await serve(({ url }, response) => {
    const path = url.replace('/api/v4', '').replace(/[?&]per_page=100/, '')
    const found = Object.hasOwn(answers, path)
    sendJson(response, found ? 200 : 404, found ? answers[path] : { error: '404 Not Found' })
  })
  const { instance } = openRecordedInstance(base, 'token')
  return { view: openView(instance), current }
}

describe('users', () => {
  it('are known where anything that was read shows them', async () => {
    const { view, asked } = openSandboxView()
    await view.readKind(app, approvalRules)
    const before = asked.length
    expect(await view.names.number('user', 'BEN', app)).toBe(3)
    expect(view.names.name('user', 3, app)).toBe('ben')
    expect(asked).toHaveLength(before)
  })

  it('are looked for among all members of the place, then by their name', async () => {
    const { view, asked } = openSandboxView()
    expect(await view.names.number('user', 'eva', app)).toBe(6)
    expect(asked).toEqual(['GET /projects/platform%2Fapp/members/all?per_page=100'])
    expect(await view.names.number('user', 'root', app)).toBeGreaterThan(0)
    expect(await view.names.number('user', 'nobody', app)).toBeUndefined()
    expect(await view.names.number('user', 'nobody', app)).toBeUndefined()
    expect(asked.slice(1)).toEqual([
      'GET /users?username=root&per_page=100',
      'GET /users?username=nobody&per_page=100',
    ])
  })

  it('cannot be resolved where the instance does not tell, and nothing else is thought of it', async () => {
    const { view } = await openScriptedView({ '/projects/platform%2Fapp/members/all': [] })
    expect(await view.names.number('user', 'ana', app)).toBeUndefined()
    const { base } = await serve((_, response) => sendJson(response, 500, { message: '500' }))
    const failing = openView(openRecordedInstance(base, 'token').instance)
    expect(await getRejection(failing.names.number('user', 'ana', app))).toMatchObject({
      category: 'unreachable',
    })
  })

  it('are only those of exactly the name', async () => {
    const { view } = await openScriptedView({
      '/users?username=ana': [{ id: 9, username: 'ana-2' }],
      '/projects/platform%2Fapp/members/all': [],
    })
    expect(await view.names.number('user', 'ana', app)).toBeUndefined()
    expect(view.names.name('user', 9, app)).toBe('ana-2')
  })
})

describe('groups', () => {
  it('are those of projects, and are asked for only where none shows them', async () => {
    const { view, asked } = openSandboxView()
    await view.places({
      groups: [],
      projects: [],
      below: ['platform'],
      membersBelow: [],
    })
    const before = asked.length
    expect(await view.names.number('group', 'Platform/Core', site)).toBe(2)
    expect(view.names.name('group', 2, site)).toBe('platform/core')
    expect(asked).toHaveLength(before)
    expect(await view.names.number('group', 'partners', site)).toBe(6)
    expect(asked.slice(before)).toEqual(['GET /groups/partners?with_projects=false'])
  })

  it('are found by their path, by search, or in the list of projects', async () => {
    const byPath = await openScriptedView({
      '/groups/a%2Fb?with_projects=false': { id: 7, full_path: 'a/b' },
    })
    expect(await byPath.view.names.number('group', 'a/b', site)).toBe(7)
    const bySearch = await openScriptedView({
      '/groups?search=b': [
        { id: 6, full_path: 'x/b' },
        { id: 7, full_path: 'a/b' },
      ],
    })
    expect(await bySearch.view.names.number('group', 'a/b', site)).toBe(7)
    const byProjects = await openScriptedView({
      '/projects?archived=false&order_by=id&sort=asc': [
        {
          id: 1,
          path_with_namespace: 'a/b/c',
          namespace: { id: 7, kind: 'group', full_path: 'a/b' },
        },
        {
          id: 2,
          path_with_namespace: 'ana/c',
          namespace: { id: 8, kind: 'user', full_path: 'ana' },
        },
      ],
    })
    expect(await byProjects.view.names.number('group', 'a/b', site)).toBe(7)
    expect(await byProjects.view.names.number('group', 'ana', site)).toBeUndefined()
  })

  it('are asked for by no other path than their own', async () => {
    const { view, current } = await openScriptedView({})
    for (const name of ['../../user', '*all', ':id', 'a?b=c', '..'])
      await view.names.number('group', name, site).catch(() => undefined)
    const groups = current.map(({ url }) => url).filter((url) => !url.includes('/projects?'))
    expect(groups.length).toBeGreaterThan(5)
    expect(groups.filter((url) => !/^\/api\/v4\/groups(\/[^/?]+\?|\?search=)/.test(url))).toEqual(
      [],
    )
  })
})

describe('branches', () => {
  it('are those that a rule of the project is for', async () => {
    const branch = { id: 4, name: 'main' }
    const rule = { id: 1, name: 'x', users: [], groups: [], protected_branches: [branch] }
    const { view } = await openScriptedView({ '/projects/platform%2Fapp/approval_rules': [rule] })
    expect(view.names.name('branch', 4, app)).toBeUndefined()
    expect(await view.names.number('branch', 'main', app)).toBe(4)
    expect(view.names.name('branch', 4, app)).toBe('main')
    expect(await view.names.number('branch', 'next', app)).toBeUndefined()
    expect(await view.names.number('branch', 'main', { ...app, path: 'other' })).toBeUndefined()
  })
})

describe('runners', () => {
  const runner = (id: number, description: string) => ({
    id,
    description,
    runner_type: 'project_type',
  })
  const of = '/projects/platform%2Fapp/runners?type=project_type'
  const all = '/runners/all?type=project_type'

  it('go by their description where it is one’s alone', async () => {
    const { view } = await openScriptedView({
      [of]: [runner(1, 'mine'), runner(2, 'twin')],
      [all]: [runner(1, 'mine'), runner(2, 'twin'), runner(3, 'twin'), runner(4, 'far')],
    })
    await view.readKind(app, projectRunners)
    expect(view.names.name('runner', 1, app)).toBe('mine')
    expect(view.names.name('runner', 2, app)).toBeUndefined()
    expect(await view.names.number('runner', 'mine', app)).toBe(1)
    expect(await view.names.number('runner', 'far', app)).toBe(4)
    expect(await view.names.number('runner', 'none', app)).toBeUndefined()
    // A runner of the project's own is clear; elsewhere, the description is ambiguous.
    expect(await view.names.number('runner', 'twin', app)).toBe(2)
    expect(await getRejection(view.names.number('runner', 'twin', site))).toMatchObject({
      category: 'usage',
      message: '2 runners have the description twin: 2, 3',
    })
  })

  it('are those of the user where the instance’s may not be read', async () => {
    const { view } = await openScriptedView({
      [of]: [runner(1, 'mine')],
      '/runners?type=project_type': [runner(5, 'other')],
    })
    await view.readKind(app, projectRunners)
    expect(view.names.name('runner', 1, app)).toBe('mine')
    expect(await view.names.number('runner', 'other', app)).toBe(5)
  })
})

it('lets go of a place: what was learned of people stays', async () => {
  const { view, asked } = openSandboxView()
  const first = await view.readKind(app, projectMembers)
  view.forget(app)
  expect(await view.readKind(app, projectMembers)).not.toBe(first)
  expect(asked).toHaveLength(2)
  expect(await view.names.number('user', 'ana', app)).toBe(2)
})

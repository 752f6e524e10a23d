/** Tests which projects and groups are read, and the requests that find them. */

import { describe, expect, it } from 'vitest'
import { groupMembers } from '../../../src/catalogue/managed.js'
import { openView } from '../../../src/desired/reading/index.js'
import type { SelectionOptions } from '../../../src/desired/selection.js'
import type { KnownPlaces } from '../../../src/desired/state.js'
import { useSharedSandbox } from '../../sandbox/instance.js'
import { getRejection, sendJson, serve } from '../../support/servers.js'
import { openRecordedInstance } from '../open.js'

const box = useSharedSandbox()
const noPlaces: KnownPlaces = { groups: [], projects: [], below: [], membersBelow: [] }
const getPaths = (places: readonly { path: string }[]) => places.map(({ path }) => path)

const findPlaces = async (
  reach: Partial<KnownPlaces> | 'everything',
  scoping: SelectionOptions = {},
  token = 'sandbox-root-token',
) => {
  const { instance, asked } = openRecordedInstance(box.url(), token)
  const view = openView(instance, scoping)
  const places = await view.places(reach === 'everything' ? reach : { ...noPlaces, ...reach })
  return {
    projects: getPaths(places.projects),
    groups: getPaths(places.groups),
    unread: places.unread.map(
      ({ place, failure }) => `${place.scope} ${place.path}: ${failure.message}`,
    ),
    asked,
    places,
    view,
  }
}
const platform = [
  'platform/app',
  'platform/core/engine',
  'platform/core/protocol',
  'platform/tools/cli',
  'platform/tools/deploy',
]

describe('what files speak of', () => {
  it('is found by name, whatever its case, with one request each', async () => {
    const { projects, groups, asked, places } = await findPlaces({
      projects: ['Platform/App'],
      groups: ['platform/core'],
    })
    expect([projects, groups]).toEqual([['platform/app'], ['platform/core']])
    expect(places.projects[0]).toEqual({
      scope: 'project',
      path: 'platform/app',
      id: 1,
      archived: false,
      namespace: 'group',
      topics: ['service', 'flagship'],
      visibility: 'private',
    })
    expect(asked).toEqual([
      'GET /projects/Platform%2FApp',
      'GET /groups/platform%2Fcore/members?per_page=100',
    ])
  })

  it('is every project below a group, of a list that is read once', async () => {
    const { projects, groups, asked } = await findPlaces({
      below: ['platform'],
      projects: ['web/site'],
    })
    expect([projects, groups]).toEqual([[...platform, 'web/site'], []])
    expect(asked).toEqual(['GET /projects?archived=false&order_by=id&sort=asc&per_page=100'])
  })

  it('is never a person’s own project for all groups, unless it is named', async () => {
    const { projects } = await findPlaces({ below: [''] })
    expect(projects).toContain('labs/sensors')
    expect(projects.filter((path) => /^(ana|ben|chi)\//.test(path))).toEqual([])
    const named = await findPlaces({ below: [''], projects: ['ana/dotfiles'] })
    expect(named.projects).toContain('ana/dotfiles')
    expect(named.places.projects[0]).toMatchObject({ path: 'ana/dotfiles', namespace: 'user' })
  })

  it('has the groups below one only where their members are spoken of', async () => {
    const { groups } = await findPlaces({ below: ['platform'], membersBelow: ['platform'] })
    expect(groups).toEqual(['platform', 'platform/core', 'platform/tools'])
    const all = await findPlaces({ below: [''], membersBelow: [''] })
    expect(all.groups).toContain('partners')
  })

  it('has archived projects where they are named, or asked for', async () => {
    const archived = (await box.send('GET /projects?archived=true&per_page=100')).body
    const { path_with_namespace: path = '', namespace } = archived[0] ?? {}
    expect(namespace?.kind).toBe('group')
    const below = { below: [String(namespace?.full_path)] }
    expect((await findPlaces(below)).projects).not.toContain(path)
    expect((await findPlaces(below, { withArchived: true })).projects).toContain(path)
    const named = await findPlaces({ ...below, projects: [path] })
    expect(named.places.projects.find((one) => one.path === path)?.archived).toBe(true)
  })
})

describe('what is not there', () => {
  const origin = (line: number) => ({ file: 'a.yml', line, column: 3 })
  const reach = {
    projects: ['platform/nowhere', 'platform/app'],
    groups: ['nobody'],
    below: ['no/such'],
    origins: new Map([
      ['projects/platform/nowhere', origin(4)],
      ['groups/nobody', origin(8)],
    ]),
  }

  it('is refused together, each with where it is said', async () => {
    const failure = await getRejection(findPlaces(reach))
    expect(failure).toMatchObject({
      category: 'usage',
      details: { hint: expect.stringContaining('--missing skip') },
    })
    expect(
      String((failure as Error).message)
        .split('\n')
        .sort(),
    ).toEqual([
      'a.yml:4:3: the project platform/nowhere does not exist, or this token cannot see it',
      'a.yml:8:3: the group nobody does not exist, or this token cannot see it',
      'the group no/such does not exist, or this token cannot see it',
    ])
  })

  it('is passed over where that is asked for, and stays unread', async () => {
    const { projects, groups, unread } = await findPlaces(reach, { missing: 'skip' })
    expect([projects, groups]).toEqual([['platform/app'], []])
    expect(unread.sort()).toEqual([
      'group no/such: 404 Group Not Found',
      'group nobody: 404 Group Not Found',
      'project platform/nowhere: 404 Project Not Found',
    ])
  })

  it('is refused where a flag names it', async () => {
    for (const scoping of [{ projects: ['no/such'] }, { groups: ['no/such'] }, { groups: ['999'] }])
      expect(await getRejection(findPlaces('everything', scoping))).toMatchObject({
        category: 'usage',
      })
  })

  it('is a project that moved, by the name that it had', async () => {
    const { base } = await serve((_, response) =>
      sendJson(response, 200, { id: 7, path_with_namespace: 'new/app', namespace: {} }),
    )
    const view = openView(openRecordedInstance(base, 'token').instance)
    const places = view.places({ ...noPlaces, projects: ['old/app'] })
    expect(await getRejection(places)).toMatchObject({
      message: 'the project old/app is now new/app',
    })
  })

  it('is not taken for what may not be read', async () => {
    const { base } = await serve((_, response) =>
      sendJson(response, 403, { message: '403 Forbidden' }),
    )
    const view = openView(openRecordedInstance(base, 'token').instance)
    const { projects, unread } = await view.places({ ...noPlaces, projects: ['a/b'] })
    expect([projects, unread]).toMatchObject([[], [{ place: { path: 'a/b' } }]])
  })
})

describe('what is selected', () => {
  it('narrows to projects and groups, by path or number', async () => {
    expect(
      (await findPlaces({ below: ['platform'] }, { projects: ['1', 'web/site'] })).projects,
    ).toEqual(['platform/app'])
    const group = await findPlaces('everything', { groups: ['2'] })
    expect(group.projects).toEqual(['platform/core/engine', 'platform/core/protocol'])
    expect(group.groups).toEqual(['platform/core'])
    const both = await findPlaces('everything', { groups: ['labs'], projects: ['ana/dotfiles'] })
    expect(both.projects).toEqual(['ana/dotfiles', 'labs/sensors'])
  })

  it('is all that is asked for: one project takes one request', async () => {
    const { projects, groups, asked } = await findPlaces('everything', {
      projects: ['platform/app'],
    })
    expect([projects, groups]).toEqual([['platform/app'], []])
    expect(asked).toEqual(['GET /projects/platform%2Fapp'])
    const other = await findPlaces({ below: ['web'], groups: ['web'] }, { groups: ['platform'] })
    expect([other.projects, other.groups]).toEqual([[], []])
  })

  it('reads no list of projects for kinds that they do not have', async () => {
    const { projects, groups, asked } = await findPlaces('everything', { only: ['settings'] })
    expect([projects, groups, asked]).toEqual([[], [], []])
    const some = await findPlaces('everything', { only: ['projects/platform/*:members'] })
    expect(some.projects).toEqual(platform)
    expect(some.groups).toEqual([])
    const except = await findPlaces('everything', { except: ['projects/*', 'groups/web'] })
    expect(except.projects).toEqual([])
    expect(except.groups).not.toContain('web')
    expect(except.groups).toContain('platform')
  })

  it('leaves the instance itself out where places are named', async () => {
    const { view } = await findPlaces('everything', { projects: ['platform/app'] })
    const site = { scope: 'site', path: '' } as const
    expect(view.selected(site, groupMembers)).toBe(false)
  })
})

it('leaves out no project whose record lacks its path', async () => {
  const { base } = await serve((_, response) => sendJson(response, 200, [{ id: 1 }]))
  const view = openView(openRecordedInstance(base, 'token').instance)
  await expect(view.places('everything')).rejects.toThrow('a project without ID or path')
})

it('says of an instance without a list of groups that some may be left out', async () => {
  const { base } = await serve(({ url }, response) =>
    url.startsWith('/api/v4/projects')
      ? sendJson(response, 200, [
          {
            id: 1,
            path_with_namespace: 'a/b/c',
            namespace: { id: 9, kind: 'group', full_path: 'a/b' },
          },
        ])
      : sendJson(response, 404, { error: '404 Not Found' }),
  )
  const view = openView(openRecordedInstance(base, 'token').instance)
  expect((await view.places('everything')).groups).toEqual([
    { scope: 'group', path: 'a', id: undefined },
    { scope: 'group', path: 'a/b', id: 9 },
  ])
  expect(view.notes).toEqual([
    'the instance does not list groups, so groups without projects are not included',
  ])
})

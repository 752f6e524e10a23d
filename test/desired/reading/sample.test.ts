/** Tests the sample data as it is read: the places, the items, and the number of requests. */
import { describe, expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { openView } from '../../../src/desired/reading/index.js'
import type { CurrentItem } from '../../../src/desired/state.js'
import { useSharedSandbox } from '../../sandbox/instance.js'
import { sendJson, serve } from '../../support/servers.js'
import { openRecordedInstance } from '../open.js'

const box = useSharedSandbox()
const openSandboxView = (scoping = {}) => {
  const { instance, asked } = openRecordedInstance(box.url(), 'sandbox-root-token')
  return { view: openView(instance, scoping), asked }
}
const site = { scope: 'site', path: '' } as const
const findKind = (scope: string, name: string) => {
  const kind = managedKinds.find((one) => one.scope === scope && one.name === name)
  if (kind === undefined) throw new Error(`no kind ${name}`)
  return kind
}
const getPaths = (places: readonly { path: string }[]) => places.map(({ path }) => path)

describe('everything', () => {
  it('is read, each thing once', async () => {
    const { view, asked } = openSandboxView()
    const { projects, groups, unread } = await view.places('everything')
    expect(getPaths(projects)).toContain('platform/core/engine')
    expect(getPaths(projects)).toContain('ana/dotfiles')
    expect(getPaths(groups)).toEqual([
      'labs',
      'partners',
      'platform',
      'platform/core',
      'platform/tools',
      'web',
    ])
    expect(unread).toEqual([])
    const states = new Set<string>()
    for (const place of [site, ...groups, ...projects])
      for (const kind of managedKinds.filter(({ scope }) => scope === place.scope)) {
        const [current, again] = [
          await view.readKind(place, kind),
          await view.readKind(place, kind),
        ]
        expect(again).toBe(current)
        states.add(current.is)
      }
    expect([...states]).toEqual(['read'])
    await view.self()
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked.every((line) => line.startsWith('GET '))).toBe(true)
    expect(asked.length).toBeGreaterThan(100)
  })
})

describe('many projects', () => {
  it('take two requests each for members and approvals, and one a page for their list', async () => {
    const count = 250
    const { base } = await serve(({ url }, response) => {
      const query = new URL(url, 'http://x').searchParams
      const page = Number(query.get('page') ?? 1)
      if (!url.startsWith('/api/v4/projects?'))
        return sendJson(response, 200, url.includes('members') ? [] : { approvals_before_merge: 0 })
      const left = Math.min(100, count - (page - 1) * 100)
      const found = Array.from({ length: left }, (_, i) => {
        const id = (page - 1) * 100 + i + 1
        return {
          id,
          path_with_namespace: `g/p${id}`,
          namespace: { id: 9, kind: 'group', full_path: 'g' },
        }
      })
      query.set('page', String(page + 1))
      const link = `<${base}/api/v4/projects?${query}>; rel="next"`
      sendJson(response, 200, found, page < 3 ? { link } : {})
    })
    const { instance, asked } = openRecordedInstance(base, 'token')
    const view = openView(instance)
    const reach = { groups: [], projects: [], below: ['g'], membersBelow: [] }
    const { projects } = await view.places(reach)
    expect(projects).toHaveLength(count)
    const kinds = ['members', 'approvals'].map((name) => findKind('project', name))
    for (const place of projects) {
      for (const kind of kinds) expect((await view.readKind(place, kind)).is).toBe('read')
      view.forget(place)
    }
    expect(asked).toHaveLength(3 + 2 * count)
    expect(
      asked.filter((line) => !/^GET \/projects(\?|\/\d+\/(members\?|approvals$))/.test(line)),
    ).toEqual([])
  })
})

describe('attributes', () => {
  const item = async (path: string, name: string, identity: string): Promise<CurrentItem> => {
    const { view } = openSandboxView()
    const { projects } = await view.places('everything')
    const place = projects.find((one) => one.path === path)
    if (place === undefined) throw new Error(`no ${path}`)
    const current = await view.readKind(place, findKind('project', name))
    if (current.is !== 'read') throw new Error(current.is)
    const found = current.items.find((one) => [one.identity, one.label].includes(identity))
    if (found === undefined) throw new Error(current.items.map((one) => one.identity).join())
    return found
  }

  it('of members are level and day', async () => {
    const { view } = openSandboxView()
    const place = { scope: 'group', path: 'platform/tools' } as const
    const current = await view.readKind(place, findKind('group', 'members'))
    const [member] = current.is === 'read' ? current.items : []
    expect(member).toMatchObject({ identity: 'dov', at: { user_id: 5 } })
    expect(member?.attributes).toEqual({
      access_level: 30,
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
  })

  it('of integrations are those of the family, none of them secret', async () => {
    const found = await item('platform/app', 'integrations', 'emails-on-push')
    expect(Object.keys(found.attributes)).toContain('recipients')
    expect(Object.keys(found.attributes)).not.toContain('issues_events')
  })
})

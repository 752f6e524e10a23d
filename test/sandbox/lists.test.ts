/** Tests lists that are not in the documents: they offer only what the user may see. */
import { describe, expect, it } from 'vitest'
import { listObjects } from '../../src/base/objects.js'
import { toRecords, useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox()

const listValues = async (path: string, field: string, as: string) =>
  toRecords((await send(`GET ${path}`, { as })).body).map((row) => row[field])

describe('lists to complete from', () => {
  it('name the groups that the user sees', async () => {
    expect(await listValues('/groups', 'full_path', 'root')).toContain('platform/core')
    const seen = await listValues('/groups', 'full_path', 'gus')
    const all = await listValues('/groups', 'full_path', 'root')
    expect(seen.length).toBeLessThan(all.length)
  })
  it('hold a project’s issues, newest first, without confidential ones for guests', async () => {
    const all = await listValues('/projects/1/issues', 'iid', 'root')
    expect([...all].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    const times = await listValues('/projects/1/issues', 'created_at', 'root')
    expect(times).toEqual([...times].sort().reverse())
    expect(await listValues('/projects/platform%2Fapp/issues', 'iid', 'root')).toEqual(all)
    const confidential = await listValues('/projects/1/issues', 'confidential', 'eva')
    expect(confidential.length).toBeGreaterThan(0)
    expect(confidential).not.toContain(true)
  })
  it('hold branches with their tips, pipelines and labels', async () => {
    const { body } = await send('GET /projects/platform%2Fapp/repository/branches')
    const { body: tip } = await send('GET /projects/1/repository/commits/main')
    const commit = expect.objectContaining({
      id: tip.id,
      short_id: tip.short_id,
      title: tip.title,
    })
    expect(body).toContainEqual(
      expect.objectContaining({ name: 'main', default: true, protected: true, commit }),
    )
    expect(await listValues('/projects/1/pipelines', 'ref', 'chi')).toContain('feature/login')
    expect(await listValues('/projects/1/labels', 'name', 'chi')).toContain('bug')
  })
  it('hold a group with those it is shared with, and its projects unless they are not wanted', async () => {
    const { body } = await send('GET /groups/web', { as: 'chi' })
    expect(body).toMatchObject({ full_path: 'web', parent_id: null })
    expect(body).toHaveProperty('projects.0')
    const { body: shared } = await send('GET /groups/3?with_projects=false')
    const to = expect.objectContaining({ group_id: 6, group_access_level: 30 })
    expect(shared).toHaveProperty('shared_with_groups.0', to)
    expect(shared).not.toHaveProperty('projects')
    expect((await send('GET /groups/none')).status).toBe(404)
  })
  it('order pipelines, and filter them by their ref', async () => {
    const ids = (query: string) => listValues(`/projects/1/pipelines?${query}`, 'id', 'chi')
    expect(await ids('ref=main')).toEqual([5, 3, 2])
    expect(await ids('ref=main&order_by=status&sort=asc')).toEqual([5, 2, 3])
    expect((await send('GET /projects/1/pipelines?order_by=name')).status).toBe(400)
  })
  it('filter a project’s issues as the documented list does', async () => {
    const closed = await listValues('/projects/1/issues?state=closed', 'state', 'root')
    expect(new Set(closed)).toEqual(new Set(['closed']))
    const mine = await listValues('/projects/1/issues?scope=created_by_me', 'author', 'ben')
    const ben = expect.objectContaining({ username: 'ben' })
    expect(mine).not.toEqual([])
    expect(mine).toEqual(mine.map(() => ben))
    const { body } = await send('GET /projects/1/issues?labels=bug&per_page=1')
    const [issue] = listObjects(body)
    expect(issue?.labels).toContain('bug')
    const [references] = listObjects([issue?.references])
    expect(references?.relative).toMatch(/^#/)
    expect(references?.relative).toBe(references?.short)
    expect((await send('GET /projects/1/issues?state=ajar')).status).toBe(400)
  })
  it('take what completion sends', async () => {
    expect(await listValues('/groups?search=CORE', 'full_path', 'root')).toEqual(['platform/core'])
    expect(await listValues('/projects/1/labels?search=BU', 'name', 'chi')).toEqual(['bug'])
    const branches = await listValues('/projects/1/repository/branches?search=login', 'name', 'chi')
    expect(branches).toEqual(['feature/login'])
    const failed = await listValues('/projects/1/pipelines?status=failed', 'status', 'chi')
    expect(new Set(failed)).toEqual(new Set(['failed']))
    expect(await listValues('/users?username=BEN', 'username', 'chi')).toEqual(['ben'])
  })
  it('ignore what they do not know, as documented lists do', async () => {
    const lists = [
      'groups',
      'users',
      ...['issues', 'labels', 'pipelines', 'repository/branches', 'resource_groups'].map(
        (list) => `projects/1/${list}`,
      ),
    ]
    for (const list of lists) {
      const plain = await send(`GET /${list}?page=1&per_page=1`)
      for (const unknown of ['colour=red', 'colour[]=red', 'colour[a]=b', 'SEARCH=x', 'Colour'])
        expect((await send(`GET /${list}?${unknown}&per_page=1`)).text, list).toBe(plain.text)
    }
  })
  it('are not there for who does not see the project', async () => {
    for (const list of ['issues', 'labels', 'pipelines', 'repository/branches', 'resource_groups'])
      expect((await send(`GET /projects/chi%2Fnotes/${list}`, { as: 'ben' })).status, list).toBe(
        404,
      )
  })
})

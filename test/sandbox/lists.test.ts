/** Lists beside the documents: whoever may not see a thing is not offered it. */
import { describe, expect, it } from 'vitest'
import { sandbox } from './instance.js'

const { send } = sandbox()

const values = async (path: string, field: string, as: string) =>
  (await send(`GET ${path}`, { as })).body.map((row: Record<string, unknown>) => row[field])

describe('lists to complete from', () => {
  it('name the groups that the user sees', async () => {
    expect(await values('/groups', 'full_path', 'root')).toContain('platform/core')
    const seen = await values('/groups', 'full_path', 'gus')
    const all = await values('/groups', 'full_path', 'root')
    expect(seen.length).toBeLessThan(all.length)
  })
  it('hold a project’s issues, newest first, without confidential ones for guests', async () => {
    const all: number[] = await values('/projects/1/issues', 'iid', 'root')
    expect(all).toEqual([...all].sort((a, b) => b - a))
    expect(await values('/projects/platform%2Fapp/issues', 'iid', 'root')).toEqual(all)
    const confidential: boolean[] = await values('/projects/1/issues', 'confidential', 'eva')
    expect(confidential.length).toBeGreaterThan(0)
    expect(confidential).not.toContain(true)
  })
  it('hold branches with their tips, pipelines and labels', async () => {
    const { body } = await send('GET /projects/platform%2Fapp/repository/branches')
    const main = body.find((b: { name: string }) => b.name === 'main')
    expect(main.default).toBe(true)
    const { body: tip } = await send('GET /projects/1/repository/commits/main')
    expect(main.commit).toEqual({ id: tip.id, short_id: tip.short_id, title: tip.title })
    expect(await values('/projects/1/pipelines', 'ref', 'chi')).toContain('feature/login')
    expect(await values('/projects/1/labels', 'name', 'chi')).toContain('bug')
  })
  it('are not there for who does not see the project', async () => {
    for (const list of ['issues', 'labels', 'pipelines', 'repository/branches', 'resource_groups'])
      expect((await send(`GET /projects/chi%2Fnotes/${list}`, { as: 'ben' })).status, list).toBe(
        404,
      )
  })
})

/** Tests `svcctl api` over several projects or groups: one request for each, with its path in place of `{project}` or `{group}`. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createRuns, readHeader, readJournalLines, user } from '../engine/journaling/runs.js'

const { server, run, files, forget, fresh, written } = createRuns()
const createProject = (id: number, path: string, group: string) => ({
  id,
  path_with_namespace: path,
  namespace: { id: 9, kind: 'group', full_path: group },
})
const all = [
  createProject(1, 'web/a', 'web'),
  createProject(2, 'web/b', 'web'),
  createProject(3, 'lab/c', 'lab'),
]
const listRequests = () =>
  server.seen.map(({ method }, i) => `${method} ${server.lines()[i]?.split(' ')[1]}`)

beforeEach(() => {
  fresh()
  server.answer = ({ url }) => {
    if (url.endsWith('/user')) return user
    if (url.startsWith('/api/v4/projects?')) return { body: all }
    return { body: [{ id: Number(url.length), name: decodeURIComponent(url) }] }
  }
})

describe('a request for each', () => {
  it('of several projects, a row each with the column of the project', async () => {
    const ran = await run('api projects/{project}/odd -P web/a,web/b -o csv')
    expect(listRequests()).toEqual(['GET /projects/web%2Fa/odd', 'GET /projects/web%2Fb/odd'])
    expect(ran.stdout.split('\n').map((line) => line.split(',')[0])).toEqual([
      ...['project', 'web/a', 'web/b', ''],
    ])
    expect(ran.stdout).toContain('""name"":""/api/v4/projects/web/a/odd""')
    forget()
    const json = await run('api projects/{project}/odd -P web/a,web/b -o ndjson')
    expect(
      json.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { project: 'web/a', record: [{}] },
      { project: 'web/b', record: [{}] },
    ])
  })

  it('of several groups, and of one project or group by its flag', async () => {
    await run('api groups/{group}/x -G lab,web')
    await run('api groups/{group}/x -G lab')
    await run('api projects/{project}/x -P a.b')
    expect(listRequests()).toEqual([
      ...['GET /groups/lab/x', 'GET /groups/web/x', 'GET /groups/lab/x'],
      'GET /projects/a%2Eb/x',
    ])
  })

  it('of the projects of a group, of all, and of standard input', async () => {
    const called = () => listRequests().filter((line) => line.endsWith('/x'))
    await run('api projects/{project}/x -G web')
    expect(called()).toEqual(['GET /projects/web%2Fa/x', 'GET /projects/web%2Fb/x'])
    forget()
    await run('api projects/{project}/x --all-projects')
    expect(called()).toHaveLength(3)
    forget()
    await run('api projects/{project}/x -P -', 'web/b\nlab/c\n')
    expect(called()).toEqual(['GET /projects/web%2Fb/x', 'GET /projects/lab%2Fc/x'])
  })

  it('with --paginate a row for each record, up to the limit of all', async () => {
    const ran = await run('api projects/{project}/x --all-projects --paginate --limit 2 -o ndjson')
    const rows = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows).toMatchObject([
      { project: 'web/a', record: { name: '/api/v4/projects/web/a/x?per_page=2' } },
      { project: 'web/b', record: {} },
    ])
    expect(ran.stderr).toContain('showing 2')
  })

  it('for no more of them than the limit', async () => {
    const ran = await run('api projects/{project}/x --all-projects --limit 2')
    expect(JSON.parse(ran.stdout)).toMatchObject([{ project: 'web/a' }, { project: 'web/b' }])
    expect(ran.stderr).toContain('showing 2 of 3; use --limit <n> or --limit all for more')
    expect(listRequests().filter((line) => line.endsWith('/x'))).toHaveLength(2)
  })
})

describe('writes', () => {
  it('are journaled, and resumed where one failed', async () => {
    server.answer = ({ url }) => {
      if (url.endsWith('/user')) return user
      return url.includes('web%2Fb') ? { status: 503 } : { body: { id: 1 } }
    }
    const line = 'api PUT projects/{project}/x -P web/a,web/b,lab/c --param on=true --retries 0'
    const ran = await run(line)
    expect([ran.code, ran.stderr]).toEqual([8, expect.stringContaining('2 done, 1 unknown.')])
    const [journal = ''] = files()
    expect(readHeader(journal)).toMatchObject({
      endpoint: 'PUT /projects/:project/x',
      source: 'parents',
      options: { args: ['PUT', 'projects/{project}/x'] },
      parents: 'project',
    })
    expect(
      readJournalLines(journal).filter((one) => 'n' in one && one.state === 'done'),
    ).toMatchObject([{ parent: 'web/a' }, { parent: 'lab/c' }])
    forget()
    server.answer = ({ url }) => (url.endsWith('/user') ? user : { body: { id: 1 } })
    expect((await run('api --resume last')).code).toBe(0)
    expect(written()).toEqual(['PUT /projects/web%2Fb/x'])
    expect(server.seen.at(-1)?.body).toBe('{"on":true}')
  })

  it('to projects that nobody named are confirmed, and what is deleted always', async () => {
    const found = await run('api PUT projects/{project}/x -G web')
    expect(found.stderr).toContain('This runs api PUT projects/{project}/x in 2 projects.')
    const deleted = await run('api DELETE projects/{project}/x -P web/a,web/b')
    expect(deleted.stderr).toContain('The object is deleted.')
    expect([found.code, deleted.code, written()]).toEqual([2, 2, []])
    await run('api DELETE projects/{project}/x -G web --yes')
    expect(written()).toEqual(['DELETE /projects/web%2Fa/x', 'DELETE /projects/web%2Fb/x'])
  })

  it('are shown by --dry-run and --curl, and not sent', async () => {
    const line = 'api PUT projects/{project}/x -P web/a,web/b --param on=true'
    const preview = await run(`${line} --dry-run`)
    expect(JSON.parse(preview.stdout)).toMatchObject([
      { project: 'web/a', record: { request: 'PUT /projects/web%2Fa/x' } },
      { project: 'web/b', record: { changes: [{ attribute: 'on' }] } },
    ])
    const curl = (await run(`${line} --curl`)).stdout.split('\n').filter((text) => text !== '')
    expect(curl).toEqual([
      expect.stringContaining('/projects/web%2Fa/x'),
      expect.stringContaining('/projects/web%2Fb/x'),
    ])
    expect(written()).toEqual([])
  })

  it('go to one part of the projects', async () => {
    for (const shard of ['1/2', '2/2'])
      await run(`api PUT projects/{project}/x -P web/a,web/b,lab/c --shard ${shard}`)
    expect(written().toSorted()).toEqual([
      'PUT /projects/lab%2Fc/x',
      'PUT /projects/web%2Fa/x',
      'PUT /projects/web%2Fb/x',
    ])
  })
})

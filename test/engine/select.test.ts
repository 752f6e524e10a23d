/** Tests `--select`: the objects of a write come from its list, which is read completely before the first write. */
import { describe, expect, it } from 'vitest'
import { writes } from '../../src/catalogue/endpoint.js'
import { loadAllCommands, loadCommandByWords } from '../../src/commands/index.js'
import { getCommandName, getScope, getSelectList } from '../../src/engine/command/derive.js'
import { createConfiguration } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const createRunner = (id: number) => ({ id, description: `d${id}`, active: true, status: 'online' })

describe('with --select', () => {
  const recorder = useRecorder()
  const run = (...args: string[]) =>
    svcctl(args, { env: { SVC_BASE_URL: recorder.url, SVC_TOKEN: 'any' } })
  const written = (): string[] => recorder.lines().filter((line) => !line.startsWith('GET'))
  const runners = (count: number): void => {
    recorder.answer = ({ method, url }) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
      if (method !== 'GET') return { body: createRunner(Number(/runners\/(\d+)/.exec(url)?.[1])) }
      const next = `<${recorder.url}/api/v4/runners/all?page=${page + 1}>; rel="next"`
      return { body: [createRunner(page)], headers: page < count ? { link: next } : {} }
    }
  }

  it('reads the whole list before the first write, and knows no limit', async () => {
    runners(120)
    const { stdout, code } = await run(
      ...['runners', 'pause', '--instance', '--select', 'id>1', '--yes'],
    )
    const methods = recorder.seen.map(({ method }) => method)
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 120])
    expect(methods.lastIndexOf('GET')).toBeLessThan(methods.indexOf('PUT'))
    expect(recorder.lines()[0]).toBe('GET /runners/all?per_page=100')
    expect(written()).toHaveLength(119)
  })

  it('writes nothing unless it is confirmed', async () => {
    runners(3)
    const { stderr, code } = await run('runners', 'pause', '--select', 'id>1')
    expect([code, written()]).toEqual([2, []])
    expect(stderr).toContain('runners pause: 2 matching objects.')
  })

  it('does nothing where nothing matches', async () => {
    runners(3)
    const { stderr, code } = await run('runners', 'pause', '--select', 'id=9', '--yes')
    expect([code, written()]).toEqual([0, []])
    expect(stderr).toContain('no matches in runners list')
  })

  it.each([
    ['issues', 'todo', '#', 'issues', 'scope=all&state=opened'],
    ['mr', 'subscribe', '!', 'merge_requests', 'state=opened&scope=all'],
  ])('takes %s in the projects that their records name, out of all there are', async (...row) => {
    const [area, verb, mark, path, query] = row
    const record = { iid: 4, project_id: 2, references: { full: `a/b${mark}4` }, state: 'opened' }
    recorder.answer = ({ method }) => ({ body: method === 'GET' ? [record] : { id: 1 } })
    const line = [area, verb, '--select', 'state=opened', '--yes', '--no-undo-record']
    const { code } = await run(...line)
    expect(code).toBe(0)
    expect(recorder.lines()).toEqual([
      `GET /${path}?${query}&per_page=100`,
      'GET /user',
      `POST /projects/a%2Fb/${path}/4/${verb}`,
    ])
    await run(area, verb, '--select', 'scope=created_by_me', '--dry-run')
    expect(recorder.lines()).toContain(`GET /${path}?scope=created_by_me&per_page=100`)
  })

  it('chooses issues to promote', async () => {
    const record = { iid: 4, title: 'x', state: 'opened', references: { full: 'a/b#4' } }
    recorder.answer = () => ({ body: [record] })
    const line = ['issues', 'promote', '-P', 'a/b', '--body', '/promote']
    const { code, stderr } = await run(...line, '--select', 'state=opened', '--dry-run')
    expect([code, stderr]).toEqual([0, expect.stringContaining('promote issue 4')])
  })

  it('sends no scope of all where the list has that by itself', async () => {
    recorder.answer = () => ({ body: [] })
    await run('mr', 'subscribe', '--select', 'state=opened', '-P', 'a/b', '--dry-run')
    expect(recorder.lines()).toEqual([
      'GET /projects/a%2Fb/merge_requests?state=opened&per_page=100',
    ])
  })

  it('chooses among the objects of the project that the verb is given', async () => {
    recorder.answer = () => ({ body: [{ id: 5, title: 'ci' }] })
    const line = ['deploy-keys', 'delete', '-P', 'a/b', '--select', 'title=ci', '--yes']
    expect((await run(...line, '--no-undo-record')).code).toBe(0)
    expect(recorder.lines()).toEqual([
      'GET /projects/a%2Fb/deploy_keys?per_page=100',
      'GET /user',
      'DELETE /projects/a%2Fb/deploy_keys/5',
    ])
  })
})

describe('--select with several parents', () => {
  const recorder = useRecorder()
  const run = (line: string, input?: string) =>
    svcctl(line.split(' '), {
      env: { SVC_BASE_URL: recorder.url, SVC_TOKEN: 'any' },
      ...(input === undefined ? {} : { input }),
    })
  const written = (): string[] => recorder.lines().filter((line) => !line.startsWith('GET'))
  /** Answers the keys 1 to 3 for every project, except for the projects that refuse. */
  const keys = (refusing: Readonly<Record<string, number>> = {}): void => {
    recorder.answer = ({ method, url }) => {
      const project = decodeURIComponent(/projects\/([^/?]+)/.exec(url)?.[1] ?? '')
      const status = refusing[project]
      if (status !== undefined) return { status, body: { message: 'no' } }
      if (/\/projects\?/.test(url)) return { body: ['g/a', 'g/b', 'h/c'].map(projectOf) }
      if (method === 'DELETE') return { status: 204 }
      if (method !== 'GET') return { body: { id: 1 } }
      return { body: [1, 2, 3].map((id) => ({ id, title: `key ${id}`, can_push: id > 1 })) }
    }
  }
  const projectOf = (path: string, i: number) => ({
    id: i + 1,
    path_with_namespace: path,
    namespace: { id: 7, kind: 'group', full_path: path.split('/')[0] },
  })
  const update = 'deploy-keys update --title x'

  it.each([
    ['-P g/a,g/b', ['g%2Fa', 'g%2Fb']],
    ['-G g', ['g%2Fa', 'g%2Fb']],
    ['--all-projects', ['g%2Fa', 'g%2Fb', 'h%2Fc']],
  ])('reads the lists of all before the first write: %s', async (flags, projects) => {
    keys()
    const { stdout, code } = await run(`${update} ${flags} --select can_push=true --yes -o ndjson`)
    const methods = recorder.seen.map(({ method }) => method)
    expect(code).toBe(0)
    expect(methods.lastIndexOf('GET')).toBeLessThan(methods.indexOf('PUT'))
    expect(written().sort()).toEqual(
      projects.flatMap((one) => [2, 3].map((id) => `PUT /projects/${one}/deploy_keys/${id}`)),
    )
    const records = stdout.trim().split('\n')
    expect(records.map((record) => JSON.parse(record).project)).toEqual(
      projects.flatMap((one) => [decodeURIComponent(one), decodeURIComponent(one)]),
    )
  })

  it('takes the projects from standard input', async () => {
    keys()
    expect((await run(`${update} -P - --select id=1 --yes`, 'g/b\ng/a\n')).code).toBe(0)
    expect(written().sort()).toEqual(
      ['a', 'b'].map((one) => `PUT /projects/g%2F${one}/deploy_keys/1`),
    )
  })

  it('asks once for all, by the first of their names, and writes nothing unless it may', async () => {
    keys()
    const { stderr, code } = await run(`${update} -P g/a,g/b --select id<3`)
    expect([code, written()]).toEqual([2, []])
    expect(stderr).toContain('deploy-keys update: 4 matching objects in 2 projects.')
    keys({ 'g/b': 403 })
    const some = await run(`${update} -P g/a,g/b --select id<3`)
    expect(some.stderr).toContain('in 1 project; 1 more lists could not be read.')
  })

  it('takes the first so many that match, and asks for no more', async () => {
    keys()
    await run(`${update} -P g/a,g/b,h/c --select id>1 --limit 3 --yes --concurrency 1`)
    expect(written()).toEqual([
      'PUT /projects/g%2Fa/deploy_keys/2',
      'PUT /projects/g%2Fa/deploy_keys/3',
      'PUT /projects/g%2Fb/deploy_keys/2',
    ])
    expect(recorder.lines().some((line) => line.includes('h%2Fc'))).toBe(false)
    recorder.seen.length = 0
    await run(`${update} -P g/a --select id>1 -L 1 --yes`)
    expect(written()).toEqual(['PUT /projects/g%2Fa/deploy_keys/2'])
  })

  it('counts a project whose list is refused as one that failed, and does the others', async () => {
    keys({ 'g/a': 403 })
    const line = 'deploy-keys delete -P g/a,g/b --select id=1 --yes -o json'
    const { stdout, stderr, code } = await run(line)
    expect([code, written()]).toEqual([8, ['DELETE /projects/g%2Fb/deploy_keys/1']])
    expect(JSON.parse(stdout)).toMatchObject([
      { project: 'g/a', outcome: 'failed', error: { status: 403 } },
      { project: 'g/b', outcome: 'done' },
    ])
    expect(stderr).toContain('g/a: 403')
    recorder.seen.length = 0
    const tolerated = await run(`${line} --tolerate forbidden`)
    expect([tolerated.code, written()]).toEqual([0, ['DELETE /projects/g%2Fb/deploy_keys/1']])
  })

  it('takes a field that only some of the lists can show, and refuses one that none does', async () => {
    recorder.answer = ({ method, url }) => {
      if (method !== 'GET') return { status: 204 }
      return { body: url.includes('g%2Fa') ? [] : [{ id: 1, title: 'x', brand_new: 'yes' }] }
    }
    const line = (field: string) => `deploy-keys delete -P g/a,g/b --select ${field}=yes --yes`
    expect((await run(line('brand_new'))).code).toBe(0)
    expect(written()).toEqual(['DELETE /projects/g%2Fb/deploy_keys/1'])
    recorder.seen.length = 0
    const list = 'deploy-keys list -P g/a,g/b --where brand_new=yes --fields id -o csv'
    expect(await run(list)).toMatchObject({ code: 0, stdout: 'project,id\ng/b,1\n' })
    recorder.answer = () => ({ body: [] })
    for (const text of [line('brand_new'), list]) {
      const { stderr, code } = await run(text)
      expect([code, written()]).toEqual([2, []])
      expect(stderr).toContain('no record has the field brand_new')
    }
  })

  it('is gone on with where the objects are known, and says where they are not', async () => {
    const env = {
      SVC_BASE_URL: recorder.url,
      SVC_TOKEN: 'any',
      SVC_CONFIG_DIR: createConfiguration(),
    }
    keys({ 'g/a': 403 })
    const failing = recorder.answer
    recorder.answer = (seen, n) =>
      seen.method === 'PUT' ? { status: 404, body: { message: 'gone' } } : failing(seen, n)
    const line = 'deploy-keys update --title x -P g/a,g/b --select id=1 --yes'
    expect((await svcctl(line.split(' '), { env })).code).toBe(8)
    keys()
    for (const expected of [['PUT /projects/g%2Fb/deploy_keys/1'], []]) {
      recorder.seen.length = 0
      const again = ['deploy-keys', 'update', '--resume', 'last', '--yes']
      const { code, stderr } = await svcctl(again, { env })
      expect([code, written()]).toEqual([8, expected])
      expect(stderr).toContain('g/a: the run did not know its objects; pass it and --select again')
    }
  })

  it('asks nobody about what cannot be lost', async () => {
    keys({ 'g/a': 403 })
    const { stderr, code } = await run('deploy-keys delete -P g/a,g/b --select id=9')
    expect([code, written()]).toEqual([3, []])
    expect(stderr).not.toContain('--yes')
  })

  it('does nothing where nothing matches in any', async () => {
    keys()
    const { stderr, code } = await run(`${update} -P g/a,g/b --select id=9`)
    expect([code, written()]).toEqual([0, []])
    expect(stderr).toContain('no matches in deploy-keys list')
  })

  it('reads a list that knows no projects once, and does its objects in theirs', async () => {
    const issue = (iid: number, project: string, number: number) => ({
      iid,
      project_id: number,
      references: { full: `${project}#${iid}` },
    })
    recorder.answer = ({ method }) =>
      method === 'GET'
        ? { body: [issue(1, 'g/a', 7), issue(1, 'g/b', 8), issue(4, 'g/a', 7), issue(2, 'h/c', 9)] }
        : { body: { id: 1 } }
    for (const [flags, places] of [
      ['-P g/a', ['g%2Fa/issues/1', 'g%2Fa/issues/4']],
      ['-P G/B,7', ['7/issues/1', '7/issues/4', 'G%2FB/issues/1']],
      ['-P g/b,g/a --limit 2', ['g%2Fa/issues/1', 'g%2Fb/issues/1']],
      ['-P g/d', []],
    ] as const) {
      recorder.seen.length = 0
      expect((await run(`issues todo ${flags} --select iid>0 --yes`)).code).toBe(0)
      const reads = recorder.lines().filter((line) => line.startsWith('GET /issues?'))
      expect([flags, reads.length]).toEqual([flags, 1])
      expect(written().sort()).toEqual(places.map((one) => `POST /projects/${one}/todo`))
    }
  })

  it('works on what belongs to none of them once, wherever it was found', async () => {
    recorder.answer = ({ url }) =>
      url.includes('h%2Fc')
        ? { status: 403, body: { message: 'no' } }
        : { body: url.endsWith('s/5') ? createRunner(5) : [createRunner(5)] }
    const { code } = await run('runners pause -P g/a,g/b,h/c --select active=true --yes')
    expect([code, written()]).toEqual([8, ['PUT /runners/5']])
    recorder.seen.length = 0
    recorder.answer = ({ url }) => {
      if (/\/projects\?/.test(url)) return { body: ['g/a', 'g/b'].map(projectOf) }
      return { body: url.includes('/vulnerabilities?') ? [{ id: 5, severity: 'high' }] : { id: 5 } }
    }
    const all = await run('vulnerabilities dismiss --all-projects --select severity=high --yes')
    expect([all.code, written()]).toEqual([0, ['POST /vulnerabilities/5/dismiss']])
  })
})

describe('the list that a verb selects from', () => {
  it('is of its own objects, and every verb over several has one but these', async () => {
    const without: string[] = []
    for (const command of await loadAllCommands()) {
      const [first] = command.args
      if (first?.variadic !== true || !Object.values(command.endpoints).some(writes)) continue
      const fact = getSelectList(command)
      if (fact === undefined) {
        without.push(getCommandName(command))
        continue
      }
      const [area = '', ...words] = fact.list.split(' ')
      const list = await loadCommandByWords(area, words.join(' '))
      const kinds = Object.values(list?.endpoints ?? {}).map((endpoint) => endpoint.lists)
      expect([getCommandName(command), new Set(kinds)]).toEqual([
        getCommandName(command),
        new Set([first.param?.completes]),
      ])
      const ofProjects = (some: typeof list): boolean =>
        Object.values(some?.endpoints ?? {}).some((e) => getScope(e)?.kind === 'project')
      const spread = ofProjects(list) && !ofProjects(command)
      expect([getCommandName(command), fact.spread === true]).toEqual([
        getCommandName(command),
        spread,
      ])
      for (const name of fact.by ?? [])
        expect(Object.values(list?.endpoints ?? {}).some((e) => e.when?.flag === name)).toBe(true)
    }
    expect(without.sort()).toEqual([
      'commits cherry-pick',
      'commits revert',
      'deploy-keys enable',
      'members add',
      'pages-domains add',
      'resource-groups update',
      'runners enable',
    ])
  })
})

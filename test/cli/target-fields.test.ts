/** Tests the columns that name the targets of a line, as fields of `--fields`, `--where`, `--sort` and `--group-by`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const home = createConfiguration()
const run = (line: string, input?: string) =>
  svcctl(line.split(' '), {
    env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'any', SVC_CONFIG_DIR: home },
    ...(input === undefined ? {} : { input }),
  })

/** Answers two jobs for each project. Jobs of `own/own` have a field `project` of their own. */
const answerJobs = (): void => {
  server.answer = ({ url }) => {
    const path = decodeURIComponent(/projects\/([^/?]+)/.exec(url)?.[1] ?? '')
    const own = path.startsWith('own/') ? { project: { id: 7 } } : {}
    const first = path.endsWith('b') ? 1 : 11
    return {
      body: [first, first + 1].map((id) => ({ id, name: `n${id}`, status: 'success', ...own })),
    }
  }
}

const listPaths = (): readonly string[] =>
  server.seen.map(({ url }) => decodeURIComponent(/projects\/([^/?]+)/.exec(url)?.[1] ?? ''))

describe('the column of several projects', () => {
  it.each([
    [
      'json',
      '[{"id":11,"project":"x/a"},{"id":12,"project":"x/a"},{"id":1,"project":"x/b"},{"id":2,"project":"x/b"}]\n',
    ],
    [
      'ndjson',
      '{"id":11,"project":"x/a"}\n{"id":12,"project":"x/a"}\n{"id":1,"project":"x/b"}\n{"id":2,"project":"x/b"}\n',
    ],
    [
      'yaml',
      '- id: 11\n  project: x/a\n- id: 12\n  project: x/a\n- id: 1\n  project: x/b\n- id: 2\n  project: x/b\n',
    ],
    ['csv', 'id,project\n11,x/a\n12,x/a\n1,x/b\n2,x/b\n'],
    ['table', 'id  project\n11  x/a\n12  x/a\n1   x/b\n2   x/b\n'],
    ['value', '11\tx/a\n12\tx/a\n1\tx/b\n2\tx/b\n'],
  ])('stands where --fields has it: -o %s', async (format, stdout) => {
    answerJobs()
    const ran = await run(`jobs list -P x/a,x/b --fields id,project -o ${format}`)
    expect(ran).toMatchObject({ code: 0, stdout, stderr: '' })
  })

  it('comes first where --fields does not have it, and records stay whole without --fields', async () => {
    answerJobs()
    const chosen = await run('jobs list -P x/a,x/b --fields id -o ndjson --limit 1')
    expect(chosen.stdout).toBe('{"project":"x/a","id":11}\n')
    const whole = await run('jobs list -P x/a,x/b -o ndjson --limit 1')
    expect(JSON.parse(whole.stdout)).toEqual({
      project: 'x/a',
      record: { id: 11, name: 'n11', status: 'success' },
    })
  })

  it('has a heading of its own on a page', async () => {
    answerJobs()
    const ran = await run('jobs list -P x/a,x/b --fields id,project -o html')
    const headings = [...ran.stdout.matchAll(/<th[^>]*>(.*?)<\/th>/gs)].map(([, text = '']) =>
      text.replace(/<[^>]+>/g, ''),
    )
    expect([ran.code, headings]).toEqual([0, ['id', 'project']])
  })

  it('wins over a field of the records, which is record.project then', async () => {
    answerJobs()
    const line = 'jobs list -P own/a,own/b -o ndjson --limit 1 --fields'
    expect((await run(`${line} project,record.project`)).stdout).toBe(
      '{"project":"own/a","record.project":{"id":7}}\n',
    )
    expect((await run(`${line} id,record.project.id,record.name`)).stdout).toBe(
      '{"project":"own/a","id":11,"record.project.id":7,"record.name":"n11"}\n',
    )
    const sheet = await run('jobs list -P own/a,own/b -o csv --limit 1 --fields record.project.id')
    expect(sheet.stdout).toBe('project,record.project.id\nown/a,7\n')
  })

  it('stands beside a column of the same name, which is record.project then', async () => {
    server.answer = () => ({ status: 201, body: { id: 3, project: { id: 7 }, target: {} } })
    const { stdout } = await run('issues todo 2 -P own/a,own/b -o csv --journal none')
    expect(stdout.split('\n')[0]).toMatch(/^project,object,id,record\.project,/)
  })

  it('orders and groups', async () => {
    answerJobs()
    const sorted = await run('jobs list -P x/a,x/b --sort -project,-id --fields id -o csv')
    expect(sorted.stdout).toBe('project,id\nx/b,2\nx/b,1\nx/a,12\nx/a,11\n')
    const own = await run('jobs list -P own/b,own/a --sort record.id --fields id -o csv --limit 1')
    expect(own.stdout).toBe('project,id\nown/b,1\n')
    const grouped = await run(
      'jobs list -P own/a,own/b --group-by project,record.project.id -o csv',
    )
    expect(grouped.stdout).toBe('project,record_project_id,count\nown/a,7,2\nown/b,7,2\n')
  })

  it('is no record.project of records that have no such field', async () => {
    answerJobs()
    for (const flag of ['--fields', '--sort', '--group-by']) {
      const ran = await run(`runners list -P x/a,x/b ${flag} record.project`)
      expect([flag, ran.code, ran.stdout]).toEqual([flag, 2, ''])
    }
  })

  it('is tested by --where, and the other projects are not asked', async () => {
    answerJobs()
    server.seen.length = 0
    const one = await run('jobs list -P x/a,x/b --where project=x/b,id>1 --fields id -o csv')
    expect([one.stdout, listPaths()]).toEqual(['project,id\nx/b,2\n', ['x/b']])
    const either = ['--where', 'project=x/b,id=1', '--where', 'project=x/a,id=12']
    const two = await run(`jobs list -P x/a,x/b ${either.join(' ')} --fields id -o csv`)
    expect(two.stdout).toBe('project,id\nx/a,12\nx/b,1\n')
    const own = await run('jobs list -P own/a,own/b --where record.project.id=7 --count -o csv')
    expect(own.stdout).toBe('count\n4\n')
    const none = await run('jobs list -P x/a,x/b --where project~zzz -o json')
    expect(none).toMatchObject({ code: 0, stdout: '[]\n' })
    const wrong = await run('jobs list -P x/a,x/b --where project>5')
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('project is text and cannot be compared by order'),
    ])
  })
})

describe('the column of the only target', () => {
  it('is its name, unless the records have such a field', async () => {
    answerJobs()
    const line = 'jobs list --limit 1 -o ndjson'
    const one = await run(`${line} -P x/a --fields project,id`)
    expect(one).toMatchObject({ code: 0, stdout: '{"project":"x/a","id":11}\n' })
    const own = await run(`${line} -P own/a --fields project.id,id`)
    expect(own).toMatchObject({ code: 0, stdout: '{"project.id":7,"id":11}\n' })
    const matching = await run(`${line} -P x/a --where project=x/a --fields id`)
    expect(matching.stdout).toBe('{"id":11}\n')
    expect((await run('jobs list -P x/a --group-by project -o csv')).stdout).toBe(
      'project,count\nx/a,2\n',
    )
    expect((await run(`${line} -P x/a --sort project --fields id`)).code).toBe(0)
  })

  it.each([
    ['deploy-keys get 1', { id: 1 }],
    ['deploy-keys update 1 --title new', { id: 1, title: 'new' }],
    ['commits diff main', [{ id: 1 }]],
  ])('is a field of what no list has, too: %s', async (line, body) => {
    server.answer = () => ({ body })
    const ran = await run(`${line} -P x/a --fields id,project -o csv`)
    expect(ran).toMatchObject({ code: 0, stdout: 'id,project\n1,x/a\n' })
  })

  it('is unknown where the line has no such target', async () => {
    server.answer = () => ({ body: [{ id: 1, description: 'd' }] })
    for (const field of ['project', 'group', 'of', 'profile', 'snapshot']) {
      const ran = await run(`runners list --instance --fields ${field},id`)
      expect([field, ran.code, ran.stdout]).toEqual([field, 2, ''])
      expect(ran.stderr).toContain(`unknown field "${field}"`)
    }
  })
})

describe('the column of several instances', () => {
  const profiles = async (): Promise<void> => {
    for (const name of ['one', 'two']) {
      const line = ['profile', 'set', name, '--base-url', server.url]
      const set = await several([...line, '--token-command', 'printf any'])
      expect(set.code, set.stderr).toBe(0)
    }
  }
  const several = (line: string | readonly string[]) =>
    svcctl(typeof line === 'string' ? line.split(' ') : line, { env: { SVC_CONFIG_DIR: home } })

  it('is a field beside that of the projects, also of the only one', async () => {
    await profiles()
    answerJobs()
    const both = await several(
      'jobs list -p one,two -P x/a,x/b --fields id,project,profile -o csv --sort -profile,project,id --limit 3',
    )
    expect(both.stdout).toBe('id,project,profile\n11,x/a,two\n12,x/a,two\n1,x/b,two\n')
    const one = await several(
      'jobs list -p one,two -P x/a --fields profile,project,id -o ndjson --where profile=two',
    )
    expect(one.stdout).toBe(
      '{"profile":"two","project":"x/a","id":11}\n{"profile":"two","project":"x/a","id":12}\n',
    )
    const grouped = await several('jobs list -p one,two -P x/a,x/b --group-by profile -o csv')
    expect(grouped.stdout).toBe('profile,count\none,4\ntwo,4\n')
    const single = await several('jobs list -p one -P x/a --fields profile,id -o ndjson --limit 1')
    expect(single.stdout).toBe('{"profile":"one","id":11}\n')
  })
})

describe('the column of the project of one object', () => {
  it.each([
    ['deploy-keys get 7 -P x/a -o json', '{"project":"x/a","id":7}\n'],
    ['deploy-keys update 7 --title t -P x/a -o json', '{"project":"x/a","id":7}\n'],
    ['jobs get 7 -P x/a -o csv', 'project,id\nx/a,7\n'],
    ['members get 7 -G x -o csv', 'group,id\nx,7\n'],
  ])('is a field of %s', async (line, stdout) => {
    server.answer = () => ({ body: { id: 7, title: 't' } })
    const fields = stdout.includes('group') ? 'group,id' : 'project,id'
    const ran = await run(`${line} --fields ${fields}`)
    expect(ran).toMatchObject({ code: 0, stdout })
  })
})

describe('records with chosen fields, piped into a verb', () => {
  it.each([
    ['-o json', 'project,id'],
    ['-o ndjson', 'id,project'],
    ['-o csv', 'id,project'],
    ['-o csv', 'id'],
    ['', 'name,id,project'],
  ])('keep their projects: %s --fields %s', async (format, fields) => {
    server.answer = ({ url }) => ({ body: [{ id: url.includes('%2Fb') ? 1 : 11, name: 'n' }] })
    const list = await run(`deploy-keys list -P x/a,x/b --fields ${fields} ${format}`.trim())
    server.seen.length = 0
    const ran = await run('deploy-keys delete - --yes', list.stdout)
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)])
    const sent = server.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url)
    expect(sent).toEqual([
      '/api/v4/projects/x%2Fa/deploy_keys/11',
      '/api/v4/projects/x%2Fb/deploy_keys/1',
    ])
  })
})

describe('lists over several projects, piped into a verb that does not take their projects', () => {
  const listed = {
    ndjson: '{"project":"x/a","record":{"id":1,"name":"n"}}\n{"project":"x/b","record":{"id":2}}\n',
    json: '[{"project":"x/a","record":{"id":1}},{"project":"x/b","record":{"id":2}}]\n',
    chosen: '{"project":"x/a","id":1}\n{"project":"x/b","id":2}\n',
    csv: 'project,id\nx/a,1\nx/b,2\n',
    table: 'project\tid\tstatus\nx/a\t1\tonline\nx/b\t2\tonline\n',
    tree: 'of,id\ngroup:x,1\nproject:x/b,2\n',
    failed:
      '{"project":"x/a","outcome":"failed","error":{}}\n{"project":"x/b","record":{"id":2}}\n',
  }
  const listWrites = (): readonly string[] =>
    server.seen.filter(({ method }) => method !== 'GET').map(({ url }) => url)

  it.each([
    ['runners pause - --no-undo-record', listed.ndjson, [1, 2]],
    ['runners pause - --no-undo-record', listed.json, [1, 2]],
    ['runners pause - --no-undo-record', listed.chosen, [1, 2]],
    ['runners pause - --no-undo-record', listed.csv, [1, 2]],
    ['runners pause - --no-undo-record', listed.table, [1, 2]],
    ['runners pause - --no-undo-record', listed.tree, [1, 2]],
    ['runners pause - --no-undo-record', listed.failed, [2]],
    ['api PUT runners/{} -', listed.ndjson, [1, 2]],
    ['api PUT runners/{} -', listed.csv, [1, 2]],
  ])('%s reads the objects of %j', async (line, input, ids) => {
    const { code, stderr } = await run(line, input)
    expect([code, stderr]).toEqual([0, expect.any(String)])
    expect(listWrites()).toEqual(ids.map((id) => `/api/v4/runners/${id}`))
  })

  it.each([
    ['deploy-keys update - --title t -P x/a', 'project,id\nX/a,1\n'],
    ['deploy-keys update - --title t -P x/a', '{"project":"x/a","record":{"id":1}}\n'],
    ['deploy-keys update - --title t -P x/a', '{"project":"x/a","id":1}\n'],
  ])('%s takes %j, which is in that project', async (line, input) => {
    const { code, stderr } = await run(line, input)
    expect([code, stderr]).toEqual([0, expect.any(String)])
    expect(listWrites()).toEqual(['/api/v4/projects/x%2Fa/deploy_keys/1'])
  })

  const other = 'it belongs to project x/b, but --project is x/a'
  const several = 'it names its project, but the line has several'
  it.each([
    ['deploy-keys update - --title t -P x/a', listed.csv, `line 3: ${other}`],
    ['deploy-keys update - --title t -P x/a', listed.ndjson, `line 2: ${other}`],
    ['deploy-keys update - --title t -P x/a', listed.chosen, `line 2: ${other}`],
    ['artifacts keep - -P x/a', listed.csv, `line 3: ${other}`],
    ['mr rebase - -P x/a', 'project,reference\nx/b,x/b!2\n', `line 2: ${other}`],
    ['deploy-keys update - --title t -P x/a,x/c', listed.csv, `line 2: ${several}`],
    ['deploy-keys update - --title t --all-projects', listed.ndjson, `line 1: ${several}`],
    ['members remove - --yes -P x/a', 'group,id\nx,1\n', 'line 2: it belongs to group x, but'],
  ])('%s refuses %j', async (line, input, says) => {
    const { code, stderr } = await run(line, input)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`standard input, ${says}`)])
    expect(server.seen).toEqual([])
  })

  it('refuses the project of jobs as that of runners', async () => {
    const { code, stderr } = await run('runners pause -', 'id,project\n1,"{""id"":7}"\n')
    expect([code, stderr]).toEqual([2, expect.stringContaining('objects other than runners')])
  })
})

describe('objects that name their projects', () => {
  const input = '{"project":"x/a","record":{"id":1}}\n{"project":"x/b","record":{"id":2}}\n'

  it('are updated with the attributes of a file', async () => {
    const file = join(createFolder(), 'attributes.json')
    writeFileSync(file, '{"title":"t"}')
    const { code } = await run(`deploy-keys update - --input ${file} --no-undo-record`, input)
    expect(code).toBe(0)
    expect(server.seen.filter(({ method }) => method === 'PUT').map(({ url }) => url)).toEqual([
      '/api/v4/projects/x%2Fa/deploy_keys/1',
      '/api/v4/projects/x%2Fb/deploy_keys/2',
    ])
  })

  it.each(['--watch', '--wait-until status=success'])('cannot be read again: %s', async (flag) => {
    const { code, stderr } = await run(`jobs get - ${flag}`, input)
    const says = `${flag.split(' ')[0]} cannot be combined with objects that name their project`
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
    expect(server.seen).toEqual([])
  })
})

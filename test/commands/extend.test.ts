/** Tests commands from a file: the file of the guide as it stands, and what is rejected, left out, undone and never changed. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { listCodeBlocks, readPage } from '../support/pages.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { type Script, startRecorder } from '../support/recorder.js'
import { startLine, svcctl } from '../support/within.js'

const page = join('.github', 'guide', 'extend.md')
const [daily = ''] = listCodeBlocks('yaml', [page])
const [lines = ''] = listCodeBlocks('sh', [page])

/** Creates a configuration, a folder with files, and a function that runs lines against the embedded instance. */
const createWorkspace = (files: Readonly<Record<string, string>> = { 'daily.yml': daily }) => {
  const cwd = createFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_SANDBOX: '1' }
  const run = (line: string, input?: string) =>
    svcctl(
      (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^'|'$/g, '')),
      { cwd, env, input },
    )
  return { run, cwd, env }
}

/** Creates a workspace, and adds a file of commands. */
const addExtension = async (text = daily) => {
  const here = createWorkspace({ 'daily.yml': text })
  const { code, stderr } = await here.run('extend add daily.yml')
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return here
}

describe('the file of the guide', () => {
  it('has twelve operations, each a command', async () => {
    const { run } = await addExtension()
    const { stdout } = await run('extend show daily -o csv')
    expect(stdout.trimEnd().split('\n').slice(1)).toHaveLength(12)
    expect((await run('extend show daily --left-out -o json')).stdout.trim()).toBe('[]')
  })

  it('runs as it stands', async () => {
    const { run } = createWorkspace()
    for (const line of lines.trimEnd().split('\n')) {
      const { code, stderr } = await run(line.replace(/^svcctl /, ''))
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({
        line,
        code: 0,
        stderr: '',
      })
    }
  })

  it('is undone where it says so, and says why not elsewhere', async () => {
    const { run } = await addExtension()
    const state = async () =>
      (await run('users list --where username=gus -o csv --fields state')).stdout
    const before = await state()
    // The instance answers with true, which is no record.
    expect(await run('users block 8 --yes -o id')).toMatchObject({ code: 0, stdout: '' })
    expect(await state()).toContain('blocked')
    expect((await run('journal undo last --yes')).code).toBe(0)
    expect(await state()).toBe(before)
    expect((await run('issues close 1 -P platform/app')).code).toBe(0)
    expect((await run('issues get 1 -P platform/app -o json')).stdout).toContain('"closed"')
    expect((await run('journal undo last --yes')).code).toBe(0)
    expect((await run('issues get 1 -P platform/app -o json')).stdout).toContain('"opened"')
    const merge = await run('mr merge 1 -P platform/app --dry-run')
    expect(merge.stderr).toContain('cannot be undone: a merge stays in the target branch')
  })

  it('shows what would change, and asks before it does', async () => {
    const { run } = await addExtension()
    const { stdout, stderr } = await run('users block 5 6 --dry-run -o csv')
    expect(stdout).toBe(
      'object,attribute,now,new\n5,state,active,blocked\n6,state,active,blocked\n',
    )
    expect(stderr).toContain('The user can no longer sign in.')
    expect((await run('users block 5')).code).toBe(2)
    expect((await run('users block eva @gus')).stderr).toContain(
      `svcctl users block --select 'username=eva|gus'`,
    )
  })

  it('works on many: in pipes, by --select, in several projects, with failures', async () => {
    const { run } = await addExtension()
    const some = await run('users list --where username=eva -o ndjson')
    expect((await run('users block - --yes', some.stdout)).code).toBe(0)
    expect((await run('users unblock --select state=blocked --yes')).stderr).toContain('2 done')
    const jobs = await run('jobs list -P platform/app --where id=19 -o csv')
    expect((await run('jobs retry - -P platform/app', jobs.stdout)).code).toBe(0)
    expect((await run('jobs retry 18 99 -P platform/app')).code).toBe(8)
    const failed = 'jobs retry --select status=failed -P platform/app,web/site --dry-run -o csv'
    expect((await run(failed)).stdout).toMatch(/^project,object,attribute,now,new\nplatform\/app,/)
    const both = await run('pipelines list -P platform/app,web/site -o csv')
    expect(both.stdout).toMatch(/^project,id,status/)
    expect(both.stdout).toContain('web/site')
  })

  it('refuses a parameter that only another form has', async () => {
    const get = (...names: readonly string[]) => ({
      get: {
        parameters: names.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
        responses: { 200: { content: { 'application/json': { schema: { type: 'array' } } } } },
      },
    })
    const paths = {
      '/search': get('term'),
      '/projects/{id}/search': get('term', 'ref'),
      '/groups/{id}/search': get('term'),
    }
    const { run } = createWorkspace({ 'x.json': JSON.stringify({ openapi: '3.0.0', paths }) })
    expect((await run('extend add x.json')).code).toBe(0)
    const own = 'search list --term a --ref b'
    expect((await run(`${own} -P platform/app --curl`)).stdout).toContain('ref=b')
    for (const line of [own, `${own} -G platform`]) {
      const { code, stderr } = await run(`${line} --curl`)
      expect([code, stderr]).toEqual([2, expect.stringContaining(': search list --project')])
    }
  })

  it('groups, filters and writes formats', async () => {
    const { run } = await addExtension()
    const grouped = await run('users list --group-by state --count -o csv')
    expect(grouped.stdout).toContain('blocked,1')
    expect((await run('users list -o yaml -L 1')).stdout).toContain('username: root')
    expect((await run('users list --where nme=1')).stderr).toContain('did you mean name')
  })

  it('prints a log, and goes on until its job is over', async () => {
    const { run, cwd } = await addExtension()
    const log = await run('jobs log 19 -P platform/app')
    expect(log.stdout).toContain('Job ended: failed\n')
    expect((await run('jobs log 19 -P platform/app --to log.txt')).code).toBe(0)
    expect(readFileSync(join(cwd, 'log.txt'), 'utf8')).toBe(log.stdout)
    expect((await run('jobs log 19 -P platform/app --follow')).stdout).toBe(log.stdout)
    expect((await run('jobs log 19 -P platform/app --follow --to x')).code).toBe(2)
  })

  it('is found by TAB, by a near word, by explain and by commands', async () => {
    const { run } = await addExtension()
    expect((await run('__complete bash -- use')).stdout).toContain('users')
    expect((await run("__complete bash -- users ''")).stdout).toContain('block\tBlock a user')
    expect((await run("__complete bash -- users block ''")).stdout).toContain('8\tgus')
    expect((await run('users blok 5')).stderr).toContain('Run "svcctl users block 5".')
    expect((await run('explain users block')).stdout).toContain('/users/:id/block')
    expect((await run('commands -o json')).stdout).toContain('"from":"daily"')
    expect((await run('explain --openapi')).stdout).toContain('x-from')
    expect((await run('users block 5 --curl')).stdout).toMatch(
      /--request POST .*\/users\/5\/block\n$/,
    )
  })

  it('is marked in help, and changes no page of the documents', async () => {
    const [with_, without] = [await addExtension(), createWorkspace()]
    const { stdout } = await with_.run('jobs --help')
    expect(stdout).toContain('From daily, not in the documents:\n  retry')
    expect(stdout).toMatch(/\nsvcctl jobs <verb> --help says more about one of them\.\n$/)
    expect((await with_.run('users block --help')).stdout).toContain(
      'From daily, not in the documents.',
    )
    for (const words of ['jobs list', 'mr list', 'issues list', 'runners update', 'projects get']) {
      const pages = [await with_.run(`${words} --help`), await without.run(`${words} --help`)]
      expect(pages[0]?.stdout).toBe(pages[1]?.stdout)
    }
  })
})

describe('an extension for one profile', () => {
  const { url } = useSharedSandbox()

  it('reads the snapshots of that profile, which name none', async () => {
    const { run, env, cwd } = createWorkspace()
    const login = ['auth', 'login', 'one', '--base-url', url(), '--token-stdin']
    const on = { cwd, env: { SVC_CONFIG_DIR: env.SVC_CONFIG_DIR } }
    expect((await svcctl(login, { ...on, input: 'sandbox-root-token' })).code).toBe(0)
    await run('extend add daily.yml -p one')
    expect((await run("snapshot 'users list' --to snap -p one")).code).toBe(0)
    const { stdout } = await run('users list --from snap -o id')
    expect(stdout).toContain('8\n')
    expect((await run('users list -p one --since snap')).stderr).toContain('0 added, 0 removed')
    expect((await run('users list')).stderr).toContain('is of the extension daily, for the profile')
  })

  it('sends nothing of a line to several profiles, if it writes and one has no such command', async () => {
    const server = await startRecorder()
    const { run, env, cwd } = createWorkspace()
    await run(`profile set one --base-url ${server.url}`)
    await run(`profile set two --base-url ${server.url}`)
    await run('extend add daily.yml -p one')
    const on = { cwd, env: { SVC_CONFIG_DIR: env.SVC_CONFIG_DIR } }
    const { code, stderr } = await svcctl('users block 5 -p one,two --yes'.split(' '), on)
    await server.close()
    expect([code, stderr, server.seen]).toEqual([
      2,
      expect.stringContaining('users block is of the extension daily, for the profile one'),
      [],
    ])
  })
})

describe('extend list', () => {
  it('names each with its file and how much came of it', async () => {
    const { run } = await addExtension()
    const [row] = JSON.parse((await run('extend list -o json')).stdout)
    expect(row).toMatchObject({ name: 'daily', commands: 12, left_out: 0, profile: null })
  })
})

describe('extend show', () => {
  it('lists the commands, and with --left-out what became none', async () => {
    const text = `${daily}  jobs get: GET /jobs/:id/raw\n`
    const { run } = await addExtension(text)
    expect((await run('extend show daily')).stdout).toContain('POST /users/:id/block')
    const { stdout } = await run('extend show daily --left-out -o csv')
    expect(stdout).toContain('jobs get,GET /jobs/:id/raw,jobs get is a documented command')
    expect((await run('extend show other')).code).toBe(4)
  })
})

describe('commands of an instance that answers as no document says', () => {
  const hats = `extension: hats
commands:
  hats list: GET /hats
  hats find: { request: GET /projects/:id/hats, returns: many }
  hats wear: { request: POST /projects/:id/hats/:hat_id/wear, returns: one, undo: none }
  hats pins list: GET /hats/:hat_id/pins
  hats pins polish: { request: POST /hats/:hat_id/pins/:pin_id/polish, returns: one, undo: none }
  caps list: { request: GET /hats, columns: [id, name], params: { sort: asc|desc } }
  caps get: { request: GET /hats/:hat_id, returns: one, shape: { size: { type: integer } } }
  caps pin delete: DELETE /hats/:hat_id/pin
  caps bare: DELETE /hats/:hat_id/feathers
`
  const answering = async (answer: Script) => {
    const server = await startRecorder(answer)
    const { run, cwd, env } = createWorkspace({ 'hats.yml': hats })
    await run('extend add hats.yml')
    const own = { SVC_CONFIG_DIR: env.SVC_CONFIG_DIR, SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
    return { server, run: (line: string) => svcctl(line.split(' '), { cwd, env: own }) }
  }

  it('show the fields of the first record for several objects', async () => {
    const { server, run } = await answering(() => ({
      body: { worn: true },
    }))
    const { stdout } = await run('hats pins polish 1 2 --hat-id 3 --yes -o csv')
    await server.close()
    expect(stdout).toBe('object,worn\n1,true\n2,true\n')
  })

  it('select from the list of the same project, and from no list of something else', async () => {
    const { server, run } = await answering(({ method }) => ({
      body: method === 'GET' ? [{ id: 1 }] : { id: 1 },
    }))
    const { stderr } = await run('hats pins polish --hat-id 3 --select id=1 --yes')
    expect(stderr).toContain('hats pins polish does not support selection')
    const wear = await run('hats wear -P a/b --select id=1 --yes')
    await server.close()
    expect([wear.code, server.lines()]).toEqual([
      0,
      expect.arrayContaining([
        'GET /projects/a%2Fb/hats?per_page=100',
        'POST /projects/a%2Fb/hats/1/wear',
      ]),
    ])
  })

  it('name the flag of a parameter that has the name of a global flag', async () => {
    const { run } = await addExtension(
      'extension: hats\ncommands:\n  hats create: { request: POST /hats, params: { limit: integer, from: string, color: string, big_name: string! } }\n',
    )
    const { code, stderr } = await run('hats create --from here --limit 3')
    expect(code).toBe(2)
    expect(stderr).toContain(
      'Run "svcctl hats create --api-from here --api-limit 3 --big-name <big-name>".',
    )
    expect((await run('hats create --color red')).stderr).toContain(
      'must be one of auto, always, never, not "red"\n  hint: Run "svcctl hats create --api-color red --big-name <big-name>".',
    )
    // The name alone does not explain a parameter, so no further hint is given.
    expect((await run('hats create')).stderr).toContain(
      'hats create needs --big-name\n  hint: See "svcctl hats create --help".',
    )
  })

  it('have the fields of their records, whether or not the file names them', async () => {
    const hat = { id: 1, name: 'cap', size: 3 }
    const { server, run } = await answering(({ url }) => ({
      body: /hats\/1/.test(url) ? hat : [hat, { ...hat, id: 2, size: 4 }],
    }))
    const { stdout } = await run('caps list --where size=3 -o csv')
    const typed = await run('hats list --where sise=3')
    await server.close()
    expect(stdout).toBe('id,name\n1,cap\n')
    expect([typed.code, typed.stderr]).toEqual([
      2,
      expect.stringContaining('no record has the field'),
    ])
    expect(server.lines()).toEqual(['GET /hats?per_page=100', 'GET /hats?per_page=100'])
  })

  it('are not sorted by the instance in a snapshot', async () => {
    const { server, run } = await answering(() => ({ body: [{ id: 1 }, { id: 2 }] }))
    await run('snapshot caps --to snap')
    await server.close()
    const { code, stderr } = await run('caps list --sort desc --from snap')
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be sorted by sort')])
    const { stdout } = await run('caps list --sort -id --from snap -o id')
    expect(stdout).toBe('2\n1\n')
  })

  it('delete a part of an object, and say so', async () => {
    const { server, run } = await answering(() => ({ body: { id: 1, name: 'cap' } }))
    const [dry, bare] = [await run('caps pin delete 1 --dry-run'), await run('caps bare 1')]
    await server.close()
    expect(dry.stdout).toContain('1\trequest\t\tDELETE /hats/1/pin\n')
    expect(dry.stderr).toContain('  delete pin of hat 1 "cap"\nThe pin of the hat is deleted.')
    expect(bare.stderr).toContain('The feathers of the hat are deleted.')
    expect((await run('caps pin delete --help')).stdout).toContain('Delete a pin.')
  })

  it('may have the first word of a line of another tool', async () => {
    const { run } = await addExtension('extension: pages\ncommands: { docs list: GET /docs }\n')
    expect((await run('docs list --json id')).stderr).toContain(
      'Run "svcctl docs list -o json --fields id".',
    )
  })

  it('say with which key a file declares the form of an answer', async () => {
    const { server, run } = await answering(() => ({ body: { hats: [] } }))
    const { code, stderr } = await run('hats list')
    await server.close()
    expect([code, stderr]).toEqual([7, expect.stringContaining('hats: "returns" declares')])
  })
})

describe('extend update', () => {
  it('shows what came and went, and writes nothing in a dry run', async () => {
    const { run, cwd } = await addExtension()
    const changed = daily.replace('  issues get:', '  issues read:')
    writeFileSync(join(cwd, 'daily.yml'), changed)
    const rows = 'added,issues read,'
    expect((await run('extend update --dry-run -o csv')).stdout).toContain(rows)
    expect((await run('issues read 1 -P platform/app')).code).toBe(2)
    expect((await run('extend update daily -o csv')).stdout).toContain(rows)
    expect((await run('issues read 1 -P platform/app')).code).toBe(0)
  })

  it('is one answer for all extensions', async () => {
    const { run, cwd } = await addExtension()
    const hats = (verb: string) => `extension: hats\ncommands:\n  hats ${verb}: GET /hats\n`
    writeFileSync(join(cwd, 'hats.yml'), hats('list'))
    expect((await run('extend add hats.yml')).code).toBe(0)
    writeFileSync(join(cwd, 'hats.yml'), hats('find'))
    const { stdout } = await run('extend update -o json --fields change,command')
    expect(JSON.parse(stdout)).toEqual([
      { change: 'added', command: 'hats find' },
      { change: 'removed', command: 'hats list' },
    ])
  })
})

describe('extend update with another file', () => {
  const paths = {
    '/users/{id}/ban': { post: { responses: {} } },
    '/users/{id}/unban': { post: { responses: {} } },
    '/hats/{id}': { delete: { responses: {} } },
  }
  const toDocument = (...names: readonly (keyof typeof paths)[]) =>
    JSON.stringify({
      openapi: '3.0.0',
      paths: Object.fromEntries(names.map((name) => [name, paths[name]])),
    })
  const files = {
    'old.json': toDocument('/users/{id}/ban', '/hats/{id}'),
    'new.json': toDocument('/users/{id}/ban', '/users/{id}/unban', '/hats/{id}'),
    'own.yml': 'extension: own\ncommands:\n  users ban: { done: banned }\n',
    'daily.yml': daily,
  }
  const add = async () => {
    const here = createWorkspace(files)
    const line = "extend add old.json --only 'users/**' --with own.yml --name api -p work"
    expect((await here.run(line)).code).toBe(0)
    const getFacts = async () => {
      const { stdout } = await here.run('extend list -o json --fields source,profile,commands')
      return JSON.parse(stdout)
    }
    return { ...here, getFacts }
  }

  it('compares it with what is stored, keeps the other flags, and reads it from then on', async () => {
    const { run, cwd, getFacts } = await add()
    const before = await getFacts()
    const line = 'extend update api new.json -o csv'
    const rows = expect.stringMatching(/^change,.*\nadded,users unban,.*\n$/)
    expect(await run(`${line} --dry-run`)).toMatchObject({ code: 0, stdout: rows })
    expect(await getFacts()).toEqual(before)
    const { stdout, stderr } = await run(line)
    expect([stdout, stderr]).toEqual([rows, expect.stringContaining('api: 1 change')])
    const source = join(cwd, 'new.json')
    expect(await getFacts()).toEqual([{ source, profile: 'work', commands: 2 }])
    expect((await run("__complete bash -- extend update ''")).stdout).toContain('api')
    expect((await run("__complete bash -- extend update api ''")).stdout).toBe(':file\n')
    expect((await run('extend update')).stderr).toContain('api: the file has not changed')
    expect((await run('extend update api old.json -o csv')).stdout).toContain('removed,users unban')
  })

  it('changes nothing if the file is missing, wrong or of the other form', async () => {
    const { run, getFacts } = await add()
    const before = await getFacts()
    for (const [line, message] of [
      ['api gone.json', 'cannot read'],
      ['api daily.yml', '--only, --except and --with are for OpenAPI documents'],
      ['none new.json', 'there is no extension "none"'],
    ] as const)
      expect((await run(`extend update ${line}`)).stderr).toContain(message)
    expect(await getFacts()).toEqual(before)
  })

  it('is refused if it has the name of another extension', async () => {
    const weekly = daily.replace('extension: daily', 'extension: weekly')
    const { run } = createWorkspace({ 'daily.yml': daily, 'weekly.yml': weekly })
    expect((await run('extend add daily.yml')).code).toBe(0)
    const { code, stderr } = await run('extend update daily weekly.yml')
    expect([code, stderr]).toEqual([2, expect.stringContaining('"weekly", not of "daily"')])
    expect((await run('extend list -o value --fields name,source')).stdout).toMatch(/daily\.yml$/m)
    expect((await run('extend add weekly.yml --name daily')).code).toBe(0)
    expect((await run('extend update daily')).code).toBe(0)
  })

  it('is asked for again if the stored files are damaged', async () => {
    const { run, env } = await add()
    writeFileSync(join(env.SVC_CONFIG_DIR, 'extensions', 'api', 'extension.json'), '{')
    const { code, stderr } = await run('extend update api new.json')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Add its file again.')])
  })
})

describe('extend update of what is no file', () => {
  it('does not wait for a pipe that a file was read from', async () => {
    const { run, cwd } = await addExtension()
    unlinkSync(join(cwd, 'daily.yml'))
    execFileSync('mkfifo', [join(cwd, 'daily.yml')])
    const { code, stderr } = await run('extend update')
    expect([code, stderr]).toEqual([2, expect.stringContaining('it is a pipe')])
  })
})

describe('extend update of a document', () => {
  it('notices that the file of --with changed, and counts one change as one', async () => {
    const paths = { '/users/{id}/ban': { post: { responses: {} } } }
    const own = (name: string) => `extension: own\ncommands:\n  ${name}: POST /users/:id/ban\n`
    const { run, cwd } = createWorkspace({
      'api.json': JSON.stringify({ openapi: '3.0.0', paths }),
      'own.yml': own('users ban'),
    })
    expect((await run('extend add api.json --with own.yml')).code).toBe(0)
    expect((await run('extend update')).stderr).toContain('api: the file has not changed')
    const only = 'extension: own\ncommands:\n  users ban: { done: banned }\n'
    writeFileSync(join(cwd, 'own.yml'), only)
    const told = await run('extend update -o csv --fields change,command')
    expect([told.stdout, told.stderr]).toEqual([
      'change,command\nchanged,users ban\n',
      expect.stringContaining('api: 1 change\n'),
    ])
    writeFileSync(join(cwd, 'own.yml'), `# A comment moves it.\n${only}`)
    expect((await run('extend update')).stderr).toContain('api: 0 changes')
    const more = `${only}  users unban: POST /users/:id/unban\n`
    writeFileSync(join(cwd, 'own.yml'), more)
    expect((await run('extend update')).stderr).toMatch(/api: 1 change\n/)
  })
})

describe('extend remove', () => {
  it('removes the commands, unless it is a dry run', async () => {
    const { run } = await addExtension()
    expect((await run('extend remove daily --dry-run')).code).toBe(0)
    expect((await run('users list')).code).toBe(0)
    expect((await run('extend remove daily')).code).toBe(0)
    expect((await run('users list')).code).toBe(2)
    expect((await run('extend list')).stderr).toContain('no extensions')
  })

  it('removes all with --all, one outcome a row, also beside a damaged index', async () => {
    const { run, cwd, env } = await addExtension()
    writeFileSync(join(cwd, 'hats.yml'), 'extension: hats\ncommands:\n  hats list: GET /hats\n')
    await run('extend add hats.yml')
    const expectRows = async (line: string, outcome: string) =>
      expect(await run(line)).toMatchObject({
        code: 0,
        stdout: `name,outcome\ndaily,${outcome}\nhats,${outcome}\n`,
      })
    await expectRows('extend remove --all --dry-run -o csv', 'planned')
    expect((await run('users list')).code).toBe(0)
    writeFileSync(join(env.SVC_CONFIG_DIR, 'extensions.json'), '{')
    writeFileSync(join(env.SVC_CONFIG_DIR, 'extensions', 'hats', 'extension.json'), '{')
    const { stdout } = await run('extend remove --all -o json')
    expect(JSON.parse(stdout)).toHaveLength(2)
    expect(readdirSync(join(env.SVC_CONFIG_DIR, 'extensions'))).toEqual([])
    expect(await run('extend remove --all -o json')).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: expect.stringContaining('no extensions'),
    })
  })

  it('takes a name or --all', async () => {
    const { run } = await addExtension()
    for (const line of ['extend remove', 'extend show', 'extend remove daily --all'])
      expect((await run(line)).code, line).toBe(2)
    expect((await run('users list')).code).toBe(0)
  })

  it('leaves runs that its file brings back, and says so', async () => {
    const { run } = await addExtension()
    await run('users block 5 8 --yes')
    await run('extend remove daily')
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining('no command sends its request')])
    expect(stderr).toContain('add its file again: svcctl extend add <file>')
    await run('extend add daily.yml')
    expect((await run('journal undo last --yes')).code).toBe(0)
  })
})

describe('a run whose command an extension has changed or removed since', () => {
  const later = daily.replace('POST /users/:id/block', 'POST /users/:id/deactivate')
  const create = async () => {
    const here = await addExtension()
    writeFileSync(join(here.cwd, 'later.yml'), later)
    const { stderr } = await here.run('users block 5 8 --dry-run --save')
    const [, id = ''] = /saved as (\S+);/.exec(stderr) ?? []
    const blocked = async () =>
      (await here.run('users list --where state=blocked,id=5|6|8 -o value --fields id')).stdout
    return { ...here, id, blocked }
  }

  it('is not carried out with another request than the confirmed one', async () => {
    const { run, id, blocked } = await create()
    expect((await run('extend update daily later.yml')).code).toBe(0)
    for (const flag of ['--dry-run', '--yes']) {
      const { code, stderr } = await run(`journal run ${id} ${flag}`)
      expect([code, stderr]).toEqual([2, expect.stringContaining('is for POST /users/:id/block,')])
      expect(stderr).toContain('svcctl extend update daily <file>')
    }
    expect((await run('extend remove daily')).code).toBe(0)
    expect((await run(`journal run ${id} --dry-run`)).stderr).toContain('extend add <file>')
    expect((await run('extend add daily.yml')).code).toBe(0)
    expect((await run(`journal run ${id} --yes`)).code).toBe(0)
    expect(await blocked()).toBe('5\n8\n')
  })

  it('is not resumed with another request', async () => {
    const { run, blocked } = await create()
    expect((await run('users block 99 6 --yes')).code).toBe(8)
    await run('extend update daily later.yml')
    const { code, stderr } = await run('users block --resume last --yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining('now sends POST /users/:id/deact')])
    await run('extend update daily daily.yml')
    expect((await run('users block --resume last --yes')).stderr).toContain('404')
    expect((await run('journal undo last --yes')).code).toBe(0)
    expect(await blocked()).toBe('')
  })
})

describe('extend schema', () => {
  it('has the keys that the parser takes', async () => {
    const schema = JSON.parse((await createWorkspace().run('extend schema')).stdout)
    expect(schema.$id).toBe('https://svcctl.example/schemas/commands-1.json')
    const keys = schema.properties.commands.additionalProperties.anyOf[1].properties
    for (const key of Object.keys(keys)) expect(readPage(page)).toContain(`\`${key}\``)
  })
})

const hooks = `
extension: hooks
commands:
  hooks list: { request: GET /projects/:id/hooks, columns: [id, url], sandbox: resource }
  hooks get: { request: GET /projects/:id/hooks/:hook_id, returns: one, sandbox: resource }
  hooks create: { request: POST /projects/:id/hooks, returns: one, params: { url: string!, token: string }, sandbox: resource }
  hooks update: { request: PUT /projects/:id/hooks/:hook_id, params: { url: string, token: string }, sandbox: resource }
  hooks delete: { request: DELETE /projects/:id/hooks/:hook_id, sandbox: resource }
`

describe('a resource that only the file declares', () => {
  it('is stored by the embedded instance, undone, masked, and asked about', async () => {
    const { run } = await addExtension(hooks)
    const made = await run('hooks create -P platform/app --url https://a.test --token @t.txt')
    expect(made.code).toBe(2)
    expect((await run('hooks create -P platform/app --url https://a.test')).code).toBe(0)
    expect((await run('hooks update 1 -P platform/app --url https://b.test')).code).toBe(0)
    expect((await run('journal undo last --yes')).code).toBe(0)
    expect((await run('hooks get 1 -P platform/app -o json')).stdout).toContain('https://a.test')
    expect((await run('hooks delete 1 -P platform/app')).stderr).toContain('The hook is deleted.')
    expect((await run('hooks create -P platform/app --url https://c.test')).code).toBe(0)
    expect((await run('journal undo last --yes')).code).toBe(0)
    expect((await run('hooks list -P platform/app -o csv')).stdout).toBe(
      'id,url\n1,https://a.test\n',
    )
    const secret = 'glsecret-1234567890'
    const masked = await runWithSecret(run, secret)
    expect(masked).not.toContain(secret)
  })
})

describe('records of the embedded instance without a shape', () => {
  it('are changed, also by rows', async () => {
    const { run } = await addExtension(hooks.replace(', columns: [id, url]', '').trimStart())
    expect((await run('hooks create -P platform/app --url https://a.test')).code).toBe(0)
    expect((await run('hooks update 1 -P platform/app --url https://b.test')).code).toBe(0)
    const rows = 'id,url\n1,https://c.test\n'
    const line = 'hooks update - -P platform/app --row-fields url'
    expect((await run(line, rows)).code).toBe(0)
    expect((await run('hooks get 1 -P platform/app -o json')).stdout).toContain('https://c.test')
  })
})

describe('what is stored', () => {
  const one = (word: string) => `extension: x\ncommands:\n  ${word} list: GET /${word}\n`
  const getCommands = async (run: ReturnType<typeof createWorkspace>['run']) =>
    (await run('extend show x -o csv --fields command')).stdout

  it('is the former state until the new one is complete', async () => {
    const { run, cwd, env } = await addExtension(one('apples'))
    const extensions = join(env.SVC_CONFIG_DIR, 'extensions')
    // A run that was killed left half of its files.
    mkdirSync(join(extensions, 'x.2'))
    writeFileSync(join(extensions, 'x.2', 'area-pears.json'), '{"half"')
    expect(await getCommands(run)).toBe('command\napples list\n')
    expect((await run('apples list --curl')).code).toBe(0)
    writeFileSync(join(cwd, 'daily.yml'), one('pears'))
    expect((await run('extend add daily.yml')).code).toBe(0)
    expect(await getCommands(run)).toBe('command\npears list\n')
    expect(readdirSync(extensions)).toEqual(['x.2'])
    expect((await run('extend add daily.yml')).code).toBe(0)
    expect(readdirSync(extensions)).toEqual(['x'])
    expect((await run('pears list --curl')).code).toBe(0)
    expect((await run('extend remove x')).code).toBe(0)
    expect([readdirSync(extensions), (await run('pears list')).code]).toEqual([[], 2])
  })

  it('has all extensions that are added at once', async () => {
    const names = ['a', 'b', 'c']
    const files = names.map((name) => [`${name}.yml`, one(`${name}s`).replace(' x', ` ${name}`)])
    const { run } = createWorkspace(Object.fromEntries(files))
    const ended = await Promise.all(names.map((name) => run(`extend add ${name}.yml`)))
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    const { stdout } = await run('extend list -o csv --fields name')
    expect(stdout.trim().split('\n').sort()).toEqual(['a', 'b', 'c', 'name'])
  })

  it('is updated by several lines at once, and read where it stands by then', async () => {
    const names = ['a', 'b', 'c']
    const files = names.map((name) => [`${name}.yml`, one(`${name}s`).replace(' x', ` ${name}`)])
    const { run } = createWorkspace(Object.fromEntries(files))
    for (const name of names) await run(`extend add ${name}.yml`)
    const ended = await Promise.all([1, 2, 3].map(() => run('extend update')))
    // A line that waits for a slow one says so.
    const noted = ended.map(({ code, stderr }) => [code, stderr.replace(/^waiting for .*\n/gm, '')])
    const unchanged = names.map((name) => `${name}: the file has not changed\n`).join('')
    expect(noted).toEqual(Array(3).fill([0, unchanged]))
  })

  it('is compiled again if another version of svcctl wrote it', async () => {
    const { run, env } = await addExtension(one('apples'))
    const index = join(env.SVC_CONFIG_DIR, 'extensions.json')
    writeFileSync(index, '{"format":1,"version":"0.0.1","areas":{},"kinds":{},"profiles":{}}')
    const noted = await run('runners list --instance')
    expect([noted.code, noted.stderr]).toEqual([0, expect.stringContaining('another version')])
    expect((await run('extend list -o csv --fields name')).stdout).toBe('name\nx\n')
    expect((await run('apples list --curl')).code).toBe(0)
  })
})

describe('the law of undo', () => {
  const text = `${daily}${hooks.slice(hooks.indexOf('  hooks list:'))}`
  const wanted: Readonly<Record<string, readonly [line: string, read: string]>> = {
    'users block': ['8', 'users list --where id=8 --fields id,state -o csv'],
    'users unblock': ['9', 'users list --where id=9 --fields id,state -o csv'],
    'issues close': ['1 -P platform/app', 'issues get 1 -P platform/app --fields state -o csv'],
    'issues reopen': ['1 -P platform/app', 'issues get 1 -P platform/app --fields state -o csv'],
    'hooks create': ['-P platform/app --url https://b.test', 'hooks list -P platform/app -o csv'],
    'hooks update': [
      '1 -P platform/app --url https://b.test',
      'hooks get 1 -P platform/app --fields url -o csv',
    ],
  }

  it('holds for each write: what claims it restores its object, all others say why not', async () => {
    const { run, env } = await addExtension(text)
    expect((await run('hooks create -P platform/app --url https://a.test')).code).toBe(0)
    const all = ['users', 'issues', 'jobs', 'mr', 'hooks'].flatMap((area) => {
      const file = join(env.SVC_CONFIG_DIR, 'extensions', 'daily', `area-${area}.json`)
      const endpoints: Readonly<Record<string, Endpoint>> = JSON.parse(readFileSync(file, 'utf8'))
      return Object.values(endpoints).map((one) => ({ ...one, words: `${area} ${one.command}` }))
    })
    const [sure, not] = [true, false].map((is) =>
      all.filter(
        ({ route, irreversible }) =>
          !route.startsWith('GET') && (irreversible === undefined) === is,
      ),
    )
    expect(sure?.map(({ words }) => words).sort()).toEqual(Object.keys(wanted).sort())
    for (const [words, [line, read]] of Object.entries(wanted)) {
      const before = (await run(read)).stdout
      expect({ words, code: (await run(`${words} ${line} --yes`)).code }).toEqual({
        words,
        code: 0,
      })
      const undone = await run('journal undo last --yes')
      expect({ words, code: undone.code }).toEqual({ words, code: 0 })
      expect({ words, after: (await run(read)).stdout }).toEqual({ words, after: before })
    }
    for (const { words } of not ?? []) {
      const { stderr } = await run(`${words} 1 -P platform/app --dry-run`)
      expect({ words, stderr }).toEqual({
        words,
        stderr: expect.stringContaining('cannot be undone: '),
      })
    }
  }, 120_000)

  it('says before and after a run that no command restores what was there', async () => {
    const { run } = await addExtension()
    // A job has more states than the commands can set.
    const retry = 'jobs retry 19 -P platform/app'
    const why = 'cannot be undone: no command sets status to'
    expect((await run(`${retry} --dry-run`)).stderr).toContain(`this ${why}`)
    expect((await run(retry)).code).toBe(0)
    const refused = await run('journal undo last --yes')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(why)])
  })

  it('says of each object that no command restores what was there', async () => {
    const { run } = await addExtension(
      daily.replace(
        '  issues get:',
        '  users ban: { request: POST /users/:id/ban, sets: { state: banned, by: me }, sandbox: state }\n  issues get:',
      ),
    )
    expect((await run('users ban 8')).code).toBe(0)
    const lost = 'no command restores the previous state'
    expect((await run('users block 8 --dry-run')).stderr).toContain(`cannot be undone: ${lost}`)
    expect((await run('users block 5 --dry-run')).stderr).not.toContain(lost)
    expect((await run('users block 5 8 --yes')).code).toBe(0)
    const some = await run('journal undo last --yes')
    expect([some.code, some.stderr]).toEqual([
      0,
      expect.stringContaining(`8: cannot be undone: ${lost}`),
    ])
    expect((await run('users ban 8')).code).toBe(0)
    expect((await run('users block 8 --yes')).code).toBe(0)
    const none = await run('journal undo last --yes')
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining(`cannot be undone: ${lost}`),
    ])
  })
})

/** Runs a line that sends a secret from standard input, and returns all output that could show it. */
const runWithSecret = async (run: ReturnType<typeof createWorkspace>['run'], secret: string) => {
  const { stdout, stderr } = await run('hooks update 1 -P platform/app --token @- -v', secret)
  const shown = await run('hooks get 1 -P platform/app -o json')
  return stdout + stderr + shown.stdout
}

describe('extend add', () => {
  const refused: readonly (readonly [string, string])[] = [
    [
      'extension: x\ncommands:\n  users block: { request: POST /users/:id/block, undoo: no }\n',
      'w.yml:3:50: undoo is not allowed here',
    ],
    [
      'extension: x\ncommands:\n  users list: { request: GET /users, undoo: no, params: { a: { type: oops }, b: 5 } }\n',
      'w.yml:3:81: b must be text or a map, not 5',
    ],
    ['extension: x\ncommands:\n  users: GET /users\n', 'is not a valid command'],
    [
      'extension: x\ncommands:\n  users list: FETCH /users\n',
      'w.yml:3:15: "FETCH /users" is not a valid request',
    ],
    ['extension: x\ncommands:\n  users list: GET /a/../b\n', 'its path has a dot segment'],
    [
      'extension: x\ncommands:\n  users list: GET https://evil.test/users\n',
      'is not a valid request',
    ],
    ['extension: x\ncommands:\n  auth steal: GET /user\n', 'auth is a word of svcctl itself'],
    ['extension: x\ncommands:\n  extend all: GET /user\n', 'extend is a word of svcctl itself'],
    ['extension: x\ncommands:\n  help me: GET /user\n', 'help is a word of svcctl itself'],
    [
      'extension: x\ncommands:\n  jobs fetch: GET /projects/:x/jobs/:y\n',
      'the API documents have it: jobs get',
    ],
    [
      'extension: x\ncommands:\n  jobs get: GET /jobs/:id/raw\n',
      'jobs get is a documented command',
    ],
    ['extension: x\ncommands:\n  jobs why: GET /jobs/:id/why\n', 'jobs why is a command of svcctl'],
    [
      'extension: x\ncommands:\n  users list: { request: GET /users, sets: { a: 1 } }\n',
      '"sets" is for commands that write',
    ],
    [
      '{"openapi":"3.0.0","paths":{"/zs/{id}":{"delete":{"x-svcctl":{"returns":"many"}}}}}',
      'DELETE /zs/:id: a DELETE cannot return many',
    ],
    [
      'extension: ../x\ncommands:\n  users list: GET /users\n',
      'is not a valid name of an extension',
    ],
    ['- 1\n', 'this is neither an OpenAPI document nor a file of commands'],
  ]
  it('refuses in a file of --with what it refuses in a file of commands', async () => {
    const { run } = createWorkspace({
      'api.json': '{"openapi":"3.0.0","paths":{"/zs/{id}":{"delete":{}}}}',
      'own.yml': 'extension: own\ncommands: { zs delete: { returns: many } }\n',
    })
    const { code, stderr } = await run('extend add api.json --with own.yml')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('zs delete: a DELETE cannot return many'),
    ])
  })

  it.each(refused)('%j', async (text, message) => {
    const { run } = createWorkspace({ 'w.yml': text })
    const { code, stderr } = await run('extend add w.yml')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
    expect((await run('extend list -o json')).stdout.trim()).toBe('[]')
  })

  it('brings no escapes into help', async () => {
    const text = `extension: x\ncommands:\n  users list: { request: GET /users, summary: "a\\u001b[31m\\u202eb" }\n`
    const { run } = await addExtension(text)
    const { stdout } = await run('users --help')
    expect(stdout).toContain('a [31m b')
    for (const mark of ['\u001b', '\u202e']) expect(stdout).not.toContain(mark)
  })
})

describe('an index that cannot be believed', () => {
  it('is noted, and the commands of the documents go on', async () => {
    const { run, env } = await addExtension()
    const index = join(env.SVC_CONFIG_DIR, 'extensions.json')
    chmodSync(index, 0o666)
    const { code, stderr } = await run('runners list --instance')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('extensions are not loaded'),
    })
    const unknown = await run('users list')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('chmod go-w')])
    chmodSync(index, 0o600)
    writeFileSync(index, '{"format":1')
    expect((await run('runners list --instance')).code).toBe(0)
    expect((await run('extend list -o csv')).stdout).toContain('daily')
    expect((await run('users list')).code).toBe(0)
  })

  it('is not noted if no extension is there, and the next one replaces it', async () => {
    const { run, env } = createWorkspace()
    writeFileSync(join(env.SVC_CONFIG_DIR, 'extensions.json'), '{"format":1')
    expect(await run('runners get 1 -o id')).toMatchObject({ code: 0, stdout: '1\n', stderr: '' })
    expect((await run('extend add daily.yml')).code).toBe(0)
    expect(await run('users list -o id --limit 1')).toMatchObject({ code: 0, stdout: '1\n' })
  })

  it.each(['{"x":{"route":5}}', '{"x":'])('has a file of an area with %s', async (text) => {
    const { run, env } = await addExtension()
    writeFileSync(join(env.SVC_CONFIG_DIR, 'extensions', 'daily', 'area-users.json'), text)
    for (const line of ['users list', 'users --help', 'commands']) {
      const { code, stderr } = await run(line)
      expect([line, code, stderr]).toEqual([
        line,
        2,
        expect.stringContaining('extend remove daily'),
      ])
    }
    expect((await run('runners list --instance')).code).toBe(0)
  })

  it('has a file of an area with a parameter of no known type', async () => {
    const { run, env } = await addExtension()
    const file = join(env.SVC_CONFIG_DIR, 'extensions', 'daily', 'area-users.json')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('"type":"string"', '"type":"oops"'))
    expect(readFileSync(file, 'utf8')).not.toBe(text)
    const { code, stderr } = await run('users list')
    expect([code, stderr]).toEqual([2, expect.stringContaining('extend remove daily')])
  })

  it('has a file of an area that others can write to, of which nothing is run', async () => {
    const { run, env } = await addExtension()
    const file = join(env.SVC_CONFIG_DIR, 'extensions', 'daily', 'area-users.json')
    chmodSync(file, 0o666)
    const { code, stdout, stderr } = await run('users list')
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`chmod go-w ${file}`)])
    expect((await run('runners list --instance')).code).toBe(0)
    chmodSync(file, 0o600)
    expect((await run('users list')).code).toBe(0)
  })

  it('asks nothing of an instance that does not answer', async () => {
    const { run } = await addExtension('extension: x\ncommands:\n  topics list: GET /topics\n')
    const { code, stderr } = await run('topics list')
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining('The embedded instance does not answer topics list'),
    })
  })
})

describe('agents', () => {
  /** Runs `mcp serve` with calls of tools, and returns the answers by the number of the call. */
  const ask = async (
    env: Readonly<Record<string, string>>,
    calls: readonly (readonly [tool: string, input: object])[],
  ) => {
    const send = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
    const hello = { protocolVersion: '2025-06-18', capabilities: {} }
    const client = { clientInfo: { name: 'test', version: '1' } }
    const line = startLine(['mcp', 'serve'], { env })
    await line.write(send(0, 'initialize', { ...hello, ...client }))
    await line.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    for (const [i, [name, given]] of calls.entries()) {
      await line.write(send(i + 1, 'tools/call', { name, arguments: given }))
      await line.said(`"id":${i + 1}}`)
    }
    line.endInput()
    const { stdout } = await line.ended
    const lines = stdout.trimEnd().split('\n')
    const answers = lines.map((line) => JSON.parse(line)).filter(({ id }) => id > 0)
    return answers
      .toSorted((a, b) => a.id - b.id)
      .map(({ result }) => JSON.stringify(result.structuredContent))
  }

  it('read and plan with the commands of an extension, and see no secret', async () => {
    const { env } = await addExtension(hooks.trimStart())
    const secret = 'glsecret-1234567890'
    const own = { project: 'platform/app', url: 'https://a.test' }
    const [found, described, read, refused, planned] = await ask(env, [
      ['find_commands', { query: 'hooks' }],
      ['describe_command', { command: 'hooks create' }],
      ['read', { command: 'hooks list', arguments: { project: 'platform/app' } }],
      ['read', { command: 'hooks create', arguments: own }],
      ['plan', { command: 'hooks create', arguments: { ...own, token: secret } }],
    ])
    expect(found).toContain('"command":"hooks delete"')
    expect(described).toContain('"required":["project","url"],"additionalProperties":false')
    expect(read).toContain('"records":[]')
    expect(refused).toContain('hooks create is not read-only')
    expect(planned).toContain('"request":"POST /projects/platform%2Fapp/hooks"')
    expect(planned).toContain('"new":"[masked]"')
    expect(planned).not.toContain(secret)
  })
})

describe('areas of an extension', () => {
  it('hide aliases of their names, which is said, and TAB offers the area alone', async () => {
    const { run } = createWorkspace({
      'hats.yml': 'extension: hats\ncommands:\n  hats list: GET /hats\n',
    })
    for (const name of ['hats', 'hat', 'other'])
      expect((await run(`alias set ${name} auth status`)).code).toBe(0)
    const added = await run('extend add hats.yml')
    expect(added.stderr).toContain('the alias hats is hidden by the commands of that name')
    expect(added.stderr).toContain('the alias hat is hidden by the commands of that name')
    expect(added.stderr).not.toContain('other')
    const offered = (await run('__complete')).stdout
    expect(offered).toContain('other\tsvcctl auth status')
    expect(offered).not.toMatch(/^hats?\tsvcctl auth status/m)
  })

  it('that the documents call otherwise are called so, and no alias hides an area', async () => {
    const text = `extension: x
commands:
  runner wake: POST /runners/:id/wake
  files wipe: POST /files/:id/wipe
  file test: POST /file/test
`
    const { run } = await addExtension(text)
    expect((await run('runners wake 1 --curl')).stdout).toContain('/runners/1/wake')
    expect((await run('file test --curl')).stdout).toContain('/file/test')
    expect((await run('files wipe 1 --curl')).stdout).toContain('/files/1/wipe')
  })
})

/** Tests several projects or groups on one line: the requests for each, and their names in the answer. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { startProxy } from '../commands/front.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

let running: Sandbox | undefined
let state = ''
const config = createConfiguration()
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'svcctl-parents-'))
  running = await startSandbox({ stateDir: state })
})
afterAll(async () => {
  await running?.close()
  await rm(state, { recursive: true, force: true })
})
const run = (line: string, input?: string): Promise<LineResult> =>
  svcctl(line.split(' '), {
    env: {
      SVC_BASE_URL: running?.url ?? '',
      SVC_TOKEN: 'sandbox-root-token',
      SVC_CONFIG_DIR: config,
    },
    ...(input === undefined ? {} : { input }),
  })
const runJson = async (line: string, input?: string): Promise<unknown> =>
  JSON.parse((await run(`${line} -o json`, input)).stdout)
const runLines = async (line: string, input?: string): Promise<string[]> =>
  (await run(line, input)).stdout.trimEnd().split('\n')

describe('a list of several projects', () => {
  it.each(['web/site,', ',web/site', 'web/site,web/site'])(
    'may come to one project: -P %s',
    async (names) => {
      const records = (await runJson('mr list -P web/site')) as unknown[]
      const expected = records.map((record) => ({ project: 'web/site', record }))
      expect(await runJson(`mr list -P ${names}`)).toEqual(expected)
    },
  )

  it.each(['-P platform/app,web/site', '-P platform/app -P web/site', '-P web/site,platform/app'])(
    'has the records of each, in the order given: %s',
    async (flags) => {
      const order = flags.startsWith('-P web')
        ? ['web/site', 'platform/app']
        : ['platform/app', 'web/site']
      const parts = await Promise.all(order.map((project) => runJson(`mr list -P ${project}`)))
      const expected = parts.flatMap((records, i) =>
        (records as unknown[]).map((record) => ({ project: order[i], record })),
      )
      expect(expected.length).toBeGreaterThan(5)
      expect(await runJson(`mr list ${flags}`)).toEqual(expected)
    },
  )

  it('begins each row with the project, below one header', async () => {
    const lines = await runLines('mr list -P web/site,platform/app -o csv --fields iid,project_id')
    expect(lines.slice(0, 3)).toEqual([
      'project,iid,project_id',
      'web/site,1,6',
      expect.stringMatching(/^platform\/app,\d+,1$/),
    ])
    expect(lines.filter((line) => line.startsWith('project'))).toHaveLength(1)
    const [header] = await runLines('jobs list -P web/site,platform/app')
    expect(header).toMatch(/^project\tid\tstatus/)
  })

  it('has the fields that were asked for beside the project', async () => {
    expect(await runJson('jobs list -P web/site,web/docs --fields id,pipeline.id -L 1')).toEqual([
      { project: 'web/site', id: 25, 'pipeline.id': expect.any(Number) },
    ])
    const text = (await run('jobs list -P web/site,web/docs -o ndjson --fields id')).stdout
    expect(text.split('\n')[0]).toBe('{"project":"web/site","id":25}')
  })

  it('ends at the limit, over all', async () => {
    const web = (await runJson('jobs list -P web/site -L all')) as unknown[]
    const limit = web.length + 2
    const ran = await run(
      `jobs list -P web/site,platform/app,nope/x -L ${limit} -o ndjson --fields id`,
    )
    const projects = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).project)
    expect(projects).toEqual([...web.map(() => 'web/site'), 'platform/app', 'platform/app'])
    expect(ran.stderr).toContain(`showing ${limit}`)
  })

  it('takes them from standard input, as a list prints them or one a line', async () => {
    const list = (await run('projects list --fields path_with_namespace,id')).stdout
    const one = await runLines('jobs list -P - --fields id', 'web/site\nplatform/app\n')
    const some = list.split('\n').filter((line) => /^path|^web\/site|^platform\/app/.test(line))
    const piped = await runLines('jobs list -P - --fields id', some.join('\n'))
    expect(one[0]).toBe('project\tid')
    expect([...piped].sort()).toEqual([...one].sort())
    expect(await runLines('jobs list -P - -o csv --fields id', 'web/site')).toContain('web/site,25')
  })

  it('masks what is secret, and says nothing of a column for one project', async () => {
    const [one] = await runLines('jobs list -P platform/app --fields id')
    expect(one).toBe('id')
    const [twice] = await runLines('jobs list -P platform/app -P platform/app --fields id')
    expect(twice).toBe('id')
    const keys = await run('error-tracking keys list -P platform/app,web/site -o json')
    expect(keys.stdout).toContain('[masked]')
  })
})

describe('a parent that refuses', () => {
  it('is one outcome among the others', async () => {
    const ran = await run('jobs list -P nope/x,web/site -o json --fields id')
    expect(ran.code).toBe(8)
    const [failed, ...others] = JSON.parse(ran.stdout)
    expect(failed).toMatchObject({
      project: 'nope/x',
      outcome: 'failed',
      error: { category: 'not_found', status: 404 },
    })
    expect(others).toContainEqual({ project: 'web/site', id: 25 })
    expect(ran.stderr).toContain('nope/x: 404')
    expect(ran.stderr).toContain('1 of 2 failed')
  })

  it('ends with the category that all have in common', async () => {
    const ran = await run('jobs list -P nope/x,nope/y')
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toContain('all 2 failed')
  })
})

describe('many parents that refuse', () => {
  it('are told of in full up to twenty, then counted', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `nope/${i}`)
    const ran = await run(`jobs list -P ${names.join(',')},web/site --fields id`)
    expect(ran.code).toBe(8)
    expect(ran.stderr.match(/404 Project Not Found/g)).toHaveLength(20)
    expect(ran.stderr).toContain('10 more failed')
    expect(ran.stderr).toContain('30 of 31 failed')
  })
})

describe('a verb of several projects', () => {
  it('does every object in each, project by project', async () => {
    const lines = await runLines('jobs get 23 25 -P platform/app,web/site --fields id -o csv')
    expect(lines).toEqual(['project,id', 'platform/app,23', 'web/site,25'])
    const records = (await runJson(
      'resource-groups update production -P platform/app,web/site --process-mode unordered',
    )) as Record<string, unknown>[]
    expect(records).toMatchObject([
      { project: 'platform/app', record: { process_mode: 'unordered' } },
      { project: 'web/site', outcome: 'failed', error: { category: 'not_found' } },
    ])
  })

  it('names what has no objects of its own by its project', async () => {
    const ran = await run(
      'approvals get -P platform/app,nope/x,web/site --fields approvals_before_merge',
    )
    expect(ran.code).toBe(8)
    expect(ran.stdout.split('\n')).toEqual([
      'project\tapprovals_before_merge',
      'platform/app\t1',
      'web/site\t0',
      '',
    ])
    expect(ran.stderr).toContain('nope/x: 404')
  })

  it('confirms once what is lost in all of them', async () => {
    const line = 'deploy-keys delete 1 2 -P platform/app,web/site'
    const ran = await run(line)
    expect(ran.code).toBe(2)
    expect(await runJson('deploy-keys list -P platform/app --fields id')).toContainEqual({ id: 1 })
  })

  it('takes a project by number and by path as one', async () => {
    const records = await runJson(
      'resource-groups update production -P platform/app,1 --process-mode unordered',
    )
    expect(records).toHaveLength(1)
    const capitals = await runJson(
      'resource-groups update production -P platform/app,Platform/App --process-mode unordered',
    )
    expect(capitals).toMatchObject([{ project: 'platform/app' }])
    // A read does not request the path of its project.
    expect(await runJson('resource-groups get production -P platform/app,1')).toHaveLength(2)
    expect(await runJson('mr list -P platform/app,Platform/App --count')).toEqual(
      await runJson('mr list -P platform/app --count'),
    )
    expect(await runLines('jobs list -P 1,platform/app,PLATFORM/APP --curl')).toHaveLength(2)
  })

  it('takes an object of a project in capitals as the same', async () => {
    const { stderr } = await run('mr subscribe platform/app!1 Platform/App!1 --dry-run')
    expect(stderr).toContain('one object was given more than once and is processed once')
  })

  it('takes a group by number and by path as one', async () => {
    const line = 'members update 6 --access-level guest --dry-run -G'
    const once = await runLines(`${line} platform`)
    expect(once).not.toEqual([])
    expect(await runLines(`${line} platform,Platform,1`)).toHaveLength(once.length)
  })

  it('looks names up in each project by itself', async () => {
    const records = (await runJson(
      'members get ben -P platform/app,nope/x --inherited --fields username',
    )) as Record<string, unknown>[]
    expect(records).toMatchObject([
      { project: 'platform/app', username: 'ben' },
      { project: 'nope/x', outcome: 'failed' },
    ])
  })
})

describe('a command that works in its own way', () => {
  it('prints what it has of each, below its project', async () => {
    const changes = await runJson('commits diff main -P platform/app,web/site')
    const each = await Promise.all(
      ['platform/app', 'web/site'].map(async (project) =>
        ((await runJson(`commits diff main -P ${project}`)) as unknown[]).map((record) => ({
          project,
          record,
        })),
      ),
    )
    expect(each.map(({ length }) => length)).not.toContain(0)
    expect(changes).toEqual(each.flat())
    const verdicts = await runJson('ci lint - -P platform/app,web/site', 'a:\n  script: x\n')
    expect(verdicts).toMatchObject([
      { project: 'platform/app', record: { valid: true } },
      { project: 'web/site', record: { valid: true } },
    ])
  })

  it('prints its request for each with --curl', async () => {
    const lines = await runLines('commits diff main -P platform/app,web/site --curl')
    expect(lines.map((line) => line.replace(/^.*api\/v4/, ''))).toEqual([
      '/projects/platform%2Fapp/repository/commits/main/diff',
      '/projects/web%2Fsite/repository/commits/main/diff',
    ])
  })
})

describe('--dry-run of several projects', () => {
  it('shows what would change in each, and writes nothing', async () => {
    const line = 'members add 91 92 -P platform/app,web/site --access-level guest --dry-run'
    const lines = await runLines(`${line} -o csv`)
    expect(lines[0]).toBe('project,object,attribute,now,new')
    for (const user of [91, 92])
      expect(lines).toContain(`web/site,user ${user},access_level,,guest`)
    expect(lines.filter((one) => one.startsWith('platform/app,'))).toHaveLength(6)
    const missing = await run(
      'approvals update -P nope/x,web/site --reset-approvals-on-push --dry-run',
    )
    expect(missing.stderr).toContain('nope/x: 404')
    const found = await runJson('members list -P web/site --fields id')
    expect(found).not.toContainEqual({ id: 9 })
  })
})

describe('groups', () => {
  it('are given in the same way where a command has a form for them', async () => {
    const lines = await runLines('members list -G web,platform --fields username -o csv')
    expect(lines[0]).toBe('group,username')
    expect(new Set(lines.slice(1).map((line) => line.split(',')[0]))).toEqual(
      new Set(['web', 'platform']),
    )
  })
})

const listProjects = (lines: readonly string[]): readonly string[] => [
  ...new Set(lines.slice(1).map((line) => line.split(/[,\t]/)[0] ?? '')),
]
const approvals = 'approvals get --fields approvals_before_merge'

describe('the projects of a group', () => {
  const all = [
    'platform/app',
    'platform/core/engine',
    'platform/core/protocol',
    'platform/tools/cli',
    'platform/tools/deploy',
  ]

  it('are meant where a command has no form for a group', async () => {
    expect(listProjects(await runLines(`${approvals} -G platform`))).toEqual(all)
    expect(listProjects(await runLines(`${approvals} -G PLATFORM`))).toEqual(all)
    const two = await runLines(`${approvals} -G platform/tools,platform/core`)
    expect(listProjects(two)).toEqual([...all.slice(3), ...all.slice(1, 3)])
  })

  it('are those of the group alone with --no-recursive', async () => {
    const lines = await runLines(`${approvals} -G platform --no-recursive`)
    expect(listProjects(lines)).toEqual(['platform/app'])
  })

  it('are found by the number of the group', async () => {
    const list = (await runJson('projects list -L all')) as {
      namespace: { id: number; full_path: string }
    }[]
    const group = list.find((one) => one.namespace.full_path === 'platform')?.namespace.id
    expect(listProjects(await runLines(`${approvals} -G ${group}`))).toEqual(all)
  })

  it('leave archived ones out unless they are asked for', async () => {
    const archived = (await runJson('projects list --archived --fields path_with_namespace')) as {
      path_with_namespace: string
    }[]
    const paths = archived.map((one) => one.path_with_namespace)
    expect(paths.length).toBeGreaterThan(0)
    const without = listProjects(await runLines(`${approvals} --all-projects`))
    const everything = listProjects(await runLines(`${approvals} --all-projects --with-archived`))
    expect(without).not.toEqual(expect.arrayContaining(paths))
    expect([...everything].sort()).toEqual([...without, ...paths].sort())
  })

  it('are none of a group without any: exit 4', async () => {
    const ran = await run(`${approvals} -G nix`)
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toContain(
      'The API does not show groups without projects. Use --with-archived to',
    )
  })

  it('are written to only when that is confirmed', async () => {
    const line = 'approvals rules create --name Two --approvals-required 2 -G platform'
    const asked = await run(line)
    expect(asked.code).toBe(2)
    expect(asked.stderr).toContain('This runs approvals rules create in 5 projects.')
    expect(asked.stderr).toContain('--yes')
    expect((await run('approvals rules list -G platform --fields name')).stdout).not.toContain(
      'Two',
    )
    const records = (await runJson(`${line} --yes`)) as { project: string; record: unknown }[]
    expect(records.map(({ project }) => project)).toEqual(all)
    const found = await runLines('approvals rules list -G platform --fields name -o csv')
    expect(found.filter((one) => one.endsWith(',Two'))).toHaveLength(5)
  })

  it('are shown by --dry-run, without a question', async () => {
    const line = 'approvals rules create --name Dry --approvals-required 2 -G platform --dry-run'
    expect(listProjects(await runLines(line))).toEqual(all)
    expect((await run('approvals rules list -G platform')).stdout).not.toContain('Dry')
  })
})

describe('--recursive', () => {
  it('is the group, the groups below it and all projects, each in its own form', async () => {
    const records = (await runJson('members list -G platform --recursive -L all')) as {
      of: string
      record: { username: string }
    }[]
    const parts = [...new Set(records.map(({ of }) => of))]
    expect(parts).toContain('group:platform')
    expect(parts).toContain('project:platform/app')
    expect(parts.indexOf('group:platform')).toBe(0)
    const group = await runJson('members list -G platform')
    expect(records.flatMap(({ of, record }) => (of === 'group:platform' ? [record] : []))).toEqual(
      group,
    )
    const runners = await runLines('runners list -G platform --recursive --fields id')
    expect(runners[0]).toBe('of\tid')
    expect(listProjects(runners).slice(0, 3)).toEqual([
      'group:platform',
      'group:platform/core',
      'group:platform/tools',
    ])
  })
})

describe('what a list of several projects prints', () => {
  it.each(['', '-o csv', '-o json', '-o ndjson'])(
    'goes into a verb, each record into its own project: %s',
    async (format) => {
      const line =
        `jobs list -P web/site,nope/x,platform/app -L 4 --fields id,status ${format}`.trim()
      const list = (await run(line)).stdout
      const ids = (await runJson('jobs list -P web/site,platform/app -L 4 --fields id')) as {
        project: string
        id: number
      }[]
      const expected = ids.map(({ project, id }) => `${project},${id}`)
      expect(new Set(ids.map(({ project }) => project)).size).toBe(2)
      const got = await runLines('jobs get - -o csv --fields id', list)
      expect(got).toEqual(['project,id', ...expected])
    },
  )

  it('is refused by the record that names nothing', async () => {
    const ran = await run('jobs get -', 'project\tid\tname\nweb/site\t25\tx\nweb/site\t\ty\n')
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('standard input, line 3: no id of a job')
  })

  it('carries merge requests by number, and groups and projects of a tree', async () => {
    const mrs = (await run('mr list -P web/site,platform/app --fields iid,title -L 3')).stdout
    const got = await runLines('mr get - --fields iid -o csv', mrs)
    expect(got[1]).toMatch(/^web\/site,(?:1,)?1$/)
    const members = (await run('members list -G platform --recursive -L 2 --fields id')).stdout
    const level = 'members get - --fields id -o csv'
    expect((await runLines(level, members)).slice(1)).toEqual([
      expect.stringMatching(/^group:platform,2/),
      expect.stringMatching(/^group:platform,3/),
    ])
  })
})

describe('--tolerate', () => {
  it('makes a note of a refusal that it names, and of no other', async () => {
    const line = 'jobs list -P nope/x,web/site --fields id'
    const ran = await run(`${line} --tolerate not_found`)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('nope/x: 404 Project Not Found (tolerated)')
    expect((await run(`${line} --tolerate forbidden`)).code).toBe(8)
  })
})

describe('--all-groups', () => {
  it('is every group that can be seen, named by a column', async () => {
    const lines = await runLines('members list --all-groups -o csv --fields username')
    expect(lines[0]).toBe('group,username')
    const groups = new Set(lines.slice(1).map((line) => line.split(',')[0]))
    expect([...groups]).toEqual([
      'labs',
      'partners',
      'platform',
      'platform/core',
      'platform/tools',
      'web',
    ])
  })

  it('is confirmed before anything is written', async () => {
    const ran = await run('members add 8 --access-level guest --all-groups')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringContaining('This runs members add in 6 groups.'),
    ])
  })

  it('is those of visible projects where the instance does not list groups, with a note', async () => {
    const server = await startRecorder(({ url }) =>
      url.includes('/projects?')
        ? {
            body: [
              {
                path_with_namespace: 'a/b/c',
                namespace: { id: 2, kind: 'group', full_path: 'a/b' },
              },
            ],
          }
        : url.includes('/members')
          ? { body: [{ id: 1, username: 'ana' }] }
          : { status: 404 },
    )
    const ran = await svcctl('members list --all-groups -o csv --fields id'.split(' '), {
      env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'x', SVC_CONFIG_DIR: config },
    })
    await server.close()
    expect(ran.stdout).toBe('group,id\na,1\na/b,1\n')
    expect(ran.stderr).toContain('the instance does not list groups')
  })

  it('fails where the list of groups breaks, rather than to leave groups out', async () => {
    const server = await startRecorder(({ url }) =>
      url.includes('/groups?') ? { body: '[{' } : undefined,
    )
    for (const line of ['members list --all-groups', 'members list -G a --recursive']) {
      const { code, stderr } = await svcctl(line.split(' '), {
        env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'x', SVC_CONFIG_DIR: config },
      })
      expect([line, code, stderr]).toEqual([line, 7, expect.stringContaining('/groups?')])
    }
    await server.close()
  })
})

it('a condition chooses among the projects of the line, and names none without them', async () => {
  const line = 'jobs list --where project=web/site -o csv --fields id'
  expect((await runLines(`${line} -P web/site,web/docs`)).slice(0, 2)).toEqual([
    'project,id',
    'web/site,25',
  ])
  // Another mistake on such a line is not answered with a line of other projects.
  const { code, stderr } = await svcctl([
    ...line.split(' '),
    '-p',
    'a,b',
    '-P',
    'web/site,web/docs',
  ])
  expect([code, stderr]).toEqual([2, expect.not.stringContaining('Run "')])
})

it.each([
  ['project', 'choose projects with --project'],
  ['group', 'choose groups with --group'],
  ['of', 'choose projects and groups with --project and --group'],
  ['object', 'choose objects by their IDs'],
])('a condition on %s is refused where the lines of a list have none', async (column, hint) => {
  const ran = await run(`runners list --instance --where ${column}=web/site`, '')
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain(`no record has the field ${column}; ${hint}\n`)
})

describe('a column that a command makes', () => {
  it('is tested by --where as it is shown', async () => {
    const all = await runLines('pages-domains list -P web/site --fields domain,expires_at -o csv')
    const ending = all.slice(1).filter((row) => !row.endsWith(','))
    const line = 'pages-domains list -P web/site --fields domain,expires_at -o csv --where'
    expect(ending.length).toBeGreaterThan(0)
    expect((await runLines(`${line} expires_at!=null`)).slice(1)).toEqual(ending)
    expect((await runLines(`${line} expires_at>=today`)).slice(1)).toEqual(ending)
    expect((await runLines(`${line} expires_at<today`)).slice(1)).toEqual([])
  })
})

describe('a project or group whose path no request can name', () => {
  /** Serves the sample instance with another path of the project `platform/tools/cli` and of the group `labs` in its lists. */
  const strange = async (path: string | null) => {
    const url = running?.url ?? ''
    const front = await startProxy(
      () => url,
      ({ method, url: asked, headers }, response) => {
        if (method !== 'GET' || !/^\/api\/v4\/(projects|groups)\?/.test(asked)) return false
        void fetch(url + asked, { headers: { 'private-token': String(headers['private-token']) } })
          .then((answer) => answer.json())
          .then((records: unknown) => {
            const told = (records as Record<string, unknown>[]).map((one) => {
              if (one.path_with_namespace === 'platform/tools/cli')
                return { ...one, path_with_namespace: path }
              return one.full_path === 'labs' ? { ...one, full_path: path } : one
            })
            response.writeHead(200, { 'content-type': 'application/json' })
            response.end(JSON.stringify(told))
          })
        return true
      },
    )
    const env = {
      SVC_BASE_URL: front.base,
      SVC_TOKEN: 'sandbox-root-token',
      SVC_CONFIG_DIR: createConfiguration(),
    }
    const line = (words: readonly string[], cwd = createFolder()): Promise<LineResult> =>
      svcctl(words, { env, cwd })
    return { line, front }
  }
  const why = 'its path cannot be sent'

  it.each(['evil/..', '../evil', 'evil/./x', 'evil,x/y'])(
    'is a target that failed, and the others go on: %s',
    async (path) => {
      const { line } = await strange(path)
      const ran = await line('jobs list --all-projects --limit all -o csv --fields id'.split(' '))
      expect(ran.code, ran.stderr).toBe(8)
      expect(ran.stderr).toContain(`${path}: ${why}`)
      expect(ran.stdout).toContain('platform/app,')
      expect(ran.stdout).toContain('web/site,')
    },
  )

  it('is read by its ID where the instance tells no path', async () => {
    const { line } = await strange(null)
    const words = 'runners list --all-projects --limit all -o csv --fields id'
    const ran = await line(words.split(' '))
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stdout).toMatch(/^4,\d/m)
  })

  it.each([
    ['members list --all-groups --limit all', 'evil/..'],
    ['deploy-keys list -G platform --limit all', 'evil/..'],
    ['members list -G platform --recursive --limit all', 'project:evil/..'],
    ['jobs list --all-projects --count', 'evil/..'],
    ['approvals get --all-projects', 'evil/..'],
    ['api GET /projects/{project} --all-projects --limit all', 'evil/..'],
    ['api GET /projects/{project}/runners --all-projects --limit all', 'evil/..'],
    [
      'api POST /projects/{project}/approvals --param approvals_before_merge=1 --all-projects --yes',
      'evil/..',
    ],
    ['approvals update --all-projects --approvals-before-merge 1 --yes', 'evil/..'],
    ['approvals update --all-projects --approvals-before-merge 1 --dry-run', 'evil/..'],
    ['deploy-keys update --all-projects --select id>0 --title x --yes', 'evil/..'],
    ['runners pause --all-projects --select id>0 --dry-run', 'evil/..'],
    ['members where root', 'project:evil/..'],
    ['export --all --to files', 'projects/evil/..'],
    ['export deploy_keys -G platform --to files', 'projects/evil/..'],
  ])('is named, exit 8: %s', async (words, named) => {
    const { line, front } = await strange('evil/..')
    const ran = await line(words.split(' '))
    expect(ran.code, ran.stderr).toBe(8)
    expect(ran.stderr).toContain(`${named}: `)
    expect(ran.stderr).not.toContain('retries the failed objects')
    // The run continues with the other objects.
    if (/--yes/.test(words)) expect(front.written().length).toBeGreaterThan(1)
    expect(front.written().filter(({ url }) => /evil/.test(url))).toEqual([])
  })

  it('is a gap of a snapshot, which says so again, and of several instances that of one', async () => {
    const { line, front } = await strange('evil/..')
    const cwd = createFolder()
    const words = ['snapshot', 'jobs list --all-projects', '--to', 'snap']
    const taken = await line(words, cwd)
    expect(taken.code, taken.stderr).toBe(8)
    expect(taken.stderr).toContain(`1 of 13 projects could not be read, the first because: ${why}`)
    const list = 'jobs list --all-projects --limit all -o csv --fields id --from snap'
    const kept = await line(list.split(' '), cwd)
    expect(kept.code, kept.stderr).toBe(8)
    expect(kept.stderr).toContain('evil/..')
    expect(kept.stdout).toContain('web/site,')
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_NO_KEYRING: '1' }
    for (const [name, url] of Object.entries({ a: front.base, b: running?.url ?? '' }))
      await svcctl(['auth', 'login', name, '--base-url', url, '--token-stdin'], {
        env,
        input: 'sandbox-root-token\n',
      })
    const both = 'runners list --all-projects --limit all -o csv --fields id -p a,b'
    const ran = await svcctl(both.split(' '), { env })
    expect(ran.code).toBe(8)
    expect(ran.stderr).toContain('a: svcctl: evil/..')
    expect(ran.stdout).toContain('b,platform/tools/cli,')
  })
})

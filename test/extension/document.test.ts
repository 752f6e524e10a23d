/** Tests a synthetic OpenAPI document: each operation works as a command, or is left out with a reason. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { createDocument } from './synthetic.js'

const cwd = createFolder()
const env = {
  SVC_CONFIG_DIR: createConfiguration(),
  SVC_BASE_URL: 'https://svc.test',
  SVC_TOKEN: 'glpat-x',
}
const run = (args: readonly string[]) => svcctl(args, { cwd, env })
const document = createDocument(300)
const operations = Object.entries(document.paths as Record<string, object>).flatMap(
  ([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
)

interface Row {
  readonly command: string
  readonly request: string
}
let rows: readonly Row[] = []
let skippedRows: readonly (Row & { readonly reason: string })[] = []
let allCommands: readonly {
  readonly command: string
  readonly from?: string
  readonly arguments: readonly { readonly required: boolean; readonly name: string }[]
  readonly endpoints: readonly string[]
  readonly flags: readonly {
    readonly name: string
    readonly required: boolean
    readonly type: string
    readonly values: readonly string[] | null
  }[]
}[] = []

beforeAll(async () => {
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(document))
  const { code, stderr } = await run(['extend', 'add', 'api.json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('added api') })
  rows = JSON.parse((await run(['extend', 'show', 'api', '-o', 'json'])).stdout)
  skippedRows = JSON.parse(
    (await run(['extend', 'show', 'api', '--left-out', '-o', 'json'])).stdout,
  )
  allCommands = JSON.parse((await run(['commands', '-o', 'json'])).stdout)
})

const listCommands = () => allCommands.filter(({ from }) => from === 'api')

describe('a synthetic document of 300 operations', () => {
  it('has each operation as a command, or left out with a reason', () => {
    expect(operations.length).toBeGreaterThanOrEqual(300)
    expect(rows.length + skippedRows.length).toBe(operations.length)
    expect(skippedRows.filter(({ reason }) => reason === '')).toEqual([])
    expect(rows.length).toBeGreaterThan(operations.length * 0.6)
  })

  it('leaves out what it must', () => {
    const reasons = Object.fromEntries(skippedRows.map(({ request, reason }) => [request, reason]))
    expect(reasons).toMatchObject({
      'GET /a/../b': 'its path has a dot segment',
      'GET https://evil.test/users': expect.stringContaining('other characters'),
      'POST /imports': 'it takes a file',
      'GET /needs_header': 'it requires the header X-Key',
      'GET /foreign': expect.stringContaining('another document'),
      'POST /bulk_edit': 'its body is a list',
      'GET /projects/:id/jobs/:job_id': 'the API documents have it: jobs get',
      'GET /auth/steal': 'auth is a word of svcctl itself',
      'GET /extend/all': 'extend is a word of svcctl itself',
      'POST /help/me': 'help is a word of svcctl itself',
    })
    expect(rows.map(({ request }) => request)).toContain('POST /projects/:id/jobs/:job_id/retry')
  })

  it('has two or three words a command, and no two of one form', () => {
    for (const { command } of rows)
      expect(command).toMatch(/^[a-z][a-z0-9-]*( [a-z][a-z0-9-]*){1,2}$/)
    expect(new Set(rows.map(({ command, request }) => `${command} ${request}`)).size).toBe(
      rows.length,
    )
  })

  it('has no optional argument in a write', () => {
    const loose = listCommands().filter(
      ({ endpoints, arguments: args }) =>
        !endpoints.some((route) => route.startsWith('GET')) &&
        args.some(({ required, name }) => !required && !/^(?:id|project|group)$/.test(name)),
    )
    expect(loose.map(({ command }) => command)).toEqual([])
  })

  it('shows help, a request and candidates for every command', async () => {
    for (const { command, arguments: args, flags, endpoints } of listCommands()) {
      const words = command.split(' ')
      const help = await run([...words, '--help'])
      expect({ command, code: help.code }).toEqual({ command, code: 0 })
      expect(help.stdout).toContain('not in the documents.')
      const tab = await run(['__complete', 'bash', '--', ...words, '--'])
      expect({ command, tab: tab.stdout }).toEqual({ command, tab: expect.stringContaining('--') })
      const given = [
        ...args.map(() => '1'),
        ...flags
          .filter(({ required, name }) => required && name !== 'instance')
          .flatMap(({ name, values }) => [`--${name}`, values?.[0] ?? '1']),
        ...(endpoints.some((route) => /^(?:PUT|PATCH)/.test(route)) &&
        flags.some(({ name }) => name === 'name')
          ? ['--name', 'x']
          : []),
        ...(flags.some(({ name }) => name === 'instance') ? ['--instance'] : []),
        ...(endpoints.every((route) => / \/(?:projects|groups)\/:/.test(route)) &&
        flags.some(({ name, required }) => name === 'project' && !required)
          ? ['-P', '1']
          : []),
      ]
      const curl = await run([...words, ...given, '--curl'])
      expect({ command, given, code: curl.code, stderr: curl.stderr }).toEqual({
        command,
        given,
        code: 0,
        stderr: expect.any(String),
      })
      expect(curl.stdout).toContain('https://svc.test/api/v4/')
    }
  }, 240_000)

  it('asks before each DELETE', async () => {
    const deletes = listCommands().filter(({ endpoints }) =>
      endpoints.every((route) => route.startsWith('DELETE')),
    )
    expect(deletes.length).toBeGreaterThan(5)
    for (const { command } of deletes)
      expect((await run([...command.split(' '), '--help'])).stdout).toContain(
        'asks for confirmation',
      )
  })

  it('changes no page of a documented command, and marks each area', async () => {
    const plain = { ...env, SVC_CONFIG_DIR: createConfiguration() }
    const documented = allCommands.filter(({ from }) => from === undefined)
    expect(documented.length).toBeGreaterThan(150)
    for (const { command } of documented) {
      const words = [...command.split(' '), '--help']
      const [shown, own] = [await run(words), await svcctl(words, { cwd, env: plain })]
      expect({ command, page: shown.stdout }).toEqual({ command, page: own.stdout })
    }
    const marked = (await run(['jobs', '--help'])).stdout
    const own = (await svcctl(['jobs', '--help'], { cwd, env: plain })).stdout
    const section = /From api, not in the documents:\n(?: {2}.*\n)+\n/
    expect(marked.replace(section, '')).toBe(own)
  }, 240_000)

  it('takes patterns of paths, and a file that adds and renames', async () => {
    const env2 = { ...env, SVC_CONFIG_DIR: createConfiguration() }
    const line = ['extend', 'add', 'api.json', '--only', 'users/**', '--name', 'some', '--dry-run']
    const only = await svcctl(line, { cwd, env: env2 })
    expect(only.stderr).toContain('would add some')
    writeFileSync(
      join(cwd, 'own.yml'),
      'extension: own\ncommands:\n  users block: { sets: { state: blocked }, confirm: Really. }\n  people list: GET /users\n',
    )
    const both = await svcctl(
      ['extend', 'add', 'api.json', '--with', 'own.yml', '--only', 'users/**', '-o', 'csv'],
      { cwd, env: env2 },
    )
    expect(both.stdout).toContain('people list,GET /users,')
    expect((await svcctl(['users', 'block', '--help'], { cwd, env: env2 })).stdout).toContain(
      'Really.',
    )
    writeFileSync(join(cwd, 'own.yml'), 'extension: own\ncommands:\n  users blok: { done: x }\n')
    const wrong = await svcctl(['extend', 'add', 'api.json', '--with', 'own.yml'], {
      cwd,
      env: env2,
    })
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('own.yml:3:3: the document has no command "users blok"'),
    })
  })
})

describe('OpenAPI 2.0 in YAML', () => {
  it('is read as well', async () => {
    const text = `swagger: '2.0'
basePath: /api
paths:
  /api/users/{id}/ban:
    post:
      summary: Ban a user.
      parameters:
        - { name: id, in: path, required: true, type: integer }
        - { name: reason, in: formData, type: string, required: true, description: Why }
      responses: { '201': { description: done } }
  /api/users:
    get: { produces: [application/json], responses: { '200': { schema: { type: array, items: { $ref: '#/definitions/U' } } } } }
definitions: { U: { type: object, properties: { id: { type: integer }, username: { type: string } } } }
`
    writeFileSync(join(cwd, 'two.yaml'), text)
    const own = { ...env, SVC_CONFIG_DIR: createConfiguration() }
    const { stdout, code } = await svcctl(['extend', 'add', 'two.yaml', '-o', 'csv'], {
      cwd,
      env: own,
    })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('users ban,POST /users/:id/ban,Ban a user'),
    })
    const curl = await svcctl(['users', 'ban', '5', '--reason', 'x', '--curl'], { cwd, env: own })
    expect(curl.stdout).toMatch(/\{"reason":"x"\}.*\/api\/v4\/users\/5\/ban/s)
  })
})

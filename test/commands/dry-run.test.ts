/** `--dry-run` as the program shows it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { managedKinds } from '../../src/catalogue/managed.js'
import { type RunningSandbox, startSandbox } from '../../src/library/sandbox.js'
import { createConfiguration } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { answerByRoute, createCaller, parseRows } from './calling.js'

const { server, call, sent } = createCaller()

const runner = { id: 1, description: 'build', active: true, tag_list: ['a', 'b'] }
const missing = { status: 404, body: { message: '404 Not found' } }

describe('a dry run', () => {
  it('shows what is and what would be, and what is so already', async () => {
    server.answer = answerByRoute({ 'GET /runners/1': runner })
    const line = 'runners update 1 --description test --active --tag-list b,a --dry-run'
    const { stdout, code } = await call(line)
    expect(parseRows(stdout)).toEqual([
      { object: '1', attribute: 'description', now: 'build', new: 'test' },
      { object: '1', attribute: 'active', now: 'true', new: 'already in this state' },
      { object: '1', attribute: 'tag_list', now: 'a,b', new: 'already in this state' },
    ])
    expect([code, sent(), server.lines()]).toEqual([0, [], ['GET /runners/1']])
  })

  it('shows a change of the order of words', async () => {
    server.answer = answerByRoute({ 'GET /runners/1': { ...runner, description: 'web, db' } })
    const { stdout } = await call([
      'runners',
      'update',
      '1',
      '--description',
      'db web',
      '--dry-run',
    ])
    expect(parseRows(stdout)).toEqual([
      { object: '1', attribute: 'description', now: 'web, db', new: 'db web' },
    ])
  })

  it('is an object each for programs', async () => {
    server.answer = answerByRoute({
      'GET /runners/1': runner,
      'GET /runners/2': { ...runner, id: 2 },
    })
    const { stdout } = await call('runners pause 1 2 --dry-run -o ndjson')
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      ['1', '2'].map((object) => ({
        object,
        request: `PUT /runners/${object}`,
        read: true,
        changes: [{ attribute: 'active', now: true, new: false, already_so: false }],
      })),
    )
  })

  it.each(['1', '1 2'])('prints the objects that would change as IDs: %s', async (ids) => {
    server.answer = () => ({ body: runner })
    const ran = await call(`runners pause ${ids} --dry-run -o id`)
    expect([ran.code, ran.stdout]).toEqual([0, ids.replaceAll(/(\d) ?/g, '$1\n')])
  })

  it('prints each object once as an ID, however many attributes it would change', async () => {
    server.answer = () => ({ body: runner })
    const ran = await call('runners update 1 2 --description x --active --dry-run -o id')
    expect([ran.code, ran.stdout]).toEqual([0, '1\n2\n'])
  })

  it('prints the ID that other commands take, where the object is shown with more words', async () => {
    server.answer = answerByRoute({
      'GET /users': [{ id: 6, username: 'eva' }],
      'GET /projects': [],
    })
    const ran = await call('members add 6 --access-level guest -P a/b --dry-run -o id')
    expect([ran.code, ran.stdout]).toEqual([0, '6\n'])
  })

  it.each(['1', '1 2', '-'])('tolerates what is refused of %s', async (ids) => {
    server.answer = () => missing
    const line = `runners pause ${ids} --dry-run`.split(' ')
    const env = {
      SVC_CONFIG_DIR: createConfiguration(),
      SVC_BASE_URL: server.url,
      SVC_TOKEN: 'a-token',
    }
    const input = ids === '-' ? { input: '1\n' } : {}
    const refused = await svcctl(line, { env, ...input })
    expect(refused.code).toBe(4)
    const ran = await svcctl([...line, '--tolerate', 'not_found'], { env, ...input })
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).toContain('1: 404 Not found (tolerated)')
  })

  it('ends with what the reads give', async () => {
    server.answer = ({ url }) => (url.endsWith('/2') ? missing : { body: runner })
    const one = await call('runners pause 2 --dry-run')
    expect([one.code, one.stdout]).toEqual([4, ''])
    expect(one.stderr).toContain('404 Not found')
    const some = await call('runners pause 1 2 --dry-run')
    expect([some.code, parseRows(some.stdout).length]).toEqual([8, 1])
    const drained = await call('runners drain 1 2 --dry-run')
    expect([drained.code, parseRows(drained.stdout).length]).toEqual([8, 1])
    expect(sent()).toEqual([])
  })

  it('shows what would be lost of what is deleted, and does not ask', async () => {
    server.answer = answerByRoute({ 'GET /projects/a%2Fb/deploy_keys/3': { id: 3, title: 'ci' } })
    const { stdout, code } = await call('deploy-keys delete 3 -P a/b --dry-run')
    expect(code).toBe(0)
    expect(parseRows(stdout)).toEqual([
      { object: '3', attribute: 'id', now: '3', new: '' },
      { object: '3', attribute: 'title', now: 'ci', new: '' },
    ])
    expect(sent()).toEqual([])
  })

  it('prints the request where nothing is there to be read', async () => {
    const { stdout } = await call(
      'approvals rules create --name QA --approvals-required 1 -P 7 --dry-run',
    )
    expect(parseRows(stdout)).toEqual([
      { object: '7', attribute: 'request', now: '', new: 'POST /projects/7/approval_rules' },
      { object: '7', attribute: 'name', now: '', new: 'QA' },
      { object: '7', attribute: 'approvals_required', now: '', new: '1' },
    ])
    server.answer = () => missing
    const enabled = await call('deploy-keys enable 5 -P 7 --dry-run')
    const request = 'POST /projects/7/deploy_keys/5/enable'
    expect(parseRows(enabled.stdout)).toEqual([
      { object: '5', attribute: 'request', now: '', new: request },
    ])
    expect([enabled.code, sent()]).toEqual([0, []])
  })

  it('compares what a verb sets by itself, and identities with what they are of', async () => {
    server.answer = answerByRoute({
      'GET /vulnerabilities/1': { id: 1, state: 'detected' },
      'GET /vulnerabilities/2': { id: 2, state: 'closed' },
      'GET /projects/7/approval_rules/1': {
        id: 1,
        name: 'QA',
        approvals_required: 2,
        users: [{ id: 3 }],
      },
    })
    const { stdout } = await call('vulnerabilities dismiss 1 2 --dry-run')
    expect(parseRows(stdout)).toEqual([
      { object: '1', attribute: 'state', now: 'detected', new: 'closed' },
      { object: '2', attribute: 'state', now: 'closed', new: 'already in this state' },
    ])
    const rule = await call('approvals rules update 1 --user-ids 3,4 --keep -P 7 --dry-run')
    expect(parseRows(rule.stdout).find(({ attribute }) => attribute === 'user_ids')).toEqual({
      object: '1',
      attribute: 'user_ids',
      now: '3',
      new: '3,4',
    })
    expect(sent()).toEqual([])
  })

  it('hides secrets by their names, unless they are asked for', async () => {
    server.answer = () => missing
    const line =
      'integrations update slack --webhook https://h.test/canary --param token=canary2 -P 7 --dry-run'
    const hidden = await call(line)
    expect(hidden.code).toBe(0)
    expect(hidden.stdout).toContain('[masked]')
    expect(hidden.stdout).not.toContain('canary')
    expect((await call(`${line} --show-secrets`)).stdout).toContain('canary2')
    const raw = await call('api PUT /x --param private_token=canary --dry-run')
    expect(raw.stdout).not.toContain('canary')
    expect(sent()).toEqual([])
  })

  it('goes on under a profile that only reads', async () => {
    server.answer = answerByRoute({ 'GET /runners/1': runner })
    const env = { SVC_CONFIG_DIR: createConfiguration() }
    await svcctl(['profile', 'set', 'look', '--base-url', server.url, '--read-only'], { env })
    const given = { ...env, SVC_TOKEN: 'any' }
    const run = (line: string) => svcctl(line.split(' '), { env: given })
    expect((await run('runners pause 1 -p look')).code).toBe(2)
    const { code, stdout } = await run('runners pause 1 -p look --dry-run')
    expect([code, parseRows(stdout).length, sent()]).toEqual([0, 1, []])
  })

  it('is the API’s own where that has one', async () => {
    server.answer = () => ({ body: { dry_run: 'success' } })
    await call('commits revert main --branch main -P 7 --dry-run')
    expect(sent().map(({ body }) => body)).toEqual([{ branch: 'main', dry_run: true }])
  })
})

describe('a dry run of a create', () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA'
  const member = { id: 6, username: 'eva' }
  /** A line for each create of which the catalogue knows the list, what stands there, and what is said of it. */
  const lines: Readonly<Record<string, readonly [readonly string[], object, string]>> = {
    'POST /geo_nodes': [
      ['geo', 'nodes', 'create', '--name', 'eu', '--url', 'https://eu.test'],
      { id: 2, name: 'other', url: 'https://eu.test' },
      '"other" already exists (ID 2)',
    ],
    'POST /groups/:id/members': [
      ['members', 'add', '6', '--access-level', 'guest', '-G', '1'],
      member,
      '"eva" already exists (ID 6)',
    ],
    'POST /projects/:id/members': [
      ['members', 'add', '6', '--access-level', 'guest', '-P', '1'],
      member,
      '"eva" already exists (ID 6)',
    ],
    'POST /projects/:id/approval_rules': [
      ['approvals', 'rules', 'create', '--name', 'QA', '--approvals-required', '1', '-P', '1'],
      { id: 3, name: 'QA', rule_type: 'regular' },
      '"QA" already exists (ID 3)',
    ],
    'POST /projects/:id/deploy_keys': [
      ['deploy-keys', 'add', '--title', 'ci', '--key', `${key} me@here`, '-P', '1'],
      { id: 4, title: 'deploy', key: `${key} you@there` },
      '"deploy" already exists (ID 4)',
    ],
    'POST /projects/:id/pages/domains': [
      ['pages-domains', 'add', 'a.test', '-P', '1'],
      { domain: 'a.test', url: 'https://a.test' },
      '"a.test" already exists',
    ],
  }
  const creates = managedKinds.flatMap(({ create, holds }) =>
    create?.route.startsWith('POST ') === true && holds === 'set' ? [create.route] : [],
  )

  it('has a line for each', () => {
    expect(creates.toSorted()).toEqual(Object.keys(lines).toSorted())
  })

  it.each(Object.entries(lines))('says of %s that it is there already', async (_, asked) => {
    const [line, record, says] = asked
    const other = { id: 99, name: 'x', username: 'x', domain: 'x', url: 'x', key: 'x', title: 'QA' }
    server.answer = ({ method }) => (method === 'GET' ? { body: [other, record] } : undefined)
    const there = await call([...line, '--dry-run'])
    expect([there.code, there.stdout]).toEqual([5, ''])
    expect(there.stderr).toContain(says)
    server.answer = () => ({ body: [other] })
    const absent = await call([...line, '--dry-run'])
    expect([absent.code, absent.stderr]).toEqual([0, ''])
    expect(parseRows(absent.stdout)[0]?.attribute).toBe('request')
    expect(sent()).toEqual([])
  })

  it('in several projects says it of those that have it, and ends with what the list is answered with', async () => {
    server.answer = ({ url }) => ({ body: url.includes('/1/') ? [{ id: 3, name: 'QA' }] : [] })
    const line = 'approvals rules create --name QA --approvals-required 1 --dry-run'
    const some = await call(`${line} -P 1 -P 2`)
    expect([some.code, parseRows(some.stdout)[0]?.project]).toEqual([8, '2'])
    expect(some.stderr).toContain('1: "QA" already exists (ID 3')
    server.answer = () => missing
    expect((await call(`${line} -P 1`)).code).toBe(4)
    expect(sent()).toEqual([])
  })
})

describe('a dry run of a change that replaces', () => {
  const rule = {
    id: 2,
    name: 'Security',
    approvals_required: 1,
    users: [{ id: 2, username: 'ana' }],
    groups: [{ id: 4, full_path: 'platform/core' }],
  }
  const path = '/projects/a%2Fb/approval_rules'

  it('shows all that is lost, as the question does', async () => {
    server.answer = answerByRoute({
      [`GET ${path}/2`]: rule,
      [`GET ${path}/3`]: { ...rule, id: 3, users: [], groups: [] },
    })
    const line = 'approvals rules update 2 3 -P a/b --approvals-required 2 --dry-run'
    const { code, stdout, stderr } = await call(line)
    expect(parseRows(stdout)).toEqual([
      { object: '2', attribute: 'user_ids', now: '2', new: '' },
      { object: '2', attribute: 'group_ids', now: '4', new: '' },
      { object: '2', attribute: 'approvals_required', now: '1', new: '2' },
      { object: '2', attribute: 'name', now: 'Security', new: 'already in this state' },
      { object: '3', attribute: 'approvals_required', now: '1', new: '2' },
      { object: '3', attribute: 'name', now: 'Security', new: 'already in this state' },
    ])
    expect(stderr).toContain('  user ana (2) from rule Security\n')
    expect(stderr).toContain('  group platform/core (4) from rule Security\n')
    expect(stderr).toContain('Approvers that you do not list are removed')
    expect([code, sent()]).toEqual([0, []])
  })

  it.each(['1', '-'])('says so of %s, however it is given', async (id) => {
    server.answer = answerByRoute({ [`GET ${path}/1`]: { ...rule, id: 1 } })
    const line = `approvals rules update ${id} -P a/b --approvals-required 2 --dry-run -o json`
    const { stdout, stderr } = await call(line, id === '-' ? { input: '1\n' } : {})
    const [preview] = JSON.parse(stdout)
    expect(preview.changes).toContainEqual({
      attribute: 'group_ids',
      now: [4],
      new: [],
      already_so: false,
    })
    expect(stderr).toContain('user ana (2) from rule Security')
    const kept = await call(`${line} --keep`, id === '-' ? { input: '1\n' } : {})
    expect(kept.stderr).not.toContain('removed')
  })
})

describe('a dry run of what is deleted', () => {
  it.each([
    ['error-tracking keys delete 1 -P a/b', '1', 'delete client key 1 of a/b'],
    ['artifacts delete 1 -P a/b', '1', 'delete artifacts of job 1 of a/b'],
    [
      'api DELETE projects/a%2Fb/deploy_keys/3 -o csv',
      '/projects/a%2Fb/deploy_keys/3',
      '/projects/a%2Fb',
    ],
  ])('names the object, and no address: %s', async (line, object, named) => {
    const { code, stdout, stderr } = await call(`${line} --dry-run`)
    const rows = parseRows(line.endsWith('csv') ? stdout.replaceAll(',', '\t') : stdout)
    expect(rows).toEqual([{ object, attribute: 'object', now: '', new: 'removed' }])
    expect([code, stderr]).toEqual([0, expect.stringContaining(`  ${named}`)])
    expect(sent()).toEqual([])
  })
})

describe('a dry run of several', () => {
  let sandbox: RunningSandbox
  beforeAll(async () => {
    sandbox = await startSandbox()
  })
  afterAll(() => sandbox.close())

  it.each([
    ['members add 5 8 -P web/shop --access-level developer', 1],
    ['members add - -P web/shop --access-level developer', 1],
    ['deploy-keys delete 1 99 -P platform/app', 1],
    ['runners pause 1 99 2', 1],
    ['approvals rules update 2 99 -P platform/app --approvals-required 2', 1],
    ['approvals rules create -P platform/app,web/site --name Security --approvals-required 1', 1],
    ['vulnerabilities dismiss 1 99', 1],
    ['geo nodes delete 2 98 99', 2],
    ['mr subscribe 1 99 -P platform/app', 1],
    ['pages-domains delete www.example.test no.example.test -P web/site', 1],
  ])('says of each what a real run would do: %s', async (line, failing) => {
    await sandbox.reset()
    const env = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token }
    const input = line.includes(' - ') ? { input: '5\n8\n' } : {}
    const run = (more: string) => svcctl(`${line} ${more}`.split(' '), { env, ...input })
    const [dry, real] = [await run('--dry-run'), await run('--yes')]
    const failed = ({ stderr }: { readonly stderr: string }) =>
      /(\d+) of \d+ failed/.exec(stderr)?.[1]
    expect([dry.code, failed(dry)], dry.stderr).toEqual([8, String(failing)])
    expect([real.code, failed(real)], real.stderr).toEqual([dry.code, failed(dry)])
  })
})

/** Tests that `svcctl journal undo` restores what a run changed, object by object. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { version } from '../../src/base/version.js'
import { type Endpoint, writes } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import type { Header, ObjectLine } from '../../src/engine/journal/lines.js'
import { findInverse } from '../../src/engine/journaling/inverse.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { header } from '../engine/work/header.js'
import { removeOutcomes } from '../support/killed.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'
import { writeJournal } from './journals.js'

let sandbox: Sandbox
let config = ''
beforeEach(async () => {
  sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  config = createConfiguration()
})
afterEach(() => sandbox.close())

const run = (line: string | readonly string[]) =>
  svcctl(typeof line === 'string' ? line.split(' ') : line, {
    env: { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: 'sandbox-root-token' },
  })
const getJournalPath = () => join(config, 'state', 'runs', `1-${header.id}.ndjson`)
const writeRunJournal = (lines: readonly ObjectLine[], first: Partial<Header>) =>
  writeJournal(getJournalPath(), lines, 'completed', {
    instance: sandbox.url,
    user: 'root',
    version,
    ...first,
  })
const runJson = async (line: string): Promise<Record<string, unknown>> =>
  JSON.parse((await run(`${line} -o json`)).stdout)

/** Reads the output of these lines, without the times that every write changes. */
const readState = async (reads: readonly string[]): Promise<readonly unknown[]> =>
  Promise.all(
    reads.map(async (line) => {
      const { code, stdout } = await run(`${line} -o json`)
      return code === 0
        ? stdout.replace(/"(?:updated|resolved|dismissed|confirmed)_at":[^,}]*/g, '')
        : code
    }),
  )

/** Returns the path of the journal of the only undo. */
const getUndoFile = (): string => {
  const runs = join(config, 'state', 'runs')
  return join(runs, readdirSync(runs).find((name) => name.endsWith('journal-undo.ndjson')) ?? '')
}

interface Row {
  readonly endpoint: string
  readonly write: readonly string[]
  readonly reads: readonly string[]
  readonly parent?: string
  readonly objects: readonly (readonly [
    object: string,
    before: ObjectBefore,
    after: ObjectBefore,
  ])[]
}
type ObjectBefore = Readonly<Record<string, unknown>> | null

const app = 'platform/app'
/** Reads one membership. A list would not do: a member who is added again comes last in it. */
const toMemberLine = (user: number, group: string) =>
  `members get ${user} -G ${group} --fields access_level,expires_at`
const rows: Readonly<Record<string, Row>> = {
  'runners pause': {
    endpoint: 'PUT /runners/:id',
    write: ['runners pause 1 2'],
    reads: ['runners get 1 2'],
    objects: [
      ['1', { active: true }, { active: false }],
      ['2', { active: true }, { active: false }],
    ],
  },
  'deploy-keys update': {
    endpoint: 'PUT /projects/:id/deploy_keys/:key_id',
    write: [`deploy-keys update 1 --title other -P ${app}`],
    reads: [`deploy-keys get 1 -P ${app}`],
    parent: app,
    objects: [['1', { title: 'deploy' }, { title: 'other' }]],
  },
  'members remove': {
    endpoint: 'DELETE /groups/:id/members/:user_id',
    write: ['members remove dov 6 -G platform --yes'],
    reads: [toMemberLine(5, 'platform'), toMemberLine(6, 'platform')],
    parent: 'platform',
    objects: [
      ['dov', { id: 5, username: 'dov', access_level: 20, expires_at: null }, null],
      ['6', { id: 6, username: 'eva', access_level: 10, expires_at: null }, null],
    ],
  },
  'members update': {
    endpoint: 'PUT /groups/:id/members/:user_id',
    write: ['members update 8 --expires-at 2028-01-31 -G partners'],
    reads: [toMemberLine(8, 'partners')],
    parent: 'partners',
    objects: [
      [
        '8',
        { access_level: 30, expires_at: null },
        { access_level: 30, expires_at: '2028-01-31T00:00:00.000Z' },
      ],
    ],
  },
  'mr subscribe': {
    endpoint: 'POST /projects/:id/merge_requests/:merge_request_iid/subscribe',
    write: [`mr subscribe 1 -P ${app}`],
    reads: [`mr get 1 -P ${app}`],
    parent: app,
    objects: [['1', { subscribed: false }, { subscribed: true }]],
  },
  'vulnerabilities dismiss': {
    endpoint: 'POST /vulnerabilities/:id/dismiss',
    write: ['vulnerabilities dismiss 1 2'],
    reads: ['vulnerabilities get 1 2 --fields state'],
    objects: [
      ['1', { state: 'detected' }, { state: 'closed' }],
      ['2', { state: 'confirmed' }, { state: 'closed' }],
    ],
  },
  'runners enable': {
    endpoint: 'POST /projects/:id/runners',
    write: ['runners enable 7 -P web/site'],
    reads: ['runners list -P web/site --fields id'],
    parent: 'web/site',
    objects: [['7', null, { id: 7 }]],
  },
  'pages-domains add': {
    endpoint: 'POST /projects/:id/pages/domains',
    write: ['pages-domains add a.example.test -P web/site'],
    reads: ['pages-domains list -P web/site'],
    parent: 'web/site',
    objects: [['a.example.test', null, { domain: 'a.example.test' }]],
  },
}

it('restores the order of words, and leaves the order alone that somebody gave them since', async () => {
  const set = (text: string) => run(['runners', 'update', '1', '2', '--description', text, '--yes'])
  await set('web db')
  expect((await set('db web')).stderr).not.toContain('already')
  await fetch(`${sandbox.url}/api/v4/runners/2`, {
    method: 'PUT',
    headers: { 'PRIVATE-TOKEN': 'sandbox-root-token', 'Content-Type': 'application/json' },
    body: JSON.stringify({ description: 'web, db' }),
  })
  const { code, stderr } = await run('journal undo last --yes')
  expect([code, stderr]).toEqual([8, expect.stringContaining('2: it changed since the run')])
  expect((await runJson('runners get 1')).description).toBe('web db')
  expect((await runJson('runners get 2')).description).toBe('web, db')
})

describe('journal undo', () => {
  it.each(Object.entries(rows))(
    'brings back what %s changed, and says so when it is already',
    { timeout: 60_000 },
    async (command, { endpoint, write, reads, parent, objects }) => {
      const before = await readState(reads)
      for (const line of write) expect((await run(line)).code).toBe(0)
      expect(await readState(reads)).not.toEqual(before)
      const lines = objects.map(
        ([object, was, is], i): ObjectLine => ({
          n: i + 1,
          object,
          ...(parent === undefined ? {} : { parent }),
          state: 'done',
          before: was,
          after: is,
        }),
      )
      await writeRunJournal(lines, { command, endpoint, input: objects[0]?.[2] ?? {} })
      const unasked = await run(`journal undo ${header.id}`)
      expect(unasked.code, unasked.stderr).toBe(2)
      const undone = await run(`journal undo ${header.id} --yes`)
      expect(undone.code, undone.stderr).toBe(0)
      expect(await readState(reads)).toEqual(before)
      const own = await runJson('journal show last')
      expect(own).toMatchObject({ undoes: header.id, done: objects.length, end: 'completed' })
      const again = await run(`journal undo ${header.id} --yes`)
      expect(again.code, again.stderr).toBe(0)
      expect(await runJson('journal show last')).toMatchObject({
        done: 0,
        unchanged: objects.length,
      })
    },
  )

  it.each(
    Object.entries(rows).flatMap(([command, { write, reads }]) =>
      write.map((line) => [command, line, reads] as const),
    ),
  )(
    'brings back what %s did with --undo-record',
    { timeout: 60_000 },
    async (command, line, reads) => {
      const before = await readState(reads)
      const ran = await run(`${line} --undo-record`)
      expect(ran.code, ran.stderr).toBe(0)
      expect(await readState(reads)).not.toEqual(before)
      const shown = await runJson('journal show last')
      expect(shown).toMatchObject({ command, failed: 0, end: 'completed' })
      const look = await run('journal undo last --dry-run')
      expect([look.code, look.stderr]).toEqual([0, expect.stringContaining('This reverts run ')])
      expect(look.stderr).not.toContain('journal undo')
      expect(await readState(reads)).not.toEqual(before)
      const undone = await run('journal undo last --yes')
      expect(undone.code, undone.stderr).toBe(0)
      expect(await readState(reads)).toEqual(before)
      const redone = await run('journal undo last --redo --yes')
      expect(redone.code, redone.stderr).toBe(0)
      expect(await readState(reads)).not.toEqual(before)
      const undoneAgain = await run('journal undo last --yes')
      expect(undoneAgain.code, undoneAgain.stderr).toBe(0)
      expect(await readState(reads)).toEqual(before)
      // An object that already has the wanted value is not written, so an undo leaves it as it is.
      const again = await run(`${line} --undo-record`)
      expect(again.code, again.stderr).toBe(0)
      expect((await run('journal undo last --yes')).code).toBe(0)
      expect(await readState(reads)).toEqual(before)
    },
  )

  // A creation is not reverted, because only its answer tells which object it created.
  const changing = Object.entries(rows).filter(([, { objects }]) => objects[0]?.[1] !== null)
  it.each(
    changing.flatMap(([command, row]) => [
      ['killed', command, row] as const,
      ['killed and resumed', command, row] as const,
    ]),
  )(
    'brings back what a run changed whose answers were lost, %s: %s',
    { timeout: 60_000 },
    async (ends, command, { write: [line = ''], reads }) => {
      const before = await readState(reads)
      const file = join(createFolder(), 'lost.ndjson')
      const ran = await run(`${line} --undo-record --journal ${file}`)
      expect(ran.code, ran.stderr).toBe(0)
      const changed = await readState(reads)
      removeOutcomes(file)
      if (ends !== 'killed') {
        const resumed = await run(`${command} --resume ${file} --yes`)
        expect(resumed.code, resumed.stderr).toBe(0)
        expect(await readState(reads)).toEqual(changed)
      }
      const undone = await run(`journal undo ${file} --yes`)
      expect(undone.code, undone.stderr).toBe(0)
      expect(await readState(reads)).toEqual(before)
      const undo = getUndoFile()
      removeOutcomes(undo)
      const again = await run(`journal undo ${file} --yes`)
      expect(again.code, again.stderr).toBe(0)
      const redone = await run(`journal undo ${undo} --yes`)
      expect(redone.code, redone.stderr).toBe(0)
      expect(await readState(reads)).toEqual(changed)
    },
  )

  it('has nothing to bring back of a failure that was tolerated', async () => {
    const server = await startRecorder(({ method, url }) =>
      method === 'PUT' ? { status: 403 } : { body: { id: Number(url.at(-1)), active: true } },
    )
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
    const there = (line: string) => svcctl(line.split(' '), { env })
    try {
      const ran = await there('runners pause 1 2 --tolerate forbidden')
      expect(ran.code, ran.stderr).toBe(0)
      const undone = await there('journal undo last --yes')
      expect(undone.stderr).toContain('the run made no changes to revert')
    } finally {
      await server.close()
    }
  })

  it('prints the parent of each object where the run had several, and a redo does so, too', async () => {
    const projects = '-P platform/app,web/site'
    await run(`approvals update ${projects} --approvals-before-merge 3 --yes`)
    for (const [redo, left] of [
      ['', [1, 0]],
      [' --redo', [3, 3]],
      ['', [1, 0]],
    ] as const) {
      const { stdout } = await run(`journal undo last${redo} --yes -o csv`)
      expect(stdout.split('\n').map((row) => row.split(',').slice(0, 2).join())).toEqual([
        'project,approvals_before_merge',
        `platform/app,${left[0]}`,
        `web/site,${left[1]}`,
        '',
      ])
    }
  })

  it('prints the columns of the run that it undoes', async () => {
    const written = await run('runners update 1 2 --description other -o csv')
    const undone = await run('journal undo last --yes -o csv')
    const [heading, ...rows] = written.stdout.split('\n')
    expect(heading).toBe('id,description,runner_type,status,ip_address,active')
    expect(undone.stdout.split('\n')).toEqual([
      heading,
      ...rows.map((row, i) => row.replace(',other,', `,shared-linux-${i + 1},`)),
    ])
  })

  it('brings back what --select chose, without a record of its own', {
    timeout: 60_000,
  }, async () => {
    const before = await readState(['runners list --instance', 'runners get 1 2'])
    const ran = await run([
      ...['runners', 'pause', '--instance', '--select', 'runner_type=instance_type', '--yes'],
    ])
    expect(ran.code, ran.stderr).toBe(0)
    const reads = ['runners list --instance', 'runners get 1 2']
    expect(await readState(reads)).not.toEqual(before)
    const undone = await run('journal undo last --yes')
    expect(undone.code, undone.stderr).toBe(0)
    expect(await readState(['runners list --instance', 'runners get 1 2'])).toEqual(before)
  })

  it.each([
    ['remove', 'members remove @DOV 6 -G platform --yes', 2],
    ['update', 'members update @DOV --expires-at 2028-01-31 -G platform', 1],
  ])('finds again whom members %s was given by a name of any form', async (_, line, count) => {
    const reads = [toMemberLine(5, 'platform'), toMemberLine(6, 'platform')]
    const before = await readState(reads)
    const ran = await run(`${line} --undo-record`)
    expect(ran.code, ran.stderr).toBe(0)
    expect(await readState(reads)).not.toEqual(before)
    const undone = await run('journal undo last --yes')
    expect(undone.code, undone.stderr).toBe(0)
    expect(await readState(reads)).toEqual(before)
    expect(await runJson('journal show last')).toMatchObject({ done: count, failed: 0 })
  })

  it('brings back what was done in a tree, by the form of each place, inner ones first', async () => {
    const where = async () => (await run('members where dov --direct')).stdout
    const before = await where()
    const line = 'members remove dov -G platform --recursive --tolerate not_found'
    const ran = await run(`${line} --yes --undo-record`)
    expect(ran.code, ran.stderr).toBe(0)
    expect(await where()).not.toContain('platform')
    const undone = await run('journal undo last --yes')
    expect(undone.code, undone.stderr).toBe(0)
    expect(undone.stdout).toMatch(/project:platform\/app\t/)
    expect(await where()).toBe(before)
  })

  it('undoes a write of --sudo, of one object or several, and the log has the owner of the token', async () => {
    const env = { SVC_CONFIG_DIR: config }
    const runAs = (line: string, input?: string) => svcctl(line.split(' '), { env, input })
    const login = `auth login work --base-url ${sandbox.url} --token-stdin`
    expect((await runAs(login, 'sandbox-root-token\n')).code).toBe(0)
    for (const users of ['dov', 'dov chi']) {
      const line = `members update ${users} -G platform --access-level maintainer --sudo ana --yes`
      expect((await runAs(line)).code).toBe(0)
      const { code, stderr } = await runAs('journal undo last --sudo ana --yes')
      expect([code, stderr]).toEqual([0, expect.stringContaining(' done')])
      expect((await runAs('journal undo last --redo --yes')).stderr).toContain('without --sudo')
    }
    const { stdout } = await runAs('audit list -o value --fields user,sudo')
    expect(new Set(stdout.trimEnd().split('\n'))).toEqual(new Set(['root\tana']))
  })

  it('names who is no longer a member, and restores the others', async () => {
    await run('members add ana -G labs --access-level developer')
    await run('members update ana eva -G labs --access-level owner --yes')
    await run('members remove eva -G labs --yes')
    const [, last = ''] = (await run('journal list -o value --fields id')).stdout.split('\n')
    const { code, stderr } = await run(['journal', 'undo', last, '--yes'])
    expect([code, stderr]).toEqual([8, expect.stringContaining('no member named "eva"')])
    expect(stderr).not.toMatch(/Bad Request|Correct the named values/)
  })

  it('leaves alone who was added again since otherwise, and tells them from others', async () => {
    const ran = await run('members remove dov eva -G platform --yes --undo-record')
    expect(ran.code, ran.stderr).toBe(0)
    const { id } = await runJson('journal show last')
    await run('members add 5 --access-level developer -G platform')
    const undone = await run(`journal undo ${id} --yes`)
    expect(undone.code).toBe(8)
    expect(undone.stderr).toMatch(/dov of group platform: it changed since the run/)
    expect(await runJson('members get 5 -G platform')).toMatchObject({ access_level: 30 })
    expect(await runJson('members get 6 -G platform')).toMatchObject({ access_level: 10 })
    await run('members update 5 --access-level reporter -G platform')
  })

  it('adds random members again with the level and the day that they had', {
    timeout: 120_000,
  }, async () => {
    const users = [4, 5, 6]
    const reads = users.map((user) => toMemberLine(user, 'platform'))
    const day = fc.option(fc.constantFrom('2099-01-31', '2100-02-28', '2101-12-31'), { nil: '' })
    const level = fc.constantFrom('guest', 'reporter', 'developer', 'maintainer', 'owner')
    const change = fc.record({ user: fc.constantFrom(...users), level, day })
    const changes = fc.uniqueArray(change, { minLength: 1, selector: ({ user }) => user })
    await fc.assert(
      fc.asyncProperty(changes, async (given) => {
        for (const { user, level: access, day: ends } of given) {
          const words = ['members', 'update', String(user), '--access-level', access]
          await run([...words, '--expires-at', ends, '-G', 'platform'])
        }
        const before = await readState(reads)
        const gone = given.map(({ user }) => String(user))
        const words = ['members', 'remove', ...gone, '-G', 'platform']
        const ran = await run([...words, '--yes', '--undo-record'])
        expect(ran.code, ran.stderr).toBe(0)
        expect((await readState(reads)).filter((one) => one === 4)).toHaveLength(given.length)
        const undone = await run('journal undo last --yes')
        expect(undone.code, undone.stderr).toBe(0)
        expect(await readState(reads)).toEqual(before)
      }),
      { numRuns: 4 },
    )
  })

  it('brings back random attributes of several objects', { timeout: 120_000 }, async () => {
    const text = fc.stringMatching(/^[a-z][a-z ]{0,12}[a-z]$/)
    const flags = fc.record(
      {
        description: text,
        'tag-list': fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), {
          minLength: 1,
          maxLength: 3,
        }),
        'maximum-timeout': fc.integer({ min: 600, max: 100_000 }),
        locked: fc.boolean(),
        'run-untagged': fc.boolean(),
        active: fc.boolean(),
      },
      { requiredKeys: ['description'] },
    )
    const reads = ['runners get 1 2 7']
    await fc.assert(
      fc.asyncProperty(flags, async (given) => {
        const before = await readState(reads)
        const words = Object.entries(given).flatMap(([name, value]) =>
          typeof value === 'boolean'
            ? [value ? `--${name}` : `--no-${name}`]
            : [`--${name}`, String(value)],
        )
        const ran = await run(['runners', 'update', '1', '2', '7', ...words, '--undo-record'])
        expect(ran.code, ran.stderr).toBe(0)
        const undone = await run('journal undo last --yes')
        expect(undone.code, undone.stderr).toBe(0)
        expect(await readState(reads)).toEqual(before)
      }),
      { numRuns: 4 },
    )
  })

  it('leaves alone what somebody changed since, and is undone itself', {
    timeout: 60_000,
  }, async () => {
    await run(['runners', 'update', '7', '--description', 'third'])
    const line = (before: string, after: string): ObjectLine => ({
      n: 1,
      object: '7',
      state: 'done',
      before: { description: before },
      after: { description: after },
    })
    await writeRunJournal([line('first', 'second')], {
      command: 'runners update',
      input: { description: 'second' },
    })
    const conflict = await run(`journal undo ${header.id} --yes`)
    expect(conflict.code).toBe(5)
    expect(conflict.stderr).toContain('it changed since the run')
    expect(await runJson('runners get 7')).toMatchObject({ description: 'third' })
  })

  it('puts many back, leaves alone what is not as it was left, and redoes them', {
    timeout: 60_000,
  }, async () => {
    const timeouts = new Map<number, number>()
    const server = await startRecorder(({ method, url, body }) => {
      const id = Number(/\/runners\/(\d+)/.exec(url)?.[1])
      if (url.endsWith('/user')) return { body: { id: 1, username: 'root' } }
      if (method === 'PUT') timeouts.set(id, JSON.parse(body).maximum_timeout)
      return { body: { id, maximum_timeout: timeouts.get(id) ?? id * 600 } }
    })
    const ids = Array.from({ length: 40 }, (_, i) => i + 1)
    const at = { SVC_CONFIG_DIR: config, SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
    const there = (line: string, input = '') => svcctl(line.split(' '), { env: at, input })
    try {
      await there('runners update - --maximum-timeout 300', ids.join('\n'))
      // A change by another user is left alone.
      timeouts.set(25, 900)
      const asked = await there('journal undo last')
      expect([asked.code, asked.stderr]).toEqual([
        2,
        expect.stringContaining(
          'confirmation required, and there is no terminal to ask on: This reverts run',
        ),
      ])
      const shown = await there('journal undo last --dry-run -o csv')
      expect(shown.stdout.split('\n')[1]).toBe('1,maximum_timeout,300,600')
      server.seen.length = 0
      const undone = await there('journal undo last --yes -o json')
      expect([undone.code, undone.stderr]).toEqual([8, expect.stringContaining('1 of 40 failed')])
      const puts = server.lines().filter((line) => line.startsWith('PUT'))
      expect(puts).toHaveLength(39)
      const rows = JSON.parse(undone.stdout) as { id: number; error?: unknown }[]
      expect(rows.map(({ id }) => id).toSorted((x, y) => x - y)).toEqual(ids)
      expect(rows.flatMap(({ id, error }) => (error === undefined ? [] : id))).toEqual([25])
      expect(timeouts.get(40)).toBe(24_000)
      expect((await there('journal undo last --redo --yes')).code).toBe(0)
      expect([timeouts.get(1), timeouts.get(25), timeouts.get(40)]).toEqual([300, 900, 300])
    } finally {
      await server.close()
    }
  })

  it('refuses before anything is sent what cannot be undone, or was made elsewhere', async () => {
    const done: ObjectLine = { n: 1, object: '1', state: 'done', before: {}, after: {} }
    const wanted: readonly (readonly [Partial<Header>, ObjectLine, string])[] = [
      [
        {
          command: 'mr rebase',
          endpoint: 'PUT /projects/:id/merge_requests/:merge_request_iid/rebase',
        },
        done,
        'cannot be undone',
      ],
      [{}, { n: 1, object: '1', state: 'done' }, 'the run did not record previous values'],
      [{ instance: 'https://other.example' }, done, 'was started at'],
    ]
    for (const [first, line, said] of wanted) {
      config = createConfiguration()
      await writeRunJournal([line], first)
      const { code, stderr } = await run(`journal undo ${header.id} --yes`)
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
    }
  })

  it('is there for these verbs, and for no other', async () => {
    const undoable: string[] = []
    for (const { name, load } of areas)
      for (const endpoint of Object.values<Endpoint>(await load())) {
        if (!writes(endpoint)) continue
        const first = {
          ...header,
          command: `${name} ${endpoint.command}`,
          endpoint: endpoint.route,
        }
        await findInverse(first).then(
          () => undoable.push(first.command),
          (error: unknown) => expect(String(error)).toContain('cannot be undone'),
        )
      }
    expect([...new Set(undoable)].filter((one) => !one.endsWith('update'))).toEqual([
      'runners enable',
      'runners disable',
      'mr subscribe',
      'mr unsubscribe',
      'approvals rules create',
      'approvals rules delete',
      'members add',
      'members remove',
      'deploy-keys add',
      'deploy-keys delete',
      'deploy-keys enable',
      'pages-domains add',
      'vulnerabilities confirm',
      'vulnerabilities resolve',
      'vulnerabilities dismiss',
      'vulnerabilities revert',
      'geo nodes create',
      'geo nodes delete',
      'error-tracking keys create',
    ])
  })
})

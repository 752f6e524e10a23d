/** Tests `check policy`: it finds what breaks a rule, data that cannot be read never counts as OK, and all formats agree. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { listCodeBlocks, readPage } from '../support/pages.js'
import { createFolder } from '../support/program.js'
import type { Script } from '../support/recorder.js'
import { runInShell } from '../support/shell.js'
import { answerByRoute, createCaller } from './calling.js'

const { server, call, atTerminal } = createCaller()

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())

const createEnv = () => ({ SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.users[0]?.token ?? '' })

/** Answers by route. A number in the table is the status of an error. */
const answerOrRefuse =
  (table: Readonly<Record<string, unknown>>): Script =>
  (seen, index) => {
    const found = answerByRoute(table)(seen, index)
    return typeof found?.body === 'number' ? { status: found.body, body: { message: 'no' } } : found
  }

const writePolicy = (rules: string): string => {
  const path = join(createFolder(), 'policy.yml')
  writeFileSync(path, `policy: 1\nrules:\n${rules}`)
  return path
}

/** Writes a policy with one rule. */
const writeRule = (list: string, test: string, more = ''): string =>
  writePolicy(`  - { name: one, list: '${list}', ${test}${more === '' ? '' : `, ${more}`} }\n`)

const check = (path: string, ...more: string[]) => call(['check', 'policy', path, ...more])
const listFindings = async (path: string, ...more: string[]) => {
  const { code, stdout } = await check(path, '-o', 'json', ...more)
  return { code, found: JSON.parse(stdout) as Record<string, unknown>[] }
}
const listAddresses = (found: readonly Record<string, unknown>[]) =>
  found.map(({ address }) => address)

describe('a policy', () => {
  it('names the flags that give a list its project, and no variable, which rules do not read', async () => {
    const path = writePolicy(`  - { name: one, list: jobs list, where: id=1 }\n`)
    const { code, stderr } = await check(path)
    expect(code).toBe(2)
    expect(stderr).toContain('Give --project, --group or --all-projects.\n')
  })

  it.each([
    ['foo list', 'where: id=1', 'unknown command "foo"'],
    ['runners list --status bogus', 'where: id=1', '--status must be one of'],
    ['runners list', 'where: "id~~"', 'invalid condition'],
    ['jobs list', 'where: id=1', 'jobs list needs --project'],
  ])('is checked before any of its rules is read: %s, %s', async (list, test, said) => {
    const path = writePolicy(
      `  - { name: one, list: runners list, where: id=1 }\n  - { name: two, list: '${list}', ${test} }\n`,
    )
    server.seen.length = 0
    const { code, stderr } = await check(path)
    expect([code, server.lines()]).toEqual([2, []])
    expect(stderr).toContain(`${path}:4:5: ${said}`)
  })
})

const runners = [
  { id: 1, description: 'one', status: 'online', active: true, ip_address: null },
  { id: 2, description: 'two', status: 'offline', active: true, ip_address: '10.0.0.2' },
  { id: 3, description: 'three', status: 'offline', active: false, ip_address: '10.0.0.3' },
]
const projects = [1, 2, 3].map((id) => ({ id, path_with_namespace: `a/p${id}` }))
const ruleAnswers = {
  'GET /projects?': projects,
  'GET /projects/a%2Fp1/approval_rules': [{ id: 1, approvals_required: 2 }],
  'GET /projects/a%2Fp2/approval_rules': [{ id: 2, approvals_required: 1 }],
}

describe('check policy', () => {
  it('shows addresses whole on 80 columns', async () => {
    const path = 'platform/with/groups/below/groups/and/a/long/name'
    server.answer = answerOrRefuse({ 'GET /projects?': [{ id: 1, path_with_namespace: path }] })
    const policy = writeRule('projects list', 'where: id=1')
    await atTerminal(`check policy ${policy} -o table`, async (terminal) => {
      expect(await terminal.until(/ended with 1/)).toContain(`projects/${path}`)
    })
  })

  it('finds what matches where, and what does not fulfil each', async () => {
    server.answer = answerOrRefuse({ 'GET /runners?': runners })
    const where = await listFindings(
      writeRule('runners list', 'where: "status=offline,active=true"'),
    )
    expect([where.code, listAddresses(where.found)]).toEqual([1, ['runners/2']])
    const each = await listFindings(writeRule('runners list', 'each: "status=online,active=true"'))
    expect([each.code, listAddresses(each.found)]).toEqual([1, ['runners/2', 'runners/3']])
    const missing = await listFindings(writeRule('runners list', 'each: "ip_address~10."'))
    expect(listAddresses(missing.found)).toEqual(['runners/1'])
    const fine = await listFindings(writeRule('runners list', 'each: "id>0"'))
    expect(fine).toEqual({ code: 0, found: [] })
  })

  it('finds what does not fulfil an order: no element of a list has it, or the value has none', async () => {
    const jobs = [
      { id: 1, created_at: '2026-01-02T00:00:00Z', artifacts: [{ size: 3 }, { size: 9 }] },
      { id: 2, created_at: 'unknown', artifacts: [{ size: 3 }] },
      { id: 3, created_at: '2025-01-02T00:00:00Z', artifacts: [] },
    ]
    server.answer = answerOrRefuse({ 'GET /projects/a%2Fb/jobs?': jobs })
    const judge = async (each: string) =>
      listAddresses((await listFindings(writeRule('jobs list -P a/b', `each: "${each}"`))).found)
    expect(await judge('artifacts.size>5')).toEqual(['jobs/2', 'jobs/3'])
    expect(await judge('artifacts.size<=3')).toEqual(['jobs/3'])
    expect(await judge('created_at>=2026-01-01')).toEqual(['jobs/2', 'jobs/3'])
  })

  it('shows in a message what --fields shows of a field', async () => {
    const body = {
      iid: 7,
      references: { full: 'a/b!7' },
      labels: ['x', 'y'],
      reviewers: [{ id: 4 }],
    }
    server.answer = answerOrRefuse({ 'GET /projects/a%2Fb/merge_requests?': [body] })
    const message =
      'message: "{reference} {labels} {labels.1} {reviewers.id} {reviewers} {nickname}"'
    const { found } = await listFindings(writeRule('mr list -P a/b', 'where: iid=7', message))
    expect(found).toMatchObject([{ message: 'a/b!7 x,y y 4 [{"id":4}] -' }])
  })

  it('reads each list once, however many rules judge it and by whatever they judge', async () => {
    server.answer = ({ url }) => {
      const path = url.replace(/^\/api\/v4/, '')
      if (path.startsWith('/runners/'))
        return {
          body: {
            ...runners[0],
            id: Number(path.split('/')[2]),
            contacted_at: '2026-01-01T00:00:00Z',
          },
        }
      if (path.startsWith('/runners') && path.includes('&page=2')) return { body: runners.slice(2) }
      if (path.startsWith('/runners')) {
        const link = `<${server.url}/api/v4/runners?per_page=100&page=2>; rel="next"`
        return { body: runners.slice(0, 2), headers: { link } }
      }
      if (path.includes('/merge_requests'))
        return { body: ['opened', 'merged'].map((state, i) => ({ id: i, iid: i, state })) }
      if (path.startsWith('/projects?')) return { body: projects }
      if (path.includes('a%2Fp3')) return { status: 403, body: { message: 'no' } }
      return { body: [{ id: 1, status: 'failed', created_at: '2026-01-01T00:00:00Z' }] }
    }
    const path = writePolicy(
      [
        ['a', 'runners list', 'where: status=offline'],
        ['b', 'runners list', 'each: active=true'],
        ['c', 'runners list --where active=true', 'where: id>1'],
        ['d', 'runners list --group-by status --count', 'where: count>1'],
        ['e', 'runners list', 'where: contacted_at>30d'],
        ['f', 'runners list', 'where: "contacted_at>30d,status=online"'],
        ['g', 'mr list -P a/p1', 'where: state=opened'],
        ['h', 'mr list -P a/p1', 'where: state=merged'],
        ['i', 'jobs list --all-projects', 'where: status=failed'],
        ['j', 'jobs list --all-projects --group-by project', 'where: count>0'],
      ]
        .map(([name, list, test]) => `  - { name: ${name}, list: '${list}', ${test} }\n`)
        .join(''),
    )
    const { code, found } = await listFindings(path)
    expect(code).toBe(8)
    const count = (rule: string) => found.filter((one) => one.rule === rule).length
    // A list over all projects could not be read in full, and each rule that uses it reports this.
    expect([...'abcdefghij'].map(count)).toEqual([2, 1, 1, 1, 3, 1, 1, 1, 3, 3])
    const lines = server.lines()
    expect(new Set(lines).size).toBe(lines.length)
    expect(lines.filter((line) => /^GET \/runners\?/.test(line))).toHaveLength(2)
    expect(lines.join()).not.toMatch(/state=|status=/)
  })

  it('sends the condition of a list that one rule reads', async () => {
    server.answer = () => ({ body: [{ id: 1, iid: 1, state: 'opened' }] })
    await listFindings(writeRule('mr list -P a/p1', 'where: state=opened'))
    expect(server.lines().join()).toContain('state=opened')
  })

  it('masks secrets in what was read for another rule', async () => {
    server.answer = answerOrRefuse({ 'GET /runners?': [{ ...runners[0], token: 'c4n4ry-token' }] })
    const path = writePolicy(
      ['a', 'b']
        .map(
          (name) => `  - { name: ${name}, list: runners list, where: id=1, message: "{token}" }\n`,
        )
        .join(''),
    )
    const { found } = await listFindings(path)
    expect(found.map(({ message }) => message)).toEqual(['[masked]', '[masked]'])
  })

  it('keeps the conditions of the list', async () => {
    server.answer = answerOrRefuse({ 'GET /runners?': runners })
    const list = 'runners list --where active=true --where id=3'
    const { found } = await listFindings(writeRule(list, 'each: "status=online"'))
    expect(listAddresses(found)).toEqual(['runners/2', 'runners/3'])
  })

  it('counts a project without records in a list that is grouped by project', async () => {
    server.answer = answerOrRefuse(ruleAnswers)
    const list = 'approvals rules list --all-projects --group-by project --max approvals_required'
    const path = writeRule(
      list,
      'each: max_approvals_required>=2',
      'message: "{project}: {max_approvals_required}"',
    )
    const { code, found } = await listFindings(path)
    expect(code).toBe(1)
    expect(found.map(({ message }) => message)).toEqual(['a/p2: 1', 'a/p3: -'])
    const count = 'approvals rules list --all-projects --group-by project --count'
    expect(listAddresses((await listFindings(writeRule(count, 'where: count=0'))).found)).toEqual([
      'a/p3',
    ])
  })

  it.each([403, 404, 500])('never takes %i for fine', async (status) => {
    server.answer = answerOrRefuse({
      ...ruleAnswers,
      'GET /projects/a%2Fp3/approval_rules': status,
    })
    const list = 'approvals rules list --all-projects'
    for (const [line, test] of [
      [list, 'where: approvals_required<1'],
      [`${list} --group-by project --count`, 'where: count>5'],
    ] as const) {
      const path = writeRule(line, test)
      const { code, found } = await listFindings(path, '--retries', '0')
      expect([line, code]).toEqual([line, 8])
      expect(found).toEqual([expect.objectContaining({ severity: 'unread', address: 'a/p3' })])
      const metrics = await check(path, '-o', 'prometheus', '--retries', '0')
      expect([metrics.code, metrics.stdout]).toEqual([
        8,
        expect.stringContaining('svcctl_policy_read{rule="one"} 0'),
      ])
    }
    server.answer = answerOrRefuse({ 'GET /runners?': status })
    const whole = await listFindings(writeRule('runners list', 'where: id<0'), '--retries', '0')
    expect([whole.code, whole.found[0]?.severity]).toEqual([8, 'unread'])
  })

  it('waives until a day, and says which waivers ended or match nothing', async () => {
    server.answer = answerOrRefuse({ 'GET /runners?': runners })
    const waive = (address: string, until: string) =>
      `{ address: ${address}, until: ${until}, reason: lab }`
    const many = `waive: [${waive('runners/2', '2999-01-31')}, ${waive('runners/3', '2020-01-31')}, ${waive('runners/9', '2999-01-31')}]`
    const { stdout, stderr, code } = await check(
      writeRule('runners list', 'where: status=offline', many),
    )
    expect(code).toBe(1)
    expect(stdout.split('\n')).toEqual([
      'waived one runners/2: matches status=offline (until 2999-01-31: lab)',
      'error one runners/3: matches status=offline',
      'error one runners/3: the waiver ended on 2020-01-31',
      '1 rule: 2 error, 1 waived',
      '',
    ])
    expect(stderr).toContain('the waiver of runners/9 matches no finding')
    const whole = `waive: [${waive('runners/2', '2999-01-31')}, ${waive('runners/3', '2999-01-31')}]`
    expect((await check(writeRule('runners list', 'where: status=offline', whole))).code).toBe(0)
  })

  it('fails from a severity up', async () => {
    server.answer = answerOrRefuse({ 'GET /runners?': runners })
    const path = writeRule('runners list', 'where: id=1', 'severity: warning')
    expect((await check(path)).code).toBe(0)
    expect((await check(path, '--fail-on', 'warning')).code).toBe(1)
    expect((await check(path, '-o', 'nagios')).code).toBe(0)
    expect((await check(path, '-o', 'nagios', '--fail-on', 'info')).code).toBe(2)
  })

  it('compares the levels of groups, and names the area of a sum over all records', async () => {
    const weak = { severity: 'low' }
    server.answer = answerOrRefuse({
      'GET /projects/a%2Fb/vulnerabilities': [weak, { severity: 'high' }, { severity: 'critical' }],
    })
    const list = 'vulnerabilities list -P a/b'
    const grouped = await listFindings(
      writeRule(`${list} --group-by severity`, 'where: severity>=high'),
    )
    expect(listAddresses(grouped.found)).toEqual(['high', 'critical'])
    const other = await check(writeRule(`${list} --group-by severity`, 'where: severity>=hgih'))
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('did you mean high?')])
    const { found } = await listFindings(writeRule(`${list} --count`, 'each: count<3'))
    expect(listAddresses(found)).toEqual(['vulnerabilities'])
  })

  it('judges settings, and groups of records', async () => {
    const settings = { id: 1, signup_enabled: true, default_project_visibility: 'private' }
    server.answer = answerOrRefuse({
      'GET /application/settings': settings,
      'GET /runners?': runners,
    })
    const open = await listFindings(writeRule('settings get', 'each: "signup_enabled=false"'))
    expect([open.code, listAddresses(open.found)]).toEqual([1, ['settings']])
    const shut = await listFindings(
      writeRule('settings get', 'each: default_project_visibility=private'),
    )
    expect(shut).toEqual({ code: 0, found: [] })
    const many = await listFindings(
      writeRule('runners list --group-by status,active --count', 'where: count>0'),
    )
    expect(listAddresses(many.found)).toEqual(['offline/false', 'offline/true', 'online/true'])
  })

  it('writes reports, with the place of the rule', async () => {
    server.answer = answerOrRefuse({ 'GET /runners?': runners })
    const path = writeRule(
      'runners list',
      'where: status=offline',
      'message: "<{description}> is off"',
    )
    const at = createFolder()
    const [junit, sarif] = [join(at, 'p.xml'), join(at, 'p.sarif')]
    await check(path, '--report', `junit=${junit}`, '--report', `sarif=${sarif}`)
    expect(readFileSync(junit, 'utf8')).toContain('runners/2: &lt;two&gt; is off')
    const [run] = JSON.parse(readFileSync(sarif, 'utf8')).runs
    expect(run.results).toHaveLength(2)
    expect(run.results[0]).toMatchObject({ ruleId: 'one', level: 'error' })
    const [location] = run.results[0].locations
    expect(location.physicalLocation.region.startLine).toBe(3)
    expect(location.logicalLocations[0].fullyQualifiedName).toBe('runners/2')
  })

  it('prints what an instance calls things as text', async () => {
    const hostile = 'a|b"c\\d\u001b[31m\ne\u202e'
    server.answer = answerOrRefuse({ 'GET /runners?': [{ ...runners[1], description: hostile }] })
    const path = writeRule('runners list', 'where: id=2', 'message: "{description}"')
    for (const format of ['plain', 'nagios', 'prometheus', 'csv', 'markdown']) {
      const { stdout } = await check(path, '-o', format)
      for (const sign of ['\u001b', '\u202e'])
        expect([format, stdout.includes(sign)]).toEqual([format, false])
    }
    expect((await check(path)).stdout.trimEnd().split('\n')).toHaveLength(2)
  })

  it.each([
    ['rules: []', 'policy is missing'],
    ['policy: 2\nrules: []', 'policy must be the number 1'],
    ['policy: 1\nruels: []', 'Did you mean rules?'],
    ['policy: 1\nconstructor: x', 'constructor is not allowed here'],
    [
      'policy: 1\nrules: [{ name: a, list: runners list, where: id=1, toString: x }]',
      'toString is not allowed here',
    ],
    ['policy: 1\nrules: [{ name: a, list: ci lint -P x, where: id=1 }]', 'ci lint is not a list'],
    ['policy: 1\nrules: [{ name: a, list: runners list }]', 'either where or each'],
    [
      'policy: 1\nrules: [{ name: a, list: runners list, where: id=1, each: id=1 }]',
      'either where or each',
    ],
    ['policy: 1\nrules: [{ name: A, list: runners list, where: id=1 }]', 'not a valid name'],
    [
      'policy: 1\nrules: [{ name: a, list: runners list, where: id=1, severity: bad }]',
      'info, warning',
    ],
    [
      'policy: 1\nrules: [{ name: a, list: "runners pause 1", where: id=1 }]',
      'not a command that reads',
    ],
    [
      'policy: 1\nrules: [{ name: a, list: runners list -o json, where: id=1 }]',
      '--output is not allowed',
    ],
    ['policy: 1\nrules: [{ name: a, list: runners list, where: idd=1 }]', 'idd'],
    ['policy: 1\nrules: [{ name: a, list: runners list, where: "id==" }]', ':2:'],
    [
      'policy: 1\nrules: [{ name: a, list: runners list, where: id=1, waive: [{ address: x }] }]',
      'until is missing',
    ],
    [
      'policy: 1\nrules: [{ name: a, list: runners list, where: id=1, waive: [{ address: x, until: soon, reason: y }] }]',
      'until must be a day',
    ],
  ])('refuses %j', async (text, why) => {
    server.answer = answerOrRefuse({ 'GET /runners?': runners })
    const path = join(createFolder(), 'policy.yml')
    writeFileSync(path, `${text}\n`)
    const { code, stderr } = await check(path)
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
  })

  it('reads files that a file includes, each once', async () => {
    server.answer = answerOrRefuse({ 'GET /runners?': runners })
    const at = createFolder()
    mkdirSync(join(at, 'more'))
    writeFileSync(join(at, 'a.yml'), 'policy: 1\ninclude: [more/b.yml]\n')
    writeFileSync(
      join(at, 'more/b.yml'),
      'policy: 1\ninclude: [../a.yml]\nrules: [{ name: b, list: runners list, where: id=2 }]\n',
    )
    const { code, found } = await listFindings(join(at, 'a.yml'))
    expect([code, listAddresses(found)]).toEqual([1, ['runners/2']])
  })

  it('is the same on a snapshot, where no field of single records is asked for', async () => {
    const at = join(createFolder(), 'kept')
    const path = writePolicy(
      [
        '  - { name: public, list: projects list, where: visibility=public }',
        '  - { name: approvals, list: approvals rules list --all-projects --group-by project --count, where: count=0 }',
        '  - { name: silent, list: runners list, where: contacted_at>30d }',
        '',
      ].join('\n'),
    )
    await call(['snapshot', '--to', at], { env: createEnv() })
    const line = ['check', 'policy', path, '-o', 'json']
    const live = JSON.parse((await call(line, { env: createEnv() })).stdout)
    const kept = await call([...line, '--from', at], { env: { SVC_BASE_URL: '' } })
    const told = (found: Record<string, unknown>[]) =>
      found.filter(({ rule: of }) => of !== 'silent')
    expect(told(JSON.parse(kept.stdout))).toEqual(told(live))
    expect(kept.code).toBe(8)
  })
})

describe('the starter file of the guide', () => {
  const guide = '.github/guide/snapshots.md'
  const starter = (): string => /```yaml\n([\s\S]*?)```/.exec(readPage(guide))?.[1] ?? ''

  it('has twelve rules, whose findings on the embedded instance are these', async () => {
    const path = join(createFolder(), 'policy.yml')
    writeFileSync(path, starter())
    const { code, stdout } = await call(['check', 'policy', path, '-o', 'prometheus'], {
      env: createEnv(),
    })
    expect(code).toBe(1)
    const counts = [...stdout.matchAll(/findings\{rule="([^"]+)",.*\} (\d+)/g)].map(
      ([, name, n]) => [name, Number(n)],
    )
    expect(Object.fromEntries(counts)).toMatchInlineSnapshot(`
      {
        "certificates": 1,
        "closed-sign-up": 1,
        "healthy-sites": 1,
        "no-old-write-keys": 0,
        "no-outside-owners": 0,
        "no-permanent-maintainers": 4,
        "no-public-platform": 0,
        "no-silent-runners": 1,
        "no-stuck-jobs": 1,
        "runner-versions": 0,
        "terms-and-approval": 1,
        "two-approvals": 13,
      }
    `)
    expect(stdout.match(/svcctl_policy_read\{.*\} 1/g)).toHaveLength(12)
  })

  it('is checked by the lines of the page, as they stand', async () => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'policy.yml'), starter())
    const codes: unknown[] = []
    for (const block of listCodeBlocks('sh', [guide]))
      for (const line of block.trimEnd().split('\n'))
        codes.push((await runInShell(line, { cwd, env: { ...createEnv() } })).code)
    expect(codes).toEqual([0, 0, 1, 8])
    expect(readFileSync(join(cwd, 'policy.xml'), 'utf8')).toContain('tests="12"')
  })
})

/** Tests `plan` and `drift` as an admin runs them: against the sample data, with files and on screens. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

let sandbox: Sandbox
const config = createConfiguration()
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())

const buildRules = (text: string): string =>
  ['version: 1', 'projects:', '  platform/app:', '    approval_rules:', ...text.split('\n')].join(
    '\n',
  )
const unchangedRules = buildRules('      Security: { approvals_required: 1 }')
const changedRules = buildRules('      Security: { approvals_required: 2 }')
const exactKeys = 'version: 1\nprojects: { platform/app: { deploy_keys: { $exact: true } } }\n'
const chat = [
  'version: 1',
  'projects:',
  '  platform/app:',
  '    integrations:',
  '      chat: { family: chat-webhook, webhook: {env: HOOK} }',
].join('\n')

/** Runs a command about a file with this text. */
const run = async (text: string, args: readonly string[], env: Record<string, string> = {}) => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'svcctl.yml'), text)
  const [verb = 'plan', ...rest] = args
  const ran = await svcctl([verb, 'svcctl.yml', ...rest], {
    cwd,
    env: {
      SVC_CONFIG_DIR: config,
      SVC_BASE_URL: sandbox.url,
      SVC_TOKEN: 'sandbox-root-token',
      ...env,
    },
  })
  return { ...ran, cwd }
}

describe('plan', () => {
  it('ends well with and without changes, and says which', async () => {
    const none = await run(unchangedRules, ['plan'])
    expect(none.code).toBe(0)
    expect(none.stdout).toMatch(/Plan: nothing to do; 1 unchanged \(\d+ requests, \d+ s\)\.\n$/)
    const some = await run(changedRules, ['plan'])
    expect(some.code).toBe(0)
    expect(some.stdout).toContain('~ approval_rules/Security\n      approvals_required')
  })

  it.each([
    ['asset_proxy_allowlist: ["https://u:canary@x.test/", b.test]', 'asset_proxy_allowlist'],
    ['asset_proxy_allowlist: {$add: ["https://u:canary@x.test/"]}', 'asset_proxy_allowlist'],
    ['asset_proxy_allowlist: {$remove: ["https://u:canary@x.test/"]}', 'asset_proxy_allowlist'],
    ['made_up: ["https://x.test/?private_token=canary"]', 'made_up'],
    ['made_up: {token: [canary]}', 'made_up'],
    ['my_token: [canary, b]', 'my_token'],
  ])('refuses a secret in a list, and shows none of it: %s', async (setting, name) => {
    const text = `version: 1\nsite: {settings: {${setting}}}\n`
    const ran = await run(text, ['plan', '--allow-literal-secrets'])
    expect(ran.code, ran.stdout).toBe(2)
    expect(ran.stderr).toMatch(
      new RegExp(
        `svcctl\\.yml:2:\\d+: ${name} (contains a secret|must be a map or text, not a list)`,
      ),
    )
    expect(ran.stdout + ran.stderr).not.toContain('canary')
  })

  it('shows of a place what changes before what comes', async () => {
    const { stdout } = await run(`${changedRules}\n      A new one: { approvals_required: 1 }`, [
      'plan',
    ])
    expect(stdout.match(/[~+] approval_rules/g)).toEqual(['~ approval_rules', '+ approval_rules'])
  })

  it('is written as one object for its owner, and read back', async () => {
    const { cwd, code } = await run(changedRules, ['plan', '--out', 'plan.json', '-q'])
    expect(code).toBe(0)
    const file = join(cwd, 'plan.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const text = readFileSync(file, 'utf8')
    const plan = JSON.parse(text)
    // The file has one action a line, in whatever order the parts are read.
    expect(text).toContain(`\n"actions":[\n${JSON.stringify(plan.actions[0])}\n],\n`)
    expect(Object.keys(plan).slice(-2)).toEqual(['counts', 'sha256'])
    expect(plan).toMatchObject({
      plan: 2,
      instance: sandbox.url,
      user: 'root',
      files: [{ path: 'svcctl.yml' }],
      selection: {},
      endpoints: ['PUT /projects/:id/approval_rules/:approval_rule_id'],
      actions: [
        {
          id: 'update projects/platform/app:approval_rules/Security',
          endpoint: 0,
          path: '/projects/platform%2Fapp/approval_rules/2',
          body: { name: 'Security', approvals_required: 2 },
          changes: [{ attribute: 'approvals_required', now: 1, wanted: 2, origin: [0, 5, 19] }],
          waits_for: [],
        },
      ],
    })
  })

  it('replaces no file that is no plan, before anything is asked', async () => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'notes.txt'), 'mine')
    const { code, stderr } = await svcctl(['plan', 'svcctl.yml', '--out', 'notes.txt'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('notes.txt exists and is not a plan, so it was not overwritten')
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('mine')
  })

  it('differs between two runs in nothing but when it was made', async () => {
    const made = async () => {
      const { stdout } = await run(changedRules, ['plan', '-o', 'json'])
      return { ...(JSON.parse(stdout) as object), created: '' }
    }
    expect(await made()).toEqual(await made())
  })

  it('holds no secret anywhere, and names what it comes from', async () => {
    const canary = 'https://hooks.example/canary-4711'
    for (const args of [
      ['plan', '-o', 'json'],
      ['plan'],
      ['plan', '-o', 'yaml'],
      ['plan', '-vv'],
    ]) {
      const { stdout, stderr, code } = await run(chat, args, { HOOK: canary })
      expect(code).toBe(0)
      expect(stdout + stderr).not.toContain('canary-4711')
      expect(stdout).toContain('HOOK')
    }
  })

  it('asks for a secret only where it would be sent; drift never does', async () => {
    const plan = await run(chat, ['plan'])
    expect(plan.code).toBe(0)
    expect(plan.stdout).toContain('missing secret: the variable HOOK is not set')
    expect((await run(chat, ['drift'])).code).toBe(1)
  })

  it('is an action a line where a format holds no objects inside of objects', async () => {
    const { stdout } = await run(changedRules, ['plan', '-o', 'ndjson'])
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { verb: string }).verb)).toEqual(['update'])
    const csv = await run(changedRules, ['plan', '-o', 'csv'])
    expect(csv.stdout).toBe(
      'verb,address,changes\nupdate,projects/platform/app:approval_rules/Security,approvals_required\n',
    )
  })

  it('is refused by limits in words, and ends well', async () => {
    const { code, stdout } = await run(exactKeys, ['plan'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      '✗ exceeds a limit: projects/platform/app:deploy_keys would become empty; pass --allow-empty projects/platform/app:deploy_keys to allow it',
    )
  })

  it('takes no flag that does not fit it', async () => {
    for (const flag of ['--curl', '--dry-run', '--limit=3', '--page=2', '--watch', '--param=a=b'])
      expect([flag, (await run(unchangedRules, ['plan', flag])).code]).toEqual([flag, 2])
  })

  it('explains each value by where it is said, and what it was said over', async () => {
    const text = [
      'version: 1',
      'defaults:',
      '  projects:',
      '    approval_rules: { Security: { approvals_required: 1 } }',
      'projects:',
      '  platform/app:',
      '    approval_rules: { Security: { approvals_required: 2 } }',
    ].join('\n')
    const address = 'projects/platform/app:approval_rules/Security#approvals_required'
    const { stdout, code } = await run(text, ['plan', '--explain', address, '-o', 'json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual([
      {
        address,
        value: '2',
        origin: expect.stringMatching(/^svcctl.yml:7:/),
        over: [{ value: '1', origin: expect.stringMatching(/^svcctl.yml:4:/) }],
      },
    ])
    const nothing = await run(text, ['plan', '--explain', 'projects/platform/web:members'])
    expect(nothing.code).toBe(2)
    expect(nothing.stderr).toContain('the files do not declare projects/platform/web:members')
  })

  it('reaches every project of a group by **, and none of a person', async () => {
    const text =
      'version: 1\ngroups: { "**": { projects: { approvals: { require_password_to_approve: true } } } }\n'
    const { stdout } = await run(text, ['plan', '-o', 'json'])
    const { actions } = JSON.parse(stdout) as { actions: { address: string }[] }
    const places = actions.map(({ address }) => address.replace(/^projects\/|:approvals$/g, ''))
    expect(places).toEqual(
      expect.arrayContaining(['platform/app', 'platform/core/engine', 'web/site']),
    )
    expect(places.filter((path) => /^(?:ana|ben|chi)\//.test(path))).toEqual([])
  })

  it('is for the instance that the files name, and for no other', async () => {
    const { code, stderr } = await run(`${unchangedRules}\ninstance: https://other.example\n`, [
      'plan',
    ])
    expect(code).toBe(2)
    expect(stderr).toContain('the files are for')
    expect((await run(`${unchangedRules}\ninstance: ${sandbox.url}//`, ['plan'])).code).toBe(0)
  })
})

describe('a line without files, in a folder without any', () => {
  const bare = async (line: string, files: readonly string[] = []) => {
    const cwd = createFolder()
    for (const name of files) writeFileSync(join(cwd, name), unchangedRules)
    const env = {
      SVC_CONFIG_DIR: config,
      SVC_BASE_URL: sandbox.url,
      SVC_TOKEN: 'sandbox-root-token',
    }
    const { code, stderr } = await svcctl(line.split(' '), { cwd, env })
    return [code, stderr] as const
  }

  it.each(['plan', 'apply --yes', 'apply --dry-run', 'drift', 'plan --explain site:settings'])(
    'says how to begin: %s',
    async (line) => {
      const [code, stderr] = await bare(line)
      expect([code, stderr]).toEqual([2, expect.stringContaining('no declared state here')])
      expect(stderr).toContain('for example: svcctl export --to svcctl/, then svcctl plan svcctl/')
      // A file of that name, such as the program itself, is not declared state either.
      expect(await bare(line, ['svcctl'])).toEqual([code, stderr])
      const [, other] = await bare(line, ['svcctl.yml'])
      expect(other).toContain('for example: svcctl plan svcctl.yml')
    },
  )
})

describe('a limit', () => {
  it('is a number or a percentage', async () => {
    const said = async (limit: string) =>
      (await run(changedRules, ['plan', '--max-changes', limit])).stdout
    expect(await said('0')).toContain('1 project would change, more than 0;')
    expect(await said('0%')).toContain('1 project would change, more than 0 % of 1;')
    expect(await said('100%')).not.toContain('refused')
    const wrong = await run(changedRules, ['plan', '--max-changes', 'few'])
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr).toContain(
      '--max-changes must be a number or a percentage (5, 10%), not "few',
    )
  })
})

describe('drift', () => {
  it('is 0 as declared, 1 where something differs, and nothing else', async () => {
    expect((await run(unchangedRules, ['drift'])).code).toBe(0)
    expect((await run(changedRules, ['drift'])).code).toBe(1)
    expect((await run(changedRules, ['drift', '--ignore', '*#approvals_required'])).code).toBe(0)
    expect((await run(buildRules('      Security: { nonsense: 1 }'), ['drift'])).code).toBe(2)
  })

  it('leads from the files to what the instance has, where a plan leads back', async () => {
    const text = [
      'version: 1',
      'site: { settings: { default_project_visibility: internal, domain_denylist: [a.example] } }',
      'projects:',
      '  platform/app:',
      '    members: { gus: null }',
      '    approval_rules: { Security: { approvals_required: { min: 2 } }, New: { approvals_required: 3 } }',
      '',
    ].join('\n')
    const lines = async (verb: string) =>
      (await run(text, [verb])).stdout.replaceAll(/ {2,}/g, ' ').split('\n')
    const [drifted, planned] = [await lines('drift'), await lines('plan')]
    const seen: readonly (readonly [string, string])[] = [
      [
        ' default_project_visibility internal → private',
        ' default_project_visibility private → internal',
      ],
      [' domain_denylist - a.example', ' domain_denylist + a.example'],
      [' approvals_required at least 2 → 1', ' approvals_required 1 → at least 2: 2'],
      [
        ' - approval_rules/New is missing: approvals_required 3',
        ' + approval_rules/New approvals_required 3',
      ],
      [
        ' + members/gus should not be there',
        ' - members/gus DELETED: the user loses access to the project, unless it is inherited from a group',
      ],
    ]
    for (const [drift, plan] of seen) {
      expect(drifted).toContain(drift)
      expect(planned).toContain(plan)
    }
    expect(drifted.at(-2)).toMatch(
      /^Drift, declared → found: 1 missing, 2 changed, 1 unexpected; 0 unchanged \(/,
    )
    expect((await run(unchangedRules, ['drift'])).stdout).toMatch(/^No drift; 1 unchanged \(/)
    const { cwd } = await run(text, ['drift', '--report', 'markdown=d.md'])
    const note = readFileSync(join(cwd, 'd.md'), 'utf8')
    expect(note).toContain('| now | declared | declared at |')
    expect(note).not.toContain('| deleted |')
  })

  it('reports for machines: JUnit, Markdown, SARIF', async () => {
    const reports = ['junit', 'markdown', 'sarif'].map((kind) => `--report=${kind}=d.${kind}`)
    const { cwd, code } = await run(changedRules, ['drift', ...reports])
    expect(code).toBe(1)
    const text = (kind: string) => readFileSync(join(cwd, `d.${kind}`), 'utf8')
    expect(text('junit')).toContain(
      '<testsuites name="svcctl drift" tests="2" failures="1" errors="0">',
    )
    // The report shows the change from the declared to the actual value.
    expect(text('junit')).toContain('approvals_required: 2 → 1')
    expect(text('junit')).toContain('file="svcctl.yml"')
    expect(text('markdown')).toContain(
      '| ~ | `approval_rules/Security` | `approvals_required` | `1` | `2` | `svcctl.yml:5:19` |',
    )
    const sarif = JSON.parse(text('sarif')) as { runs: { results: object[] }[] }
    expect(sarif.runs[0]?.results).toMatchObject([
      {
        ruleId: 'drift',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'svcctl.yml' },
              region: { startLine: 5, startColumn: 7 },
            },
            logicalLocations: [
              { fullyQualifiedName: 'projects/platform/app:approval_rules/Security' },
            ],
          },
        ],
      },
    ])
  })
})

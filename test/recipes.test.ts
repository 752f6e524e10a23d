/** Tests every recipe of `svcctl help recipes` in a shell, each with an embedded instance of its own. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Recipe, recipes } from '../src/catalogue/recipes.js'
import { type SandboxOptions, startSandbox } from '../src/sandbox/index.js'
import { findYamlBlock } from './support/pages.js'
import { createConfiguration, createFolder } from './support/program.js'
import { runLine } from './support/shell.js'
import { svcctl } from './support/within.js'

/** The fields of a record that these tests check. */
interface RecordFields {
  readonly id: number
  readonly active: boolean
  readonly name: string
  readonly title: string
  readonly approvals_required: number
  readonly severity: string
  readonly state: string
  readonly status: string
  readonly created_at: string
  readonly path_with_namespace: string
  readonly reference: string
  readonly has_conflicts: boolean
  readonly repository_storage: string
  readonly default_project_visibility: string
  readonly version: string | null
  readonly duration: number
  readonly access_level: number
  readonly expires_at: string | null
  readonly updated_at: string
  readonly can_push: boolean
  readonly slug: string
  readonly username: string
  readonly last_activity_on?: string | null
  readonly artifacts_file: { readonly size: number }
}

interface Row extends RecordFields {
  readonly project: string
  readonly group: string
  readonly record: RecordFields
}

/** The results of a recipe. */
interface RecipeResult {
  /** The output of each line. */
  readonly printed: readonly string[]
  /** Reads a file that the recipe wrote, or lists a folder. */
  readonly file: (name: string) => string
  readonly folder: (name: string) => readonly string[]
  /** Runs a list on the instance afterwards. Each record of several projects is nested in a row of its project. */
  readonly ask: (...args: readonly string[]) => Promise<Row[]>
}

/** Runs `work` with an embedded instance, a folder and variables for its lines. */
const withSandbox = async (
  work: (cwd: string, env: Record<string, string>) => Promise<void>,
  options: Partial<SandboxOptions> = {},
): Promise<void> => {
  const sandbox = await startSandbox({ stateDir: createFolder(), ...options })
  try {
    await work(createFolder(), {
      SVC_BASE_URL: sandbox.url,
      SVC_TOKEN: 'sandbox-root-token',
      SVC_CONFIG_DIR: createConfiguration(),
    })
  } finally {
    await sandbox.close()
  }
}

const runInSh = (line: string, cwd: string, env: Record<string, string>) =>
  runLine(line, { cwd, env, shell: ['sh', '-eu'] })

/** Two jobs of the same resource group. */
const groupedJobs = ['one', 'two']
  .map((name) => `deploy ${name}:\n  script: [make]\n  resource_group: production\n`)
  .join('')

/** The files that recipes name. */
const files: Readonly<Record<string, string>> = {
  'ci.pub': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci\n',
  '.gitlab-ci.yml': 'build:\n  script: [make]\n',
  'ci/deploy.yml': 'deploy:\n  script: [make deploy]\n',
  'grouped.yml': groupedJobs,
  'people.csv': 'id,access_level,expires_at\n1,developer,2036-01-31\n5,reporter,\n6,guest,\n',
  'policy.yml':
    'policy: 1\nrules:\n  - { name: private, list: projects list, where: visibility=public }\n',
  'settings.yml':
    'version: 1\nsite:\n  settings: { default_project_visibility: internal, admin_mode: true }\n',
}

/** Writes a configuration with a profile for each instance. Returns its folder. */
const writeProfiles = (urls: Readonly<Record<string, string>>): string => {
  const config = join(createConfiguration(), 'config')
  mkdirSync(config, { mode: 0o700 })
  const write = (file: string, value: object) =>
    writeFileSync(join(config, file), JSON.stringify(value), { mode: 0o600 })
  const each = (made: (baseUrl: string) => object) =>
    Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, made(url)]))
  write('config.json', { profiles: each((baseUrl) => ({ baseUrl, tokenStore: 'file' })) })
  const token = 'sandbox-root-token'
  write(
    'tokens.json',
    each((baseUrl) => ({ token, kind: 'personal', baseUrl })),
  )
  return config
}

/** The setup of a recipe that needs more than the sample data. */
interface RecipeSetup {
  readonly options?: Partial<SandboxOptions>
  /** Lines to run before the recipe. */
  readonly before?: readonly string[]
  /** A number that fits the small sample data, and the number of the recipe that it replaces. */
  readonly instead?: readonly [shown: string, tried: string]
}

const recipeSetups: Readonly<Partial<Record<keyof typeof recipes, RecipeSetup>>> = {
  'resource-group': {
    options: { jobs: 'hold' },
    before: [
      'svcctl commits create -P platform/app --branch main --commit-message Twice --update grouped.yml=.gitlab-ci.yml',
    ],
  },
  'user-storage': {
    options: { speed: Number.POSITIVE_INFINITY },
    before: [
      'svcctl storage-move schedule projects --source-storage-name default --destination-storage-name second --yes',
    ],
  },
  seats: { instead: ['last_activity_on>90d', 'last_activity_on>10d'] },
  'large-artifacts': { instead: ['size>100000000', 'size>200'] },
}

/** Exit codes of lines that report problems of the embedded instance. */
const exitCodes: Readonly<Record<string, number>> = {
  [recipes.replication.lines[0]]: 2,
  [recipes.evidence.lines[1]]: 1,
}

/** Runs the lines of a recipe as written, and checks the results. */
const runRecipe = (
  { lines }: Recipe,
  { options, before = [], instead: [shown, tried] = ['', ''] }: RecipeSetup,
  look: (left: RecipeResult) => Promise<void>,
): Promise<void> =>
  withSandbox(async (cwd, env) => {
    mkdirSync(join(cwd, 'ci'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
    for (const line of before) expect(await runInSh(line, cwd, env)).toMatchObject({ code: 0 })
    const printed: string[] = []
    for (const written of lines) {
      const line = written.replace(shown, tried)
      const ran = await runInSh(line, cwd, env)
      const end = exitCodes[line] ?? 0
      expect([ran.code, line, ran.code === end ? '' : ran.stderr]).toEqual([end, line, ''])
      // No field or attribute is unknown, and no column is empty.
      expect(ran.stderr).not.toMatch(/unknown field|no record has|did not take|nothing shows/)
      if (line.includes('--fields') && ran.stdout !== '')
        expect([line, listEmptyColumns(ran.stdout)]).toEqual([line, []])
      printed.push(ran.stdout)
    }
    await look({
      printed,
      file: (name) => readFileSync(join(cwd, name), 'utf8'),
      folder: (name) => readdirSync(join(cwd, name), { encoding: 'utf8', recursive: true }),
      ask: async (...args) => {
        const all = args.includes('list') ? ['--limit', 'all'] : []
        const { stdout } = await svcctl([...args, ...all, '-o', 'json'], { cwd, env })
        return JSON.parse(stdout)
      },
    })
  }, options)

/** Runs the recipe about two instances, one of which has a different setting. */
const runCompareRecipe = ({ lines }: Recipe): Promise<void> =>
  withSandbox((cwd, staging) =>
    withSandbox(async (_, prod) => {
      const changed = await svcctl(
        ['settings', 'update', '--default-projects-limit', '7', '--yes'],
        { env: prod },
      )
      expect(changed.code).toBe(0)
      const urls = { staging: staging.SVC_BASE_URL ?? '', prod: prod.SVC_BASE_URL ?? '' }
      const env = { SVC_CONFIG_DIR: writeProfiles(urls), SVC_NO_KEYRING: '1' }
      const [exported, planned] = [lines[0] ?? '', lines[1] ?? '']
      expect(await runInSh(exported, cwd, env)).toMatchObject({ code: 0 })
      const { stdout, code } = await runInSh(planned, cwd, env)
      expect(code).toBe(0)
      expect(stdout).toMatch(/default_projects_limit +7 → \d+/)
      expect(stdout.match(/→/g)).toHaveLength(1)
    }),
  )

const parseCsv = (csv: string): string[][] =>
  csv
    .trimEnd()
    .split(/\r?\n/)
    .map((row) => row.split(','))

/** Returns the columns without any value in a piped table; all columns if it has no rows. */
const listEmptyColumns = (printed: string): readonly string[] => {
  const [head = [], ...rows] = printed
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'))
  if (head.length === 1 && rows.length === 0) return head.filter((value) => value === '')
  return head.filter((_, at) => rows.every((row) => (row[at] ?? '') === ''))
}

/** Returns the IDs in a piped table. */
const listIds = (printed: string): readonly string[] =>
  printed
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.split('\t')[0] ?? '')

/** Returns the values of one column of a piped table. */
const getColumn = (printed: string, name: string): readonly string[] => {
  const [head = [], ...rows] = printed
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'))
  return rows.map((row) => row[head.indexOf(name)] ?? '')
}

/** Checks the purpose of each recipe. */
const recipeChecks: Readonly<
  Record<Exclude<keyof typeof recipes, 'compare'>, (left: RecipeResult) => Promise<void>>
> = {
  versions: async ({ printed: [old = ''], ask }) => {
    const runners = await ask('runners', 'list', '--instance', '--fields', 'id,version')
    const known = runners.filter(({ version }) => typeof version === 'string' && version !== '')
    expect(known.length).toBeGreaterThan(0)
    const numbers = (ids: readonly unknown[]) => ids.map(Number).sort((a, b) => a - b)
    expect(numbers(getColumn(old, 'id'))).toEqual(numbers(known.map(({ id }) => id)))
    for (const version of getColumn(old, 'version')) expect(version).toMatch(/^14\.[0-6]\./)
  },
  'slowest-jobs': async ({ printed: [slow = ''], ask }) => {
    const all = await ask('jobs', 'list', '--all-projects')
    const week = all.filter(
      ({ record }) =>
        record.created_at >= '2026-10-05' &&
        record.created_at < '2026-10-12' &&
        record.duration > 0,
    )
    expect(week.length).toBeGreaterThan(1)
    expect(new Set(getColumn(slow, 'id'))).toEqual(
      new Set(week.map(({ record }) => `${record.id}`)),
    )
    const durations = getColumn(slow, 'duration').map(Number)
    expect(durations).toEqual([...durations].sort((a, b) => b - a))
  },
  'resource-group': async ({ printed: [why = '', changed = ''] }) => {
    expect(why).toContain('its resource group production is in use by deploy one (28, running)')
    expect(changed).toMatch(/^process_mode\tnewest_first$/m)
  },
  runaway: async ({ printed: [cancel = '', paused = '', back = ''], ask }) => {
    const jobs = await ask('jobs', 'list', '-P', 'platform/app')
    const meant = jobs.filter(({ status }) => status === 'running' || status === 'pending')
    const ids = [...cancel.matchAll(/platform%2Fapp\/jobs\/(\d+)\/cancel$/gm)].map(([, id]) => id)
    expect(ids).toEqual(meant.map(({ id }) => String(id)))
    expect(cancel).toMatch(/^curl --request POST/)
    expect(listIds(paused).length).toBeGreaterThan(0)
    expect(listIds(back)).toEqual(listIds(paused))
  },
  freeze: async ({ printed: [frozen = '', limited = ''], ask }) => {
    expect(listIds(frozen).length).toBeGreaterThan(0)
    expect(limited).toContain('default_project_creation')
    await withSandbox(async (_, env) => {
      expect(toStates(await ask('runners', 'list', '--instance'))).toEqual(
        await getRunnerStates(env),
      )
      const { stdout } = await svcctl(['settings', 'get', '-o', 'json'], { env })
      expect(await ask('settings', 'get')).toMatchObject({
        default_project_creation: JSON.parse(stdout).default_project_creation,
      })
    })
  },
  onboarding: async ({ printed: [tried = ''], ask }) => {
    expect(tried).toContain('POST /groups/web/members')
    const members = await ask('members', 'list', '-G', 'web')
    const added = members.flatMap(({ id, access_level, expires_at }) =>
      [1, 5, 6].includes(id) ? [[id, access_level, expires_at]] : [],
    )
    expect(added.sort()).toEqual([
      [1, 30, '2036-01-31T00:00:00.000Z'],
      [5, 20, null],
      [6, 10, null],
    ])
  },
  owners: async ({ file, ask }) => {
    const [head, ...rows] = parseCsv(file('owners.csv'))
    expect(head?.slice(0, 2)).toEqual(['group', 'id'])
    const groups = await ask('members', 'list', '--all-groups')
    const meant = groups.filter(({ record }) => record.access_level === 50)
    expect(meant.length).toBeGreaterThan(0)
    expect(rows.map(([group, id]) => `${group} ${id}`).sort()).toEqual(
      meant.map(({ group, record }) => `${group} ${record.id}`).sort(),
    )
  },
  stale: async ({ printed: [table = ''], ask }) => {
    const open = await ask('mr', 'list', '--scope', 'all', '--state', 'opened')
    const old = open.filter(
      ({ updated_at }) => Date.parse(updated_at) < Date.now() - 14 * 86_400_000,
    )
    expect(old.length).toBeGreaterThan(0)
    expect(table.trimEnd().split('\n').slice(2)).toHaveLength(old.length)
    for (const { title } of old) expect(table).toContain(`| ${title} |`)
  },
  'user-storage': async ({ printed: [requests = '', moved = ''], ask }) => {
    const projects = await ask('projects', 'list', '--user', 'ben')
    expect(projects.length).toBeGreaterThan(0)
    for (const { id } of projects)
      expect(requests).toMatch(
        new RegExp(
          `^curl --request POST .*destination_storage_name.*/projects/${id}/repository_storage_moves$`,
          'm',
        ),
      )
    expect(getColumn(moved, 'id')).toEqual(projects.map(({ id }) => String(id)))
    expect(new Set(getColumn(moved, 'repository_storage'))).toEqual(new Set(['second']))
  },
  'large-artifacts': async ({ printed: [, tried = ''], file, ask }) => {
    const large = file('large.ndjson').trimEnd().split('\n')
    expect(large.length).toBeGreaterThan(1)
    for (const line of large)
      expect(tried).toContain(`\t${JSON.parse(line).record.id}\tobject\t\tremoved`)
    const left = await ask('jobs', 'list', '--all-projects', '--where', 'artifacts_file.size>0')
    expect(left.length).toBeGreaterThan(0)
    for (const { record } of left) expect(record.artifacts_file.size).toBeLessThanOrEqual(200)
  },
  'push-keys': async ({ printed: [keys = ''], ask }) => {
    const all = await ask('deploy-keys', 'list', '--all-projects')
    const meant = all.filter(({ record }) => record.can_push)
    expect(meant.length).toBeGreaterThan(0)
    expect(meant.length).toBeLessThan(all.length)
    expect(getColumn(keys, 'id')).toEqual(meant.map(({ record }) => String(record.id)))
  },
  'no-approvals': async ({ printed: [, , bare = ''], ask }) => {
    const projects = await ask('projects', 'list', '--no-archived')
    const rules = await ask('approvals', 'rules', 'list', '--all-projects')
    const ruled = new Set(rules.map(({ project }) => project))
    const meant = projects.filter((one) => !ruled.has(one.path_with_namespace))
    expect(meant.length).toBeGreaterThan(0)
    expect(meant.length).toBeLessThan(projects.length)
    expect(bare.trimEnd().split('\n')).toEqual(meant.map((one) => one.path_with_namespace).sort())
  },
  integrations: async ({ printed: [active = '', , deleted = '', enabled = ''], file, ask }) => {
    expect(getColumn(active, 'slug')).toContain('emails-on-push')
    expect(file('before.yml')).toContain('recipients:')
    expect(deleted).toBe('')
    expect(enabled).toMatch(/^active\ttrue$/m)
    const [now] = await ask('integrations', 'list', '-P', 'platform/app')
    expect(now).toMatchObject({ slug: 'emails-on-push', active: true })
  },
  approvals: async ({ printed: [tried = ''], ask }) => {
    expect(tried).toContain('POST /projects/')
    const projects = await ask('projects', 'list', '--where', 'path_with_namespace~platform/*')
    const rules = await ask('approvals', 'rules', 'list', '-G', 'platform')
    const two = rules.filter(({ record }) => record.name === 'Two reviewers')
    expect(two.map(({ project }) => project).sort()).toEqual(
      projects.map((p) => p.path_with_namespace).sort(),
    )
    for (const { record } of two) expect(record.approvals_required).toBe(2)
  },
  vulnerabilities: async ({ file, ask }) => {
    const [head, ...rows] = parseCsv(file('critical.csv'))
    expect(head?.slice(0, 3)).toEqual(['project', 'id', 'severity'])
    const found = await ask('vulnerabilities', 'list', '-G', 'platform')
    const meant = found.filter(
      ({ record }) => record.severity === 'critical' && record.state === 'detected',
    )
    expect(meant.length).toBeGreaterThan(0)
    expect(rows.map(([project, id]) => [project, Number(id)])).toEqual(
      meant.map(({ project, record }) => [project, record.id]),
    )
  },
  members: async ({ file }) => {
    const [head, ...rows] = parseCsv(file('members.csv'))
    expect(head?.[0]).toBe('of')
    const level = head?.indexOf('access_level') ?? -1
    for (const row of rows)
      expect(row[level]).toMatch(/^(guest|reporter|developer|maintainer|owner)$/)
    const of = new Set(rows.map(([one]) => one))
    expect([...of]).toEqual(
      expect.arrayContaining(['group:platform', 'group:platform/core', 'project:platform/app']),
    )
  },
  'deploy-keys': async ({ ask, file }) => {
    const before = file('old.ndjson').trimEnd().split('\n')
    const keys = await ask('deploy-keys', 'list', '-G', 'platform')
    expect(keys.filter(({ record }) => record.title === 'deploy')).toEqual([])
    const now = keys.filter(({ record }) => record.title === 'deploy-2026')
    expect(now.map(({ project }) => project)).toEqual(
      before.map((line) => JSON.parse(line).project),
    )
    expect(now).toHaveLength(2)
    expect(keys.length).toBeGreaterThan(2)
  },
  runners: async ({ printed: [paused = '', silent = ''], ask }) => {
    const offline = listIds(paused)
    expect(offline.length).toBeGreaterThan(0)
    expect(silent.split('\n')[0]).toBe('id\tdescription\tstatus')
    expect(listIds(silent).length).toBeGreaterThan(0)
    for (const id of listIds(silent)) {
      const { contacted_at } = { contacted_at: '', ...(await ask('runners', 'get', id)) }
      expect(Date.parse(contacted_at)).toBeLessThan(Date.now() - 30 * 86_400_000)
    }
    const now = toStates(await ask('runners', 'list', '--instance'))
    for (const row of paused.trimEnd().split('\n').slice(1))
      expect(row.split('\t').at(-1)).toBe('false')
    for (const id of offline) expect(now.get(Number(id))).toBe(true)
    // Equal to an untouched instance; runners that were paused before still are.
    await withSandbox(async (_, env) => expect(now).toEqual(await getRunnerStates(env)))
  },
  jobs: async ({ printed: [stuck = '', why = ''], ask }) => {
    const all = await ask('jobs', 'list', '--all-projects')
    const waiting = all.filter(
      ({ record }) =>
        record.status === 'pending' && Date.parse(record.created_at) < Date.now() - 3_600_000,
    )
    expect(waiting.length).toBeGreaterThan(0)
    expect(
      stuck
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((row) => row.split(/\t/)[1]),
    ).toEqual(waiting.map(({ record }) => String(record.id)))
    expect(why).toContain('the only matching runner is paused')
    expect(why).toContain('svcctl runners resume 3')
  },
  leaver: async ({ printed: [before = '', plan = ''], file, ask }) => {
    const direct = before.split('\n').filter((row) => row.includes('\tdirect\t'))
    expect(direct.length).toBeGreaterThan(1)
    expect(plan.split('\n').filter((row) => row.includes('\tplanned\t'))).toHaveLength(
      direct.length,
    )
    expect(file('leaver.md').match(/\| removed \|/g)).toHaveLength(direct.length)
    expect(await ask('members', 'where', 'eva')).toEqual([])
  },
  replication: async ({ printed: [line = ''] }) => {
    expect(line).toMatch(/^GEO CRITICAL - .*unhealthy.* \| lag=/)
    expect(line).not.toContain('\n')
  },
  ci: async ({ printed: [report = ''], file }) => {
    expect(report.split('\n').map((row) => row.split('\t').slice(0, 2))).toEqual([
      ['file', 'valid'],
      ['.gitlab-ci.yml', 'true'],
      ['ci/deploy.yml', 'true'],
    ])
    expect(file('lint.xml')).toContain('tests="2"')
  },
  rebase: async ({ printed: [rebased = ''], ask }) => {
    const open = await ask('mr', 'list', '-P', 'platform/app', '--state', 'opened')
    expect(open.some((request) => request.has_conflicts)).toBe(true)
    const meant = open.filter((request) => !request.has_conflicts).map(({ id }) => String(id))
    expect(meant.length).toBeGreaterThan(0)
    expect(listIds(rebased)).toHaveLength(meant.length)
  },
  storage: async ({ ask }) => {
    const projects = await ask('projects', 'list')
    expect(projects.map((project) => project.repository_storage)).not.toContain('default')
    await withSandbox(async (_, env) => {
      const { stdout } = await svcctl(['projects', 'list', '-o', 'json', '-L', 'all'], { env })
      expect(stdout).toContain('"repository_storage":"default"')
    })
  },
  settings: async ({ printed: [, plan = '', , back = ''], file, ask }) => {
    expect(plan).toMatch(/admin_mode +false → true/)
    expect(plan).toMatch(/default_project_visibility +private → internal/)
    expect(plan).toContain('1 to change')
    expect(back).toMatch(/default_project_visibility +internal → private/)
    expect(file('before.yml')).toContain('admin_mode: false')
    expect(await ask('settings', 'get')).toMatchObject({
      admin_mode: false,
      default_project_visibility: 'private',
    })
  },
  artifacts: async ({ folder }) => {
    const written = folder('out')
    expect(written.length).toBeGreaterThan(0)
    expect(written).toContain('dist')
  },
  certificates: async ({ printed: [ending = ''] }) => {
    const [head = '', ...rows] = ending.split('\n')
    const at = head.split('\t').indexOf('expires_at')
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows)
      expect(Date.parse(row.split('\t')[at] ?? '')).toBeLessThan(Date.now() + 30 * 86_400_000)
  },
  'error-tracking': async ({ printed: [address = ''] }) => {
    expect(new URL(address).username).not.toBe('')
    expect(address).not.toContain('*')
  },
  'access-review': async ({ file, ask }) => {
    const [head = [], ...rows] = parseCsv(file('access.csv'))
    expect(head).toEqual([
      'name',
      'group:platform',
      'project:platform/app',
      'project:platform/tools/cli',
    ])
    const members = await ask('members', 'list', '-P', 'platform/app', '--inherited')
    const named = rows.filter(([, , app = '']) => app !== '').map(([name]) => name)
    for (const { username } of members) expect(named).toContain(username)
    expect(file('access.html')).toContain('<table')
  },
  seats: async ({ printed: [count = '', idle = ''], ask }) => {
    const billable = await ask('members', 'billable', 'list', '-G', 'platform')
    expect(getColumn(count, 'count')).toEqual([String(billable.length)])
    const old = Date.now() - 10 * 86_400_000
    const inactive = billable.filter(
      ({ last_activity_on: day }) => !day || Date.parse(String(day)) < old,
    )
    const names = idle === '' ? [] : getColumn(idle, 'username')
    expect(names.toSorted()).toEqual(inactive.map(({ username }) => username).toSorted())
  },
  queue: async ({ printed: [waits = '', slow = ''], ask }) => {
    const jobs = await ask('jobs', 'list', '--all-projects')
    const sum = getColumn(waits, 'count').reduce((all, count) => all + Number(count), 0)
    expect(sum).toBe(jobs.length)
    const times = getColumn(slow, 'p95_duration').map(Number)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
  },
  'artifact-size': async ({ printed: [sizes = ''], ask }) => {
    const jobs = await ask('jobs', 'list', '--all-projects')
    const bytes = jobs.reduce((all, { record }) => all + (record.artifacts_file?.size ?? 0), 0)
    const sum = getColumn(sizes, 'sum_artifacts_file_size').reduce((all, n) => all + Number(n), 0)
    expect([sum, bytes > 0]).toEqual([bytes, true])
  },
  changes: async ({ printed: [, members = '', projects = ''], folder }) => {
    expect(folder('last-week')).toContain('manifest.json')
    // Nothing has changed between the two reads.
    expect([members, projects].filter((text) => /added|removed|changed/.test(text))).toEqual([])
  },
  evidence: async ({ file }) => {
    expect(JSON.parse(file('evidence/manifest.json'))).toMatchObject({ user: 'root' })
    expect(file('evidence/policy.xml')).toContain('<failure')
    expect(file('evidence/policy.md')).toContain('projects/web/site')
  },
  time: async ({ printed: [, , stats = ''] }) => {
    const at = getColumn(stats, 'iid').indexOf('1')
    expect(getColumn(stats, 'time_stats.time_estimate')[at]).toBe(String(3 * 8 * 3600))
    await withSandbox(async (_, env) => {
      const { stdout } = await svcctl(['issues', 'time-stats', 'platform/app#1', '-o', 'json'], {
        env,
      })
      const before = JSON.parse(stdout).total_time_spent
      expect(getColumn(stats, 'time_stats.total_time_spent')[at]).toBe(String(before + 5400))
    })
  },
}

/** Maps each runner to whether it accepts jobs. */
const toStates = (runners: readonly { id: number; active: boolean }[]) =>
  new Map(runners.map(({ id, active }) => [id, active]))

const getRunnerStates = async (env: Record<string, string>) => {
  const { stdout } = await svcctl(['runners', 'list', '--instance', '-L', 'all', '-o', 'json'], {
    env,
  })
  return toStates(JSON.parse(stdout))
}

describe('the recipe', () => {
  it.each(Object.entries(recipes))('%s does what it is for', async (name, recipe) => {
    if (name === 'compare') return runCompareRecipe(recipe)
    const known = name as keyof typeof recipeChecks
    await runRecipe(recipe, recipeSetups[known] ?? {}, recipeChecks[known])
  })

  it('is one of thirty-six', () => {
    expect(Object.keys(recipes)).toHaveLength(36)
  })
})

it('the page shows every line whole, at eighty columns', async () => {
  const { stdout, code } = await svcctl(['help', 'recipes'])
  expect(code).toBe(0)
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  const joined = stdout.replace(/ \\\n +/g, ' ')
  for (const { lines, job } of Object.values(recipes)) {
    expect(stdout).toContain(job)
    for (const line of lines) expect(joined).toContain(`$ ${line}\n`)
  }
})

/** Parses the jobs of the guide that split a run. */
const parseGuideJobs = (): Record<'pause' | 'result', { parallel?: number; script: string }> => {
  return parse(findYamlBlock('pause'))
}

it('eight jobs of a pipeline share a run out, and a last one shows their journals as one', async () => {
  const { pause, result } = parseGuideJobs()
  await withSandbox(async (cwd, env) => {
    const all = () => getRunnerStates(env)
    const before = await all()
    writeFileSync(join(cwd, 'ids.txt'), [...before.keys()].map((id) => `${id}\n`).join(''))
    const total = pause.parallel ?? 0
    expect(total).toBe(8)
    const parts = Array.from({ length: total }, (_, i) => ({
      CI_NODE_INDEX: String(i + 1),
      CI_NODE_TOTAL: String(total),
      SVC_CONFIG_DIR: createConfiguration(),
    }))
    const ran = await Promise.all(
      parts.map((part) => runInSh(pause.script, cwd, { ...env, ...part })),
    )
    expect(ran.map(({ code }) => code)).toEqual(Array(total).fill(0))
    expect([...(await all()).values()]).toEqual(Array(before.size).fill(false))
    const joined = await runInSh(result.script, cwd, env)
    const paused = [...before.values()].filter((active) => !active).length
    expect(joined.code).toBe(0)
    expect(joined.stderr).toContain(`${before.size - paused} done, ${paused} unchanged`)
    const journals = parts.map((_, i) => `part-${i + 1}.ndjson`)
    const left = await runInSh(`svcctl runners pause --resume ${journals[0]}`, cwd, env)
    expect(left.code).toBe(0)
    for (const journal of journals) {
      const undone = await runInSh(`svcctl journal undo ${journal} --yes`, cwd, env)
      expect([journal, undone.code]).toEqual([journal, 0])
    }
    expect(await all()).toEqual(before)
  })
}, 60_000)

/** Tests a plan that is compared with another commit of a real repository, and the guide's jobs that review and apply it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder, getCleanEnv } from '../support/program.js'
import { createLinePath } from '../support/shell.js'
import { runProgram } from '../support/starting.js'
import { svcctl } from '../support/within.js'
import { type Hook, startProxy } from './front.js'

const { url } = useSharedSandbox()

const identity = [
  '-c',
  'user.name=t',
  '-c',
  'user.email=t@example.test',
  '-c',
  'commit.gpgsign=false',
]

const runGit = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim()

/** Creates a repository with one commit that declares nothing, and functions that run lines in it. */
const createRepository = async (hook?: Hook) => {
  const front = await startProxy(url, hook)
  const cwd = createFolder()
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: front.base }
  const inside = (...args: readonly string[]): string => runGit(cwd, ...args)
  const commit = (files: Readonly<Record<string, string | undefined>>): string => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(cwd, path, '..'), { recursive: true })
      if (text === undefined) rmSync(join(cwd, path))
      else writeFileSync(join(cwd, path), text)
    }
    inside('add', '-A')
    inside('commit', '-q', '-m', 'x')
    return inside('rev-parse', 'HEAD')
  }
  inside('init', '-q', '-b', 'main')
  const first = commit({ README: 'empty' })
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { run, git: inside, commit, first, cwd, env, front }
}
const buildRule = (n: number, more = ''): string =>
  `version: 1\nprojects: {platform/app: {approval_rules: {Security: {approvals_required: ${n}}${more}}}}\n`
const buildSettings = (text: string): string =>
  `version: 1\nsite: {settings: {after_sign_up_text: ${text}}}\n`

describe('a plan against a commit', () => {
  it('is empty against HEAD, and whole against a commit without files', async () => {
    const { run, commit, first } = await createRepository()
    commit({ 'svcctl/a.yml': buildRule(2), 'svcctl/s.yml': buildSettings('hello') })
    const whole = (await run('plan')).stdout
    const same = await run('plan --against HEAD')
    expect(same.code).toBe(0)
    expect(same.stdout).toMatch(
      /2 other changes from before that commit\. Apply includes all changes\./,
    )
    const all = (await run(`plan --against ${first}`)).stdout
    const shown = (text: string): string => text.slice(0, text.indexOf('\n\n'))
    expect(shown(all)).toBe(shown(whole))
    expect(all).toContain('0 other changes')
  })

  it('shows what changed, what is no longer wanted, and what is left as it is', async () => {
    const { run, git, commit, cwd } = await createRepository()
    const team = (users: string): string =>
      `version: 1\nteams: {leads: {users: [${users}]}}\ngroups: {platform: {members: {team:leads: developer}}}\n`
    commit({
      'svcctl/a.yml': buildRule(2, ', Release: 1'),
      'svcctl/s.yml': buildSettings('hello'),
      'svcctl/t.yml': team('ben, eva'),
      'svcctl/gone.yml':
        'version: 1\nprojects: {web/shop: {approvals: {reset_approvals_on_push: true}}}\n',
    })
    git('checkout', '-q', '-b', 'work')
    commit({
      'svcctl/a.yml': buildRule(1, ', Release: 2'),
      'svcctl/t.yml': team('ben'),
      'svcctl/gone.yml': undefined,
    })
    const { stdout } = await run('plan --against main --out plan.json')
    expect(stdout).toContain('approval_rules/Release')
    expect(stdout).not.toContain('settings')
    expect(stdout).toContain(
      'no longer wanted: update projects/platform/app:approval_rules/Security',
    )
    expect(stdout).toContain('groups/platform:members/eva (left team leads')
    expect(stdout).toContain('projects/web/shop:approvals#reset_approvals_on_push')
    expect(stdout).toContain('2 other changes')
    const kept = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8')) as { actions: object[] }
    expect(kept.actions).toHaveLength(3)
  })

  it('reads files that are named as they were, and takes none that are new for old', async () => {
    const { run, commit } = await createRepository()
    const key = (end: string): string =>
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6yD2mlIRgmyZvFPGkn4Cdyc8N+EhUUpU0wIlFcpn${end} ci\n`
    const file =
      'version: 1\nprojects: {platform/app: {deploy_keys: {ci: {key: {file: ci.pub}}}}}\n'
    commit({ 'svcctl/k.yml': file, 'svcctl/ci.pub': key('nw') })
    commit({ 'svcctl/ci.pub': key('xx') })
    expect((await run('plan --against HEAD')).stdout).toContain('1 other change')
    expect((await run('plan --against HEAD~1')).stdout).toContain('deploy_keys/ci')
  })

  it('shows all where the files were wrong before, and says why', async () => {
    const { run, commit } = await createRepository()
    commit({ 'svcctl/a.yml': 'version: 1\ngroups: {platform: {members: {ben: }}}\n' })
    commit({ 'svcctl/a.yml': buildRule(2) })
    const { code, stdout, stderr } = await run('plan --against HEAD~1')
    expect([code, stdout]).toEqual([0, expect.stringContaining('approval_rules/Security')])
    expect(stderr).toMatch(
      /the files at [0-9a-f]{7} are invalid, so all changes are shown: svcctl\/a\.yml:2:\d+: ben has no value/,
    )
  })

  it('is refused where there is nothing to compare with', async () => {
    const { run, git, commit, cwd } = await createRepository()
    commit({ 'svcctl/a.yml': buildRule(2) })
    git('checkout', '-q', '--orphan', 'other')
    commit({ 'svcctl/b.yml': buildSettings('b') })
    const said = async (line: string): Promise<readonly [number, string]> => {
      const { code, stderr } = await run(line)
      return [code, stderr]
    }
    expect(await said('plan --against main')).toEqual([
      2,
      expect.stringContaining('In a CI job, set the variable GIT_DEPTH to 0 to fetch all commits.'),
    ])
    expect(await said('plan --against nowhere')).toEqual([
      2,
      expect.stringContaining('unknown commit nowhere'),
    ])
    expect(await said('plan --against --output=x')).toEqual([2, expect.anything()])
    expect(await said('plan - --against HEAD')).toEqual([2, expect.anything()])
    const outside = join(createFolder(), 'f.yml')
    writeFileSync(outside, buildRule(2))
    expect(await said(`plan ${outside} --against HEAD`)).toEqual([
      2,
      expect.stringContaining('is outside of the repository'),
    ])
    rmSync(join(cwd, '.git'), { recursive: true })
    expect(await said('plan --against HEAD')).toEqual([
      2,
      expect.stringContaining('--against requires a git repository and the program git'),
    ])
  })

  it('is refused with the words of git where git cannot read the repository', async () => {
    const { run, commit, cwd } = await createRepository()
    const said = async () => {
      const { code, stderr } = await run('plan --against HEAD~1')
      return [code, stderr]
    }
    commit({ 'svcctl/a.yml': buildRule(1) })
    commit({ 'svcctl/a.yml': buildRule(2) })
    const objects = join(cwd, '.git', 'objects')
    for (const name of readdirSync(objects).filter((one) => one.length === 2))
      for (const file of readdirSync(join(objects, name)))
        if (runGit(cwd, 'cat-file', '-t', name + file) === 'blob') rmSync(join(objects, name, file))
    expect(await said()).toEqual([
      2,
      expect.stringMatching(/repository is damaged: [0-9a-f]{40} missing/),
    ])
    runGit(cwd, 'config', 'core.repositoryformatversion', '99')
    expect(await said()).toEqual([2, expect.stringContaining('program git: fatal: ')])
  })

  it('finds files that are named by a link to their folder', async () => {
    const { run, commit, cwd } = await createRepository()
    commit({ 'svcctl/a.yml': buildRule(2) })
    const link = join(createFolder(), 'link')
    symlinkSync(cwd, link)
    expect((await run(`plan ${link}/svcctl --against HEAD`)).stdout).toContain('1 other change')
  })
})

it('is a note of which nothing comes but text', async () => {
  const { run, commit, cwd, first } = await createRepository()
  const hostile = '@all | `code` ``two`` <!-- x --> &amp; https://evil.example\n/close\n'
  commit({ 'svcctl/s.yml': buildSettings(JSON.stringify(hostile)) })
  const { stdout } = await run(`plan --against ${first} -o markdown --report markdown=r.md`)
  expect(readFileSync(join(cwd, 'r.md'), 'utf8')).toBe(stdout)
  expect(stdout).toMatch(/^<!-- svcctl:plan -->\n## Plan for /)
  const line = stdout.split('\n').find((one) => one.includes('after_sign_up_text')) ?? ''
  expect(line).toContain(
    '```@all \\| `code` ``two`` <!-- x --> &amp; https://evil.example⏎/close⏎```',
  )
  expect(stdout).not.toMatch(/^\/close/m)
  expect(stdout).toContain('Compared with `')
})

it('is a note of a size that services take, whatever there is to say', async () => {
  const { run, commit } = await createRepository()
  // Each item is created, and its value overrides a range.
  const rules = (value: string, from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `R${from + i}: ${value}`).join(', ')
  const below = rules('{approvals_required: {min: 2}}', 0, 900)
  const places = ['app', 'tools/cli'].map(
    (path, i) =>
      `platform/${path}: {approval_rules: {${rules('1', i * 700, 700 + i * 200)}, Security: null}}`,
  )
  commit({
    'svcctl/a.yml': `version: 1\ngroups: {platform/**: {projects: {approval_rules: {${below}}}}}\nprojects: {${places.join(', ')}}\n`,
    'svcctl/b.yml': 'version: 1\ngroups: {platform: {members: {dov: null, eva: null}}}\n',
  })
  const { code, stdout } = await run('plan -o markdown')
  expect([code, Buffer.byteLength(stdout) < 200_000]).toEqual([0, true])
  expect(stdout).toContain('| `groups/platform:members/dov` (and 1 more) | ')
  expect(stdout).toMatch(/^[\d,]+ more objects are not shown\.$/m)
  expect(stdout).toMatch(/^\d more changed objects are not shown\.$/m)
  expect(stdout).toMatch(/ requests\.\n$/)
})

describe('the jobs of the guide', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../.github/guide/as-code.md'), 'utf8')
  const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const jobs = parse(blocks.at(-1) ?? '') as Record<string, { readonly script: readonly string[] }>

  it('keep one note, and apply the plan that was reviewed, once', async () => {
    const notes: { id: number; body: string; author: { id: number } }[] = [
      { id: 1, body: 'Looks good', author: { id: 1 } },
    ]
    let [head, artifact] = ['', '']
    const answer = (asked: string, method: string, body: string): unknown => {
      const path = asked.replace(/^\/api\/v4\/projects\/1/, '').replace(/\?.*$/, '')
      if (path === '/merge_requests/7/notes' && method === 'GET') return notes
      if (path.startsWith('/merge_requests/7/notes')) {
        const { body: text } = JSON.parse(body) as { body: string }
        const known = notes.find(({ id }) => path.endsWith(`/${id}`))
        if (known === undefined) notes.push({ id: 2, body: text, author: { id: 1 } })
        else known.body = text
        return known ?? notes.at(-1)
      }
      if (path === '/merge_requests') return [{ iid: 7, sha: head, merge_commit_sha: null }]
      if (path === '/merge_requests/7') return { iid: 7, head_pipeline: { id: 70 } }
      if (path === '/pipelines/70/jobs')
        return [
          { id: 1, name: 'test' },
          { id: 2, name: 'plan' },
        ]
      return undefined
    }
    const { commit, git, cwd, env, front } = await createRepository(
      ({ url: asked, method, body }, response) => {
        const isArtifact = asked.endsWith('/jobs/2/artifacts/plan.json')
        const said = isArtifact ? artifact : JSON.stringify(answer(asked, method, body))
        if (said === undefined) return false
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(said)
        return true
      },
    )
    const path = await createLinePath()
    const config = createConfiguration()
    const job = async (name: string, more: Readonly<Record<string, string>>) => {
      const script = `set -eo pipefail\n${jobs[name]?.script.join('\n')}`
      const all = { ...getCleanEnv(), ...env, ...more, PATH: path }
      const run = runProgram('bash', ['-c', script], {
        cwd,
        env: { ...all, SVC_CONFIG_DIR: config },
      })
      return run
    }
    const base = commit({ 'svcctl/a.yml': buildRule(1) })
    git('checkout', '-q', '-b', 'work')
    const tokens = { READ_TOKEN: env.SVC_TOKEN, SVC_NOTE_TOKEN: env.SVC_TOKEN }
    const mr = {
      ...tokens,
      CI_PROJECT_ID: '1',
      CI_MERGE_REQUEST_IID: '7',
      CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
    }
    for (const n of [3, 2]) {
      head = commit({ 'svcctl/a.yml': buildRule(n) })
      const planned = await job('plan', mr)
      expect([planned.code, planned.code === 0 ? '' : planned.stderr.toString()]).toEqual([0, ''])
    }
    artifact = readFileSync(join(cwd, 'plan.json'), 'utf8')
    expect(notes.map(({ id }) => id)).toEqual([1, 2])
    expect(notes[1]?.body).toMatch(
      /\| ~ \| `approval_rules\/Security` \| `approvals_required` \| `1` \| `2` \|/,
    )
    const push = { CI_PROJECT_ID: '1', CI_COMMIT_SHA: head }
    const writes = () =>
      front.written().filter(({ url: at }) => at.includes('approval_rules')).length
    const applied = await job('apply', push)
    expect([applied.code, applied.code === 0 ? '' : applied.stderr.toString()]).toEqual([0, ''])
    expect(writes()).toBe(1)
    head = commit({ 'svcctl/a.yml': buildRule(3) })
    const stale = await job('apply', { ...push, CI_COMMIT_SHA: head })
    expect([stale.code, writes()]).toEqual([5, 1])
  })
})

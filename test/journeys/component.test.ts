/** The jobs that other repositories include, run in several shells as a runner does, with inputs that our linter filled in. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startProxy } from '../commands/front.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { runInShell } from '../support/shell.js'
import { hasProgram } from '../support/terminal.js'
import { svcctl } from '../support/within.js'

interface Job {
  readonly script: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}
interface Note {
  readonly id: number
  body: string
  readonly author: { readonly id: number }
}

const component = '.github/ci/component.yml'
const { url } = useSharedSandbox()
const token = 'sandbox-root-token'

const runLint = (...flags: readonly string[]) =>
  svcctl([
    'ci',
    'lint',
    join(process.cwd(), component),
    '--strict',
    '--sandbox',
    '--as-of',
    '17.0',
    ...flags,
  ])

/** Reads the jobs with the defaults of all inputs, as an instance reads them. */
const readJobs = async (): Promise<Readonly<Record<string, Job>>> => {
  const { stdout } = await runLint('--include-merged-yaml', '-o', 'json')
  const [{ merged_yaml: text }] = [JSON.parse(stdout)].flat() as [{ merged_yaml: string }]
  return parse(text) as Record<string, Job>
}
let read: ReturnType<typeof readJobs> | undefined
const getJobs = () => {
  read ??= readJobs()
  return read
}

/** Runs a job in a shell, with its variables and those that a runner sets. */
const run = async (
  name: string,
  { shell, cwd, base }: { shell: readonly string[]; cwd: string; base: string },
  more: Readonly<Record<string, string>> = {},
) => {
  const { [name]: job, '.svcctl': common } = await getJobs()
  const script = job?.script ?? []
  const variables = { ...common?.variables, ...job?.variables }
  expect(script.length).toBeGreaterThan(0)
  const given: Readonly<Record<string, string>> = {
    CI: 'true',
    CI_SERVER_URL: base,
    CI_PROJECT_ID: '1',
    READ_TOKEN: token,
    NOTE_TOKEN: token,
    ADMIN_TOKEN: token,
  }
  const filled = Object.entries(variables).map(([key, value]) => [
    key,
    String(value).replace(/^\$(\w+)$/, (_, from: string) => given[from] ?? ''),
  ])
  const env = { ...given, ...Object.fromEntries(filled), ...more }
  return runInShell(script.join('\n'), { cwd, env, shell: [...shell, '-e'] })
}

const runGit = (cwd: string, ...args: readonly string[]): string => {
  const identity = [
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@svc.example',
    '-c',
    'init.defaultBranch=main',
  ]
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim()
}

/** Creates a repository whose declared state requires a number of approvals. */
const createRepository = () => {
  const cwd = createFolder()
  mkdirSync(join(cwd, 'svcctl'))
  runGit(cwd, 'init', '-q')
  const commit = (approvals: number): string => {
    const text = `version: 1\nprojects: {platform/app: {approval_rules: {Security: {approvals_required: ${approvals}}}}}\n`
    writeFileSync(join(cwd, 'svcctl/a.yml'), text)
    runGit(cwd, 'add', '-A')
    runGit(cwd, 'commit', '-q', '-m', 'x')
    return runGit(cwd, 'rev-parse', 'HEAD')
  }
  return { cwd, commit }
}

/** Creates an instance with a merge request, and keeps its plan and its notes here. */
const createReviewedInstance = async () => {
  const notes: Note[] = [{ id: 1, body: 'Looks good', author: { id: 1 } }]
  const merged = { sha: '', plan: '' }
  const write = (path: string, body: string): Note | undefined => {
    const text = (JSON.parse(body) as { body: string }).body
    const known = notes.find(({ id }) => path.endsWith(`/notes/${id}`))
    if (known === undefined) notes.push({ id: notes.length + 1, body: text, author: { id: 1 } })
    else known.body = text
    return known ?? notes.at(-1)
  }
  const reads: Readonly<Record<string, () => unknown>> = {
    '/merge_requests/7/notes': () => notes,
    '/merge_requests': () => [{ iid: 7, sha: merged.sha }],
    '/merge_requests/7': () => ({ head_pipeline: { id: 70 } }),
    '/pipelines/70/jobs': () => [
      { id: 1, name: 'test' },
      { id: 2, name: 'svcctl-plan' },
    ],
    '/jobs/2/artifacts/plan.json': () => JSON.parse(merged.plan),
  }
  const { base, written } = await startProxy(url, ({ url: asked, method, body }, response) => {
    const path = asked.replace(/^\/api\/v4\/projects\/1/, '').replace(/\?.*$/, '')
    const read = reads[path]
    const isNote = method !== 'GET' && /\/notes(\/\d+)?$/.test(path)
    if (!isNote && (method !== 'GET' || read === undefined)) return false
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isNote ? write(path, body) : read?.()))
    return true
  })
  return { base, written, notes, merged }
}

it('is valid for the version of the service that it needs', async () => {
  expect(await runLint()).toMatchObject({ code: 0 })
})

const shells = [['dash'], ['busybox', 'sh']].filter(
  ([program = '', ...rest]) => spawnSync(program, [...rest, '-c', ':']).status === 0,
)
describe.skipIf(!hasProgram('jq')).each(shells.map((shell, at) => ({ shell, wanted: 3 + 2 * at })))(
  'in $shell',
  ({ shell, wanted }) => {
    it('checks CI files, as patterns that svcctl expands', async () => {
      const cwd = createFolder()
      writeFileSync(join(cwd, 'good one.yml'), 'build:\n  script: [make]\n')
      const at = { shell, cwd, base: url() }
      expect(await run('svcctl-lint', at, { CI_FILES: '*.yml' })).toMatchObject({ code: 0 })
      writeFileSync(join(cwd, 'bad.yml'), 'build:\n  scrip: [make]\n')
      expect((await run('svcctl-lint', at, { CI_FILES: '*.yml' })).code).toBe(1)
      expect(readFileSync(join(cwd, 'lint.xml'), 'utf8')).toContain('tests="2" failures="1"')
    })

    it('keeps one note with the plan, applies it once, and tells of drift', async () => {
      const { base, written, notes, merged } = await createReviewedInstance()
      const { cwd, commit } = createRepository()
      const at = { shell, cwd, base }
      const before = commit(1)
      const request = { CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_DIFF_BASE_SHA: before }
      for (const n of [wanted + 1, wanted]) {
        merged.sha = commit(n)
        expect(await run('svcctl-plan', at, request)).toMatchObject({ code: 0 })
      }
      expect(notes.map(({ id }) => id)).toEqual([1, 2])
      expect(notes[1]?.body).toMatch(
        new RegExp(`\`approvals_required\` \\| \`\\d\` \\| \`${wanted}\` \\|`),
      )
      merged.plan = readFileSync(join(cwd, 'plan.json'), 'utf8')
      const writes = () => written().filter(({ url: to }) => to.includes('approval_rules')).length
      const push = { CI_COMMIT_SHA: merged.sha }
      expect(await run('svcctl-apply', at, { CI_COMMIT_SHA: before })).toMatchObject({ code: 0 })
      expect(writes()).toBe(0)
      expect(await run('svcctl-apply', at, push)).toMatchObject({ code: 0 })
      expect(writes()).toBe(1)
      expect((await run('svcctl-drift', at, { DRIFT_ISSUE: '9' })).code).toBe(0)
      commit(wanted - 1)
      expect((await run('svcctl-apply', at, push)).code).toBe(5)
      expect((await run('svcctl-drift', at)).code).toBe(1)
      expect(notes).toHaveLength(2)
      expect((await run('svcctl-drift', at, { DRIFT_ISSUE: '9' })).code).toBe(1)
      expect(notes[2]?.body).toContain('approvals_required')
      expect(readFileSync(join(cwd, 'drift.xml'), 'utf8')).toContain('failures="1"')
    })

    it('checks the policy, and makes a page of the instance', async () => {
      const at = { shell, cwd: createFolder(), base: url() }
      const policy = (where: string) =>
        `policy: 1\nrules:\n  - { name: none, list: projects list, where: ${where} }\n`
      writeFileSync(join(at.cwd, 'policy.yml'), policy('name=nowhere'))
      expect(await run('svcctl-policy', at)).toMatchObject({ code: 0 })
      writeFileSync(join(at.cwd, 'policy.yml'), policy('visibility=public'))
      expect((await run('svcctl-policy', at)).code).toBe(1)
      expect(existsSync(join(at.cwd, 'policy.xml'))).toBe(true)
      expect(await run('svcctl-report', at)).toMatchObject({ code: 0 })
      expect(readFileSync(join(at.cwd, 'overview.html'), 'utf8')).toContain('</html>')
    })
  },
)

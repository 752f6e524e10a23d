/** Tests that flags mean the same for plan, drift and apply. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { type Hook, startProxy } from './front.js'

const { url } = useSharedSandbox()

const createWorkspace = async (text: string, hook?: Hook) => {
  const front = await startProxy(url, hook)
  const cwd = createFolder()
  writeFileSync(join(cwd, 'f.yml'), `version: 1\n${text}\n`)
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: front.base, HOOK: 'canary-hook' }
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { run, cwd, front, read: (file: string) => readFileSync(join(cwd, file), 'utf8') }
}
const changedRule =
  'projects: {platform/app: {approval_rules: {Security: {approvals_required: 2}}}}'
const lines = ['plan f.yml', 'drift f.yml', 'apply f.yml --dry-run'] as const
/** Drift exits with 1 where the others exit with 0. */
const codes = [0, 1, 0]

describe.each(lines.map((line, i) => [line, codes[i] ?? 0] as const))('%s', (line, differs) => {
  it('leaves out what is ignored', async () => {
    const { run } = await createWorkspace(changedRule)
    expect((await run(line)).code).toBe(differs)
    const ignored = await run(`${line} --ignore *#approvals_required`)
    expect([ignored.code, ignored.stdout]).toEqual([
      0,
      expect.stringMatching(/^Plan: nothing to do|^No drift/),
    ])
  })

  it('tells which limits apply would be held by, and takes the flags that lift them', async () => {
    const { run } = await createWorkspace(changedRule)
    const held = `${line} --max-changes 0 --fail-on refused`
    const refused = await run(held)
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('1 project would change, more than 0'),
    ])
    expect((await run(held.replace('0', '1'))).code).toBe(differs)
    for (const flag of ['--max-deletes 1', '--allow-empty members', '--allow-removals members'])
      expect((await run(`${line} ${flag}`)).code).toBe(differs)
  })

  it('writes reports', async () => {
    const { run, read } = await createWorkspace(changedRule)
    const reports = ['junit', 'markdown', 'sarif'].map((kind) => `--report ${kind}=r.${kind}`)
    expect((await run(`${line} ${reports.join(' ')}`)).code).toBe(differs)
    const [name = ''] = line.split(' ')
    expect(read('r.junit')).toContain(
      `<testsuite name="${name}" tests="2" failures="${differs}" errors="0"`,
    )
    expect(read('r.markdown')).toContain(`<!-- svcctl:${name} -->`)
    expect(read('r.sarif')).toContain(`"level": "${differs === 1 ? 'error' : 'note'}"`)
  })

  it('sets secrets again where that is said', async () => {
    const { run } = await createWorkspace(
      'projects: {platform/app: {integrations: {ops-room: {family: chat-webhook, webhook: {env: HOOK}}}}}',
    )
    expect((await run(`${line} --secrets never`)).stdout).not.toContain('set from env:HOOK')
    const always = await run(`${line} --secrets always`)
    expect(always.stdout).toContain('from env:HOOK')
    expect(always.stdout + always.stderr).not.toContain('canary')
  })
})

it('keeps with a plan file what was ignored', async () => {
  const { run, front } = await createWorkspace(
    `${changedRule}\nsite: {settings: {after_sign_up_text: hello}}`,
  )
  await run('plan f.yml --ignore settings --out plan.json')
  expect((await run('apply plan.json --ignore settings --yes')).stderr).toContain(
    '--ignore cannot be used with a plan file',
  )
  expect((await run('apply plan.json --yes')).code).toBe(0)
  expect(front.written().map(({ url: at }) => at)).toEqual([
    expect.stringContaining('approval_rules'),
  ])
})

it('reports what became of an apply', async () => {
  let refuses = true
  const { run, read } = await createWorkspace(
    changedRule.replace('2', '3'),
    ({ method }, response) => {
      if (method === 'GET' || !refuses) return false
      response.writeHead(403, { 'content-type': 'application/json' })
      response.end('{"message":"403 Forbidden"}')
      return true
    },
  )
  const line = 'apply f.yml --yes --report junit=a.xml --report markdown=a.md'
  expect((await run(line)).code).not.toBe(0)
  expect(read('a.xml')).toContain('failures="1"')
  expect(read('a.md')).toContain('| `update projects/platform/app:approval_rules/Security` | ')
  refuses = false
  expect((await run(line)).code).toBe(0)
  expect(read('a.xml')).toContain('failures="0"')
})

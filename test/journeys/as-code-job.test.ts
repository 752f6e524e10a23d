/** The jobs of the guide's "An instance as code", run as a runner would, against the embedded instance. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Front, frontOf } from '../commands/front.js'
import { sandbox } from '../sandbox/instance.js'
import { jobsFrom } from '../support/pages.js'
import { folder } from '../support/program.js'
import { has } from '../support/terminal.js'
import { runJob } from './job.js'

const jobs: Readonly<Record<string, { readonly script: readonly string[] }>> = parse(
  jobsFrom('plan'),
)

const { url, send } = sandbox()

/** Runs a job's lines in one shell, as runners do. */
const run = async (job: string, cwd: string, { base }: Front) => {
  const lines = jobs[job]?.script ?? []
  expect(lines.length).toBeGreaterThan(0)
  const { code } = await runJob(lines, cwd, {
    SVC_BASE_URL: base,
    SVC_TOKEN: 'sandbox-root-token',
    CI_PROJECT_ID: '1',
    CI_MERGE_REQUEST_IID: '4',
    DRIFT_ISSUE: '7',
  })
  return code
}

it('notes the plan, applies it on merge, and tells of drift', { timeout: 60_000 }, async (test) => {
  test.skip(!has('jq'), 'jq is not installed')
  const notes: { url: string; body: string }[] = []
  const at = await frontOf(url, ({ method, url: path, body }, response) => {
    if (method !== 'POST' || !path.endsWith('/notes')) return false
    notes.push({ url: path, body: JSON.parse(body).body })
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end('{"id":1}')
    return true
  })
  const cwd = folder()
  mkdirSync(join(cwd, 'svcctl'))
  writeFileSync(
    join(cwd, 'svcctl', 'app.yml'),
    'version: 1\nprojects:\n  platform/app:\n    approvals: { reset_approvals_on_push: false }\n    approval_rules: { Job: { approvals_required: 2 } }\n',
  )
  expect(await run('plan', cwd, at)).toBe(0)
  expect(notes).toEqual([
    {
      url: '/api/v4/projects/1/merge_requests/4/notes',
      body: expect.stringContaining('| create | projects/platform/app:approval_rules/Job |'),
    },
  ])
  expect(await run('apply', cwd, at)).toBe(0)
  expect([await run('drift', cwd, at), notes.length]).toEqual([0, 1])
  await send('POST /projects/1/approvals', { json: { reset_approvals_on_push: true } })
  expect(await run('drift', cwd, at)).toBe(1)
  expect(notes[1]).toEqual({
    url: '/api/v4/projects/1/issues/7/notes',
    body: expect.stringContaining('reset_approvals_on_push'),
  })
  expect(readFileSync(join(cwd, 'drift.xml'), 'utf8')).toContain('failures="1"')
})

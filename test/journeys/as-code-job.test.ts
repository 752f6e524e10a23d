/**
 * The nightly job of the guide's "Infrastructure as code", run as a runner does; `commands/desired-against` tests the jobs of a merge
 * request.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { type ProxyServer, startProxy } from '../commands/front.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { findYamlBlock } from '../support/pages.js'
import { createFolder } from '../support/program.js'
import { hasProgram } from '../support/terminal.js'
import { runJob } from './job.js'

const jobs: Readonly<Record<string, { readonly script: readonly string[] }>> = parse(
  findYamlBlock('plan'),
)

const { url, send } = useSharedSandbox()

/** Runs a job's lines in one shell, as runners do. */
const run = async (job: string, cwd: string, { base }: ProxyServer) => {
  const lines = jobs[job]?.script ?? []
  expect(lines.length).toBeGreaterThan(0)
  const token = 'sandbox-root-token'
  const { code } = await runJob(lines, cwd, {
    SVC_BASE_URL: base,
    SVC_TOKEN: token,
    NOTE_TOKEN: token,
    CI_PROJECT_ID: '1',
    DRIFT_ISSUE: '7',
  })
  return code
}

it('tells of drift, in a note on an issue and as JUnit', { timeout: 60_000 }, async (test) => {
  test.skip(!hasProgram('jq'), 'jq is not installed')
  const notes: { url: string; body: string }[] = []
  const at = await startProxy(url, ({ method, url: path, body }, response) => {
    if (method !== 'POST' || !path.endsWith('/notes')) return false
    notes.push({ url: path, body: JSON.parse(body).body })
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end('{"id":1}')
    return true
  })
  const cwd = createFolder()
  mkdirSync(join(cwd, 'svcctl'))
  writeFileSync(
    join(cwd, 'svcctl', 'app.yml'),
    'version: 1\nprojects:\n  platform/app:\n    approvals: { reset_approvals_on_push: false }\n',
  )
  await send('POST /projects/1/approvals', { json: { reset_approvals_on_push: false } })
  expect([await run('drift', cwd, at), notes]).toEqual([0, []])
  await send('POST /projects/1/approvals', { json: { reset_approvals_on_push: true } })
  expect(await run('drift', cwd, at)).toBe(1)
  expect(notes).toEqual([
    {
      url: '/api/v4/projects/1/issues/7/notes',
      body: expect.stringContaining('reset_approvals_on_push'),
    },
  ])
  expect(readFileSync(join(cwd, 'drift.xml'), 'utf8')).toContain('failures="1"')
})

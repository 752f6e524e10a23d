/** The job of the guide's "In CI", run as a runner does, against the embedded instance. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { findYamlBlock } from '../support/pages.js'
import { createFolder, getCleanEnv } from '../support/program.js'
import { runJob } from './job.js'

interface Job {
  readonly script: readonly string[]
  readonly artifacts: { readonly reports: { readonly junit: string } }
}

const jobs: Readonly<Record<string, Job>> = parse(findYamlBlock('lint-ci'))
const job = jobs['lint-ci']

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
})
afterAll(() => sandbox.close())

const good = 'build:\n  script: [make]\n'
const bad = 'build:\n  scrip: [make]\n'

/** Creates a clone in which these files changed since the base of the merge request. */
const createClone = async (changed: Readonly<Record<string, string>>) => {
  const cwd = createFolder()
  const git = async (...args: string[]) => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@svc.example']
    return (await execa('git', [...identity, ...args], { cwd, env: getCleanEnv() })).stdout
  }
  await git('init', '-q')
  writeFileSync(join(cwd, 'old.yml'), bad)
  await git('add', '.')
  await git('commit', '-qm', 'base')
  const base = await git('rev-parse', 'HEAD')
  for (const [name, text] of Object.entries(changed)) writeFileSync(join(cwd, name), text)
  await git('add', '.')
  await git('commit', '-qm', 'change', '--allow-empty')
  return { cwd, base }
}

/** Runs the job's lines in one shell, as runners do. */
const run = async (changed: Readonly<Record<string, string>>) => {
  const { cwd, base } = await createClone(changed)
  const ran = await runJob(job?.script ?? [], cwd, {
    SVC_BASE_URL: sandbox.url,
    SVC_TOKEN: sandbox.users[0]?.token ?? '',
    CI_PROJECT_ID: '1',
    CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
  })
  const report = join(cwd, job?.artifacts.reports.junit ?? '')
  return { ...ran, report: existsSync(report) ? readFileSync(report, 'utf8') : undefined }
}

describe('the job of the guide', () => {
  it('fails for an invalid file, and reports each changed one', async () => {
    const ran = await run({ 'good.yml': good, 'bad.yml': bad, 'notes.txt': 'x' })
    expect(ran.code).toBe(1)
    expect(ran.report).toContain('tests="2" failures="1"')
    expect(ran.report).not.toContain('old.yml')
    expect(ran.stdout).toContain('bad.yml')
  })
  it('passes when all are valid, whatever they are called', async () => {
    const ran = await run({ 'good one.yml': good, '-o.yml': good })
    expect(ran.stderr).toBe('')
    expect(ran.code).toBe(0)
  })
  it('asks within its project, as instances of any version can', async () => {
    const ran = await run({ 'good.yml': 'include: /ci/none.yml\nbuild:\n  script: [make]\n' })
    expect(ran.code).toBe(1)
    expect(ran.stdout).toContain('Local file `/ci/none.yml` does not exist!')
  })
  it('passes when none changed', async () => {
    const ran = await run({})
    expect(ran.code).toBe(0)
    expect(ran.report).toBeUndefined()
  })
})

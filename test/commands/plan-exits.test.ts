/** Tests the exit codes of plan and drift, whatever the instance answers, and that both send only reads. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { type Recorder, type SeenRequest, startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

let sandbox: Sandbox
let recorder: Recorder
const config = createConfiguration()
/** Returns the answer that replaces the instance's own for a path, if any. */
let getRefusal: (path: string) => { status: number; body: unknown } | undefined = () => undefined
const knownAnswers = new Map<
  string,
  { status: number; body: unknown; headers: Record<string, string> }
>()

/** Fetches an answer of the sample data in advance, because a recorder cannot wait for one. */
const fetchAnswer = async ({ url }: Pick<SeenRequest, 'url'>) => {
  const answer = await fetch(`${sandbox.url}${url}`, {
    headers: { 'private-token': 'sandbox-root-token' },
  })
  const text = await answer.text()
  knownAnswers.set(url, {
    status: answer.status,
    body: text === '' ? undefined : text,
    headers: Object.fromEntries(
      ['x-next-page', 'x-total', 'link']
        .map((name) => [name, answer.headers.get(name)?.replaceAll(sandbox.url, recorder.url)])
        .filter((pair): pair is [string, string] => pair[1] !== undefined),
    ),
  })
}

beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
  recorder = await startRecorder((seen) => {
    const path = seen.url.replace(/^\/api\/v4/, '').replace(/\?.*/, '')
    return getRefusal(decodeURIComponent(path)) ?? knownAnswers.get(seen.url)
  })
})
beforeEach(() => {
  getRefusal = () => undefined
})
afterAll(async () => {
  await recorder.close()
  await sandbox.close()
})

const buildFile = (app: number, web: boolean): string =>
  [
    'version: 1',
    'projects:',
    '  platform/app:',
    `    approval_rules: { Security: { approvals_required: ${app} } }`,
    ...(web ? ['  web/site:', '    approvals: {}'] : []),
    '',
  ].join('\n')

const run = async (verb: string, text: string, base = recorder.url) => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'svcctl.yml'), text)
  const env = {
    SVC_CONFIG_DIR: config,
    SVC_BASE_URL: base,
    SVC_TOKEN: 'sandbox-root-token',
  }
  return svcctl([verb, 'svcctl.yml', '--retries', '0'], { cwd, env })
}

/** Runs a verb until the recorder knows the answers to all of its requests. */
const runSettled = async (verb: string, text: string) => {
  for (;;) {
    recorder.seen.length = 0
    const ran = await run(verb, text)
    const unknown = recorder.seen.filter(
      ({ url }) =>
        !knownAnswers.has(url) &&
        getRefusal(decodeURIComponent(url.replace(/^\/api\/v4/, '').replace(/\?.*/, ''))) ===
          undefined,
    )
    if (unknown.length === 0) return ran
    for (const seen of unknown) await fetchAnswer(seen)
  }
}

const forbidden = { status: 403, body: { message: '403 Forbidden' } }
const broken = { status: 500, body: { message: '500 Internal Server Error' } }
const isWebApprovals = (path: string) => /^\/projects\/(?:web\/site|\d+)\/approvals$/.test(path)
const isRuleList = (path: string) => path.endsWith('/approval_rules')

describe.each([
  ['plan', { same: 0, differs: 0, unread: 8, both: 8 }],
  ['drift', { same: 0, differs: 1, unread: 8, both: 8 }],
] as const)('%s ends', (verb, ends) => {
  it('by what it found, and with 8 where anything could not be read', async () => {
    expect((await runSettled(verb, buildFile(1, true))).code).toBe(ends.same)
    expect((await runSettled(verb, buildFile(2, true))).code).toBe(ends.differs)
    getRefusal = (path) => (isWebApprovals(path) ? forbidden : undefined)
    const unread = await runSettled(verb, buildFile(1, true))
    expect(unread.code).toBe(ends.unread)
    expect(unread.stdout).toContain('✗ approvals')
    const both = await runSettled(verb, buildFile(2, true))
    expect(both.code).toBe(ends.both)
    expect(both.stdout).toContain('~ approval_rules/Security')
    getRefusal = (path) => (isRuleList(path) ? broken : undefined)
    expect((await runSettled(verb, buildFile(2, true))).code).toBe(ends.unread)
  })

  it('with 8 where all of it is forbidden: a weak token does not look like agreement', async () => {
    getRefusal = (path) => (isRuleList(path) ? forbidden : undefined)
    expect((await runSettled(verb, buildFile(1, false))).code).toBe(8)
  })

  it('with 7 where nobody answers, 3 without a credential that counts, 2 for files', async () => {
    expect((await run(verb, buildFile(1, false), 'http://127.0.0.1:9')).code).toBe(7)
    getRefusal = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    expect((await run(verb, buildFile(1, false))).code).toBe(3)
    expect((await run(verb, 'version: 1\nprojekts: {}\n')).code).toBe(2)
  })

  it('without having sent anything but reads', async () => {
    await runSettled(verb, buildFile(2, true))
    expect(recorder.seen.length).toBeGreaterThan(2)
    expect([...new Set(recorder.seen.map(({ method }) => method))]).toEqual(['GET'])
  })

  it('well where the instance has no such kind, which is said', async () => {
    getRefusal = (path) =>
      isRuleList(path) ? { status: 404, body: { error: '404 Not Found' } } : undefined
    const { code, stdout } = await runSettled(verb, buildFile(2, false))
    expect(code).toBe(0)
    expect(stdout).toContain('the instance does not have it')
  })
})

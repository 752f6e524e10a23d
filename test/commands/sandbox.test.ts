/** Tests `svcctl sandbox`: every credential that it lists does what its row says. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { type LineOptions, startLine, svcctl } from '../support/within.js'

interface Row {
  readonly kind: string
  readonly of: string
  readonly value: string
  readonly scopes: readonly string[]
  readonly state: string
}

const toHeader = ({ kind, value }: Row): Record<string, string> => {
  if (kind === 'oauth') return { authorization: `Bearer ${value}` }
  if (kind === 'session') return { cookie: `_svc_session=${value}` }
  return { 'private-token': value }
}

/** Serves an instance until `work` ends. */
const serveSandbox = async (
  flags: readonly string[],
  work: (url: string) => Promise<void>,
  how: LineOptions = {},
): Promise<LineResult> => {
  const line = startLine(['sandbox', 'serve', ...flags], how)
  const said = await Promise.race([line.said('\n'), line.ended])
  if (typeof said !== 'string') throw new Error(said.stderr)
  try {
    await work(said.split('\n')[0] ?? '')
  } finally {
    line.kill('SIGINT')
  }
  return line.ended
}

describe('sandbox tokens', () => {
  it('lists what works as working, and what is refused as refused', async () => {
    const state = createFolder()
    const { stdout } = await svcctl(['sandbox', 'tokens', '--state-dir', state, '-o', 'json'])
    const rows: Row[] = JSON.parse(stdout)
    const sandbox = await startSandbox({ stateDir: state })
    try {
      for (const row of rows.filter(({ kind }) => !['job', 'registration'].includes(kind))) {
        const reads = row.kind === 'session' || row.scopes.some((s) => /^(read_)?api$/.test(s))
        const path = reads ? '/api/v4/projects?membership=true' : '/api/v4/user'
        const { status } = await fetch(sandbox.url + path, { headers: toHeader(row) })
        const expected = row.of === 'fay' ? 403 : row.state === 'active' ? 200 : 401
        expect({ ...row, status }).toEqual({ ...row, status: expected })
      }
      for (const { username, token } of sandbox.users) {
        const headers = { 'private-token': token }
        const came = await fetch(`${sandbox.url}/api/v4/user`, { headers })
        const body = (await came.json()) as { username?: string }
        expect([came.status, body.username]).toEqual(
          username === 'fay' ? [403, undefined] : [200, username],
        )
      }
      for (const { value } of rows.filter(({ kind }) => kind === 'job')) {
        const headers = { 'job-token': value }
        expect((await fetch(`${sandbox.url}/api/v4/job`, { headers })).status).toBe(200)
      }
      for (const { value } of rows.filter(({ kind }) => kind === 'registration')) {
        const body = new URLSearchParams({ token: value })
        const came = await fetch(`${sandbox.url}/api/v4/runners`, { method: 'POST', body })
        expect(came.status, value).toBe(201)
      }
    } finally {
      await sandbox.close()
    }
  })
})

describe('sandbox serve', () => {
  it('limits on request, and takes no rate that is none', async () => {
    const wrong = await svcctl(['sandbox', 'serve', '--rate', 'fast'])
    expect([wrong.code, wrong.stdout]).toEqual([2, ''])
    expect(wrong.stderr).toContain('100/s or 600/min')
    await serveSandbox(['--rate', '0.001/min', '--latency', '1'], async (url) => {
      const answers = [await fetch(`${url}/api/v4/user`), await fetch(`${url}/api/v4/user`)]
      expect(answers.map(({ status }) => status)).toEqual([401, 429])
      expect(Number(answers[1]?.headers.get('retry-after'))).toBeGreaterThan(0)
    })
  })

  it.each([
    [[], 200],
    [['--no-impersonation'], 401],
  ])('%j: an impersonation token gets %i', async (flags, expected) => {
    const headers = { 'private-token': 'sandbox-chi-impersonation-token' }
    await serveSandbox(flags, async (url) => {
      expect((await fetch(`${url}/api/v4/user`, { headers })).status).toBe(expected)
    })
  })
})

describe('sandbox serve on a port that is taken', () => {
  it('names the port and says what to do, and leaves no trace', async () => {
    const sandbox = await startSandbox({ stateDir: createFolder() })
    const { port } = new URL(sandbox.url)
    try {
      const state = createFolder()
      const line = ['sandbox', 'serve', '--port', port, '--state-dir', state]
      const taken = await svcctl(line)
      expect([taken.code, taken.stdout]).toEqual([2, ''])
      expect(taken.stderr).toContain(
        `port ${port} is in use: another program listens on 127.0.0.1:${port}`,
      )
      expect(taken.stderr).toContain('Choose another port, or none to get a free one.')
      const json = JSON.parse((await svcctl([...line, '-o', 'json'])).stderr)
      expect(json.error).toMatchObject({ category: 'usage', hint: expect.any(String) })
      expect(readdirSync(state)).not.toContain('lock')
      // The state folder is free again.
      await (await startSandbox({ stateDir: state })).close()
    } finally {
      await sandbox.close()
    }
  })
})

describe('how jobs of the embedded instance end', () => {
  it('is said by --jobs and kept in the state, or by SVC_SANDBOX_JOBS', async () => {
    expect.assertions(5)
    const wrong = await svcctl(['sandbox', 'serve', '--jobs', 'never'])
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--jobs must be pass, hold or fail=<glob of job names>, not "never'),
    ])
    const state = createFolder()
    await serveSandbox(['--state-dir', state, '--jobs', 'fail=build'], async (url) => {
      const headers = { 'private-token': 'sandbox-root-token' }
      const came = await fetch(`${url}/api/v4/runners/1?description=x`, { headers, method: 'PUT' })
      expect(came.status).toBe(200)
    })
    const { config } = JSON.parse(readFileSync(join(state, 'state.json'), 'utf8'))
    expect(config.jobs).toBe('fail=build')
    const env = {
      SVC_SANDBOX: '1',
      SVC_SANDBOX_JOBS: 'often',
      SVC_CONFIG_DIR: createConfiguration(),
    }
    const often = await svcctl(['runners', 'list'], { env })
    expect([often.code, often.stderr]).toEqual([2, expect.stringContaining('SVC_SANDBOX_JOBS')])
    const hold = { ...env, SVC_SANDBOX_JOBS: 'hold' }
    expect((await svcctl(['runners', 'list'], { env: hold })).code).toBe(0)
  })
})

describe('sandbox serve --as-of', () => {
  it('is an instance of that version', async () => {
    const wrong = await svcctl(['sandbox', 'serve', '--as-of', 'old'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('a version such as')])
    const sandbox = await startSandbox({ stateDir: createFolder(), asOf: '15.6' })
    const headers = { 'private-token': 'sandbox-root-token', 'content-type': 'application/json' }
    const api = `${sandbox.url}/api/v4`
    const lint = async (sent: object) => {
      const body = JSON.stringify({
        content: 'a: {script: x, id_tokens: {ID: {aud: b}}}\n',
        ...sent,
      })
      const came = await fetch(`${api}/ci/lint`, { method: 'POST', headers, body })
      const answer: unknown = await came.json()
      return { code: came.status, answer }
    }
    try {
      const version = await fetch(`${api}/version`, { headers })
      expect(await version.json()).toMatchObject({ version: '15.6.0' })
      const nodes = await fetch(`${api}/geo_nodes/status`, { headers })
      expect(await nodes.json()).toMatchObject([{ version: '15.6.0' }, { version: '15.6.0' }])
      expect(await lint({})).toMatchObject({
        answer: { errors: [expect.stringContaining('`id_tokens` was added in 15.7')] },
      })
      expect(await lint({ as_of: 'latest' })).toMatchObject({ answer: { status: 'valid' } })
      expect(await lint({ as_of: 'x' })).toMatchObject({ code: 400 })
    } finally {
      await sandbox.close()
    }
  })

  it('serves so from the command line', async () => {
    expect.assertions(1)
    const headers = { 'private-token': 'sandbox-root-token' }
    await serveSandbox(['--as-of', '14.5'], async (url) => {
      const came = await fetch(`${url}/api/v4/version`, { headers })
      expect(await came.json()).toMatchObject({ version: '14.5.0' })
    })
  })
})

/** A folder in which nobody can create a file, not even root. */
const closed = '/sys/kernel'

describe.skipIf(!existsSync(closed))('without git, and with a home that cannot be written', () => {
  const bare = (temporary: string) => ({ PATH: '', HOME: closed, TMPDIR: temporary })

  it('sandbox serve serves, and says what it cannot', async () => {
    const temporary = createFolder()
    const headers = { 'private-token': 'sandbox-root-token' }
    const work = async (url: string) => {
      expect(readdirSync(temporary)).toHaveLength(1)
      expect((await fetch(`${url}/api/v4/user`, { headers })).status).toBe(200)
      const commits = `${url}/api/v4/projects/1/repository/commits?ref_name=main`
      const none = await fetch(commits, { headers })
      expect([none.status, await none.json()]).toEqual([
        503,
        { message: '503 Service Unavailable - git is not installed on this machine' },
      ])
    }
    const { stderr } = await serveSandbox([], work, { env: bare(temporary), bare: true })
    expect(stderr).toContain('git is not installed: requests that need it get a 503')
    expect(stderr).toContain(`are not saved: cannot write ${closed}/.local/share/svcctl/sandbox`)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('--sandbox answers, and leaves nothing behind', async () => {
    const temporary = createFolder()
    const line = ['runners', 'get', '1', '--sandbox']
    const ran = await svcctl(line, { env: bare(temporary), bare: true })
    expect(ran.stdout).toMatch(/^id\t1$/m)
    expect(ran.stderr).toContain('changes to the embedded instance are not saved: cannot write')
    expect(readdirSync(temporary)).toEqual([])
  })
})

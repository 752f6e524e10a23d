/**
 * Tests what each signal ends, and what the program reports about it. `interruptions.process.test.ts` tests that the system's signals
 * arrive.
 */
import { createReadStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { getPaths, openStore, openTokens, signIn } from '../../src/profile/index.js'
import { buildHead, refuse } from '../faults/answers.js'
import { type Behaviour, type LyingServer, startLyingServer } from '../faults/server.js'
import { createFolder, toExitCode } from '../support/program.js'
import { type LineChanges, type StartedLine, startLine } from '../support/within.js'

const start = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { cwd = createFolder(), io }: { readonly cwd?: string; readonly io?: LineChanges } = {},
): StartedLine => startLine(args, { cwd, env: { SVC_TOKEN: 'any', ...env }, ...(io && { io }) })

const servers: LyingServer[] = []
const serve = async (behave: Behaviour): Promise<LyingServer> => {
  const server = await startLyingServer(behave)
  servers.push(server)
  return server
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** Creates a promise with the function that resolves it. */
const createDeferred = (): { readonly come: Promise<void>; readonly now: () => void } => {
  let now = (): void => {}
  const come = new Promise<void>((resolve) => {
    now = resolve
  })
  return { come, now }
}

const json = { 'content-type': 'application/json' }
const buildAnswer = (text: string): string =>
  `${buildHead('200 OK', { ...json, 'content-length': String(text.length) })}${text}`

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

const commit = ['commits', 'create', '-P', '1', '--branch', 'main', '--commit-message', 'm']

describe.each(signals)('%s', (signal) => {
  const ending = { code: toExitCode(null, signal) }
  /** Returns all cases for SIGINT but only the first for other signals, because every signal becomes the same interruption. */
  const some = <T>(ways: readonly T[]): readonly T[] =>
    signal === 'SIGINT' ? ways : ways.slice(0, 1)
  /** Runs a test of a single command only with SIGINT and with one other signal. */
  const also = (other: typeof signal, name: string, work: () => Promise<void>): void => {
    if (['SIGINT', other].includes(signal)) it(name, work)
  }

  it('in the middle of a list ends it, and what was printed is not whole', async () => {
    const server = await serve(({ index }, socket) => {
      if (index > 0) return
      const text = '[{"id":1},{"id":2}]'
      const link = { link: '</api/v4/runners?page=2>; rel="next"' }
      socket.write(
        `${buildHead('200 OK', { ...json, ...link, 'content-length': String(text.length) })}${text}`,
      )
    })
    const run = start(['runners', 'list', '--limit', 'all', '-o', 'json'], {
      SVC_BASE_URL: server.url,
    })
    await run.said('"id":2')
    run.kill(signal)
    const { stdout, stderr, ...ended } = await run.ended
    expect(ended).toEqual(ending)
    expect(stderr).toMatch(/interrupted/)
    expect(() => JSON.parse(stdout)).toThrow()
  })

  also('SIGTERM', 'in the middle of a download leaves no file', async () => {
    const begun = createDeferred()
    const server = await serve((_asked, socket) => {
      socket.write(
        buildHead('200 OK', { 'content-type': 'application/zip', 'content-length': '9000000' }),
      )
      socket.write('PK\x03\x04 and so on', begun.now)
    })
    const cwd = createFolder()
    const run = start(
      ['artifacts', 'download', '7', '-P', '1'],
      { SVC_BASE_URL: server.url },
      { cwd },
    )
    await begun.come
    while (readdirSync(cwd).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    run.kill(signal)
    const { stdout: _, stderr, ...ended } = await run.ended
    expect(ended).toEqual(ending)
    expect(stderr).toMatch(/interrupted/)
    expect(readdirSync(cwd)).toEqual([])
  })

  also('SIGHUP', 'in the middle of a write says that its outcome is not known', async () => {
    const first = createDeferred()
    const server = await serve(({ method }, socket) => {
      if (method === 'GET') socket.write(buildAnswer('{"id":11}'))
      else first.now()
    })
    const run = start(['runners', 'pause', '11'], { SVC_BASE_URL: server.url })
    await first.come
    run.kill(signal)
    const { stderr, ...ended } = await run.ended
    expect(ended).toEqual({ ...ending, stdout: '' })
    expect(stderr).toMatch(/interrupted; it is unknown whether the request was carried out/)
    expect(stderr).toMatch(/PUT .*\/runners\/11/)
  })

  also(
    'SIGQUIT',
    'while a request waits to be sent again ends the wait, and sends it no more',
    async () => {
      const later = { 'retry-after': '120' }
      const server = await serve((_asked, socket) => refuse(socket, '502 Bad Gateway', later))
      const run = start(['runners', 'get', '11'], { SVC_BASE_URL: server.url })
      await run.noted('; retrying in ')
      const { length } = server.seen
      run.kill(signal)
      const { stderr, ...ended } = await run.ended
      expect(ended).toEqual({ ...ending, stdout: '' })
      expect(stderr).toMatch(/interrupted/)
      expect(server.seen).toHaveLength(length)
    },
  )

  also('SIGTERM', 'while a rebase is waited for says that it was asked for', async () => {
    const polled = createDeferred()
    const server = await serve(({ method }, socket) => {
      socket.write(buildAnswer('{"iid":4,"rebase_in_progress":true}'), () => {
        if (method === 'GET') polled.now()
      })
    })
    const run = start(['mr', 'rebase', '4', '-P', '1', '--wait'], { SVC_BASE_URL: server.url })
    await polled.come
    run.kill(signal)
    const { stdout: _, stderr, ...ended } = await run.ended
    expect(ended).toEqual(ending)
    expect(stderr).toMatch(/interrupted while waiting; the rebase of .*4 continues on the instance/)
  })

  also('SIGTERM', 'during a token refresh keeps the new tokens', async () => {
    const asked = createDeferred()
    const answered = createDeferred()
    const server = await serve(async (_asked, socket) => {
      asked.now()
      await answered.come
      socket.write(buildAnswer('{"access_token":"new","refresh_token":"next","expires_in":7200}'))
    })
    const config = createFolder()
    const paths = getPaths({ SVC_CONFIG_DIR: config })
    const env = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }
    const tokens = openTokens(paths, env)
    const settings = { 'token-kind': 'oauth', 'token-url': `${server.url}/oauth/token` }
    const expiresAt = '2020-01-01T00:00:00.000Z'
    await signIn(openStore(paths), tokens, {
      name: 'prod',
      baseUrl: server.url,
      token: { token: 'old', kind: 'oauth', refreshToken: 'first', expiresAt },
      changes: settings,
    })
    const run = startLine(['runners', 'list', '--instance', '-p', 'prod'], { env })
    await asked.come
    run.kill(signal)
    answered.now()
    const { stderr, ...ended } = await run.ended
    expect(ended).toEqual({ ...ending, stdout: '' })
    expect(stderr).toMatch(/interrupted/)
    expect(server.seen.map(({ path }) => path)).toEqual(['/oauth/token'])
    expect(await tokens.read('prod', 'file')).toMatchObject({ token: 'new', refreshToken: 'next' })
  })

  it('in the middle of writes to many says which were done', async () => {
    const second = createDeferred()
    const server = await serve(({ method, path }, socket) => {
      if (method === 'GET' || path.endsWith('/11')) socket.write(buildAnswer('{"id":11}'))
      else second.now()
    })
    const run = start(['runners', 'pause', '11', '12', '13', '--concurrency', '1'], {
      SVC_BASE_URL: server.url,
    })
    await second.come
    run.kill(signal)
    const { stdout: _, stderr, ...ended } = await run.ended
    expect(ended).toEqual(ending)
    expect(stderr).toMatch(/finished before that: 11; in progress, .* unknown: 12\n/)
    const written = server.seen.filter(({ method }) => method !== 'GET')
    expect(written.map(({ path }) => path.split('/').at(-1))).toEqual(['11', '12'])
  })

  it.each([
    ['deploy-keys enable 1', '1 of project 11', '1 of project 12'],
    ['approvals update --reset-approvals-on-push', '11', '12'],
  ])('in the middle of %s for several projects names each project', async (line, done, open) => {
    const second = createDeferred()
    const server = await serve(({ method, path }, socket) => {
      if (method === 'GET' || path.includes('/11/')) socket.write(buildAnswer('{"id":1}'))
      else second.now()
    })
    const run = start([...line.split(' '), '-P', '11,12', '--yes', '--concurrency', '1'], {
      SVC_BASE_URL: server.url,
    })
    await second.come
    run.kill(signal)
    const { stdout: _, stderr, ...ended } = await run.ended
    expect(ended).toEqual(ending)
    expect(stderr).toContain(`finished before that: ${done}; in progress`)
    expect(stderr).toContain(`unknown: ${open}\n`)
  })

  it('while an object is only looked at counts it as not attempted', async () => {
    const second = createDeferred()
    const server = await serve(({ path }, socket) => {
      if (path.endsWith('/12')) second.now()
      else socket.write(buildAnswer('{"id":11}'))
    })
    const run = start(['runners', 'pause', '11', '12', '13', '--concurrency', '1'], {
      SVC_BASE_URL: server.url,
    })
    await second.come
    run.kill(signal)
    const { stderr } = await run.ended
    expect(stderr).toContain('finished before that: 11\n1 done, 2 not attempted.')
  })

  also(
    'SIGTERM',
    'while writes wait for --rate counts them as not sent, and resumes them',
    async () => {
      const server = await serve((_, socket) => socket.write(buildAnswer('{"id":11}')))
      const [cwd, env] = [createFolder(), { SVC_BASE_URL: server.url }]
      const line = ['vulnerabilities', 'confirm']
      const first = [
        ...line,
        '11',
        '12',
        '--no-undo-record',
        '--rate',
        '1/min',
        '--journal',
        'run.ndjson',
      ]
      const run = start(first, env, { cwd })
      const journal = join(cwd, 'run.ndjson')
      await vi.waitFor(
        () => expect(readFileSync(journal, 'utf8')).toMatch(/"begun".*"begun"/s),
        60_000,
      )
      run.kill(signal)
      const { stderr } = await run.ended
      expect(stderr).not.toContain('unknown')
      expect(stderr).toContain('2 failed (2 not sent).')
      const more = await start([...line, '--resume', 'run.ndjson'], env, { cwd }).ended
      expect(more).toMatchObject({ code: 0, stderr: expect.stringContaining('2 done.') })
      const written = server.seen.filter(({ method }) => method === 'POST')
      expect(written.map(({ path }) => path.split('/').at(-2)).sort()).toEqual(['11', '12'])
    },
  )

  also('SIGTERM', 'while one write waits for --rate records it as not sent', async () => {
    const server = await serve((_, socket) => socket.write(buildAnswer('{"id":11}')))
    const [cwd, env] = [createFolder(), { SVC_BASE_URL: server.url }]
    const line = ['vulnerabilities', 'confirm', '11', '--rate', '1/min', '--journal', 'run.ndjson']
    const run = start(line, env, { cwd })
    const journal = join(cwd, 'run.ndjson')
    await vi.waitFor(() => expect(readFileSync(journal, 'utf8')).toContain('"begun"'), 60_000)
    run.kill(signal)
    expect(await run.ended).toMatchObject({ ...ending, stdout: '' })
    const shown = await start(['journal', 'show', 'run.ndjson'], env, { cwd }).ended
    expect(shown.stdout).toContain('11\tfailed\tfailed\tinterrupted before it was sent\n')
    expect(shown.stderr).toMatch(/, interrupted\n0 done, 1 failed\n$/)
    expect(server.seen.map(({ method }) => method)).toEqual(['GET'])
  })

  it('behind the end of a file as standard input says which were done', async () => {
    const first = createDeferred()
    const server = await serve(({ method, path }, socket) => {
      if (method === 'GET' || path.endsWith('/11')) socket.write(buildAnswer('{"id":11}'))
      else first.now()
    })
    const ids = join(createFolder(), 'ids')
    writeFileSync(ids, '11\n12\n')
    const io = {
      stdin: createReadStream(ids),
      inputFile: () => statSync(ids, { bigint: true }),
    }
    const args = ['runners', 'pause', '-', '--concurrency', '1']
    const run = start(args, { SVC_BASE_URL: server.url }, { io })
    await first.come
    run.kill(signal)
    const { stdout: _, stderr, ...ended } = await run.ended
    expect(ended).toEqual(ending)
    expect(stderr).toMatch(/finished before that: 11; in progress, .* unknown: 12\n/)
  })

  also('SIGHUP', 'while standard input is waited for ends the wait', async () => {
    const server = await serve(() => {})
    const args = ['runners', 'update', '11', '--input', '-']
    const run = start(args, { SVC_BASE_URL: server.url })
    // More bytes than buffers hold: they are taken only when the program reads.
    await run.write(' '.repeat(4 << 20))
    run.kill(signal)
    const { stdout, stderr, ...ended } = await run.ended
    expect(ended).toEqual(ending)
    expect(stderr).toBe('svcctl: interrupted\n')
    expect(server.seen).toEqual([])
  })

  it.each(
    some([
      ['--input', (pipe: string) => ['runners', 'update', '11', '--input', pipe]],
      [
        'a secret from a file',
        (pipe: string) => ['settings', 'update', '--spamsvc-api-key', `@${pipe}`],
      ],
      ['actions of a commit', (pipe: string) => [...commit, '--input', pipe]],
      ['a file of a commit', (pipe: string) => [...commit, '--create', `${pipe}=x`]],
      [
        'a certificate',
        (pipe: string) => ['pages-domains', 'add', 'a.test', '-P', '1', '--certificate', pipe],
      ],
    ]),
  )('while a pipe is waited for ends the wait: %s', async (_, argsOf) => {
    const server = await serve(() => {})
    const pipe = join(createFolder(), 'pipe')
    await execa('mkfifo', [pipe])
    const run = start(argsOf(pipe), { SVC_BASE_URL: server.url })
    // Opens only after the program has opened the other end.
    const writer = await open(pipe, 'w')
    run.kill(signal)
    const { stdout: __, stderr, ...ended } = await run.ended
    await writer.close()
    expect(ended).toEqual(ending)
    expect(stderr).toBe('svcctl: interrupted\n')
    expect(server.seen).toEqual([])
  })

  it.each(
    some<readonly [string, readonly string[], (run: StartedLine) => Promise<unknown>]>([
      ['the embedded instance', ['sandbox', 'serve'], (run) => run.said('http://')],
      [
        'a watch',
        ['runners', 'get', '1', '--watch', '1', '--sandbox'],
        (run) => run.said('shared'),
      ],
      [
        'an agent that is served',
        ['mcp', 'serve', '--sandbox'],
        async (run) => {
          await run.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
          await run.said('"result"')
        },
      ],
    ]),
  )('ends %s', async (_, args, begun) => {
    const run = start(args, { SVC_TOKEN: '' })
    await begun(run)
    run.kill(signal)
    const { stdout: __, stderr, ...ended } = await run.ended
    expect(ended).toEqual(ending)
    expect(stderr).not.toContain('svcctl:')
  })
})

describe('a lint whose answer is lost', () => {
  it('leaves nothing open: it changes nothing', async () => {
    const server = await serve((_asked, socket) => socket.destroy())
    const cwd = createFolder()
    writeFileSync(join(cwd, 'ci.yml'), 'build: {script: [make]}\n')
    const run = start(
      ['ci', 'lint', 'ci.yml', '--retries', '0'],
      { SVC_BASE_URL: server.url },
      { cwd },
    )
    const { code, stderr } = await run.ended
    expect(code).toBe(7)
    expect(stderr).toMatch(/no response from/)
    expect(stderr).not.toMatch(/Look at what is there|is not known|outcome/)
  })
})

/** An instance that repeats the token in its headers, in every encoding: the program neither shows nor keeps any of it. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { answerHonestly, buildHead, refuse } from './answers.js'
import { runConcurrently } from './matrix.js'
import { type Operation, operations } from './operations.js'
import { type Behaviour, startLyingServer } from './server.js'

const token = 'glpat-c4n4ry.echo+0123456789~'
const encodeBytes = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')

/** The token in each encoding that a header can carry. */
const forms = Object.values({
  plain: token,
  encoded: encodeURIComponent(token),
  bytes: encodeBytes(token),
  json: token.replaceAll('c', '\\u0063'),
  base64: Buffer.from(token).toString('base64'),
  'base64 one on': Buffer.from(`:${token}`).toString('base64'),
  'base64url two on': Buffer.from(`ab${token}!`).toString('base64url'),
})
const echoedText = forms.join('_')

/** A part of each form that would remain if the form was not masked. */
const traces = [
  'c4n4ry',
  encodeBytes('c4n4ry'),
  ...[0, 1, 2].map((offset) =>
    Buffer.from(`${'-'.repeat(offset)}glpat-c4n4ry.echo`)
      .toString('base64')
      .slice(4, 16),
  ),
]

const statuses = [
  '200 OK',
  '302 Found',
  '401 Unauthorized',
  '429 Too Many Requests',
  '500 Internal',
]

/** Builds all headers that are ever read, with all forms of the token. */
const buildHeaders = (status: string) => ({
  'x-request-id': echoedText,
  // The other statuses are retried after this time; a wait as long as that of the 429 ends the command at once.
  'retry-after': status.startsWith('429') ? '86400' : echoedText,
  link: `<https://elsewhere.example/${echoedText}>; rel="last"`,
  'content-disposition': `attachment; filename="${echoedText}"`,
  'x-echo': echoedText,
  'content-language': echoedText,
  ...(status.startsWith('302') ? { location: `https://elsewhere.example/${echoedText}` } : {}),
})

const readFiles = (path: string): string =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'tokens.json')
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'latin1')}`)
    .join('\n')

const runOperation = async (operation: Operation, status: string): Promise<string> => {
  const headers = buildHeaders(status)
  const server = await startLyingServer((_asked, socket) =>
    status.startsWith('200')
      ? answerHonestly(socket, operation, headers)
      : refuse(socket, status, headers),
  )
  const home = createFolder()
  const config = join(home, 'config')
  const work = join(home, 'work')
  mkdirSync(config, { mode: 0o700 })
  mkdirSync(work)
  const profile = { baseUrl: server.url, tokenStore: 'file', auditLog: join(config, 'audit.jsonl') }
  const stored = { token, kind: 'personal', baseUrl: server.url }
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({ current: 'work', profiles: { work: profile } }),
    { mode: 0o600 },
  )
  writeFileSync(join(config, 'tokens.json'), JSON.stringify({ work: stored }), { mode: 0o600 })
  try {
    const flags = ['-vv', '--retries', '0', '-o', 'json']
    const env = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }
    const { stdout, stderr } = await svcctl([...operation.args, ...flags], { env, cwd: work })
    expect(server.seen.length).toBeGreaterThan(0)
    expect(stderr).toContain('***')
    const audit = operation.args.some((word) => ['update', 'enable', 'delete'].includes(word))
    const kept = readFiles(config)
    if (audit) expect(kept).toContain('request_id')
    return `${stdout}\n${stderr}\n${kept}\n${readFiles(work)}`
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

// Each operation gets a plain answer and two others, so that every status occurs with several operations.
const cells = operations.flatMap((operation, i) =>
  [0, 1 + (i % 4), 1 + ((i + 1) % 4)].map((at) => [operation, statuses[at] ?? ''] as const),
)

it('shows and keeps no token that is said back in a header', async () => {
  const all = await runConcurrently(cells, 3, ([operation, status]) =>
    runOperation(operation, status),
  )
  for (const shown of all) for (const trace of traces) expect(shown).not.toContain(trace)
}, 120_000)

const createSignedInHome = (tokenUrl: string) => {
  const home = createFolder()
  const profile = { baseUrl: tokenUrl, tokenKind: 'oauth', tokenStore: 'file', tokenUrl }
  const stored = { token: 'old-0123456789', kind: 'oauth', baseUrl: tokenUrl }
  const expiring = { refreshToken: 'refresh-0123456789', expiresAt: '2020-01-01T00:00:00Z' }
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({ current: 'work', profiles: { work: profile } }),
    { mode: 0o600 },
  )
  writeFileSync(join(home, 'tokens.json'), JSON.stringify({ work: { ...stored, ...expiring } }), {
    mode: 0o600,
  })
  return home
}

const runWithRefresh = async (behave: Behaviour, ...flags: readonly string[]) => {
  const server = await startLyingServer(behave)
  const home = createSignedInHome(server.url)
  try {
    const env = { SVC_CONFIG_DIR: home, SVC_NO_KEYRING: '1' }
    return await svcctl(['runners', 'get', '7', '-vv', '--retries', '0', ...flags], { env })
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

const pair = '{"access_token":"c4n4ry-access-0123","refresh_token":"c4n4ry-refresh-0123"'

it.each([
  ['cut short', '200 OK', pair],
  ['broken', '200 OK', `${pair} 1}`],
  ['a refusal', '400 Bad Request', `{"error":"c4n4ry","message":${pair}}}`],
  ['a page', '502 Bad Gateway', `<html><title>${pair}</title>`],
])('tells nothing of an answer of a token URL that is %s', async (_, status, body) => {
  for (const format of ['table', 'json']) {
    const ran = await runWithRefresh(
      (_asked, socket) => {
        const length = String(body.length)
        socket.write(buildHead(status, { 'content-length': length, 'x-request-id': 'c4n4ry' }))
        socket.write(body)
      },
      '-o',
      format,
    )
    expect(ran.stderr).toMatch(/token|response/)
    expect([3, 7]).toContain(ran.code)
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/c4n4ry/)
  }
})

it('keeps the new pair, however long it is said to last', async () => {
  const body = `${pair},"expires_in":1e18}`
  const { code, stderr } = await runWithRefresh(({ method }, socket) => {
    const own = method === 'POST' ? body : '{"id":7}'
    socket.write(buildHead('200 OK', { 'content-length': String(own.length) }))
    socket.write(own)
  })
  expect(stderr).toMatch(/→ 200/)
  expect(code).toBe(0)
})

it('waits for a token URL no longer than --timeout', async () => {
  const { code, stderr } = await runWithRefresh(() => {}, '--timeout', '1')
  expect(stderr).toMatch(/no response in time/)
  expect(code).toBe(7)
})

it('shows no header whose name is a secret’s, sent or answered', async () => {
  const server = await startLyingServer((_asked, socket) => {
    socket.write(buildHead('200 OK', { 'content-length': '8', 'X-Session-Token': 'c4n4ry-3' }))
    socket.write('{"id":7}')
  })
  const sent = ['X-Auth-Token: c4n4ry-1', 'X-Api-Key: c4n4ry-2'].flatMap((h) => ['--header', h])
  const args = ['api', 'get', '/runners/7', '-vv', '--base-url', server.url, ...sent]
  const ran = await svcctl(args, { env: { SVC_TOKEN: 'any-token' } })
  await server.close()
  expect(server.seen[0]?.headers).toMatch(/c4n4ry-1[\s\S]*c4n4ry-2/)
  expect(ran.stderr).toMatch(/> x-auth-token: \*\*\*\n> x-api-key: \*\*\*/)
  expect(ran.stderr).toContain('< x-session-token: ***')
  expect(`${ran.stdout}${ran.stderr}`).not.toContain('c4n4ry')
})

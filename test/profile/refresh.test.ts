import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Failure } from '../../src/errors.js'
import { resolveSession } from '../../src/profile/session.js'
import { signIn, signOut } from '../../src/profile/store.js'
import type { StoredToken } from '../../src/profile/tokens.js'
import type { Post } from '../../src/profile/types.js'
import { createDirectory, getFailure, openServices, runWorkers } from './setup.js'

const baseUrl = 'https://forge.test'
const tokenUrl = 'https://forge.test/oauth/token'
const start = Date.parse('2026-01-01T12:00:00Z')
const toTime = (seconds: number): string => new Date(start + seconds * 1000).toISOString()
const createToken = (more: Partial<StoredToken> = {}): StoredToken => ({
  token: 'access-1',
  kind: 'oauth',
  baseUrl,
  refreshToken: 'refresh-1',
  expiresAt: toTime(3600),
  ...more,
})

/** Creates a token endpoint with rotation: it accepts each refresh token once. */
const createEndpoint = () => {
  const seen: Readonly<Record<string, string>>[] = []
  const post: Post = async (url, form) => {
    expect(url).toBe(tokenUrl)
    seen.push(form)
    const n = seen.length
    if (form.refresh_token !== `refresh-${n}`)
      return { status: 400, body: { error: 'invalid_grant' } }
    const body = {
      access_token: `access-${n + 1}`,
      refresh_token: `refresh-${n + 1}`,
      expires_in: 7200,
    }
    return { status: 200, body: JSON.stringify(body) }
  }
  return { post, seen }
}

const createProfile = async (token: StoredToken, directory = createDirectory(), url = tokenUrl) => {
  const { store, tokens } = openServices(directory)
  const tokenStore = await tokens.write('prod', token)
  const changes = { 'base-url': baseUrl, 'token-url': url, 'client-id': 'app' }
  await store.set('prod', changes, { tokenStore })
  return { store, tokens, directory }
}

/** Opens a session with a store of its own, as another process would. */
const openSession = (directory: string, post: Post, clock = { now: start }) =>
  resolveSession({}, {}, openServices(directory, { post, now: () => clock.now }))

describe('an OAuth token', () => {
  it('is used as it is while it lasts', async () => {
    const { directory } = await createProfile(createToken({ expiresAt: toTime(61) }))
    const { post, seen } = createEndpoint()
    expect((await openSession(directory, post).getCredential())?.value).toBe('access-1')
    expect(seen).toEqual([])
  })

  it.each([toTime(59), toTime(-100)])('is refreshed before it ends: %s', async (expiresAt) => {
    const { directory, tokens } = await createProfile(createToken({ expiresAt }))
    const { post, seen } = createEndpoint()
    const one = openSession(directory, post)
    expect(await one.getCredential()).toMatchObject({
      kind: 'oauth',
      value: 'access-2',
      source: 'token file',
      expiresAt: '2026-01-01T14:00:00.000Z',
      renews: true,
    })
    expect((await one.getCredential())?.value).toBe('access-2')
    expect(seen).toEqual([
      { grant_type: 'refresh_token', refresh_token: 'refresh-1', client_id: 'app' },
    ])
    const next = { token: 'access-2', refreshToken: 'refresh-2', expiresAt: toTime(7200) }
    expect(await tokens.read('prod', 'file')).toEqual(createToken(next))
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'tokens.json'])
  })

  it('is refreshed again when a long run outlasts it', async () => {
    const { directory } = await createProfile(createToken())
    const { post } = createEndpoint()
    const clock = { now: start }
    const one = openSession(directory, post, clock)
    expect((await one.getCredential())?.value).toBe('access-1')
    clock.now += 3_590_000
    expect((await one.getCredential())?.value).toBe('access-2')
  })

  it('is refreshed when it was refused, once for many requests', async () => {
    const { directory } = await createProfile(createToken({ expiresAt: toTime(9000) }))
    const { post, seen } = createEndpoint()
    const clock = { now: start }
    const one = openSession(directory, post, clock)
    await one.getCredential()
    const renewed = await Promise.all([one.renew(), one.renew(), one.renew()])
    expect(renewed.map((r) => r?.value)).toEqual(['access-2', 'access-2', 'access-2'])
    expect((await one.renew())?.value).toBe('access-2')
    expect(seen).toHaveLength(1)
    clock.now += 60_000
    expect((await one.renew())?.value).toBe('access-3')
  })

  it('is refreshed once by sessions side by side', async () => {
    const { directory } = await createProfile(createToken({ expiresAt: toTime(0) }))
    const { post, seen } = createEndpoint()
    const given = await Promise.all(
      [1, 2, 3].map(() => openSession(directory, post).getCredential()),
    )
    expect(given.map((c) => c?.value)).toEqual(['access-2', 'access-2', 'access-2'])
    expect(seen).toHaveLength(1)
  })

  it('is refreshed once by processes side by side', async () => {
    let posts = 0
    const server = createServer((request, response) => {
      posts++
      request.resume()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: `access-${posts + 1}`, expires_in: 7200 }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth/token`
    const { directory, tokens } = await createProfile(
      createToken({ expiresAt: '2000-01-01T00:00:00Z' }),
      createDirectory(),
      url,
    )
    const ended = await runWorkers(['refresh', directory, 'prod'], ['refresh', directory, 'prod'])
    for (const { stdout, stderr } of ended) expect(stdout + stderr).toBe('ready\ntoken access-2\n')
    expect(posts).toBe(1)
    expect((await tokens.read('prod', 'file'))?.token).toBe('access-2')
  })

  it.each(['out', 'in again'])('does not undo that a person signs %s meanwhile', async (how) => {
    const { store, tokens, directory } = await createProfile(createToken({ expiresAt: toTime(0) }))
    const { post } = createEndpoint()
    let signed: Promise<unknown> = Promise.resolve()
    const slow: Post = async (url, form) => {
      signed =
        how === 'out'
          ? signOut(store, tokens, 'prod')
          : signIn(store, tokens, { name: 'prod', baseUrl, token: createToken({ token: 'new' }) })
      // The sign-in or sign-out has every chance to be first.
      await Promise.race([signed, new Promise((done) => setTimeout(done, 100))])
      return post(url, form)
    }
    await openSession(directory, slow).getCredential()
    await signed
    expect((await tokens.read('prod', 'file'))?.token).toBe(how === 'out' ? undefined : 'new')
  })

  it('keeps its refresh token where the server does not rotate it', async () => {
    const { directory, tokens } = await createProfile(createToken({ expiresAt: toTime(0) }))
    await openSession(directory, async () => ({
      status: 200,
      body: { access_token: 'new' },
    })).getCredential()
    expect(await tokens.read('prod', 'file')).toEqual({
      token: 'new',
      kind: 'oauth',
      baseUrl,
      refreshToken: 'refresh-1',
    })
  })

  it('is not renewed without a refresh token', async () => {
    const { refreshToken: _, ...token } = createToken({ expiresAt: toTime(-1) })
    const { directory } = await createProfile(token)
    const { post, seen } = createEndpoint()
    const one = openSession(directory, post)
    expect((await one.getCredential())?.value).toBe('access-1')
    expect(await one.renew()).toBeUndefined()
    expect(seen).toEqual([])
  })

  it('is not used before it is stored', async () => {
    const { directory, tokens } = await createProfile(createToken({ expiresAt: toTime(0) }))
    const spoil: Post = async () => {
      writeFileSync(tokens.file, 'corrupt')
      return { status: 200, body: { access_token: 'new', refresh_token: 'next' } }
    }
    const failure = await getFailure(() => openSession(directory, spoil).getCredential())
    expect(failure.message).toContain(tokens.file)
  })
})

/** The error codes of RFC 6749 5.2, RFC 8628 3.5, RFC 8693 2.2.2, RFC 6750 3.1 and RFC 9449 5. */
const registeredErrors = [
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client'],
  ...['unsupported_grant_type', 'invalid_scope', 'access_denied', 'server_error'],
  ...['temporarily_unavailable', 'authorization_pending', 'slow_down', 'expired_token'],
  ...['invalid_target', 'invalid_token', 'insufficient_scope', 'invalid_dpop_proof'],
] as const

type Refusal = [string, { status: number; body: unknown }, string]

describe('a refresh that fails', () => {
  const refusals: Refusal[] = [
    ...registeredErrors.map(
      (error): Refusal => [
        `the registered ${error}`,
        { status: 400, body: { error } },
        `400 ${error}`,
      ],
    ),
    ['words that repeat the token', { status: 401, body: { error: 'refresh-1?' } }, '401'],
    ['a page', { status: 200, body: '<html>' }, 'no access_token'],
    ['a redirect', { status: 302, body: '' }, '302'],
  ]
  it.each(refusals)('with %s sends to signing in', async (_, answer, words) => {
    const { directory, tokens } = await createProfile(createToken({ expiresAt: toTime(0) }))
    const before = readFileSync(tokens.file)
    const failure = await getFailure(() =>
      openSession(directory, async () => answer).getCredential(),
    )
    expect(failure.category).toBe('auth')
    expect(failure.message).toContain(words)
    expect(failure.details.hint).toContain('svcctl auth login -p prod')
    expect(JSON.stringify(failure)).not.toContain('refresh-1')
    expect(readFileSync(tokens.file)).toEqual(before)
  })

  it('with a token that breaks a header is refused', async () => {
    const { directory } = await createProfile(createToken({ expiresAt: toTime(0) }))
    const post: Post = async () => ({ status: 200, body: { access_token: 'a\nb' } })
    expect((await getFailure(() => openSession(directory, post).getCredential())).category).toBe(
      'usage',
    )
  })

  it.each([500, 503, 599])('with a server in trouble (%i) may be tried again', async (status) => {
    const { directory } = await createProfile(createToken({ expiresAt: toTime(0) }))
    const good = createEndpoint()
    let down = true
    const one = openSession(directory, async (url, form) =>
      down ? { status, body: '' } : good.post(url, form),
    )
    expect((await getFailure(() => one.getCredential())).category).toBe('unreachable')
    down = false
    expect((await one.getCredential())?.value).toBe('access-2')
  })

  it('without an answer keeps the failure of the network', async () => {
    const { directory } = await createProfile(createToken({ expiresAt: toTime(0) }))
    const lost = new Failure('unreachable', 'refused')
    const post: Post = async () => Promise.reject(lost)
    expect(await getFailure(() => openSession(directory, post).getCredential())).toBe(lost)
  })
})

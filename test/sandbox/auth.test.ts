import { describe, expect, it } from 'vitest'
import { listObjects } from '../../src/base/objects.js'
import { useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox()
const { send: strict } = useFreshSandbox({ impersonation: false })

const unauthorized = { message: '401 Unauthorized' }
const withHeaders = (headers: Record<string, string>) => send('GET /user', { as: '', headers })

describe('ways to sign in', () => {
  it.each([
    ['PRIVATE-TOKEN', { 'private-token': 'sandbox-ana-token' }],
    ['Bearer with a personal token', { authorization: 'Bearer sandbox-ana-token' }],
    ['Bearer with an OAuth token', { authorization: 'Bearer sandbox-ana-oauth-token' }],
    ['the session cookie', { cookie: 'a=b; _svc_session=sandbox-ana-session' }],
  ])('%s', async (_way, headers) => {
    expect(await withHeaders(headers)).toMatchObject({ status: 200, body: { username: 'ana' } })
  })

  it.each([
    ['private_token', 'sandbox-ana-token'],
    ['access_token', 'sandbox-ana-oauth-token'],
  ])('the query parameter %s', async (name, value) => {
    const { body } = await send(`GET /user?${name}=${value}`, { as: '' })
    expect(body).toHaveProperty('username', 'ana')
  })

  it('a project token and an impersonation token', async () => {
    const bot = await send('GET /user', { as: 'sandbox-app-project-token' })
    expect(bot.body).toHaveProperty('username', 'project_1_bot')
    const chi = { as: 'sandbox-chi-impersonation-token' }
    expect((await send('GET /user', chi)).body).toHaveProperty('username', 'chi')
    expect((await strict('GET /user', chi)).status).toBe(401)
  })

  it.each([
    ['nothing', {}],
    ['an unknown token', { 'private-token': 'wrong' }],
    ['an expired token', { 'private-token': 'sandbox-ben-expired-token' }],
    ['a revoked token', { 'private-token': 'sandbox-ben-revoked-token' }],
    ['an expired OAuth token', { authorization: 'Bearer sandbox-ben-oauth-expired-token' }],
    ['an OAuth token in the wrong header', { 'private-token': 'sandbox-ana-oauth-token' }],
    ['a session as a token', { authorization: 'Bearer sandbox-ana-session' }],
    ['a job token', { 'job-token': 'sandbox-job-token' }],
  ])('refuses %s', async (_what, headers) => {
    const { status, refusal } = await withHeaders(headers as Record<string, string>)
    expect([status, refusal]).toEqual([401, unauthorized])
  })

  it('refuses whoever is blocked', async () => {
    const { status, refusal } = await send('GET /user', { as: 'fay' })
    expect([status, refusal.message]).toEqual([403, expect.stringContaining('blocked')])
  })
})

describe('scopes', () => {
  it('read_api reads and does not write', async () => {
    const as = 'sandbox-ana-read-token'
    expect((await send('GET /runners/1', { as })).status).toBe(200)
    const write = await send('PUT /runners/4', { as, json: { active: true } })
    expect([write.status, write.refusal]).toEqual([
      403,
      { error: 'insufficient_scope', error_description: expect.any(String), scope: 'api' },
    ])
  })

  it('read_user tells who one is, and no more', async () => {
    const as = 'sandbox-ana-user-token'
    expect((await send('GET /user', { as })).body).toHaveProperty('username', 'ana')
    expect((await send('GET /runners/1', { as })).refusal.error).toBe('insufficient_scope')
  })

  it('are told by the token itself', async () => {
    const { body } = await send('GET /personal_access_tokens/self')
    expect(body).toMatchObject({ scopes: ['api', 'read_user', 'sudo'], active: true, user_id: 1 })
  })

  it('say who is an administrator', async () => {
    expect((await send('GET /user')).body).toHaveProperty('is_admin', true)
    const { body } = await send('GET /user', { as: 'ben' })
    expect(body).toHaveProperty('username', 'ben')
    expect(body).not.toHaveProperty('is_admin')
  })
})

describe('sudo', () => {
  const sudo = (value: string, as?: string) =>
    send('GET /user', { ...(as === undefined ? {} : { as }), headers: { sudo: value } })

  it('acts as the named user, by ID or by username in any case, in header or query', async () => {
    expect((await sudo('4')).body).toHaveProperty('username', 'chi')
    expect((await sudo('BEN')).body).toHaveProperty('username', 'ben')
    expect((await send('GET /user?sudo=dov')).body).toHaveProperty('username', 'dov')
  })

  it('has the rights of that user only', async () => {
    expect((await send('GET /runners/all', { headers: { sudo: 'ben' } })).status).toBe(403)
  })

  it('refuses in the documented words', async () => {
    const other = await sudo('ben', 'sandbox-ana-sudo-token')
    expect([other.status, other.refusal]).toEqual([
      403,
      { message: '403 Forbidden - Must be admin to use sudo' },
    ])
    const scope = await sudo('ben', 'sandbox-root-nosudo-token')
    expect([scope.status, scope.refusal]).toEqual([
      403,
      { error: 'insufficient_scope', error_description: expect.any(String), scope: 'sudo' },
    ])
    const unknown = await sudo('nobody')
    expect([unknown.status, unknown.refusal]).toEqual([
      404,
      { message: "404 User with ID or username 'nobody' Not Found" },
    ])
  })
})

describe('refreshing an OAuth pair', () => {
  const refresh = (refresh_token: string, grant_type = 'refresh_token') =>
    send('POST //oauth/token', {
      as: '',
      body: new URLSearchParams({ grant_type, refresh_token, client_id: 'cli' }),
    })

  it('gives a new pair once, and the old one is worth nothing', async () => {
    const { status, body } = await refresh('sandbox-ben-refresh-token')
    const [pair] = listObjects([body])
    expect([status, pair?.token_type, pair?.expires_in]).toEqual([200, 'Bearer', 7200])
    const who = await withHeaders({ authorization: `Bearer ${pair?.access_token}` })
    expect(who.body).toHaveProperty('username', 'ben')
    const again = await refresh('sandbox-ben-refresh-token')
    expect([again.status, again.refusal.error]).toEqual([400, 'invalid_grant'])
    expect((await refresh(String(pair?.refresh_token))).status).toBe(200)
    expect((await withHeaders({ authorization: `Bearer ${pair?.access_token}` })).status).toBe(401)
  })

  it('knows no other grant', async () => {
    expect((await refresh('x', 'password')).refusal.error).toBe('unsupported_grant_type')
  })
})

describe('what is visible', () => {
  const commits = (project: string, as: string) =>
    send(`GET /projects/${project}/repository/commits`, { as })

  it('404 hides a private project from those outside, 403 from members it is not for', async () => {
    const hidden = await commits('web%2Fshop', 'gus')
    expect([hidden.status, hidden.refusal]).toEqual([404, { message: '404 Project Not Found' }])
    expect((await commits('no%2Fsuch', 'gus')).refusal).toEqual(hidden.refusal)
    expect((await commits('platform%2Fapp', 'eva')).status).toBe(403)
  })

  it('keeps internal projects from external users', async () => {
    expect((await commits('web%2Flegacy', 'eva')).status).toBe(200)
    expect((await commits('web%2Flegacy', 'gus')).status).toBe(404)
  })

  it('counts shares, groups above, and no membership that has ended', async () => {
    expect((await send('GET /projects/5/runners', { as: 'gus' })).status).toBe(403)
    expect((await commits('platform%2Fcore%2Fengine', 'dov')).status).toBe(200)
    const shop = async (expires_at: string) => {
      const json = { user_id: 8, access_level: 30, expires_at }
      expect((await send('POST /projects/web%2Fshop/members', { json })).status).toBe(201)
      return (await commits('web%2Fshop', 'gus')).status
    }
    expect(await shop(new Date().toISOString().slice(0, 10))).toBe(404)
    expect(await shop('9999-12-31')).toBe(200)
  })
})

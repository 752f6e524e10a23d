/** Tests that each request has exactly one credential, in a header, and only where it belongs. */
import { describe, expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()

const names = ['private-token', 'authorization', 'job-token', 'cookie', 'sudo'] as const
/** Returns the credential headers of the last request. */
const getCredentialHeaders = (): Record<string, string> => {
  const headers = server.seen.at(-1)?.headers ?? {}
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}
const run = (args: string, env: Record<string, string>) =>
  svcctl(args.split(' '), {
    env: { SVC_BASE_URL: server.url, CI_SERVER_URL: `${server.url}/`, ...env },
  })

describe('a request carries', () => {
  it.each<[string, string, Record<string, string>, Record<string, string>]>([
    ['a personal token', 'runners list', { SVC_TOKEN: 't' }, { 'private-token': 't' }],
    [
      'an OAuth token',
      'runners list',
      { SVC_TOKEN: 't', SVC_TOKEN_KIND: 'oauth' },
      { authorization: 'Bearer t' },
    ],
    [
      'a session',
      'runners list',
      { SVC_TOKEN: 't', SVC_TOKEN_KIND: 'session' },
      { cookie: '_svc_session=t' },
    ],
    [
      'a job token where it must',
      'jobs current',
      { SVC_TOKEN: 't', SVC_JOB_TOKEN: 'j' },
      { 'job-token': 'j' },
    ],
    ['the job token of CI', 'jobs agents', { CI_JOB_TOKEN: 'j' }, { 'job-token': 'j' }],
    [
      'a job token where it must, by api',
      'api get /job',
      { SVC_TOKEN: 't', CI_JOB_TOKEN: 'j' },
      { 'job-token': 'j' },
    ],
    [
      'the user’s token elsewhere, by api',
      'api get /runners',
      { SVC_TOKEN: 't', CI_JOB_TOKEN: 'j' },
      { 'private-token': 't' },
    ],
    [
      'SVC_JOB_TOKEN before CI_JOB_TOKEN',
      'jobs current',
      { SVC_JOB_TOKEN: 'j', CI_JOB_TOKEN: 'x' },
      { 'job-token': 'j' },
    ],
    [
      'a job token for downloads',
      'artifacts download 1 -P 2 --to -',
      { CI_JOB_TOKEN: 'j' },
      { 'job-token': 'j' },
    ],
    [
      'the user’s token before it',
      'artifacts download 1 -P 2 --to -',
      { CI_JOB_TOKEN: 'j', SVC_TOKEN: 't' },
      { 'private-token': 't' },
    ],
    [
      'nothing where the token is the parameter',
      'runners register --token env:REG',
      { SVC_TOKEN: 't', REG: 'r', SVC_SUDO: 'ana' },
      {},
    ],
    ['nothing for public lists without one', 'projects list', {}, {}],
    [
      'whom it acts as',
      'runners list --sudo ana',
      { SVC_TOKEN: 't' },
      { 'private-token': 't', sudo: 'ana' },
    ],
    [
      'SVC_SUDO',
      'runners list',
      { SVC_TOKEN: 't', SVC_SUDO: 'ana' },
      { 'private-token': 't', sudo: 'ana' },
    ],
  ])('%s', async (_, args, env, headers) => {
    const ran = await run(args, env)
    expect(server.seen.length, ran.stderr).toBe(1)
    expect(getCredentialHeaders()).toEqual(headers)
    expect(server.seen[0]?.url).not.toMatch(/token|sudo/)
  })

  it('the registration token in the body alone', async () => {
    await run('runners register --token env:REG', { REG: 'r-secret' })
    expect(server.seen.at(-1)?.body).toBe('{"token":"r-secret"}')
  })

  it('the alert key and no other', async () => {
    const env = { SVC_TOKEN: 't', SVC_ALERT_ENDPOINT: `${server.url}/hook`, SVC_ALERT_KEY: 'k' }
    await run('alerts send --title x', env)
    expect(getCredentialHeaders()).toEqual({ authorization: 'Bearer k' })
    await run('alerts send --title x --basic', env)
    expect(getCredentialHeaders()).toEqual({
      authorization: `Basic ${Buffer.from(':k').toString('base64')}`,
    })
    expect(server.seen.at(-1)?.url).toBe('/hook')
  })
})

describe('a token of the environment', () => {
  const elsewhere = 'http://127.0.0.1:9'

  it.each<[string, Record<string, string>]>([
    ['runners list --base-url HERE', { SVC_TOKEN: 'canary' }],
    ['jobs current --base-url HERE', { SVC_JOB_TOKEN: 'canary' }],
    ['runners update 1 --active --base-url HERE', { SVC_TOKEN: 'canary', SVC_JOB_TOKEN: 'canary' }],
  ])('beside SVC_BASE_URL does not go to another --base-url: %s', async (line, tokens) => {
    const ran = await run(line.replace('HERE', server.url), { SVC_BASE_URL: elsewhere, ...tokens })
    // A line that reads may work without a credential.
    expect(ran.code, ran.stderr).toBe(line.startsWith('runners list') ? 0 : 3)
    expect(ran.stderr).toContain(`for SVC_BASE_URL (${elsewhere})`)
    expect(JSON.stringify([server.seen, ran])).not.toContain('canary')
  })

  it('of alerts does not go to another --endpoint: exit 2', async () => {
    const env = { SVC_ALERT_ENDPOINT: `${elsewhere}/hook`, SVC_ALERT_KEY: 'canary' }
    const ran = await run(`alerts send --title x --endpoint ${server.url}/hook`, env)
    expect(ran.code, ran.stderr).toBe(2)
    expect(ran.stderr).toMatch(/SVC_ALERT_KEY is for SVC_ALERT_ENDPOINT/)
    expect(ran.stderr).not.toContain('canary')
    expect(server.seen).toEqual([])
  })

  it('of another instance’s job is not sent; where nothing else is, a warning says so', async () => {
    const env = { CI_JOB_TOKEN: 'canary', CI_SERVER_URL: elsewhere }
    const ran = await run('artifacts download 1 -P 2 --to -', env)
    expect(getCredentialHeaders()).toEqual({})
    expect(ran.stderr).toContain('CI_JOB_TOKEN belongs to CI_SERVER_URL')
    const must = await run('jobs current', env)
    expect(must.code).toBe(3)
    expect(must.stderr).toContain('Set SVC_JOB_TOKEN')
    expect(server.seen).toHaveLength(1)
  })

  it('beside SVC_BASE_URL does not go to the embedded instance', async () => {
    const env = { SVC_TOKEN: 'canary', SVC_BASE_URL: elsewhere }
    const ran = await run('runners get 1 --sandbox -o json', env)
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    const alone = await run('runners get 1 --sandbox', { SVC_TOKEN: 'canary', SVC_BASE_URL: '' })
    expect(alone.code).toBe(3)
  })

  it('is not taken for that of a profile which auth status shows', async () => {
    const SVC_CONFIG_DIR = createFolder()
    await run(`profile set mine --base-url ${server.url}`, { SVC_CONFIG_DIR })
    const env = { SVC_CONFIG_DIR, SVC_TOKEN: 'canary', SVC_BASE_URL: elsewhere }
    const ran = await run('auth status mine -o json', env)
    expect(JSON.parse(ran.stdout)).toMatchObject([{ base_url: server.url, credential: 'none' }])
    expect(server.seen).toEqual([])
  })
})

describe('exit 3, and nothing is sent', () => {
  it.each<[string, string, Record<string, string>, RegExp]>([
    [
      'for a command that takes no job token',
      'runners update 1 --active',
      { CI_JOB_TOKEN: 'j' },
      /does not accept a job token, and no other credential is set/,
    ],
    [
      'for a job’s command outside of a job',
      'jobs current',
      { SVC_TOKEN: 't' },
      /CI_JOB_TOKEN|job token/,
    ],
    ['for a write without a credential', 'runners update 1 --active', {}, /auth login/],
  ])('%s', async (_, args, env, message) => {
    const ran = await run(args, env)
    expect(ran.code).toBe(3)
    expect(ran.stderr).toMatch(message)
    expect(server.seen).toEqual([])
  })

  it('where no instance is named at all', async () => {
    const ran = await svcctl(['runners', 'list'])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('auth login')
    expect(ran.stderr).toContain('--sandbox')
  })
})

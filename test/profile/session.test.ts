import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { getActiveVocabulary, resolveSession } from '../../src/profile/session.js'
import type { Environment, InstanceFlags } from '../../src/profile/types.js'
import { createDirectory, getFailure, openServices } from './setup.js'

const prod = 'https://prod.test'
const test = 'https://test.test/forge'
const other = 'https://other.test'

/** Creates three profiles: `prod` (current) has a stored token, `test` a token command, `bare` nothing. */
const createProfiles = async () => {
  const services = openServices(createDirectory())
  const { store, tokens } = services
  const token = { token: 'stored-prod', kind: 'oauth', baseUrl: prod } as const
  const tokenStore = await tokens.write('prod', token)
  await store.set('prod', { 'base-url': prod, sudo: 'ana' }, { tokenStore })
  const command = JSON.stringify([process.execPath, '-e', 'console.log("of-command")'])
  await store.set('test', { 'base-url': test, 'token-command': command })
  await store.set('bare', { 'base-url': other, 'token-kind': 'oauth' })
  return services
}

const none = 'none'
type Row = readonly [string, InstanceFlags, Environment, string, string]

const rows: readonly Row[] = [
  // what is given                     flags                         environment                                            base URL  credential
  ['nothing but the current profile', {}, {}, prod, 'oauth stored-prod from token file'],
  ['-p', { profile: 'test' }, {}, test, 'personal of-command from the token command'],
  ['SVC_PROFILE', {}, { SVC_PROFILE: 'test' }, test, 'personal of-command'],
  ['-p over SVC_PROFILE', { profile: 'bare' }, { SVC_PROFILE: 'test' }, other, none],
  ['an empty SVC_PROFILE', {}, { SVC_PROFILE: '' }, prod, 'oauth stored-prod'],
  ['--base-url over all', { baseUrl: other }, { SVC_BASE_URL: test }, other, none],
  ['SVC_BASE_URL over the profile', {}, { SVC_BASE_URL: other }, other, none],
  ['an empty SVC_BASE_URL', {}, { SVC_BASE_URL: '' }, prod, 'oauth stored-prod'],

  ['a token, the profile has its own', {}, { SVC_TOKEN: 'env' }, prod, 'oauth stored-prod'],
  ['the same with -p', { profile: 'test' }, { SVC_TOKEN: 'env' }, test, 'personal of-command'],
  ['a token, the profile has none', { profile: 'bare' }, { SVC_TOKEN: 'env' }, other, 'oauth env'],
  ['a token and --base-url', { baseUrl: other }, { SVC_TOKEN: 'env' }, other, 'personal env'],
  [
    'a token and SVC_BASE_URL',
    {},
    { SVC_TOKEN: 'env', SVC_BASE_URL: other },
    other,
    'personal env',
  ],
  ['both, of the profile', {}, { SVC_TOKEN: 'env', SVC_BASE_URL: prod }, prod, 'personal env'],

  ["the profile's address by flag", { baseUrl: `${prod}/api/v4/` }, {}, prod, 'oauth stored-prod'],
  ["the profile's address by variable", {}, { SVC_BASE_URL: prod }, prod, 'oauth stored-prod'],
  [
    '-p over SVC_BASE_URL',
    { profile: 'test' },
    { SVC_BASE_URL: other },
    test,
    'personal of-command',
  ],
  ['--base-url over SVC_PROFILE', { baseUrl: other }, { SVC_PROFILE: 'none' }, other, none],
  [
    'another path',
    { baseUrl: 'https://test.test' },
    { SVC_PROFILE: 'test' },
    'https://test.test',
    none,
  ],
  ['another port', { baseUrl: `${prod}:8443` }, {}, `${prod}:8443`, none],
  ['another scheme', { baseUrl: 'http://prod.test' }, {}, 'http://prod.test', none],

  [
    'SVC_TOKEN_KIND',
    { baseUrl: other },
    { SVC_TOKEN: 'a', SVC_TOKEN_KIND: 'session' },
    other,
    'session a',
  ],
  [
    'the kind over the profile',
    { profile: 'bare' },
    { SVC_TOKEN: 'a', SVC_TOKEN_KIND: 'personal' },
    other,
    'personal a',
  ],
  ['a kind without token', {}, { SVC_TOKEN_KIND: 'session' }, prod, 'oauth stored-prod'],
  [
    'a line end',
    { baseUrl: other },
    { SVC_TOKEN: 'env\r\n' },
    other,
    'personal env from SVC_TOKEN',
  ],
]

describe('precedence', () => {
  it.each(rows)('%s', async (_, flags, env, baseUrl, credential) => {
    const session = resolveSession(flags, env, await createProfiles())
    expect(session.baseUrl).toBe(baseUrl)
    const given = await session.getCredential()
    const shown = given === undefined ? none : `${given.kind} ${given.value} from ${given.source}`
    expect(shown.startsWith(credential) ? credential : shown).toBe(credential)
  })

  it('says where the base URL comes from', async () => {
    const services = await createProfiles()
    const source = (flags: InstanceFlags, env: Environment) =>
      resolveSession(flags, env, services).baseUrlSource
    expect(source({ baseUrl: other }, {})).toBe('--base-url')
    expect(source({}, { SVC_BASE_URL: other })).toBe('SVC_BASE_URL')
    expect(source({}, {})).toBe('profile prod')
  })

  it('acts as the flag, the environment, the profile say', async () => {
    const services = await createProfiles()
    const sudo = (flags: InstanceFlags, env: Environment) =>
      resolveSession(flags, env, services).sudo
    expect(sudo({ sudo: '7' }, { SVC_SUDO: 'bo' })).toBe('7')
    expect(sudo({}, { SVC_SUDO: 'bo' })).toBe('bo')
    expect(sudo({ sudo: '@bo' }, {})).toBe('bo')
    expect(sudo({}, {})).toBe('ana')
    expect(sudo({ baseUrl: other }, {})).toBeUndefined()
    expect(sudo({ baseUrl: other }, { SVC_PROFILE: 'prod' })).toBeUndefined()
  })

  it('leaves a profile that is merely current out of another instance', async () => {
    const services = await createProfiles()
    expect(resolveSession({ baseUrl: other }, {}, services).profile).toBeUndefined()
    const named = resolveSession({ baseUrl: other }, { SVC_PROFILE: 'prod' }, services)
    expect(named.profile?.name).toBe('prod')
    expect(named.warnings?.join()).toContain('its credential is not sent to')
  })

  it('takes the job token of the tool before that of the job', async () => {
    const services = await createProfiles()
    const job = (env: Environment) =>
      resolveSession({}, { CI_SERVER_URL: prod, ...env }, services).getJobToken()
    expect(job({ SVC_JOB_TOKEN: 'a', CI_JOB_TOKEN: 'b' })).toEqual({
      kind: 'job',
      value: 'a',
      source: 'SVC_JOB_TOKEN',
    })
    expect(job({ SVC_JOB_TOKEN: '', CI_JOB_TOKEN: 'b' })?.source).toBe('CI_JOB_TOKEN')
    expect(job({})).toBeUndefined()
  })

  it('warns of what would surprise', async () => {
    const services = await createProfiles()
    const warnings = (flags: InstanceFlags, env: Environment) =>
      resolveSession(flags, env, services).warnings
    expect(warnings({}, {})).toEqual([])
    expect(warnings({ baseUrl: 'http://far.test' }, {})?.join()).toContain('in clear')
    expect(warnings({}, { SVC_TOKEN: 'env' })?.join()).toContain('SVC_TOKEN is not used')
  })
})

it('refuses a profile and a base URL that name different instances', async () => {
  const services = await createProfiles()
  const failure = await getFailure(() =>
    resolveSession({ profile: 'prod', baseUrl: other }, {}, services),
  )
  expect(failure.exitCode).toBe(2)
  for (const word of ['--profile prod', prod, '--base-url', other])
    expect(failure.message).toContain(word)
})

describe('no session', () => {
  it('without any configuration: names the two ways out', async () => {
    const services = openServices(createDirectory())
    const failure = await getFailure(() => resolveSession({}, { SVC_TOKEN: 'env' }, services))
    expect(failure.exitCode).toBe(3)
    expect(failure.details.hint).toContain('svcctl auth login')
    expect(failure.details.hint).toContain('--sandbox')
    const job = { CI_SERVER_URL: prod, CI_JOB_TOKEN: 'env' }
    const inJob = await getFailure(() => resolveSession({}, job, services))
    expect(inJob.details.hint).toContain('set SVC_BASE_URL to $CI_SERVER_URL')
  })

  it('without a current profile: names one to choose', async () => {
    const services = await createProfiles()
    for (const name of services.store.listNames().slice(1)) await services.store.delete(name)
    const [name = ''] = services.store.listNames()
    writeFileSync(
      services.store.file,
      readFileSync(services.store.file, 'utf8').replace(/"current": "[^"]*",/, ''),
    )
    const failure = await getFailure(() => resolveSession({}, {}, services))
    expect(failure.details.hint).toContain(`svcctl auth switch ${name}`)
  })

  it('with a profile that is not there', async () => {
    const services = await createProfiles()
    const failure = await getFailure(() => resolveSession({ profile: 'prd' }, {}, services))
    expect(failure.exitCode).toBe(2)
    expect(failure.details.hint).toContain('bare, prod, test')
    const text = readFileSync(services.store.file, 'utf8')
    writeFileSync(services.store.file, text.replace('"current": "prod"', '"current": "gone"'))
    expect((await getFailure(() => resolveSession({}, {}, services))).message).toContain('current')
  })

  it.each<[string, Environment]>([
    ['a wrong kind', { SVC_TOKEN: 'canary', SVC_TOKEN_KIND: 'bearer' }],
    ['a job token by its kind', { SVC_TOKEN: 'canary', SVC_TOKEN_KIND: 'job' }],
    ['a line break', { SVC_TOKEN: 'canary\nX-Header: 1' }],
    ['a control character', { SVC_TOKEN: 'canary\u0000' }],
    ['a blank', { SVC_TOKEN: 'canary canary' }],
    ['a character that no header takes', { SVC_TOKEN: 'canäry-canary' }],
    ['a cookie of its own', { SVC_TOKEN: 'canary;admin=1', SVC_TOKEN_KIND: 'session' }],
    ['a user that breaks the header', { SVC_SUDO: 'root\r\nX: 1' }],
  ])('with %s', async (_, env) => {
    const services = await createProfiles()
    const failure = await getFailure(() => resolveSession({ baseUrl: other }, env, services))
    expect(failure.category).toBe('usage')
    expect(JSON.stringify(failure)).not.toContain('canary')
  })

  it('with a job token that breaks the header', async () => {
    const env = { CI_JOB_TOKEN: 'a\nb', CI_SERVER_URL: prod }
    const session = resolveSession({}, env, await createProfiles())
    expect((await getFailure(() => session.getJobToken())).category).toBe('usage')
  })
})

describe("a profile's own credential", () => {
  it('is missed where the profile says that there is one', async () => {
    const services = await createProfiles()
    await services.tokens.delete('prod')
    const failure = await getFailure(() => resolveSession({}, {}, services).getCredential())
    expect(failure.category).toBe('auth')
    expect(failure.details.hint).toContain('svcctl auth login -p prod')
  })

  it('is not sent to the address that someone wrote into the file', async () => {
    const services = await createProfiles()
    const text = readFileSync(services.store.file, 'utf8')
    writeFileSync(services.store.file, text.replace(prod, 'https://evil.test'))
    const session = resolveSession({}, {}, services)
    expect(session.baseUrl).toBe('https://evil.test')
    const failure = await getFailure(() => session.getCredential())
    expect(failure.message).toContain(`is for ${prod}, not for https://evil.test`)
  })

  it('is not read before it is needed', async () => {
    const services = await createProfiles()
    writeFileSync(services.tokens.file, 'corrupt', { mode: 0o600 })
    expect(resolveSession({}, {}, services).baseUrl).toBe(prod)
  })
})

describe("the environment's token", () => {
  it.each<[string, InstanceFlags, Environment, string, RegExp]>([
    [
      '--base-url',
      { baseUrl: 'https://b.test' },
      { SVC_TOKEN: 'canary' },
      none,
      /SVC_TOKEN is not/,
    ],
    [
      'another port',
      { baseUrl: `${other}:8443` },
      { SVC_TOKEN: 'canary' },
      none,
      /other\.test:8443/,
    ],
    ['http', { baseUrl: 'http://other.test' }, { SVC_TOKEN: 'canary' }, none, /http:\/\/other/],
    ['-p', { profile: 'prod' }, { SVC_TOKEN: 'canary' }, 'stored-prod', /for SVC_BASE_URL/],
    [
      'a kind that is none',
      { profile: 'prod' },
      { SVC_TOKEN: 'canary', SVC_TOKEN_KIND: 'x' },
      'stored-prod',
      /SVC_TOKEN/,
    ],
    [
      '-p, a job token',
      { profile: 'test' },
      { SVC_JOB_TOKEN: 'canary' },
      'of-command',
      /^SVC_JOB_/,
    ],
    [
      'both kinds',
      { baseUrl: prod },
      { SVC_TOKEN: 'canary', SVC_JOB_TOKEN: 'canary' },
      'stored-prod',
      /^SVC_TOKEN and SVC_JOB_TOKEN are not used: they are for/,
    ],
    [
      'an address that is none',
      { baseUrl: prod },
      { SVC_TOKEN: 'canary', SVC_BASE_URL: 'ftp://x' },
      'stored-prod',
      /not valid/,
    ],
  ])('beside SVC_BASE_URL goes nowhere else: %s', async (_, flags, env, value, warned) => {
    const services = await createProfiles()
    const session = resolveSession(flags, { SVC_BASE_URL: other, ...env }, services)
    expect((await session.getCredential())?.value ?? none).toBe(value)
    expect(session.getJobToken()).toBeUndefined()
    const texts = session.warnings?.filter((text) => text.startsWith('SVC_')) ?? []
    expect(texts).toEqual([expect.stringMatching(warned)])
    expect(texts.join()).not.toContain('canary')
  })

  it('beside SVC_BASE_URL serves its origin, by whatever path and flag', async () => {
    const services = await createProfiles()
    const env = { SVC_TOKEN: 'env', SVC_JOB_TOKEN: 'job', SVC_BASE_URL: `${other}/a` }
    for (const flags of [{}, { baseUrl: `${other}/b` }, { profile: 'bare' }]) {
      const session = resolveSession(flags, env, services)
      expect((await session.getCredential())?.value).toBe('env')
      expect(session.getJobToken()?.value).toBe('job')
    }
  })

  it('without SVC_BASE_URL serves what a flag or the profile chose', async () => {
    const services = await createProfiles()
    const chosen = (flags: InstanceFlags) =>
      resolveSession(flags, { SVC_TOKEN: 'env', SVC_JOB_TOKEN: 'job' }, services)
    expect((await chosen({ baseUrl: 'https://b.test' }).getCredential())?.value).toBe('env')
    expect(chosen({ profile: 'test' }).getJobToken()?.value).toBe('job')
  })
})

describe('the token of a CI job', () => {
  it.each<[string, Environment, string | undefined, RegExp | undefined]>([
    ['of this instance', { CI_SERVER_URL: `${prod}:443/sub` }, 'job', undefined],
    ['of another', { CI_SERVER_URL: other }, undefined, /CI_JOB_TOKEN belongs to CI_SERVER_URL/],
    ['of another port', { CI_SERVER_URL: `${prod}:1` }, undefined, /and was not sent to/],
    ['of nobody', {}, undefined, /CI_JOB_TOKEN was not sent, because CI_SERVER_URL is not set\./],
    [
      'of an empty name',
      { CI_SERVER_URL: '' },
      undefined,
      /CI_JOB_TOKEN was not sent, because CI_SERVER_URL is not set\./,
    ],
    [
      'of what is no address',
      { CI_SERVER_URL: 'prod.test' },
      undefined,
      /CI_JOB_TOKEN was not sent, because CI_SERVER_URL is not set\./,
    ],
    ['with the own word', { SVC_JOB_TOKEN: 'own' }, 'own', undefined],
  ])('%s', async (_, env, value, withheld) => {
    const session = resolveSession({}, { CI_JOB_TOKEN: 'job', ...env }, await createProfiles())
    expect(session.getJobToken()?.value).toBe(value)
    expect(session.jobTokenWithheld ?? '').toMatch(withheld ?? /^$/)
    if (withheld !== undefined) expect(session.jobTokenWithheld).toContain('Set SVC_JOB_TOKEN')
  })
})

it("a profile's vocabulary is for its own address, that of the environment for any", async () => {
  const { store } = await createProfiles()
  const file = resolve('words.yml')
  await store.set('test', { vocabulary: file })
  const found = (flags: InstanceFlags, env: Environment = {}) =>
    getActiveVocabulary(flags, env, () => store)
  expect(found({ profile: 'test' })).toEqual({ file, serves: test })
  expect(found({ profile: 'test', baseUrl: other })).toBeUndefined()
  expect(found({ profile: 'prod' })).toBeUndefined()
  expect(found({ profile: 'prod' }, { SVC_VOCABULARY: file })).toEqual({ file })
})

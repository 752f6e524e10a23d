/** Tests `alerts send`: the request goes to the endpoint with the endpoint's key, and without the user's token. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { createCaller } from './calling.js'

const { server, call, sent } = createCaller()
const path = '/a/alerts/notify/x/1.json'
const send = (flags: readonly string[], env: Record<string, string> = {}, input?: string) =>
  call(['alerts', 'send', ...flags], { env, ...(input === undefined ? {} : { input }) })
const getEndpoint = (): string => `${server.url}${path}`
const createKeyFlags = (): string[] => [
  '--endpoint',
  getEndpoint(),
  '--authorization-key',
  'the-key',
]
const getAuthorization = () => server.seen[0]?.headers.authorization
const toBasicHeader = (key: string): string => `Basic ${Buffer.from(`:${key}`).toString('base64')}`

describe('alerts send', () => {
  it('sends the key as Bearer, and no token of the person', async () => {
    const ran = await send([...createKeyFlags(), '--title', 'Disk full', '--hosts', 'db1'])
    expect(ran.code).toBe(0)
    expect(sent()).toEqual([{ line: `POST ${path}`, body: { title: 'Disk full', hosts: 'db1' } }])
    expect(getAuthorization()).toBe('Bearer the-key')
    expect(JSON.stringify(server.seen)).not.toContain('secret-token')
  })

  it('sends it by Basic with --basic', async () => {
    await send([...createKeyFlags(), '--basic', '--title', 'x'])
    expect(getAuthorization()).toBe(toBasicHeader('the-key'))
  })

  it('takes the key out of the address, warns, and sends it by Basic', async () => {
    const ran = await send([
      '--endpoint',
      getEndpoint().replace('//', '//:in%20it@'),
      '--title',
      'x',
    ])
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('the endpoint URL contains a key, which would end up in logs, so')
    expect(getAuthorization()).toBe(toBasicHeader('in it'))
    expect(server.seen[0]?.url).toBe(path)
  })

  it('is below the instance where it begins with a slash, and both come from the environment', async () => {
    const env = { SVC_ALERT_ENDPOINT: path, SVC_ALERT_KEY: 'env-key' }
    expect((await send(['--title', 'x'], env)).code).toBe(0)
    expect(server.seen[0]?.url).toBe(path)
    expect(getAuthorization()).toBe('Bearer env-key')
  })

  it('sends the key of the environment to no other origin', async () => {
    const env = { SVC_ALERT_ENDPOINT: 'https://alerts.example/x.json', SVC_ALERT_KEY: 'env-key' }
    const ran = await send(['--endpoint', getEndpoint(), '--title', 'x'], env)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('SVC_ALERT_KEY is for SVC_ALERT_ENDPOINT')
    expect(server.seen).toEqual([])
    const same = { SVC_ALERT_ENDPOINT: `${server.url}/other.json`, SVC_ALERT_KEY: 'env-key' }
    expect((await send(['--endpoint', getEndpoint(), '--title', 'x'], same)).code).toBe(0)
    const given = [...createKeyFlags(), '--title', 'x']
    expect((await send(given, env)).code).toBe(0)
  })

  it('has the names of a vocabulary at the instance that the profile names, and at no other', async () => {
    const config = createConfiguration()
    const vocabulary = join(config, 'words.yml')
    writeFileSync(vocabulary, 'vocabulary: 1\nnames: { hosts: machines }\n')
    const profile = (baseUrl: string) => ({ baseUrl, vocabulary, tokenCommand: ['printf', 'any'] })
    const profiles = { own: profile(server.url), other: profile('https://other.example') }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: '', SVC_TOKEN: '', SVC_NO_KEYRING: '1' }
    for (const name of ['own', 'other'])
      expect((await send([...createKeyFlags(), '--hosts', 'db1', '-p', name], env)).code).toBe(0)
    expect(sent().map(({ body }) => body)).toEqual([{ machines: 'db1' }, { hosts: 'db1' }])
  })

  it.each([
    [[], 'alerts send requires --endpoint (or SVC_ALERT_ENDPOINT)'],
    [
      ['--endpoint', 'http://127.0.0.1:1/x'],
      'alerts send requires --authorization-key (or SVC_ALERT_KEY)',
    ],
    [['--endpoint', 'ftp://127.0.0.1/x', '--authorization-key', 'k'], 'http'],
  ])('refuses %j', async (flags, says) => {
    const ran = await send([...flags, '--title', 'x'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(says)
  })

  it('ends an alert with --resolve, at a given time where one is given', async () => {
    await send([...createKeyFlags(), '--title', 'x', '--resolve'])
    const body = sent()[0]?.body as { end_time?: string }
    expect(body.end_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(Math.abs(Date.parse(body.end_time ?? '') - Date.now())).toBeLessThan(600_000)
    server.seen.length = 0
    const end = '2026-01-31T00:00:00Z'
    await send([...createKeyFlags(), '--title', 'x', '--resolve', '--end-time', end])
    expect(sent()[0]?.body).toEqual({ title: 'x', end_time: end })
  })

  it('sends a test alert with --test, whose words a given one beats', async () => {
    await send([...createKeyFlags(), '--test', '--severity', 'low'], {}, undefined)
    expect(sent()[0]?.body).toEqual({
      title: 'New: Alert (test)',
      description: 'A test alert, sent by svcctl.',
      severity: 'low',
      monitoring_tool: 'svcctl',
    })
  })

  it('takes properties of any type from --input, one named endpoint too', async () => {
    const input = '{"title": "x", "endpoint": "checkout", "load": {"one": 1.5}, "tags": [true]}'
    expect((await send([...createKeyFlags(), '--input', '-'], {}, input)).code).toBe(0)
    expect(server.seen[0]?.url).toBe(path)
    expect(sent()[0]?.body).toEqual(JSON.parse(input))
  })

  it('says what is wrong with a key that is refused', async () => {
    server.answer = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    const ran = await send([...createKeyFlags(), '--title', 'x'])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('The authorization key is wrong or was renewed. The project’s')
  })

  it('says that it was sent where there is no answer, and shows several', async () => {
    server.answer = () => ({ status: 200 })
    expect((await send([...createKeyFlags(), '--title', 'x'])).stderr).toContain('sent the alert')
    server.answer = () => ({ body: [{ iid: 1, title: 'x' }] })
    expect((await send([...createKeyFlags(), '--title', 'x'])).stdout).toContain('x')
  })

  it('shows with --curl the request and not the key', async () => {
    const ran = await send([...createKeyFlags(), '--title', 'x', '--curl'])
    expect(ran.stdout).toContain(path)
    expect(ran.stdout).not.toContain('the-key')
    expect(server.seen).toEqual([])
  })
})

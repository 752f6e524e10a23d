/** Tests attributes that an instance ignores with status 200: they are reported, and --strict fails on them. */

import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/base/json/json.js'
import type { JsonValue, JsonValues } from '../../src/base/objects.js'
import { approvals } from '../../src/catalogue/areas/approvals.js'
import { commits } from '../../src/catalogue/areas/commits.js'
import { deployKeys } from '../../src/catalogue/areas/deploy-keys.js'
import { geo } from '../../src/catalogue/areas/geo.js'
import { integrations } from '../../src/catalogue/areas/integrations.js'
import { members } from '../../src/catalogue/areas/members.js'
import { pagesDomains } from '../../src/catalogue/areas/pages-domains.js'
import { runners } from '../../src/catalogue/areas/runners.js'
import { settings } from '../../src/catalogue/areas/settings.js'
import { type Endpoint, hasEcho } from '../../src/catalogue/endpoint.js'
import { getProperties } from '../../src/catalogue/fields.js'
import { areas } from '../../src/catalogue/index.js'
import { documentedWords } from '../../src/catalogue/words.js'
import { findUnappliedAttributes, UnappliedAttributes } from '../../src/engine/instance/caller.js'

import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

type Values = JsonValues
const listUnapplied = (endpoint: Endpoint, values: Values, answer: unknown): readonly string[] =>
  findUnappliedAttributes({ endpoint, values }, answer, documentedWords).map(({ name }) => name)

describe('an attribute counts as taken', () => {
  it.each<[string, Endpoint, Values, unknown]>([
    ['in another order', runners.update, { tag_list: ['a', 'b'] }, { tag_list: ['b', 'a'] }],
    [
      'as a joined text',
      integrations.update,
      { recipients: 'a b' },
      { properties: { recipients: 'b,a' } },
    ],
    [
      'as "1"',
      integrations.update,
      { disable_diffs: true },
      { properties: { disable_diffs: '1' } },
    ],
    [
      'as "false"',
      integrations.update,
      { disable_diffs: false },
      { properties: { disable_diffs: 'false' } },
    ],
    ['as null for an empty value', runners.update, { description: '' }, { description: null }],
    [
      'by its day',
      members.updateOfGroup,
      { expires_at: '2026-01-02' },
      { expires_at: '2026-01-02T00:00:00Z' },
    ],
    [
      'as the same moment',
      members.updateOfGroup,
      { expires_at: '2026-01-02T01:00:00+01:00' },
      { expires_at: '2026-01-02T00:00:00.000Z' },
    ],
    [
      'without the comment of a key',
      deployKeys.add,
      { key: 'ssh-ed25519 AAAA me@x' },
      { key: 'ssh-ed25519 AAAA' },
    ],
    [
      'with another comment of a key',
      deployKeys.add,
      { key: 'ssh-ed25519 AAAA me@x' },
      { key: 'ssh-ed25519 AAAA deploy (svc.test)' },
    ],
    ['without a trailing slash', geo.update, { url: 'https://a.test/' }, { url: 'https://a.test' }],
    [
      'where the answer need not show it',
      approvals.rulesCreate,
      { user_ids: [1], name: 'x' },
      { name: 'x' },
    ],
    [
      'as the objects of its IDs',
      approvals.rulesUpdate,
      { user_ids: [1, 2], group_ids: [], protected_branch_ids: [3] },
      { users: [{ id: 2 }, { id: 1 }], groups: [], protected_branches: [{ id: 3, name: 'x' }] },
    ],
    [
      'where the answer hides a part of it',
      approvals.rulesUpdate,
      { group_ids: [4] },
      { groups: [], contains_hidden_groups: true },
    ],
    [
      'where the answer is about several members',
      members.addToGroup,
      { access_level: 30, expires_at: '2027-01-01' },
      { status: 'success' },
    ],
    [
      'where it only triggers something',
      commits.create,
      { stats: true, branch: 'x' },
      { stats: { total: 1 } },
    ],
    [
      'where it is a secret that the answer has',
      settings.update,
      { asset_proxy_secret_key: 'x' },
      { asset_proxy_secret_key: '****' },
    ],
    ['where it is a secret that is unset', settings.update, { spamsvc_api_key: '' }, {}],
    ['where it is a certificate that is removed', pagesDomains.update, { certificate: '' }, {}],
    ['where it is a secret of an integration', integrations.update, { token: 'x' }, {}],
    [
      'under a name that only the properties have',
      integrations.update,
      { channel: 'x' },
      { properties: { channel: 'x' } },
    ],
    [
      'where nothing was sent, and no property is set',
      integrations.update,
      { room: '' },
      { properties: {} },
    ],
    ['where it names the place', runners.update, { id: 7 }, {}],
    ['where the answer is none', runners.update, { description: 'x' }, undefined],
    ['as a number in text', runners.update, { maximum_timeout: 600 }, { maximum_timeout: '600' }],
    ['under a name that only the answer has', settings.update, { brand_new: 1 }, { brand_new: 1 }],
    ...Object.entries<[JsonValue, unknown]>({
      'a number in text': [1, '1'],
      'text that says a number': ['1', 1],
      'a number that is written otherwise': ['1.50', 1.5],
      'a boolean as 1': [true, 1],
      'a boolean as text': [false, 'false'],
      'a list in another order': [
        ['a', 'b'],
        ['b', 'a'],
      ],
      'a list as joined text': ['a,b', ['b', 'a']],
      'null for an empty text': ['', null],
      'an empty list for null': [null, []],
      'a text with other line breaks': ['a\r\nb', 'a\nb'],
      'an object with more fields': [{ a: 1 }, { a: '1', b: 2 }],
      'a secret that is not shown': ['x', '****'],
    }).map(([what, [sent, got]]): [string, Endpoint, Values, unknown] => {
      const name = what.startsWith('a secret') ? 'brand_new_token' : 'brand_new'
      return [
        `under a name that only the answer has: ${what}`,
        settings.update,
        { [name]: sent },
        { [name]: got },
      ]
    }),
    ['as a value of an object', runners.update, { access_level: 5 }, { access_level: { id: 5 } }],
  ])('%s', (_, endpoint, values, answer) => {
    expect(listUnapplied(endpoint, values, answer)).toEqual([])
  })
})

describe('an attribute counts as not taken', () => {
  it.each<[string, Endpoint, Values, unknown]>([
    ['when the answer lacks it', runners.update, { description: 'x' }, {}],
    ['when it kept the old text', runners.update, { description: 'x' }, { description: 'y' }],
    [
      'when words have another order',
      runners.update,
      { description: 'b a' },
      { description: 'a b' },
    ],
    ['when a text ends in a slash', runners.update, { description: 'a/' }, { description: 'a' }],
    [
      'when a text begins with the same day',
      runners.update,
      { description: '2026-01-02' },
      { description: '2026-01-02 build' },
    ],
    ['when a boolean is the other', runners.update, { locked: true }, { locked: 'false' }],
    ['when a list lacks one', runners.update, { tag_list: ['a', 'b'] }, { tag_list: ['a', 'c'] }],
    ['when a list is longer', runners.update, { tag_list: ['a'] }, { tag_list: ['a', 'c'] }],
    [
      'when it is another day',
      members.updateOfGroup,
      { expires_at: '2026-01-02' },
      { expires_at: '2026-01-03' },
    ],
    [
      'when it should be null',
      members.updateOfGroup,
      { expires_at: null },
      { expires_at: '2026-01-03' },
    ],
    [
      'when it is another key',
      deployKeys.add,
      { key: 'ssh-ed25519 AAAA me' },
      { key: 'ssh-ed25519 AAAB me' },
    ],
    [
      'under a name that nobody knows',
      settings.update,
      { signup_enabledd: true },
      { signup_enabled: true },
    ],
    [
      'when the objects of its IDs are others',
      approvals.rulesUpdate,
      { user_ids: [1], group_ids: [4], protected_branch_ids: [3] },
      { users: [], groups: [{ id: 5 }], protected_branches: [{ id: 3 }, { id: 4 }] },
    ],
    [
      'when a new member has another level or end',
      members.addToGroup,
      { access_level: 30, expires_at: '2027-01-01' },
      { access_level: 20, expires_at: null },
    ],
    ['when properties lack it', integrations.update, { room: 'x' }, { properties: {} }],
    ['when no value of an object is it', runners.update, { locked: 'x' }, { locked: { id: 6 } }],
    ...Object.entries<[JsonValue, unknown]>({
      'a boolean': [true, false],
      'a boolean as 0': [true, '0'],
      'a number': [5, 4],
      'a number past 2^53': [new ExactNumber('9007199254740993') as never, 9007199254740992],
      'a text': ['new', 'old'],
      'a text that is unset': ['new', null],
      'a text that stays': ['', 'old'],
      'a list': [['a'], ['a', 'b']],
      'a list that is emptied': [[], ['a']],
      'an object': [{ a: 1 }, { a: 2 }],
    }).map(([what, [sent, got]]): [string, Endpoint, Values, unknown] => [
      `when only the answer has the name: ${what}`,
      settings.update,
      { brand_new: sent },
      { brand_new: got },
    ]),
    ['when it is a secret', settings.update, { asset_proxy_secret_key: 'x' }, {}],
    ['when it is a certificate', pagesDomains.update, { certificate: 'x' }, {}],
    ['when it is a list that is emptied', settings.update, { domain_allowlist: [] }, {}],
    ['when only its name ends as a secret’s', settings.update, { disable_feed_token: true }, {}],
    ['when it is a secret that nobody knows', settings.update, { hub_token: 'x' }, {}],
  ])('%s', (_, endpoint, values, answer) => {
    expect(listUnapplied(endpoint, values, answer)).toEqual(Object.keys(values))
  })

  it('names what an unknown name was meant to be, from the answer as well', () => {
    const [found] = findUnappliedAttributes(
      { endpoint: settings.update, values: { signup_enabledd: true } },
      { signup_enabled: true },
      documentedWords,
    )
    expect(found?.text).toMatch(/did you mean signup_enabled\?/)
    expect(found?.unknown).toBe(true)
  })

  it('is said once for many objects, with the first of them', () => {
    const taken = new UnappliedAttributes(documentedWords)
    for (const label of ['1', '2', '3', '4', '5'])
      taken.checkAnswer(
        { endpoint: runners.update, values: { locked: true }, label },
        { data: { locked: false } },
      )
    expect([...taken.yieldWarnings()]).toEqual([
      {
        text: '1, 2, 3 and 2 more: the instance did not apply locked: the value is false',
        unknown: false,
      },
    ])
  })
})

const secretsShown = (
  await Promise.all(
    areas.map(async ({ name, load }) =>
      Object.values(await load()).flatMap((endpoint) =>
        Object.keys(endpoint.params).flatMap((param) =>
          hasEcho(endpoint) &&
          endpoint.params[param]?.secret === true &&
          param in (getProperties(endpoint.returns.shape) ?? {})
            ? [`${name} ${endpoint.command} ${param}`]
            : [],
        ),
      ),
    ),
  )
).flat()

describe('of every secret that answers show, its absence is said', () => {
  const lines: Readonly<Record<string, string>> = {
    'runners register token': 'runners register --token c4n4ry-secret',
    'settings update spamsvc_api_key': 'settings update --spamsvc-api-key c4n4ry-secret',
    'settings update asset_proxy_secret_key':
      'settings update --asset-proxy-secret-key c4n4ry-secret',
    'settings update cloud_access_key_id': 'settings update --cloud-access-key-id c4n4ry-secret',
  }
  it('has a line for each', () => {
    expect(secretsShown).toEqual(Object.keys(lines))
  })
  const server = useRecorder()
  it.each(secretsShown)('%s', async (of) => {
    server.answer = () => ({ body: { id: 1 } })
    const name = of.split(' ').at(-1) ?? ''
    for (const format of ['table', 'json']) {
      const ran = await svcctl(`${lines[of]} --strict -o ${format}`.split(' '), {
        env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' },
      })
      expect(ran.stderr).toContain(
        `the response does not show whether the instance applied ${name}`,
      )
      expect(ran.stderr).not.toMatch(/already|nothing changed|c4n4ry/)
      expect(ran.code).toBe(1)
    }
  })
})

describe('a write', () => {
  const server = useRecorder()
  const run = (...args: string[]) =>
    svcctl(args, { env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' } })

  it('is answered on standard output, and what was not taken noted, with exit 0', async () => {
    server.answer = () => ({ body: { id: 7, description: 'old' } })
    const ran = await run(
      'runners',
      'update',
      '7',
      '--description',
      'new',
      '--locked',
      '-o',
      'json',
    )
    expect(JSON.parse(ran.stdout)).toEqual({ id: 7, description: 'old' })
    expect(ran.stderr).toBe(
      'the instance did not apply description: the value is "old"\n' +
        'the instance ignored locked: not in the response (another version or edition?)\n',
    )
    expect(ran.code).toBe(0)
  })
  it('ends with 1 under --strict, after the answer', async () => {
    server.answer = () => ({ body: { id: 7, description: 'old' } })
    const ran = await run(
      'runners',
      'update',
      '7',
      '--description',
      'new',
      '--strict',
      '-o',
      'json',
    )
    expect(JSON.parse(ran.stdout)).toEqual({ id: 7, description: 'old' })
    expect(ran.code).toBe(1)
  })
  const none = 'no visible setting changed\n'
  it('says of a secret setting that the answer lacks no word of success', async () => {
    server.answer = () => ({ body: { id: 1, signup_enabled: true } })
    const ran = await run('settings', 'update', '--spamsvc-api-key', 'c4n4ry-key')
    expect(ran.stderr.split('\n').slice(1).join('\n')).toBe(
      `${none}the response does not show whether the instance applied spamsvc_api_key: not in the response (another version or edition?)\n`,
    )
    expect(ran.code).toBe(0)
  })
  it('says that the settings had these values only where the answer shows them', async () => {
    server.answer = () => ({ body: { id: 1, disable_feed_token: true, spamsvc_api_key: '****' } })
    const kept = await run('settings', 'update', '--disable-feed-token', '--strict')
    expect(kept.stderr).toBe('nothing changed: the settings already have these values\n')
    const hidden = await run('settings', 'update', '--spamsvc-api-key', 'x', '--strict')
    expect(hidden.stderr).toContain(none)
    expect(hidden).toMatchObject({ code: 0, stderr: expect.not.stringContaining('already') })
    const other = await run('settings', 'update', '--no-disable-feed-token', '--strict')
    expect(other.stderr).toBe(
      `${none}the instance did not apply disable_feed_token: the value is true\n`,
    )
    expect(other.code).toBe(1)
  })
  it('finds what it sent below the properties of an integration', async () => {
    const body = { id: 3, slug: 'team-chat', properties: { channel: 'ops', notify: '1' } }
    server.answer = () => ({ body })
    const line = ['integrations', 'update', 'team-chat', '-P', '1', '--strict', '-o', 'json']
    const ran = await run(...line, '--param', 'channel=ops', '--param', 'notify=true')
    expect(ran).toMatchObject({ stderr: '', code: 0 })
    const lost = await run(...line, '--param', 'chanel=ops')
    expect(lost.stderr).toMatch(/the instance ignored chanel: unknown, and not in the response/)
    expect(lost.code).toBe(1)
  })
  it('ends with 0 under --strict where all was taken, also an unknown name', async () => {
    server.answer = () => ({ body: { id: 7, description: 'new', brand_new: 1 } })
    const ran = await run(
      'runners',
      'update',
      '7',
      '--description',
      'new',
      '--param',
      'brand_new=1',
      '--strict',
    )
    expect(ran).toMatchObject({ stderr: '', code: 0 })
  })
  it.each([
    ['settings', 'update', '--param', 'brand_new=true'],
    ['settings', 'update', '--input', '-'],
    ['runners', 'update', '7', '--param', 'brand_new=true'],
    ['approvals', 'rules', 'update', '1', '-P', '1', '--param', 'brand_new=true'],
    ['integrations', 'update', 'team-chat', '-P', '1', '--param', 'brand_new=true'],
  ])('compares an attribute that only the answer knows: %s', async (...line) => {
    server.answer = () => ({ body: { id: 1, brand_new: false, users: [], groups: [] } })
    const ran = await svcctl([...line, '--strict', '--yes'], {
      env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' },
      input: '{"brand_new": true}',
    })
    expect(ran.stderr).toContain('the instance did not apply brand_new: the value is false')
    expect(ran.code).toBe(1)
  })
  it('names unknown names when it is refused', async () => {
    server.answer = () => ({ status: 400, body: { message: 'no' } })
    const ran = await run('runners', 'update', '7', '--param', 'descriptoin=x')
    expect(ran.stderr).toContain(
      'unknown parameter "descriptoin"; sending it unchanged; did you mean description?',
    )
    expect(ran.code).toBe(1)
  })
  it('says of a field of the answer that no parameter has its name, and guesses nothing', async () => {
    const ran = await run('settings', 'update', '--param', 'signup_enabled=false', '--curl')
    expect(ran.stderr).toContain('"signup_enabled" is a response field, not a known parameter')
    expect(ran.stderr).not.toContain('did you mean')
  })
  it('says of a name in the path that it is not sent', async () => {
    const ran = await svcctl(['runners', 'update', '7', '--input', '-', '--curl'], {
      env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' },
      input: '{"id": 5, "description": "x"}',
    })
    expect(ran.stdout).toMatch(/'{"description":"x"}' \S*\/runners\/7\n$/)
    expect(ran.stderr).toContain('"id" is part of the path')
    expect(ran.stderr).not.toContain('sending it unchanged')
  })
  it('under --curl names unknown names before anything is sent', async () => {
    const ran = await run('runners', 'update', '7', '--param', 'descriptoin=x', '--curl')
    expect(ran.stderr).toContain('did you mean description?')
    expect(server.seen).toEqual([])
  })
  it('shows of changed settings no secret, old or new', async () => {
    const secrets = ['c4n4ry-old', 'c4n4ry-new']
    server.answer = ({ method }) => ({
      body: {
        id: 1,
        asset_proxy_secret_key: secrets[method === 'GET' ? 0 : 1],
        hub_dsn: secrets[method === 'GET' ? 0 : 1],
      },
    })
    const ran = await run(
      'settings',
      'update',
      '--param',
      'hub_dsn=x',
      '--default-projects-limit',
      '5',
    )
    expect(ran.stdout).toMatch(
      /asset_proxy_secret_key\t\[masked\]\t\[masked\]\nhub_dsn\t\[masked\]\t\[masked\]\n/,
    )
    expect(ran.stdout + ran.stderr).not.toContain('c4n4ry')
  })
})

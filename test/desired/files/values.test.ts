/** Tests the values of attributes, by the types of the catalogue's parameters. */
import { describe, expect, it } from 'vitest'
import { managedKinds } from '../../../src/catalogue/managed.js'
import { getAttributes } from '../../../src/desired/attributes.js'
import { findItem, findMistakes, readText } from './reading.js'

const buildSettings = (text: string): string => `site: {settings: {${text}}}`
const buildRule = (text: string): string =>
  `projects: {platform/app: {approval_rules: {R: {${text}}}}}`
const buildMember = (text: string): string => `groups: {platform: {members: {${text}}}}`

const readValues = async (text: string, key: string, identity: string | number = '') => {
  const item = findItem(await readText(text), key, identity)
  return Object.fromEntries(
    [...item.attributes].map(([name, { value }]) => [
      name,
      value.is === 'value' ? value.value : value,
    ]),
  )
}

/** A public key of a valid type and length. */
const key = `ssh-ed25519 ${Buffer.concat([
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('ssh-ed25519'),
  Buffer.from([0, 0, 0, 32]),
  Buffer.alloc(32, 7),
]).toString('base64')}`

describe('a value', () => {
  it.each([
    ['admin_mode: true', { admin_mode: true }],
    ['default_projects_limit: 5', { default_projects_limit: 5 }],
    ["default_projects_limit: '5'", { default_projects_limit: 5 }],
    ['default_branch_protection: partially_protected', { default_branch_protection: 1 }],
    ['default_branch_protection: 2', { default_branch_protection: 2 }],
    ['default_project_visibility: internal', { default_project_visibility: 'internal' }],
    ['domain_allowlist: [a.example, 7]', { domain_allowlist: ['a.example', '7'] }],
    ['asset_proxy_allowlist: a.example', { asset_proxy_allowlist: ['a.example'] }],
    ['after_sign_up_text: null', { after_sign_up_text: '' }],
    ["after_sign_up_text: ''", { after_sign_up_text: '' }],
  ])('%s', async (text, values) => {
    expect(await readValues(buildSettings(text), 'site:settings')).toEqual(values)
  })

  it('is a level by its name, or by a number that may be a custom one', async () => {
    const text = buildMember('ana: {access_level: Maintainer}, ben: {access_level: 15}')
    expect(await readValues(text, 'platform:members', 'ana')).toEqual({ access_level: 40 })
    expect(await readValues(text, 'platform:members', 'ben')).toEqual({ access_level: 15 })
  })

  it('is a name, an ID, or a name of digits only', async () => {
    const text = buildRule("user_ids: [ana, 12, '12', '@123', 1.5], group_ids: [platform/core]")
    expect(await readValues(text, 'platform/app:approval_rules', 'R')).toEqual({
      user_ids: ['ana', 12, 12, '123', '1.5'],
      group_ids: ['platform/core'],
    })
  })

  it('is several, joined by the documents, and listed in files', async () => {
    const text =
      'projects: {platform/app: {integrations: {emails-on-push: {recipients: [a@x.test, b@x.test]}}}}'
    expect(await readValues(text, 'platform/app:integrations', 'emails-on-push')).toEqual({
      recipients: 'a@x.test b@x.test',
    })
  })

  it('is nothing where null is something, and where a day can be taken away', async () => {
    const node = 'site: {geo_nodes: {south: {selective_sync_type: null, internal_url: null}}}'
    expect(await readValues(node, 'site:geo_nodes', 'south')).toEqual({
      selective_sync_type: null,
      internal_url: '',
    })
    expect(
      await readValues(buildMember('ana: {expires_at: null}'), 'platform:members', 'ana'),
    ).toEqual({
      expires_at: '',
    })
  })

  it('is a key', async () => {
    const text = `projects: {platform/app: {deploy_keys: {deploy: {key: '${key} me@x'}}}}`
    expect(await readValues(text, 'platform/app:deploy_keys', 'deploy')).toEqual({
      key: `${key} me@x`,
    })
  })
})

const invalidFiles: readonly (readonly [string, string, ...(readonly string[])])[] = [
  [buildSettings('admin_mode: "true"'), 'admin_mode must be true or false, not "true"'],
  [
    buildSettings('admin_mode: 1'),
    'admin_mode must be true or false, not 1',
    'In YAML 1.2, only true and false are booleans.',
  ],
  [
    buildSettings('admin_mode: null'),
    'admin_mode must be true or false, not nothing',
    'Remove the attribute to keep its current value.',
  ],
  [
    buildSettings('default_projects_limit: 5.5'),
    'default_projects_limit must be a whole number or a map, not 5.5',
  ],
  [
    buildSettings('default_projects_limit: many'),
    'default_projects_limit must be a whole number or a map, not "many"',
  ],
  [
    buildSettings('default_projects_limit: 9007199254740993'),
    'default_projects_limit: "9007199254740993" is too large',
  ],
  [
    buildSettings('default_projects_limit: [1]'),
    'default_projects_limit must be a whole number or a map, not a list',
  ],
  [
    buildSettings('deletion_adjourned_period: 91'),
    'deletion_adjourned_period must be at most 90, not 91',
  ],
  [
    buildSettings('default_project_visibility: intern'),
    'default_project_visibility must be private, internal or public, not "intern"',
    'Did you mean internal?',
  ],
  [buildSettings('domain_allowlist: {a: b}'), 'a is not allowed here', 'Use one of $add, $remove.'],
  [
    buildSettings('domain_allowlist: null'),
    'domain_allowlist must be a list or a map, not nothing',
    'Write [] for an empty list. Remove the attribute to keep its current value.',
  ],
  [
    buildSettings('domain_allowlist: [null]'),
    'an item of domain_allowlist must be text, not nothing',
  ],
  [
    "projects: {platform/app: {deploy_keys: {deploy: {title: ''}}}}",
    'title must not be an empty value',
  ],
  [buildSettings('after_sign_up_text: {a: b}'), 'after_sign_up_text must be text, not a map'],
  [
    buildSettings('after_sign_up_text: "a\\0b"'),
    'after_sign_up_text must be text without NUL characters, not "a\\u0000b"',
  ],
  [buildSettings('a_new_one: .inf'), '.inf is a number that cannot be sent'],
  [
    buildSettings('a_new_one: 9007199254740993'),
    '9007199254740993 is too large',
    'Quote it to make it text.',
  ],
  [
    buildMember('ana: {access_level: ownr}'),
    'access_level must be a whole number, a map, no-access, minimal, guest, reporter, developer, maintainer or owner, not "ownr"',
    'Did you mean owner?',
  ],
  [
    buildMember('ana: {expires_at: 2027-02-30}'),
    'expires_at must be a day such as 2027-01-31, not "2027-02-30"',
  ],
  [buildMember('ana: {expires_at: 30d}'), 'expires_at must be a day such as 2027-01-31, not "30d"'],
  [buildMember('ana: {expires_at: 20270101}'), 'expires_at must be text, not 20270101'],
  [
    buildMember('ana: [owner]'),
    'ana must be a map, a whole number, no-access, minimal, guest, reporter, developer, maintainer or owner, not a list',
  ],
  [
    buildRule('user_ids: [007]'),
    'user_ids must be a name or an ID, not "007"',
    "Write a name that consists of digits as '@007'.",
  ],
  [buildRule('user_ids: ana'), 'user_ids must be a list or a map, not text'],
  [buildRule('user_ids: [[ana]]'), 'an item of user_ids must be text, not a list'],
  [buildRule("user_ids: ['']"), 'an item of user_ids must not be empty'],
  [
    'projects: {platform/app: {deploy_keys: {deploy: {key: ssh-rsa nonsense}}}}',
    'key must be a public key in one line, not a value of 16 characters',
    'Use {file: path} to read it from a file.',
  ],
  [
    'projects: {platform/app: {pages_domains: {x.test: {certificate: cert.pem}}}}',
    'a value of 8 characters is not a valid PEM certificate',
    'Use {file: path} to read it from a file.',
  ],
]

describe('what is no value', () => {
  it.each(invalidFiles)('%s', async (text, mistake, ...hints) => {
    const [line = '', ...more] = await findMistakes(text)
    expect(line.replace(/^1:\d+: /, '')).toBe(mistake)
    expect(more).toEqual(hints)
  })

  it('is quoted on one line, and not without end', async () => {
    const [line = ''] = await findMistakes(
      buildSettings(`default_projects_limit: "a\\nb${'x'.repeat(500)}"`),
    )
    expect(line).toMatch(/not "a\\nbx+…"$/)
    expect(line.length).toBeLessThan(200)
  })
})

it('is of a type that files have a rule for, whatever the kind', () => {
  const types = managedKinds.flatMap((kind) =>
    [...getAttributes(kind).values()].map(({ param }) => param.type),
  )
  expect(types.length).toBeGreaterThan(100)
  expect([...new Set(types)].sort()).toEqual(
    expect.arrayContaining(['boolean', 'enum', 'integer', 'list', 'string']),
  )
})

/** Tests the JSON Schema of files with a standard validator. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { JsonValue } from '../../src/base/objects.js'
import type { IntegrationFamily } from '../../src/catalogue/areas/integrations.js'
import { type Managed, managedKinds } from '../../src/catalogue/managed.js'
import { getAttributes } from '../../src/desired/attributes.js'
import { buildConfigSchema } from '../../src/desired/files/document.js'
import { readFiles } from '../../src/desired/files/index.js'
import { svcctl } from '../support/within.js'
import { getRefusal, readText, writeFolder } from './files/reading.js'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci'

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
formats.default(ajv)
ajv.addVocabulary(['errorMessage', 'hints'])
const validate = ajv.compile(buildConfigSchema())

/** Returns JSON pointers to the errors of a file; none for a valid file. */
const findErrors = (text: string): readonly string[] => {
  validate(parse(`version: 1\n${text}`, { version: '1.2', schema: 'core' }))
  return [...new Set((validate.errors ?? []).map(({ instancePath }) => instancePath))]
}

const validFile = `
instance: https://svc.example
teams: { leads: { users: [ana, 8] }, all: { teams: [leads] } }
defaults:
  projects:
    approvals: { reset_approvals_on_push: true }
groups:
  platform:
    members:
      ana: { access_level: owner }
      chi: { access_level: maintainer, expires_at: 2027-06-30 }
      eva: developer
      team:leads: { access_level: { min: developer } }
      "@007": { access_level: 25, expires_at: null }
  platform/**:
    members: { $exact: true, dov: null }
    projects:
      approval_rules:
        Security: { approvals_required: { one_of: [1, 2] }, user_ids: [team:leads, ben, 7] }
  '**':
    projects: { approvals: { require_password_to_approve: false } }
projects:
  'platform/*': { approvals: { reset_approvals_on_push: true } }
  '{topic: [service], visibility: public, path: "platform/**", not: "**/old"}': { approvals: {} }
  platform/app:
    $inherit: false
    approval_rules:
      $exact: true
      Security: { approvals_required: 2, user_ids: { $add: [chi], $remove: [ana] } }
      Old rule: null
      Short: 2
      $$odd: { $other: { scan: true } }
      Release: { approvals_required: 1, group_ids: [platform/core], previously: [Ship it] }
    deploy_keys:
      deploy: { key: { file: deploy.pub }, can_push: true }
    integrations:
      emails-on-push: { recipients: 'team@example.test' }
      custom-issue-tracker: { title: 5, description: null }
      chat: { webhook: { env: CHAT_WEBHOOK }, family: chat-webhook, push_events: true }
      build: { password: 'env:BUILD', username: ci, family: build-server }
      mail: { token: { command: [pass, show, mail] }, family: chat-room }
    runners: { '12': {}, big: {}, shared: null }
    pages_domains: { www.example.test: { certificate: { file: a.pem }, key: { file: b.pem } } }
    error_tracking: { active: true }
    resource_groups: { production: { process_mode: oldest_first } }
site:
  settings: { default_project_visibility: internal, domain_allowlist: [example.com], newer_setting: [1] }
  geo_nodes: { south: { files_max_capacity: 20, selective_sync_namespace_ids: [platform], selective_sync_type: null } }
  runners:
    - match: { runner_type: instance_type, description: 'shared-*', id: 3 }
      set: { run_untagged: true, maximum_timeout: 3600, tag_list: { $add: [big] } }
`

const values: readonly JsonValue[] = [
  ...[true, 0, 17, -3, 1.5, '', 'text', '5', null, 'env:X', 'https://a.test', '2030-01-31'],
  ...['2030-13-31', [], ['a', 1], [1], {}, { env: 'X' }, { a: 1 }],
  ...[{ min: 1 }, { max: 17, min: 0 }, { one_of: [1, 17] }, { one_of: ['text'] }, { min: 1, x: 2 }],
  ...[{ $add: ['a'] }, { $add: [1], $remove: [2] }, { $add: [], x: 1 }],
]

/** Builds a document with one item of a kind, in the family that knows its attributes. */
const buildDocument = (kind: Managed, body: Readonly<Record<string, JsonValue>>): JsonValue => {
  const names = Object.keys(body)
  const knows = (family: IntegrationFamily): boolean =>
    names.every((name) => getAttributes(kind, family).has(name))
  const family = kind.families?.find(knows)?.name
  const item = { ...body, ...(family === undefined ? {} : { family }) }
  const held = { one: item, set: { x: item }, rules: [{ match: { id: 1 }, set: item }] }
  const kinds = { [kind.name]: held[kind.holds] }
  const places = {
    site: { site: kinds },
    group: { groups: { g: kinds } },
    project: { projects: { 'g/p': kinds } },
  }
  return { version: 1, ...places[kind.scope] }
}

/** Returns the part of maps and lists that the names lead to. */
const getPart = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((inner, name) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return new Map<string, unknown>(Object.entries(inner)).get(name)
  }, value)

/** Lists the places of a value: the names that lead to each of its parts. */
const listPlaces = (
  value: JsonValue,
  at: readonly string[] = [],
): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? [at, ...Object.entries(value).flatMap(([name, inner]) => listPlaces(inner, [...at, name]))]
    : [at]

/** Copies a value with one part replaced, removed or renamed, or with another part beside it. */
const changePart = (
  value: JsonValue,
  [first = '', ...rest]: readonly string[],
  how: string,
  other: JsonValue,
  name: string,
): JsonValue => {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, inner]): [string, JsonValue][] => {
    if (key !== first) return [[key, inner]]
    if (rest.length > 0) return [[key, changePart(inner, rest, how, other, name)]]
    if (how === 'remove') return []
    if (how === 'replace') return [[key, other]]
    return how === 'rename'
      ? [[name, inner]]
      : [
          [key, inner],
          [name, other],
        ]
  })
  if (Array.isArray(value)) return entries.map(([, inner]) => inner)
  return Object.fromEntries(entries)
}

/** Invalid files, each with a pointer to its error. */
const invalidFiles: readonly (readonly [file: string, at: string])[] = [
  ['sites: {}', ''],
  ['groups: { platform: { projects: {} } }', '/groups/platform/projects'],
  ['groups: { platform: { approvals: {} } }', '/groups/platform/approvals'],
  ['groups: { "platform/*": {} }', '/groups'],
  ['groups: { "platform/../x": {} }', '/groups'],
  ['projects: { app: {} }', '/projects'],
  ['projects: { "plat?/**": {} }', '/projects'],
  ['defaults: { groups: {} }', '/defaults'],
  ['projects: { a/b: { approvals: null } }', '/projects/a~1b/approvals'],
  ['projects: { a/b: { approvals: { author_approval: true } } }', '/projects/a~1b/approvals'],
  [
    'projects: { a/b: { approvals: { approvals_before_merge: 1 } } }',
    '/projects/a~1b/approvals/approvals_before_merge',
  ],
  ['projects: { a/b: { approvals: { $exact: true } } }', '/projects/a~1b/approvals/$exact'],
  ['projects: { a/b: { resource_groups: { x: null } } }', '/projects/a~1b/resource_groups/x'],
  [
    'projects: { a/b: { resource_groups: { $exact: true } } }',
    '/projects/a~1b/resource_groups/$exact',
  ],
  ['projects: { a/b: { approval_rules: { $only: {} } } }', '/projects/a~1b/approval_rules'],
  [
    'projects: { a/b: { members: { ana: { access_level: boss } } } }',
    '/projects/a~1b/members/ana/access_level',
  ],
  ['projects: { a/b: { members: { ana: { previously: x } } } }', '/projects/a~1b/members/ana'],
  [
    'projects: { a/b: { error_tracking: { active: "yes" } } }',
    '/projects/a~1b/error_tracking/active',
  ],
  [
    'projects: { a/b: { integrations: { chat: { webhook: "https://x.test" } } } }',
    '/projects/a~1b/integrations/chat/webhook',
  ],
  [
    'projects: { a/b: { integrations: { chat: { family: other } } } }',
    '/projects/a~1b/integrations/chat/family',
  ],
  [
    'projects: { a/b: { integrations: { chat: { family: simple-webhook, room: x } } } }',
    '/projects/a~1b/integrations/chat',
  ],
  [
    'projects: { a/b: { integrations: { emails-on-push: { room: x } } } }',
    '/projects/a~1b/integrations/emails-on-push',
  ],
  [
    'projects: { a/b: { integrations: { emails-on-push: { active: false } } } }',
    '/projects/a~1b/integrations/emails-on-push',
  ],
  [
    'projects: { a/b: { deploy_keys: { x: { title: { env: HOME } } } } }',
    '/projects/a~1b/deploy_keys/x/title',
  ],
  ['site: { settings: { $other: {} } }', '/site/settings/$other'],
  [
    'site: { settings: { default_branch_protection: 3 } }',
    '/site/settings/default_branch_protection',
  ],
  ['site: { runners: [{ match: {}, set: {} }] }', '/site/runners/0/match'],
  ['site: { runners: [{ match: { tags: x }, set: {} }] }', '/site/runners/0/match'],
  ['site: { runners: { big: {} } }', '/site/runners'],
  ['site: { geo_nodes: { south: { primary: null } } }', '/site/geo_nodes/south/primary'],
  ['teams: { a: { users: [""] } }', '/teams/a/users/0'],
  [
    'projects: { a/b: { integrations: { chat: { webhook: { file: null } } } } }',
    '/projects/a~1b/integrations/chat/webhook/file',
  ],
]

describe('the schema of files', () => {
  it('takes everything that files can say', () => {
    expect(findErrors(validFile)).toEqual([])
    expect(validate(parse(validFile))).toBe(false)
    expect(validate({ version: 2 })).toBe(false)
  })

  it.each(invalidFiles)('refuses %s', (file, at) => {
    expect(findErrors(file)).toContain(at)
  })

  it('agrees with what reading files takes, and what it refuses', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    const cwd = writeFolder({
      'whole.yml': `version: 1\n${validFile}`,
      'a.pem': pem,
      'deploy.pub': key,
    })
    const how = { cwd, stdin: async () => '', allowCommands: true }
    const there = { projects: ['platform/app'], groups: ['platform'] }
    const wishes = (await readFiles(['whole.yml'], how))
      .places(there)
      .flatMap((here) => here.desired())
    expect(wishes).toHaveLength(11)
    for (const [file] of invalidFiles)
      expect(
        await getRefusal(
          readText(file).then((state) => state.places(there).flatMap((here) => here.desired())),
        ),
        file,
      ).not.toEqual([])
  })

  it('agrees with the reading of files on any value of any attribute', {
    timeout: 180_000,
  }, async () => {
    const there = { projects: ['g/p'], groups: ['g'] }
    const apart: string[] = []
    let tried = 0
    for (const kind of managedKinds)
      for (const { name } of getAttributes(kind).values())
        for (const value of values) {
          const text = JSON.stringify(buildDocument(kind, { [name]: value }))
          const [read, said] = await readFiles(['-'], { cwd: '.', stdin: async () => text }).then(
            (state) => [state.places(there).flatMap((here) => here.desired()).length > 0, ''],
            (error: unknown) => [false, String(error)],
          )
          tried += 1
          if (validate(JSON.parse(text)) !== read) apart.push(`${name}: ${text} ${said}`)
        }
    expect(tried).toBe(126 * values.length)
    expect(apart).toEqual([])
  })

  it('refuses no damaged file that reading takes', { timeout: 180_000 }, async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    const cwd = writeFolder({ 'a.pem': pem, 'b.pem': pem, 'deploy.pub': key })
    const file: JsonValue = parse(`version: 1\n${validFile}`, { version: '1.2', schema: 'core' })
    const places = listPlaces(file)
    const damage = fc.record({
      place: fc.constantFrom(...places.filter((place) => place.length > 0)),
      how: fc.constantFrom('replace', 'remove', 'rename', 'add'),
      value: fc.constantFrom(...values, { members: { ana: 'owner' } }, '__proto__'),
      name: fc.constantFrom('zzz', '$zzz', '$exact', '__proto__', 'a b', '..', 'a/b', '**', 'set'),
    })
    const [apart, refused]: [string[], string[]] = [[], []]
    for (const { place, how, value, name } of fc.sample(damage, {
      numRuns: 1200,
      seed: Number(process.env.SVCCTL_TEST_SEED ?? 52),
    })) {
      const text = JSON.stringify(changePart(file, place, how, value, name))
      if (validate(JSON.parse(text))) continue
      const reading = { cwd, stdin: async () => text, allowCommands: true }
      const isTaken = await readFiles(['-'], reading).then(
        () => true,
        () => false,
      )
      refused.push(text)
      if (isTaken) apart.push(`${how} ${place.join('/')}: ${JSON.stringify([value, name])}`)
    }
    expect(refused.length).toBeGreaterThan(100)
    expect(apart).toEqual([])
  })

  it('has every attribute of every kind, and says what it is', () => {
    const bodies = { one: [], set: ['additionalProperties'], rules: ['items', 'properties', 'set'] }
    const current: string[] = []
    for (const kind of managedKinds) {
      const schema = getPart(buildConfigSchema(), '$defs', kind.scope, 'properties', kind.name)
      const body = getPart(schema, ...bodies[kind.holds])
      // If the item may be null, the attributes are in the first alternative.
      const first = getPart(body, 'anyOf', '0') ?? body
      for (const name of getAttributes(kind).keys()) {
        const description = getPart(first, 'properties', name, 'description')
        expect(description, `${kind.name} ${name}`).toMatch(/\w{3}/)
        current.push(name)
      }
    }
    expect(current).toHaveLength(126)
  })

  it('is what explain --config-schema prints', async () => {
    const { code, stdout, stderr } = await svcctl(['explain', '--config-schema', '-o', 'json'])
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual(buildConfigSchema())
  })
})

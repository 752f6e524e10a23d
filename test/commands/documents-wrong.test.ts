/** Tests the complete output for many wrong files, for each kind of file that is read by a schema. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { sampleList } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'

const { url } = useSharedSandbox()

type Json = Record<string, unknown>

/** Contents of files, by what is wrong with them. Several files are given by their names. */
type WrongFiles = Readonly<Record<string, string | Uint8Array | Readonly<Record<string, string>>>>

const deep = '['.repeat(2000)
const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, i) => {
  const [before, own] = [String.fromCharCode(97 + i), String.fromCharCode(98 + i)]
  return `${own}: &${own} [${Array(9).fill(`*${before}`).join(',')}]\n`
}).join('')}`

/** Runs a line over each wrong file, and compares the output with the golden file. */
const checkGolden = async (
  name: string,
  file: string,
  line: readonly string[],
  wrong: WrongFiles,
): Promise<void> => {
  const [all, right]: [string[], string[]] = [[], []]
  for (const [what, content] of Object.entries(wrong)) {
    const cwd = createFolder()
    const single = typeof content === 'string' || content instanceof Uint8Array
    for (const [path, text] of Object.entries(single ? { [file]: content } : content)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), text, { mode: 0o600 })
    }
    const instance = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: url() }
    const env = file.startsWith('conf/') ? { SVC_CONFIG_DIR: join(cwd, 'conf') } : instance
    const { code, stdout, stderr } = await svcctl(line, { cwd, env })
    if (code !== 2 || stdout !== '') right.push(`${what}: ${code} ${stdout}`)
    all.push(
      `# ${what}\n${stderr.replaceAll(url(), 'https://svc.example').replaceAll(`${cwd}/`, '')}`,
    )
  }
  expect(right).toEqual([])
  expect(all.length).toBeGreaterThanOrEqual(25)
  await expect(all.join('\n')).toMatchFileSnapshot(`golden/${name}-wrong.txt`)
}

// Policies.

const buildRules = (text: string): string => `policy: 1\nrules:\n${text}`
const buildRule = (text: string): string =>
  buildRules(`  - {name: one, list: runners list, ${text}}\n`)
const buildWaiver = (text: string): string => buildRule(`where: id=0, waive: [{${text}}]`)

const policies: WrongFiles = {
  'no YAML': 'policy: [1\n',
  'UTF-16': Buffer.from('policy: 1\n', 'utf16le'),
  'nothing at all': '',
  'a list': '- policy: 1\n',
  'a text': 'policy\n',
  'a file of another kind': 'password: hunter2\nusers: [ana]\n',
  'no version': 'rules: []\n',
  'a newer version': 'policy: 2\nrules: []\n',
  'a version as text': "policy: '1'\nrules: []\n",
  'a key twice': 'policy: 1\nrules: []\nrules: []\n',
  'an unknown key': 'policy: 1\nrule: []\n',
  'a key that nothing is near': 'policy: 1\nzzz: []\n',
  'a key of prototypes': 'policy: 1\n__proto__: {rules: []}\nconstructor: {}\n',
  'rules as map': 'policy: 1\nrules: {name: one}\n',
  'rules of nothing': 'policy: 1\nrules:\n',
  'no rules': 'policy: 1\nrules: []\n',
  'a rule as text': buildRules('  - runners list\n'),
  'a rule without a name': buildRules('  - {list: runners list, where: id=0}\n'),
  'a rule without a list': buildRules('  - {name: one, where: id=0}\n'),
  'a rule without a condition': buildRule('severity: error'),
  'a rule of two conditions': buildRule('where: id=0, each: id=1'),
  'an unknown key of a rule': buildRule('where: id=0, sevrity: error'),
  'a name with blanks': buildRules('  - {name: A rule, list: runners list, where: id=0}\n'),
  'a name as number': buildRules('  - {name: 7, list: runners list, where: id=0}\n'),
  'a name as list': buildRules('  - {name: [one], list: runners list, where: id=0}\n'),
  'a name twice': buildRules(
    '  - {name: one, list: runners list, where: id=0}\n  - {name: one, list: runners list, each: id=0}\n',
  ),
  'an empty list': buildRules("  - {name: one, list: '', where: id=0}\n"),
  'a list that is no line': buildRules(`  - {name: one, list: 'runners "list', where: id=0}\n`),
  'an unknown severity': buildRule('where: id=0, severity: eror'),
  'a severity that nothing is near': buildRule('where: id=0, severity: purple'),
  'a severity as number': buildRule('where: id=0, severity: 3'),
  'a message of nothing': buildRule('where: id=0, message:'),
  'waivers as map': buildRule('where: id=0, waive: {address: a}'),
  'a waiver without a reason': buildWaiver('address: a, until: 2030-01-31'),
  'a waiver without an end': buildWaiver('address: a, reason: b'),
  'a waiver until no day': buildWaiver('address: a, reason: b, until: tomorrow'),
  'a waiver until a day that never is': buildWaiver('address: a, reason: b, until: 2030-02-31'),
  'an unknown key of a waiver': buildWaiver('adress: a, reason: b, until: 2030-01-31'),
  'a file that includes none': 'policy: 1\ninclude: [other.yml]\n',
  'include as text': 'policy: 1\ninclude: other.yml\n',
  'include of numbers': 'policy: 1\ninclude: [7]\n',
  'a mistake in an included file': {
    'policy.yml': 'policy: 1\ninclude: [sub/more.yml]\n',
    'sub/more.yml': 'policy: 1\nruls: []\n',
  },
  'several mistakes': buildRules('  - {nam: one, list: [], where: id=0}\n  - 7\nzzz: 1\n'),
  'many brackets': `policy: 1\nrules: ${deep}\n`,
  'aliases that explode': `policy: 1\n${bomb}rules: *i\n`,
  'an alias of nothing': 'policy: 1\nrules: *none\n',
  'a merge key': buildRules('  - {<<: [], name: one, list: runners list, where: id=0}\n'),
  'a second document': 'policy: 1\nrules: []\n---\nrules: []\n',
}

it('says what is wrong in a policy, and where', () =>
  checkGolden('policy', 'policy.yml', ['check', 'policy', 'policy.yml'], policies))

// Vocabularies.

const buildVocabulary = (text: string): string => `vocabulary: 1\n${text}`

const vocabularies: WrongFiles = {
  'no YAML': 'a: [\n',
  'UTF-16': Buffer.from('vocabulary: 1\n', 'utf16le'),
  'nothing at all': '',
  'a list': '- vocabulary: 1\n',
  'a text': 'vocabulary\n',
  'a file of another kind': 'password: hunter2\n',
  'no version': 'words: {}\n',
  'a newer version': 'vocabulary: 2\n',
  'a version as list': 'vocabulary: [1]\n',
  'an unknown section': buildVocabulary('word: {}\n'),
  'a section that nothing is near': buildVocabulary('zzz: {}\n'),
  'a section of prototypes': buildVocabulary('__proto__: {a: b}\n'),
  'a section twice': buildVocabulary('words: {}\nwords: {}\n'),
  'a list of words': buildVocabulary('words: [a]\n'),
  'a word of nothing': buildVocabulary('words: {cloud: }\n'),
  'a word of a map': buildVocabulary('words: {cloud: {a: b}}\n'),
  'a word of a list': buildVocabulary('words: {cloud: [a, b]}\n'),
  'a key that is a list': buildVocabulary('words: {[a]: b}\n'),
  'a word twice': buildVocabulary('words:\n  cloud: a\n  cloud: b\n'),
  'words of several': buildVocabulary('words: {cloud_x: y}\n'),
  'a word of signs': buildVocabulary('words: {cloud: "a b"}\n'),
  'a long name': buildVocabulary(`names: {monitor_site: ${'x'.repeat(65)}}\n`),
  'a name of every list': buildVocabulary('names: {per_page: size}\n'),
  'two words mapped onto one': buildVocabulary('words:\n  spamsvc: x\n  cloud: x\n'),
  'a chain of words': buildVocabulary('words:\n  cloud: spamsvc\n  spamsvc: x\n'),
  'a word that nothing has': buildVocabulary('words: {clowd: x}\n'),
  'a name that nothing has': buildVocabulary('names: {monitor_sight: x}\n'),
  'another cookie': buildVocabulary('cookies: {other: x}\n'),
  'the value of a cookie': buildVocabulary('cookies: {_svc_session: "x; y"}\n'),
  'a header of credentials': buildVocabulary('headers: {Private-Token: x-other}\n'),
  'a header of signs': buildVocabulary('headers: {x-total: "a b"}\n'),
  'a path without a slash': buildVocabulary('paths: {geo_nodes: /x}\n'),
  'a path that leads up': buildVocabulary('paths: {/geo_nodes: /../x}\n'),
  'a path that nothing has': buildVocabulary('paths: {/geo_nods: /x}\n'),
  'a path of another thing': buildVocabulary('paths:\n  /runners: /users\n'),
  'a slug of another family': buildVocabulary('slugs: {monitoring: emails-on-push}\n'),
  'slugs of maps': buildVocabulary('slugs: {monitoring: {a: b}}\n'),
  'an unknown family': buildVocabulary('slugs: {monitorin: x}\n'),
  'values of no parameter': buildVocabulary('values: {status: [x]}\n'),
  'a value of signs': buildVocabulary('values: {runners.status: ["a b"]}\n'),
  'an unknown route': buildVocabulary('gone: {"POST /ci/lnt": x}\n'),
  'a route without a method': buildVocabulary('gone: {/ci/lint: x}\n'),
  'a replacement of lines': buildVocabulary('gone: {"POST /ci/lint": "a\\nb"}\n'),
  'secrets as map': buildVocabulary('secrets: {a: b}\n'),
  'a secret of signs': buildVocabulary('secrets:\n  - a\n  - "b c"\n'),
  'several mistakes': buildVocabulary('words: {cloud_x: y}\nnames: [a]\nzzz: 1\n'),
  'many brackets': buildVocabulary(`words: ${deep}\n`),
  'aliases that explode': buildVocabulary(`${bomb}words: *i\n`),
  'an alias of nothing': buildVocabulary('words: *none\n'),
  'a second document': buildVocabulary('---\nvocabulary: 1\n'),
}

it('says what is wrong in a vocabulary, and where', () =>
  checkGolden('vocabulary', 'words.yml', ['vocabulary', 'check', 'words.yml'], vocabularies))

// Files that the program writes: each case changes one value, and updates the checksum.

/** Copies a value, with another value at a place such as `actions.0.id`. Undefined removes the place. */
const change = (value: unknown, place: string, into: unknown): unknown => {
  const [name = '', ...rest] = place.split('.')
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Json
  const next = rest.length === 0 ? into : change(copy[name], rest.join('.'), into)
  Object.defineProperty(copy, name, {
    value: next,
    enumerable: true,
    configurable: true,
    writable: true,
  })
  if (next === undefined) delete copy[name]
  return copy
}

const hashPlan = (value: unknown): string => {
  const { sha256: _, created, ...rest } = value as Json
  const sha256 = createHash('sha256').update(JSON.stringify(rest)).digest('hex')
  return JSON.stringify({ ...rest, created, sha256 })
}

const position = [0, 1, 1]
const plan = {
  plan: 2,
  tool: 'svcctl 0.1.0',
  instance: 'https://svc.example',
  user: 'root',
  created: '2026-01-01T00:00:00.000Z',
  inputs: ['site.yml'],
  files: [{ path: 'site.yml', sha256: 'a'.repeat(64) }],
  selection: {},
  endpoints: ['PUT /application/settings'],
  actions: [
    {
      id: '1a2b',
      verb: 'update',
      address: 'site/settings',
      endpoint: 0,
      path: '/application/settings',
      body: { after_sign_up_text: 'a' },
      changes: [{ attribute: 'after_sign_up_text', now: 'b', wanted: 'a', origin: position }],
      digest: 'b'.repeat(64),
      waits_for: [],
      origin: position,
    },
  ],
  findings: [],
  unread: [],
  refused: [],
  sets: {},
  counts: { create: 0, enable: 0, update: 1, replace: 0, delete: 0, unread: 0, same: 0 },
}
const buildPlan = (place: string, into: unknown): string => hashPlan(change(plan, place, into))

const plans: WrongFiles = {
  'a text that was edited': hashPlan(plan).replace('"root"', '"ana"'),
  'a key that stands twice': hashPlan(plan).replace('{', '{"user":"ana",'),
  'an older version': buildPlan('plan', 1),
  'a newer version': buildPlan('plan', 3),
  'no tool': buildPlan('tool', undefined),
  'an instance as number': buildPlan('instance', 7),
  'a user as list': buildPlan('user', ['root']),
  'inputs as text': buildPlan('inputs', 'site.yml'),
  'a file without a digest': buildPlan('files.0.sha256', undefined),
  'a file with a wrong digest': buildPlan('files.0.sha256', 'xyz'),
  'a file with more': buildPlan('files.0.size', 7),
  'an unknown selection': buildPlan('selection.project', ['a/b']),
  'a selection that skips otherwise': buildPlan('selection.missing', 'fail'),
  'endpoints of numbers': buildPlan('endpoints.0', 7),
  'an action as text': buildPlan('actions.0', 'delete'),
  'an action without an ID': buildPlan('actions.0.id', undefined),
  'an action of another verb': buildPlan('actions.0.verb', 'destroy'),
  'an action with an endpoint by name': buildPlan('actions.0.endpoint', 'GET /x'),
  'an action with half an endpoint': buildPlan('actions.0.endpoint', 0.5),
  'an action with more': buildPlan('actions.0.run', 'rm'),
  'an action of prototypes': buildPlan('actions.0.__proto__', { verb: 'delete' }),
  'a body as list': buildPlan('actions.0.body', ['a']),
  'changes as map': buildPlan('actions.0.changes', {}),
  'a change without its attribute': buildPlan('actions.0.changes.0.attribute', undefined),
  'a change with a secret of two sources': buildPlan('actions.0.changes.0.secret', {
    env: 'A',
    command: ['b'],
  }),
  'a secret written out': buildPlan('actions.0.changes.0.secret', { literal: 'hunter2' }),
  'a position of two': buildPlan('actions.0.origin', [0, 1]),
  'a position of texts': buildPlan('actions.0.origin', ['a', 1, 1]),
  'a digest of capitals': buildPlan('actions.0.digest', 'B'.repeat(64)),
  'a finding without a text': buildPlan('findings.0', { is: 'unknown', address: 'a' }),
  'something unread without a reason': buildPlan('unread.0', { address: 'a' }),
  'a set without a digest': buildPlan('sets.a', true),
  'counts of texts': buildPlan('counts.update', '1'),
  'a part that no plan has': buildPlan('more', {}),
  'an action twice': buildPlan('actions.1', plan.actions[0]),
  'a file of another kind': '{"password":"hunter2"}',
  'half of it': hashPlan(plan).slice(0, 500),
  'many brackets': `{"plan":2,"actions":${deep}`,
}

it('says what is wrong in a plan', () =>
  checkGolden('plan', 'plan.json', ['apply', 'plan.json', '--yes'], plans))

const gap = { status: 403, why: 'forbidden' }
const manifest = {
  format: 1,
  tool: 'svcctl 0.1.0',
  instance: 'https://svc.example',
  version: '18.0.0',
  profile: null,
  user: 'root',
  began: '2026-01-01T00:00:00.000Z',
  ended: '2026-01-01T00:00:01.000Z',
  groups: [],
  kinds: [sampleList],
}
const buildManifest = (place: string, into: unknown): string =>
  JSON.stringify(change(manifest, place, into))

const manifests: WrongFiles = {
  'nothing at all': '',
  'no JSON': 'nonsense\n',
  'half of it': JSON.stringify(manifest).slice(0, 200),
  'a line behind it': `${JSON.stringify(manifest)}\nnonsense {\n`,
  'UTF-16': Buffer.from(JSON.stringify(manifest), 'utf16le'),
  'a list': '[]',
  'a text': '"manifest"',
  'a file of another kind': '{"password":"hunter2"}',
  'no format': buildManifest('format', undefined),
  'a newer format': buildManifest('format', 2),
  'a format as text': buildManifest('format', '1'),
  'no instance': buildManifest('instance', undefined),
  'an instance that is no address': buildManifest('instance', 'svc'),
  'an instance with a path that leads up': buildManifest('instance', 'https://svc.example/../x'),
  'a version as number': buildManifest('version', 18),
  'a user as list': buildManifest('user', ['root']),
  'a beginning that is no time': buildManifest('began', 'yesterday'),
  'no end': buildManifest('ended', undefined),
  'groups as text': buildManifest('groups', 'a'),
  'groups of numbers': buildManifest('groups', [7]),
  'kinds as map': buildManifest('kinds', {}),
  'a kind as text': buildManifest('kinds.0', 'runners'),
  'a kind that leads up': buildManifest('kinds.0.kind', '../x'),
  'a file that leads up': buildManifest('kinds.0.file', '../x.ndjson'),
  'a file of another kind of list': buildManifest('kinds.0.file', 'projects.ndjson'),
  'no line': buildManifest('kinds.0.line', undefined),
  'a route as number': buildManifest('kinds.0.route', 7),
  'a filter of numbers': buildManifest('kinds.0.filter', { active: true }),
  'records as text': buildManifest('kinds.0.records', '1'),
  'fewer than no records': buildManifest('kinds.0.records', -1),
  'a digest that is none': buildManifest('kinds.0.sha256', 'xyz'),
  'a column that is none': buildManifest('kinds.0.column', 'user'),
  'a gap without a reason': buildManifest('kinds.0.refused', { status: 403 }),
  'a gap with a wrong status': buildManifest('kinds.0.refused', { ...gap, status: 'no' }),
  'no parents': buildManifest('kinds.0.parents', []),
  'parents as map': buildManifest('kinds.0.parents', {}),
  'a parent without a name': buildManifest('kinds.0.parents.0.name', undefined),
  'a parent with half a byte': buildManifest('kinds.0.parents.0.bytes', 8.5),
  'a parent that begins elsewhere': buildManifest('kinds.0.parents.0.at', 4),
  'many brackets': `{"format":1,"kinds":${deep}`,
}

it('says what is wrong in the manifest of a snapshot', () =>
  checkGolden('manifest', 'snap/manifest.json', ['runners', 'list', '--from', 'snap'], manifests))

// The profile store.

const buildProfile = (settings: Json): string =>
  JSON.stringify({ profiles: { prod: { baseUrl: 'https://svc.example', ...settings } } }, null, 2)

const profiles: WrongFiles = {
  'no JSON': '{"profiles": ',
  'nothing at all': '',
  'UTF-16': Buffer.from(buildProfile({}), 'utf16le'),
  'a list': '[]',
  'a text': '"hunter2"',
  'many brackets': `{"later":${deep}`,
  'profiles as list': '{"profiles": []}',
  'a misspelled key': '{"profile": {}}',
  'another misspelled key': '{"alliases": {}}',
  'a profile as number': '{"profiles": {"prod": 1}}',
  'a profile with a wrong name': '{"profiles": {"a b": {}}}',
  'a profile that leads up': '{"profiles": {"../x": {}}}',
  'a profile named like a prototype': '{"profiles": {"__proto__": {}}}',
  'a current profile as number': '{"current": 1}',
  'aliases as list': '{"aliases": []}',
  'an alias as list': '{"aliases": {"st": ["version"]}}',
  'no base URL': '{"profiles": {"prod": {}}}',
  'a base URL as number': buildProfile({ baseUrl: 7 }),
  'a base URL that is none': buildProfile({ baseUrl: 'not an address' }),
  'a timeout as text': buildProfile({ timeout: 'soon' }),
  'a timeout out of range': buildProfile({ timeout: 0 }),
  'retries as list': buildProfile({ retries: [1] }),
  'a switch as text': buildProfile({ readOnly: 'maybe' }),
  'a misspelled switch': buildProfile({ readonly: true }),
  'a setting by the name of its flag': buildProfile({ 'base-url': 'https://other.example' }),
  'two misspelled settings': buildProfile({ protectd: true, 'token-kind': 'oauth' }),
  'an unknown kind of token': buildProfile({ tokenKind: 'personnal' }),
  'a command of numbers': buildProfile({ tokenCommand: [7] }),
  'a command without a program': buildProfile({ tokenCommand: [], tokenUrl: 'x' }),
  'a proxy that is no address': buildProfile({ proxy: 'hunter2' }),
  'a rate that is none': buildProfile({ rate: 'fast' }),
  'an unknown finding': buildProfile({ failOn: ['leftovers'] }),
  'tags with spaces': buildProfile({ tags: ['a b'] }),
  'a text with a line break': buildProfile({ group: 'a\nb' }),
  'an unknown place of the token': buildProfile({ tokenStore: 'vault' }),
  'a user as list': buildProfile({ user: ['root'] }),
  'several mistakes': buildProfile({ timeout: 'soon', readonly: true, retries: -1 }),
}

it('says what is wrong in the profile store', () =>
  checkGolden('profile', 'conf/config.json', ['profile', 'list'], profiles))

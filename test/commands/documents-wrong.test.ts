/** What each of many wrong files prints, whole, for each kind of file that is read by a schema. */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { sandbox } from '../sandbox/instance.js'
import { folder } from '../support/program.js'
import { sampleList } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'

const { url } = sandbox()

type Json = Record<string, unknown>

/** Contents of files by what is wrong in them; several files by their names. */
type Wrong = Readonly<Record<string, string | Uint8Array | Readonly<Record<string, string>>>>

const deep = '['.repeat(2000)
const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, i) => {
  const [before, own] = [String.fromCharCode(97 + i), String.fromCharCode(98 + i)]
  return `${own}: &${own} [${Array(9).fill(`*${before}`).join(',')}]\n`
}).join('')}`

/** Runs a line over each wrong file, and holds what it prints against the golden file. */
const checkGolden = async (
  name: string,
  file: string,
  line: readonly string[],
  wrong: Wrong,
): Promise<void> => {
  const [all, right]: [string[], string[]] = [[], []]
  for (const [what, content] of Object.entries(wrong)) {
    const cwd = folder()
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

const rules = (text: string): string => `policy: 1\nrules:\n${text}`
const rule = (text: string): string => rules(`  - {name: one, list: runners list, ${text}}\n`)
const waiver = (text: string): string => rule(`where: id=0, waive: [{${text}}]`)

const policies: Wrong = {
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
  'a rule as text': rules('  - runners list\n'),
  'a rule without a name': rules('  - {list: runners list, where: id=0}\n'),
  'a rule without a list': rules('  - {name: one, where: id=0}\n'),
  'a rule without a condition': rule('severity: error'),
  'a rule of two conditions': rule('where: id=0, each: id=1'),
  'an unknown key of a rule': rule('where: id=0, sevrity: error'),
  'a name with blanks': rules('  - {name: A rule, list: runners list, where: id=0}\n'),
  'a name as number': rules('  - {name: 7, list: runners list, where: id=0}\n'),
  'a name as list': rules('  - {name: [one], list: runners list, where: id=0}\n'),
  'a name twice': rules(
    '  - {name: one, list: runners list, where: id=0}\n  - {name: one, list: runners list, each: id=0}\n',
  ),
  'an empty list': rules("  - {name: one, list: '', where: id=0}\n"),
  'a list that is no line': rules(`  - {name: one, list: 'runners "list', where: id=0}\n`),
  'an unknown severity': rule('where: id=0, severity: eror'),
  'a severity that nothing is near': rule('where: id=0, severity: purple'),
  'a severity as number': rule('where: id=0, severity: 3'),
  'a message of nothing': rule('where: id=0, message:'),
  'waivers as map': rule('where: id=0, waive: {address: a}'),
  'a waiver without a reason': waiver('address: a, until: 2030-01-31'),
  'a waiver without an end': waiver('address: a, reason: b'),
  'a waiver until no day': waiver('address: a, reason: b, until: tomorrow'),
  'a waiver until a day that never is': waiver('address: a, reason: b, until: 2030-02-31'),
  'an unknown key of a waiver': waiver('adress: a, reason: b, until: 2030-01-31'),
  'a file that includes none': 'policy: 1\ninclude: [other.yml]\n',
  'include as text': 'policy: 1\ninclude: other.yml\n',
  'include of numbers': 'policy: 1\ninclude: [7]\n',
  'a mistake in an included file': {
    'policy.yml': 'policy: 1\ninclude: [sub/more.yml]\n',
    'sub/more.yml': 'policy: 1\nruls: []\n',
  },
  'several mistakes': rules('  - {nam: one, list: [], where: id=0}\n  - 7\nzzz: 1\n'),
  'many brackets': `policy: 1\nrules: ${deep}\n`,
  'aliases that explode': `policy: 1\n${bomb}rules: *i\n`,
  'an alias of nothing': 'policy: 1\nrules: *none\n',
  'a merge key': rules('  - {<<: [], name: one, list: runners list, where: id=0}\n'),
  'a second document': 'policy: 1\nrules: []\n---\nrules: []\n',
}

it('says what is wrong in a policy, and where', () =>
  checkGolden('policy', 'policy.yml', ['check', 'policy', 'policy.yml'], policies))

// Vocabularies.

const words = (text: string): string => `vocabulary: 1\n${text}`

const vocabularies: Wrong = {
  'no YAML': 'a: [\n',
  'UTF-16': Buffer.from('vocabulary: 1\n', 'utf16le'),
  'nothing at all': '',
  'a list': '- vocabulary: 1\n',
  'a text': 'vocabulary\n',
  'a file of another kind': 'password: hunter2\n',
  'no version': 'words: {}\n',
  'a newer version': 'vocabulary: 2\n',
  'a version as list': 'vocabulary: [1]\n',
  'an unknown section': words('word: {}\n'),
  'a section that nothing is near': words('zzz: {}\n'),
  'a section of prototypes': words('__proto__: {a: b}\n'),
  'a section twice': words('words: {}\nwords: {}\n'),
  'a list of words': words('words: [a]\n'),
  'a word of nothing': words('words: {cloud: }\n'),
  'a word of a map': words('words: {cloud: {a: b}}\n'),
  'a word of a list': words('words: {cloud: [a, b]}\n'),
  'a key that is a list': words('words: {[a]: b}\n'),
  'a word twice': words('words:\n  cloud: a\n  cloud: b\n'),
  'words of several': words('words: {cloud_x: y}\n'),
  'a word of signs': words('words: {cloud: "a b"}\n'),
  'a long name': words(`names: {monitor_site: ${'x'.repeat(65)}}\n`),
  'a name of every list': words('names: {per_page: size}\n'),
  'two words mapped onto one': words('words:\n  spamsvc: x\n  cloud: x\n'),
  'a chain of words': words('words:\n  cloud: spamsvc\n  spamsvc: x\n'),
  'a word that nothing has': words('words: {clowd: x}\n'),
  'a name that nothing has': words('names: {monitor_sight: x}\n'),
  'another cookie': words('cookies: {other: x}\n'),
  'the value of a cookie': words('cookies: {_svc_session: "x; y"}\n'),
  'a header of credentials': words('headers: {Private-Token: x-other}\n'),
  'a header of signs': words('headers: {x-total: "a b"}\n'),
  'a path without a slash': words('paths: {geo_nodes: /x}\n'),
  'a path that leads up': words('paths: {/geo_nodes: /../x}\n'),
  'a path that nothing has': words('paths: {/geo_nods: /x}\n'),
  'a path of another thing': words('paths:\n  /runners: /users\n'),
  'a slug of another family': words('slugs: {monitoring: emails-on-push}\n'),
  'slugs of maps': words('slugs: {monitoring: {a: b}}\n'),
  'an unknown family': words('slugs: {monitorin: x}\n'),
  'values of no parameter': words('values: {status: [x]}\n'),
  'a value of signs': words('values: {runners.status: ["a b"]}\n'),
  'an unknown route': words('gone: {"POST /ci/lnt": x}\n'),
  'a route without a method': words('gone: {/ci/lint: x}\n'),
  'a replacement of lines': words('gone: {"POST /ci/lint": "a\\nb"}\n'),
  'secrets as map': words('secrets: {a: b}\n'),
  'a secret of signs': words('secrets:\n  - a\n  - "b c"\n'),
  'several mistakes': words('words: {cloud_x: y}\nnames: [a]\nzzz: 1\n'),
  'many brackets': words(`words: ${deep}\n`),
  'aliases that explode': words(`${bomb}words: *i\n`),
  'an alias of nothing': words('words: *none\n'),
  'a second document': words('---\nvocabulary: 1\n'),
}

it('says what is wrong in a vocabulary, and where', () =>
  checkGolden('vocabulary', 'words.yml', ['vocabulary', 'check', 'words.yml'], vocabularies))

// Files that the program writes: a value is changed in one place, and what seals it is made anew.

/** A copy of a value with another one in a place, such as `actions.0.id`; undefined takes it away. */
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

const sealPlan = (value: unknown): string => {
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
const planWith = (place: string, into: unknown): string => sealPlan(change(plan, place, into))

const plans: Wrong = {
  'a text that was edited': sealPlan(plan).replace('"root"', '"ana"'),
  'a key that stands twice': sealPlan(plan).replace('{', '{"user":"ana",'),
  'an older version': planWith('plan', 1),
  'a newer version': planWith('plan', 3),
  'no tool': planWith('tool', undefined),
  'an instance as number': planWith('instance', 7),
  'a user as list': planWith('user', ['root']),
  'inputs as text': planWith('inputs', 'site.yml'),
  'a file without a digest': planWith('files.0.sha256', undefined),
  'a file with a wrong digest': planWith('files.0.sha256', 'xyz'),
  'a file with more': planWith('files.0.size', 7),
  'an unknown selection': planWith('selection.project', ['a/b']),
  'a selection that skips otherwise': planWith('selection.missing', 'fail'),
  'endpoints of numbers': planWith('endpoints.0', 7),
  'an action as text': planWith('actions.0', 'delete'),
  'an action without an ID': planWith('actions.0.id', undefined),
  'an action of another verb': planWith('actions.0.verb', 'destroy'),
  'an action with an endpoint by name': planWith('actions.0.endpoint', 'GET /x'),
  'an action with half an endpoint': planWith('actions.0.endpoint', 0.5),
  'an action with more': planWith('actions.0.run', 'rm'),
  'an action of prototypes': planWith('actions.0.__proto__', { verb: 'delete' }),
  'a body as list': planWith('actions.0.body', ['a']),
  'changes as map': planWith('actions.0.changes', {}),
  'a change without its attribute': planWith('actions.0.changes.0.attribute', undefined),
  'a change with a secret of two sources': planWith('actions.0.changes.0.secret', {
    env: 'A',
    command: ['b'],
  }),
  'a secret written out': planWith('actions.0.changes.0.secret', { literal: 'hunter2' }),
  'a position of two': planWith('actions.0.origin', [0, 1]),
  'a position of texts': planWith('actions.0.origin', ['a', 1, 1]),
  'a digest of capitals': planWith('actions.0.digest', 'B'.repeat(64)),
  'a finding without a text': planWith('findings.0', { is: 'unknown', address: 'a' }),
  'something unread without a reason': planWith('unread.0', { address: 'a' }),
  'a set without a digest': planWith('sets.a', true),
  'counts of texts': planWith('counts.update', '1'),
  'a part that no plan has': planWith('more', {}),
  'an action twice': planWith('actions.1', plan.actions[0]),
  'a file of another kind': '{"password":"hunter2"}',
  'half of it': sealPlan(plan).slice(0, 500),
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
const manifestWith = (place: string, into: unknown): string =>
  JSON.stringify(change(manifest, place, into))

const manifests: Wrong = {
  'nothing at all': '',
  'no JSON': 'nonsense\n',
  'half of it': JSON.stringify(manifest).slice(0, 200),
  'a line behind it': `${JSON.stringify(manifest)}\nnonsense {\n`,
  'UTF-16': Buffer.from(JSON.stringify(manifest), 'utf16le'),
  'a list': '[]',
  'a text': '"manifest"',
  'a file of another kind': '{"password":"hunter2"}',
  'no format': manifestWith('format', undefined),
  'a newer format': manifestWith('format', 2),
  'a format as text': manifestWith('format', '1'),
  'no instance': manifestWith('instance', undefined),
  'an instance that is no address': manifestWith('instance', 'svc'),
  'an instance with a path that leads up': manifestWith('instance', 'https://svc.example/../x'),
  'a version as number': manifestWith('version', 18),
  'a user as list': manifestWith('user', ['root']),
  'a beginning that is no time': manifestWith('began', 'yesterday'),
  'no end': manifestWith('ended', undefined),
  'groups as text': manifestWith('groups', 'a'),
  'groups of numbers': manifestWith('groups', [7]),
  'kinds as map': manifestWith('kinds', {}),
  'a kind as text': manifestWith('kinds.0', 'runners'),
  'a kind that leads up': manifestWith('kinds.0.kind', '../x'),
  'a file that leads up': manifestWith('kinds.0.file', '../x.ndjson'),
  'a file of another kind of list': manifestWith('kinds.0.file', 'projects.ndjson'),
  'no line': manifestWith('kinds.0.line', undefined),
  'a route as number': manifestWith('kinds.0.route', 7),
  'a filter of numbers': manifestWith('kinds.0.filter', { active: true }),
  'records as text': manifestWith('kinds.0.records', '1'),
  'fewer than no records': manifestWith('kinds.0.records', -1),
  'a digest that is none': manifestWith('kinds.0.sha256', 'xyz'),
  'a column that is none': manifestWith('kinds.0.column', 'user'),
  'a gap without a reason': manifestWith('kinds.0.refused', { status: 403 }),
  'a gap with a wrong status': manifestWith('kinds.0.refused', { ...gap, status: 'no' }),
  'no parents': manifestWith('kinds.0.parents', []),
  'parents as map': manifestWith('kinds.0.parents', {}),
  'a parent without a name': manifestWith('kinds.0.parents.0.name', undefined),
  'a parent with half a byte': manifestWith('kinds.0.parents.0.bytes', 8.5),
  'a parent that begins elsewhere': manifestWith('kinds.0.parents.0.at', 4),
  'many brackets': `{"format":1,"kinds":${deep}`,
}

it('says what is wrong in the manifest of a snapshot', () =>
  checkGolden('manifest', 'snap/manifest.json', ['runners', 'list', '--from', 'snap'], manifests))

// The profile store.

const profile = (settings: Json): string =>
  JSON.stringify({ profiles: { prod: { baseUrl: 'https://svc.example', ...settings } } }, null, 2)

const profiles: Wrong = {
  'no JSON': '{"profiles": ',
  'nothing at all': '',
  'UTF-16': Buffer.from(profile({}), 'utf16le'),
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
  'a base URL as number': profile({ baseUrl: 7 }),
  'a base URL that is none': profile({ baseUrl: 'not an address' }),
  'a timeout as text': profile({ timeout: 'soon' }),
  'a timeout out of range': profile({ timeout: 0 }),
  'retries as list': profile({ retries: [1] }),
  'a switch as text': profile({ readOnly: 'maybe' }),
  'a misspelled switch': profile({ readonly: true }),
  'a setting by the name of its flag': profile({ 'base-url': 'https://other.example' }),
  'two misspelled settings': profile({ protectd: true, 'token-kind': 'oauth' }),
  'an unknown kind of token': profile({ tokenKind: 'personnal' }),
  'a command of numbers': profile({ tokenCommand: [7] }),
  'a command without a program': profile({ tokenCommand: [], tokenUrl: 'x' }),
  'a proxy that is no address': profile({ proxy: 'hunter2' }),
  'a rate that is none': profile({ rate: 'fast' }),
  'an unknown finding': profile({ failOn: ['leftovers'] }),
  'tags with spaces': profile({ tags: ['a b'] }),
  'a text with a line break': profile({ group: 'a\nb' }),
  'an unknown place of the token': profile({ tokenStore: 'vault' }),
  'a user as list': profile({ user: ['root'] }),
  'several mistakes': profile({ timeout: 'soon', readonly: true, retries: -1 }),
}

it('says what is wrong in the profile store', () =>
  checkGolden('profile', 'conf/config.json', ['profile', 'list'], profiles))

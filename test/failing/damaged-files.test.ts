/**
 * Every file that the program reads back, damaged in every way that a disk, an editor or somebody else may damage it:
 * what is wrong is said with the name of the file, and never as a defect of the program.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { sandbox } from '../sandbox/instance.js'
import { countDraws } from '../support/draws.js'
import { keepFolder } from '../support/kept-folder.js'
import { configuration, folder, type Ran } from '../support/program.js'
import { sampleList, samplePlans } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'

const { url } = sandbox()

// Where the files are: a configuration folder and a working folder, with something beside them that is nobody's business.

let around = ''
const at = (...path: readonly string[]): string => join(around, 'inside', ...path)
const conf = (...path: readonly string[]): string => at('conf', ...path)
/** Makes them what they were before the damage. */
let restore = (): void => {
  throw new Error('the files are not built')
}

const run = (line: string | readonly string[]): Promise<Ran> =>
  svcctl(typeof line === 'string' ? line.split(' ') : line, {
    cwd: at(),
    env: {
      SVC_CONFIG_DIR: conf(),
      SVC_NO_KEYRING: '1',
      HOME: at('home'),
      SHELL: '/bin/bash',
      SECRET: 'a-secret-of-a-hook',
    },
    input: '',
  })

const must = async (line: string | readonly string[]): Promise<void> => {
  const ran = await run(line)
  expect([line, ran.code, ran.stderr]).toEqual([line, 0, ran.stderr])
}

const nameIn = (dir: string, pattern: RegExp): string => {
  const name = readdirSync(conf(dir)).find((one) => pattern.test(one))
  if (name === undefined) throw new Error(`no ${pattern} in ${dir}`)
  return conf(dir, name)
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What is known of an instance, as a look at it would write it. */
const known = (base: string) => ({
  format: 1,
  base_url: base,
  read_at: '2026-01-01T00:00:00.000Z',
  as: { user_id: 1, admin: true },
  version: '18.0.0',
  edition: 'enterprise',
  settings: { own_setting: { type: 'boolean', nullable: false } },
  values: { 'runners.status': ['idle'] },
  gone: [{ route: 'GET /geo_nodes', status: 404, at: '2026-01-01T00:00:00.000Z' }],
  cookie: '_own_session',
  fields: { runners: ['own_field'] },
  sections: { settings: 'ok' },
})

const declared = `version: 1
projects:
  platform/app:
    integrations:
      chat: {family: chat-webhook, webhook: {env: SECRET}}
`

const ownCommands = `extension: own
commands:
  pipelines list:
    request: GET /projects/:id/pipelines
    params: { status: pending|running, ref: string }
    columns: [id, status, ref]
  jobs retry: { request: POST /projects/:id/jobs/:job_id/retry, sets: { status: pending }, sandbox: state }
`

const listSchema = { schema: { type: 'array', items: { type: 'object' } } }
const openApi = {
  openapi: '3.0.0',
  info: { title: 'api', version: '1' },
  paths: {
    '/widgets': {
      get: {
        parameters: [{ name: 'search', in: 'query', schema: { type: 'string' } }],
        responses: { 200: { description: 'all', content: { 'application/json': listSchema } } },
      },
    },
  },
}

const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, text, { mode: 0o600 })
}

const build = async (): Promise<void> => {
  around = folder()
  mkdirSync(at('home'), { recursive: true })
  writeFileSync(join(around, 'x'), 'outside')
  writeFileSync(join(around, 'x.json'), 'outside')
  configuration(conf())
  const login = `auth login default --base-url ${url()} --token-stdin`
  for (const name of ['certified', 'worded', 'default']) {
    const signed = await svcctl(login.replace('default', name).split(' '), {
      env: { SVC_CONFIG_DIR: conf(), SVC_NO_KEYRING: '1' },
      input: 'sandbox-root-token\n',
    })
    expect(signed.stderr).toContain('root')
  }
  await must(`profile set default --audit-log ${at('audit.log')}`)
  await must('alias set st version')
  put(at('site.yml'), declared)
  put(at('body.json'), '{"description":"x"}')
  put(at('policy.yml'), 'policy: 1\nrules:\n  - {name: a, list: runners list, where: id=0}\n')
  put(at('ci.yml'), 'job: {script: make}\n')
  put(at('words.yml'), 'vocabulary: 1\nwords: {spamsvc: junkguard}\n')
  put(at('home/.bashrc'), 'true\n')
  put(conf('instances/default.json'), `${JSON.stringify(known(url()))}\n`)
  await must(`profile set worded --vocabulary ${at('words.yml')}`)
  await must(`profile set certified --ca-file ${at('ca.pem')}`)
  await must('runners update 1 --description x --yes')
  await must('plan site.yml --out plan.json')
  await must('apply site.yml --yes')
  await must(['snapshot', 'runners list', '--to', 'snap'])
  const header = {
    began: '2026-01-01T00:00:00Z',
    instance: url(),
    groups: [],
    lines: ['runners list', 'members list --all-projects'],
  }
  const parent = { name: 'platform/app', records: 1, at: 0, bytes: 9 }
  const steps = [
    { kind: 'runners', whole: sampleList },
    { kind: 'members-of-projects', parent, sha256: digest('{"id":1}\n') },
  ]
  put(
    at('part/unfinished.ndjson'),
    [header, ...steps, ''].map((line) => (line === '' ? '' : JSON.stringify(line))).join('\n'),
  )
  put(at('own.yml'), ownCommands)
  put(at('api.json'), JSON.stringify(openApi))
  put(at('with.yml'), 'extension: api\ncommands:\n  widgets list: {columns: [id, name]}\n')
  put(at('all.yml'), 'policy: 1\ninclude: [rules/more.yml]\n')
  put(at('rules/more.yml'), 'policy: 1\nrules:\n  - {name: b, list: runners list, where: id=0}\n')
  put(at('actions.yml'), '- {action: create, file_path: a.txt, content: b}\n')
  put(at('value.txt'), 'a value\n')
  put(at('ca.pem'), `${rootCertificates[0] ?? ''}\n`)
  await must('extend add own.yml')
  samplePlans(conf(), url(), new Date(), 'default')
  await must('ci lint ci.yml --report junit=report.xml')
  await must('export settings --to exp')
  await must('runners pause 1 --sandbox --yes')
  await must('runners pause 2 --sandbox --yes')
  await must(['__complete', 'bash', '--', 'runners', 'get', ''])
}

beforeAll(async () => {
  await build()
  restore = keepFolder(at(), join(folder(), 'whole'))
})

// The ways to damage a file.

/** With a seed of its own, as every night, each line meets each damage; else they take turns. */
const isWhole = process.env.SVCCTL_TEST_SEED !== undefined

const insert = (bytes: Buffer, what: Buffer): Buffer => {
  const middle = bytes.length >> 1
  return Buffer.concat([bytes.subarray(0, middle), what, bytes.subarray(middle)])
}
const mark = Buffer.from('\ufeff')
const contents: Readonly<Record<string, (bytes: Buffer) => Buffer | string>> = {
  'nothing in it': () => '',
  'a NUL in its midst': (bytes) => insert(bytes, Buffer.of(0)),
  'half of it': (bytes) => bytes.subarray(0, bytes.length >> 1),
  'a list': () => '[]\n',
  null: () => 'null\n',
  'a text': () => '"text"\n',
  'a number': () => '42\n',
  'an empty object': () => '{}\n',
  'an object with another prototype': () => '{"__proto__":{"x":1}}\n',
  'many brackets': () => `${'['.repeat(20_000)}\n`,
  'many objects in each other': () => `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}\n`,
  'aliases that explode': () =>
    Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`).reduce(
      (text, line) => text + line,
      'a0: &a0 [x]\n',
    ),
  'a byte order mark': (bytes) => Buffer.concat([mark, bytes]),
  'bytes that are no text': (bytes) => insert(bytes, Buffer.of(0xc3, 0x28)),
  'UTF-16': (bytes) => Buffer.from(`\ufeff${bytes.toString()}`, 'utf16le'),
  'a line that is no JSON': (bytes) => bytes.toString().replace(/\n?$/, '\nnonsense {\n'),
}
const isRoot = process.getuid?.() === 0
const places: Readonly<Record<string, (file: string) => void>> = {
  'a directory': (file) => mkdirSync(join(file, 'x'), { recursive: true }),
  'a link to a device': (file) => symlinkSync('/dev/zero', file),
  'a link to nothing': (file) => symlinkSync('/nowhere/x', file),
  'a hole of 3 GB': (file) => {
    writeFileSync(file, '', { mode: 0o600 })
    truncateSync(file, 3e9)
  },
  'a pipe': (file) => void execFileSync('mkfifo', ['-m', '600', file]),
  ...(isRoot
    ? {}
    : {
        'a file that cannot be read': (file: string) => {
          writeFileSync(file, '')
          chmodSync(file, 0)
        },
      }),
}
const values: readonly unknown[] = [undefined, null, ['x'], -1, '../x']

type Json = Record<string, unknown>

/** A value with another one in a place, `a.0.b`. */
const changed = (value: unknown, [name, ...rest]: readonly string[], into: unknown): unknown => {
  if (name === undefined) return into
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Json
  if (!(name in copy)) throw new Error(`there is no ${name}`)
  const next = changed(copy[name], rest, into)
  if (next === undefined && !Array.isArray(copy)) delete copy[name]
  else copy[name] = next
  return copy
}

// The kinds of files.

interface Kind {
  readonly file: () => string
  /** Lines that read it. */
  readonly lines: readonly (string | readonly string[])[]
  /** Places in its JSON; of a file of lines the number of the line comes first. */
  readonly fields?: readonly string[]
  /** JSON a line. */
  readonly many?: true
  /** Writes the checksums that belong to a changed value. */
  readonly seal?: (value: unknown) => string
  /** True where it may be made anew: then it is ignored, and nothing else becomes of a line. */
  readonly cache?: true
  /** How it is called where not by the name of its file. */
  readonly named?: RegExp
  /** Damages that are right for such a file. */
  readonly fine?: readonly string[]
}

const sealLine = (value: unknown): string => {
  const { c: _, ...rest } = value as Json
  const text = JSON.stringify(rest)
  return `${text.slice(0, -1)},"c":${crc32(text)}}`
}

const kinds: Readonly<Record<string, Kind>> = {
  'the profiles': {
    file: () => conf('config.json'),
    lines: ['profile list', 'alias list', 'runners list -o id', 'st', 'auth status'],
    fields: [
      'current',
      'profiles',
      'profiles.default',
      'profiles.default.baseUrl',
      'profiles.default.tokenStore',
      'profiles.default.user',
      'profiles.default.auditLog',
      'aliases',
      'aliases.st',
    ],
  },
  'the tokens': {
    file: () => conf('tokens.json'),
    lines: ['runners list -o id', 'auth status', 'auth logout default --yes'],
    fields: ['default', 'default.token', 'default.kind', 'default.baseUrl'],
  },
  'what is known of an instance': {
    file: () => conf('instances/default.json'),
    lines: ['runners list -o id', 'explain runners list', 'auth status'],
    fields: [
      ...Object.keys(known('')),
      ...[
        'as.user_id',
        'settings.own_setting',
        'settings.own_setting.type',
        'fields.runners',
        'fields.runners.0',
      ],
      ...['gone.0', 'gone.0.route', 'gone.0.at', 'sections.settings'],
    ],
    cache: true,
  },
  'a vocabulary': {
    file: () => at('words.yml'),
    lines: ['vocabulary check words.yml', 'runners list -o id -p worded'],
  },
  'a journal': {
    file: () => nameIn('state/runs', /update-1\.ndjson$/),
    lines: [
      'journal list',
      'journal show last',
      'journal undo last -p default --dry-run',
      'runners update --resume last --yes',
    ],
    many: true,
    // A journal may be as long as that: it is read to its end.
    fine: ['a hole of 3 GB'],
    seal: sealLine,
    fields: [
      ...[
        'run',
        'seq',
        'id',
        'began',
        'command',
        'endpoint',
        'input',
        'instance',
        'profile',
        'user',
        'sudo',
        'source',
        'version',
        'options',
      ].map((name) => `0.${name}`),
      '0.options.args',
      '0.options.flags',
      '1.n',
      '1.object',
      '1.state',
    ],
  },
  'the plan of a run': {
    file: () => nameIn('state/runs', /\.plan\.json$/),
    lines: ['journal undo last -p default --dry-run', 'journal show last'],
    fields: ['kept', 'cwd', 'flags', 'plan', 'plan.plan', 'plan.actions'],
  },
  'what a run of apply found': {
    file: () => nameIn('state/runs', /\.former\.yml$/),
    lines: ['journal undo last -p default --dry-run'],
  },
  'a planned run': {
    named: /20261201T080000-runners-pause/,
    file: () => nameIn('state/runs', /^planned-20261201T080000-/),
    lines: [
      'journal list --planned',
      'journal run 20261201T080000-runners-pause --dry-run',
      'journal discard 20261201T080000-runners-pause',
    ],
    many: true,
    // It is read to its end, as any journal.
    fine: ['a hole of 3 GB'],
    seal: sealLine,
    fields: ['0.run', '0.id', '0.began', '0.planned', '0.planned.expires', '1.n', '1.object'],
  },
  'an audit log': {
    file: () => at('audit.log'),
    lines: ['runners update 2 --description y --yes --journal none'],
    many: true,
    fields: ['time', 'profile', 'user', 'sudo', 'method', 'path', 'status', 'outcome'].map(
      (name) => `0.${name}`,
    ),
    fine: ['a pipe'],
  },
  'the secrets that were set': {
    file: () => conf('state/secrets.json'),
    lines: ['plan site.yml', 'apply site.yml --yes'],
    cache: true,
  },
  'the key of the secrets that were set': {
    file: () => conf('state/secrets.key'),
    lines: ['plan site.yml', 'apply site.yml --yes'],
  },
  'a plan': {
    file: () => at('plan.json'),
    // A plan may be of any file, which is named then.
    fine: ['inputs is ["x"]', 'inputs.0 is "../x"'],
    lines: ['apply plan.json --yes', 'plan site.yml --out plan.json'],
    seal: (value) => {
      const { sha256: _, created, ...rest } = value as Json
      return JSON.stringify({
        ...rest,
        ...(created === undefined ? {} : { created }),
        sha256: digest(JSON.stringify(rest)),
      })
    },
    fields: [
      'plan',
      'tool',
      'instance',
      'user',
      'created',
      'inputs',
      'inputs.0',
      'files',
      'files.0',
      'files.0.path',
      'files.0.sha256',
      'selection',
      'endpoints',
      'endpoints.0',
      'actions',
      'actions.0',
      'actions.0.id',
      'actions.0.verb',
      'actions.0.address',
      'actions.0.endpoint',
      'actions.0.path',
      'actions.0.changes',
      'actions.0.changes.0',
      'actions.0.origin',
      'findings',
      'unread',
      'refused',
      'sets',
      'counts',
    ],
  },
  'declared state': {
    file: () => at('site.yml'),
    lines: ['plan site.yml', 'drift site.yml', 'apply site.yml --yes'],
  },
  'a policy': { file: () => at('policy.yml'), lines: ['check policy policy.yml'] },
  'the manifest of a snapshot': {
    file: () => at('snap/manifest.json'),
    lines: [
      'runners list --from snap',
      'runners list --since snap',
      ['snapshot', 'runners list', '--to', 'snap', '--overwrite'],
    ],
    fields: [
      'format',
      'instance',
      'began',
      'ended',
      'version',
      'groups',
      'kinds',
      'kinds.0',
      'kinds.0.file',
      'kinds.0.kind',
      'kinds.0.route',
      'kinds.0.parents',
      'kinds.0.sha256',
    ],
  },
  'a list of a snapshot': {
    file: () => at('snap/runners.ndjson'),
    lines: ['runners list --from snap', 'runners list --since snap'],
  },
  'the progress of a snapshot': {
    file: () => at('part/unfinished.ndjson'),
    lines: [
      ['snapshot', '--to', 'part', '--resume'],
      ['snapshot', 'runners list', '--to', 'part', '--overwrite'],
    ],
    many: true,
    fields: [
      ...['0.began', '0.instance', '0.groups', '0.lines'],
      ...['1.kind', '1.whole.kind', '1.whole.file', '1.whole.parents', '1.whole.sha256'],
      ...['2.kind', '2.parent', '2.parent.at', '2.parent.name', '2.sha256'],
    ],
  },
  'attributes of a request': {
    file: () => at('body.json'),
    lines: [
      'runners update 1 --input body.json --dry-run',
      'api PUT runners/1 --input body.json --dry-run',
    ],
    fine: ['a pipe'],
  },
  'a CI file': { file: () => at('ci.yml'), lines: ['ci lint ci.yml --timeout 1'] },
  'a report': {
    fine: ['a pipe'],
    file: () => at('report.xml'),
    lines: ['ci lint ci.yml --report junit=report.xml'],
  },
  'an exported file': { file: () => at('exp/site.yml'), lines: ['export settings --to exp'] },
  'the state of an embedded instance': {
    file: () => conf('state/sandbox/state.json'),
    lines: ['runners list --sandbox -o id', 'sandbox status', 'runners pause 1 --sandbox --yes'],
    fields: [
      'format',
      'generation',
      'config',
      'settings',
      'users',
      'users.next',
      'users.rows',
      'users.rows.0',
      'users.rows.0.id',
      'groups.rows',
      'runners.rows.0.id',
    ],
  },
  'a file of commands': {
    file: () => at('own.yml'),
    lines: ['extend add own.yml', 'extend update own'],
    fine: ['a pipe'],
  },
  'an OpenAPI document': {
    file: () => at('api.json'),
    lines: ['extend add api.json --name api', 'extend add api.json --with with.yml'],
    fine: ['a pipe'],
    fields: ['openapi', 'info', 'paths', 'paths./widgets', 'paths./widgets.get'],
    // The file of --with is named if it adds to a command that the damaged document does not have.
    named: /with\.yml:\d/,
  },
  'commands beside an OpenAPI document': {
    file: () => at('with.yml'),
    lines: ['extend add api.json --with with.yml'],
    fine: ['a pipe'],
  },
  'a policy that another one includes': {
    file: () => at('rules/more.yml'),
    lines: ['check policy all.yml'],
  },
  'the actions of a commit': {
    file: () => at('actions.yml'),
    lines: ['commits create -P platform/app --branch main -m x --actions actions.yml --dry-run'],
    fine: ['a pipe', 'a list'],
  },
  'a value from a file': {
    file: () => at('value.txt'),
    lines: ['runners update 1 --param description=@value.txt --dry-run'],
    named: /--param description/,
    fine: ['a pipe'],
  },
  'a certificate': {
    file: () => at('ca.pem'),
    lines: ['runners list -o id -p certified', 'doctor -p certified'],
    named: /certificate/,
  },
  'the index of extensions': {
    file: () => conf('extensions.json'),
    lines: [
      'pipelines list -P platform/app --sandbox -o id',
      'runners list -o id',
      'extend list',
      'extend add own.yml',
    ],
    fields: [
      ...['format', 'version', 'areas', 'kinds', 'folders', 'profiles', 'folders.own'],
      ...['areas.pipelines', 'areas.pipelines.from', 'areas.pipelines.from.0'],
      'areas.pipelines.summary',
    ],
  },
  'the commands of an extension': {
    file: () => conf('extensions/own/area-pipelines.json'),
    lines: [
      'pipelines list -P platform/app --sandbox -o id',
      'pipelines list --help',
      'explain pipelines list',
      'extend show own',
    ],
    fields: [],
  },
  'what an extension is': {
    file: () => conf('extensions/own/extension.json'),
    lines: ['extend list', 'extend show own', 'extend remove own --yes', 'sandbox status'],
    fields: [
      'name',
      'source',
      'areas',
      'areas.pipelines',
      'served',
      'served.0',
      'left_out',
      'only',
    ],
  },
  'the operations of an extension': {
    file: () => conf('extensions/own/operations.json'),
    lines: ['extend add own.yml', 'extend show own', 'extend update own'],
    fields: ['operations', 'operations.0'],
  },
  'the log of an embedded instance': {
    file: () => conf('state/sandbox/state.log'),
    lines: ['runners list --sandbox -o id', 'runners pause 1 --sandbox --yes'],
  },
  'values for completion': {
    file: () => nameIn('cache/values', /\.json$/),
    lines: [['__complete', 'bash', '--', 'runners', 'get', '']],
    fields: ['time', 'of', 'items', 'items.0', 'items.0.value'],
    cache: true,
  },
  'what a shell starts with': {
    file: () => at('home/.bashrc'),
    lines: ['completion bash --install', 'doctor'],
  },
}

// What must hold of each line.

const lists = (): string =>
  JSON.stringify([
    readdirSync(around),
    readFileSync(join(around, 'x'), 'utf8'),
    readFileSync(join(around, 'x.json'), 'utf8'),
  ])

/** What remains is right for such a file, and says something else: as if there were none, or another token. */
const lenient = /^an empty object|^an object with|nothing|half| is /

const breachOf = (
  name: string,
  ran: Ran,
  { cache, file, named }: Kind,
  sound: number,
): string | undefined => {
  const { code, stdout, stderr } = ran
  const said = stderr + (stdout.length < 1e5 ? stdout : '')
  if (code === 9) return 'a defect'
  if (/\n\s+at .*:\d+:\d+|TypeError|\[object Object\]|is not a function|undefined/.test(stderr))
    return 'an inside'
  if (cache === true) return code === sound ? undefined : `${code} in place of ${sound}`
  if (code === 0 || code === sound) return undefined
  if (![1, 2, 3, 4, 5, 8].includes(code)) return `exit ${code}`
  if (said.includes(basename(file())) || named?.test(said) === true) return undefined
  if (!lenient.test(name)) return 'no name'
  return /hint: /.test(stderr) || stdout !== '' ? undefined : 'no hint'
}

/** What each line ends with where nothing is damaged. */
const sound = new Map<unknown, number>()

interface Damage {
  readonly name: string
  readonly damage: (file: string) => void
}

/** What is wrong with the end of a line that read a damaged file; undefined where nothing is. */
const tryDamage = async (
  kind: Kind,
  line: Kind['lines'][number],
  { name, damage }: Damage,
): Promise<string | undefined> => {
  restore()
  const file = kind.file()
  damage(file)
  const before = lists()
  const ran = await run(line)
  const breach =
    breachOf(name, ran, { ...kind, file: () => file }, sound.get(line) ?? 0) ??
    (lists() === before ? undefined : 'something outside was changed')
  return breach && `${name}, ${String(line)}: ${breach}: ${ran.code} ${ran.stderr.slice(0, 300)}`
}

/** Another value in a place of a file's JSON. */
const changeField =
  ({ many, seal = (value) => JSON.stringify(value) ?? '' }: Kind, field: string, value: unknown) =>
  (file: string): void => {
    const path = field.split('.')
    const text = readFileSync(file, 'utf8')
    const lines = many === true ? text.split('\n') : [text]
    const [n, ...rest] = many === true ? path : ['0', ...path]
    lines[Number(n)] = seal(changed(JSON.parse(lines[Number(n)] ?? ''), rest, value))
    writeFileSync(file, lines.join('\n'))
  }

const damagesOf = (kind: Kind): readonly Damage[] => {
  const { fields = [], fine = [] } = kind
  const all: readonly Damage[] = [
    ...Object.entries(contents).map(([name, make]) => ({
      name,
      damage: (file: string) => writeFileSync(file, make(readFileSync(file))),
    })),
    ...Object.entries(places).map(([name, place]) => ({
      name,
      damage: (file: string) => {
        rmSync(file)
        place(file)
      },
    })),
    ...fields.flatMap((field, i) =>
      values
        .filter((_, n) => isWhole || n === 0 || n === 1 + (i % (values.length - 1)))
        .map((value) => ({
          name: `${field} is ${JSON.stringify(value)}`,
          damage: changeField(kind, field, value),
        })),
    ),
  ]
  return all.filter(({ name }) => !fine.includes(name))
}

describe('a damaged file', () => {
  it.each(Object.entries(kinds))(
    'is said by its name, and is no defect: %s',
    async (_, kind) => {
      const { lines } = kind
      for (const line of lines) {
        restore()
        const { code, stderr } = await run(line)
        sound.set(line, code)
        expect([0, 1, 5, 8], `${String(line)}: ${stderr}`).toContain(code)
      }
      const breaches: (string | undefined)[] = []
      for (const [i, damage] of damagesOf(kind).entries())
        for (const [n, line] of lines.entries())
          if (isWhole || n === i % lines.length) breaches.push(await tryDamage(kind, line, damage))
      expect(breaches.filter((breach) => breach !== undefined)).toEqual([])
    },
    120_000,
  )
})

// Files that a program damaged at random: whatever they say then, reading them is no defect and leads nowhere.

/** A damage of a text that begins at one of its bytes. */
type Wound = (bytes: Buffer, place: number, value: string) => Buffer

const splice = (bytes: Buffer, from: number, to: number, what: string): Buffer =>
  Buffer.concat([bytes.subarray(0, from), Buffer.from(what), bytes.subarray(to)])

/** Returns the end of the scalar, the word or the blank at a place. */
const endOfToken = (bytes: Buffer, place: number): number => {
  const [token = ''] =
    /^(?:"(?:[^"\\]|\\.)*"|[\w.-]+|.)/su.exec(bytes.toString('utf8', place)) ?? []
  return place + Buffer.byteLength(token)
}

const wounds: Readonly<Record<string, Wound>> = {
  cut: (bytes, place) => bytes.subarray(0, place),
  'a flipped bit': (bytes, place) => {
    const copy = Buffer.from(bytes)
    copy[place] = (copy[place] ?? 0) ^ (1 << (place % 7))
    return copy
  },
  'another value': (bytes, place, value) => splice(bytes, place, endOfToken(bytes, place), value),
  'a value between': (bytes, place, value) => splice(bytes, place, place, value),
  'a part twice': (bytes, place) =>
    splice(bytes, place, place, bytes.toString('utf8', place, place + 40)),
  'a part that is gone': (bytes, place) => splice(bytes, place, place + 7, ''),
}
const pieces = [
  '"../../x"',
  '../x',
  '/etc/passwd',
  '-1',
  '1e999',
  'null',
  '[]',
  '{}',
  '"__proto__"',
  'constructor',
  '*a',
  '&a [*a, *a]',
  '!!binary x',
  '\u0000',
  `${'['.repeat(600)}${']'.repeat(600)}`,
  '{"a":'.repeat(2000),
  '- '.repeat(3000),
] as const

/** The places of a value, as `changed` takes them. */
const placesIn = (value: unknown, at: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value !== 'object' || value === null
    ? [at]
    : [at, ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...at, name]))]

const replacements: readonly unknown[] = [
  ...[undefined, null, true, -1, 0.5, 1e300, 99, '', '../../x', '/etc/passwd', '__proto__', 'x'],
  ...[[], {}, [null], [[]], { a: { b: 1 } }, JSON.parse('{"__proto__":{"x":1}}')],
]

/** Puts another value in a place of a JSON text, and seals it again; the text as it was where it is no JSON. */
const replaceValue = (
  { many, seal = (value) => JSON.stringify(value) ?? '' }: Kind,
  text: string,
  place: number,
  value: unknown,
): string => {
  const lines = many === true ? text.split('\n').slice(0, -1) : [text]
  const n = Math.floor(place * lines.length)
  try {
    const whole: unknown = JSON.parse(lines[n] ?? '')
    const places = placesIn(whole)
    const path = places[Math.floor(((place * 7919) % 1) * places.length)] ?? []
    lines[n] = seal(changed(whole, path, value))
  } catch {
    return text
  }
  return many === true ? `${lines.join('\n')}\n` : lines.join('')
}

/** Damages of which at least one byte of the text differs. */
const drawDamages = (count: number) =>
  fc.sample(
    fc.record({
      wound: fc.constantFrom(...Object.keys(wounds), ...Array(6).fill('another value, sealed')),
      replacement: fc.constantFrom(...replacements),
      place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      piece: fc.constantFrom(...pieces),
    }),
    { numRuns: count, seed: Number(process.env.SVCCTL_TEST_SEED ?? 52) },
  )

describe('a file that was damaged at random', () => {
  it.each(Object.entries(kinds))(
    'is no defect, ends, and leads nowhere: %s',
    async (_, kind) => {
      const { file, lines } = kind
      const breaches: string[] = []
      const damages = drawDamages(countDraws(48))
      for (const [i, { wound, place, piece, replacement }] of damages.entries()) {
        restore()
        const path = file()
        const bytes = readFileSync(path)
        const damaged =
          wounds[wound]?.(bytes, Math.floor(place * bytes.length), piece) ??
          replaceValue(kind, bytes.toString(), place, replacement)
        writeFileSync(path, damaged)
        const before = lists()
        const line = lines[i % lines.length] ?? ''
        const { code, stderr } = await run(line)
        if (code === 9 || /\n\s+at .*:\d+:\d+|\[object Object\]/.test(stderr) || lists() !== before)
          breaches.push(
            `${wound} ${piece.slice(0, 20)} ${JSON.stringify(replacement)} at ${place}, ${String(line)}: ${stderr.slice(0, 300)}`,
          )
      }
      expect(damages.length).toBeGreaterThan(8)
      expect(breaches).toEqual([])
    },
    120_000,
  )
})

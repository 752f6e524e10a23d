/**
 * Damages every file that the program reads back, in every way that a disk, an editor or another program may damage it. The error must
 * name the file, and must never report a defect of the program.
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
import { useSharedSandbox } from '../sandbox/instance.js'
import { countDraws } from '../support/draws.js'
import { keepFolder } from '../support/kept-folder.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { sampleList, writeSamplePlans } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'

const { url } = useSharedSandbox()

// The files are in a configuration folder and a working folder. The files beside these folders must never change.

let baseFolder = ''
const toPath = (...path: readonly string[]): string => join(baseFolder, 'inside', ...path)
const toConfigPath = (...path: readonly string[]): string => toPath('conf', ...path)
/** Restores the files as they were before the damage. */
let restore = (): void => {
  throw new Error('the files are not built')
}

const run = (line: string | readonly string[]): Promise<LineResult> =>
  svcctl(typeof line === 'string' ? line.split(' ') : line, {
    cwd: toPath(),
    env: {
      SVC_CONFIG_DIR: toConfigPath(),
      SVC_NO_KEYRING: '1',
      HOME: toPath('home'),
      SHELL: '/bin/bash',
      SECRET: 'a-secret-of-a-hook',
    },
    input: '',
  })

const runOk = async (line: string | readonly string[]): Promise<void> => {
  const ran = await run(line)
  expect([line, ran.code, ran.stderr]).toEqual([line, 0, ran.stderr])
}

const findFile = (dir: string, pattern: RegExp): string => {
  const name = readdirSync(toConfigPath(dir)).find((one) => pattern.test(one))
  if (name === undefined) throw new Error(`no ${pattern} in ${dir}`)
  return toConfigPath(dir, name)
}

const computeDigest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Builds the file of what is known of an instance, as reading the instance would write it. */
const buildKnowledge = (base: string) => ({
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

const writePrivateFile = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, text, { mode: 0o600 })
}

const buildFiles = async (): Promise<void> => {
  baseFolder = createFolder()
  mkdirSync(toPath('home'), { recursive: true })
  writeFileSync(join(baseFolder, 'x'), 'outside')
  writeFileSync(join(baseFolder, 'x.json'), 'outside')
  createConfiguration(toConfigPath())
  const login = `auth login default --base-url ${url()} --token-stdin`
  for (const name of ['certified', 'worded', 'default']) {
    const signed = await svcctl(login.replace('default', name).split(' '), {
      env: { SVC_CONFIG_DIR: toConfigPath(), SVC_NO_KEYRING: '1' },
      input: 'sandbox-root-token\n',
    })
    expect(signed.stderr).toContain('root')
  }
  await runOk(`profile set default --audit-log ${toPath('audit.log')}`)
  await runOk('alias set st version')
  writePrivateFile(toPath('site.yml'), declared)
  writePrivateFile(toPath('body.json'), '{"description":"x"}')
  writePrivateFile(
    toPath('policy.yml'),
    'policy: 1\nrules:\n  - {name: a, list: runners list, where: id=0}\n',
  )
  writePrivateFile(toPath('ci.yml'), 'job: {script: make}\n')
  writePrivateFile(toPath('words.yml'), 'vocabulary: 1\nwords: {spamsvc: junkguard}\n')
  writePrivateFile(toPath('home/.bashrc'), 'true\n')
  writePrivateFile(
    toConfigPath('instances/default.json'),
    `${JSON.stringify(buildKnowledge(url()))}\n`,
  )
  await runOk(`profile set worded --vocabulary ${toPath('words.yml')}`)
  await runOk(`profile set certified --ca-file ${toPath('ca.pem')}`)
  await runOk('runners update 1 --description x --yes')
  await runOk('plan site.yml --out plan.json')
  await runOk('apply site.yml --yes')
  await runOk(['snapshot', 'runners list', '--to', 'snap'])
  const header = {
    began: '2026-01-01T00:00:00Z',
    instance: url(),
    groups: [],
    lines: ['runners list', 'members list --all-projects'],
  }
  const parent = { name: 'platform/app', records: 1, at: 0, bytes: 9 }
  const steps = [
    { kind: 'runners', whole: sampleList },
    { kind: 'members-of-projects', parent, sha256: computeDigest('{"id":1}\n') },
  ]
  writePrivateFile(
    toPath('part/unfinished.ndjson'),
    [header, ...steps, ''].map((line) => (line === '' ? '' : JSON.stringify(line))).join('\n'),
  )
  writePrivateFile(toPath('own.yml'), ownCommands)
  writePrivateFile(toPath('api.json'), JSON.stringify(openApi))
  writePrivateFile(
    toPath('with.yml'),
    'extension: api\ncommands:\n  widgets list: {columns: [id, name]}\n',
  )
  writePrivateFile(toPath('all.yml'), 'policy: 1\ninclude: [rules/more.yml]\n')
  writePrivateFile(
    toPath('rules/more.yml'),
    'policy: 1\nrules:\n  - {name: b, list: runners list, where: id=0}\n',
  )
  writePrivateFile(toPath('actions.yml'), '- {action: create, file_path: a.txt, content: b}\n')
  writePrivateFile(toPath('value.txt'), 'a value\n')
  writePrivateFile(toPath('ca.pem'), `${rootCertificates[0] ?? ''}\n`)
  await runOk('extend add own.yml')
  writeSamplePlans(toConfigPath(), url(), new Date(), 'default')
  await runOk('ci lint ci.yml --report junit=report.xml')
  await runOk('export settings --to exp')
  await runOk('runners pause 1 --sandbox --yes')
  await runOk('runners pause 2 --sandbox --yes')
  await runOk(['__complete', 'bash', '--', 'runners', 'get', ''])
}

beforeAll(async () => {
  await buildFiles()
  restore = keepFolder(toPath(), join(createFolder(), 'whole'))
})

// Ways to damage a file.

/** With a seed, as in the nightly run, each line is tried with each damage; otherwise they take turns. */
const isExhaustive = process.env.SVCCTL_TEST_SEED !== undefined

const insertBytes = (bytes: Buffer, what: Buffer): Buffer => {
  const middle = bytes.length >> 1
  return Buffer.concat([bytes.subarray(0, middle), what, bytes.subarray(middle)])
}
const byteOrderMark = Buffer.from('\ufeff')
const contents: Readonly<Record<string, (bytes: Buffer) => Buffer | string>> = {
  'nothing in it': () => '',
  'a NUL in its midst': (bytes) => insertBytes(bytes, Buffer.of(0)),
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
  'a byte order mark': (bytes) => Buffer.concat([byteOrderMark, bytes]),
  'bytes that are no text': (bytes) => insertBytes(bytes, Buffer.of(0xc3, 0x28)),
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

/** Replaces the value at a path such as `a.0.b`; undefined deletes it. */
const replaceAt = (value: unknown, [name, ...rest]: readonly string[], into: unknown): unknown => {
  if (name === undefined) return into
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Json
  if (!(name in copy)) throw new Error(`there is no ${name}`)
  const next = replaceAt(copy[name], rest, into)
  if (next === undefined && !Array.isArray(copy)) delete copy[name]
  else copy[name] = next
  return copy
}

// Kinds of files.

interface Kind {
  readonly file: () => string
  /** Command lines that read the file. */
  readonly lines: readonly (string | readonly string[])[]
  /** Paths of values in its JSON. For a file with JSON lines, the number of the line comes first. */
  readonly fields?: readonly string[]
  /** Set if each line is a JSON value of its own. */
  readonly many?: true
  /** Formats a changed value with its correct checksum. */
  readonly seal?: (value: unknown) => string
  /** Set if the file can be created anew: then damage is ignored, and the exit code of a line does not change. */
  readonly cache?: true
  /** Matches what an error calls the file, if that is not its name. */
  readonly named?: RegExp
  /** Damages that are valid content of such a file. */
  readonly fine?: readonly string[]
}

const addChecksum = (value: unknown): string => {
  const { c: _, ...rest } = value as Json
  const text = JSON.stringify(rest)
  return `${text.slice(0, -1)},"c":${crc32(text)}}`
}

const kinds: Readonly<Record<string, Kind>> = {
  'the profiles': {
    file: () => toConfigPath('config.json'),
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
    file: () => toConfigPath('tokens.json'),
    lines: ['runners list -o id', 'auth status', 'auth logout default --yes'],
    fields: ['default', 'default.token', 'default.kind', 'default.baseUrl'],
  },
  'what is known of an instance': {
    file: () => toConfigPath('instances/default.json'),
    lines: ['runners list -o id', 'explain runners list', 'auth status'],
    fields: [
      ...Object.keys(buildKnowledge('')),
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
    file: () => toPath('words.yml'),
    lines: ['vocabulary check words.yml', 'runners list -o id -p worded'],
  },
  'a journal': {
    file: () => findFile('state/runs', /update-1\.ndjson$/),
    lines: [
      'journal list',
      'journal show last',
      'journal undo last -p default --dry-run',
      'runners update --resume last --yes',
    ],
    many: true,
    // A journal may be as long as that: it is read to its end.
    fine: ['a hole of 3 GB'],
    seal: addChecksum,
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
    file: () => findFile('state/runs', /\.plan\.json$/),
    lines: ['journal undo last -p default --dry-run', 'journal show last'],
    fields: ['kept', 'cwd', 'flags', 'plan', 'plan.plan', 'plan.actions'],
  },
  'what a run of apply found': {
    file: () => findFile('state/runs', /\.former\.yml$/),
    lines: ['journal undo last -p default --dry-run'],
  },
  'a planned run': {
    named: /20261201T080000-runners-pause/,
    file: () => findFile('state/runs', /^planned-20261201T080000-/),
    lines: [
      'journal list --planned',
      'journal run 20261201T080000-runners-pause --dry-run',
      'journal discard 20261201T080000-runners-pause',
    ],
    many: true,
    // A planned run is read to its end, as any journal.
    fine: ['a hole of 3 GB'],
    seal: addChecksum,
    fields: ['0.run', '0.id', '0.began', '0.planned', '0.planned.expires', '1.n', '1.object'],
  },
  'an audit log': {
    file: () => toPath('audit.log'),
    lines: ['runners update 2 --description y --yes --journal none'],
    many: true,
    fields: ['time', 'profile', 'user', 'sudo', 'method', 'path', 'status', 'outcome'].map(
      (name) => `0.${name}`,
    ),
    fine: ['a pipe'],
  },
  'the secrets that were set': {
    file: () => toConfigPath('state/secrets.json'),
    lines: ['plan site.yml', 'apply site.yml --yes'],
    cache: true,
  },
  'the key of the secrets that were set': {
    file: () => toConfigPath('state/secrets.key'),
    lines: ['plan site.yml', 'apply site.yml --yes'],
  },
  'a plan': {
    file: () => toPath('plan.json'),
    // A plan can come from any file, which the error names.
    fine: ['inputs is ["x"]', 'inputs.0 is "../x"'],
    lines: ['apply plan.json --yes', 'plan site.yml --out plan.json'],
    seal: (value) => {
      const { sha256: _, created, ...rest } = value as Json
      return JSON.stringify({
        ...rest,
        ...(created === undefined ? {} : { created }),
        sha256: computeDigest(JSON.stringify(rest)),
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
    file: () => toPath('site.yml'),
    lines: ['plan site.yml', 'drift site.yml', 'apply site.yml --yes'],
  },
  'a policy': { file: () => toPath('policy.yml'), lines: ['check policy policy.yml'] },
  'the manifest of a snapshot': {
    file: () => toPath('snap/manifest.json'),
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
    file: () => toPath('snap/runners.ndjson'),
    lines: ['runners list --from snap', 'runners list --since snap'],
  },
  'the progress of a snapshot': {
    file: () => toPath('part/unfinished.ndjson'),
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
    file: () => toPath('body.json'),
    lines: [
      'runners update 1 --input body.json --dry-run',
      'api PUT runners/1 --input body.json --dry-run',
    ],
    fine: ['a pipe'],
  },
  'a CI file': { file: () => toPath('ci.yml'), lines: ['ci lint ci.yml --timeout 1'] },
  'a report': {
    fine: ['a pipe'],
    file: () => toPath('report.xml'),
    lines: ['ci lint ci.yml --report junit=report.xml'],
  },
  'an exported file': { file: () => toPath('exp/site.yml'), lines: ['export settings --to exp'] },
  'the state of an embedded instance': {
    file: () => toConfigPath('state/sandbox/state.json'),
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
    file: () => toPath('own.yml'),
    lines: ['extend add own.yml', 'extend update own'],
    fine: ['a pipe'],
  },
  'an OpenAPI document': {
    file: () => toPath('api.json'),
    lines: ['extend add api.json --name api', 'extend add api.json --with with.yml'],
    fine: ['a pipe'],
    fields: ['openapi', 'info', 'paths', 'paths./widgets', 'paths./widgets.get'],
    // The error names the file of --with if that adds to a command that the damaged document does not have.
    named: /with\.yml:\d/,
  },
  'commands beside an OpenAPI document': {
    file: () => toPath('with.yml'),
    lines: ['extend add api.json --with with.yml'],
    fine: ['a pipe'],
  },
  'a policy that another one includes': {
    file: () => toPath('rules/more.yml'),
    lines: ['check policy all.yml'],
  },
  'the actions of a commit': {
    file: () => toPath('actions.yml'),
    lines: ['commits create -P platform/app --branch main -m x --actions actions.yml --dry-run'],
    fine: ['a pipe', 'a list'],
  },
  'a value from a file': {
    file: () => toPath('value.txt'),
    lines: ['runners update 1 --param description=@value.txt --dry-run'],
    named: /--param description/,
    fine: ['a pipe'],
  },
  'a certificate': {
    file: () => toPath('ca.pem'),
    lines: ['runners list -o id -p certified', 'doctor -p certified'],
    named: /certificate/,
  },
  'the index of extensions': {
    file: () => toConfigPath('extensions.json'),
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
    file: () => toConfigPath('extensions/own/area-pipelines.json'),
    lines: [
      'pipelines list -P platform/app --sandbox -o id',
      'pipelines list --help',
      'explain pipelines list',
      'extend show own',
    ],
    fields: [],
  },
  'what an extension is': {
    file: () => toConfigPath('extensions/own/extension.json'),
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
    file: () => toConfigPath('extensions/own/operations.json'),
    lines: ['extend add own.yml', 'extend show own', 'extend update own'],
    fields: ['operations', 'operations.0'],
  },
  'the log of an embedded instance': {
    file: () => toConfigPath('state/sandbox/state.log'),
    lines: ['runners list --sandbox -o id', 'runners pause 1 --sandbox --yes'],
  },
  'values for completion': {
    file: () => findFile('cache/values', /\.json$/),
    lines: [['__complete', 'bash', '--', 'runners', 'get', '']],
    fields: ['time', 'of', 'items', 'items.0', 'items.0.value'],
    cache: true,
  },
  'what a shell starts with': {
    file: () => toPath('home/.bashrc'),
    lines: ['completion bash --install', 'doctor'],
  },
}

// Checks for each line.

const snapshotOutside = (): string =>
  JSON.stringify([
    readdirSync(baseFolder),
    readFileSync(join(baseFolder, 'x'), 'utf8'),
    readFileSync(join(baseFolder, 'x.json'), 'utf8'),
  ])

/** Damages after which the file is still valid, but means something else, such as no profiles or another token. */
const lenient = /^an empty object|^an object with|nothing|half| is /

const findBreach = (
  name: string,
  ran: LineResult,
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

/** The exit code of each line when nothing is damaged. */
const undamagedExits = new Map<unknown, number>()

interface Damage {
  readonly name: string
  readonly damage: (file: string) => void
}

/** Damages a file and runs a line that reads it. Returns a description of what is wrong with the outcome, or undefined. */
const tryDamage = async (
  kind: Kind,
  line: Kind['lines'][number],
  { name, damage }: Damage,
): Promise<string | undefined> => {
  restore()
  const file = kind.file()
  damage(file)
  const before = snapshotOutside()
  const ran = await run(line)
  const breach =
    findBreach(name, ran, { ...kind, file: () => file }, undamagedExits.get(line) ?? 0) ??
    (snapshotOutside() === before ? undefined : 'something outside was changed')
  return breach && `${name}, ${String(line)}: ${breach}: ${ran.code} ${ran.stderr.slice(0, 300)}`
}

/** Replaces a value in a file's JSON. */
const changeField =
  ({ many, seal = (value) => JSON.stringify(value) ?? '' }: Kind, field: string, value: unknown) =>
  (file: string): void => {
    const path = field.split('.')
    const text = readFileSync(file, 'utf8')
    const lines = many === true ? text.split('\n') : [text]
    const [n, ...rest] = many === true ? path : ['0', ...path]
    lines[Number(n)] = seal(replaceAt(JSON.parse(lines[Number(n)] ?? ''), rest, value))
    writeFileSync(file, lines.join('\n'))
  }

const listDamages = (kind: Kind): readonly Damage[] => {
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
        .filter((_, n) => isExhaustive || n === 0 || n === 1 + (i % (values.length - 1)))
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
        undamagedExits.set(line, code)
        expect([0, 1, 5, 8], `${String(line)}: ${stderr}`).toContain(code)
      }
      const breaches: (string | undefined)[] = []
      for (const [i, damage] of listDamages(kind).entries())
        for (const [n, line] of lines.entries())
          if (isExhaustive || n === i % lines.length)
            breaches.push(await tryDamage(kind, line, damage))
      expect(breaches.filter((breach) => breach !== undefined)).toEqual([])
    },
    120_000,
  )
})

// Random damage of files: the content may be anything, but reading it must not be a defect and must change nothing outside.

/** Damages a text at one of its bytes. */
type Wound = (bytes: Buffer, place: number, value: string) => Buffer

const replaceBytes = (bytes: Buffer, from: number, to: number, what: string): Buffer =>
  Buffer.concat([bytes.subarray(0, from), Buffer.from(what), bytes.subarray(to)])

/** Finds the end of the scalar, the word or the blank at a place. */
const findTokenEnd = (bytes: Buffer, place: number): number => {
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
  'another value': (bytes, place, value) =>
    replaceBytes(bytes, place, findTokenEnd(bytes, place), value),
  'a value between': (bytes, place, value) => replaceBytes(bytes, place, place, value),
  'a part twice': (bytes, place) =>
    replaceBytes(bytes, place, place, bytes.toString('utf8', place, place + 40)),
  'a part that is gone': (bytes, place) => replaceBytes(bytes, place, place + 7, ''),
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

/** Lists the paths of all values inside a value, as `replaceAt` takes them. */
const listPaths = (value: unknown, at: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value !== 'object' || value === null
    ? [at]
    : [at, ...Object.entries(value).flatMap(([name, inner]) => listPaths(inner, [...at, name]))]

const replacements: readonly unknown[] = [
  ...[undefined, null, true, -1, 0.5, 1e300, 99, '', '../../x', '/etc/passwd', '__proto__', 'x'],
  ...[[], {}, [null], [[]], { a: { b: 1 } }, JSON.parse('{"__proto__":{"x":1}}')],
]

/** Replaces a value in a JSON text and adds the checksum again. Returns the text unchanged if it is not JSON. */
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
    const places = listPaths(whole)
    const path = places[Math.floor(((place * 7919) % 1) * places.length)] ?? []
    lines[n] = seal(replaceAt(whole, path, value))
  } catch {
    return text
  }
  return many === true ? `${lines.join('\n')}\n` : lines.join('')
}

/** Draws random damages, each of which changes at least one byte of the text. */
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
        const before = snapshotOutside()
        const line = lines[i % lines.length] ?? ''
        const { code, stderr } = await run(line)
        if (
          code === 9 ||
          /\n\s+at .*:\d+:\d+|\[object Object\]/.test(stderr) ||
          snapshotOutside() !== before
        )
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

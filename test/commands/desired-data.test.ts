/**
 * Tests that the answers of an instance are data: when an export is read again, nothing in it becomes a reference to a
 * file, a variable or a command, or a keyword of the files.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { managedKinds } from '../../src/catalogue/managed.js'
import { getAttributes } from '../../src/desired/attributes.js'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { serve } from '../support/servers.js'
import { svcctl } from '../support/within.js'

const box = useSharedSandbox()
const canary = 'c4n4ry-of-this-machine'
const pem = `-----BEGIN CERTIFICATE-----\n${canary}\n-----END CERTIFICATE-----\n`

/** Values that would be references or keywords if a person had written them in a file. */
const references: readonly unknown[] = [
  ...['@secret.pem', '@../secret.pem', 'env:CANARY', 'command:["touch","ran"]'],
  ...[{ file: 'secret.pem' }, { file: '../secret.pem' }, { env: 'CANARY' }],
  ...[{ command: ['touch', 'ran'] }, ['@secret.pem'], { $add: ['@secret.pem'] }, { $exact: true }],
]

/** Attributes for which a file may name another file, a variable or a command. */
const referring = managedKinds.flatMap((kind) =>
  [...getAttributes(kind).values()]
    .filter(({ source }) => source !== undefined)
    .map(({ name, field = name }) => ({ kind, name, field })),
)

type Json = Readonly<Record<string, unknown>>
/** Returns the answer to show for a path. Undefined keeps the instance's own answer. */
type FakeAnswer = (path: string, data: unknown) => unknown

/** Starts a proxy that changes the answers of the embedded instance, and records the writes. */
const startLyingProxy = async (lie: FakeAnswer = () => undefined) => {
  const writes: string[] = []
  const { base } = await serve(async ({ method, url, headers, body }, response) => {
    if (method !== 'GET') writes.push(`${method} ${url} ${body}`)
    const answer = await fetch(box.url() + url, {
      method,
      headers: { 'private-token': String(headers['private-token']) },
      ...(body === '' ? {} : { body }),
    })
    const text = await answer.text()
    const said = lie(url.replace(/^\/api\/v4|\?.*$/g, ''), answer.ok ? JSON.parse(text) : undefined)
    const status = said === undefined ? answer.status : 200
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(said === undefined ? text : JSON.stringify(said))
  })
  return { base, writes }
}

/** Returns the record with the value in every field that the attribute may be read from. */
const showValue = (record: Json, name: string, field: string, value: unknown): Json => {
  const [outer = name, inner] = field.split('.')
  const within = record[outer]
  const shown = inner === undefined ? value : { ...(within as Json), [inner]: value }
  const properties = { ...(record.properties as Json), [name]: value }
  return { ...record, [name]: value, [outer]: shown, properties }
}

/** Shows the value in all attributes that take a reference. The identity of a set only gets text. */
const showEverywhere =
  (value: unknown): FakeAnswer =>
  (path, data) => {
    const kind = /(settings|deploy_keys|domains|integrations)(?:\/[\w-]+)?$/.exec(path)?.[1]
    if (kind === undefined || data === undefined) return undefined
    const lies = referring.filter(
      (one) =>
        one.kind.name.endsWith(kind) &&
        (one.name !== one.kind.identity || typeof value === 'string'),
    )
    const lied = (record: Json): Json => {
      const shown = lies.reduce((r, { name, field }) => showValue(r, name, field, value), record)
      const made = { made_up: value, made_up_token: value, $inherit: false, 'two words': value }
      return kind === 'settings' ? { ...shown, ...made } : shown
    }
    return Array.isArray(data) ? data.map(lied) : lied(data as Json)
  }

/** Creates a folder with secrets of this machine, and a function that runs lines against an instance. */
const createWorkspace = (base: string) => {
  const cwd = createFolder()
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: base, CANARY: canary }
  mkdirSync(join(cwd, 'in'))
  for (const file of ['secret.pem', 'in/secret.pem']) writeFileSync(join(cwd, file), pem)
  const run = (line: string) => svcctl(line.split(' '), { cwd, env })
  return { cwd, run, text: () => readFileSync(join(cwd, 'in/all.yml'), 'utf8') }
}
/** Selects one place of each scope that has such attributes. */
const some = '--only site:settings --only projects/platform/app'
const exporting = `export ${some} --exact --all-settings --to in/all.yml`
const applying = `apply in/all.yml ${some} --allow-commands --allow-outside --allow-literal-secrets --secrets always --yes -o json`

it.each(references.map((value) => [JSON.stringify(value), value]))(
  'says %s in the place of whatever must be a reference, and nothing comes of it',
  async (_, value) => {
    const { base, writes } = await startLyingProxy(showEverywhere(value))
    const { cwd, run, text } = createWorkspace(base)
    const exported = await run(exporting)
    expect([exported.code, exported.stderr]).toEqual([0, expect.stringContaining('wrote ')])
    expect(text()).toContain('deploy_keys:')
    const { code, stdout, stderr } = await run(applying)
    expect([code, stderr]).toEqual([0, expect.not.stringContaining(canary)])
    const { actions, files } = JSON.parse(stdout)
    expect([actions, writes]).toEqual([[], []])
    // No other file was read, and no command was run.
    expect(files.map(({ path }: { path: string }) => path)).toEqual(['in/all.yml'])
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(
      ['in', 'in/all.yml', 'in/secret.pem', 'secret.pem'].sort(),
    )
  },
)

it('finds them in several kinds', () => {
  expect(referring.map(({ kind, name }) => `${kind.name}#${name}`)).toEqual(
    expect.arrayContaining([
      'settings#spamsvc_api_key',
      'deploy_keys#key',
      'pages_domains#certificate',
      'integrations#token',
    ]),
  )
})

it('says values that no file can, and they are left out with a line that says so', async () => {
  const strange = {
    default_project_visibility: 'strange',
    diff_max_files: 1e300,
    diff_max_lines: 'many',
  }
  const { base, writes } = await startLyingProxy((path, data) =>
    path === '/application/settings' ? { ...(data as Json), ...strange, made_up: 1e21 } : undefined,
  )
  const { run, text } = createWorkspace(base)
  expect((await run(exporting)).code).toBe(0)
  for (const name of [...Object.keys(strange), 'made_up'])
    expect(text()).toContain(`# ${name}: declared files cannot express this value`)
  const { code, stdout } = await run(applying)
  expect([code, JSON.parse(stdout).actions, writes]).toEqual([0, [], []])
})

it('shows groups whose paths would be all groups in a file, and they are left out', async () => {
  const strange = [
    { id: 77, kind: 'group', full_path: '**' },
    { id: 78, kind: 'group', full_path: 'platform/**' },
  ]
  const { base } = await startLyingProxy((path, data) => {
    if (path === '/groups') return [...(data as unknown[]), ...strange]
    return /^\/groups\/7[78]\//.test(path)
      ? [{ id: 8, username: 'gus', access_level: 50 }]
      : undefined
  })
  const { run, text } = createWorkspace(base)
  const { code, stderr } = await run('export members -G platform --to in/all.yml')
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('**: declared files cannot contain this path; skipped'),
  ])
  expect(Object.keys(parse(text()).groups)).not.toContain('**')
  const honest = await startLyingProxy()
  const other = createWorkspace(honest.base)
  writeFileSync(join(other.cwd, 'in/all.yml'), text())
  expect((await other.run('apply in/all.yml --yes')).code).toBe(0)
  expect(honest.writes).toEqual([])
})

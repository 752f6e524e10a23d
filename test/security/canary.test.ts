import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runConcurrently } from '../faults/matrix.js'
import { createFolder } from '../support/program.js'
import { type Recorder, type SeenRequest, startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'
import {
  buildLine,
  type Command,
  canary,
  credentialCommands,
  endlessCommands,
  listCommands,
} from './canary.js'

const createSecret = (kind: string): string => `${canary}-${kind}-0123456789`

/** Repeats a request, as a hostile instance does that wants the token to appear in a log. */
const describeRequest = ({ headers, body, url }: SeenRequest): string =>
  `you sent ${JSON.stringify(headers)} and ${body} to ${url}`

let server: Recorder
beforeAll(async () => {
  server = await startRecorder((seen) => {
    const [, status = '200'] = /\/(\d{3})\/api/.exec(seen.url) ?? []
    if (seen.url.includes('/oauth/token'))
      return {
        status: 400,
        body: { error: 'invalid_grant', error_description: describeRequest(seen) },
      }
    if (status === '200')
      // The command must first learn whose token this is, so that it removes nobody.
      return seen.url.endsWith('/user') ? { body: { id: 1, username: 'root' } } : undefined
    return {
      status: Number(status),
      body: { message: describeRequest(seen) },
      headers: { 'x-echo': describeRequest(seen) },
    }
  })
})
afterAll(() => server.close())

const statuses = [200, 401, 500]

/** Builds the journal of a run that paused a runner. */
const buildJournal = (instance: string): string => {
  const object = { n: 1, object: '7' }
  const header = {
    run: 1,
    id: '20261121T120102-runners-pause',
    command: 'runners pause',
    endpoint: 'PUT /runners/:id',
    began: '2026-11-21T12:01:02.000Z',
    input: { active: false },
    instance,
    profile: 'work',
    user: null,
    sudo: null,
    source: 'arguments',
    version: '0.1.0',
  }
  const done = { state: 'done', status: 200, before: { active: true }, after: { active: false } }
  const counts = { done: 1, unchanged: 0, failed: 0, unknown: 0, not_tried: 0 }
  const lines = [
    header,
    { ...object, state: 'queued' },
    { input: 'complete', total: 1 },
    { ...object, state: 'begun' },
    { ...object, ...done },
    { end: 'completed', counts },
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** A declared state with a secret. */
const declaredState = `version: 1
site:
  settings: { spamsvc_enabled: true, spamsvc_api_key: { env: CANARY_SECRET } }
`

/** Creates a configuration folder with a profile, its token and refresh token, and an audit log. */
const createHome = (baseUrl: string, place: string): string => {
  const config = join(place, 'config')
  mkdirSync(config, { mode: 0o700 })
  const profile = {
    baseUrl,
    tokenKind: 'oauth',
    tokenStore: 'file',
    tokenUrl: `${server.url}/oauth/token`,
    auditLog: join(config, 'audit.jsonl'),
    user: 'root',
  }
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({
      current: 'work',
      profiles: { work: profile },
      aliases: { gone: 'runners list' },
    }),
    { mode: 0o600 },
  )
  const token = {
    token: createSecret('stored'),
    kind: 'oauth',
    baseUrl,
    refreshToken: createSecret('refresh'),
  }
  writeFileSync(join(config, 'tokens.json'), JSON.stringify({ work: token }), { mode: 0o600 })
  writeFileSync(join(place, 'ci.yml'), 'job: { script: [echo] }\n')
  writeFileSync(join(place, 'svcctl.yml'), declaredState)
  writeFileSync(
    join(place, 'commands.yml'),
    'extension: own\ncommands: { jobs retry: POST /projects/:id/jobs/:job_id/retry }\n',
  )
  writeFileSync(join(place, 'policy.yml'), policy)
  writeFileSync(join(place, 'words.yml'), 'vocabulary: 1\nwords: { spamsvc: junkguard }\n')
  writeFileSync(join(place, 'run.ndjson'), buildJournal(baseUrl))
  return config
}

/** A rule whose message shows the fields of each record of a list. */
const policy =
  'policy: 1\nrules: [{ name: one, list: runners list, each: id=0, message: "{token}" }]\n'

/** Returns the files below a folder that contain a canary, except for the token file. */
const findLeaks = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'tokens.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => holds(readText(path)))

/** Reads a file. Returns an empty text if its process has renamed or removed it meanwhile. */
const readText = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (existsSync(path)) throw error
    return ''
  }
}

const forms = [canary, Buffer.from(`:${canary}`).toString('base64').slice(0, 8)]
const holds = (text: string): boolean => forms.some((form) => text.includes(form))

const isSecret = (word: string): boolean => word.startsWith('env:')

interface LineReport {
  readonly line: string
  readonly code: number
  readonly wrong: readonly string[]
}

const runOne = async (command: Command, index: number): Promise<LineReport> => {
  const place = createFolder()
  const baseUrl = `${server.url}/${statuses[index % statuses.length]}`
  const config = createHome(baseUrl, place)
  const environment = index % 2 === 0
  const line = [
    ...buildLine(command),
    '-vv',
    ...(command.endpoints.length > 0 ? ['--yes', '--retries', '0'] : []),
  ]
  const from: Readonly<Record<string, string>> = environment
    ? { SVC_TOKEN: createSecret('environment'), SVC_BASE_URL: baseUrl }
    : {}
  const env = {
    ...from,
    SVC_CONFIG_DIR: config,
    SVC_NO_KEYRING: '1',
    SVC_JOB_TOKEN: createSecret('job'),
    SVC_ALERT_KEY: createSecret('alert'),
    SVC_ALERT_ENDPOINT: `${baseUrl}/api/alert`,
    CANARY_SECRET: createSecret('value'),
  }
  const how = {
    env,
    cwd: place,
    input: command.command === 'auth login' ? `${createSecret('login')}\n` : '',
  }
  const ran = await svcctl(
    command.command === 'auth login' ? [...line, '--token-stdin'] : line,
    how,
  )
  // Only commands with a secret of their own, and a sample of the others, which all print in the same way.
  const printed = command.endpoints.length > 0 && (index % 3 === 0 || line.some(isSecret))
  const curl = printed ? await svcctl([...line, '--curl'], how) : undefined
  const wrong = [
    ...(holds(ran.stdout) && !credentialCommands.has(command.command)
      ? [`standard output: ${ran.stdout}`]
      : []),
    ...(holds(ran.stderr) ? [`standard error: ${ran.stderr}`] : []),
    ...(holds(`${curl?.stdout}${curl?.stderr}`) ? [`--curl: ${curl?.stdout}${curl?.stderr}`] : []),
    ...findLeaks(place),
    ...(ran.code === 9 || ran.code === 2 ? [`exit ${ran.code}: ${ran.stderr}`] : []),
    ...(curl !== undefined && curl.code !== 0 ? [`--curl exit ${curl.code}: ${curl.stderr}`] : []),
  ]
  const tokens = join(config, 'tokens.json')
  if (existsSync(tokens) && (statSync(tokens).mode & 0o777) !== 0o600)
    wrong.push('tokens.json is not 0600')
  rmSync(place, { recursive: true, force: true })
  return { line: line.join(' '), code: ran.code, wrong }
}

it('shows no credential anywhere, whatever is run and whatever comes back', async () => {
  const commands = (await listCommands()).filter(({ command }) => !endlessCommands.has(command))
  const said = await runConcurrently(
    commands.map((command, index) => ({ command, index })),
    4,
    ({ command, index }) => runOne(command, index),
  )
  expect(said.filter(({ wrong }) => wrong.length > 0)).toEqual([])
  // A token can only leak if it was sent: in a header or a body, and never in an address.
  const signed = server.seen.filter(({ headers }) => holds(JSON.stringify(headers)))
  expect(signed.length).toBeGreaterThan(commands.length / 2)
  expect(server.seen.filter(({ url }) => holds(url))).toEqual([])
}, 120_000)

it('keeps what a token command prints out of everything but the header, and gives it no argument', async () => {
  const place = createFolder()
  const config = join(place, 'config')
  mkdirSync(config)
  const helper = join(place, 'helper.cjs')
  writeFileSync(
    helper,
    `require('fs').writeFileSync(${JSON.stringify(join(place, 'argv'))}, process.argv.join(' '))
    console.log(['${canary.slice(0, 3)}' + '${canary.slice(3)}', 'command', '0123456789'].join('-'))`,
  )
  const profile = {
    baseUrl: `${server.url}/401`,
    tokenCommand: [process.execPath, helper, 'one'],
    auditLog: join(config, 'audit.jsonl'),
  }
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({ current: 'work', profiles: { work: profile } }),
  )
  const before = server.seen.length
  const env = { SVC_CONFIG_DIR: config, NODE_DISABLE_COMPILE_CACHE: '1' }
  const ran = await svcctl(['runners', 'pause', '7', '-vv', '--retries', '0'], { env })
  expect(ran.code).toBe(3)
  const sent = server.seen.slice(before)
  expect(sent.map(({ headers }) => headers['private-token'])).toContain(createSecret('command'))
  expect(holds(`${ran.stdout}${ran.stderr}`)).toBe(false)
  expect(findLeaks(place)).toEqual([])
  expect(readFileSync(join(place, 'argv'), 'utf8')).toBe(`${process.execPath} ${helper} one`)
  rmSync(place, { recursive: true, force: true })
})

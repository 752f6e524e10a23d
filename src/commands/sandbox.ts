/**
 * Implements `sandbox serve`, `reset`, `status`, `tokens` and `alerts`, which run and inspect the embedded instance, and `--as-of`, which
 * `ci lint` also has.
 */

import { resolve } from 'node:path'
import { waitForAbort } from '../base/async.js'
import { boolean, integer, string } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import {
  createNoteRow,
  createTextRow,
  type Rows,
  yieldRecord,
  yieldRecords,
} from '../engine/rows.js'
import {
  getStateFolder,
  openWorkingFolder,
  parseJobsRule,
  readResources,
} from '../engine/workspace/sandbox.js'
import { usage } from '../errors.js'
import { toWholeAllowance } from '../http/gate.js'
import { createWaitOptions } from '../profile/index.js'
import type { Sandbox } from '../sandbox/index.js'
import { type Arguments, define } from './define.js'

/** Declares the flag `--as-of`, the version whose CI keywords are checked. */
export const createAsOfFlag = (help: string) => string(help, { placeholder: 'major.minor' })

/** Loads the embedded instance on demand. */
const loadSandbox = () => import('../sandbox/index.js')

/**
 * Parses the version of `--as-of`; undefined for the latest.
 * @throws Failure `usage` for an invalid version
 */
export const parseAsOfVersion = async (text: string | undefined) => {
  if (text === undefined || text === 'latest') return undefined
  const { isVersion } = await loadSandbox()
  if (isVersion(text)) return text
  throw usage(`--as-of must be a version such as 14.5, or latest, not "${text}"`)
}

/** Loads the function that checks conditions of `rules:if`, as the given version does. */
export const loadCiCondition = async (asOf: string | undefined) => {
  const { loadConditionCheck: load } = await loadSandbox()
  return load(await parseAsOfVersion(asOf))
}

// The commands of the embedded instance.

const stateDir = {
  ...string('folder for the state', { completes: 'file', placeholder: 'folder' }),
  aliases: ['state'],
} as const
const folderFlags = { 'state-dir': stateDir } as const

const getFolder = (
  { place }: Context,
  { flags: { 'state-dir': folder } }: Arguments<typeof folderFlags>,
): string => (folder === undefined ? getStateFolder(place.env) : resolve(place.cwd, folder))

/** Loads the vocabulary of the embedded instance, and checks it against all endpoints. */
const loadVocabulary = async ({ place }: Context, file: string | undefined) => {
  if (file === undefined) return {}
  const { loadChecked } = await import('../vocabulary/index.js')
  return { words: await loadChecked(resolve(place.cwd, file)) }
}

const serveFlags = {
  port: integer('port [any free port]', { min: 0, max: 65535 }),
  ...folderFlags,
  'no-impersonation': boolean('reject impersonation tokens'),
  speed: integer('speed factor for jobs, rebases and moves', { min: 1, default: 1 }),
  jobs: string('result of jobs: pass, fail=<glob of names>, hold [as before; initially pass]', {
    words: ['pass', 'fail=', 'hold'],
    placeholder: 'rule',
  }),
  vocabulary: string('use the names of this vocabulary file only', { completes: 'file' }),
  testable: boolean('serve routes below /-/test for tests: seed, reset, snapshot, requests, fail'),
  latency: integer('delay of each response in milliseconds', { min: 0, max: 600_000 }),
  'as-of': createAsOfFlag('check CI configurations as this version does, such as 14.5 [latest]'),
}

/** Yields the address of the embedded instance and its users. */
async function* yieldWelcome({ answer }: Context, { url, users }: Sandbox): Rows {
  if (answer.reader !== 'people') return yield* yieldRecord({ url, users }, { reveal: true })
  yield createTextRow(`${url}\n\n`)
  yield* yieldRecords(users, { columns: ['username', 'role', 'token'], reveal: true })
  yield createNoteRow(
    `use it with: SVC_BASE_URL=${url} SVC_TOKEN=<token> svcctl …   (Ctrl-C stops it; svcctl sandbox tokens lists more)`,
  )
}

/** Serves the embedded instance until it is interrupted. */
async function* serveFrom(
  folder: string,
  context: Context,
  { flags }: Arguments<typeof serveFlags>,
): Rows {
  const { startSandbox } = await loadSandbox()
  const { rate } = context.place.globals
  const asOf = await parseAsOfVersion(flags['as-of'])
  const sandbox = await startSandbox({
    stateDir: folder,
    resources: await readResources(context.place.env),
    env: context.place.env,
    now: context.place.clock.now,
    randomBytes: context.place.clock.randomBytes,
    note: context.ui.note,
    signal: context.place.clock.signal,
    port: flags.port ?? 0,
    speed: flags.speed,
    jobs: parseJobsRule(flags.jobs, '--jobs'),
    impersonation: flags['no-impersonation'] !== true,
    limit: rate === undefined ? undefined : toWholeAllowance(rate),
    ...(await loadVocabulary(context, flags.vocabulary)),
    asOf,
    testable: flags.testable,
    latency: flags.latency,
  })
  try {
    yield* yieldWelcome(context, sandbox)
    yield { kind: 'flush' }
    await waitForAbort(context.place.clock.signal)
  } finally {
    await sandbox.close()
  }
}

export const serve = define({
  longRunning: true,
  description: [
    'Prints the URL, the users and their tokens. The server listens on 127.0.0.1 only. Ctrl-C stops it and saves its state.',
    'To test a script against a busy instance, use --rate 100 (or 600/min) and --latency 20. Requests beyond the rate get a 429 with Retry-After and RateLimit headers. Each response is delayed by the latency in milliseconds.',
    'A push creates a pipeline, and runners run its jobs. With --jobs pass, all jobs succeed; with --jobs "fail=unit*", matching jobs fail; with --jobs hold, each job runs until its runner is paused. --speed 100 finishes them within a second.',
    'With --as-of 14.5, the instance checks CI keywords as version 14.5 did, and GET /version returns 14.5.0.',
    'With --testable, tests in any language can fill and reset it, read its requests and make requests fail. See the guide, "The embedded instance".',
    'With --vocabulary, the instance uses the names of that file. Like a real instance, it silently ignores parameters with other names, and it has no routes that the file lists as gone.',
  ],
  flags: serveFlags,
  rows: async function* (context, given) {
    const { hasGit } = await loadSandbox()
    const { folder, leave } =
      given.flags['state-dir'] === undefined
        ? openWorkingFolder(context.place.env, context.ui.note)
        : { folder: getFolder(context, given), leave: () => undefined }
    try {
      if (!(await hasGit(context.place.env)))
        context.ui.note('git is not installed: requests that need it get a 503')
      yield* serveFrom(folder, context, given)
    } finally {
      leave()
    }
  },
})

export const reset = define({
  flags: folderFlags,
  rows: async function* (context, given) {
    const folder = getFolder(context, given)
    // The confirmation names the embedded instance, because a new user has no other one.
    const of = { baseUrl: 'the embedded instance' }
    const lost = 'This deletes all changes to the embedded instance.'
    await context.ui.confirm(lost, [folder], of)
    const { removeState } = await loadSandbox()
    await removeState(folder, createWaitOptions(context))
    yield createNoteRow(`reset the embedded instance in ${folder} to its sample data`)
  },
})

export const status = define({
  flags: folderFlags,
  rows: async function* (context, given) {
    const folder = getFolder(context, given)
    const { countRecords } = await loadSandbox()
    yield* yieldRecord({ folder, ...(await countRecords(folder)) })
  },
})

export const tokens = define({
  description: [
    'Lists tokens of every kind and state for tests: with limited scopes, expired, revoked, job tokens, impersonation tokens and runner registration tokens. "svcctl sandbox alerts --endpoints" lists the alert keys.',
  ],
  flags: folderFlags,
  rows: async function* (context, given) {
    const { listCredentials } = await loadSandbox()
    yield* yieldRecords(
      await listCredentials(getFolder(context, given), context.place.clock.now()),
      {
        columns: ['kind', 'of', 'value', 'scopes', 'state', 'refresh_token'],
        reveal: true,
      },
    )
  },
})

/** The address to show if the port is not known. */
const anyAddress = 'http://127.0.0.1:<port>'

export const alerts = define({
  description: [
    'With --endpoints, svcctl lists the alert endpoints and keys for "alerts send". Pass --base-url to get full URLs. A running server saves its state shortly after each change.',
  ],
  flags: { ...folderFlags, endpoints: boolean('list the alert endpoints and their keys') },
  rows: async function* (context, given) {
    const { listAlerts } = await loadSandbox()
    const base = context.place.globals.baseUrl ?? (context.place.env.SVC_BASE_URL || anyAddress)
    const { received, endpoints } = await listAlerts(getFolder(context, given), base)
    if (given.flags.endpoints === true) {
      const columns = ['project', 'name', 'active', 'key', 'url']
      return yield* yieldRecords(endpoints, { columns, reveal: true })
    }
    if (received.length === 0) yield createNoteRow('no alerts received yet')
    yield* yieldRecords(received, {
      columns: ['project', 'endpoint', 'iid', 'title', 'severity', 'state', 'started_at', 'events'],
    })
  },
})

/**
 * Every global flag changes something observable: the output, the messages, the requests, or the exit code. A declared flag without a
 * row here does not compile.
 */
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { flagSets, globalFlagRows, globalFlags } from '../../src/engine/command/global-flags.js'
import { certificate, key } from '../http/certificate.js'
import { createConfiguration } from '../support/program.js'
import { openScreen } from '../support/screen.js'
import { svcctl } from '../support/within.js'

/** Answers the nth request of an instance. */
type Answer = (n: number, together: () => Promise<void>) => Promise<unknown> | unknown

interface Row {
  /** The command line without the flag, and the words that are added to it. */
  readonly line: readonly string[]
  readonly flag: readonly string[]
  readonly answer?: Answer
  /** Profiles with their settings; without them, the environment names the instance. */
  readonly profiles?: Readonly<Record<string, readonly string[]>>
  /** The instance has a certificate that is not trusted. */
  readonly secure?: true
  /** The line runs at a terminal, because of the pager. */
  readonly terminal?: true
}

const runner = {
  id: 1,
  description: '=1+1',
  active: true,
  is_shared: true,
  ip_address: '10.0.0.1',
  runner_type: 'instance_type',
  name: 'build',
  online: true,
  status: 'online',
  token: 'glrt-canary-of-a-runner',
}
const several = [1, 2, 3].map((id) => ({ ...runner, id }))
const list = ['runners', 'list']
const get = ['runners', 'get', '1']
const remove = ['deploy-keys', 'delete', '1', '-P', 'a/b']

/** Ends a watch after its first round. */
const answerOnce: Answer = (n) => (n === 1 ? runner : { status: 404 })
/** Answers every request with the same runner. */
const answerAlways: Answer = () => runner
const answerNotFound: Answer = () => ({ status: 404 })
/** Answers with one project of a group, and with nothing in it. */
const answerProjects: Answer = (n) =>
  n === 1
    ? [{ id: 1, path_with_namespace: 'a/b', namespace: { id: 1, kind: 'group', full_path: 'a' } }]
    : []
const failFirst: Answer = (n) => (n === 1 ? { status: 502 } : runner)
const limitFirst: Answer = (n) => (n === 1 ? { status: 429 } : runner)
const answerLate: Answer = () => wait(3_000, runner)
const answerTogether: Answer = async (_, met) => {
  await met()
  return runner
}

/** One row for each flag: a new flag without a row does not compile. */
const rows: Readonly<Record<keyof typeof globalFlagRows, Row>> = {
  limit: { line: list, flag: ['--limit', '1'] },
  page: { line: list, flag: ['--page', '2'] },
  'per-page': { line: list, flag: ['--per-page', '2'] },
  'dry-run': { line: ['runners', 'update', '1', '--description', 'new'], flag: ['--dry-run'] },
  save: { line: ['runners', 'update', '1', '--description', 'new', '--dry-run'], flag: ['--save'] },
  select: {
    line: ['runners', 'pause', '--yes'],
    flag: ['--select', 'id=2'],
  },
  'row-fields': {
    line: ['runners', 'update', '1', '--description', 'new'],
    flag: ['--row-fields', 'description'],
  },
  where: { line: list, flag: ['--where', 'id=2'] },
  sort: { line: list, flag: ['--sort', '-id'] },
  'group-by': { line: list, flag: ['--group-by', 'id'] },
  count: { line: list, flag: ['--count'] },
  sum: { line: list, flag: ['--sum', 'id'] },
  avg: { line: list, flag: ['--avg', 'id'] },
  min: { line: list, flag: ['--min', 'id'] },
  max: { line: list, flag: ['--max', 'id'] },
  p95: { line: list, flag: ['--p95', 'id'] },
  from: { line: list, flag: ['--from', '/nowhere'] },
  since: { line: list, flag: ['--since', '/nowhere'] },
  'all-fields': { line: list, flag: ['--all-fields'] },
  'wait-until': { line: get, flag: ['--wait-until', 'stauts=online'], answer: answerAlways },
  'wait-timeout': {
    line: [...get, '--wait-until', 'id=1'],
    flag: ['--wait-timeout', '0'],
    answer: answerAlways,
  },
  strict: { line: ['runners', 'update', '1', '--description', 'new'], flag: ['--strict'] },
  profile: {
    line: [...get, '-p', 'work'],
    flag: ['--profile', 'other'],
    profiles: { work: ['--base-url', 'URL'], other: ['--base-url', 'URL/other'] },
  },
  'base-url': { line: get, flag: ['--base-url', 'URL/elsewhere'] },
  sandbox: { line: get, flag: ['--sandbox'] },
  sudo: { line: get, flag: ['--sudo', 'someone'] },
  timeout: { line: [...get, '--retries', '0'], flag: ['--timeout', '1'], answer: answerLate },
  retries: { line: get, flag: ['--retries', '0'], answer: failFirst },
  'max-wait': { line: get, flag: ['--max-wait', '0'], answer: limitFirst },
  'all-projects': { line: ['jobs', 'list'], flag: ['--all-projects'], answer: answerProjects },
  'all-groups': { line: ['members', 'list'], flag: ['--all-groups'], answer: answerProjects },
  recursive: {
    line: ['runners', 'list', '-G', 'a'],
    flag: ['--recursive'],
    answer: answerProjects,
  },
  'with-archived': {
    line: ['jobs', 'list', '-G', 'a'],
    flag: ['--with-archived'],
    answer: answerProjects,
  },
  tolerate: {
    line: ['jobs', 'list', '-P', 'a/b', '-P', 'a/c'],
    flag: ['--tolerate', 'not_found'],
    answer: answerNotFound,
  },
  concurrency: {
    line: ['runners', 'pause', '1', '2'],
    flag: ['--concurrency', '1'],
    answer: answerTogether,
  },
  'all-profiles': {
    line: list,
    flag: ['--all-profiles'],
    profiles: { one: ['--base-url', 'URL'], two: ['--base-url', 'URL'] },
  },
  rate: { line: get, flag: ['--rate', 'fast'] },
  'max-failures': {
    line: ['runners', 'pause', '1', '2', '3', '--concurrency', '1'],
    flag: ['--max-failures', '1'],
    answer: answerNotFound,
  },
  journal: {
    line: ['runners', 'pause', '1', '2', '--concurrency', '1'],
    flag: ['--journal', 'none'],
  },
  resume: { line: ['runners', 'pause', '1'], flag: ['--resume', 'last'] },
  'undo-record': {
    line: ['runners', 'pause', '1', '2', '--concurrency', '1'],
    flag: ['--no-undo-record'],
  },
  shard: {
    line: ['runners', 'pause', '1', '2', '3', '--concurrency', '1'],
    flag: ['--shard', '1/2'],
  },
  insecure: { line: [...get, '--base-url', 'URL'], flag: ['--insecure'], secure: true },
  curl: { line: get, flag: ['--curl'] },
  output: { line: get, flag: ['--output', 'json'] },
  to: { line: get, flag: ['--to', 'answer'] },
  open: { line: get, flag: ['--open'] },
  fields: { line: get, flag: ['--fields', 'id'] },
  'show-secrets': { line: [...get, '-o', 'json'], flag: ['--show-secrets'] },
  jq: { line: [...get, '-o', 'json'], flag: ['--jq', '.id'] },
  slurp: { line: [...get, '-o', 'json', '--jq', '.'], flag: ['--slurp'] },
  headers: { line: [...get, '-o', 'csv'], flag: ['--no-headers'] },
  'csv-raw': { line: [...get, '-o', 'csv'], flag: ['--csv-raw'] },
  watch: { line: get, flag: ['--watch', '1'], answer: answerOnce },
  yes: { line: remove, flag: ['--yes'] },
  confirm: {
    line: [...remove, '-p', 'guarded', '--yes'],
    flag: ['--confirm', 'guarded'],
    profiles: { guarded: ['--base-url', 'URL', '--protected'] },
  },
  quiet: { line: [...list, '--limit', '1'], flag: ['--quiet'] },
  verbose: { line: get, flag: ['--verbose'] },
  color: { line: get, flag: ['--color', 'always'], answer: answerNotFound },
  pager: { line: ['help', 'flags'], flag: ['--no-pager'], terminal: true },
  help: { line: get, flag: ['--help'] },
  'page-title': { line: [...get, '-o', 'html'], flag: ['--page-title', 'A page'] },
  web: { line: ['jobs', 'get', '1', '-P', 'a/b'], flag: ['--web'] },
}

/** Counts the requests that are open at the same time. Each waits until another one is open, or until none has come in time. */
const createMeeting = () => {
  let open = 0
  let most = 0
  const meet = async (): Promise<void> => {
    most = Math.max(most, ++open)
    for (let i = 0; i < 20 && most < 2; i++) await wait(50)
    open--
  }
  return { meet, most: () => most }
}

/** Starts an instance that answers as the row says, and records its requests. */
const startInstance = async ({ answer, secure }: Row) => {
  const sent: string[] = []
  const { meet, most } = createMeeting()
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    sent.push(`${method} ${url} ${headers.sudo ?? ''}`)
    const usual = method === 'GET' && url.includes('/runners?') ? several : runner
    const body = answer === undefined ? usual : await answer(sent.length, meet)
    const status = body !== null && typeof body === 'object' && 'status' in body && body.status
    const failed = typeof status === 'number'
    response.writeHead(failed ? status : 200, {
      'content-type': 'application/json',
      'retry-after': '0',
    })
    response.end(JSON.stringify(failed ? { message: 'no' } : body))
  }
  const handler = (request: IncomingMessage, response: ServerResponse): void =>
    void respond(request, response)
  const server =
    secure === true ? createSecure({ cert: certificate, key }, handler) : createPlain(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${secure === true ? 'https' : 'http'}://127.0.0.1:${port}`,
    sent,
    most,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Replaces everything that differs between runs: ports, times and IDs. */
const normalizeText = (text: string): string =>
  text
    .replace(/127\.0\.0\.1:\d+/g, 'HOST')
    .replace(/Journal: \S+/g, 'Journal: FILE')
    .replace(/\bin [\d.]+ m?s\b/g, 'in some time')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'ID')

/** Runs a line, and returns everything that can be observed. */
const observeRun = async (row: Row, args: readonly string[]) => {
  const { url, sent, most, close } = await startInstance(row)
  const { profiles } = row
  const env = {
    SVC_CONFIG_DIR: createConfiguration(),
    SVC_TOKEN: 'any',
    ...(profiles === undefined ? { SVC_BASE_URL: url } : {}),
  }
  const run = (line: readonly string[]) =>
    svcctl(
      line.map((arg) => arg.replace('URL', url)),
      { env },
    )
  try {
    for (const [name, settings] of Object.entries(profiles ?? {}))
      await run(['profile', 'set', name, ...settings])
    const ran = await run(args)
    return {
      code: ran.code,
      stdout: normalizeText(ran.stdout),
      stderr: normalizeText(ran.stderr),
      // Concurrent requests come in any order.
      sent: sent.sort(),
      most: most(),
    }
  } finally {
    close()
  }
}

/** Runs a line at a terminal of ten lines. Returns whether the pager was used. */
const runAtTerminal = async (args: readonly string[]): Promise<{ paged: boolean }> => {
  const screen = openScreen([args], { rows: 10, env: { SVC_PAGER: "sed 's/^/paged /'" } })
  try {
    return { paged: (await screen.until(/exit 0/)).includes('paged') }
  } finally {
    await screen.close()
  }
}

describe('every global flag', () => {
  it('is in the lists that commands take theirs from', () => {
    const names = [
      ...globalFlags,
      ...flagSets.write,
      ...flagSets.preview,
      ...flagSets.select,
      ...flagSets.journal,
      ...flagSets.record,
      ...flagSets.shard,
      ...flagSets.repeat,
      ...flagSets.sort,
      ...flagSets.group,
      ...flagSets.since,
      ...flagSets.sheet,
    ].map(({ name }) => name)
    expect(
      names.sort(),
      'put the new flag into one of the lists of engine/command/globals.ts',
    ).toEqual(Object.keys(globalFlagRows).sort())
    expect(Object.keys(rows).sort()).toEqual(Object.keys(globalFlagRows).sort())
    expect(names, 'set the number anew, if a flag was added or removed on purpose').toHaveLength(63)
  })

  const all = Object.entries(rows)
  /** Runs a line twice without its flag; the results are shared by all flags that use the line. */
  const bare = (row: Row) => {
    const { line, answer, profiles, secure } = row
    const key = JSON.stringify([line, answer?.name, profiles, secure])
    const known = bares.get(key) ?? Promise.all([observeRun(row, line), observeRun(row, line)])
    bares.set(key, known)
    return known
  }
  const bares = new Map<string, Promise<readonly [unknown, unknown]>>()
  it.concurrent.for(all.filter(([, row]) => row.terminal !== true))(
    '--%s changes something',
    { timeout: 60_000 },
    async ([, row], { expect }) => {
      const [[without, again], given] = await Promise.all([
        bare(row),
        observeRun(row, [...row.line, ...row.flag]),
      ])
      // If two runs without the flag differed, a difference would prove nothing about the flag.
      expect(again, 'the line of the row must do the same each time: choose another').toEqual(
        without,
      )
      expect(
        given,
        'the flag changed nothing: make it work, or choose a line in its row where it does',
      ).not.toEqual(without)
      expect(given.stderr, 'choose a line in the row that takes the flag').not.toContain(
        'unknown option',
      )
    },
  )

  it.for(all.filter(([, row]) => row.terminal === true))(
    '--%s changes something at a terminal',
    async ([, { line, flag }]) => {
      expect([await runAtTerminal(line), await runAtTerminal([...line, ...flag])]).toEqual([
        { paged: true },
        { paged: false },
      ])
    },
  )
})

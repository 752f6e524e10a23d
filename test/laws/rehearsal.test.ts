/**
 * Every command that writes: `--dry-run` sends only GETs and reads the object if it can be read, `--curl` sends nothing at all, and
 * everything that is sent is in a journal first.
 */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Endpoint, getMethod, writes } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import { canPreview, canRecordJournal, getCommandName } from '../../src/engine/command/derive.js'
import { findObjectReader } from '../../src/engine/command/object-reader.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { readJournalLines } from '../engine/journaling/runs.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const all = (
  await Promise.all(
    areas.map(async ({ name, load }) =>
      Object.values<Endpoint>(await load()).map((endpoint) => ({ area: name, endpoint })),
    ),
  )
).flat()
const writing = all.filter(({ endpoint }) => writes(endpoint))

/** Copied by hand: writes whose object cannot be read in the documents. */
const unread = [
  'POST /projects/:id/runners',
  'POST /runners',
  'POST /projects/:id/repository/commits',
  'POST /projects/:id/issues/:issue_iid/unsubscribe',
  'POST /projects/:id/issues/:issue_iid/todo',
  'POST /projects/:id/issues/:issue_iid/notes',
  'POST /projects/:id/approval_rules',
  'POST /groups/:id/members',
  'POST /projects/:id/members',
  'DELETE /groups/:id/billable_members/:user_id',
  'POST <alert_endpoint_url>',
  'POST /projects/:id/deploy_keys',
  'POST /projects/:id/pages/domains',
  'POST /projects/:id/vulnerabilities',
  'POST /geo_nodes',
  'POST /projects/:id/error_tracking/client_keys',
  'DELETE /projects/:id/error_tracking/client_keys/:key_id',
  'POST /project_repository_storage_moves',
  'POST /snippet_repository_storage_moves',
  'POST /group_repository_storage_moves',
]
/** Reads whose path differs from the path of the write. */
const elsewhere: Readonly<Record<string, string>> = {
  'DELETE /projects/:id/runners/:runner_id': 'GET /runners/:id',
  'POST /projects/:id/issues/:issue_iid/time_estimate':
    'GET /projects/:id/issues/:issue_iid/time_stats',
  'POST /projects/:id/issues/:issue_iid/reset_time_estimate':
    'GET /projects/:id/issues/:issue_iid/time_stats',
  'POST /projects/:id/issues/:issue_iid/add_spent_time':
    'GET /projects/:id/issues/:issue_iid/time_stats',
  'POST /projects/:id/issues/:issue_iid/reset_spent_time':
    'GET /projects/:id/issues/:issue_iid/time_stats',
}

describe('what a write is about', () => {
  it('is read by the endpoint of its path, or not at all', async () => {
    const none: string[] = []
    for (const { area, endpoint } of writing) {
      const read = (await findObjectReader(area, endpoint))?.endpoint.route
      const path = endpoint.route.replace(/^\w+ /, '')
      if (read === undefined) none.push(endpoint.route)
      else if (elsewhere[endpoint.route] !== undefined) expect(read).toBe(elsewhere[endpoint.route])
      else
        expect(
          path.startsWith(read.slice('GET '.length)),
          `${path} is read by ${read}: add the pair to "elsewhere" if that is right`,
        ).toBe(true)
    }
    expect(
      none.sort(),
      'add the write to "unread" only if the documents have no GET for its object',
    ).toEqual([...unread].sort())
    expect(writing).toHaveLength(61)
  })

  it('shows the fields that a write sets by itself', async () => {
    const setting = writing.filter(({ endpoint }) => endpoint.leaves !== undefined)
    for (const { area, endpoint } of setting) {
      const shape = JSON.stringify((await findObjectReader(area, endpoint))?.endpoint.returns.shape)
      for (const name of Object.keys(endpoint.leaves ?? {}))
        expect(shape, `${endpoint.route}: ${name}`).toContain(`"${name}":`)
    }
    expect(setting).toHaveLength(10)
  })
})

const commands = await loadAllCommands()

describe('the API’s own dry run', () => {
  it('is kept where it has one, and named in the catalogue', () => {
    const having = all.filter(({ endpoint }) => 'dry_run' in endpoint.params)
    expect(
      having.filter(({ endpoint }) => endpoint.ownDryRun !== true),
      'set "ownDryRun" on an endpoint with the parameter dry_run',
    ).toEqual([])
    expect(all.filter(({ endpoint }) => endpoint.ownDryRun === true)).toEqual(having)
    // A read-only command counts its requests by a flag of that name.
    const own = commands.filter(
      ({ flags, readOnly }) => !readOnly && flags.some(({ name }) => name === 'dry-run'),
    )
    expect(own.map(getCommandName)).toEqual(['ci lint', 'commits cherry-pick', 'commits revert'])
    expect(own.filter(canPreview)).toEqual([])
  })
})

let sandbox: Sandbox
const seen = new Map<string, string[]>()

/** Forwards requests to the embedded instance, and records them by the name in the path. */
const recorder = createServer((request, response) => {
  const [, name = '', ...rest] = (request.url ?? '').split('/')
  const path = `/${rest.join('/')}`
  seen.set(name, [...(seen.get(name) ?? []), `${request.method} ${path}`])
  const { port } = new URL(sandbox.url)
  const onward = forward(
    { host: '127.0.0.1', port, path, method: request.method, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    },
  )
  request.pipe(onward)
})
let url = ''
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`
})
afterAll(async () => {
  recorder.closeAllConnections()
  recorder.close()
  await sandbox.close()
})

const files: Readonly<Record<string, string>> = {
  'ci.pub': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci\n',
  'README.md': 'What it is for.\n',
}

const runExample = async (
  name: string,
  line: string,
  how: string,
  config = createConfiguration(),
) => {
  const cwd = createFolder()
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(cwd, file, '..'), { recursive: true })
    writeFileSync(join(cwd, file), text)
  }
  // No shell is needed: examples quote with apostrophes, and none of these has a pipe.
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )
  const given = words.filter((word) => word !== '--yes')
  return svcctl([...given, how], {
    cwd,
    env: {
      SVC_BASE_URL: `${url}/${name.replaceAll(' ', '.')}`,
      SVC_TOKEN: 'sandbox-root-token',
      SVC_CONFIG_DIR: config,
    },
  })
}

const previewable = commands.filter(canPreview)
// Commands that need a journal first have tests of their own.
const independent = previewable.filter(({ writes }) => writes !== true)

/** Returns the reasons why a command cannot be undone, if all its endpoints have one. */
const getIrreversibleReasons = ({
  endpoints,
  open,
}: (typeof commands)[number]): readonly string[] => {
  if (open === true) return ['svcctl does not know the effect of the request']
  const written = Object.values<Endpoint>(endpoints).filter(writes)
  const why = written.flatMap(({ irreversible }) => irreversible ?? [])
  return why.length === written.length ? why : []
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Finds an example of a command that has no pipe. */
const findExample = async (command: (typeof previewable)[number]): Promise<string> => {
  if (getCommandName(command) === 'api') return 'api PUT /runners/1 --param active=false -o csv'
  const lines = await loadExamples(command)
  return lines.find((line) => !line.includes(' | ')) ?? ''
}

describe('a dry run', () => {
  it('is there for every verb that writes', () => {
    const written = new Set(
      previewable.flatMap(({ endpoints }) => Object.values(endpoints)).map(({ route }) => route),
    )
    const left = writing.filter(({ endpoint }) => !written.has(endpoint.route))
    expect(
      left.map(({ endpoint }) => endpoint.route),
      'every command that writes takes --dry-run: see rehearsable() of engine/command/derive.ts',
    ).toEqual([
      'POST /projects/:id/repository/commits/:sha/cherry_pick',
      'POST /projects/:id/repository/commits/:sha/revert',
    ])
    expect(previewable).toHaveLength(63)
  })

  it.concurrent.each(independent.map((command) => [getCommandName(command), command] as const))(
    'of %s sends GETs only, asks nothing, and shows what would be',
    { timeout: 60_000 },
    async (name, command) => {
      const line = await findExample(command)
      const ran = await runExample(name, line, '--dry-run')
      expect(ran, line).toMatchObject({ code: 0 })
      expect(ran.stdout).toMatch(/^object([\t,])attribute\1now\1new\n\S/)
      const sent = seen.get(name.replaceAll(' ', '.')) ?? []
      expect(
        sent.filter((one) => !one.startsWith('GET ')),
        'a special must write through its actions alone, and never by itself',
      ).toEqual([])
      const read = await Promise.all(
        Object.values<Endpoint>(command.endpoints)
          .filter((endpoint) => getMethod(endpoint) !== 'GET')
          .map((endpoint) => findObjectReader(command.area, endpoint)),
      )
      if (read.some((one) => one !== undefined)) expect(sent.length).toBeGreaterThan(0)
      // The preview has the confirmation of a real run, and says if it cannot be undone.
      const [why] = getIrreversibleReasons(command)
      if (why === undefined) expect(ran.stderr).not.toMatch(/cannot be undone/)
      else expect(ran.stderr).toMatch(new RegExp(`[Tt]his cannot be undone: ${escapePattern(why)}`))
      const lost = Object.values(command.endpoints).flatMap(({ destructive }) => destructive ?? [])
      if (lost.length > 0) expect(lost.some((text) => ran.stderr.includes(text))).toBe(true)
    },
  )
})

describe('a command whose writes cannot be undone', () => {
  const lasting = commands.filter((command) => getIrreversibleReasons(command).length > 0)

  it('is one by what the catalogue says of its endpoints', () => {
    // These are 23 verbs, and every call with "api".
    expect(lasting).toHaveLength(24)
  })

  it.concurrent.each(lasting.map((command) => [getCommandName(command), command] as const))(
    'offers no --no-undo-record: %s',
    async (name) => {
      const { stdout, code } = await svcctl([...name.split(' '), '--help'])
      expect([code, stdout]).toEqual([0, expect.not.stringContaining('undo-record')])
    },
  )
})

describe('--curl', () => {
  it.concurrent.each(independent.map((command) => [getCommandName(command), command] as const))(
    'of %s prints its requests, and sends none',
    { timeout: 60_000 },
    async (name, command) => {
      const line = await findExample(command)
      const own = `${name} curl`
      const ran = await runExample(own, line, '--curl')
      expect(ran, line).toMatchObject({ code: 0 })
      expect(ran.stdout).toMatch(/^curl .*(?:POST|PUT|PATCH|DELETE)/m)
      expect(
        seen.get(own.replaceAll(' ', '.')) ?? [],
        'a special must ask through the instance service alone: with --curl that prints',
      ).toEqual([])
    },
  )

  it('is tried of every verb that a dry run is tried of', () => {
    expect(independent.length).toBeGreaterThan(50)
  })
})

describe('a journal', () => {
  const kept = independent.filter(canRecordJournal)
  it('is kept of every verb that writes', () => {
    expect(
      independent.filter((command) => !canRecordJournal(command)).map(getCommandName),
      'let the engine keep the journal: a command that writes has no "run" of its own',
    ).toEqual([])
  })

  it.each(kept.map((command) => [getCommandName(command), command] as const))(
    'has every write of %s, which nobody asked for it',
    { timeout: 60_000 },
    async (name, command) => {
      const own = `${name} sent`
      const config = createConfiguration()
      const ran = await runExample(own, await findExample(command), '--yes', config)
      const sent = (seen.get(own.replaceAll(' ', '.')) ?? []).filter((one) => !/^GET /.test(one))
      expect(sent.length, ran.stderr).toBeGreaterThan(0)
      const journals = join(config, 'state', 'runs')
      const [journal = '', ...others] = readdirSync(journals).filter((file) =>
        /\.ndjson$/.test(file),
      )
      expect(others).toEqual([])
      const begun = readJournalLines(join(journals, journal)).filter(
        (line) => 'n' in line && line.state === 'begun',
      )
      expect(begun, 'each write stands in the journal before it is sent').toHaveLength(sent.length)
    },
  )
})

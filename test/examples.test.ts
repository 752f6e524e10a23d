import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writes } from '../src/catalogue/endpoint.js'
import { loadAllCommands, loadExamples } from '../src/commands/index.js'
import { canRecordJournal, getCommandName } from '../src/engine/command/derive.js'
import type { Command } from '../src/engine/command/types.js'
import { type Sandbox, startSandbox } from '../src/sandbox/index.js'
import { header } from './engine/work/header.js'
import { clean, configuration, copyConfiguration, folder } from './support/program.js'
import { sampleFiles, sampleJournal, samplePlans } from './support/sample-files.js'
import { openScreen } from './support/screen.js'
import { absentIn, pathToLines, runLine } from './support/shell.js'
import { startLine, svcctl } from './support/within.js'

const commands = await loadAllCommands()
const token = 'sandbox-root-token'

const path = await pathToLines()

// An example writes the words of an instance, which must not be there.
const { 'words.yml': _, ...files } = sampleFiles

const workplace = (): string => {
  const cwd = folder()
  const part = sampleJournal(shared.url)
  const parts = { 'part-1.ndjson': part, 'part-2.ndjson': part }
  for (const [name, text] of Object.entries({ ...files, ...parts })) {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  return cwd
}

/** Examples of these areas are about the configuration, not the instance. */
const ofProfiles = new Set(['alias', 'auth', 'profile', 'audit', 'journal', 'extend'])

/** The instance of all lines that only read. */
let asked: Sandbox
let shared: Sandbox
let signedIn: string

/** The instance of those examples, and a configuration with the profiles that they name. */
beforeAll(async () => {
  asked = await startSandbox({ stateDir: folder() })
  shared = await startSandbox({ stateDir: folder() })
  signedIn = configuration()
  const run = (args: readonly string[]) =>
    svcctl(args, { env: { SVC_CONFIG_DIR: signedIn }, input: `${token}\n` })
  for (const name of ['default', 'staging'])
    await run(['auth', 'login', name, '--base-url', shared.url, '--token-stdin'])
  await run(['profile', 'set', 'default', '--audit-log', join(signedIn, 'audit.ndjson')])
  await run(['auth', 'switch', 'default'])
  for (const name of ['stuck', 'idle']) await run(['alias', 'set', name, 'jobs list'])
  writeFileSync(join(signedIn, 'daily.yml'), files['daily.yml'] ?? '')
  await run(['extend', 'add', join(signedIn, 'daily.yml')])
  const journals = join(signedIn, 'state', 'runs')
  mkdirSync(journals, { recursive: true })
  writeFileSync(join(journals, `1-${header.id}.ndjson`), sampleJournal(shared.url))
  samplePlans(signedIn, shared.url, new Date(), 'default')
  // The last write, which is undone.
  await run(['runners', 'pause', '7'])
})
afterAll(() => Promise.all([asked.close(), shared.close()]))

/** What the environment of a command holds beside the instance. */
const special: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'jobs current': { SVC_JOB_TOKEN: 'sandbox-job-token' },
  'jobs agents': { SVC_JOB_TOKEN: 'sandbox-job-token' },
  api: { SVC_PROJECT: 'platform/app' },
}

const environment = (area: string, name: string, url: string): Record<string, string> => ({
  ...clean(),
  // The completion is installed in the home folder.
  HOME: folder(),
  PATH: path,
  ...(ofProfiles.has(area)
    ? { SVC_CONFIG_DIR: copyConfiguration(signedIn) }
    : {
        SVC_CONFIG_DIR: configuration(),
        SVC_BASE_URL: url,
        SVC_TOKEN: token,
      }),
  ...special[name],
})

/** Addresses that stand for an instance. */
const elsewhere = /https:\/\/(svc|staging)\.example/

type Place = ReturnType<typeof placeOf>

/** Where an example is run, and as whom. */
const placeOf = (sandbox: Sandbox, area: string, name: string) => ({
  cwd: workplace(),
  env: environment(area, name, sandbox.url),
})

const run = (sandbox: Sandbox, how: Place, written: string) =>
  runLine(`svcctl ${written.replace(elsewhere, sandbox.url)}`, {
    ...how,
    shell: ['bash', '-o', 'pipefail'],
  })

/** Whether a line of a command writes by requests of its own, and only so. */
const writesBy = (command: Command, line: string): boolean =>
  canRecordJournal(command) &&
  Object.values(command.endpoints).length > 0 &&
  Object.values(command.endpoints).every((one) => writes(one) && one.ownDryRun !== true) &&
  !/--(?:curl|dry-run|journal|resume-after)\b/.test(line)

/** Whether a line leaves its instance as it is: that of a command that reads, and is piped into no other. */
const onlyReads = ({ endpoints }: Command, line: string): boolean => {
  const all = Object.values(endpoints)
  return all.length > 0 && !all.some(writes) && !/\bsvcctl\b/.test(line)
}

/** What a write leaves behind: its journal, by which it is undone, or why it cannot be. */
const kept = async ({ env, cwd }: Place) => {
  const folder = join(env.SVC_CONFIG_DIR ?? '', 'state', 'runs')
  const journals = existsSync(folder) ? readdirSync(folder).filter((n) => /\.ndjson$/.test(n)) : []
  const { code, stderr } = await svcctl(['journal', 'undo', 'last', '--yes'], { env, cwd })
  // A certificate goes with its key, and that is not kept.
  const partly =
    code === 1 && stderr.startsWith('skipped, because the journal has no previous values: key')
  const undone = code === 0 || partly || (code === 2 && /cannot be undone: [a-z]/.test(stderr))
  return { journals: journals.length, ...(undone ? {} : { undo: stderr }) }
}

const outcome = async (sandbox: Sandbox, command: Command, line: string) => {
  const place = placeOf(sandbox, command.area, getCommandName(command))
  const { code, stderr } = await run(sandbox, place, line)
  if (code === 0 && writesBy(command, line)) {
    written += 1
    expect({ line, ...(await kept(place)) }).toEqual({ line, journals: 1 })
  }
  // The embedded instance takes what is documented, and shows every column.
  const taken = !/did not take|nothing shows that|no record has the field|unknown field/.test(
    stderr,
  )
  return { line, code, taken, ...(code === 0 && taken ? {} : { stderr }) }
}

const alone = async <T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> => {
  const sandbox = await startSandbox({ stateDir: folder(), speed: Number.POSITIVE_INFINITY })
  try {
    return await work(sandbox)
  } finally {
    await sandbox.close()
  }
}

/** Those that go on until they are interrupted, and those that ask: run below. */
const endless = /^sandbox serve/
const asking = /^auth login --base-url \S+$/

/** How many examples wrote. */
let written = 0
afterAll(() => expect(written).toBeGreaterThan(40))

describe.concurrent('examples of', () => {
  it.for(commands.map((command) => [getCommandName(command), command] as const))(
    '%s',
    async ([, command], { skip }) => {
      const absent = new Set<string>()
      for (const line of await loadExamples(command)) {
        if (endless.test(line) || asking.test(line)) continue
        const lacking = absentIn(line)
        for (const program of lacking) absent.add(program)
        if (lacking.length > 0) continue
        const there = ofProfiles.has(command.area)
          ? shared
          : onlyReads(command, line)
            ? asked
            : undefined
        const ran = await (there === undefined
          ? alone((sandbox) => outcome(sandbox, command, line))
          : outcome(there, command, line))
        // Saying what is wrong is what a check is for.
        if (command.area === 'check') expect(ran.code, line).toBeLessThan(3)
        else expect(ran).toEqual({ line, code: 0, taken: true })
      }
      // After the lines that can be run.
      skip(absent.size > 0, `not installed: ${[...absent]}`)
    },
  )
})

describe('examples that', () => {
  it('serve go on, with an address that answers', async () => {
    const serve = commands.find((c) => getCommandName(c) === 'sandbox serve')
    for (const line of serve === undefined ? [] : await loadExamples(serve)) {
      const args = line.replace(/--port \d+/, '--port 0').split(' ')
      const running = startLine(args, { cwd: workplace() })
      const [address] = (await running.said('\n')).split('\n')
      expect((await fetch(`${address}/api/v4/projects`)).status).toBe(200)
      running.kill('SIGINT')
      expect((await running.ended).stderr).not.toContain('svcctl:')
    }
  })

  it('ask are answered at a terminal', async () => {
    await alone(async (sandbox) => {
      const terminal = openScreen([`auth login --base-url ${sandbox.url}`], {
        env: { SVC_NO_KEYRING: '1' },
      })
      try {
        await terminal.until(/Token for/)
        terminal.type(token)
        terminal.press('Enter')
        expect(await terminal.until(/exit \d/)).toMatch(/signed in to .* as root[\s\S]*exit 0/)
      } finally {
        await terminal.close()
      }
    })
  })
})

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writes } from '../src/catalogue/endpoint.js'
import { loadAllCommands, loadExamples } from '../src/commands/index.js'
import { canRecordJournal, getCommandName } from '../src/engine/command/derive.js'
import type { Command } from '../src/engine/command/types.js'
import { type Sandbox, startSandbox } from '../src/sandbox/index.js'
import { header } from './engine/work/header.js'
import {
  copyConfiguration,
  createConfiguration,
  createFolder,
  getCleanEnv,
} from './support/program.js'
import { buildSampleJournal, sampleFiles, writeSamplePlans } from './support/sample-files.js'
import { openScreen } from './support/screen.js'
import { createLinePath, findMissingPrograms, runLine } from './support/shell.js'
import { startLine, svcctl } from './support/within.js'

const commands = await loadAllCommands()
const token = 'sandbox-root-token'

const path = await createLinePath()

// One example writes this vocabulary file, so it must not exist before.
const { 'words.yml': _, ...files } = sampleFiles

const createWorkFolder = (): string => {
  const cwd = createFolder()
  const part = buildSampleJournal(sharedSandbox.url)
  const parts = { 'part-1.ndjson': part, 'part-2.ndjson': part }
  for (const [name, text] of Object.entries({ ...files, ...parts })) {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  return cwd
}

/** Examples of these areas are about the configuration, not the instance. */
const profileAreas = new Set(['alias', 'auth', 'profile', 'audit', 'journal', 'extend'])

/** The instance that serves all lines that only read. */
let readSandbox: Sandbox
let sharedSandbox: Sandbox
let signedInConfig: string

/** Starts the shared instances, and creates a configuration with the profiles that these examples name. */
beforeAll(async () => {
  readSandbox = await startSandbox({ stateDir: createFolder() })
  sharedSandbox = await startSandbox({ stateDir: createFolder() })
  signedInConfig = createConfiguration()
  const run = (args: readonly string[]) =>
    svcctl(args, { env: { SVC_CONFIG_DIR: signedInConfig }, input: `${token}\n` })
  for (const name of ['default', 'staging'])
    await run(['auth', 'login', name, '--base-url', sharedSandbox.url, '--token-stdin'])
  await run(['profile', 'set', 'default', '--audit-log', join(signedInConfig, 'audit.ndjson')])
  await run(['auth', 'switch', 'default'])
  for (const name of ['stuck', 'idle']) await run(['alias', 'set', name, 'jobs list'])
  writeFileSync(join(signedInConfig, 'daily.yml'), files['daily.yml'] ?? '')
  await run(['extend', 'add', join(signedInConfig, 'daily.yml')])
  const journals = join(signedInConfig, 'state', 'runs')
  mkdirSync(journals, { recursive: true })
  writeFileSync(join(journals, `1-${header.id}.ndjson`), buildSampleJournal(sharedSandbox.url))
  writeSamplePlans(signedInConfig, sharedSandbox.url, new Date(), 'default')
  // The last write, which an example undoes.
  await run(['runners', 'pause', '7'])
})
afterAll(() => Promise.all([readSandbox.close(), sharedSandbox.close()]))

/** Further variables of single commands. */
const extraVariables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'jobs current': { SVC_JOB_TOKEN: 'sandbox-job-token' },
  'jobs agents': { SVC_JOB_TOKEN: 'sandbox-job-token' },
  api: { SVC_PROJECT: 'platform/app' },
}

const createEnv = (area: string, name: string, url: string): Record<string, string> => ({
  ...getCleanEnv(),
  // Completions are installed in the home folder.
  HOME: createFolder(),
  PATH: path,
  ...(profileAreas.has(area)
    ? { SVC_CONFIG_DIR: copyConfiguration(signedInConfig) }
    : {
        SVC_CONFIG_DIR: createConfiguration(),
        SVC_BASE_URL: url,
        SVC_TOKEN: token,
      }),
  ...extraVariables[name],
})

/** Addresses that examples show as that of an instance. */
const instanceAddress = /https:\/\/(svc|staging)\.example/

type Place = ReturnType<typeof createPlace>

/** Creates the folder and the variables of an example. */
const createPlace = (sandbox: Sandbox, area: string, name: string) => ({
  cwd: createWorkFolder(),
  env: createEnv(area, name, sandbox.url),
})

const run = (sandbox: Sandbox, how: Place, written: string) =>
  runLine(`svcctl ${written.replace(instanceAddress, sandbox.url)}`, {
    ...how,
    shell: ['bash', '-o', 'pipefail'],
  })

/** True if all writes of a line are requests of the command itself, which its journal records. */
const isJournaledWrite = (command: Command, line: string): boolean =>
  canRecordJournal(command) &&
  Object.values(command.endpoints).length > 0 &&
  Object.values(command.endpoints).every((one) => writes(one) && one.ownDryRun !== true) &&
  !/--(?:curl|dry-run|journal|resume-after)\b/.test(line)

/** True if a line leaves its instance unchanged: its command only reads, and the line runs no other command. */
const isReadOnly = ({ endpoints }: Command, line: string): boolean => {
  const all = Object.values(endpoints)
  return all.length > 0 && !all.some(writes) && !/\bsvcctl\b/.test(line)
}

/** Undoes the last run. Returns the number of journals, and the error if the run should have been undoable. */
const checkUndo = async ({ env, cwd }: Place) => {
  const folder = join(env.SVC_CONFIG_DIR ?? '', 'state', 'runs')
  const journals = existsSync(folder) ? readdirSync(folder).filter((n) => /\.ndjson$/.test(n)) : []
  const { code, stderr } = await svcctl(['journal', 'undo', 'last', '--yes'], { env, cwd })
  // A certificate is removed together with its key, which is not recorded.
  const partly =
    code === 1 && stderr.startsWith('skipped, because the journal has no previous values: key')
  const undone = code === 0 || partly || (code === 2 && /cannot be undone: [a-z]/.test(stderr))
  return { journals: journals.length, ...(undone ? {} : { undo: stderr }) }
}

const runExample = async (sandbox: Sandbox, command: Command, line: string) => {
  const place = createPlace(sandbox, command.area, getCommandName(command))
  const { code, stderr } = await run(sandbox, place, line)
  if (code === 0 && isJournaledWrite(command, line)) {
    writeCount += 1
    expect({ line, ...(await checkUndo(place)) }).toEqual({ line, journals: 1 })
  }
  // The embedded instance accepts all documented attributes and returns every column.
  const taken = !/did not take|nothing shows that|no record has the field|unknown field/.test(
    stderr,
  )
  return { line, code, taken, ...(code === 0 && taken ? {} : { stderr }) }
}

const withOwnSandbox = async <T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> => {
  const sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  try {
    return await work(sandbox)
  } finally {
    await sandbox.close()
  }
}

/** Lines that run until they are interrupted, and lines that prompt; tests below run them. */
const endlessLine = /^sandbox serve/
const promptingLine = /^auth login --base-url \S+$/

/** The number of examples that wrote. */
let writeCount = 0
afterAll(() => expect(writeCount).toBeGreaterThan(40))

describe.concurrent('examples of', () => {
  it.for(commands.map((command) => [getCommandName(command), command] as const))(
    '%s',
    async ([, command], { skip }) => {
      const absent = new Set<string>()
      for (const line of await loadExamples(command)) {
        if (endlessLine.test(line) || promptingLine.test(line)) continue
        const lacking = findMissingPrograms(line)
        for (const program of lacking) absent.add(program)
        if (lacking.length > 0) continue
        const there = profileAreas.has(command.area)
          ? sharedSandbox
          : isReadOnly(command, line)
            ? readSandbox
            : undefined
        const ran = await (there === undefined
          ? withOwnSandbox((sandbox) => runExample(sandbox, command, line))
          : runExample(there, command, line))
        // A check reports problems by its exit code.
        if (command.area === 'check') expect(ran.code, line).toBeLessThan(3)
        else expect(ran).toEqual({ line, code: 0, taken: true })
      }
      // Skips only after the lines that can run.
      skip(absent.size > 0, `not installed: ${[...absent]}`)
    },
  )
})

describe('examples that', () => {
  it('serve go on, with an address that answers', async () => {
    const serve = commands.find((c) => getCommandName(c) === 'sandbox serve')
    for (const line of serve === undefined ? [] : await loadExamples(serve)) {
      const args = line.replace(/--port \d+/, '--port 0').split(' ')
      const running = startLine(args, { cwd: createWorkFolder() })
      const [address] = (await running.said('\n')).split('\n')
      expect((await fetch(`${address}/api/v4/projects`)).status).toBe(200)
      running.kill('SIGINT')
      expect((await running.ended).stderr).not.toContain('svcctl:')
    }
  })

  it('ask are answered at a terminal', async () => {
    await withOwnSandbox(async (sandbox) => {
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

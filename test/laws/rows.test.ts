/** Laws of an answer as rows, seen from outside: a reader may leave at any time, and one of several is what it is alone. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import {
  canListRecords,
  getCommandName,
  hasEndpoints,
  hasScopeEndpoint,
} from '../../src/engine/command/derive.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { configuration, folder } from '../support/program.js'
import { sampleFiles } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'

const commands = await loadAllCommands()

let sandbox: Sandbox
beforeAll(async () => {
  const now = new Date('2026-11-01T12:00:00Z')
  sandbox = await startSandbox({ stateDir: folder(), now: () => now })
})
afterAll(() => sandbox.close())

const environment = () => ({
  SVC_BASE_URL: sandbox.url,
  SVC_TOKEN: 'sandbox-root-token',
  SVC_CONFIG_DIR: configuration(),
})

/** Creates a standard output whose reader leaves after it has taken so many chunks. */
const createLeavingReader = (chunks: number) => {
  let left = chunks
  const stdout = new Writable({
    write: (_chunk, _encoding, done) =>
      done(left-- > 0 ? null : Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  })
  return Object.assign(stdout, { isTTY: false })
}

const writeSamples = (cwd: string): void => {
  for (const [name, text] of Object.entries(sampleFiles)) {
    mkdirSync(join(cwd, name, '..'), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
}

/** How many lines left a run. */
let written = 0

/** Lists the runs that a line has left in its configuration. */
const listRuns = async (
  env: ReturnType<typeof environment>,
): Promise<readonly { end?: string | null }[]> => {
  if (!existsSync(join(env.SVC_CONFIG_DIR, 'state', 'runs'))) return []
  written += 1
  return JSON.parse((await svcctl(['journal', 'list', '-o', 'json'], { env })).stdout)
}

/** Examples that a shell has to read, that ask, or that go on until they are interrupted. */
const isPlain = (line: string): boolean => !/[|<>]|\bsandbox serve\b|--watch\b|--wait/.test(line)

const examples = (
  await Promise.all(
    commands.map(async (command) => {
      const all = hasEndpoints(command) ? await loadExamples(command) : []
      return all.filter(isPlain).map((line) => [line] as const)
    }),
  )
).flat()

describe('a reader that leaves', () => {
  it('is tried with an example of most commands', () => {
    expect(examples.length).toBeGreaterThan(200)
  })

  it.concurrent.each(examples)('leaves nothing unfinished behind: %s', async (line) => {
    for (const chunks of [0, 1]) {
      const env = environment()
      const cwd = folder()
      writeSamples(cwd)
      const io = { stdout: createLeavingReader(chunks) }
      const words = splitCommand(`${line} --concurrency 2`)
      const { code, stderr } = await svcctl(words, { env, cwd, io })
      // It ends well, or as it would have ended for a reader that stayed.
      expect([code, stderr], line).not.toEqual([9, expect.anything()])
      expect((await listRuns(env)).filter(({ end }) => typeof end !== 'string')).toEqual([])
      const left = readdirSync(cwd).filter((name) => name.startsWith('.') && !(name in sampleFiles))
      expect(left, 'files that were begun').toEqual([])
    }
  })

  it('was tried with many lines that leave a run', () => {
    expect(written).toBeGreaterThan(100)
  })
})

/** What a list answers, as records with what they belong to. */
const readRecords = async (line: string): Promise<readonly Record<string, unknown>[]> => {
  const { code, stdout, stderr } = await svcctl(splitCommand(line), { env: environmentOfProfiles })
  expect([code, stderr], line).toEqual([0, expect.anything()])
  return stdout
    .trimEnd()
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text))
}

let environmentOfProfiles: Record<string, string> = {}
beforeAll(async () => {
  environmentOfProfiles = { SVC_CONFIG_DIR: configuration() }
  for (const name of ['one', 'two'])
    await svcctl(['auth', 'login', name, '--base-url', sandbox.url, '--token-stdin'], {
      env: environmentOfProfiles,
      input: 'sandbox-root-token\n',
    })
})

/** Lists that need nothing but a project. */
const ofProjects = commands
  .filter(
    (command) =>
      hasEndpoints(command) && canListRecords(command) && hasScopeEndpoint(command, 'project'),
  )
  .filter(
    ({ args, flags }) =>
      args.length === 0 && !flags.some((flag) => flag.required && flag.name !== 'project'),
  )
  .map((command) => [getCommandName(command)] as const)

describe('a list', () => {
  it('is tried for most areas', () => {
    expect(ofProjects.length).toBeGreaterThan(10)
  })

  it.concurrent.each(ofProjects)(
    '%s is among those of several projects what it is alone',
    async (name) => {
      const line = `${name} -p one --limit all -o ndjson`
      const alone = await readRecords(`${line} -P platform/app`)
      const among = await readRecords(`${line} -P web/site,platform/app`)
      expect(
        among.filter(({ project }) => project === 'platform/app').map(({ record }) => record),
      ).toEqual(alone)
    },
  )

  it.concurrent.each(ofProjects)(
    '%s is among those of several instances what it is alone',
    async (name) => {
      const line = `${name} -P platform/app --limit all -o ndjson`
      const alone = await readRecords(`${line} -p one`)
      const among = await readRecords(`${line} -p one,two`)
      expect(among.filter(({ profile }) => profile === 'one').map(({ record }) => record)).toEqual(
        alone,
      )
    },
  )
})

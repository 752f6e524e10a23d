/**
 * Laws of answers as rows, seen from outside: a reader may leave at any time, and a list of one project among several equals the list
 * of that project alone.
 */
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
import { createConfiguration, createFolder } from '../support/program.js'
import { sampleFiles } from '../support/sample-files.js'
import { svcctl } from '../support/within.js'

const commands = await loadAllCommands()

let sandbox: Sandbox
beforeAll(async () => {
  const now = new Date('2026-11-01T12:00:00Z')
  sandbox = await startSandbox({ stateDir: createFolder(), now: () => now })
})
afterAll(() => sandbox.close())

const createEnv = () => ({
  SVC_BASE_URL: sandbox.url,
  SVC_TOKEN: 'sandbox-root-token',
  SVC_CONFIG_DIR: createConfiguration(),
})

/** Creates a standard output whose reader leaves after some chunks. */
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

/** Number of lines that left a run. */
let written = 0

/** Lists the runs that a line has left in its configuration. */
const listRuns = async (
  env: ReturnType<typeof createEnv>,
): Promise<readonly { end?: string | null }[]> => {
  if (!existsSync(join(env.SVC_CONFIG_DIR, 'state', 'runs'))) return []
  written += 1
  return JSON.parse((await svcctl(['journal', 'list', '-o', 'json'], { env })).stdout)
}

/** True for examples without a shell, a question, or an endless command. */
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
      const env = createEnv()
      const cwd = createFolder()
      writeSamples(cwd)
      const io = { stdout: createLeavingReader(chunks) }
      const words = splitCommand(`${line} --concurrency 2`)
      const { code, stderr } = await svcctl(words, { env, cwd, io })
      // The exit code is the same as with a reader that stays, or it says that the reader left.
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

/** Reads the records of a list, each with its project or profile. */
const readRecords = async (line: string): Promise<readonly Record<string, unknown>[]> => {
  const { code, stdout, stderr } = await svcctl(splitCommand(line), { env: profileEnv })
  expect([code, stderr], line).toEqual([0, expect.anything()])
  return stdout
    .trimEnd()
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text))
}

let profileEnv: Record<string, string> = {}
beforeAll(async () => {
  profileEnv = { SVC_CONFIG_DIR: createConfiguration() }
  for (const name of ['one', 'two'])
    await svcctl(['auth', 'login', name, '--base-url', sandbox.url, '--token-stdin'], {
      env: profileEnv,
      input: 'sandbox-root-token\n',
    })
})

/** Lists that need only a project. */
const projectLists = commands
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
    expect(projectLists.length).toBeGreaterThan(10)
  })

  it.concurrent.each(projectLists)(
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

  it.concurrent.each(projectLists)(
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

/** Tests that a test run leaves nothing, however it ended. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { execa } from 'execa'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { createFolder } from './program.js'
import { chooseFolder, enterRun, openRun } from './run.js'

interface RunInfo {
  readonly folder: string
  readonly reaper: number
  readonly started: number
}

/** Starts a run in a folder. Returns what it reports about itself, and its further lines. */
const startRun = async (parent: string, ending: string) => {
  const args = ['.config/run-ts.mjs', 'test/support/aborted.ts', parent, ending]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const told: RunInfo = JSON.parse((await lines.next()).value ?? '')
  return { child, told, lines }
}

/** A process that has ended but whose parent has not waited for it counts as gone. */
const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}/exe`)

const waitUntil = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await wait(20)
}

// Processes are found in /proc; elsewhere only folders are removed.
const onLinux = it.skipIf(!existsSync('/proc/self/environ'))

it('keeps what a test file writes in the folder of the run', () => {
  expect(tmpdir().startsWith(`${inject('run')}/`)).toBe(true)
  expect(createFolder().startsWith(`${tmpdir()}/`)).toBe(true)
})

it('draws the same values for the same seed, in every property test', () => {
  const drawn = (seed?: number) => fc.sample(fc.nat(), { numRuns: 9, ...(seed && { seed }) })
  expect(drawn()).toEqual(drawn(inject('seed')))
  expect(drawn()).not.toEqual(drawn(inject('seed') + 1))
})

it('starts no bash that reads what somebody has for theirs', async () => {
  const home = createFolder()
  writeFileSync(join(home, '.bashrc'), 'echo read')
  // As if no shell had started the run.
  delete process.env.SHLVL
  enterRun(inject('run'), tmpdir())
  const { stdout } = await execa('bash', ['-c', 'echo ran'], { env: { HOME: home } })
  expect(stdout).toBe('ran')
})

it('is where somebody wants it, and where others write if there is no memory for it', () => {
  expect(chooseFolder({ TMPDIR: tmpdir() }, '/')).toBe(tmpdir())
  expect(chooseFolder({}, join(createFolder(), 'missing'))).toBe(tmpdir())
})

onLinux.each(['SIGKILL', 'SIGINT'] as const)(
  'ends with all that it started at %s',
  async (signal) => {
    const parent = createFolder()
    const { child, told } = await startRun(parent, 'never')
    expect(isRunning(told.started)).toBe(true)
    child.kill(signal)
    await waitUntil(() => !isRunning(told.reaper))
    expect(readdirSync(parent)).toEqual([])
    expect(isRunning(told.started)).toBe(false)
  },
)

onLinux('is swept by the next one when its reaper was killed, too', async () => {
  const parent = createFolder()
  const { child, told } = await startRun(parent, 'never')
  process.kill(told.reaper, 'SIGKILL')
  child.kill('SIGKILL')
  await waitUntil(() => !isRunning(told.reaper) && child.signalCode !== null)
  // Runs whose processes are alive stay, and so do folders that belong to no run.
  mkdirSync(join(parent, `svcctl-tests-${process.pid}-other1`))
  mkdirSync(join(parent, 'svcctl-tests-of-mine'))
  const next = openRun(parent)
  await next.close()
  expect(readdirSync(parent).sort()).toEqual([
    `svcctl-tests-${process.pid}-other1`,
    'svcctl-tests-of-mine',
  ])
  expect(isRunning(told.started)).toBe(false)
})

onLinux('fails with the processes that tests left', async () => {
  const parent = createFolder()
  const { told, lines } = await startRun(parent, 'own')
  expect((await lines.next()).value).toContain('tests left processes')
  expect((await lines.next()).value).toBe(`${told.started} sleep 600`)
  expect(isRunning(told.started)).toBe(false)
  expect(readdirSync(parent)).toEqual([])
})

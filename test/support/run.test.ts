/** What a test run leaves: nothing, however it ended. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { execa } from 'execa'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { folder } from './program.js'
import { enter, ground, openRun } from './run.js'

interface Told {
  readonly folder: string
  readonly reaper: number
  readonly started: number
}

/** Starts a run in a folder; gives what it tells of itself, and its further lines. */
const start = async (parent: string, ending: string) => {
  const args = ['.config/run-ts.mjs', 'test/support/aborted.ts', parent, ending]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const told: Told = JSON.parse((await lines.next()).value ?? '')
  return { child, told, lines }
}

/** A process that has ended and that its parent has not yet asked about counts as gone. */
const isThere = (pid: number): boolean => existsSync(`/proc/${pid}/exe`)

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await wait(20)
}

// What runs is found in /proc; elsewhere only the folders go.
const onLinux = it.skipIf(!existsSync('/proc/self/environ'))

it('keeps what a test file writes in the folder of the run', () => {
  expect(tmpdir().startsWith(`${inject('run')}/`)).toBe(true)
  expect(folder().startsWith(`${tmpdir()}/`)).toBe(true)
})

it('draws the same values for the same seed, in every property test', () => {
  const drawn = (seed?: number) => fc.sample(fc.nat(), { numRuns: 9, ...(seed && { seed }) })
  expect(drawn()).toEqual(drawn(inject('seed')))
  expect(drawn()).not.toEqual(drawn(inject('seed') + 1))
})

it('starts no bash that reads what somebody has for theirs', async () => {
  const home = folder()
  writeFileSync(join(home, '.bashrc'), 'echo read')
  // As where no shell started the run.
  delete process.env.SHLVL
  enter(inject('run'), tmpdir())
  const { stdout } = await execa('bash', ['-c', 'echo ran'], { env: { HOME: home } })
  expect(stdout).toBe('ran')
})

it('is where somebody wants it, and where others write if there is no memory for it', () => {
  expect(ground({ TMPDIR: tmpdir() }, '/')).toBe(tmpdir())
  expect(ground({}, join(folder(), 'missing'))).toBe(tmpdir())
})

onLinux.each(['SIGKILL', 'SIGINT'] as const)(
  'ends with all that it started at %s',
  async (signal) => {
    const parent = folder()
    const { child, told } = await start(parent, 'never')
    expect(isThere(told.started)).toBe(true)
    child.kill(signal)
    await until(() => !isThere(told.reaper))
    expect(readdirSync(parent)).toEqual([])
    expect(isThere(told.started)).toBe(false)
  },
)

onLinux('is swept by the next one when its reaper was killed, too', async () => {
  const parent = folder()
  const { child, told } = await start(parent, 'never')
  process.kill(told.reaper, 'SIGKILL')
  child.kill('SIGKILL')
  await until(() => !isThere(told.reaper) && child.signalCode !== null)
  // Those of processes that run stay, and what is not a run's.
  mkdirSync(join(parent, `svcctl-tests-${process.pid}-other1`))
  mkdirSync(join(parent, 'svcctl-tests-of-mine'))
  const next = openRun(parent)
  await next.close()
  expect(readdirSync(parent).sort()).toEqual([
    `svcctl-tests-${process.pid}-other1`,
    'svcctl-tests-of-mine',
  ])
  expect(isThere(told.started)).toBe(false)
})

onLinux('fails with the processes that tests left', async () => {
  const parent = folder()
  const { told, lines } = await start(parent, 'own')
  expect((await lines.next()).value).toContain('tests left processes')
  expect((await lines.next()).value).toBe(`${told.started} sleep 600`)
  expect(isThere(told.started)).toBe(false)
  expect(readdirSync(parent)).toEqual([])
})

/**
 * Before each test file: a temporary folder of its own, which goes when the file's tests have ended, and the seed of the run for
 * property tests.
 * A process runs many files one after the other with the same modules: what a line remembers is in its `Io`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
// It listens to signals from when it is loaded, once in a process: before the first file looks who does.
import 'conf'
import { configureGlobal } from 'fast-check'
import { afterAll, aroundEach, expect, inject, vi } from 'vitest'
import { processIo, runWithIo } from '../../src/base/io.js'
import { enter } from './run.js'

configureGlobal({
  seed: inject('seed'),
  // The seed of every day draws the same cases each time: more of them find no more. One that was chosen looks further.
  numRuns: process.env.SVCCTL_TEST_SEED === undefined ? 40 : 100,
  // What is still being looked for then is said as far as it was found: a test that times out says nothing.
  interruptAfterTimeLimit: 25_000,
})

/** What Node warns of while a test runs: listeners that pile up, promises that nobody waits for, what is deprecated. */
const warnings: string[] = []
const hearWarning = ({ name, message, stack }: Error): void => {
  warnings.push(`${name}: ${message}\n${stack ?? ''}`)
}
process.on('warning', hearWarning)

// What a test has sent as a secret is not looked for in the next one.
aroundEach(async (test) => {
  await runWithIo(Object.create(processIo), test)
  // Node gives a warning in the tick after the one that it is about.
  if (warnings.length === 0) await setImmediate()
  expect(warnings.splice(0), 'warnings of Node during the test').toEqual([])
})

const run = inject('run')
const folder = mkdtempSync(join(run, 'file-'))
enter(run, folder)

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGCONT', 'SIGWINCH'] as const

/** What a file could leave to the next one. */
const standing = () => ({
  cwd: process.cwd(),
  exitCode: process.exitCode,
  listeners: signals.map((signal) => [signal, process.listenerCount(signal)]),
  fakeTimers: vi.isFakeTimers(),
})
const found = standing()
const variables = { ...process.env }
/** By name: a value may be somebody's secret. */
const changed = (): readonly string[] =>
  Object.keys({ ...variables, ...process.env }).filter(
    (name) => process.env[name] !== variables[name],
  )

// Hooks end in reverse order: this one comes after those of the file, which end its servers.
afterAll(() => {
  process.off('warning', hearWarning)
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // A folder that was made unreadable goes with the run's.
  }
  expect({ ...standing(), variables: changed() }, 'the process as the file found it').toEqual({
    ...found,
    variables: [],
  })
  expect(warnings, 'warnings of Node outside of the tests').toEqual([])
})

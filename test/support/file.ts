/**
 * Prepares each test file: creates a temporary folder, which is removed after the tests of the file, and sets the seed for property
 * tests.
 * A process runs many files one after the other with the same modules; the state of a line is in its `Io`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
// Loading `conf` adds signal listeners, once in a process. It is imported here so that the first file counts them, too.
import 'conf'
import { configureGlobal } from 'fast-check'
import { afterAll, aroundEach, expect, inject, vi } from 'vitest'
import { processIo, runWithIo } from '../../src/base/io.js'
import { enterRun } from './run.js'

configureGlobal({
  seed: inject('seed'),
  // The default seed draws the same cases each time, so that more of them find nothing new. A chosen seed tries more.
  numRuns: process.env.SVCCTL_TEST_SEED === undefined ? 40 : 100,
  // A property that is still running after this time reports what it has found. A test that times out reports nothing.
  interruptAfterTimeLimit: 25_000,
})

/** Collects the warnings of Node during a test: too many listeners, unhandled promises, deprecations. */
const warnings: string[] = []
const collectWarning = ({ name, message, stack }: Error): void => {
  warnings.push(`${name}: ${message}\n${stack ?? ''}`)
}
process.on('warning', collectWarning)

// Each test has an Io of its own, so that the secrets of one test are not searched for in the next.
aroundEach(async (test) => {
  await runWithIo(Object.create(processIo), test)
  // Node emits a warning in the tick after its cause.
  if (warnings.length === 0) await setImmediate()
  expect(warnings.splice(0), 'warnings of Node during the test').toEqual([])
})

const run = inject('run')
const folder = mkdtempSync(join(run, 'file-'))
enterRun(run, folder)

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGCONT', 'SIGWINCH'] as const

/** Returns the state of the process that a test file could change for the next one. */
const getProcessState = () => ({
  cwd: process.cwd(),
  exitCode: process.exitCode,
  listeners: signals.map((signal) => [signal, process.listenerCount(signal)]),
  fakeTimers: vi.isFakeTimers(),
})
const initialState = getProcessState()
const variables = { ...process.env }
/** Returns names only: a value may be a real secret. */
const listChangedVariables = (): readonly string[] =>
  Object.keys({ ...variables, ...process.env }).filter(
    (name) => process.env[name] !== variables[name],
  )

// Hooks run in reverse order: this one runs after those of the file, which stop its servers.
afterAll(() => {
  process.off('warning', collectWarning)
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // The run removes a folder that was made unreadable.
  }
  expect(
    { ...getProcessState(), variables: listChangedVariables() },
    'the process as the file found it',
  ).toEqual({
    ...initialState,
    variables: [],
  })
  expect(warnings, 'warnings of Node outside of the tests').toEqual([])
})

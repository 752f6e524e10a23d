/**
 * Provides one embedded instance for the tests of a file. It is reset before each test, which gets a folder and a configuration of
 * its own.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../src/library/sandbox.js'
import { createConfiguration, createFolder } from './program.js'

interface TestPlace {
  readonly sandbox: RunningSandbox
  readonly config: string
  readonly cwd: string
}

/** Starts the instance before the tests of the file. @returns a function that gives the instance and folders of the running test */
export const useSandbox = (): (() => TestPlace) => {
  let sandbox: RunningSandbox
  let place: TestPlace
  beforeAll(async () => {
    sandbox = await startSandbox()
  })
  afterAll(() => sandbox.close())
  beforeEach(async () => {
    await sandbox.reset()
    place = { sandbox, config: createConfiguration(), cwd: createFolder() }
  })
  return () => place
}

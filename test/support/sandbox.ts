/** One embedded instance for the tests of a file: fresh for each test, which has a folder and a configuration of its own. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../src/library/sandbox.js'
import { configuration, folder } from './program.js'

interface TestPlace {
  readonly sandbox: RunningSandbox
  readonly config: string
  readonly cwd: string
}

/** Starts the instance before the tests of the file. @returns what gives the place of the running test */
export const usingSandbox = (): (() => TestPlace) => {
  let sandbox: RunningSandbox
  let place: TestPlace
  beforeAll(async () => {
    sandbox = await startSandbox()
  })
  afterAll(() => sandbox.close())
  beforeEach(async () => {
    await sandbox.reset()
    place = { sandbox, config: configuration(), cwd: folder() }
  })
  return () => place
}

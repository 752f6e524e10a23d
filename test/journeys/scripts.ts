/** Real shell scripts against a running instance, as a script author would write them. */
import { join } from 'node:path'
import { execa } from 'execa'
import { startSandbox } from '../../src/sandbox/index.js'
import { configuration, folder } from '../support/program.js'
import { pathToLines } from '../support/shell.js'

/** Runs a script of this folder against an instance of its own, where time goes a hundred times faster. */
export const runScript = async (name: string) => {
  const sandbox = await startSandbox({ stateDir: folder(), speed: 100 })
  try {
    return await execa('bash', [join(import.meta.dirname, name)], {
      cwd: folder(),
      env: {
        PATH: await pathToLines(),
        SVC_BASE_URL: sandbox.url,
        SVC_TOKEN: 'sandbox-root-token',
        SVC_CONFIG_DIR: configuration(),
      },
      reject: false,
      all: true,
    })
  } finally {
    await sandbox.close()
  }
}

/** Runs shell scripts against a running instance, as a script author would write them. */
import { join } from 'node:path'
import { execa } from 'execa'
import { startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { createLinePath } from '../support/shell.js'

/** Runs a script of this folder against a new instance whose time goes a hundred times faster. */
export const runScript = async (name: string) => {
  const sandbox = await startSandbox({ stateDir: createFolder(), speed: 100 })
  try {
    return await execa('bash', [join(import.meta.dirname, name)], {
      cwd: createFolder(),
      env: {
        PATH: await createLinePath(),
        SVC_BASE_URL: sandbox.url,
        SVC_TOKEN: 'sandbox-root-token',
        SVC_CONFIG_DIR: createConfiguration(),
      },
      reject: false,
      all: true,
    })
  } finally {
    await sandbox.close()
  }
}

/** Real shell scripts against a running instance, as a script author would write them. */
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { configuration, folder, program } from '../support/program.js'
import { pathToProgram } from '../support/shell.js'

/** Runs a script of this folder against an instance of its own, where time goes a hundred times faster. */
export const runScript = async (name: string) => {
  const args = ['sandbox', 'serve', '--state-dir', folder(), '--speed', '100', '-o', 'ndjson']
  const server = execa(process.execPath, [program, ...args], {
    env: { SVC_CONFIG_DIR: configuration() },
    buffer: false,
    reject: false,
  })
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line')
    return await execa('bash', [join(import.meta.dirname, name)], {
      cwd: folder(),
      env: {
        PATH: pathToProgram(),
        SVC_BASE_URL: JSON.parse(String(line)).url,
        SVC_TOKEN: 'sandbox-root-token',
        SVC_CONFIG_DIR: configuration(),
      },
      reject: false,
      all: true,
    })
  } finally {
    server.kill('SIGTERM')
    await server
  }
}

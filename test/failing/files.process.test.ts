/** A process that may write no larger file, by the limit of its shell. */
import { readdirSync } from 'node:fs'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { clean, configuration, folder, program } from '../support/program.js'
import { recording } from '../support/recorder.js'

const server = recording()

it('ends a download in words where no larger file may be written', async () => {
  // What ends as an archive does, of 1 MiB.
  const body = `PK\x03\x04${'a'.repeat((1 << 20) - 4)}PK\x05\x06${'\0'.repeat(12)}\0\0\x10\0\0\0`
  server.answer = () => ({ body, headers: { 'content-type': 'application/zip' } })
  const cwd = folder()
  const script = `trap '' XFSZ; ulimit -f 64; exec "$0" "$@"`
  const words = [process.execPath, program, 'artifacts', 'download', '7', '-P', '1']
  const { exitCode, stderr } = await execa('bash', ['-c', script, ...words], {
    cwd,
    extendEnv: false,
    env: {
      ...clean(),
      SVC_TOKEN: 'any',
      SVC_BASE_URL: server.url,
      NODE_DISABLE_COMPILE_CACHE: '1',
      SVC_CONFIG_DIR: configuration(),
    },
    reject: false,
  })
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/cannot write .*artifacts\.zip/)
  expect(readdirSync(cwd)).toEqual([])
})

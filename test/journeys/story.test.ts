/** Real shell scripts against a running instance, as a script author would write them. */
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { configuration, folder, program } from '../support/program.js'
import { pathToProgram } from '../support/shell.js'
import { has } from '../support/terminal.js'

let url = ''

const serve = () => {
  const args = ['sandbox', 'serve', '--state', folder(), '--speed', '100', '-o', 'ndjson']
  return execa(process.execPath, [program, ...args], {
    env: { SVC_CONFIG_DIR: configuration() },
    buffer: false,
    reject: false,
  })
}
let stop: () => Promise<void> = async () => {}

beforeAll(async () => {
  const server = serve()
  stop = async () => {
    server.kill('SIGTERM')
    await server
  }
  const [line] = await once(createInterface({ input: server.stdout }), 'line')
  url = JSON.parse(String(line)).url
})
afterAll(() => stop())

it('a working day', async ({ skip }) => {
  skip(!has('jq'), 'jq is not installed')
  const script = join(import.meta.dirname, 'story.sh')
  const ran = await execa('bash', [script], {
    cwd: folder(),
    env: {
      PATH: pathToProgram(),
      SVC_BASE_URL: url,
      SVC_TOKEN: 'sandbox-root-token',
      SVC_CONFIG_DIR: configuration(),
    },
    reject: false,
    all: true,
  })
  expect(ran.all).toContain('the day is done')
  expect(ran.exitCode).toBe(0)
}, 120_000)

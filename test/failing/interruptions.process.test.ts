/** Signals of the system reach the process, and its exit shows the shell which signal ended it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createConfiguration, createFolder, program } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { start } from './start.js'

const server = useRecorder()

/** Answers all requests except a write to the path. Resolves when that write arrives. */
const holdBack = (path: string): Promise<void> =>
  new Promise((come) => {
    server.answer = async ({ method, url }) => {
      if (method === 'GET' || !url.endsWith(path)) return { body: { id: 11 } }
      come()
      return new Promise(() => {})
    }
  })

/** SIGQUIT would end a process with a core file, which would contain the token. */
it.each([
  ['SIGINT', { code: null, signal: 'SIGINT' }],
  ['SIGTERM', { code: null, signal: 'SIGTERM' }],
  ['SIGHUP', { code: null, signal: 'SIGHUP' }],
  ['SIGQUIT', { code: 131, signal: null }],
] as const)('%s ends writes to many, and the process by this signal', async (signal, ending) => {
  const second = holdBack('/12')
  const run = start(['runners', 'pause', '11', '12', '13', '--concurrency', '1'], {
    SVC_BASE_URL: server.url,
  })
  await second
  run.kill(signal)
  const { stdout: _, stderr, ...ended } = await run.ended
  expect(ended).toEqual(ending)
  expect(stderr).toMatch(/finished before that: 11; in progress, .* unknown: 12\n/)
})

it('a signal behind the end of a file as standard input finds nothing of it open', async () => {
  const second = holdBack('/12')
  const ids = join(createFolder(), 'ids')
  writeFileSync(ids, '11\n12\n')
  const input = openSync(ids, 'r')
  const args = [program, 'runners', 'pause', '-', '--concurrency', '1']
  const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'x', SVC_CONFIG_DIR: createConfiguration() }
  const run = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: [input, 'ignore', 'pipe'],
  })
  closeSync(input)
  if (run.stderr === null) throw new Error('it has no standard error')
  const [said, left] = [text(run.stderr), once(run, 'exit')]
  await second
  run.kill('SIGINT')
  expect(await left).toEqual([null, 'SIGINT'])
  const stderr = await said
  expect(stderr).toMatch(/finished before that: 11; in progress, .* unknown: 12\n/)
  expect(stderr).not.toContain('node:')
})

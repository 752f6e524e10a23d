/** A process that is killed in the middle of a run: its journal is whole enough to go on by, and its locks are free. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeEach, expect, it } from 'vitest'
import { createFolder, getCleanEnv, program } from '../../support/program.js'
import { createRuns, readStates, user } from './runs.js'

const { server, run, files, written, forget, fresh } = createRuns()
let config = ''
beforeEach(() => {
  config = fresh()
})

it('killed while it writes, then resumed: each is written, none that was done', async () => {
  let kill = (): void => {}
  server.answer = ({ method, url }) => {
    if (method === 'GET') return user
    if (url.endsWith('/3')) kill()
    return { body: { id: Number(url.split('/').at(-1)) } }
  }
  const line = ['runners', 'update', '1', '2', '3', '4', '--no-active', '--concurrency', '1']
  const child = spawn(process.execPath, [program, ...line], {
    env: { ...getCleanEnv(), SVC_CONFIG_DIR: config, SVC_BASE_URL: server.url, SVC_TOKEN: 'x' },
    cwd: createFolder(),
    stdio: 'ignore',
  })
  kill = () => child.kill('SIGKILL')
  await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')
  const [file = ''] = files()
  expect(readStates(file)).toMatchObject({ 1: 'done', 2: 'done', 3: 'begun' })
  kill = () => {}
  forget()
  const resumed = await run('runners update --resume last')
  expect([resumed.code, written()], resumed.stderr).toEqual([
    0,
    ['PUT /runners/3', 'PUT /runners/4'],
  ])
  expect(readStates(file)).toEqual({ 1: 'done', 2: 'done', 3: 'done', 4: 'done' })
})

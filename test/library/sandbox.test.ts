/** `svcctl/sandbox`: an instance for tests of other people, which leaves nothing behind. */
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/library/client.js'
import { startSandbox } from '../../src/library/sandbox.js'
import { getRejection } from '../support/servers.js'

const listFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('svcctl-sandbox-'))
const countListeners = () =>
  ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name))

it('runs until it is closed, and leaves neither its state nor a handler', async () => {
  const [before, handlers] = [listFolders(), countListeners()]
  const sandbox = await startSandbox()
  const api = connect({ baseUrl: sandbox.url, token: sandbox.token, retries: 0 })
  onTestFinished(() => api.close())
  expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await api.runners.listAll().all()).length).toBeGreaterThan(3)
  expect(countListeners()).toEqual(handlers)
  expect(listFolders()).toHaveLength(before.length + 1)
  await sandbox[Symbol.asyncDispose]()
  await sandbox.close()
  expect(listFolders()).toEqual(before)
  expect(await getRejection(api.runners.listAll().all())).toMatchObject({ category: 'unreachable' })
})

it('goes on with a state that has a place, and leaves it there', async () => {
  const state = mkdtempSync(join(tmpdir(), 'state-'))
  for (const active of [false, undefined]) {
    const sandbox = await startSandbox({ state })
    const api = connect({ baseUrl: sandbox.url, token: sandbox.token })
    if (active !== undefined) await api.runners.update({ id: 1, active })
    else expect(await api.runners.get({ id: 1 })).toMatchObject({ active: false })
    await api.close()
    await sandbox.close()
  }
  expect(existsSync(join(state, 'state.json'))).toBe(true)
})

it('answers 429 beyond a rate, and refuses one that is none before anything is made', async () => {
  const before = listFolders()
  expect(await getRejection(startSandbox({ rate: 'much' }))).toMatchObject({ category: 'usage' })
  expect(listFolders()).toEqual(before)
  const sandbox = await startSandbox({ rate: '1/min' })
  onTestFinished(() => sandbox.close())
  const ask = () => fetch(`${sandbox.url}/api/v4/projects`)
  await ask()
  expect([(await ask()).status, (await ask()).status]).toContain(429)
})

it('says that it is closed where it is used after that', async () => {
  const sandbox = await startSandbox()
  await sandbox.close()
  const closed = { category: 'usage', message: 'the sandbox is closed' }
  await expect(sandbox.reset()).rejects.toMatchObject(closed)
  await expect(sandbox.seed({ users: [{ username: 'zoe' }] })).rejects.toMatchObject(closed)
  expect(() => sandbox.snapshot()).toThrow(closed.message)
  expect(() => sandbox.fail('GET /projects', { status: 503 })).toThrow(closed.message)
})

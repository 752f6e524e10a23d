/** After a process was killed, the next one continues at once: the aborted signal of these tests interrupts any wait. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { getPaths, openStore, openTokens } from '../../src/profile/index.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { getBundle } from '../support/bundled.js'
import { createFolder } from '../support/program.js'
import { start } from './start.js'

const signal = AbortSignal.abort()

/** Takes a lock in another process, and kills that process. */
const lockAndKill = async (lock: string): Promise<void> => {
  const holder = await getBundle(join(import.meta.dirname, '../base/holder.ts'))
  const child = spawn(process.execPath, [holder, 'hold', lock])
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
}

it('on the state of the embedded instance, which has everything that was answered', async () => {
  const stateDir = createFolder()
  const run = start(['sandbox', 'serve', '--state-dir', stateDir, '-o', 'json'], {})
  const address = /http:[^"]+/.exec(await run.said('}'))?.[0] ?? ''
  const runner = `${address}/api/v4/runners/1`
  const headers = { 'private-token': 'sandbox-root-token' }
  const rename = (n: number) => fetch(`${runner}?description=n${n}`, { method: 'PUT', headers })
  for (let n = 0; n < 20; n++) expect((await rename(n)).status).toBe(200)
  await expect(startSandbox({ stateDir, signal })).rejects.toMatchObject({
    category: 'interrupted',
  })
  const onTheWay = rename(20).catch(() => undefined)
  run.kill('SIGKILL')
  await Promise.all([run.ended, onTheWay])
  const sandbox = await startSandbox({ stateDir, signal })
  const kept = await fetch(runner.replace(address, sandbox.url), { headers })
  expect(['n19', 'n20']).toContain(((await kept.json()) as { description: string }).description)
  await sandbox.close()
})

it('on profiles, tokens and a refresh', async () => {
  const root = createFolder()
  const paths = getPaths({ SVC_CONFIG_DIR: root })
  const store = openStore(paths, { signal })
  const tokens = openTokens(paths, { SVC_NO_KEYRING: '1' }, { signal })
  for (const name of ['config.json', 'tokens.json', 'refresh-prod'])
    await lockAndKill(join(root, `${name}.lock`))
  await store.set('prod', { 'base-url': 'https://prod.test' })
  await tokens.write('prod', { token: 't', kind: 'personal', baseUrl: 'https://prod.test' }, 'file')
  expect(await tokens.withTokenLock('prod', async () => 'alone')).toBe('alone')
})

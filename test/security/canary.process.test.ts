/** Tests that the compiled code that a process keeps for the next one has no credential (`src/start/load.ts`). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder, svcctl } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'

const server = useRecorder()
const canary = 'c4n4ry-0123456789'

/** An empty folder, without compiled code. */
const config = createFolder()
const env = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }
const createSignedInEnv = () => ({ ...env, SVC_BASE_URL: server.url, SVC_TOKEN: `${canary}-token` })

it('is kept without a credential, whatever was typed, printed and sent', async () => {
  server.answer = () => ({ body: { id: 1, username: 'root', description: `${canary}-answer` } })
  const login = ['auth', 'login', 'work', '--base-url', server.url, '--token-stdin']
  const ran = [
    await svcctl(login, { env, input: `${canary}-login\n` }),
    await svcctl(['runners', 'get', '1', '-vv'], { env: createSignedInEnv() }),
    await svcctl(
      [
        'settings',
        'update',
        '--spamsvc-api-key',
        'env:KEY_OF_A_TEST',
        '--yes',
        '--journal',
        'none',
      ],
      { env: { ...createSignedInEnv(), KEY_OF_A_TEST: `${canary}-key` } },
    ),
  ]
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(JSON.stringify(server.seen)).toContain(`${canary}-key`)
  const code = readdirSync(join(config, 'cache', 'code'), { recursive: true, withFileTypes: true })
  const files = code.filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(2)
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name)).includes(canary), name).toBe(false)
})

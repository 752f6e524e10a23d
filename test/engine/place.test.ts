/** Tests the workspace of a run: its session, the project at hand, and what a named profile overrides. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { processIo } from '../../src/base/io.js'
import { RunSessions, Workspace } from '../../src/engine/workspace/workspace.js'

import { getPaths, openStore } from '../../src/profile/index.js'

let home: string
let env: NodeJS.ProcessEnv
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'svcctl-place-'))
  env = { SVC_CONFIG_DIR: home, HOME: home }
  const store = openStore(getPaths(env))
  await store.set('prod', { 'base-url': 'https://prod.test' })
  await store.set('old', { 'base-url': 'https://old.test' })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

type Options = ConstructorParameters<typeof Workspace>[0]

const failOnRequest = (): never => {
  throw new Error('nothing is asked of the instance')
}

const createWorkspace = (more: NodeJS.ProcessEnv = {}, globals: object = {}) => {
  const warned: string[] = []
  // Only the flags that name an instance.
  const options = {
    globals: { sandbox: false, insecure: false, ...globals },
    io: processIo,
    env: { ...env, ...more },
    signal: new AbortController().signal,
    stdin: {
      text: async () => 'piped',
      readChunks: async function* () {
        yield 'piped'
      },
    },
  } as unknown as Options
  const heard = { note: () => {}, warn: (text: string) => void warned.push(text) }
  return {
    standing: new Workspace(options, new RunSessions(options, heard), failOnRequest),
    warned,
  }
}

it('opens the session in force once, and warns once', async () => {
  const { standing, warned } = createWorkspace({
    SVC_BASE_URL: 'https://other.test',
    SVC_PROFILE: 'prod',
    SVC_TOKEN: 'canary',
  })
  const [first, second] = [await standing.session(), await standing.session()]
  expect(second).toBe(first)
  expect(warned).toEqual([
    'profile prod is for https://prod.test; its credential is not sent to https://other.test',
  ])
})

it('takes flags before the environment, and that before the profile', async () => {
  expect((await createWorkspace().standing.session()).baseUrl).toBe('https://prod.test')
  const other = { SVC_BASE_URL: 'https://env.test' }
  expect((await createWorkspace(other).standing.session()).baseUrl).toBe('https://env.test')
  const flags = { baseUrl: 'https://flag.test', sudo: 'ana' }
  expect(await createWorkspace(other, flags).standing.session()).toMatchObject({
    baseUrl: 'https://flag.test',
    sudo: 'ana',
  })
})

it('gives a profile by name without the address and the token of the environment', async () => {
  const { standing } = createWorkspace({ SVC_BASE_URL: 'https://env.test', SVC_TOKEN: 'canary' })
  const old = await standing.session({ profile: 'old' })
  expect(old.baseUrl).toBe('https://old.test')
  await expect(old.getCredential()).resolves.toBeUndefined()
  expect((await standing.session({ profile: undefined })).baseUrl).toBe('https://env.test')
})

it('has no profile where there is no instance, and throws for one that is not there', async () => {
  rmSync(home, { recursive: true, force: true })
  expect(await createWorkspace().standing.profile()).toBeUndefined()
  await expect(createWorkspace({}, { profile: 'none' }).standing.profile()).rejects.toMatchObject({
    category: 'usage',
  })
})

it('knows the project at hand from the environment, of the kind that is wanted', async () => {
  const { standing } = createWorkspace({ SVC_PROJECT: 'platform/app', SVC_GROUP: 'platform' })
  expect(await standing.findScope('project')).toBe('platform/app')
  expect(await standing.findScope('group')).toBe('platform')
  expect(await standing.findScopeAmong([])).toBeUndefined()
  expect(await standing.findScopeAmong(['group'])).toMatchObject({
    kind: 'group',
    value: 'platform',
  })
  expect(await standing.stdin.text()).toBe('piped')
})

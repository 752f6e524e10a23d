import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, it } from 'vitest'
import { removeProfile, signIn, signOut } from '../../src/profile/store.js'
import type { StoredToken } from '../../src/profile/tokens.js'
import { type Keyring, type KeyringModule, openKeyring } from '../../src/profile/tokens.js'
import { createDirectory, getFailure, openServices } from './setup.js'

const baseUrl = 'https://forge.test'
const token: StoredToken = { token: 'canary-1', kind: 'personal', baseUrl }
const pair: StoredToken = {
  token: 'canary-2',
  kind: 'oauth',
  baseUrl,
  refreshToken: 'canary-3',
  expiresAt: '2030-01-01T00:00:00.000Z',
}

/** Creates a keyring in memory; `broken` makes each call fail. */
const createKeyring = (state: { broken?: boolean } = {}) => {
  const entries = new Map<string, string>()
  const working = () => {
    if (state.broken === true) throw new Error('locked\n  at a stack')
  }
  const keyring: Keyring = {
    get: async (account) => {
      working()
      return entries.get(account)
    },
    set: async (account, text) => {
      working()
      entries.set(account, text)
    },
    delete: async (account) => {
      working()
      entries.delete(account)
    },
  }
  let opened = 0
  const open = async () => {
    opened++
    return keyring
  }
  return { entries, state, open, opened: () => opened }
}

describe('the token file', () => {
  it('keeps tokens apart from the settings, for their owner only', async () => {
    const directory = createDirectory()
    const { tokens } = openServices(directory)
    expect(await tokens.write('prod', pair)).toBe('file')
    expect(await tokens.write('test', token)).toBe('file')
    expect(await tokens.read('prod', 'file')).toEqual(pair)
    expect(statSync(tokens.file).mode & 0o777).toBe(0o600)
    await tokens.delete('prod')
    expect(await tokens.read('prod', 'file')).toBeUndefined()
    expect(await tokens.read('test', 'file')).toEqual(token)
    expect(readdirSync(directory)).toEqual(['tokens.json'])
  })

  it('takes along what a process that was killed left of it', async () => {
    const directory = createDirectory()
    const { tokens } = openServices(directory)
    const left = ['.svcctl-0123456789abcdef.part', 'config.json.tmp-60873083849987e8']
    for (const name of [...left, 'mine.part', '.svcctl-00.part']) {
      writeFileSync(`${directory}/${name}`, 'canary')
      if (name !== '.svcctl-00.part') utimesSync(`${directory}/${name}`, 1, 1)
    }
    await tokens.write('prod', token)
    // A young one may belong to a process that still writes it.
    expect(readdirSync(directory).sort()).toEqual(['.svcctl-00.part', 'mine.part', 'tokens.json'])
  })

  it('is closed to others again, with a note', async () => {
    const notes: string[] = []
    const options = { openKeyring: async () => undefined, note: (text: string) => notes.push(text) }
    const { tokens } = openServices(createDirectory(), { options })
    await tokens.write('prod', token)
    chmodSync(tokens.file, 0o644)
    expect(await tokens.read('prod', 'file')).toEqual(token)
    expect(statSync(tokens.file).mode & 0o777).toBe(0o600)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toContain('(mode 0644)')
  })

  it('is refused where a folder has its name, which keeps its mode', async () => {
    const { tokens } = openServices(createDirectory())
    mkdirSync(tokens.file, { mode: 0o755 })
    const failure = await getFailure(() => tokens.read('prod', 'file'))
    expect(failure).toMatchObject({ category: 'usage' })
    expect(statSync(tokens.file).mode & 0o777).toBe(0o755)
  })

  it.each(['{', '[]', '{"prod": 1}', '{"prod": {"token": "canary"}}'])(
    'is left as it was when corrupt: %s',
    async (text) => {
      const { tokens } = openServices(createDirectory())
      writeFileSync(tokens.file, text, { mode: 0o600 })
      const failure = await getFailure(() => tokens.read('prod', 'file'))
      expect(failure.category).toBe('usage')
      expect(failure.message).toContain(tokens.file)
      expect(JSON.stringify(failure)).not.toContain('canary')
      expect(readFileSync(tokens.file, 'utf8')).toBe(text)
    },
  )
})

describe('the keyring', () => {
  it('is preferred, and nothing is left in the file', async () => {
    const ring = createKeyring()
    const directory = createDirectory()
    const { tokens } = openServices(directory, { options: { openKeyring: ring.open } })
    await openServices(directory).tokens.write('prod', token)
    expect(await tokens.write('prod', pair)).toBe('keyring')
    expect(await tokens.read('prod', 'keyring')).toEqual(pair)
    expect(readFileSync(tokens.file, 'utf8')).not.toContain('canary')
    await tokens.delete('prod', 'keyring')
    expect(await tokens.read('prod', 'keyring')).toBeUndefined()
  })

  it('gives way to the file where it fails, and when told so', async () => {
    const ring = createKeyring({ broken: true })
    const broken = openServices(createDirectory(), { options: { openKeyring: ring.open } })
    expect(await broken.tokens.write('prod', token)).toBe('file')
    const sound = createKeyring()
    const off = openServices(createDirectory(), {
      env: { SVC_NO_KEYRING: '1' },
      options: { openKeyring: sound.open },
    })
    expect(await off.tokens.write('prod', token)).toBe('file')
    expect(sound.opened()).toBe(0)
  })

  it('is not asked for a token in the file', async () => {
    const ring = createKeyring()
    const { tokens } = openServices(createDirectory(), { options: { openKeyring: ring.open } })
    await tokens.write('prod', token, 'file')
    await tokens.read('prod', 'file')
    await tokens.delete('prod', 'file')
    expect(ring.opened()).toBe(0)
  })

  it('is named where it holds the token and does not answer', async () => {
    const ring = createKeyring()
    const { tokens } = openServices(createDirectory(), { options: { openKeyring: ring.open } })
    await tokens.write('prod', token)
    ring.state.broken = true
    const works = [
      () => tokens.read('prod', 'keyring'),
      () => tokens.write('prod', token, 'keyring'),
      () => tokens.delete('prod', 'keyring'),
    ]
    for (const work of works) {
      const failure = await getFailure(work)
      expect(failure.category).toBe('auth')
      expect(failure.message).toContain('keyring')
      expect(failure.message).toContain('locked')
      expect(failure.message).not.toContain('stack')
    }
  })

  it('keeps set-ups side by side apart', async () => {
    const ring = createKeyring()
    const options = { openKeyring: ring.open }
    await openServices(createDirectory(), { options }).tokens.write('prod', token)
    const other = openServices(createDirectory(), { options }).tokens
    expect(await other.read('prod', 'keyring')).toBeUndefined()
  })
})

describe('openKeyring', () => {
  const asked: unknown[] = []
  class AsyncEntry {
    static kept: string | undefined
    constructor(...args: unknown[]) {
      asked.push(args)
    }
    async getPassword() {
      return AsyncEntry.kept
    }
    async setPassword(text: string) {
      if (text !== 'forgotten') AsyncEntry.kept = text
    }
    async deleteCredential() {
      AsyncEntry.kept = undefined
      return true
    }
  }

  it('takes only the Secret Service on Linux', async () => {
    const module: KeyringModule = { AsyncEntry, LinuxStore: {} }
    const keyring = await openKeyring(async () => module, 'linux')
    await keyring?.set('prod', 'text')
    expect(await keyring?.get('prod')).toBe('text')
    expect(asked.at(-1)).toEqual(['svcctl', 'prod', { linux: { store: 'secret-service' } }])
    await keyring?.delete('prod')
    expect(await keyring?.get('prod')).toBeUndefined()
  })

  it('does without where the library would use what forgets', async () => {
    expect(await openKeyring(async () => ({ AsyncEntry }), 'linux')).toBeUndefined()
    expect(await openKeyring(async () => ({ AsyncEntry }), 'darwin')).toBeDefined()
  })

  it('does without where the library is missing', async () => {
    const missing = async () => {
      throw new Error('Cannot find module')
    }
    expect(await openKeyring(missing)).toBeUndefined()
  })

  it('makes sure that it keeps what it is given', async () => {
    const keyring = await openKeyring(async () => ({ AsyncEntry }), 'darwin')
    await expect(keyring?.set('prod', 'forgotten')).rejects.toThrow(
      'the keyring does not return the stored token',
    )
  })
})

describe('signing in and out', () => {
  it('keeps token and profile in step', async () => {
    const directory = createDirectory()
    const { store, tokens } = openServices(directory)
    await store.set('prod', { 'base-url': baseUrl, 'token-command': 'pass x' })
    const given = { name: 'prod', baseUrl: 'forge.test/api/v4', token, user: 'root' }
    const profile = await signIn(store, tokens, { ...given, changes: { timeout: 9 } })
    expect(profile).toEqual({
      name: 'prod',
      baseUrl,
      tokenKind: 'personal',
      timeout: 9,
      tokenStore: 'file',
      user: 'root',
    })
    expect(await tokens.read('prod', 'file')).toEqual(token)
    expect(readFileSync(store.file, 'utf8')).not.toContain('canary')

    expect(await signOut(store, tokens, 'prod')).toBe(true)
    expect(await signOut(store, tokens, 'prod')).toBe(false)
    expect(store.get('prod')).toEqual({ name: 'prod', baseUrl, tokenKind: 'personal', timeout: 9 })
    expect(await tokens.read('prod', 'file')).toBeUndefined()
  })

  it('does not move a profile to another address', async () => {
    const { store, tokens } = openServices(createDirectory())
    await store.set('prod', { 'base-url': 'https://old.test' })
    const failure = await getFailure(() => signIn(store, tokens, { name: 'prod', baseUrl, token }))
    expect(failure.exitCode).toBe(2)
    for (const address of ['https://old.test', baseUrl]) expect(failure.message).toContain(address)
    expect(store.get('prod')).toEqual({ name: 'prod', baseUrl: 'https://old.test' })
    expect(await tokens.read('prod', 'file')).toBeUndefined()
  })

  it('keeps nothing where a setting, the name or the address is wrong', async () => {
    const directory = createDirectory()
    const { store, tokens } = openServices(directory)
    const given = { name: 'prod', baseUrl, token, changes: { timeout: 0 } }
    await getFailure(() => signIn(store, tokens, given))
    await getFailure(() => signIn(store, tokens, { name: '../x', baseUrl, token }))
    await getFailure(() => signIn(store, tokens, { name: 'prod', baseUrl: 'ftp://x', token }))
    expect(readdirSync(directory)).toEqual([])
  })

  it('removes a profile with its token', async () => {
    const { store, tokens } = openServices(createDirectory())
    await signIn(store, tokens, { name: 'prod', baseUrl, token })
    await removeProfile(store, tokens, 'prod')
    expect(store.list()).toEqual([])
    expect(await tokens.read('prod', 'file')).toBeUndefined()
  })

  it('keeps a profile whose token cannot be deleted', async () => {
    const { state, open: openKeyring } = createKeyring()
    const { store, tokens } = openServices(createDirectory(), { options: { openKeyring }, env: {} })
    await signIn(store, tokens, { name: 'prod', baseUrl, token })
    state.broken = true
    await getFailure(() => removeProfile(store, tokens, 'prod'))
    expect(store.get('prod')?.tokenStore).toBe('keyring')
  })

  it('refuses half of a client certificate before a token is stored', async () => {
    const directory = createDirectory()
    const { store, tokens } = openServices(directory)
    const given = { name: 'prod', baseUrl, token, changes: { 'cert-file': 'client.pem' } }
    expect((await getFailure(() => signIn(store, tokens, given))).message).toContain('key-file')
    expect(readdirSync(directory)).toEqual([])
  })
})

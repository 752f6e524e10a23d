import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import { getPaths } from '../../src/profile/paths.js'
import { type Changes, redactProfile, settingNames, settings } from '../../src/profile/settings.js'
import { createDirectory, getFailure, openServices } from './setup.js'

vi.mock('node:os', async (load) => {
  const actual = await load<typeof import('node:os')>()
  return { ...actual, userInfo: vi.fn(actual.userInfo) }
})

const baseUrl = 'https://forge.test'
/** Writes until the disk is full. */
const fillDisk = (file: string): void => {
  const descriptor = openSync(file, 'w')
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(1024))
  } catch {
    closeSync(descriptor)
  }
}
const getMode = (file: string): number => statSync(file).mode & 0o777

describe('paths', () => {
  it('follow SVC_CONFIG_DIR', () => {
    expect(getPaths({ SVC_CONFIG_DIR: '/x/y' })).toEqual({
      config: '/x/y',
      state: '/x/y/state',
      cache: '/x/y/cache',
      portable: true,
    })
  })
  it('are those of the platform otherwise', () => {
    const { config, state, cache, portable } = getPaths({ SVC_CONFIG_DIR: '' })
    // The entries of the keyring have the folder in their name only if it is portable.
    expect(portable).toBe(false)
    for (const directory of [config, state, cache]) expect(directory).toMatch(/svcctl/)
    expect(new Set([config, state, cache]).size).toBe(3)
  })
  it('are those of the user, and not below HOME of the process, for variables without HOME', () => {
    vi.stubEnv('HOME', '/home/of/the/process')
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    expect(getPaths({})).toEqual(getPaths({ HOME: userInfo().homedir }))
    expect(getPaths(process.env).config).toContain('/home/of/the/process/')
  })
  it('are below the root for a user without a home', () => {
    vi.mocked(userInfo).mockImplementationOnce(() => {
      throw new Error('uv_os_get_passwd returned ENOENT')
    })
    const { config } = getPaths({ XDG_CONFIG_HOME: '' })
    expect(config.startsWith('/')).toBe(true)
    expect(config.split('/').length).toBeLessThan(5)
  })
})

describe('profiles', () => {
  it('are none, and nothing is created, before the first is written', () => {
    const directory = path.join(createDirectory(), 'none')
    const { store } = openServices(directory)
    expect(store.list()).toEqual([])
    expect(store.getCurrentName()).toBeUndefined()
    expect(() => statSync(directory)).toThrow()
  })

  it('are kept, changed, cleared, switched and deleted', async () => {
    const { store } = openServices(createDirectory())
    await store.set('prod', { 'base-url': 'forge.test/api/v4', timeout: '30', protected: true })
    await store.set('test', { 'base-url': 'https://test.test', 'read-only': 'true' })
    expect(store.getCurrentName()).toBe('prod')
    expect(store.get('prod')).toEqual({ name: 'prod', baseUrl, timeout: 30, protected: true })
    await store.set('prod', { timeout: null, output: 'json' })
    expect(store.get('prod')).toEqual({ name: 'prod', baseUrl, protected: true, output: 'json' })
    await store.switch('test')
    expect(store.getCurrentName()).toBe('test')
    expect(store.list().map((p) => p.name)).toEqual(['prod', 'test'])
    await store.delete('test')
    expect(store.getCurrentName()).toBeUndefined()
    expect(store.listNames()).toEqual(['prod'])
  })

  it('are readable by their owner only', async () => {
    const directory = path.join(createDirectory(), 'new')
    const { store } = openServices(directory)
    await store.set('prod', { 'base-url': baseUrl })
    expect(getMode(directory)).toBe(0o700)
    expect(getMode(store.file)).toBe(0o600)
    expect(readdirSync(directory)).toEqual(['config.json'])
  })

  it('keep what a newer version wrote', async () => {
    const { store } = openServices(createDirectory())
    const text = { later: 1, profiles: { prod: { baseUrl, future: [1] } } }
    writeFileSync(store.file, JSON.stringify(text))
    await store.set('prod', { timeout: 5 })
    expect(JSON.parse(readFileSync(store.file, 'utf8'))).toEqual({
      later: 1,
      current: 'prod',
      profiles: { prod: { baseUrl, future: [1], timeout: 5 } },
    })
  })

  it('may be called like what every object has', async () => {
    const { store } = openServices(createDirectory())
    expect(store.get('constructor')).toBeUndefined()
    await store.set('constructor', { 'base-url': baseUrl })
    expect(store.get('constructor')?.baseUrl).toBe(baseUrl)
  })

  it.each(['', '-x', 'a b', '../x', '__proto__', 'a/b', 'a\nb'])(
    'may not be called %j',
    async (name) => {
      const { store } = openServices(createDirectory())
      const failure = await getFailure(() => store.set(name, { 'base-url': baseUrl }))
      expect(failure.category).toBe('usage')
    },
  )

  it('need a base URL', async () => {
    const { store } = openServices(createDirectory())
    const failure = await getFailure(() => store.set('prod', { timeout: 1 }))
    expect(failure.message).toContain('base URL')
    expect(failure.details.hint).toContain('--base-url')
  })

  it('are named where one is not there', async () => {
    const { store } = openServices(createDirectory())
    await store.set('prod', { 'base-url': baseUrl })
    for (const work of [() => store.switch('prd'), () => store.delete('prd')]) {
      const failure = await getFailure(work)
      expect(failure.message).toContain('"prd"')
      expect(failure.details.hint).toContain('prod')
    }
  })

  it('do not take a credential along to another instance', async () => {
    const { store } = openServices(createDirectory())
    await store.set('stored', { 'base-url': baseUrl }, { tokenStore: 'file' })
    await store.set('command', { 'base-url': baseUrl, 'token-command': 'pass show x' })
    const other = { 'base-url': 'https://other.test' }
    expect((await getFailure(() => store.set('stored', other))).message).toContain(
      'the credential of profile',
    )
    expect((await getFailure(() => store.set('command', other))).message).toContain(
      'the credential of profile',
    )
    await store.set('command', { ...other, 'token-command': 'pass show y' })
    expect(store.get('command')?.baseUrl).toBe('https://other.test')
  })

  it('show a proxy without what it asks for', async () => {
    const { store } = openServices(createDirectory())
    const proxy = 'http://me:canary@proxy.test:3128'
    const profile = await store.set('prod', { 'base-url': baseUrl, proxy })
    expect(profile.proxy).toContain('canary')
    expect(JSON.stringify(redactProfile(profile))).not.toContain('canary')
  })
})

describe('settings', () => {
  it('all have help and a name in kebab-case', () => {
    for (const name of settingNames) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(settings[name].help).not.toBe('')
    }
  })

  it.each<[Record<string, unknown>, string]>([
    [{ nonsense: 'x' }, 'nonsense'],
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: '1.5' }, 'timeout'],
    [{ timeout: true }, 'timeout'],
    [{ retries: -1 }, 'retries'],
    [{ 'token-kind': 'job' }, 'token-kind'],
    [{ 'read-only': 'maybe' }, 'read-only'],
    [{ proxy: 'socks5://x' }, 'proxy'],
    [{ 'token-url': 'http://forge.test/oauth/token' }, 'token-url'],
    [{ 'token-url': 'https://a:b@forge.test/oauth/token' }, 'token-url'],
    [{ 'token-command': '"open' }, '"'],
    [{ 'token-command': [] }, 'token-command'],
    [{ 'token-command': '[1]' }, 'JSON list'],
    [{ sudo: 'a\nb' }, 'sudo'],
    [{ 'base-url': 'ftp://x' }, 'base URL'],
    [{ 'cert-file': '/a.pem' }, 'key-file'],
  ])('refuses %j and is read-only', async (changes, word) => {
    const { store } = openServices(createDirectory())
    await store.set('prod', { 'base-url': baseUrl })
    const before = readFileSync(store.file)
    const failure = await getFailure(() => store.set('prod', changes as Changes))
    expect(failure.category).toBe('usage')
    expect(failure.message).toContain(word)
    expect(readFileSync(store.file)).toEqual(before)
  })

  it('keeps files by their whole name', async () => {
    const { store } = openServices(createDirectory())
    const profile = await store.set('prod', { 'base-url': baseUrl, 'audit-log': 'a.jsonl' })
    expect(profile.auditLog).toBe(path.resolve('a.jsonl'))
  })

  it.each([
    ['pass show svc', ['pass', 'show', 'svc']],
    ['  a   b ', ['a', 'b']],
    [`sh -c 'echo "$T" && x' "a b"c`, ['sh', '-c', 'echo "$T" && x', 'a bc']],
    ['a\\ b "c\\"d" \'\'', ['a b', 'c"d', '']],
    ['a \\\n b\\\r\nc "d\\\ne" \'f\\\ng\'', ['a', 'bc', 'de', 'f\\\ng']],
    ['["a b","c"]', ['a b', 'c']],
  ])('splits %s', (text, words) => {
    expect(splitCommand(text)).toEqual(words)
  })
})

describe('a configuration that cannot be used', () => {
  it.each([
    ['{ "profiles": ', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['[]', 'config.json:1:1: the file must be a map, not a list'],
    ['{"profiles": []}', 'config.json:1:14: profiles must be a map, not a list'],
    ['{"profiles": {"prod": 1}}', 'config.json:1:23: prod must be a map, not 1'],
    ['{"profiles": {"a b": {}}}', 'config.json:1:15: "a b" is not a valid profile name'],
    ['{"current": 1}', 'config.json:1:13: current must be text, not 1'],
    [
      '{"profiles": {"prod": {"baseUrl": "https://x.test", "timeout": "soon"}}}',
      'config.json:1:64: invalid timeout "soon"',
    ],
    ['{"profiles": {"prod": {}}}', 'base URL'],
  ])('is named and left as it was: %s', async (text, word) => {
    const { store } = openServices(createDirectory())
    writeFileSync(store.file, text)
    const failures = [
      await getFailure(() => store.list()),
      await getFailure(() => store.set('prod', { output: 'json' })),
    ]
    for (const failure of failures) expect(failure.category).toBe('usage')
    expect(failures[0]?.message).toContain(store.file)
    expect(failures[0]?.message).toContain(word)
    expect(failures[0]?.details.hint).toContain('The file was not changed.')
    expect(readFileSync(store.file, 'utf8')).toBe(text)
  })

  it('never quotes what the file holds', async () => {
    const { store } = openServices(createDirectory())
    writeFileSync(store.file, '{"x": canary')
    expect(JSON.stringify(await getFailure(() => store.list()))).not.toContain('canary')
  })

  it('is empty below a file, and says so when it cannot be read or written', async () => {
    const root = createDirectory()
    writeFileSync(path.join(root, 'plain'), '')
    const below = openServices(path.join(root, 'plain', 'sub')).store
    expect(below.list()).toEqual([])
    const set = await getFailure(() => below.set('prod', { 'base-url': baseUrl }))
    expect(set.category).toBe('usage')
    expect(set.message).toContain(path.join(root, 'plain', 'sub'))
    mkdirSync(path.join(root, 'config.json'))
    expect((await getFailure(() => openServices(root).store.list())).message).toContain('directory')
  })

  it('is as it was after a disk that was full', async ({ skip }) => {
    const directory = createDirectory()
    const mount = ['-t', 'tmpfs', '-o', 'size=16k,mode=700', 'tmpfs', directory]
    skip(spawnSync('mount', mount).status !== 0, 'nothing may be mounted here')
    onTestFinished(() => void spawnSync('umount', [directory]))
    const { store, tokens } = openServices(directory)
    await store.set('prod', { 'base-url': baseUrl })
    const before = readFileSync(store.file)
    fillDisk(path.join(directory, 'filler'))
    const failures = [
      await getFailure(() => store.set('prod', { timeout: 7 })),
      await getFailure(() => tokens.write('prod', { token: 't', kind: 'personal', baseUrl })),
    ]
    expect(failures[0]?.message).toBe(`cannot write ${store.file}: no space left on the device`)
    expect(failures[1]?.message).toBe(`cannot write ${tokens.file}: no space left on the device`)
    expect(readFileSync(store.file)).toEqual(before)
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'filler'])
  })

  it('is as it was where its directory may not be written', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'the superuser may write everywhere')
    const directory = createDirectory()
    const { store } = openServices(directory)
    await store.set('prod', { 'base-url': baseUrl })
    const before = readFileSync(store.file)
    chmodSync(directory, 0o500)
    const failure = await getFailure(() => store.set('prod', { timeout: 7 }))
    chmodSync(directory, 0o700)
    expect(failure.message).toContain('permission denied')
    expect(readFileSync(store.file)).toEqual(before)
  })
})

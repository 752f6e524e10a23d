import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { withLock } from '../../src/profile/files.js'
import { createDirectory, getFailure, openServices, runWorkers } from './setup.js'

describe('processes side by side', () => {
  it('lose no sign-in', async () => {
    const directory = createDirectory()
    const ended = await runWorkers(['login', directory, 'a', '12'], ['login', directory, 'b', '12'])
    for (const { code, stdout, stderr } of ended)
      expect([code, stdout, stderr]).toEqual([0, 'ready\n', ''])
    const { store, tokens } = openServices(directory)
    expect(store.list()).toHaveLength(24)
    for (const { name, tokenStore } of store.list()) {
      expect(tokenStore).toBe('file')
      expect((await tokens.read(name, 'file'))?.token).toBe(`token-of-${name}`)
    }
    expect(readdirSync(directory).sort()).toEqual(['config.json', 'tokens.json'])
  })
})

describe('a lock', () => {
  it('is let go when the work fails', async () => {
    const file = path.join(createDirectory(), 'x')
    await expect(withLock(file, () => Promise.reject(new Error('work')))).rejects.toThrow('work')
    expect(await withLock(file, async () => 'again')).toBe('again')
  })

  it('that is kept for too long is a failure that names it', async () => {
    const file = path.join(createDirectory(), 'x')
    const failure = await withLock(file, () =>
      getFailure(() => withLock(file, async () => undefined, { patience: 50 })),
    )
    expect(failure.message).toContain(`${file}.lock`)
  })
})

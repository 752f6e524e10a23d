/** Secrets of files: where their values come from, and what is remembered of them. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { machineIo } from '../../../src/base/io.js'
import { holdText, openHeld } from '../../../src/base/secrets/redact.js'
import { SecretRecord, SecretValues } from '../../../src/desired/applying/secrets.js'
import { formatSecretSource } from '../../../src/desired/state.js'
import { createFolder } from '../../support/program.js'

const address = {
  scope: 'project',
  path: 'a/b',
  kind: 'integrations',
  item: 'chat',
  attribute: 'webhook',
} as const

describe('values', () => {
  it('come from the environment, a file beside the declaring one, a program; each is fetched once', async () => {
    const dir = createFolder()
    writeFileSync(join(dir, 'secret'), 's3cret\n')
    const ran: unknown[] = []
    const values = new SecretValues({
      env: { NAME: 'by name' },
      cwd: dir,
      command: async (line) => {
        ran.push(line)
        return holdText('by program')
      },
    })
    expect(openHeld(await values.value({ env: 'NAME' }))).toBe('by name')
    expect(openHeld(await values.value({ file: 'secret', base: join(dir, 'site.yml') }))).toBe(
      's3cret',
    )
    expect(openHeld(await values.value({ command: ['vault', 'get'] }))).toBe('by program')
    expect(openHeld(await values.value({ command: ['vault', 'get'] }))).toBe('by program')
    expect(ran).toEqual([['vault', 'get']])
    expect(openHeld(await values.value({ literal: holdText('x') }))).toBe('x')
  })

  it.each([
    [{ env: 'NONE' }, 'the variable NONE is not set'],
    [{ env: 'EMPTY' }, 'the secret env:EMPTY is empty'],
    [
      { file: 'none', base: '/x/y.yml' },
      'the secret @none cannot be read: no such file or directory',
    ],
  ])('that cannot be had say why: %j', async (source, why) => {
    const values = new SecretValues({
      env: { EMPTY: '' },
      cwd: '/',
      command: async () => holdText(''),
    })
    expect(await values.missing(source)).toBe(why)
    await expect(values.value(source)).rejects.toMatchObject({ category: 'usage' })
  })

  it('are called by where they come from', () => {
    expect(formatSecretSource({ command: ['vault', 'get', 'x'] })).toBe('command:vault')
    expect(formatSecretSource({ literal: holdText('secret') })).toBe('a literal')
  })
})

describe('what was set', () => {
  it('is known again by its value, and by nothing that stands on the disk', async () => {
    const dir = join(createFolder(), 'state')
    const before = new SecretRecord(dir, 'https://x', machineIo)
    expect(await before.changed(address, holdText('one'))).toBeUndefined()
    expect(existsSync(dir)).toBe(false)
    await before.remember([
      { address, value: holdText('one') },
      { address: { ...address, path: 'c/d' }, value: holdText('one') },
    ])
    const after = new SecretRecord(dir, 'https://x', machineIo)
    expect(await after.changed(address, holdText('one'))).toBe(false)
    expect(await after.changed(address, holdText('two'))).toBe(true)
    expect(await after.changed({ ...address, item: 'other' }, holdText('one'))).toBeUndefined()
    expect(
      await new SecretRecord(dir, 'https://y', machineIo).changed(address, holdText('one')),
    ).toBeUndefined()
    const marks = Object.values(JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')))
    expect(new Set(marks).size).toBe(2)
    expect(JSON.stringify(marks)).not.toContain('one')
    for (const name of ['secrets.json', 'secrets.key'])
      expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['is readable by other users', (file: string) => chmodSync(file, 0o644)],
    ['is not a key file', (file: string) => writeFileSync(file, 'short')],
  ])('is not believed where the key %s', async (why, spoil) => {
    const dir = createFolder()
    await new SecretRecord(dir, 'i', machineIo).remember([{ address, value: holdText('one') }])
    spoil(join(dir, 'secrets.key'))
    const again = new SecretRecord(dir, 'i', machineIo)
    expect(await again.findKeyProblem()).toContain(why)
    await expect(again.changed(address, holdText('one'))).rejects.toThrow(why)
  })
})

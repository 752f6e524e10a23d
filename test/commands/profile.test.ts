/** Tests `svcctl profile`: what it stores, shows and removes, and what it does not store. */
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { svcctl } from '../support/within.js'

const createProfileRunner = () => {
  const env = { SVC_CONFIG_DIR: createConfiguration() }
  return (...args: string[]) => svcctl(['profile', ...args], { env })
}
const address = 'https://forge.example'

describe('profile set', () => {
  it('keeps settings, and the first becomes the current one', async () => {
    const profile = createProfileRunner()
    const set = await profile(
      'set',
      'work',
      '--base-url',
      address,
      '--project',
      'a/b',
      '--read-only',
    )
    expect(set).toMatchObject({ code: 0, stdout: '', stderr: 'created profile "work"\n' })
    const again = await profile('set', 'work', '--project', 'a/b')
    expect(again).toMatchObject({ code: 0, stderr: 'updated profile "work"\n' })
    await profile('set', 'home', '--base-url', 'https://home.example/')
    const { stdout } = await profile('list', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'home', current: false, base_url: 'https://home.example' },
      { name: 'work', current: true, base_url: address, project: 'a/b', read_only: true },
    ])
  })

  it('removes a setting by --unset or an empty value', async () => {
    const profile = createProfileRunner()
    await profile('set', 'work', '--base-url', address, '--project', 'a/b', '--sudo', 'ana')
    await profile('set', 'work', '--unset', 'project', '--sudo', '')
    const kept = JSON.parse((await profile('get', 'work', '-o', 'json')).stdout)
    expect(kept).not.toHaveProperty('project')
    expect(kept).not.toHaveProperty('sudo')
  })

  it.each([
    ['timeout', '5'],
    ['retries', '0'],
    ['max-wait', '60'],
    ['rate', '10/s'],
    ['output', 'csv'],
    ['tags', 'a,b'],
  ])('removes %s by an empty value', async (name, value) => {
    const profile = createProfileRunner()
    const get = async () =>
      JSON.parse((await profile('get', 'work', '-o', 'json')).stdout)[name.replace('-', '_')]
    await profile('set', 'work', '--base-url', address, `--${name}`, value)
    expect(await get()).toBeDefined()
    expect(await profile('set', 'work', `--${name}`, '')).toMatchObject({ code: 0 })
    expect(await get()).toBeUndefined()
  })

  it('does not keep --insecure, and says what to do instead', async () => {
    const profile = createProfileRunner()
    const set = await profile('set', 'work', '--base-url', address, '--insecure')
    expect(set.code).toBe(2)
    expect(set.stderr).toContain('--ca-file')
    expect((await profile('get', 'work')).code).not.toBe(0)
  })
})

describe('profile get', () => {
  it('shows no password of a proxy', async () => {
    const profile = createProfileRunner()
    const proxy = 'http://someone:canary-password@proxy.example:3128'
    const runs = [
      await profile('set', 'work', '--base-url', address, '--proxy', proxy, '-o', 'json'),
      await profile('get', 'work'),
      await profile('get', 'work', '-o', 'json', '--show-secrets'),
      await profile('list', '-o', 'csv'),
    ]
    for (const { code, stdout, stderr } of runs) {
      expect(code).toBe(0)
      expect(`${stdout}${stderr}`).not.toMatch(/canary|someone/)
    }
    expect(runs[2]?.stdout).toContain('@proxy.example:3128')
  })

  it('shows the settings that it has, its user, and where its token is', async () => {
    const profile = createProfileRunner()
    await profile('set', 'work', '--base-url', address, '--retries', '2')
    const { stdout } = await profile('get', 'work', '-o', 'json')
    expect(JSON.parse(stdout)).toEqual({
      name: 'work',
      current: true,
      base_url: address,
      retries: 2,
      token: null,
      user: null,
    })
    const missing = await profile('get', 'home')
    expect(missing).toMatchObject({ code: 4, stdout: '' })
    const nameless = await profile('get')
    expect(nameless.code).toBe(2)
    expect(nameless.stderr).toMatch(
      /profile get requires the name of a profile\n.*svcctl profile list shows them/,
    )
  })
})

describe('profile list', () => {
  it('says where there is none', async () => {
    const ran = await createProfileRunner()('list', '-o', 'json')
    expect(ran).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(ran.stderr).toContain('no profiles; create one with "svcctl auth login"')
  })
})

it('reads no configuration that is larger than 16 MiB', async () => {
  const config = createConfiguration()
  const file = join(config, 'config.json')
  writeFileSync(file, '{}', { mode: 0o600 })
  truncateSync(file, (16 << 20) + 1)
  const { code, stderr } = await svcctl(['profile', 'list'], { env: { SVC_CONFIG_DIR: config } })
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`cannot read ${file}: it is larger than 17 MB\n`),
  ])
})

describe('profile delete', () => {
  it('is deleted only when that is confirmed', async () => {
    const profile = createProfileRunner()
    await profile('set', 'work', '--base-url', address)
    expect((await profile('delete', 'work')).code).toBe(2)
    expect((await profile('delete', 'work', '--yes')).code).toBe(0)
    expect(JSON.parse((await profile('list', '-o', 'json')).stdout)).toEqual([])
  })

  it('says that it is gone, and of one that is not there', async () => {
    const profile = createProfileRunner()
    await profile('set', 'work', '--base-url', address)
    expect((await profile('delete', 'work', '--yes')).stderr).toContain('deleted profile "work"')
    expect(await profile('delete', 'work', '--yes')).toMatchObject({ code: 4 })
  })

  it('holds to the protection of the profile itself, not of the one in force', async () => {
    const profile = createProfileRunner()
    await profile('set', 'work', '--base-url', address)
    await profile('set', 'safe', '--base-url', address, '--protected')
    expect((await profile('delete', 'safe', '--yes')).code).toBe(2)
    expect((await profile('delete', 'work', '--yes')).code).toBe(0)
  })
})

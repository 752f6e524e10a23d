/**
 * An instance older than the documents and one newer than them, each with words, settings, fields and values of its own and without
 * some of the routes. The tests follow the whole way on both, from login to undo. `../commands/known.test.ts` tests single commands
 * with what is known of an instance, and `other-words.test.ts` tests how words are learned at a terminal.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createLookups, parseVocabulary } from '../../src/vocabulary/index.js'
import { runOnTerminal } from '../commands/calling.js'
import { serve } from '../support/mcp.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { createAgedInstance } from './aged.js'

const createWordLookups = async (text: string) =>
  createLookups(await parseVocabulary(`vocabulary: 1\n${text}`, 'words.yml'))

const instances = {
  old: createAgedInstance({
    asOf: '14.2',
    words: await createWordLookups(
      'words: { cloud: nimbus, spamsvc: junkguard }\ngone: { "GET /projects/:id/dependencies": "newer" }\n',
    ),
    settings: { moon_enabled: true, moon_limit: 5 },
    runners: { 2: { moons: 3 } },
  }),
  young: createAgedInstance({
    asOf: '18.3',
    words: await createWordLookups(
      'words: { cloud: haze, spamsvc: litterwatch }\ngone: { "POST /ci/lint": "older" }\n',
    ),
    settings: { tide_mode: 'spring', tide_limit: 9 },
    runners: { 2: { status: 'stale', tides: 2 }, 3: { status: 'stale', tides: 1 } },
  }),
}
const both = Object.entries(instances)

const cwd = createFolder()
const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_NO_KEYRING: '1' }
const run = (line: string, input?: string): Promise<LineResult> =>
  svcctl(line.split(' '), { cwd, env, input })
const runOk = async (line: string, input?: string): Promise<LineResult> => {
  const ran = await run(line, input)
  expect(ran.code, `${line}: ${ran.stderr}`).toBe(0)
  return ran
}
const runJson = async (line: string) => JSON.parse((await runOk(`${line} -o json`)).stdout)
const readSettings = async (profile: string, ...names: readonly string[]) =>
  runJson(`settings get ${names.join(' ')} -p ${profile}`)

/** Each test continues from the state that the one before it left. */
const steps = { timeout: 30_000, shuffle: false }

describe('an instance older than the documents, and one newer', steps, () => {
  it('are signed in to, which shows how they differ from the documents', async () => {
    for (const [name, { url }] of both)
      await runOk(`auth login ${name} --base-url ${url()} --token-stdin`, 'sandbox-root-token\n')
    const checks = async (profile: string) => {
      const rows: { check: string; message: string }[] = await runJson(`doctor -p ${profile}`)
      return Object.fromEntries(rows.map(({ check, message }) => [check, message]))
    }
    expect(await checks('old')).toMatchObject({
      version: '14.2.0',
      // Two settings are its own, and five have words that are not known yet.
      'beyond documents': expect.stringContaining('7 settings, 1 field, 0 values'),
    })
    expect(await checks('young')).toMatchObject({
      version: '18.3.0',
      'beyond documents': expect.stringContaining('7 settings, 2 fields, 2 values'),
    })
  })

  it('have their words learned, each its own', async () => {
    for (const [name, cloud, spamsvc] of [
      ['old', 'nimbus', 'junkguard'],
      ['young', 'haze', 'litterwatch'],
    ]) {
      await runOk(`vocabulary learn --to ${name}.yml -p ${name}`)
      const text = readFileSync(join(cwd, `${name}.yml`), 'utf8')
      expect(text).toMatch(new RegExp(`  cloud: ${cloud} #.*\n  spamsvc: ${spamsvc} #.*\n$`))
      await runOk(`profile set ${name} --vocabulary ${name}.yml`)
      await runOk(`vocabulary check -p ${name}`)
    }
    // Settings with words of the vocabulary no longer count as undocumented.
    expect((await runOk('doctor -p old')).stdout).toContain('2 settings, 1 field, 0 values')
    expect((await runOk('doctor -p young')).stdout).toContain('2 settings, 2 fields, 2 values')
  })

  it('show their own settings in help, and take them beside documented ones in either word', async () => {
    const own = async (profile: string) => {
      const { stdout } = await runOk(`settings update --help --all -p ${profile}`)
      const [, group = ''] = stdout.split('Settings of this instance:\n')
      return [...(group.split('\n\n')[0] ?? '').matchAll(/--(\S+)/g)].map(([, name]) => name)
    }
    expect(await own('old')).toEqual(['[no-]moon-enabled', 'moon-limit'])
    expect(await own('young')).toEqual(['tide-mode', 'tide-limit'])

    await runOk('settings update --moon-limit 7 --no-moon-enabled --cloud-account-id a -p old')
    await runOk('settings update --tide-limit 3 --tide-mode neap --haze-account-id b -p young')
    const names = ['moon_limit', 'moon_enabled', 'cloud_account_id'] as const
    expect(await readSettings('old', ...names)).toEqual({
      moon_limit: 7,
      moon_enabled: false,
      cloud_account_id: 'a',
    })
    expect(await readSettings('young', 'tide_limit', 'tide_mode', 'haze_account_id')).toEqual({
      tide_limit: 3,
      tide_mode: 'neap',
      haze_account_id: 'b',
    })
    expect(await run('settings update --tide-limit 3 -p old')).toMatchObject({ code: 2 })
    expect(await run('settings update --moon-limit 3 -p young')).toMatchObject({ code: 2 })
  })

  it('get back what they had, in one undo each', async () => {
    for (const profile of ['old', 'young']) await runOk(`journal undo last -p ${profile} --yes`)
    expect(await readSettings('old', 'moon_limit', 'moon_enabled', 'cloud_account_id')).toEqual({
      moon_limit: 5,
      moon_enabled: true,
      cloud_account_id: null,
    })
    expect(await readSettings('young', 'tide_limit', 'tide_mode', 'haze_account_id')).toEqual({
      tide_limit: 9,
      tide_mode: 'spring',
      haze_account_id: null,
    })
  })

  it('take the values that they answer, and no others', async () => {
    expect(await runJson('runners list --status stale --fields id,tides -p young')).toEqual([
      { id: 2, tides: 2 },
      { id: 3, tides: 1 },
    ])
    expect(await runJson('runners list --where tides>1 --fields id -p young')).toEqual([{ id: 2 }])
    expect(await runJson('runners list --where moons=3 --fields id -p old')).toEqual([{ id: 2 }])
    const wrong = await run('runners list --status stale -p old')
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('Newer instances may support more values')
    expect(await run('runners list --where tides>1 -p old')).toMatchObject({ code: 2 })
  })

  it('are asked together, where what one has is as good as what both have', async () => {
    const where = await runJson('runners list --where tides>1 --fields id,tides -p old,young')
    expect(where).toEqual([{ profile: 'young', id: 2, tides: 2 }])
    const stale = await run('runners list --status stale --fields id -p old,young -o ndjson')
    expect(stale).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/"profile":"old".*status does not have/),
    })
    expect(stale.stdout.split('\n')).toEqual([
      '{"profile":"young","id":2}',
      '{"profile":"young","id":3}',
      '',
    ])
    const { stdout } = await runOk('settings update --help --all --all-profiles')
    for (const name of ['moon-limit', 'tide-limit']) expect(stdout).toContain(`--${name} <n>`)
    const ignored = await run(
      'settings update --tide-limit 5 --default-projects-limit 12 -p old,young --yes',
    )
    expect(ignored.stderr).toMatch(/^old: .*ignored tide_limit/m)
    expect(await readSettings('young', 'tide_limit')).toEqual({ tide_limit: 5 })
    await runOk('journal undo last --yes -p young')
  })

  it('are read and planned for by agents with what they have', async () => {
    const own = { ...env, SVC_PROFILE: 'young' }
    // The server runs its lines in this process, so they read its environment.
    for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value)
    const served = await serve({ env: own })
    try {
      const call = async (tool: string, command: string, more: object) =>
        served.call(tool, { command, ...more })
      const read = await call('read', 'runners list', {
        arguments: { instance: true, status: 'stale' },
        fields: ['id', 'tides'],
      })
      expect(read.data.records).toEqual([
        { id: 2, tides: 2 },
        { id: 3, tides: 1 },
      ])
      const wrong = await call('read', 'runners list', { arguments: { status: 'stael' } })
      expect(wrong.text).toContain('stale')
      const planned = await call('plan', 'settings update', { arguments: { tide_limit: 4 } })
      expect(planned.command_line).toBe('svcctl settings update --tide-limit 4 -p young')
      expect(planned.data.changes).toMatchObject([
        { changes: [{ attribute: 'tide_limit', now: 9, new: 4 }] },
      ])
      const screen = await runOnTerminal(
        `journal run ${planned.plan} -p young`,
        env,
        async (terminal) => {
          await terminal.until(/Continue\?/)
          terminal.type('y')
          terminal.press('Enter')
          return terminal.until(/ended with \d+/)
        },
      )
      expect(screen).toContain('ended with 0')
    } finally {
      await served.close()
      vi.unstubAllEnvs()
    }
    expect(await readSettings('young', 'tide_limit')).toEqual({ tide_limit: 4 })
    await runOk('journal undo last --yes -p young')
    expect(await readSettings('young', 'tide_limit')).toEqual({ tide_limit: 9 })
  })

  it('say which routes they lack, and what to do instead', async () => {
    writeFileSync(join(cwd, 'ci.yml'), 'build: { script: make }\n')
    await runOk('ci lint ci.yml -p old')
    const lint = await run('ci lint ci.yml -p young')
    expect(lint).toMatchObject({ code: 4, stderr: expect.stringContaining('Add --project') })
    expect((await run('ci lint ci.yml -p young')).stderr).toMatch(
      /^the instance did not have POST \/ci\/lint on \d/,
    )
    await runOk('ci lint ci.yml -P platform/app -p young')

    await runOk('dependencies list -P platform/app -p young')
    const dependencies = 'dependencies list -P platform/app -p old'
    expect(await run(dependencies)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('does not have this endpoint'),
    })
    expect((await run(dependencies)).stderr).toMatch(
      /^the instance did not have GET \/projects\/:id\/dependencies on \d/,
    )
  })

  it('have many objects changed by those values, and put back', async () => {
    const active = async () => runJson('runners list --fields id,active --sort id -p young')
    const before = await active()
    await runOk('runners pause --select status=stale --yes -p young')
    expect(await active()).not.toEqual(before)
    await runOk('journal undo last --yes -p young')
    expect(await active()).toEqual(before)
  })

  it('are kept in files with all of their own, which fit where they come from', async () => {
    for (const profile of ['old', 'young']) {
      await runOk(`export settings --all -p ${profile} --to ${profile}`)
      await runOk(`plan ${profile} -p ${profile}`)
    }
    const text = readFileSync(join(cwd, 'young/site.yml'), 'utf8')
    expect(text).toContain('tide_limit: 9')
    // Files use the words of the documents.
    expect(text).toContain('cloud_integration_enabled: false')
    writeFileSync(join(cwd, 'young/site.yml'), text.replace('tide_limit: 9', 'tide_limit: 4'))
    await runOk('apply young --yes -p young')
    expect(await readSettings('young', 'tide_limit')).toEqual({ tide_limit: 4 })
    await runOk('journal undo last --yes -p young')
    expect(await readSettings('young', 'tide_limit')).toEqual({ tide_limit: 9 })
    const foreign = await run('plan old -p young')
    expect(foreign).toMatchObject({ code: 2 })
    expect(foreign.stderr).toContain('unknown to the documented API and to the instance')
  })

  it('give a program their own settings and values as types', async () => {
    const types = async (profile: string) => (await runOk(`client types -p ${profile}`)).stdout
    expect(await types('young')).toContain('readonly tide_limit: number')
    expect(await types('young')).toContain('readonly "runners.status": "never_contacted" | "stale"')
    expect(await types('old')).toContain('readonly moon_enabled: boolean')
    expect(await types('old')).not.toContain('stale')
  })
})

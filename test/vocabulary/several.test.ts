/** Tests lines on several instances with different vocabularies: a line means the same on all of them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listObjects } from '../../src/base/objects.js'
import { documentedWords } from '../../src/catalogue/words.js'
import {
  combineWords,
  createLookups,
  mergeWords,
  parseVocabulary,
} from '../../src/vocabulary/index.js'
import { useSharedSandbox, useWordsSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { svcctl } from '../support/within.js'

const texts = {
  one: 'vocabulary: 1\nwords: { cloud: nimbus }\nnames: { can_push: may_write }\nslugs: { monitoring: watchtower }\nvalues: { runners.status: [stale] }\n',
  two: 'vocabulary: 1\nwords: { cloud: haze }\nnames: { can_push: allows_push, title: label }\n',
}
const parseWords = async (text: string) => createLookups(await parseVocabulary(text, 'words.yml'))
const [ofOne, ofTwo] = await Promise.all([parseWords(texts.one), parseWords(texts.two)])
const sites = {
  one: useWordsSandbox(ofOne),
  two: useWordsSandbox(ofTwo),
  plain: useSharedSandbox(),
}

const config = createConfiguration()
const cwd = createFolder()
const run = (line: string): Promise<LineResult> =>
  svcctl(line.split(' '), { cwd, env: { SVC_CONFIG_DIR: config } })
const runJson = async (line: string): Promise<unknown> =>
  JSON.parse((await run(`${line} -o json`)).stdout)

beforeAll(async () => {
  for (const [name, { url }] of Object.entries(sites)) {
    const own = name === 'plain' ? '' : ` --vocabulary ${name}.yml`
    if (name === 'one' || name === 'two') writeFileSync(join(cwd, `${name}.yml`), texts[name])
    const token = ['--token-command', 'printf sandbox-root-token']
    const line = `profile set ${name} --base-url ${url()}${own}`.split(' ')
    const made = await svcctl([...line, ...token], { cwd, env: { SVC_CONFIG_DIR: config } })
    expect(made.code, made.stderr).toBe(0)
  }
})

const keys = '-P platform/app -p one,two,plain'

describe('a list', () => {
  it('has each record as it came, and is headed by what all say', async () => {
    const all = (await runJson(`deploy-keys list ${keys} --where id=1`)) as { record: object }[]
    expect(all.map(({ record }) => Object.keys(record).sort().slice(0, 2))).toEqual([
      ['created_at', 'id'],
      ['allows_push', 'created_at'],
      ['can_push', 'created_at'],
    ])
    expect(all[0]?.record).toHaveProperty('may_write')
    const csv = await run(`deploy-keys list ${keys} --where id=1 -o csv`)
    expect(csv.stdout).toMatch(/^profile,id,title,can_push,/)
    const alike = await run('deploy-keys list -P platform/app -p one,one -L 1 -o csv')
    expect(alike.stdout).toMatch(/^id,title,may_write,/)
  })

  it.each(['can_push', 'may_write', 'allows_push'])('is asked for %s of each', async (name) => {
    const ran = await run(`deploy-keys list ${keys} --where id=1 -o ndjson --fields id,${name}`)
    expect(ran.stderr.split('\n').filter((line) => line.includes('documents'))).toEqual([])
    expect(ran.stdout.trim().split('\n')).toEqual(
      ['one', 'two', 'plain'].map((profile) => `{"profile":"${profile}","id":1,"${name}":true}`),
    )
    const chosen = (await runJson(`deploy-keys list ${keys} --where ${name}=true`)) as unknown[]
    expect(chosen).toHaveLength(3)
    expect(await runJson(`deploy-keys list ${keys} --where ${name}=false`)).toEqual([])
  })

  it('takes a value where one instance has it, and refuses it where another has not', async () => {
    const ran = await run('runners list --instance --status stale -p one,two -o json --fields id')
    const found = JSON.parse(ran.stdout) as { profile: string }[]
    expect([ran.code, ...new Set(found.map(({ profile }) => profile))]).toEqual([8, 'one'])
    expect(ran.stderr).toContain('"profile":"two"')
    expect(ran.stderr).toContain('not \\"stale\\"')
    expect(ran.stderr).not.toContain('"profile":"one"')
  })
})

it('several snapshots of one instance have its words', async () => {
  for (const name of ['old', 'new'])
    expect(await run(`snapshot --to ${name} -p one`)).toMatchObject({ code: 0 })
  const env = { SVC_CONFIG_DIR: config, SVC_VOCABULARY: join(cwd, 'one.yml') }
  const line = 'deploy-keys list -P platform/app --from old,new -o csv --where id=1'.split(' ')
  const chosen = await svcctl([...line, '--fields', 'id,can_push'], { cwd, env })
  expect(chosen.stdout).toMatch(/^snapshot,id,may_write\n(?:.*Z,1,(?:true|false)\n){2}$/)
  const usual = await svcctl(line, { cwd, env })
  expect(usual.stdout).toMatch(/^snapshot,id,title,may_write,/)
})

describe('settings get', () => {
  it('finds a setting by the name of any, and compares by what it means', async () => {
    for (const [profile, value] of [
      ['one', 'a'],
      ['two', 'b'],
    ])
      expect(await run(`settings update --cloud-account-id ${value} -p ${profile}`)).toMatchObject({
        code: 0,
      })
    const each = (name: string) =>
      ['a', 'b', null].map((value, i) => ({
        profile: ['one', 'two', 'plain'][i],
        record: { [name]: value },
      }))
    for (const name of ['cloud_account_id', 'nimbus_account_id', 'haze_account_id']) {
      expect(await runJson(`settings get ${name} -p one,two,plain`)).toEqual(each(name))
    }
    expect((await run('settings get fog_account_id -p one,two')).code).toBe(4)
  })
})

describe('a write', () => {
  const update = `deploy-keys update 1 ${keys} --yes`
  const shown = async (): Promise<unknown> =>
    ((await runJson(`deploy-keys list ${keys} --fields can_push`)) as { profile: string }[]).map(
      ({ profile: _, ...record }) => record,
    )

  it.each(['--no-may-write', '--allows-push', '--param may_write=false', '--can-push'])(
    '%s is sent to each as it calls it',
    async (said) => {
      const ran = await run(`${update} --strict ${said}`)
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      const can_push = !/no-|false/.test(said)
      expect(await shown()).toEqual([{ can_push }, { can_push }, { can_push }])
    },
  )

  it.each([
    ['--no-may-write --allows-push'],
    ['--no-can-push --allows-push'],
    ['--no-can-push --param allows_push=true'],
    ['--param may_write=true --param allows_push=true'],
  ])('is refused before anything is sent where one thing is said twice: %s', async (said) => {
    const before = await shown()
    const ran = await run(`deploy-keys update 1 -P platform/app -p plain,one,two --yes ${said}`)
    expect(ran.code).not.toBe(0)
    expect(ran.stderr).toContain('Pass only one of them.')
    expect(await shown()).toEqual(before)
  })

  it('is refused before anything is sent where the words of one are none', async () => {
    writeFileSync(join(cwd, 'two.yml'), 'vocabulary: 1\nwords: { cloud: x, spamsvc: x }\n')
    try {
      const before = (await sites.one.send('GET /projects/1/deploy_keys/1')).body
      const [{ may_write } = {}] = listObjects([before])
      const ran = await run(`${update} ${may_write === true ? '--no-can-push' : '--can-push'}`)
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr).toContain('two.yml:2:20: cloud and spamsvc would both become x')
      expect((await sites.one.send('GET /projects/1/deploy_keys/1')).body).toEqual(before)
      // A line that only reads reports the failure among its results.
      const list = await run(`deploy-keys list ${keys} --where id=1 -o csv --fields id`)
      expect([list.code, list.stdout]).toEqual([8, 'profile,id\none,1\nplain,1\n'])
    } finally {
      writeFileSync(join(cwd, 'two.yml'), texts.two)
    }
  })

  it('names what is missing as the instance does', async () => {
    const ran = await run('deploy-keys add -P platform/app -p two --key x')
    expect(ran.stderr).toContain('deploy-keys add needs --label [--title]')
  })

  it('of a name that none of them has is as strange as ever', async () => {
    expect((await run(`${update} --might-write`)).code).toBe(2)
  })
})

it('files are planned for each, and bring all to one state', async () => {
  writeFileSync(
    join(cwd, 'state.yml'),
    [
      'version: 1',
      'site:',
      '  settings: { cloud_account_id: "77" }',
      'projects:',
      '  platform/app:',
      '    integrations:',
      '      monitoring: { family: monitoring, api_key: env:KEY, monitor_site: eu }',
      '',
    ].join('\n'),
  )
  const env = { SVC_CONFIG_DIR: config, KEY: 'a-key' }
  const counts = async (): Promise<unknown> => {
    const ran = await svcctl('plan state.yml -p one,two,plain -o json'.split(' '), { cwd, env })
    const plans = JSON.parse(ran.stdout) as { record: { actions: unknown[] } }[]
    return plans.map(({ record }) => record.actions.length)
  }
  expect(await counts()).toEqual([2, 2, 2])
  for (const name of Object.keys(sites)) {
    const ran = await svcctl(`apply state.yml -p ${name} --yes`.split(' '), { cwd, env })
    expect(ran.code, ran.stderr).toBe(0)
  }
  expect(await counts()).toEqual([0, 0, 0])
  expect((await sites.one.send('GET /projects/1/integrations/watchtower')).body).toMatchObject({
    slug: 'watchtower',
  })
  const all = await Promise.all(
    Object.keys(sites).map((name) => run(`export integrations settings --all-settings -p ${name}`)),
  )
  const [first, ...others] = all.map(({ stdout }) => stdout)
  expect(first).toContain('monitor_site: eu')
  expect(first).not.toMatch(/nimbus|watchtower/)
  for (const other of others) expect(other).toBe(first)
})

describe('the words of one among several', () => {
  it('are its own first, then those of the others', () => {
    const all = mergeWords([ofOne, ofTwo, documentedWords])
    if (all === undefined) throw new Error('two have words')
    const [one, none] = [combineWords(ofOne, all), combineWords(undefined, all)]
    expect([one.neutral('may_write'), one.neutral('allows_push')]).toEqual(['can_push', 'can_push'])
    expect([one.name('can_push'), none.name('can_push')]).toEqual(['may_write', 'can_push'])
    expect([none.neutral('haze_account_id'), none.neutral('id')]).toEqual([
      'cloud_account_id',
      'id',
    ])
    expect(all.name('can_push')).toBe('can_push')
    expect(all.values('runners.status')).toEqual(['stale'])
  })

  it('mean there what it means by them, where another means something else', async () => {
    const [a = documentedWords, b = documentedWords] = await Promise.all(
      ['can_push', 'title'].map((name) => parseWords(`vocabulary: 1\nnames: { ${name}: zed }`)),
    )
    const all = mergeWords([a, b])
    if (all === undefined) throw new Error('both have words')
    expect([a, b].map((own) => combineWords(own, all).neutral('zed'))).toEqual([
      'can_push',
      'title',
    ])
  })

  it('are none where none has any', () =>
    expect(mergeWords([documentedWords, documentedWords])).toBeUndefined())
})

describe('a line that a command reads', () => {
  const env = { SVC_CONFIG_DIR: config, SVC_PROFILE: 'plain' }
  const list = 'runners list --status stale'

  it('may use the values of the instance that -p names, and not of the usual one', async () => {
    const policy = `policy: 1\nrules:\n  - { name: stale, list: ${list}, where: id=1 }\n`
    writeFileSync(join(cwd, 'policy.yml'), policy)
    const check = (...more: string[]) =>
      svcctl(['check', 'policy', 'policy.yml', ...more], { cwd, env })
    expect((await check('-p', 'one')).stderr).not.toContain('--status')
    expect((await check()).stderr).toContain('--status must be one of')
    const take = (to: string, ...more: string[]) =>
      svcctl(['snapshot', list, '--to', to, ...more], { cwd, env })
    expect((await take('of-one', '-p', 'one')).code).toBe(0)
    expect((await take('of-plain')).stderr).toContain('--status must be one of')
  })
})

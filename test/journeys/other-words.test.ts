/**
 * An instance in other words, from the first look at it to the day when it is the same as another one: its words
 * are learned, at a terminal that asks for what is not certain; writes that were noted as not taken are taken, in
 * both words; two instances, each in words of its own, are compared and brought to one state by one set of files.
 * That every area's commands work in both words is `../vocabulary/areas.test.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLookups, parseVocabulary } from '../../src/vocabulary/index.js'
import { onTerminal } from '../commands/calling.js'
import { sandboxInWords } from '../sandbox/instance.js'
import { configuration, folder, type Ran } from '../support/program.js'
import { svcctl } from '../support/within.js'

const texts = {
  here: 'vocabulary: 1\nwords: { spamsvc: junkguard, cloud: nimbus, avatarsvc: face }\nnames: { admin_mode: boss_mode }\n',
  there: 'vocabulary: 1\nwords: { cloud: haze }\nnames: { can_push: allows_push }\n',
}
const inWords = async (text: string) =>
  sandboxInWords(createLookups(await parseVocabulary(text, 'words.yml')))
const [here, there] = await Promise.all([inWords(texts.here), inWords(texts.there)])

const cwd = folder()
const env = { SVC_CONFIG_DIR: configuration(), KEY: 'a-key' }
const run = (line: string, ...more: readonly string[]): Promise<Ran> =>
  svcctl([...line.split(' '), ...more], { cwd, env })
const done = async (line: string, ...more: readonly string[]): Promise<Ran> => {
  const ran = await run(line, ...more)
  expect(ran.code, `${line}: ${ran.stderr}`).toBe(0)
  return ran
}
const json = async (line: string): Promise<unknown> =>
  JSON.parse((await done(`${line} -o json`)).stdout)

const writes = [
  ['cloud_account_id', '7', 'settings update --cloud-account-id 7 -p here'],
  ['admin_mode', true, 'settings update --admin-mode -p here'],
] as const

/** Each goes on where the one before it left. */
const steps = { timeout: 30_000, shuffle: false }

describe('an instance in other words', steps, () => {
  it('is a profile, whose writes are noted as not taken', async () => {
    for (const [name, { url }] of [
      ['here', here],
      ['there', there],
    ] as const)
      await done(
        `profile set ${name} --base-url ${url()} --token-command`,
        'printf sandbox-root-token',
      )
    for (const [name, , line] of writes) {
      // Beside what it knows, it ignores the rest in silence.
      const ran = await done(`${line} --default-projects-limit 11`)
      expect(ran.stderr).toContain(`the instance ignored ${name}: not in the response`)
      expect((await run(`${line} --default-projects-limit 11 --strict`)).code).toBe(1)
    }
  })

  it('is learned: what is certain is written down, what is not is asked', async () => {
    await onTerminal(
      'vocabulary learn --to here.yml -p here',
      env,
      async (terminal) => {
        await terminal.until(/instance call "avatarsvc"[^?]*\?\n +1\. face \(face_enabled\)/)
        terminal.type('1')
        terminal.press('Enter')
        await terminal.until(/svcctl profile set here --vocabulary here\.yml[\s\S]*ended with 0/)
      },
      cwd,
    )
    const text = readFileSync(join(cwd, 'here.yml'), 'utf8')
    expect(text).toContain('  spamsvc: junkguard # spamsvc_api_key, spamsvc_enabled\n')
    expect(text).toContain('  cloud: nimbus # ')
    expect(text).toContain('  avatarsvc: face # avatarsvc_enabled\n')
    // No neutral word: what the documents call so is gone, or a person knows better.
    expect(text).toMatch(
      /# Documented names that the responses do not have:\n[\s\S]*\badmin_mode\b/,
    )
    writeFileSync(join(cwd, 'here.yml'), `${text}names: { admin_mode: boss_mode }\n`)
    await done('profile set here --vocabulary here.yml')
    await done('vocabulary check -p here')
    expect((await done('doctor -p here')).stdout).toContain('here.yml: 3 words, 1 names')
  })

  it('takes the same writes now, in both words', async () => {
    const own = new Map<string, string>(writes.map(([name, , line]) => [name, line]))
    own.set('cloud_account_id', 'settings update --nimbus-account-id 7 -p here')
    own.set('admin_mode', 'settings update --boss-mode -p here')
    for (const lines of [new Map(writes.map(([name, , line]) => [name, line])), own])
      for (const [name, value] of writes) {
        const line = lines.get(name) ?? ''
        expect((await done(`${line} --strict`)).stderr).toBe('')
        const called = name === 'admin_mode' ? 'boss_mode' : 'nimbus_account_id'
        for (const asked of [name, called])
          expect(await json(`settings get ${asked} -p here`)).toEqual({ [asked]: value })
        await done(
          name === 'admin_mode' ? `${line.replace('--', '--no-')}` : line.replace(' 7', ' 8'),
        )
      }
    expect((await run('settings update --boss-mode --admin-mode -p here')).code).toBe(2)
  })

  it('is compared with another one, and both are brought to one state by one set of files', async () => {
    writeFileSync(join(cwd, 'there.yml'), texts.there)
    await done('profile set there --vocabulary there.yml')
    await done('settings update --haze-account-id 9 --yes -p there,here')
    await done('settings update --cloud-account-id 1 -p there')
    await done('deploy-keys update 1 -P platform/app --no-allows-push -p there')
    await done('export settings deploy_keys --exact --to state -p here')
    const plans = async (): Promise<readonly string[][]> => {
      const ran = await run('plan state -p here,there -o json')
      const all = JSON.parse(ran.stdout) as { record: { actions: { id: string }[] } }[]
      return all.map(({ record }) => record.actions.map(({ id }) => id))
    }
    expect(await plans()).toEqual([
      [],
      ['update site:settings', 'update projects/platform/app:deploy_keys/deploy'],
    ])
    expect((await run('drift state -p here,there')).code).toBe(8)
    await done('apply state --yes -p there')
    expect(await plans()).toEqual([[], []])
    await done('drift state -p here,there')
    const [one, other] = [
      await done('export settings deploy_keys -p here'),
      await done('export settings deploy_keys -p there'),
    ]
    expect(other.stdout).toBe(one.stdout)
  })
})

/**
 * An instance with other words than the documents. Its words are learned at a terminal that asks about uncertain ones. Writes that it
 * ignored before then succeed, in both words. Finally two instances, each with words of its own, are compared and brought to one state
 * by one set of files. `../vocabulary/areas.test.ts` tests the commands of every area in both words.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLookups, parseVocabulary } from '../../src/vocabulary/index.js'
import { runOnTerminal } from '../commands/calling.js'
import { useWordsSandbox } from '../sandbox/instance.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { svcctl } from '../support/within.js'

const texts = {
  here: 'vocabulary: 1\nwords: { spamsvc: junkguard, cloud: nimbus, avatarsvc: face }\nnames: { admin_mode: boss_mode }\n',
  there: 'vocabulary: 1\nwords: { cloud: haze }\nnames: { can_push: allows_push }\n',
}
const openSandboxInWords = async (text: string) =>
  useWordsSandbox(createLookups(await parseVocabulary(text, 'words.yml')))
const [here, there] = await Promise.all([
  openSandboxInWords(texts.here),
  openSandboxInWords(texts.there),
])

const cwd = createFolder()
const env = { SVC_CONFIG_DIR: createConfiguration(), KEY: 'a-key' }
const run = (line: string, ...more: readonly string[]): Promise<LineResult> =>
  svcctl([...line.split(' '), ...more], { cwd, env })
const runOk = async (line: string, ...more: readonly string[]): Promise<LineResult> => {
  const ran = await run(line, ...more)
  expect(ran.code, `${line}: ${ran.stderr}`).toBe(0)
  return ran
}
const runJson = async (line: string): Promise<unknown> =>
  JSON.parse((await runOk(`${line} -o json`)).stdout)

const writes = [
  ['cloud_account_id', '7', 'settings update --cloud-account-id 7 -p here'],
  ['admin_mode', true, 'settings update --admin-mode -p here'],
] as const

/** Each test continues from the state that the one before it left. */
const steps = { timeout: 30_000, shuffle: false }

describe('an instance in other words', steps, () => {
  it('is a profile, whose writes are noted as not taken', async () => {
    for (const [name, { url }] of [
      ['here', here],
      ['there', there],
    ] as const)
      await runOk(
        `profile set ${name} --base-url ${url()} --token-command`,
        'printf sandbox-root-token',
      )
    for (const [name, , line] of writes) {
      // The instance silently ignores a setting that it does not know beside one that it knows.
      const ran = await runOk(`${line} --default-projects-limit 11`)
      expect(ran.stderr).toContain(`the instance ignored ${name}: not in the response`)
      expect((await run(`${line} --default-projects-limit 11 --strict`)).code).toBe(1)
    }
  })

  it('is learned: what is certain is written down, what is not is asked', async () => {
    await runOnTerminal(
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
    // No neutral word fits: the documented setting no longer exists, or only a user knows its name.
    expect(text).toMatch(
      /# Documented names that the responses do not have:\n[\s\S]*\badmin_mode\b/,
    )
    writeFileSync(join(cwd, 'here.yml'), `${text}names: { admin_mode: boss_mode }\n`)
    await runOk('profile set here --vocabulary here.yml')
    await runOk('vocabulary check -p here')
    expect((await runOk('doctor -p here')).stdout).toContain('here.yml: 3 words, 1 names')
  })

  it('takes the same writes now, in both words', async () => {
    const own = new Map<string, string>(writes.map(([name, , line]) => [name, line]))
    own.set('cloud_account_id', 'settings update --nimbus-account-id 7 -p here')
    own.set('admin_mode', 'settings update --boss-mode -p here')
    for (const lines of [new Map(writes.map(([name, , line]) => [name, line])), own])
      for (const [name, value] of writes) {
        const line = lines.get(name) ?? ''
        expect((await runOk(`${line} --strict`)).stderr).toBe('')
        const called = name === 'admin_mode' ? 'boss_mode' : 'nimbus_account_id'
        for (const asked of [name, called])
          expect(await runJson(`settings get ${asked} -p here`)).toEqual({ [asked]: value })
        await runOk(
          name === 'admin_mode' ? `${line.replace('--', '--no-')}` : line.replace(' 7', ' 8'),
        )
      }
    expect((await run('settings update --boss-mode --admin-mode -p here')).code).toBe(2)
  })

  it('is compared with another one, and both are brought to one state by one set of files', async () => {
    writeFileSync(join(cwd, 'there.yml'), texts.there)
    await runOk('profile set there --vocabulary there.yml')
    await runOk('settings update --haze-account-id 9 --yes -p there,here')
    await runOk('settings update --cloud-account-id 1 -p there')
    await runOk('deploy-keys update 1 -P platform/app --no-allows-push -p there')
    await runOk('export settings deploy_keys --exact --to state -p here')
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
    await runOk('apply state --yes -p there')
    expect(await plans()).toEqual([[], []])
    await runOk('drift state -p here,there')
    const [one, other] = [
      await runOk('export settings deploy_keys -p here'),
      await runOk('export settings deploy_keys -p there'),
    ]
    expect(other.stdout).toBe(one.stdout)
  })
})

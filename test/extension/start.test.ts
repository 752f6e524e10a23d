/** What a line costs while an extension of 1,000 operations is installed, in files that it reads and modules that it loads. */
import { cpSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { configuration, folder } from '../support/program.js'
import { importsIn, targetOf, textOf } from '../support/source.js'
import { svcctl } from '../support/within.js'
import { createDocument } from './synthetic.js'

const cwd = folder()
const env = { SVC_CONFIG_DIR: configuration(), SVC_BASE_URL: 'https://svc.test', SVC_TOKEN: 'x' }
beforeAll(async () => {
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(createDocument(1000)))
  const { stderr } = await svcctl(['extend', 'add', 'api.json'], { cwd, env })
  expect(Number(/(\d+) commands in/.exec(stderr)?.[1])).toBeGreaterThan(700)
}, 120_000)

/** Copies the settings, with each stored file of the extension but these damaged. */
const damageOthers = (needed: readonly string[]): string => {
  const copy = folder()
  cpSync(env.SVC_CONFIG_DIR, copy, { recursive: true })
  const stored = readdirSync(join(copy, 'extensions'), { recursive: true }).map(String)
  const others = stored
    .map((file) => join('extensions', file))
    .filter((file) => statSync(join(copy, file)).isFile() && !needed.includes(file))
  expect(others.length).toBeGreaterThan(5)
  for (const file of others) writeFileSync(join(copy, file), 'damaged')
  return copy
}

it.each([
  ['--version', []],
  ['settings get --help', []],
  ['runners get 1 --curl', []],
  ['hooks list --help', ['extensions/api/area-hooks.json']],
  ['hooks create -P 1 --name x --curl', ['extensions/api/area-hooks.json']],
] as const)('%s reads no more than it needs', async (line, needed) => {
  const { code, stderr } = await svcctl(line.split(' '), {
    cwd,
    env: { ...env, SVC_CONFIG_DIR: damageOthers(needed) },
  })
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/damaged|cannot read/)])
})

it('reads what it needs', async () => {
  const changed = { ...env, SVC_CONFIG_DIR: damageOthers([]) }
  const { code, stderr } = await svcctl(['hooks', 'list', '--help'], { cwd, env: changed })
  expect([code, stderr]).not.toEqual([0, ''])
})

it('loads no code that reads or compiles extensions, but for extend itself', () => {
  const seen = new Set(['main.ts', 'profile/extensions.ts', 'commands/index.ts', 'cli/tab.ts'])
  for (const file of seen)
    for (const one of importsIn(textOf(file)).filter(({ type, dynamic }) => !type && !dynamic)) {
      const target = targetOf(file, one)
      if (target.endsWith('.ts')) seen.add(target)
    }
  expect(seen.size).toBeGreaterThan(50)
  expect([...seen].filter((file) => file.startsWith('extension/'))).toEqual(['extension/words.ts'])
})

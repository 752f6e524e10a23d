/** Tests the cost of a line with an installed extension of 1,000 operations: the files that it reads and the modules that it loads. */
import { cpSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { createConfiguration, createFolder } from '../support/program.js'
import { listImports, readSource, resolveTarget } from '../support/source.js'
import { svcctl } from '../support/within.js'
import { createDocument } from './synthetic.js'

const cwd = createFolder()
const env = {
  SVC_CONFIG_DIR: createConfiguration(),
  SVC_BASE_URL: 'https://svc.test',
  SVC_TOKEN: 'x',
}
beforeAll(async () => {
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(createDocument(1000)))
  const { stderr } = await svcctl(['extend', 'add', 'api.json'], { cwd, env })
  expect(Number(/(\d+) commands in/.exec(stderr)?.[1])).toBeGreaterThan(700)
}, 120_000)

/** Copies the settings, and damages all stored files of the extension except the needed ones. */
const copyWithDamage = (needed: readonly string[]): string => {
  const copy = createFolder()
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
    env: { ...env, SVC_CONFIG_DIR: copyWithDamage(needed) },
  })
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/damaged|cannot read/)])
})

it('reads what it needs', async () => {
  const changed = { ...env, SVC_CONFIG_DIR: copyWithDamage([]) }
  const { code, stderr } = await svcctl(['hooks', 'list', '--help'], { cwd, env: changed })
  expect([code, stderr]).not.toEqual([0, ''])
})

it('loads no code that reads or compiles extensions, but for extend itself', () => {
  const seen = new Set(['main.ts', 'profile/extensions.ts', 'commands/index.ts', 'cli/tab.ts'])
  for (const file of seen)
    for (const one of listImports(readSource(file)).filter(
      ({ type, dynamic }) => !type && !dynamic,
    )) {
      const target = resolveTarget(file, one)
      if (target.endsWith('.ts')) seen.add(target)
    }
  expect(seen.size).toBeGreaterThan(50)
  expect([...seen].filter((file) => file.startsWith('extension/'))).toEqual(['extension/words.ts'])
})

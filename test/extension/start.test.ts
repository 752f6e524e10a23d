/** What a line costs while an extension of 1,000 operations is installed, in files that it reads and modules that it loads. */
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import { configuration, folder } from '../support/program.js'
import { importsIn, targetOf, textOf } from '../support/source.js'
import { svcctl } from '../support/within.js'
import { createDocument } from './synthetic.js'

const { reads } = vi.hoisted(() => ({ reads: [] as string[] }))
vi.mock('../../src/base/files/regular.js', async (original) => {
  const real = await original<typeof import('../../src/base/files/regular.js')>()
  const readRegular = (...args: Parameters<typeof real.readRegular>) => {
    reads.push(String(args[0]))
    return real.readRegular(...args)
  }
  return { ...real, readRegular }
})

const cwd = folder()
const env = { SVC_CONFIG_DIR: configuration(), SVC_BASE_URL: 'https://svc.test', SVC_TOKEN: 'x' }
beforeAll(async () => {
  writeFileSync(join(cwd, 'api.json'), JSON.stringify(createDocument(1000)))
  const { stderr } = await svcctl(['extend', 'add', 'api.json'], { cwd, env })
  expect(Number(/(\d+) commands in/.exec(stderr)?.[1])).toBeGreaterThan(700)
}, 120_000)

it.each([
  ['--version', ['extensions.json']],
  ['settings get --help', ['extensions.json']],
  ['runners get 1 --curl', ['extensions.json']],
  ['hooks list --help', ['extensions.json', 'extensions/api/area-hooks.json']],
  ['hooks create -P 1 --name x --curl', ['extensions.json', 'extensions/api/area-hooks.json']],
] as const)('%s reads no more than it needs', async (line, files) => {
  reads.length = 0
  const { code, stderr } = await svcctl(line.split(' '), { cwd, env })
  const own = reads.map((file) => relative(env.SVC_CONFIG_DIR, file))
  const read = [...new Set(own.filter((file) => file.startsWith('extensions')))].sort()
  expect({ code, stderr: code === 0 ? '' : stderr, read }).toEqual({
    code: 0,
    stderr: '',
    read: files,
  })
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

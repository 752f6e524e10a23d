/** A process that waits for what never comes ends, and says that this is a defect. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFolder, svcctl } from '../support/program.js'

const manifest = join(import.meta.dirname, '..', '..', 'package.json')
const { bugs } = JSON.parse(readFileSync(manifest, 'utf8')) as { bugs: { url: string } }

it('a run that waits for what never comes ends with 9, and says where to report it', async () => {
  const file = join(createFolder(), 'never.cjs')
  writeFileSync(file, "require('node:fs/promises').open = () => new Promise(() => {})\n")
  const env = {
    NODE_OPTIONS: `--require ${file}`,
    SVC_TOKEN: 'x',
    SVC_BASE_URL: 'http://[::1]:1',
  }
  for (const [line, how] of [
    ['runners get 1 --to answer', 'text'],
    ['runners get 1 --to answer -o json', 'json'],
    ['runners get 1 2 --to answer', 'text'],
  ] as const) {
    const { code, stdout, stderr } = await svcctl(line.split(' '), { env })
    expect({ code, stdout }, stderr).toEqual({ code: 9, stdout: '' })
    const text = how === 'json' ? JSON.parse(stderr).error.message : stderr
    expect(text).toContain('the command did not finish')
    expect(stderr).toContain(bugs.url)
  }
})

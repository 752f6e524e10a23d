/** A defect of the tool itself: exit 9, and where to report it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, svcctl } from '../support/program.js'

const manifest = join(import.meta.dirname, '..', '..', 'package.json')
const { bugs } = JSON.parse(readFileSync(manifest, 'utf8')) as { bugs: { url: string } }

/** Something that the program relies on and that fails as nobody expected. */
const broken = (): Readonly<Record<string, string>> => {
  const file = join(folder(), 'broken.cjs')
  writeFileSync(file, "String.prototype.padEnd = () => { throw new TypeError('broken') }\n")
  return { NODE_OPTIONS: `--require ${file}` }
}

describe('a defect', () => {
  it('ends with 9 and the address of package.json where it is reported', async () => {
    const { code, stdout, stderr } = await svcctl(['--help'], { env: broken() })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(bugs.url).toMatch(/^https:\/\//)
    expect(stderr).toContain('svcctl has a defect: broken\n')
    expect(stderr).toContain(`report this at ${bugs.url}, `)
  })

  it('says so in JSON, too', async () => {
    const { code, stderr } = await svcctl(['runners', '--help', '-o', 'json'], { env: broken() })
    expect(code).toBe(9)
    expect(JSON.parse(stderr)).toMatchObject({
      error: { category: 'internal', hint: expect.stringContaining(bugs.url) },
    })
  })

  it.each([
    [['runners', 'get', '1', '--to', 'answer'], 'text'],
    [['runners', 'get', '1', '--to', 'answer', '-o', 'json'], 'json'],
    [['runners', 'get', '1', '2', '--to', 'answer'], 'text'],
  ])('is a run that waits for what never comes: %j', async (line, how) => {
    const file = join(folder(), 'never.cjs')
    writeFileSync(file, "require('node:fs/promises').open = () => new Promise(() => {})\n")
    const env = {
      NODE_OPTIONS: `--require ${file}`,
      SVC_TOKEN: 'x',
      SVC_BASE_URL: 'http://[::1]:1',
    }
    const { code, stdout, stderr } = await svcctl(line, { env })
    expect({ code, stdout }, stderr).toEqual({ code: 9, stdout: '' })
    const text = how === 'json' ? JSON.parse(stderr).error.message : stderr
    expect(text).toContain('the command did not finish')
    expect(stderr).toContain(bugs.url)
  })
})

/** A defect of the tool itself: exit 9, and where to report it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { svcctl } from '../support/within.js'

const manifest = join(import.meta.dirname, '..', '..', 'package.json')
const { bugs } = JSON.parse(readFileSync(manifest, 'utf8')) as { bugs: { url: string } }

/** Something that the line relies on and that fails as nobody expected. */
const broken = {
  mayBeTerminal: () => {
    throw new TypeError('broken')
  },
}

describe('a defect', () => {
  it('ends with 9 and the address of package.json where it is reported', async () => {
    const { code, stdout, stderr } = await svcctl(['--help'], { io: broken })
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' })
    expect(bugs.url).toMatch(/^https:\/\//)
    expect(stderr).toContain('svcctl has a defect: broken\n')
    expect(stderr).toContain(`report this at ${bugs.url}, `)
  })

  it('says so in JSON, too', async () => {
    const { code, stderr } = await svcctl(['runners', '--help', '-o', 'json'], { io: broken })
    expect(code).toBe(9)
    expect(JSON.parse(stderr)).toMatchObject({
      error: { category: 'internal', hint: expect.stringContaining(bugs.url) },
    })
  })
})

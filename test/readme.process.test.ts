/** What README.md begins with: the program where it was built, and where it is installed. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf } from './support/pages.js'
import { folder } from './support/program.js'
import { inShell } from './support/shell.js'

const root = join(import.meta.dirname, '..')

describe('README.md', () => {
  it('begins with what lists the runners of the embedded instance', async () => {
    const line = blocksOf('sh')[0]?.replace('npm ci && ', '') ?? ''
    const ran = await inShell(line, { cwd: root })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^id\tdescription/)
  })

  it('installs what it packs', async () => {
    const copy = folder()
    // `library/packed.process.test.ts` packs with a build; here it is what is built already.
    const needed = ['bin', 'dist', 'completions', 'README.md', 'LICENSE', 'package.json', '.npmrc']
    for (const name of needed) cpSync(join(root, name), join(copy, name), { recursive: true })
    const prefix = folder()
    const env = {
      npm_config_prefix: prefix,
      npm_config_offline: 'true',
      npm_config_omit: 'optional',
      npm_config_ignore_scripts: 'true',
      PATH: `${prefix}/bin:${process.env.PATH}`,
    }
    const ran = await inShell(blocksOf('sh').find((lines) => lines.includes('npm pack &&')) ?? '', {
      env,
      cwd: copy,
    })
    expect(ran).toMatchObject({ code: 0 })
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe(version)
  }, 120_000)
})

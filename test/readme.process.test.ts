/** Tests the first commands of README.md: the program in the folder where it was built, and the installed one. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listCodeBlocks } from './support/pages.js'
import { createFolder } from './support/program.js'
import { runInShell } from './support/shell.js'

const root = join(import.meta.dirname, '..')

describe('README.md', () => {
  it('begins with what lists the runners of the embedded instance', async () => {
    const line = listCodeBlocks('sh')[0]?.replace('npm ci && ', '') ?? ''
    const ran = await runInShell(line, { cwd: root })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^id\tdescription/)
  })

  it('installs what it packs', async () => {
    const copy = createFolder()
    // `library/packed.process.test.ts` packs with a build; this test packs the existing build.
    const needed = ['bin', 'dist', 'completions', 'README.md', 'LICENSE', 'package.json', '.npmrc']
    for (const name of needed) cpSync(join(root, name), join(copy, name), { recursive: true })
    const prefix = createFolder()
    const env = {
      npm_config_prefix: prefix,
      npm_config_offline: 'true',
      npm_config_omit: 'optional',
      npm_config_ignore_scripts: 'true',
      PATH: `${prefix}/bin:${process.env.PATH}`,
    }
    const ran = await runInShell(
      listCodeBlocks('sh').find((lines) => lines.includes('npm pack &&')) ?? '',
      {
        env,
        cwd: copy,
      },
    )
    expect(ran).toMatchObject({ code: 0 })
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe(version)
  }, 120_000)
})

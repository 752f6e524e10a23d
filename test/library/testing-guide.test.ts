/** The guide's page on tests: its examples pass as they stand, under the runners that are there. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../support/pages.js'
import { clean, configuration, folder } from '../support/program.js'
import { pathToLines } from '../support/shell.js'

const root = join(import.meta.dirname, '../..')
const page = ['.github/guide/testing.md']
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
)
const at = (file: string): string => JSON.stringify(join(root, file))
/** Names of the package, as they stand here; what Jest imports the other runner has too. */
const config = `export default {
  root: '.',
  resolve: { alias: {
    'svcctl/client': ${at('src/library/client.ts')},
    'svcctl/sandbox': ${at('src/library/sandbox.ts')},
    '@jest/globals': ${JSON.stringify(join(dirname(vitest), 'dist/index.js'))},
    vitest: ${JSON.stringify(join(dirname(vitest), 'dist/index.js'))},
  } },
  server: { fs: { strict: false } },
  // The bounds of the tests of this repository: a busy machine takes longer than five seconds.
  test: { testTimeout: 30_000, hookTimeout: 60_000 },
}`

describe('the examples of the guide', () => {
  it('pass under a runner for JavaScript', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'vitest.config.mjs'), config)
    for (const [index, text] of blocksOf('js', page).entries())
      writeFileSync(join(cwd, `example-${index}.test.mjs`), text)
    const ran = await execa(process.execPath, [vitest, 'run', '--reporter', 'json'], {
      cwd,
      reject: false,
      extendEnv: false,
      env: clean(),
    })
    expect([ran.exitCode, ran.stderr], ran.stdout).toEqual([0, ''])
    expect(JSON.parse(ran.stdout)).toMatchObject({ numPassedTests: 2, numTotalTests: 2 })
  })

  it.skipIf(spawnSync('python3', ['-m', 'pytest', '--version']).status !== 0)(
    'pass under pytest',
    async () => {
      const cwd = folder()
      writeFileSync(join(cwd, 'test_example.py'), blocksOf('python', page)[0] ?? '')
      const env = { ...clean(), PATH: await pathToLines(), SVC_CONFIG_DIR: configuration() }
      const args = [
        '-m',
        'pytest',
        '-q',
        '-p',
        'no:cacheprovider',
        `--basetemp=${join(cwd, 'tmp')}`,
      ]
      const ran = await execa('python3', args, { cwd, reject: false, extendEnv: false, env })
      expect(ran.exitCode, ran.stdout).toBe(0)
      expect(ran.stdout).toContain('1 passed')
    },
  )
})

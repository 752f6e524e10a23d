/** The guide's page on tests: its examples pass unchanged under each test runner. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { listCodeBlocks } from '../support/pages.js'
import { createConfiguration, createFolder, getCleanEnv } from '../support/program.js'
import { createLinePath } from '../support/shell.js'

const root = join(import.meta.dirname, '../..')
const page = ['.github/guide/testing.md']
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
)
const quotePath = (file: string): string => JSON.stringify(join(root, file))
/** Maps the names of the package to files here, and the imports of Jest to the other runner. */
const config = `export default {
  root: '.',
  resolve: { alias: {
    'svcctl/client': ${quotePath('src/library/client.ts')},
    'svcctl/sandbox': ${quotePath('src/library/sandbox.ts')},
    '@jest/globals': ${JSON.stringify(join(dirname(vitest), 'dist/index.js'))},
    vitest: ${JSON.stringify(join(dirname(vitest), 'dist/index.js'))},
  } },
  server: { fs: { strict: false } },
  // The bounds of the tests of this repository: a busy machine takes longer than five seconds.
  test: { testTimeout: 30_000, hookTimeout: 60_000 },
}`

describe('the examples of the guide', () => {
  it('pass under a runner for JavaScript', async () => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'vitest.config.mjs'), config)
    for (const [index, text] of listCodeBlocks('js', page).entries())
      writeFileSync(join(cwd, `example-${index}.test.mjs`), text)
    const ran = await execa(process.execPath, [vitest, 'run', '--reporter', 'json'], {
      cwd,
      reject: false,
      extendEnv: false,
      env: getCleanEnv(),
    })
    expect([ran.exitCode, ran.stderr], ran.stdout).toEqual([0, ''])
    expect(JSON.parse(ran.stdout)).toMatchObject({ numPassedTests: 2, numTotalTests: 2 })
  })

  it.skipIf(spawnSync('python3', ['-m', 'pytest', '--version']).status !== 0)(
    'pass under pytest',
    async () => {
      const cwd = createFolder()
      writeFileSync(join(cwd, 'test_example.py'), listCodeBlocks('python', page)[0] ?? '')
      const env = {
        ...getCleanEnv(),
        PATH: await createLinePath(),
        SVC_CONFIG_DIR: createConfiguration(),
      }
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

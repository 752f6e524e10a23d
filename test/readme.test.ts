/** README files name only what there is, and their commands run as they stand. */
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox/index.js'
import { clean, configuration, folder, program } from './support/program.js'

const root = join(import.meta.dirname, '..')
/** Documents that name files of the repository, each from its own folder. */
const rooms = readdirSync(join(root, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `src/${name}/README.md`)
  .filter((path) => existsSync(join(root, path)))
const documents = ['src/README.md', '.github/CONTRIBUTING.md', ...rooms]
const pathsIn = (document: string): string[] => {
  const text = readFileSync(join(root, document), 'utf8')
  const found = text.matchAll(/`([\w./-]+\/[\w./-]*|[\w-]+\.(?:ts|md))`/g)
  return [...new Set([...found].map(([, path]) => path ?? ''))]
}

it.each(documents.slice(0, 2))('%s shows the way', (document) => {
  expect(pathsIn(document).length).toBeGreaterThan(20)
})

it('has a page in each room with rules of its own', () => {
  expect(rooms.length).toBeGreaterThan(8)
})

describe.each(documents)('%s', (document) => {
  it.each(pathsIn(document))('names %s, which exists', (path) => {
    const from = path === '.ci/run' ? root : join(root, dirname(document))
    expect(existsSync(join(from, path))).toBe(true)
  })
})

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, lines = '']) => lines)

/** A shell in which `svcctl` is this program, stopping at the first line that fails. */
const shell = async (
  script: string,
  env: Readonly<Record<string, string>> = {},
  cwd = folder(),
) => {
  const bin = folder()
  writeFileSync(join(bin, 'svcctl'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(bin, 'svcctl'), 0o755)
  const ran = await execa('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    reject: false,
    extendEnv: false,
    stdin: 'ignore',
    env: {
      ...clean(),
      PATH: `${bin}:${process.env.PATH}`,
      SVC_CONFIG_DIR: configuration(),
      ...env,
    },
  })
  return { code: ran.exitCode, stderr: ran.stderr, stdout: ran.stdout }
}

describe('README.md', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox({ stateDir: folder(), speed: Number.POSITIVE_INFINITY })
  })
  afterAll(() => sandbox.close())

  it('has these blocks of commands, each run below or by .ci/run', () => {
    expect(blocks.map((block) => block.split('\n')[0]?.replace(/ {2,}.*/, ''))).toEqual([
      'npm ci && node bin/svcctl.js runners list --instance --sandbox',
      'npm ci && npm test',
      'npm pack && npm install -g ./svcctl-*.tgz',
      'export SVC_SANDBOX=1',
      'unset SVC_SANDBOX',
      "svcctl runners list --instance --where 'status=offline,contacted_at>30d'",
      "svcctl runners pause --instance --select 'contacted_at>30d' --dry-run",
    ])
  })

  it('begins with what lists the runners of the embedded instance', async () => {
    const line = blocks[0]?.replace('npm ci && ', '') ?? ''
    const ran = await shell(line, {}, root)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^id\tdescription/)
  })

  it('installs what it packs', async () => {
    const copy = folder()
    const needed = ['src', 'bin', '.config', 'completions', 'README.md', 'LICENSE', 'package.json']
    for (const name of [...needed, 'package-lock.json', 'tsconfig.json', '.npmrc'])
      cpSync(join(root, name), join(copy, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const prefix = folder()
    const env = {
      npm_config_prefix: prefix,
      npm_config_offline: 'true',
      npm_config_omit: 'optional',
      PATH: `${prefix}/bin:${process.env.PATH}`,
    }
    const ran = await shell(blocks[2] ?? '', env, copy)
    expect(ran).toMatchObject({ code: 0 })
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe(version)
  }, 120_000)

  it('tries everything on the embedded instance', async () => {
    const ran = await shell(blocks[3] ?? '')
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^platform\/app$/m)
  })

  it('chooses records', async () => {
    const ran = await shell(`export SVC_SANDBOX=1\n${blocks[5] ?? ''}`)
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^platform\/app!4\topened/m)
    expect(ran.stdout).toMatch(/\towner\t/)
  })

  it('changes what it selects', async () => {
    const ran = await shell(`export SVC_SANDBOX=1\n${blocks[6] ?? ''}`)
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^id\tdescription[^\n]*\n2\t/m)
  })

  it('signs in to an instance', async () => {
    // The question is answered at a real terminal in examples.test.ts.
    const script = (blocks[4] ?? '').replace(
      /(auth login) --base-url \S+/,
      `$1 --base-url ${sandbox.url} --token-stdin <<<sandbox-root-token`,
    )
    const ran = await shell(script, { SVC_NO_KEYRING: '1' })
    expect(ran.stderr).toContain('signed in to')
    expect(ran).toMatchObject({ code: 0 })
  })
})

/** README files name only what there is, and their commands run as they stand. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox/index.js'
import { blocksOf, pages, textOf } from './support/pages.js'
import { configuration, folder } from './support/program.js'
import { absentIn, type InShell, inShell, runLine } from './support/shell.js'

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

/** The block of commands with this line in it. */
const block = (line: string): string => {
  const found = blocksOf('sh').find((lines) => lines.includes(line))
  if (found === undefined) throw new Error(`no page has a block with "${line}"`)
  return found
}

/** What it takes to run on an embedded instance that is kept from line to line. */
const onSandbox = () => ({ env: { SVC_SANDBOX: '1', SVC_CONFIG_DIR: configuration() } })

/** Runs each line by itself, without its comment, until one fails. */
const runAll = async (lines: string, how: InShell) => {
  let stdout = ''
  for (const line of lines.trimEnd().split('\n')) {
    const ran = await runLine(line.replace(/ +# .*/, ''), how)
    stdout += `${ran.stdout}\n`
    if (ran.code !== 0) return { ...ran, stdout }
  }
  return { code: 0, stdout, stderr: '' }
}

/** What the README shows first, each block by its first line. */
const better = [
  'svcctl overview',
  'svcctl overview -o html --to overview.html',
  'svcctl runners pause --instance --select status=offline --dry-run',
  'svcctl export -G platform --to platform/',
  "svcctl vulnerabilities list -G platform --where 'severity=critical,state=detected' -L all -o csv > critical.csv",
  'svcctl ci lint --report junit=lint.xml -- .gitlab-ci.yml ci/*.yml',
]

describe('README.md', () => {
  let sandbox: Sandbox
  beforeAll(async () => {
    sandbox = await startSandbox({ stateDir: folder(), speed: Number.POSITIVE_INFINITY })
  })
  afterAll(() => sandbox.close())

  it('has these blocks of commands, each run below, by .ci/run, or as a recipe', () => {
    const firsts = (page: string): readonly (string | undefined)[] =>
      blocksOf('sh', [page]).map((lines) => lines.split('\n')[0]?.replace(/ {2,}.*/, ''))
    const others = pages.filter((page) => !page.endsWith('recipes.md'))
    expect(others.flatMap(firsts)).toEqual([
      'npm ci && node bin/svcctl.js runners list --instance --sandbox',
      'npm ci && npm test',
      ...better,
      'npm pack && npm install -g ./svcctl-*.tgz',
      'export SVC_SANDBOX=1',
      'unset SVC_SANDBOX',
      'sh release/install.sh --require-signature',
      'svcctl auth login prod --base-url https://svc.example --token-stdin < read-token.txt',
      'svcctl snapshot --to before',
      'svcctl export --to state/',
      "cat > policy.yml <<'END'",
      'mkdir -p ci',
      'sudo apt install ./release/svcctl_*_amd64.deb',
      'svcctl check runners -o prometheus --to svcctl-runners.prom || test $? -le 2',
      'svcctl runners pause --instance --select status=offline -p prod-admin --dry-run',
      '#!/bin/sh',
      'svcctl extend add daily.yml',
      'svcctl overview -o html --open',
      "svcctl runners list --instance --jq '.[].description'",
      'svcctl overview -o html --to overview.html',
      'svcctl jobs list --all-projects --limit all --group-by created_at:week,status -o html --to weeks.html',
      'svcctl snapshot --to "snapshots/$(date -u +%F)"',
      'svcctl snapshot --to before',
      'svcctl members list --all-projects --since before',
      'svcctl check policy policy.yml --fail-on critical',
      "svcctl runners list --instance --where 'status=offline,contacted_at>30d'",
      'svcctl runners list --instance --sort status,-contacted_at',
      "svcctl jobs list --all-projects --where 'created_at<7d' --group-by name --count --p95 duration --sort=-p95",
      "svcctl runners pause --instance --select 'contacted_at>30d' --dry-run",
    ])
  })

  it('does better what it says, as it stands', async ({ skip }) => {
    const absent = absentIn(better.map(block).join(''))
    skip(absent.length > 0, `not installed: ${absent}`)
    const cwd = folder()
    mkdirSync(join(cwd, 'ci'))
    for (const name of ['.gitlab-ci.yml', 'ci/deploy.yml'])
      writeFileSync(join(cwd, name), 'build:\n  script: [make]\n')
    const { env } = onSandbox()
    for (const line of better) {
      const { code, stderr } = await runAll(block(line), { env, cwd })
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({
        line,
        code: 0,
        stderr: '',
      })
    }
    expect(readFileSync(join(cwd, 'critical.csv'), 'utf8')).toMatch(/^project,.*\nplatform\/app,/)
    expect(readFileSync(join(cwd, 'lint.xml'), 'utf8')).toContain('tests="2"')
  })

  it('leads to every page of the guide, and to nothing that is not there', () => {
    const links = [...textOf('README.md').matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, path = '']) => path,
    )
    for (const path of links) expect([path, existsSync(join(root, path))]).toEqual([path, true])
    expect(links).toEqual(expect.arrayContaining(pages.slice(1)))
  })

  it('tries everything on the embedded instance', async ({ skip }) => {
    const lines = block('mr rebase')
    skip(absentIn(lines).length > 0, `not installed: ${absentIn(lines)}`)
    const ran = await inShell(lines)
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^platform\/app$/m)
  })

  it('chooses records', async () => {
    const ran = await runAll(block('# and: silent'), onSandbox())
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^platform\/app!4\topened/m)
    expect(ran.stdout).toMatch(/\towner\t/)
  })

  it('filters JSON', async () => {
    const ran = await runAll(block("--jq '.[].description'"), onSandbox())
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^shared-linux-1$/m)
    expect(ran.stdout).toMatch(/^public: \d+$/m)
  })

  it('changes what it selects', async () => {
    const ran = await runAll(block("--select 'contacted_at"), onSandbox())
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^id\tdescription[^\n]*\n2\t/m)
  })

  it('signs in to an instance', async () => {
    // The question is answered at a real terminal in examples.test.ts.
    const script = block('auth login').replace(
      /(auth login) --base-url \S+/,
      `$1 --base-url ${sandbox.url} --token-stdin <<<sandbox-root-token`,
    )
    const ran = await inShell(script, { env: { SVC_NO_KEYRING: '1' } })
    expect(ran.stderr).toContain('signed in to')
    expect(ran).toMatchObject({ code: 0 })
  })
})

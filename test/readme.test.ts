/** Tests that README files name only files that exist, and that their commands run as written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../src/sandbox/index.js'
import { listCodeBlocks, pages, readPage } from './support/pages.js'
import { createConfiguration, createFolder } from './support/program.js'
import { findMissingPrograms, runInShell, runLine, type ShellOptions } from './support/shell.js'

const root = join(import.meta.dirname, '..')
/** Documents that name files of the repository, each from its own folder. */
const roomReadmes = readdirSync(join(root, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `src/${name}/README.md`)
  .filter((path) => existsSync(join(root, path)))
const documents = ['src/README.md', '.github/CONTRIBUTING.md', ...roomReadmes]
const listPaths = (document: string): string[] => {
  const text = readFileSync(join(root, document), 'utf8')
  const found = text.matchAll(/`([\w./-]+\/[\w./-]*|[\w-]+\.(?:ts|md))`/g)
  return [...new Set([...found].map(([, path]) => path ?? ''))]
}

it.each(documents.slice(0, 2))('%s shows the way', (document) => {
  expect(listPaths(document).length).toBeGreaterThan(20)
})

it('has a page in each room with rules of its own', () => {
  expect(roomReadmes.length).toBeGreaterThan(8)
})

describe.each(documents)('%s', (document) => {
  it.each(listPaths(document))('names %s, which exists', (path) => {
    const from = path === '.ci/run' ? root : join(root, dirname(document))
    expect(existsSync(join(from, path))).toBe(true)
  })
})

/** Finds the block of commands that contains a line. */
const findBlock = (line: string): string => {
  const found = listCodeBlocks('sh').find((lines) => lines.includes(line))
  if (found === undefined) throw new Error(`no page has a block with "${line}"`)
  return found
}

/** Creates the options to run lines on one embedded instance, which is kept between them. */
const createSandboxOptions = () => ({
  env: { SVC_SANDBOX: '1', SVC_CONFIG_DIR: createConfiguration() },
})

/** Runs each line by itself, without its comment, until one fails. */
const runLines = async (lines: string, how: ShellOptions) => {
  let stdout = ''
  for (const line of lines.trimEnd().split('\n')) {
    const ran = await runLine(line.replace(/ +# .*/, ''), how)
    stdout += `${ran.stdout}\n`
    if (ran.code !== 0) return { ...ran, stdout }
  }
  return { code: 0, stdout, stderr: '' }
}

/** The first blocks of the README, each by its first line. */
const firstBlocks = [
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
    sandbox = await startSandbox({ stateDir: createFolder(), speed: Number.POSITIVE_INFINITY })
  })
  afterAll(() => sandbox.close())

  it('has these blocks of commands, each run below, by .ci/run, or as a recipe', () => {
    const firsts = (page: string): readonly (string | undefined)[] =>
      listCodeBlocks('sh', [page]).map((lines) => lines.split('\n')[0]?.replace(/ {2,}.*/, ''))
    const others = pages.filter((page) => !page.endsWith('recipes.md'))
    expect(others.flatMap(firsts)).toEqual([
      'npm ci && node bin/svcctl.js runners list --instance --sandbox',
      'npm ci && npm test',
      ...firstBlocks,
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
    const absent = findMissingPrograms(firstBlocks.map(findBlock).join(''))
    skip(absent.length > 0, `not installed: ${absent}`)
    const cwd = createFolder()
    mkdirSync(join(cwd, 'ci'))
    for (const name of ['.gitlab-ci.yml', 'ci/deploy.yml'])
      writeFileSync(join(cwd, name), 'build:\n  script: [make]\n')
    const { env } = createSandboxOptions()
    for (const line of firstBlocks) {
      const { code, stderr } = await runLines(findBlock(line), { env, cwd })
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
    const links = [...readPage('README.md').matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, path = '']) => path,
    )
    for (const path of links) expect([path, existsSync(join(root, path))]).toEqual([path, true])
    expect(links).toEqual(expect.arrayContaining(pages.slice(1)))
  })

  it('tries everything on the embedded instance', async ({ skip }) => {
    const lines = findBlock('mr rebase')
    skip(findMissingPrograms(lines).length > 0, `not installed: ${findMissingPrograms(lines)}`)
    const ran = await runInShell(lines)
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^platform\/app$/m)
  })

  it('chooses records', async () => {
    const ran = await runLines(findBlock('# and: silent'), createSandboxOptions())
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^platform\/app!4\topened/m)
    expect(ran.stdout).toMatch(/\towner\t/)
  })

  it('filters JSON', async () => {
    const ran = await runLines(findBlock("--jq '.[].description'"), createSandboxOptions())
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^shared-linux-1$/m)
    expect(ran.stdout).toMatch(/^public: \d+$/m)
  })

  it('changes what it selects', async () => {
    const ran = await runLines(findBlock("--select 'contacted_at"), createSandboxOptions())
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toMatch(/^id\tdescription[^\n]*\n2\t/m)
  })

  it('signs in to an instance', async () => {
    // The test in examples.test.ts answers this prompt at a terminal.
    const script = findBlock('auth login').replace(
      /(auth login) --base-url \S+/,
      `$1 --base-url ${sandbox.url} --token-stdin <<<sandbox-root-token`,
    )
    const ran = await runInShell(script, { env: { SVC_NO_KEYRING: '1' } })
    expect(ran.stderr).toContain('signed in to')
    expect(ran).toMatchObject({ code: 0 })
  })
})

/**
 * The built executable on a machine without Node or anything else. Not part of `npm test`: `.ci/run` builds an executable and names it
 * in SVCCTL_EXECUTABLE.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { listCodeBlocks } from '../support/pages.js'
import { createConfiguration, createFolder, program } from '../support/program.js'
import { createProgramPath, runInShell } from '../support/shell.js'

const executable = resolve(process.env.SVCCTL_EXECUTABLE ?? 'SVCCTL_EXECUTABLE is not set')
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

/** A folder in which nobody can create a file, not even root. */
const unwritableFolder = '/sys/kernel'
/** An environment without programs, without a writable folder and without settings. */
const bareEnv = { PATH: '', HOME: unwritableFolder }

const run = async (
  args: readonly string[],
  env: Record<string, string> = bareEnv,
  file = executable,
) => {
  const options = { reject: false, extendEnv: false, stdin: 'ignore', env } as const
  const ran = await execa(file, args, { ...options, stripFinalNewline: false })
  return { code: ran.exitCode, stdout: ran.stdout, stderr: ran.stderr }
}

const listFiles = (place: string): string[] =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(place, join(entry.parentPath, entry.name)))
    .sort()

const writeCiFile = (): string => {
  const file = join(createFolder(), 'ci.yml')
  writeFileSync(file, 'build:\n  script: [make]\n')
  return file
}

describe('alone on a machine', () => {
  it('is no larger than 125 MB', () => {
    expect(statSync(executable).size).toBeLessThanOrEqual(125_000_000)
  })

  it('says its version', async () => {
    for (const flag of ['--version', '-V'])
      expect(await run([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('has help and completion', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, stderr: '' })
    const script = readFileSync('completions/svcctl.bash', 'utf8')
    expect(await run(['completion', 'bash'])).toEqual({ code: 0, stdout: script, stderr: '' })
    const words = await run(['__complete', '--', 'runners', 'li'])
    expect(words).toMatchObject({ code: 0, stderr: '' })
    expect(words.stdout).toContain('list')
  })

  it('checks a CI file', async () => {
    const { code, stderr } = await run(['ci', 'lint', writeCiFile(), '--sandbox'])
    expect(code).toBe(0)
    expect(stderr).toContain('are not saved')
  })

  it('serves the embedded instance, in which what needs git is 503', async () => {
    const serving = execa(executable, ['sandbox', 'serve'], {
      reject: false,
      extendEnv: false,
      env: { ...bareEnv, TMPDIR: createFolder() },
    })
    const ask = ['-o', 'json', 'runners', 'get', '1']
    for await (const line of serving.iterable()) {
      if (!/^http:/.test(line)) continue
      const env = { ...bareEnv, SVC_BASE_URL: line, SVC_TOKEN: 'sandbox-root-token' }
      expect(JSON.parse((await run(ask, env)).stdout)).toMatchObject({ id: 1 })
      const commits = await run(['commits', 'list', '-P', '1', '--retries', '0'], env)
      expect(commits).toMatchObject({ code: 7, stdout: '' })
      expect(commits.stderr).toContain('git is not installed on this machine')
      serving.kill('SIGINT')
    }
    expect((await serving).stderr).toContain(
      'git is not installed: requests that need it get a 503',
    )
  })
})

describe('whatever else there is', () => {
  it('is run under another name, from another place', async () => {
    const moved = join(createFolder(), 'another name')
    copyFileSync(executable, moved)
    chmodSync(moved, 0o755)
    const env = { ...bareEnv, SVC_CONFIG_DIR: createFolder() }
    const [there, here] = [
      await run(['runners', 'get', '1', '--sandbox'], env, moved),
      await run(['runners', 'get', '1', '--sandbox'], env),
    ]
    expect(there.code).toBe(0)
    expect(there).toEqual(here)
  })

  it('takes nothing from NODE_OPTIONS', async () => {
    const [injected, ran] = [join(createFolder(), 'injected.cjs'), join(createFolder(), 'ran')]
    writeFileSync(injected, `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`)
    const env = { ...bareEnv, NODE_OPTIONS: `--require ${injected} --inspect-brk=0` }
    expect(await run(['--version'], env)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    expect(await run(['--help'], env)).toEqual(await run(['--help']))
    expect(existsSync(ran)).toBe(false)
  })

  it('keeps tokens in a file that is for its owner only, and says why', async () => {
    const [env, sandbox] = [
      { PATH: '', HOME: createFolder() },
      await startSandbox({ stateDir: createFolder() }),
    ]
    try {
      const line = ['auth', 'login', '--base-url', sandbox.url, '--token-stdin']
      const input = 'sandbox-root-token\n'
      const login = await execa(executable, line, { reject: false, extendEnv: false, env, input })
      expect(login).toMatchObject({ exitCode: 0 })
      const holding = listFiles(env.HOME).filter((name) =>
        readFileSync(join(env.HOME, name), 'utf8').includes('sandbox-root-token'),
      )
      expect(holding).toHaveLength(1)
      expect(statSync(join(env.HOME, holding[0] ?? '')).mode & 0o777).toBe(0o600)
      const { code, stdout } = await run(['doctor', '-o', 'json'], env)
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toContainEqual(
        expect.objectContaining({
          check: 'keyring',
          message: 'not available in the standalone executable, only in the npm package',
        }),
      )
    } finally {
      await sandbox.close()
    }
  })
})

/** Replaces everything that differs between two runs of the same script: paths, addresses, times and random IDs. */
const normalizeText = (
  text: string,
  { config, cwd, since }: Record<'config' | 'cwd', string> & { since: number },
): string =>
  text
    .replaceAll(config, '<configuration>')
    .replaceAll(cwd, '<folder>')
    .replace(/127\.0\.0\.1:\d+/g, '<address>')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?:[0-9a-f]{8}){4,5}\b/g, '<id>')
    .replace(/\b\d{8}T\d{6}\b/g, '<run>')
    .replace(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z| \d\d:\d\d UTC)/g, (moment) =>
      Math.abs(Date.parse(moment) - since) < 60_000 ? '<now>' : moment,
    )
    .replace(/\b\d+(?:\.\d+)? m?s\b/g, '<time>')

/** Runs a shell script in which `svcctl` is `command`. Returns its exit code, its output and the files that it leaves. */
const runScript = async (script: string, command: string) => {
  const place = { cwd: createFolder(), config: createConfiguration(), since: Date.now() }
  const { cwd, config } = place
  mkdirSync(join(cwd, 'ci'))
  for (const name of ['.gitlab-ci.yml', 'ci/more.yml']) copyFileSync(writeCiFile(), join(cwd, name))
  // Both streams go to one pipe, so the output is in the order in which it was written.
  const { code, all } = await runInShell(`exec 2>&1\n${script}`, {
    cwd,
    shell: ['bash', '-u'],
    env: { PATH: createProgramPath(command), SVC_CONFIG_DIR: config, SVC_SANDBOX: '1' },
  })
  const files = listFiles(cwd).map((name) => [
    name,
    normalizeText(readFileSync(join(cwd, name), 'utf8'), place),
  ])
  return { code, all: normalizeText(all, place), files }
}

describe('beside what npm installs', () => {
  const blocks = listCodeBlocks('sh', ['README.md']).filter((text) =>
    /^svcctl |^export SVC_SANDBOX/.test(text),
  )

  it('has examples to compare', () => expect(blocks.length).toBeGreaterThan(5))

  it.each(blocks)(
    'says the same, byte for byte: %s',
    async (block) => {
      const [npm, file] = [
        await runScript(block, `'${process.execPath}' '${program}'`),
        await runScript(block, `'${executable}'`),
      ]
      expect(file).toEqual(npm)
    },
    60_000,
  )
})

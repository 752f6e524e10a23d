/** Tests `.ci/run` with replacements for npm and apt-get that only record their calls. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from './support/program.js'
import { writeScript } from './support/shell.js'
import { runProgram } from './support/starting.js'

const root = join(import.meta.dirname, '..')
const drivenPrograms = [
  'git',
  'zsh',
  'fish',
  'tmux',
  'jq',
  'openssl',
  'curl',
  'xz',
  'chromium',
  'ansible-playbook',
]

/** Debian's names of packages that differ from the name of the program. */
const packageNames: Readonly<Record<string, string>> = {
  xz: 'xz-utils',
  'ansible-playbook': 'ansible-core',
}

/** Runs `.ci/run` on a machine that has only these programs. Returns its calls of npm and apt-get in order. */
const listCommands = async (there: readonly string[]): Promise<readonly string[]> => {
  const bin = createFolder()
  const asked = join(bin, 'asked')
  for (const name of ['bash', 'env', 'dirname', 'awk', 'sed', 'tr', 'timeout'])
    symlinkSync(
      execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
      join(bin, name),
    )
  for (const name of there) writeScript(join(bin, name), '')
  for (const name of ['npm', 'apt-get'])
    writeScript(join(bin, name), `echo ${name} "$@" >>${asked}`)
  writeScript(join(bin, 'id'), 'echo 0')
  writeScript(join(bin, 'uname'), 'echo any')
  const ran = await runProgram(join(root, '.ci/run'), [], { cwd: bin, env: { PATH: bin } })
  expect([ran.code, ran.stderr.toString()]).toEqual([0, ''])
  return existsSync(asked) ? readFileSync(asked, 'utf8').trimEnd().split('\n') : []
}

describe('.ci/run', () => {
  it("installs once, by the README's command, and tests last", async () => {
    const asked = await listCommands(drivenPrograms)
    expect(asked.slice(0, 1)).toEqual(['npm ci'])
    expect(asked.filter((line) => /^npm (?:ci|i|install)\b/.test(line))).toEqual(['npm ci'])
    expect(asked.at(-1)).toBe('npm test')
  })

  it('installs the packages of the programs that tests drive, where they are absent', async () => {
    const [, install] = await listCommands([])
    expect(install?.split(' ').filter((word) => !word.startsWith('-'))).toEqual([
      'apt-get',
      'install',
      ...drivenPrograms.map((name) => packageNames[name] ?? name),
    ])
    expect((await listCommands(drivenPrograms.filter((name) => name !== 'fish')))[1]).toMatch(
      / fish$/,
    )
  })
})

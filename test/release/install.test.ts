/** The script that installs a release, with a small program in place of the executable. */

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { buildInstaller, checkKey, sign, writeSums } from '../../.config/release/beside.js'
import { createFolder } from '../support/program.js'
import { createPath, writeScript } from '../support/shell.js'
import { hasProgram } from '../support/terminal.js'

const script = join(import.meta.dirname, '../../.config/release/install.sh')
const platforms = ['linux-x64', 'linux-arm64']

/** A release whose programs only say their platform. */
const release = (): string => {
  const made = createFolder()
  for (const name of platforms)
    writeScript(join(made, `svcctl-1.2.3-${name}`), `echo 1.2.3 ${name}`)
  writeFileSync(join(made, 'install.sh'), readFileSync(script))
  writeSums(made)
  return made
}

/** Runs the script on a machine of that kind. */
const install = async (
  system: string,
  machine: string,
  args: readonly string[],
  file = script,
  home = createFolder(),
) => {
  const path = createPath({ uname: `[ "$1" = -s ] && echo ${system} || echo ${machine}` })
  const ran = await execa('sh', [file, ...args], {
    reject: false,
    extendEnv: false,
    stdin: 'ignore',
    env: { PATH: path, HOME: home },
  })
  const at = join(home, '.local/bin')
  return {
    code: ran.exitCode,
    stdout: ran.stdout,
    stderr: ran.stderr,
    home,
    left: existsSync(at) ? readdirSync(at) : [],
  }
}

describe.skipIf(process.platform === 'win32')('install.sh', () => {
  it.each([
    ['Linux', 'x86_64', 'linux-x64'],
    ['Linux', 'aarch64', 'linux-arm64'],
  ])('installs for %s on %s', async (system, machine, platform) => {
    const made = release()
    const { code, stdout, home, left } = await install(
      system,
      machine,
      [],
      join(made, 'install.sh'),
    )
    const file = join(home, '.local/bin/svcctl')
    expect({ code, left }).toEqual({ code: 0, left: ['svcctl'] })
    expect(stdout).toContain(`svcctl 1.2.3 ${platform} is installed: ${file}`)
    expect(stdout).toContain(`To uninstall: rm ${file}`)
    expect(statSync(file).mode & 0o777).toBe(0o755)
  })

  it('takes the compressed file where there is xz, and another prefix', async ({ skip }) => {
    skip(!hasProgram('xz'), 'xz is not installed')
    const [made, prefix] = [release(), createFolder()]
    await execa('xz', [join(made, 'svcctl-1.2.3-linux-x64')])
    writeSums(made)
    const args = ['--from', made, '--prefix', join(prefix, 'a b')]
    const ran = await install('Linux', 'x86_64', args)
    expect(ran).toMatchObject({ code: 0, left: [] })
    expect(readdirSync(join(prefix, 'a b/bin'))).toEqual(['svcctl'])
  })

  it('installs nothing that is not what SHA256SUMS says', async () => {
    const made = release()
    writeScript(join(made, 'svcctl-1.2.3-linux-x64'), 'echo evil')
    const ran = await install('Linux', 'x86_64', ['--from', made])
    expect(ran).toMatchObject({ code: 1, left: [] })
    expect(ran.stderr).toContain('svcctl-1.2.3-linux-x64 is not what SHA256SUMS says')
  })

  it('installs nothing that does not run', async () => {
    const made = release()
    writeScript(
      join(made, 'svcctl-1.2.3-linux-x64'),
      'echo "libatomic.so.1: not found" >&2; exit 127',
    )
    writeSums(made)
    const ran = await install('Linux', 'x86_64', ['--from', made])
    expect(ran).toMatchObject({ code: 1, left: [] })
    expect(ran.stderr).toMatch(/libatomic[\s\S]*does not run here/)
  })

  it.each([
    ['Linux', 'riscv64', [], 'there is no executable for Linux on riscv64'],
    ['Darwin', 'arm64', [], 'with Node, install the npm package'],
    ['Linux', 'x86_64', ['--from', 'http://svcctl.example'], 'only https:// is'],
    ['Linux', 'x86_64', ['--from', '/nowhere'], '/nowhere/SHA256SUMS cannot be read'],
    ['Linux', 'x86_64', ['--perfix', '/x'], 'what is "--perfix"?'],
  ])('says what is wrong on %s %s with %j', async (system, machine, args, why) => {
    const ran = await install(system, machine, args)
    expect(ran).toMatchObject({ code: 1, left: [] })
    expect(ran.stderr).toContain(why)
  })

  it('installs nowhere without HOME, unless a place is named', async () => {
    const [made, prefix] = [release(), createFolder()]
    const nowhere = await install('Linux', 'x86_64', ['--from', made], script, '')
    expect(nowhere).toMatchObject({ code: 1, stdout: '' })
    expect(nowhere.stderr).toContain('HOME is not set: name a folder by --prefix')
    const args = ['--from', made, '--prefix', prefix]
    expect((await install('Linux', 'x86_64', args, script, '')).code).toBe(0)
    expect(readdirSync(join(prefix, 'bin'))).toEqual(['svcctl'])
  })

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link to a folder', (path: string) => symlinkSync(createFolder(), path)],
  ])('refuses %s in the place of the file', async (_, make) => {
    const [made, prefix] = [release(), createFolder()]
    mkdirSync(join(prefix, 'bin'))
    make(join(prefix, 'bin/svcctl'))
    const ran = await install('Linux', 'x86_64', ['--from', made, '--prefix', prefix])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('bin/svcctl is a folder')
    expect(readdirSync(join(prefix, 'bin'))).toEqual(['svcctl'])
    expect(readdirSync(join(prefix, 'bin/svcctl'))).toEqual([])
  })

  it('keeps the file that was there where the new one is refused', async () => {
    const [made, prefix] = [release(), createFolder()]
    mkdirSync(join(prefix, 'bin'))
    writeFileSync(join(prefix, 'bin/svcctl'), 'the old one')
    writeFileSync(join(made, 'svcctl-1.2.3-linux-x64'), 'cut')
    await install('Linux', 'x86_64', ['--from', made, '--prefix', prefix])
    expect(readFileSync(join(prefix, 'bin/svcctl'), 'utf8')).toBe('the old one')
  })

  it('tells how it is used', async () => {
    const { stdout } = await install('Linux', 'x86_64', ['--help'])
    expect(stdout).toContain('sh install.sh [--from <folder or https address>] [--prefix <folder>]')
    expect(stdout).not.toContain('set -eu')
  })
})

describe.skipIf(
  process.platform === 'win32' || spawnSync('ssh-keygen', ['-?']).error !== undefined,
)('a signed release', () => {
  /** A release, and the key by which its script knows it. */
  const signed = async (by?: string) => {
    const [made, keys] = [release(), createFolder()]
    for (const name of ['own', 'other'])
      await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(keys, name)])
    writeFileSync(
      join(made, 'install.sh'),
      buildInstaller(readFileSync(join(keys, 'own.pub'), 'utf8')),
    )
    writeSums(made)
    if (by !== undefined) sign(made, join(keys, by))
    return made
  }
  const run = (made: string, ...args: string[]) =>
    install('Linux', 'x86_64', args, join(made, 'install.sh'))

  it('is installed where its signature is right', async () => {
    const { code, stderr, left } = await run(await signed('own'), '--require-signature')
    expect({ code, stderr, left }).toEqual({ code: 0, stderr: '', left: ['svcctl'] })
  })

  it('is not where another key signed it, sums were changed, or the signature is gone', async () => {
    const other = await signed('other')
    const changed = await signed('own')
    writeFileSync(join(changed, 'svcctl-1.2.3-linux-x64'), '#!/bin/sh\necho evil')
    writeSums(changed)
    const gone = await signed()
    for (const made of [other, changed, gone]) {
      const { code, left } = await run(made)
      expect({ code, left }).toEqual({ code: 1, left: [] })
    }
    expect((await run(changed)).stderr).toContain('the signature of SHA256SUMS is wrong')
  })

  it('is made only with the key by which its script knows it', async () => {
    const key = join(createFolder(), 'key')
    await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    expect(() => checkKey(key, readFileSync(`${key}.pub`, 'utf8'))).not.toThrow()
    for (const known of ['', 'ssh-ed25519 AAAA other'])
      expect(() => checkKey(key, known)).toThrow('release-key.pub: ssh-ed25519 AAAA')
  })

  it('is installed by its sums alone where nobody signed it, unless more was asked for', async () => {
    const made = release()
    expect((await run(made)).stderr).toContain('signature not checked: this release is not signed')
    const { code, left } = await run(release(), '--require-signature')
    expect({ code, left }).toEqual({ code: 1, left: [] })
  })
})

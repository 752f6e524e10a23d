/** Tests the package for Debian, with a small program instead of the executable. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { getDebianName, layOutPackage, packFolder } from '../../.config/release/debian.js'
import { createFolder } from '../support/program.js'
import { hasProgram } from '../support/terminal.js'

const about = {
  version: '1.2.3-rc.1',
  architecture: 'amd64',
  summary: 'Administer an instance',
  homepage: 'https://svcctl.example',
  bugs: 'https://svcctl.example/issues',
}
const buildTime = new Date('2026-01-02T03:04:05Z')
const runDpkg = (...args: readonly string[]) => spawnSync('dpkg-deb', args, { encoding: 'utf8' })

describe.skipIf(!hasProgram('dpkg-deb'))('the package for Debian', () => {
  const [place, tree, at] = [createFolder(), createFolder(), createFolder()]
  const file = join(place, getDebianName(about))
  beforeAll(() => {
    writeFileSync(join(place, 'svcctl'), '#!/bin/sh\necho 1.2.3\n')
    mkdirSync('dist/man', { recursive: true })
    layOutPackage(tree, join(place, 'svcctl'), 'the licences', about)
    expect(packFolder(tree, file, buildTime)).toBe(true)
    expect(runDpkg('--extract', file, at).status).toBe(0)
  })

  it('says what it is and needs', () => {
    expect(getDebianName(about)).toBe('svcctl_1.2.3~rc.1_amd64.deb')
    const { stdout } = runDpkg('--field', file)
    expect(stdout).toMatch(/^Version: 1\.2\.3~rc\.1$/m)
    expect(stdout).toMatch(/^Architecture: amd64$/m)
    expect(stdout).toMatch(/^Depends: libatomic1, libc6 \(>= 2\.28\), /m)
    expect(stdout).toMatch(/^Recommends: git$/m)
    expect(stdout).toMatch(/^Maintainer: svcctl <https:\/\/svcctl\.example\/issues>$/m)
  })

  it('is the same file again, whenever it is built', () => {
    const again = createFolder()
    const files = ['1', '2'].map((name) => {
      const [to, out] = [join(again, name), join(again, `${name}.deb`)]
      layOutPackage(to, join(place, 'svcctl'), 'the licences', about)
      const long = Date.parse('2030-01-01') / 1000 + Number(name)
      utimesSync(join(to, 'usr/bin/svcctl'), long, long)
      expect(packFolder(to, out, buildTime)).toBe(true)
      return readFileSync(out).toString('base64')
    })
    expect(files[0]).toBe(files[1])
  })

  it('runs no script when it is installed', () => {
    expect(runDpkg('--info', file).stdout).not.toMatch(/\b(?:pre|post)(?:inst|rm)\b/)
  })

  it('belongs to root, and only root may change it', () => {
    const lines = runDpkg('--contents', file).stdout.trimEnd().split('\n')
    const rights = lines.map((line) => line.split(/\s+/).slice(0, 2).join(' '))
    expect([...new Set(rights)].sort()).toEqual([
      '-rw-r--r-- root/root',
      '-rwxr-xr-x root/root',
      'drwxr-xr-x root/root',
    ])
  })

  it('has the program, its pages and completions where the system looks', () => {
    expect(spawnSync(join(at, 'usr/bin/svcctl'), { encoding: 'utf8' }).stdout).toBe('1.2.3\n')
    const share = (path: string): Buffer => readFileSync(join(at, 'usr/share', path))
    for (const [path, from] of [
      ['bash-completion/completions/svcctl', 'svcctl.bash'],
      ['zsh/vendor-completions/_svcctl', '_svcctl'],
      ['fish/vendor_completions.d/svcctl.fish', 'svcctl.fish'],
    ] as const)
      expect(share(path)).toEqual(readFileSync(join('completions', from)))
    for (const name of ['svcctl-check@.service', 'svcctl-check@.timer'])
      expect(readFileSync(join(at, 'usr/lib/systemd/system', name))).toEqual(
        readFileSync(join('.config/release/monitoring', name)),
      )
    expect(readdirSync(join(at, 'usr/share/doc/svcctl/examples')).sort()).toEqual([
      'alerts.yml',
      'dashboard.json',
    ])
    expect(share('doc/svcctl/copyright').toString()).toBe('the licences')
    expect(gunzipSync(share('doc/svcctl/changelog.gz')).toString()).toMatch(/^# Changelog/)
    const named = (end: string) =>
      readdirSync('dist/man').flatMap((name) => (name.endsWith(end) ? [`${name}.gz`] : []))
    const pages = named('.1')
    const man = join(at, 'usr/share/man')
    expect(pages.length === 0 ? [] : readdirSync(join(man, 'man1'))).toEqual(pages)
    expect(pages.length === 0 ? [] : readdirSync(join(man, 'man7'))).toEqual(named('.7'))
    for (const page of pages)
      expect(gunzipSync(share(`man/man1/${page}`)).toString()).toMatch(/^\.(TH|\\")/)
  })
})

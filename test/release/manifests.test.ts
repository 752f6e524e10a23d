/**
 * Manifests for package managers. Ruby and nix read theirs where they are installed. Those of Scoop and winget are
 * compared with values written by hand; their schemas are not used.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sum } from '../../.config/release/beside.js'
import { writeManifests } from '../../.config/release/manifests.js'
import { platformNames } from '../../.config/release/nodes.js'
import { folder } from '../support/program.js'
import { has } from '../support/terminal.js'

const { version, homepage, description } = JSON.parse(readFileSync('package.json', 'utf8'))

const nameOf = (platform: string): string =>
  `svcctl-${version}-${platform}${platform.startsWith('win') ? '.exe' : ''}`
const sumOf = (platform: string): string => createHash('sha256').update(platform).digest('hex')

/** A release of these platforms, whose files hold only their platform. */
const release = (platforms: readonly string[]): string => {
  const made = folder()
  for (const platform of platforms) writeFileSync(join(made, nameOf(platform)), platform)
  sum(made)
  return made
}

const written = (): string => {
  const made = folder()
  writeManifests(release(platformNames), made)
  return made
}
const read = (path: string): string => readFileSync(join(written(), path), 'utf8')
const url = (platform: string): string => `${homepage}/releases/v${version}/${nameOf(platform)}`

/** What of Homebrew the formula calls, as it would be on one machine. */
const stubs = (system: string, cpu: string): string => `
class Formula
  def self.on_macos; yield if '${system}' == 'darwin'; end
  def self.on_linux; yield if '${system}' == 'linux'; end
  def self.on_arm; yield if '${cpu}' == 'arm64'; end
  def self.on_intel; yield if '${cpu}' == 'x64'; end
  def self.url(text, **); puts text; end
  def self.sha256(text); puts text; end
  def self.desc(text); puts text; end
  def self.homepage(text); end
  def self.version(text); puts text; end
  def self.license(text); end
  def self.test; end
end
`

describe('manifests of a release', () => {
  const unix = platformNames.filter((platform) => !platform.startsWith('win'))

  it.skipIf(!has('ruby')).each(unix)('install %s by Homebrew', (platform) => {
    const [system = '', cpu = ''] = platform.split('-')
    const file = join(written(), 'homebrew/svcctl.rb')
    expect(spawnSync('ruby', ['-wc', file], { encoding: 'utf8' })).toMatchObject({
      stdout: 'Syntax OK\n',
      stderr: '',
    })
    const before = join(folder(), 'stubs.rb')
    writeFileSync(before, stubs(system, cpu))
    const { stdout } = spawnSync('ruby', ['-r', before, file], { encoding: 'utf8' })
    expect(stdout.split('\n')).toEqual([description, version, url(platform), sumOf(platform), ''])
  })

  it.skipIf(!has('nix-instantiate'))('install on four systems by nix', () => {
    const file = join(written(), 'nix/svcctl.nix')
    const given = (system: string): string =>
      `import ${file} { lib.optional = c: x: if c then [ x ] else [ ]; fetchurl = x: x.url + " " + x.sha256; autoPatchelfHook = 1; ` +
      `stdenv = { hostPlatform = { system = "${system}"; isLinux = true; }; cc.cc.lib = 2; mkDerivation = x: x.src; }; }`
    const systems = { 'linux-x64': 'x86_64-linux', 'linux-arm64': 'aarch64-linux' }
    const others = { 'darwin-x64': 'x86_64-darwin', 'darwin-arm64': 'aarch64-darwin' }
    for (const [platform, system] of Object.entries({ ...systems, ...others })) {
      const store = folder()
      const env = {
        ...process.env,
        NIX_STATE_DIR: store,
        NIX_STORE_DIR: join(store, 'store'),
        HOME: store,
      }
      const args = ['--eval', '--strict', '-E', given(system), '--store', 'dummy://']
      const { stdout, stderr } = spawnSync('nix-instantiate', args, { encoding: 'utf8', env })
      expect([stderr, stdout.trim()]).toEqual(['', `"${url(platform)} ${sumOf(platform)}"`])
    }
  })

  it('install the program for Windows by Scoop and winget', () => {
    expect(JSON.parse(read('scoop/svcctl.json'))).toEqual({
      version,
      description,
      homepage,
      license: 'MIT',
      architecture: { '64bit': { url: `${url('win-x64')}#/svcctl.exe`, hash: sumOf('win-x64') } },
      bin: 'svcctl.exe',
    })
    const parts = ['', '.installer', '.locale.en-US'].map((part) =>
      JSON.parse(read(`winget/svcctl.svcctl${part}.yaml`)),
    )
    const common = { PackageIdentifier: 'svcctl.svcctl', PackageVersion: version }
    for (const part of parts) expect(part).toMatchObject({ ...common, ManifestVersion: '1.6.0' })
    expect(parts.map((part) => part.ManifestType)).toEqual([
      'version',
      'installer',
      'defaultLocale',
    ])
    expect(parts[1].Installers).toEqual([
      {
        Architecture: 'x64',
        InstallerUrl: url('win-x64'),
        InstallerSha256: sumOf('win-x64').toUpperCase(),
      },
    ])
    expect(parts[0].DefaultLocale).toBe(parts[2].PackageLocale)
  })

  it('are not written for a release that lacks a platform', () => {
    const part = release(platformNames.filter((platform) => platform !== 'win-x64'))
    expect(() => writeManifests(part, folder())).toThrow('SHA256SUMS does not name')
  })
})

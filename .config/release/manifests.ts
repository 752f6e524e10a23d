/** Manifests by which package managers install a release, from its sums. People submit them; nothing here does. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What manifests say of a release. */
interface Release {
  readonly version: string
  readonly description: string
  readonly homepage: string
  readonly licence: string
  /** Where the files of the release are, without a slash at the end. */
  readonly place: string
  /** The SHA-256 of a file of the release, in hexadecimal. @throws where SHA256SUMS does not name it */
  readonly sumOf: (name: string) => string
}

/** Reads SHA256SUMS. @returns the sum of each file */
export const parseSums = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^([\da-f]{64}) {2}(.+)$/gm)].map(([, sum = '', name = '']) => [name, sum]),
  )

/** @returns the sum of a file in SHA256SUMS */
const sums = (text: string): Release['sumOf'] => {
  const known = parseSums(text)
  return (name) => {
    const sum = known.get(name)
    if (sum === undefined) throw new Error(`SHA256SUMS does not name ${name}`)
    return sum
  }
}

const fileOf = ({ version }: Release, platform: string): string => `svcctl-${version}-${platform}`

/** A text between double quotes as Ruby and nix read it: nothing in it is code. */
const quoted = (text: string): string => JSON.stringify(text).replace(/[#$](?=[{@$])/g, '\\$&')

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const homebrew = (release: Release): string => {
  const of = (platform: string): string => {
    const name = fileOf(release, platform)
    return `url ${quoted(`${release.place}/${name}`)}, using: :nounzip\n      sha256 ${quoted(release.sumOf(name))}`
  }
  const on = (system: string, arm: string, intel: string): string =>
    `  on_${system} do
    on_arm do
      ${of(arm)}
    end
    on_intel do
      ${of(intel)}
    end
  end
`
  return `class Svcctl < Formula
  desc ${quoted(release.description)}
  homepage ${quoted(release.homepage)}
  version ${quoted(release.version)}
  license ${quoted(release.licence)}

${on('macos', 'darwin-arm64', 'darwin-x64')}
${on('linux', 'linux-arm64', 'linux-x64')}
  def install
    bin.install Dir["svcctl-*"].first => "svcctl"
    generate_completions_from_executable(bin/"svcctl", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/svcctl --version").strip
  end
end
`
}

const scoop = (release: Release): string => {
  const { version, description, homepage, licence: license, place } = release
  const name = `${fileOf(release, 'win-x64')}.exe`
  const file = { url: `${place}/${name}#/svcctl.exe`, hash: release.sumOf(name) }
  return json({
    version,
    description,
    homepage,
    license,
    architecture: { '64bit': file },
    bin: 'svcctl.exe',
  })
}

/** The three files of winget, which are YAML; JSON is YAML, too. */
const winget = (release: Release): Readonly<Record<string, string>> => {
  const { version, description, homepage, licence, place } = release
  const common = { PackageIdentifier: 'svcctl.svcctl', PackageVersion: version }
  const as = (ManifestType: string, more: object): string =>
    json({ ...common, ...more, ManifestType, ManifestVersion: '1.6.0' })
  const name = `${fileOf(release, 'win-x64')}.exe`
  const installer = {
    Architecture: 'x64',
    InstallerUrl: `${place}/${name}`,
    InstallerSha256: release.sumOf(name).toUpperCase(),
  }
  const about = {
    PackageLocale: 'en-US',
    Publisher: 'svcctl',
    PackageName: 'svcctl',
    PackageUrl: homepage,
    License: licence,
    ShortDescription: description,
  }
  return {
    'winget/svcctl.svcctl.yaml': as('version', { DefaultLocale: 'en-US' }),
    'winget/svcctl.svcctl.installer.yaml': as('installer', {
      InstallerType: 'portable',
      Commands: ['svcctl'],
      Installers: [installer],
    }),
    'winget/svcctl.svcctl.locale.en-US.yaml': as('defaultLocale', about),
  }
}

const nix = (release: Release): string => {
  const systems = [
    ['x86_64-linux', 'linux-x64'],
    ['aarch64-linux', 'linux-arm64'],
    ['x86_64-darwin', 'darwin-x64'],
    ['aarch64-darwin', 'darwin-arm64'],
  ] as const
  const sources = systems.map(([system, platform]) => {
    const name = fileOf(release, platform)
    return `    ${system} = { url = ${quoted(`${release.place}/${name}`)}; sha256 = ${quoted(release.sumOf(name))}; };\n`
  })
  return `{ lib, stdenv, fetchurl, autoPatchelfHook }:
let
  sources = {
${sources.join('')}  };
in
stdenv.mkDerivation {
  pname = "svcctl";
  version = ${quoted(release.version)};
  src = fetchurl sources.\${stdenv.hostPlatform.system};
  dontUnpack = true;
  # The program is data at the end of the executable, which stripping would cut off.
  dontStrip = true;
  nativeBuildInputs = lib.optional stdenv.hostPlatform.isLinux autoPatchelfHook;
  buildInputs = [ stdenv.cc.cc.lib ];
  installPhase = "install -Dm755 $src $out/bin/svcctl";
  meta = {
    description = ${quoted(release.description)};
    homepage = ${quoted(release.homepage)};
    mainProgram = "svcctl";
    platforms = builtins.attrNames sources;
  };
}
`
}

/** Every manifest by its path. */
const manifests = (release: Release): Readonly<Record<string, string>> => ({
  'homebrew/svcctl.rb': homebrew(release),
  'scoop/svcctl.json': scoop(release),
  'nix/svcctl.nix': nix(release),
  ...winget(release),
})

/**
 * Writes the manifests of the release in a folder, which has SHA256SUMS, into another one.
 * @throws where the release does not have the executables of all platforms
 */
export const writeManifests = (from: string, to: string): void => {
  const {
    version,
    description,
    homepage,
    license: licence,
  } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    'version' | 'description' | 'homepage' | 'license',
    string
  >
  const sumOf = sums(readFileSync(join(from, 'SHA256SUMS'), 'utf8'))
  const place = `${homepage}/releases/v${version}`
  const made = manifests({ version, description, homepage, licence, place, sumOf })
  for (const [path, text] of Object.entries(made)) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    writeFileSync(join(to, path), text)
  }
}

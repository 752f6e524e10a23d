/** Builds the package for Debian and related systems: the executable, manual pages and completions in the system's places. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

export interface Package {
  readonly version: string
  /** Debian's name of the processor. */
  readonly architecture: string
  readonly summary: string
  readonly homepage: string
  readonly bugs: string
}

/** Converts a version so that pre-releases sort before it: `1.0.0-rc.1` becomes `1.0.0~rc.1`. */
const toDebianVersion = (version: string): string => version.replace('-', '~')

export const getDebianName = ({ version, architecture }: Package): string =>
  `svcctl_${toDebianVersion(version)}_${architecture}.deb`

/** The libraries that Node's own binaries are linked against: Debian 11, Ubuntu 20.04 and newer have them. */
const dependencies = ['libatomic1', 'libc6 (>= 2.28)', 'libgcc-s1 (>= 4.2)', 'libstdc++6 (>= 5)']

const buildControl = (about: Package, kibibytes: number): string =>
  [
    'Package: svcctl',
    `Version: ${toDebianVersion(about.version)}`,
    `Architecture: ${about.architecture}`,
    `Maintainer: svcctl <${about.bugs}>`,
    `Installed-Size: ${kibibytes}`,
    `Depends: ${dependencies.join(', ')}`,
    'Recommends: git',
    'Section: admin',
    'Priority: optional',
    `Homepage: ${about.homepage}`,
    `Description: ${about.summary}`,
    '',
  ].join('\n')

/** Files of the repository and their paths on the system; those in `compressedPaths` are compressed there. */
const installedPaths: Readonly<Record<string, string>> = {
  'completions/svcctl.bash': 'usr/share/bash-completion/completions/svcctl',
  'completions/_svcctl': 'usr/share/zsh/vendor-completions/_svcctl',
  'completions/svcctl.fish': 'usr/share/fish/vendor_completions.d/svcctl.fish',
  '.config/release/monitoring/svcctl-check@.service':
    'usr/lib/systemd/system/svcctl-check@.service',
  '.config/release/monitoring/svcctl-check@.timer': 'usr/lib/systemd/system/svcctl-check@.timer',
  '.config/release/monitoring/alerts.yml': 'usr/share/doc/svcctl/examples/alerts.yml',
  '.config/release/monitoring/dashboard.json': 'usr/share/doc/svcctl/examples/dashboard.json',
}
const compressedPaths: Readonly<Record<string, string>> = {
  '.github/CHANGELOG.md': 'usr/share/doc/svcctl/changelog.gz',
}

const writeWithFolder = (file: string, content: string | Buffer): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/** Lets everybody read all files, and only root change them. @returns the size in KiB */
const setPermissions = (path: string): number => {
  const found = statSync(path)
  if (!found.isDirectory()) {
    chmodSync(path, (found.mode & 0o100) === 0 ? 0o644 : 0o755)
    return Math.ceil(found.size / 1024)
  }
  chmodSync(path, 0o755)
  return readdirSync(path).reduce((sum, name) => sum + setPermissions(join(path, name)), 1)
}

/**
 * Lays out the files of the package.
 * @param licences the licences of this program, the bundled packages and Node
 */
export const layOutPackage = (
  tree: string,
  executable: string,
  licences: string,
  about: Package,
): void => {
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  cpSync(executable, join(tree, 'usr/bin/svcctl'))
  chmodSync(join(tree, 'usr/bin/svcctl'), 0o755)
  for (const [from, to] of Object.entries(installedPaths))
    writeWithFolder(join(tree, to), readFileSync(from))
  const pages = readdirSync('dist/man').map((name) => join('dist/man', name))
  const manual = pages.map((page) => {
    const chapter = page.at(-1)
    return [page, `usr/share/man/man${chapter}/${basename(page)}.gz`] as const
  })
  for (const [from, to] of [...manual, ...Object.entries(compressedPaths)])
    writeWithFolder(join(tree, to), gzipSync(readFileSync(from), { level: 9 }))
  writeWithFolder(join(tree, 'usr/share/doc/svcctl/copyright'), licences)
  const kibibytes = setPermissions(tree)
  writeWithFolder(join(tree, 'DEBIAN/control'), buildControl(about, kibibytes))
  setPermissions(join(tree, 'DEBIAN'))
}

/**
 * Packs the folder.
 * @param made the time of all files in the package
 * @returns false if there is no dpkg-deb
 */
export const packFolder = (tree: string, file: string, made: Date): boolean => {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(made.getTime() / 1000) }
  rmSync(file, { force: true })
  // Level 3 of xz: every dpkg reads it, and higher levels are slower and save little.
  const options = ['--root-owner-group', '-Zxz', '-z3', '--build', tree, file]
  const { status, error, stderr } = spawnSync('dpkg-deb', options, { encoding: 'utf8', env })
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return false
  if (status !== 0) throw new Error(`dpkg-deb failed: ${stderr || String(error)}`)
  return true
}

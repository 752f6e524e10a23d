/** The package for Debian and its kin: the executable, manual pages and completions where the system looks for them. */
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
  /** What Debian calls the processor. */
  readonly architecture: string
  readonly summary: string
  readonly homepage: string
  readonly bugs: string
}

/** Versions before one sort before it: `1.0.0-rc.1` is `1.0.0~rc.1`. */
const versionOf = (version: string): string => version.replace('-', '~')

export const debName = ({ version, architecture }: Package): string =>
  `svcctl_${versionOf(version)}_${architecture}.deb`

/** What Node's own binaries are linked against, and where from: Debian 11, Ubuntu 20.04 and newer. */
const depends = ['libatomic1', 'libc6 (>= 2.28)', 'libgcc-s1 (>= 4.2)', 'libstdc++6 (>= 5)']

const controlOf = (about: Package, kibibytes: number): string =>
  [
    'Package: svcctl',
    `Version: ${versionOf(about.version)}`,
    `Architecture: ${about.architecture}`,
    `Maintainer: svcctl <${about.bugs}>`,
    `Installed-Size: ${kibibytes}`,
    `Depends: ${depends.join(', ')}`,
    'Recommends: git',
    'Section: admin',
    'Priority: optional',
    `Homepage: ${about.homepage}`,
    `Description: ${about.summary}`,
    '',
  ].join('\n')

/** Files of the repository, and what they are on the system; those in `zipped` are compressed there. */
const placed: Readonly<Record<string, string>> = {
  'completions/svcctl.bash': 'usr/share/bash-completion/completions/svcctl',
  'completions/_svcctl': 'usr/share/zsh/vendor-completions/_svcctl',
  'completions/svcctl.fish': 'usr/share/fish/vendor_completions.d/svcctl.fish',
  '.config/release/monitoring/svcctl-check@.service':
    'usr/lib/systemd/system/svcctl-check@.service',
  '.config/release/monitoring/svcctl-check@.timer': 'usr/lib/systemd/system/svcctl-check@.timer',
  '.config/release/monitoring/alerts.yml': 'usr/share/doc/svcctl/examples/alerts.yml',
  '.config/release/monitoring/dashboard.json': 'usr/share/doc/svcctl/examples/dashboard.json',
}
const zipped: Readonly<Record<string, string>> = {
  '.github/CHANGELOG.md': 'usr/share/doc/svcctl/changelog.gz',
}

const put = (file: string, content: string | Buffer): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/** Everybody may read all of it, nobody but root may change it. @returns KiB */
const settled = (path: string): number => {
  const found = statSync(path)
  if (!found.isDirectory()) {
    chmodSync(path, (found.mode & 0o100) === 0 ? 0o644 : 0o755)
    return Math.ceil(found.size / 1024)
  }
  chmodSync(path, 0o755)
  return readdirSync(path).reduce((sum, name) => sum + settled(join(path, name)), 1)
}

/**
 * Lays out what is packed.
 * @param licences what is copied into it: ours, those of what is bundled, Node's
 */
export const lay = (tree: string, executable: string, licences: string, about: Package): void => {
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  cpSync(executable, join(tree, 'usr/bin/svcctl'))
  chmodSync(join(tree, 'usr/bin/svcctl'), 0o755)
  for (const [from, to] of Object.entries(placed)) put(join(tree, to), readFileSync(from))
  const pages = readdirSync('dist/man').map((name) => join('dist/man', name))
  const manual = pages.map((page) => {
    const chapter = page.at(-1)
    return [page, `usr/share/man/man${chapter}/${basename(page)}.gz`] as const
  })
  for (const [from, to] of [...manual, ...Object.entries(zipped)])
    put(join(tree, to), gzipSync(readFileSync(from), { level: 9 }))
  put(join(tree, 'usr/share/doc/svcctl/copyright'), licences)
  const kibibytes = settled(tree)
  put(join(tree, 'DEBIAN/control'), controlOf(about, kibibytes))
  settled(join(tree, 'DEBIAN'))
}

/**
 * Packs it.
 * @param made when: the times of all files in it
 * @returns false where there is no dpkg-deb
 */
export const pack = (tree: string, file: string, made: Date): boolean => {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(made.getTime() / 1000) }
  rmSync(file, { force: true })
  // xz at 3, since each dpkg reads it, and a higher level is slower and hardly smaller.
  const options = ['--root-owner-group', '-Zxz', '-z3', '--build', tree, file]
  const { status, error, stderr } = spawnSync('dpkg-deb', options, { encoding: 'utf8', env })
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return false
  if (status !== 0) throw new Error(`dpkg-deb failed: ${stderr || String(error)}`)
  return true
}

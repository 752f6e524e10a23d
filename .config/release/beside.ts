/**
 * Builds the files that accompany the executables of a release: compressed forms, packages, licences, the bill of materials,
 * checksums.
 */
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { buildCycloneDx, buildSpdx } from './bill.js'
import { getDebianName, layOutPackage, packFolder } from './debian.js'
import { getOrigin, type NodeBinary, nodeVersion, type Platform } from './nodes.js'

/** The folder in which a release is built; git ignores it. */
export const releaseFolder = 'release'

export const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string
  readonly description: string
  readonly homepage: string
  readonly bugs: { readonly url: string }
}

/** Returns the time of the release, for all files that state it: `SOURCE_DATE_EPOCH`, or else the time of the commit. */
const getReleaseTime = (): Date => {
  const { SOURCE_DATE_EPOCH: given } = process.env
  const seconds = given || execFileSync('git', ['log', '-1', '--format=%ct']).toString().trim()
  if (!/^\d+$/.test(seconds)) throw new Error(`SOURCE_DATE_EPOCH is no time: "${seconds}"`)
  return new Date(Number(seconds) * 1000)
}

/** Derives a UUID from a text; the same text gives the same UUID. */
const toUuid = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`]
  return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

/** Joins the licences of this program, the bundled packages and Node. */
export const joinLicences = ({ licence: node }: NodeBinary): string => {
  const texts = ['LICENSE', 'dist/licences.txt'].map((file) => readFileSync(file, 'utf8').trim())
  const rule = `\n\n${'-'.repeat(80)}\n\n`
  return `${[...texts, `Node.js ${nodeVersion}\n\n${node.trim()}`].join(rule)}\n`
}

/** Writes `file.xz`, with a filter for x86 code if it is such. @returns the path, or why it was not written */
export const compress = async (file: string, platform: Platform): Promise<string> => {
  const filters = platform.endsWith('x64') ? ['--x86', '--lzma2=preset=6'] : ['-6']
  try {
    await promisify(execFile)('xz', ['--keep', '--force', '-T1', ...filters, file])
    return `${file}.xz`
  } catch (error) {
    return `${file}.xz is NOT made: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Builds the package for Debian. @returns its path, or why it was not built */
export const buildDebian = (
  file: string,
  platform: Platform,
  licences: string,
  folder: string,
): string => {
  const { debian: architecture } = getOrigin(platform)
  const { version, description: summary, homepage, bugs } = manifest
  const about = { version, architecture, summary, homepage, bugs: bugs.url }
  const [tree, made] = [join(folder, `deb-${platform}`), join(releaseFolder, getDebianName(about))]
  layOutPackage(tree, file, licences, about)
  return packFolder(tree, made, getReleaseTime())
    ? made
    : `${made} is NOT made: there is no dpkg-deb on this machine`
}

/** Files of the repository that every release contains unchanged. */
export const companionFiles = ['.config/release/Containerfile', '.github/ci/component.yml'] as const

/** Writes the files that accompany every release. */
export const writeCompanions = (builder: NodeBinary, licences: string): void => {
  for (const file of companionFiles) cpSync(file, join(releaseFolder, basename(file)))
  writeFileSync(join(releaseFolder, 'install.sh'), buildInstaller(), { mode: 0o755 })
  writeFileSync(join(releaseFolder, 'licences.txt'), licences)
  const versions = execFileSync(builder.file, ['-p', 'JSON.stringify(process.versions)'])
  const contents = {
    version: manifest.version,
    licences: readFileSync('dist/licences.txt', 'utf8'),
    node: JSON.parse(versions.toString()) as NodeJS.ProcessVersions,
    now: getReleaseTime(),
    serialNumber: `urn:uuid:${toUuid(`${manifest.version} ${getReleaseTime().toISOString()}`)}`,
  }
  const name = join(releaseFolder, `svcctl-${manifest.version}`)
  writeFileSync(`${name}.cdx.json`, buildCycloneDx(contents))
  writeFileSync(`${name}.spdx.json`, buildSpdx(contents))
}

/** The path of the public key of the releases, which may be missing. */
const publicKey = '.config/release/release-key.pub'

/** Builds the installation script, with the key by which it verifies a release. */
export const buildInstaller = (
  key = existsSync(publicKey) ? readFileSync(publicKey, 'utf8') : '',
): string => {
  const [type = '', bytes = ''] = key.trim().split(' ')
  const signer = `signer='${`${type} ${bytes}`.trim()}'`
  return readFileSync('.config/release/install.sh', 'utf8').replace(/^signer=''$/m, signer)
}

/**
 * Checks that `install.sh` accepts signatures of this private key.
 * @param known the public key of the releases; without it, nothing can be signed
 * @throws Error with what to do
 */
export const checkKey = (
  key: string,
  known = existsSync(publicKey) ? readFileSync(publicKey, 'utf8') : '',
): void => {
  const found = execFileSync('ssh-keygen', ['-y', '-f', key]).toString()
  const bytesOf = (text: string): string | undefined => text.split(' ')[1]?.trim()
  if (bytesOf(found) !== bytesOf(known))
    throw new Error(`the public key of SVCCTL_RELEASE_KEY is not that of ${publicKey}: ${found}`)
}

/** Signs SHA256SUMS of a folder with a private key (OpenSSH), whose public key is in the file next to it. */
export const sign = (folder: string, key: string): void => {
  execFileSync('ssh-keygen', [
    '-Y',
    'sign',
    '-q',
    '-f',
    key,
    '-n',
    'svcctl-release',
    join(folder, 'SHA256SUMS'),
  ])
}

/** Writes SHA256SUMS of a folder, in the format of `sha256sum --check`. */
export const writeSums = (folder: string): void => {
  const digest = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  const names = readdirSync(folder).filter((name) => !name.startsWith('SHA256SUMS'))
  const lines = names.sort().map((name) => `${digest(name)}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

/** Reads SHA256SUMS. @returns the sum of each file */
export const parseSums = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^([\da-f]{64}) {2}(.+)$/gm)].map(([, sum = '', name = '']) => [name, sum]),
  )

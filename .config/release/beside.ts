/** What stands beside the executables of a release: smaller forms, packages, licences, the bill of materials, checksums. */
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { billOf, spdxOf } from './bill.js'
import { debName, lay, pack } from './debian.js'
import { type Binary, nodeVersion, originOf, type Platform } from './nodes.js'

/** Where a release is put together; git does not know it. */
export const out = 'release'

export const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string
  readonly description: string
  readonly homepage: string
  readonly bugs: { readonly url: string }
}

/** When the release was made, for all that says so: `SOURCE_DATE_EPOCH`, else the time of the commit. */
const released = (): Date => {
  const { SOURCE_DATE_EPOCH: given } = process.env
  const seconds = given || execFileSync('git', ['log', '-1', '--format=%ct']).toString().trim()
  if (!/^\d+$/.test(seconds)) throw new Error(`SOURCE_DATE_EPOCH is no time: "${seconds}"`)
  return new Date(Number(seconds) * 1000)
}

/** The same UUID for the same text. */
const toUuid = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`]
  return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

/** Our licence, those of what is bundled, and Node's. */
export const licencesWith = ({ licence: node }: Binary): string => {
  const texts = ['LICENSE', 'dist/licences.txt'].map((file) => readFileSync(file, 'utf8').trim())
  const rule = `\n\n${'-'.repeat(80)}\n\n`
  return `${[...texts, `Node.js ${nodeVersion}\n\n${node.trim()}`].join(rule)}\n`
}

/** Makes `file.xz`; code of x86 becomes smaller when it is told of. @returns what was made, or why nothing was */
export const compress = async (file: string, platform: Platform): Promise<string> => {
  const filters = platform.endsWith('x64') ? ['--x86', '--lzma2=preset=6'] : ['-6']
  try {
    await promisify(execFile)('xz', ['--keep', '--force', '-T1', ...filters, file])
    return `${file}.xz`
  } catch (error) {
    return `${file}.xz is NOT made: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Makes the package for Debian. @returns what was made, or why nothing was */
export const debian = (
  file: string,
  platform: Platform,
  licences: string,
  folder: string,
): string => {
  const { debian: architecture } = originOf(platform)
  const { version, description: summary, homepage, bugs } = manifest
  const about = { version, architecture, summary, homepage, bugs: bugs.url }
  const [tree, made] = [join(folder, `deb-${platform}`), join(out, debName(about))]
  lay(tree, file, licences, about)
  return pack(tree, made, released())
    ? made
    : `${made} is NOT made: there is no dpkg-deb on this machine`
}

/** Files of the repository that every release has as they are. */
export const accompanied = ['.config/release/Containerfile', '.github/ci/component.yml'] as const

/** What stands beside every release. */
export const accompany = (builder: Binary, licences: string): void => {
  for (const file of accompanied) cpSync(file, join(out, basename(file)))
  writeFileSync(join(out, 'install.sh'), installer(), { mode: 0o755 })
  writeFileSync(join(out, 'licences.txt'), licences)
  const versions = execFileSync(builder.file, ['-p', 'JSON.stringify(process.versions)'])
  const contents = {
    version: manifest.version,
    licences: readFileSync('dist/licences.txt', 'utf8'),
    node: JSON.parse(versions.toString()) as NodeJS.ProcessVersions,
    now: released(),
    serialNumber: `urn:uuid:${toUuid(`${manifest.version} ${released().toISOString()}`)}`,
  }
  const name = join(out, `svcctl-${manifest.version}`)
  writeFileSync(`${name}.cdx.json`, billOf(contents))
  writeFileSync(`${name}.spdx.json`, spdxOf(contents))
}

/** The public key of the releases, where there is one. */
const publicKey = '.config/release/release-key.pub'

/** The script that installs, with the key by which it knows a release. */
export const installer = (
  key = existsSync(publicKey) ? readFileSync(publicKey, 'utf8') : '',
): string => {
  const [type = '', bytes = ''] = key.trim().split(' ')
  const signer = `signer='${`${type} ${bytes}`.trim()}'`
  return readFileSync('.config/release/install.sh', 'utf8').replace(/^signer=''$/m, signer)
}

/**
 * Checks that what is signed with this private key is what `install.sh` takes.
 * @param known the public key of the releases; where there is none, nothing can be signed
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

/** Signs SHA256SUMS of a folder with the private key in this file (OpenSSH), next to which its public key stands. */
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

/** SHA256SUMS of a folder, as `sha256sum --check` takes it. */
export const sum = (folder: string): void => {
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

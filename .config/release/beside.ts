/** What stands beside the executables of a release: smaller forms, packages, licences, the bill of materials, checksums. */
import { execFile, execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { billOf } from './bill.js'
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

/** Our licence, those of what is bundled, and Node's. */
export const licencesWith = (nodes: Iterable<Binary>): string => {
  const [node] = [...nodes].flatMap(({ licence }) => licence ?? [])
  if (node === undefined) throw new Error('no package of Node that was fetched has its licence')
  const texts = ['LICENSE', 'dist/licences.txt'].map((file) => readFileSync(file, 'utf8').trim())
  const rule = `\n\n${'-'.repeat(80)}\n\n`
  return `${[...texts, `Node.js ${nodeVersion}\n\n${node.trim()}`].join(rule)}\n`
}

/** Makes `file.xz`; code of x86 becomes smaller when it is told of. @returns what was made, or why nothing was */
export const compress = async (file: string, platform: Platform): Promise<string> => {
  const filters = platform.endsWith('x64') ? ['--x86', '--lzma2=preset=6'] : ['-6']
  try {
    await promisify(execFile)('xz', ['--keep', '--force', '-T0', ...filters, file])
    return `${file}.xz`
  } catch (error) {
    return `${file}.xz is NOT made: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Makes the package for Debian, where there is one. @returns what was made, or why nothing was */
export const debian = (
  file: string,
  platform: Platform,
  licences: string,
  folder: string,
): string | undefined => {
  const { debian: architecture } = originOf(platform)
  if (architecture === undefined) return undefined
  const { version, description: summary, homepage, bugs } = manifest
  const about = { version, architecture, summary, homepage, bugs: bugs.url }
  const [tree, made] = [join(folder, `deb-${platform}`), join(out, debName(about))]
  lay(tree, file, licences, about)
  return pack(tree, made) ? made : `${made} is NOT made: there is no dpkg-deb on this machine`
}

/** What stands beside every release. */
export const accompany = (builder: Binary, licences: string): void => {
  for (const name of ['install.sh', 'Containerfile'])
    cpSync(join('.config/release', name), join(out, name))
  writeFileSync(join(out, 'licences.txt'), licences)
  const versions = execFileSync(builder.file, ['-p', 'JSON.stringify(process.versions)'])
  const bill = billOf({
    version: manifest.version,
    licences: readFileSync('dist/licences.txt', 'utf8'),
    node: JSON.parse(versions.toString()) as NodeJS.ProcessVersions,
    now: new Date(),
    serialNumber: `urn:uuid:${randomUUID()}`,
  })
  writeFileSync(join(out, `svcctl-${manifest.version}.cdx.json`), bill)
}

/** SHA256SUMS of a folder, as `sha256sum --check` takes it. */
export const sum = (folder: string): void => {
  const digest = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS')
  const lines = names.sort().map((name) => `${digest(name)}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

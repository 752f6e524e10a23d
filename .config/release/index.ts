/**
 * npm run executables [platform …]: builds an executable for each platform that needs no Node, from package registries alone, into
 * release/, which is emptied before. Without a platform it builds a whole release: all platforms and the npm package. --plain skips
 * the compressed files. Exits with 3 if the required Node cannot be had: the registry does not have it, or it does not run here.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileProgram, readProgram, writeAssets } from './assets.js'
import {
  buildDebian,
  checkKey,
  compress,
  joinLicences,
  manifest,
  releaseFolder,
  sign,
  writeCompanions,
  writeSums,
} from './beside.js'
import {
  checkRuns,
  fetchNode,
  getOwnPlatform,
  isPlatform,
  type NodeBinary,
  NotFetched,
  type Platform,
  platformNames,
} from './nodes.js'
import { buildExecutable, buildMain } from './single.js'
import { strip } from './strip.js'

const started = Date.now()
const note = (text: string): void => {
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}\n`)
}
const noteFile = (made: string): void => {
  const found = statSync(made, { throwIfNoEntry: false })
  note(found === undefined ? made : `${made}, ${(found.size / 1e6).toFixed(2)} MB`)
}

/** Parses the arguments. @throws Error for an unknown platform */
const parseArguments = (words: readonly string[]) => {
  const named = words.filter((word) => word !== '--plain')
  const unknown = named.find((word) => !isPlatform(word))
  if (unknown !== undefined)
    throw new Error(`there is no platform "${unknown}"; there are ${platformNames.join(', ')}`)
  const own = getOwnPlatform()
  if (own === undefined)
    throw new Error('executables are built on Linux, by the Node that is put into them')
  const whole = named.length === 0
  const chosen = whole ? platformNames : named.filter(isPlatform)
  return { own, chosen, whole, plain: words.includes('--plain') }
}

/** Fetches the Node of each platform into a folder of its own. */
const fetchNodes = async (
  wanted: readonly Platform[],
  folder: string,
): Promise<(platform: Platform) => NodeBinary> => {
  const nodes = new Map(
    await Promise.all(
      [...new Set(wanted)].map(async (platform) => {
        const place = join(folder, platform)
        mkdirSync(place)
        return [platform, await fetchNode(platform, place)] as const
      }),
    ),
  )
  return (platform) => {
    const node = nodes.get(platform)
    if (node === undefined) throw new Error(`the Node of ${platform} was not fetched`)
    return node
  }
}

const buildRelease = async (words: readonly string[], folder: string): Promise<void> => {
  const { own, chosen, whole, plain } = parseArguments(words)
  const { SVCCTL_RELEASE_KEY: key } = process.env
  if (key) checkKey(key)
  rmSync(releaseFolder, { recursive: true, force: true })
  mkdirSync(releaseFolder)
  // Packing comes first, because it builds the program again.
  if (whole) execFileSync('npm', ['pack', '--silent', '--pack-destination', releaseFolder])
  const nodeOf = await fetchNodes([own, ...chosen], folder)
  const builder = nodeOf(own)
  await checkRuns(builder)
  note('what was fetched is what it should be, and runs')
  const program = readProgram('dist')
  const record = await buildMain(folder, manifest.version, 'record')
  const code = await compileProgram(builder.file, record, folder)
  const assets = writeAssets(join(folder, 'own'), program, code)
  // Another processor rejects the compiled code.
  const texts = Object.fromEntries(Object.entries(assets).filter(([name]) => !code.has(name)))
  const main = await buildMain(folder, manifest.version)
  const licences = joinLicences(builder)
  for (const platform of chosen) {
    const file = join(releaseFolder, `svcctl-${manifest.version}-${platform}`)
    const executable = join(folder, `${platform}.node`)
    copyFileSync(nodeOf(platform).file, executable)
    strip(executable)
    const held = platform === own ? assets : texts
    await buildExecutable(
      builder.file,
      { main, assets: held, executable, output: file },
      platform === own,
    )
    noteFile(file)
    if (plain) continue
    noteFile(await compress(file, platform))
    noteFile(buildDebian(file, platform, licences, folder))
  }
  writeCompanions(builder, licences)
  writeSums(releaseFolder)
  if (key) sign(releaseFolder, key)
  note(key ? 'SHA256SUMS is signed' : 'SHA256SUMS is NOT signed: SVCCTL_RELEASE_KEY names no key')
}

process.umask(0o022)
const folder = mkdtempSync(join(tmpdir(), 'svcctl-release-'))
try {
  await buildRelease(process.argv.slice(2), folder)
} catch (error) {
  note(error instanceof Error ? error.message : String(error))
  process.exitCode = error instanceof NotFetched ? 3 : 1
} finally {
  rmSync(folder, { recursive: true })
}

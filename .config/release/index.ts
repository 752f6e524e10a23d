/**
 * npm run executables [platform …]: a file a platform that needs no Node, from package registries alone, into release/, which is made
 * anew. Without a platform it is a whole release: all of them, and the npm package. --plain leaves out what is compressed.
 * Ends with 3 where the Node that is wanted cannot be had: the registry does not have it, or it does not run here.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compiledBy, programOf, writeAssets } from './assets.js'
import {
  accompany,
  checkKey,
  compress,
  debian,
  licencesWith,
  manifest,
  out,
  sign,
  sum,
} from './beside.js'
import {
  type Binary,
  checkRuns,
  fetchNode,
  here,
  isPlatform,
  NotFetched,
  type Platform,
  platformNames,
} from './nodes.js'
import { buildMain, single } from './single.js'
import { strip } from './strip.js'

const started = Date.now()
const note = (text: string): void => {
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}\n`)
}
const noteFile = (made: string): void => {
  const found = statSync(made, { throwIfNoEntry: false })
  note(found === undefined ? made : `${made}, ${(found.size / 1e6).toFixed(2)} MB`)
}

/** What was asked for. @throws where a word is no platform */
const asked = (words: readonly string[]) => {
  const named = words.filter((word) => word !== '--plain')
  const unknown = named.find((word) => !isPlatform(word))
  if (unknown !== undefined)
    throw new Error(`there is no platform "${unknown}"; there are ${platformNames.join(', ')}`)
  const own = here()
  if (own === undefined)
    throw new Error('executables are built on Linux, by the Node that is put into them')
  const whole = named.length === 0
  const chosen = whole ? platformNames : named.filter(isPlatform)
  return { own, chosen, whole, plain: words.includes('--plain') }
}

/** Fetches Nodes, each into a folder of its own. */
const fetched = async (
  wanted: readonly Platform[],
  folder: string,
): Promise<(platform: Platform) => Binary> => {
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

const make = async (words: readonly string[], folder: string): Promise<void> => {
  const { own, chosen, whole, plain } = asked(words)
  const { SVCCTL_RELEASE_KEY: key } = process.env
  if (key) checkKey(key)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out)
  // First, since packing builds the program anew.
  if (whole) execFileSync('npm', ['pack', '--silent', '--pack-destination', out])
  const nodeOf = await fetched([own, ...chosen], folder)
  const builder = nodeOf(own)
  await checkRuns(builder)
  note('what was fetched is what it should be, and runs')
  const program = programOf('dist')
  const record = await buildMain(folder, manifest.version, 'record')
  const code = await compiledBy(builder.file, record, folder)
  const assets = writeAssets(join(folder, 'own'), program, code)
  // Another processor does not take the code.
  const texts = Object.fromEntries(Object.entries(assets).filter(([name]) => !code.has(name)))
  const main = await buildMain(folder, manifest.version)
  const licences = licencesWith(builder)
  for (const platform of chosen) {
    const file = join(out, `svcctl-${manifest.version}-${platform}`)
    const executable = join(folder, `${platform}.node`)
    copyFileSync(nodeOf(platform).file, executable)
    strip(executable)
    const held = platform === own ? assets : texts
    await single(builder.file, { main, assets: held, executable, output: file }, platform === own)
    noteFile(file)
    if (plain) continue
    noteFile(await compress(file, platform))
    noteFile(debian(file, platform, licences, folder))
  }
  accompany(builder, licences)
  sum(out)
  if (key) sign(out, key)
  note(key ? 'SHA256SUMS is signed' : 'SHA256SUMS is NOT signed: SVCCTL_RELEASE_KEY names no key')
}

process.umask(0o022)
const folder = mkdtempSync(join(tmpdir(), 'svcctl-release-'))
try {
  await make(process.argv.slice(2), folder)
} catch (error) {
  note(error instanceof Error ? error.message : String(error))
  process.exitCode = error instanceof NotFetched ? 3 : 1
} finally {
  rmSync(folder, { recursive: true })
}

/**
 * Loads the program's files with the code that V8 compiled in an earlier run, and keeps that code. Built
 * into a file of its own, which each start loads. Everything here may fail in silence: without a cache the
 * program is only slower.
 */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { distrust } from '../base/files/trust.js'
import type { keep } from './keep.js'

type Exports = Readonly<Record<string, unknown>>
type Require = (id: string) => unknown

/** Bytes before the compiled code: its length and its CRC-32. */
const header = 8

/** A script of the program, what its code is called, and how much of it there was. */
export interface Loaded {
  readonly script: Script
  readonly name: string
  readonly before: number
}

/** What a run is about: help, completion or an area. Each compiles other functions. */
const kindOf = (argv: readonly string[]): string => {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) return 'help'
  return argv.find((word) => /^[a-z_][a-z-]*$/.test(word)) ?? 'run'
}

/** Help and completion start soonest without the functions that all the others have compiled. */
const shelfOf = (kind: string): string => (kind === 'help' || kind === '__complete' ? kind : 'run')

/**
 * The folder of one build's compiled code, named by what makes it invalid: V8's version and the
 * entry's size and time of change (ctime: installers set mtime as they like).
 */
const folderOf = (home: string, file: string): string => {
  const { size, ctimeMs } = statSync(file)
  const { node, v8 } = process.versions
  return join(home, 'code', `${node}-${v8}-${process.arch}-${size}-${ctimeMs}`)
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** Compiled code as it was written. V8 runs damaged code without noticing: that is removed. */
const whole = (file: string): Buffer | undefined => {
  try {
    const bytes = readFileSync(file)
    const code = bytes.subarray(header)
    if (
      bytes.length > header &&
      bytes.readUInt32LE(0) === code.length &&
      bytes.readUInt32LE(4) === crc32(code)
    )
      return code
    rmSync(file, { force: true })
  } catch {
    // None is there, or it is not to be removed.
  }
  return undefined
}

/** Runs `entry` of the folder `dist` and gives its exports. */
export const load = (dist: string, entry: string, home: string, builtin: Require): Exports => {
  const folder = folderOf(home, join(dist, entry))
  // What is run unchecked comes only from where nobody else can write.
  const trusted = distrust(folder) === undefined
  const kind = kindOf(process.argv.slice(2))
  const kinds = trusted ? textOf(join(folder, 'kinds')).split('\n') : []
  const shelf = shelfOf(kind)
  const scripts: Loaded[] = []
  const modules = new Map<string, { exports: Exports }>()
  let fresh = !kinds.includes(kind)

  const run = (name: string): Exports => {
    const earlier = modules.get(name)
    if (earlier !== undefined) return earlier.exports
    const filename = join(dist, name)
    const kept = `${shelf}.${name}`
    // The build writes ASCII only, and this reads it fastest.
    const source = readFileSync(filename, 'latin1')
    const cachedData = trusted ? whole(join(folder, kept)) : undefined
    const script = new Script(
      `(function(exports,require,module,__filename,__dirname){${source}\n})`,
      { filename, ...(cachedData === undefined ? {} : { cachedData }) },
    )
    const before = script.cachedDataRejected === false ? (cachedData?.length ?? 0) : 0
    if (before === 0) fresh = true
    scripts.push({ script, name: kept, before })
    const module = { exports: {} }
    modules.set(name, module)
    script
      .runInThisContext()
      .call(module.exports, module.exports, requireFrom, module, filename, dist)
    return module.exports
  }
  const requireFrom: Require = (id) => (id.startsWith('./') ? run(id.slice(2)) : builtin(id))

  // At exit, so that the functions which this run has called are compiled already.
  // A mistyped command (2) is not worth a cache.
  process.once('exit', (code) => {
    if (!trusted || !fresh || code === 2) return
    const written = join(dist, 'keep.cjs')
    if (existsSync(written)) (builtin(written) as { keep: typeof keep }).keep(folder, scripts, kind)
  })
  return run(entry)
}

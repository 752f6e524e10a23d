/**
 * Loads the program's files with the code that V8 compiled in an earlier run, and stores that code. It is built into a file of its own,
 * which each start loads. Every failure here is ignored, since without a cache the program is only slower.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { findDistrust } from '../base/files/trust.js'
import type { keep } from './keep.js'
import type { LoadedScript } from './loader.js'
import {
  createLoader,
  type Exports,
  getCacheGroup,
  getStartKind,
  head,
  type RequireFunction,
  tail,
  type WrappedModule,
} from './loader.js'

/** The size of the header before the two copies of the code, in bytes: the length of the code, and that length inverted. */
const headerSize = 8

/**
 * Returns the folder of one build's compiled code. Its name contains everything that makes the code invalid: V8's version, and the entry's
 * size and time of change (ctime, since installers set mtime arbitrarily).
 */
const getCodeFolder = (home: string, file: string): string => {
  const { size, ctimeMs } = statSync(file)
  const { node, v8 } = process.versions
  return join(home, 'code', `${node}-${v8}-${process.arch}-${size}-${ctimeMs}`)
}

const readTextFile = (file: string): string => {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'latin1') : ''
  } catch {
    return ''
  }
}

/**
 * Reads compiled code, and removes it if it is damaged, which V8 would not notice. Comparing two copies takes no time; a checksum would
 * need node:zlib, which loads all of Node's streams.
 */
const readCode = (file: string): Buffer | undefined => {
  try {
    // A pipe or a device in its place would block forever.
    if (!statSync(file).isFile()) return undefined
    const bytes = readFileSync(file)
    const length = bytes.readUInt32LE(0)
    const code = bytes.subarray(headerSize, headerSize + length)
    if (
      length > 0 &&
      bytes.readUInt32LE(4) === ~length >>> 0 &&
      bytes.length === headerSize + 2 * length &&
      code.equals(bytes.subarray(headerSize + length))
    )
      return code
    rmSync(file, { force: true })
  } catch {
    // There is no such file, or it cannot be removed.
  }
  return undefined
}

/** The cache of compiled code for a run, and the scripts that the run loaded. */
interface CodeCache {
  readonly folder: string
  /** The group of the cache: help and completion have their own. */
  readonly name: string
  /** True if only trusted users can write to the folder: code from there runs unchecked. */
  readonly trusted: boolean
  readonly scripts: LoadedScript[]
  /** True if there is something new to store. */
  fresh: boolean
}

/**
 * Reads a file, wrapped as a function, into one buffer. Concatenated texts would be copied again, and allocations at the start determine
 * how often garbage is collected.
 */
const readFunction = (file: string): string => {
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const bytes = Buffer.allocUnsafe(head.length + size + tail.length)
    const end = head.length + size
    bytes.write(head, 0, 'latin1')
    bytes.write(tail, end, 'latin1')
    for (let at = head.length; at < end; ) {
      const read = readSync(handle, bytes, at, end - at, null)
      if (read === 0) throw new Error(`${file} became shorter`)
      at += read
    }
    // The build writes only ASCII, for which this is the fastest decoding.
    return bytes.toString('latin1')
  } finally {
    closeSync(handle)
  }
}

/** Returns a file of the program as a function, from its compiled code if there is some. */
const compileModule = (cache: CodeCache, dist: string, name: string): WrappedModule => {
  const filename = join(dist, name)
  const kept = `${cache.name}.${name}`
  const cachedData = cache.trusted ? readCode(join(cache.folder, kept)) : undefined
  const script = new Script(readFunction(filename), {
    filename,
    cachedData,
  })
  const before = script.cachedDataRejected === false ? (cachedData?.length ?? 0) : 0
  if (before === 0) cache.fresh = true
  cache.scripts.push({ script, name: kept, before })
  return script.runInThisContext()
}

/** Runs the file `entry` of the folder `dist`, and returns its exports. */
export const load = (
  dist: string,
  entry: string,
  home: string,
  builtin: RequireFunction,
): Exports => {
  const folder = getCodeFolder(home, join(dist, entry))
  const trusted = findDistrust(folder) === undefined
  const kind = getStartKind(process.argv.slice(2))
  const kinds = trusted ? readTextFile(join(folder, 'kinds')).split('\n') : []
  const fresh = !kinds.includes(kind)
  const cache: CodeCache = { folder, name: getCacheGroup(kind), trusted, scripts: [], fresh }
  // The code is stored at exit, so that it contains the functions that this run has called. A mistyped command (exit code 2) is not worth a
  // cache.
  process.once('exit', (code) => {
    if (!trusted || !cache.fresh || code === 2) return
    const keeperFile = join(dist, 'keep.cjs')
    if (!existsSync(keeperFile)) return
    const keeper = builtin(keeperFile) as { keep: typeof keep }
    keeper.keep(folder, cache.scripts, kind)
  })
  return createLoader((name) => compileModule(cache, dist, name), dist, builtin)(entry)
}

/** Keeps what V8 compiled in this run; loaded only when something new was compiled. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { findDistrust } from '../base/files/trust.js'
import { getErrorCode } from '../errors.js'
import type { LoadedScript } from './loader.js'

/** Builds (of this and of other versions of Node) whose code is kept. */
const builds = 4
/** First words that have added to a build's code; whatever is typed after them adds nothing. */
const maxKinds = 64
/** The age, in milliseconds, at which a partial file belongs to a process that was killed. */
const abandoned = 60_000

const getAge = (file: string): number => Date.now() - statSync(file).mtimeMs

const forget = (home: string, kept: string): void => {
  const others = readdirSync(home)
    .filter((name) => join(home, name) !== kept)
    .sort((a, b) => getAge(join(home, a)) - getAge(join(home, b)))
  for (const name of others.slice(builds - 1))
    rmSync(join(home, name), { recursive: true, force: true })
  for (const name of readdirSync(kept))
    if (name.endsWith('.tmp') && getAge(join(kept, name)) > abandoned)
      rmSync(join(kept, name), { force: true })
}

/** Makes a folder with those above it. Node's own way never ends in /proc. */
const make = (folder: string): void => {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return
    if (getErrorCode(error) !== 'ENOENT' || existsSync(dirname(folder))) throw error
    make(dirname(folder))
    make(folder)
  }
}

/** Writes a file that appears whole or not at all, and is on the disk before it has its name. */
const put = (file: string, parts: readonly Buffer[]): void => {
  const partial = `${file}.${process.pid}.tmp`
  rmSync(partial, { force: true })
  const handle = openSync(partial, 'wx', 0o600)
  try {
    for (const part of parts) for (let at = 0; at < part.length; ) at += writeSync(handle, part, at)
    fsyncSync(handle)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
  renameSync(partial, file)
}

/** Returns the code twice, so that damage shows: `load.ts` says why. */
const repeatCode = (code: Buffer): readonly Buffer[] => {
  const header = Buffer.alloc(8)
  header.writeUInt32LE(code.length, 0)
  header.writeUInt32LE(~code.length >>> 0, 4)
  return [header, code, code]
}

const readKinds = (file: string): readonly string[] => {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'latin1').split('\n') : []
  } catch {
    return []
  }
}

/**
 * Writes the compiled code of `scripts` into `folder`, if that can be: with what this kind of run has
 * compiled beside what earlier ones had.
 */
export const keep = (folder: string, scripts: readonly LoadedScript[], kind: string): void => {
  try {
    const list = join(folder, 'kinds')
    const known = readKinds(list)
    if (known.length >= maxKinds && scripts.every(({ before }) => before > 0)) return
    make(folder)
    // Another may have made it meanwhile, where all may make folders.
    if (findDistrust(folder) !== undefined) return
    accessSync(folder, constants.W_OK)
    forget(dirname(folder), folder)
    for (const { script, name, before } of scripts) {
      const code = script.createCachedData()
      if (code.length !== before) put(join(folder, name), repeatCode(code))
    }
    if (!known.includes(kind) && known.length < maxKinds)
      put(list, [Buffer.from([...known, kind].join('\n'))])
  } catch {
    // A read-only or full disk: the next start is as slow as this one was.
  }
}

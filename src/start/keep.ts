/** Stores the code that V8 compiled in this run. It is loaded only if new functions were compiled. */
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders } from '../base/files/regular.js'
import { findDistrust } from '../base/files/trust.js'
import type { LoadedScript } from './loader.js'

/** The number of builds, of this and other versions of Node, whose code is kept. */
const maxBuilds = 4
/**
 * The maximum number of kinds of runs that add to a build's code. Later kinds add nothing, so that arbitrary words do not fill the disk.
 */
const maxKinds = 64
/** The age, in milliseconds, at which a partial file belongs to a process that was killed. */
const abandonedAge = 60_000

const getAge = (file: string): number => Date.now() - statSync(file).mtimeMs

const removeStaleBuilds = (home: string, kept: string): void => {
  const others = readdirSync(home)
    .filter((name) => join(home, name) !== kept)
    .sort((a, b) => getAge(join(home, a)) - getAge(join(home, b)))
  for (const name of others.slice(maxBuilds - 1))
    rmSync(join(home, name), { recursive: true, force: true })
  for (const name of readdirSync(kept))
    if (name.endsWith('.tmp') && getAge(join(kept, name)) > abandonedAge)
      rmSync(join(kept, name), { force: true })
}

/** Writes a file so that it appears complete or not at all, and is on the disk before it has its name. */
const writeWhole = (file: string, parts: readonly Buffer[]): void => {
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

/** Returns the code twice with a header, so that damage is detected (`load.ts`). */
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

/** Writes the compiled code of `scripts` into `folder`, if possible. It contains the functions of this kind of run and of earlier ones. */
export const keep = (folder: string, scripts: readonly LoadedScript[], kind: string): void => {
  try {
    const list = join(folder, 'kinds')
    const known = readKinds(list)
    if (known.length >= maxKinds && scripts.every(({ before }) => before > 0)) return
    makeFolders(folder, 0o700)
    // In a shared folder, another user may have created it in the meantime.
    if (findDistrust(folder) !== undefined) return
    accessSync(folder, constants.W_OK)
    removeStaleBuilds(dirname(folder), folder)
    for (const { script, name, before } of scripts) {
      const code = script.createCachedData()
      if (code.length !== before) writeWhole(join(folder, name), repeatCode(code))
    }
    if (!known.includes(kind) && known.length < maxKinds)
      writeWhole(list, [Buffer.from([...known, kind].join('\n'))])
  } catch {
    // If the disk is read-only or full, the next start is as slow as this one was.
  }
}

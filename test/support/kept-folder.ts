/** A folder that many tests change a little, one after the other, and that each of them finds as it was. */
import {
  cpSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join, sep } from 'node:path'

/** Says which file stands somewhere: what is written or replaced has another text. */
const stampOf = (path: string): string => {
  const { ino, size, mtimeNs, mode } = lstatSync(path, { bigint: true })
  return `${ino} ${size} ${mtimeNs} ${mode}`
}

interface Kept {
  readonly kind: 'folder' | 'link' | 'file'
  readonly stamp: string
}

const readEntry = (entry: Dirent, path: string): Kept => {
  // The time of a folder changes with what stands in it.
  if (entry.isDirectory()) return { kind: 'folder', stamp: String(lstatSync(path).mode) }
  return { kind: entry.isSymbolicLink() ? 'link' : 'file', stamp: stampOf(path) }
}

/** Lists what stands in a folder, folders before what is in them. No link is followed. */
const listFolder = (folder: string, below = '', into = new Map<string, Kept>()) => {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const name = join(below, entry.name)
    into.set(name, readEntry(entry, join(folder, name)))
    if (entry.isDirectory()) listFolder(folder, name, into)
  }
  return into
}

/** Keeps a copy of a folder elsewhere. @returns puts back what is not as it was, and removes what is new */
export const keepFolder = (folder: string, copy: string): (() => void) => {
  const how = { preserveTimestamps: true, verbatimSymlinks: true }
  cpSync(folder, copy, { recursive: true, ...how })
  const kept = listFolder(folder)
  const putBack = (name: string, { kind }: Kept): void => {
    const [from, to] = [join(copy, name), join(folder, name)]
    if (kind === 'folder') mkdirSync(to, { mode: lstatSync(from).mode })
    else if (kind === 'link') symlinkSync(readlinkSync(from), to)
    else cpSync(from, to, how)
    kept.set(name, { kind, stamp: kind === 'folder' ? String(lstatSync(to).mode) : stampOf(to) })
  }
  return () => {
    const found = listFolder(folder)
    const removed: string[] = []
    const isThere = (name: string, { kind, stamp }: Kept): boolean =>
      found.get(name)?.kind === kind &&
      found.get(name)?.stamp === stamp &&
      !removed.some((one) => name.startsWith(one + sep))
    for (const [name, one] of found) {
      const was = kept.get(name)
      if (was?.kind === one.kind && was.stamp === one.stamp) continue
      rmSync(join(folder, name), { recursive: true, force: true })
      removed.push(name)
    }
    for (const [name, one] of kept) if (!isThere(name, one)) putBack(name, one)
  }
}

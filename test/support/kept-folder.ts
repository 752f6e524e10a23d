/** Restores a folder that many tests change a little, one after the other. */
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

/** Returns a text that identifies the state of a file: it differs once the file is written or replaced. */
const readStamp = (path: string): string => {
  const { ino, size, mtimeNs, mode } = lstatSync(path, { bigint: true })
  return `${ino} ${size} ${mtimeNs} ${mode}`
}

interface KeptEntry {
  readonly kind: 'folder' | 'link' | 'file'
  readonly stamp: string
}

const readEntry = (entry: Dirent, path: string): KeptEntry => {
  // The time of a folder changes with its entries, so only the mode counts.
  if (entry.isDirectory()) return { kind: 'folder', stamp: String(lstatSync(path).mode) }
  return { kind: entry.isSymbolicLink() ? 'link' : 'file', stamp: readStamp(path) }
}

/** Lists the entries of a folder, each folder before its entries. Links are not followed. */
const listFolder = (folder: string, below = '', into = new Map<string, KeptEntry>()) => {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const name = join(below, entry.name)
    into.set(name, readEntry(entry, join(folder, name)))
    if (entry.isDirectory()) listFolder(folder, name, into)
  }
  return into
}

/** Copies a folder to another place. @returns a function that restores changed and removed entries and removes new ones */
export const keepFolder = (folder: string, copy: string): (() => void) => {
  const how = { preserveTimestamps: true, verbatimSymlinks: true }
  cpSync(folder, copy, { recursive: true, ...how })
  const kept = listFolder(folder)
  const putBack = (name: string, { kind }: KeptEntry): void => {
    const [from, to] = [join(copy, name), join(folder, name)]
    if (kind === 'folder') mkdirSync(to, { mode: lstatSync(from).mode })
    else if (kind === 'link') symlinkSync(readlinkSync(from), to)
    else cpSync(from, to, how)
    kept.set(name, { kind, stamp: kind === 'folder' ? String(lstatSync(to).mode) : readStamp(to) })
  }
  return () => {
    const found = listFolder(folder)
    const removed: string[] = []
    const isThere = (name: string, { kind, stamp }: KeptEntry): boolean =>
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

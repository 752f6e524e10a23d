/** Reads the folders of an entry, and describes what a line created, changed or removed in them. */
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, utimesSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describeBytes, printBlock } from './text.js'

/** Folders by their names in the record. */
export type Roots = Readonly<Record<string, string>>

/** Files by name, with their modes and contents, as the record shows them. */
interface Tree {
  readonly texts: ReadonlyMap<string, string>
  /** Full texts by their SHA-256. */
  readonly digests: ReadonlyMap<string, string>
}

/** Compiled code that all tests share to start faster. */
const compiledCode = '<config>/cache/code'

/**
 * Sorts the lines of a journal by object. The lines of one object keep their order; the order between objects, which concurrent
 * requests change, is removed.
 */
const sortObjects = (text: string): string => {
  if (!text.startsWith('{"run":')) return text
  const sorted: string[] = []
  let objects: (readonly [n: number, row: string])[] = []
  const flush = (): void => {
    sorted.push(...objects.sort(([a], [b]) => a - b).map(([, row]) => row))
    objects = []
  }
  for (const row of text.split('\n')) {
    const [, n] = /"n":(\d+),/.exec(row) ?? []
    if (n !== undefined) objects.push([Number(n), row])
    else {
      flush()
      sorted.push(row)
    }
  }
  flush()
  return sorted.join('\n')
}

/** Reads the files in folders. */
export const readTree = (roots: Roots): Tree => {
  const texts = new Map<string, string>()
  const digests = new Map<string, string>()
  for (const [label, root] of Object.entries(roots)) {
    if (!existsSync(root)) continue
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      const name = `${label}/${relative(root, path)}`
      if (name === compiledCode || entry.isDirectory()) continue
      if (entry.isSymbolicLink()) texts.set(name, `link to ${readlinkSync(path)}\n`)
      else {
        const bytes = readFileSync(path)
        const mode = (lstatSync(path).mode & 0o777).toString(8)
        digests.set(createHash('sha256').update(bytes).digest('hex'), bytes.toString())
        texts.set(`${name} ${mode}`, sortObjects(describeBytes(bytes)))
      }
    }
  }
  return { texts, digests }
}

/** Sets the time of change of files that have not been set before: it tells which of several files is the latest. */
export const setFileTimes = (roots: Roots, stamped: Set<string>, time: Date): void => {
  for (const root of Object.values(roots))
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || stamped.has(path)) continue
      utimesSync(path, time, time)
      stamped.add(path)
    }
}

/** Replaces the digests of files whose contents differ from run to run. */
const nameDigests = (text: string, { digests }: Tree, pin: (text: string) => string): string =>
  text.replace(/\b[0-9a-f]{64}\b/g, (digest) => {
    const of = digests.get(digest)
    return of === undefined || pin(of) === of ? digest : '<sha256 of the file>'
  })

/** Describes the new, changed and removed files in folders. */
export const printChanges = (before: Tree, after: Tree, pin: (text: string) => string): string =>
  [...new Set([...before.texts.keys(), ...after.texts.keys()])]
    .sort()
    .flatMap((name) => {
      const [was, is] = [before.texts.get(name), after.texts.get(name)]
      if (was === is) return []
      const title = pin(name).replace(/[0-9a-f]{32,64}/g, '<hash>')
      if (is === undefined) return [`${title}: removed\n`]
      return [printBlock(title, pin(nameDigests(is, after, pin))) || `${title}: empty\n`]
    })
    .sort()
    .join('')

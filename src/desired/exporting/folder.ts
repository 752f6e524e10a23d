/**
 * Writes exported files into a folder: it assigns places to files, refuses to overwrite foreign files, and removes files that are no longer
 * needed.
 */

import { lstatSync, readdirSync, rmdirSync, rmSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openWhole, type WholeFile, writeWhole } from '../../base/files/files.js'
import { makeFolders, readRegular } from '../../base/files/regular.js'
import { type Fields, isObject } from '../../base/objects.js'
import { isModestYaml, loadYamlParser } from '../../base/yaml/texts.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { Failure, getReason, isNoFile, usage } from '../../errors.js'
import { isPlacePath, type ManagedPlace, toPlaceText } from '../address.js'
import { isConfigSchema } from '../files/document.js'
import { schemaFile, writtenHere } from './model.js'

/** A filter for the kinds that a file holds; `all` means that no kind is left out. */
export interface KindFilter {
  readonly all: boolean
  readonly has: (held: HeldKind) => boolean
}

/** Returns the result of a file operation; undefined if the file or folder does not exist. */
const ignoreMissing = <T>(look: () => T): T | undefined => {
  try {
    return look()
  } catch (error) {
    if (isNoFile(error)) return undefined
    throw error
  }
}

const readEntry = (path: string): Stats | undefined => ignoreMissing(() => lstatSync(path))

/** Lists the files below a folder, as paths below the root; links are left out. */
const listFilesBelow = (root: string, path: string): readonly string[] =>
  (ignoreMissing(() => readdirSync(join(root, path), { withFileTypes: true })) ?? []).flatMap(
    (entry) => {
      const inside = `${path}/${entry.name}`
      if (entry.isDirectory()) return listFilesBelow(root, inside)
      return entry.isFile() && entry.name.endsWith('.yml') ? [inside] : []
    },
  )

const toFileFailure = (verb: string, file: string, error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure('failed', `cannot ${verb} ${file}: ${getReason(error)}`, { cause: error })

/** The largest file that is compared with an export, in bytes. The texts of programs are hardly longer. */
const maxBytes = 500e6

/** Returns the text of a regular file; undefined for anything else. @throws the system's error, or an Error for a file that is too large */
const readText = (file: string): string | undefined =>
  readEntry(file)?.isFile() === true ? readRegular(file, maxBytes).toString('utf8') : undefined

/**
 * Returns the reason why a file may not be overwritten; undefined if it may, or if it does not exist.
 * @param path the path of the file below the root; no part of it may be a link
 */
const findObstacle = async (
  root: string,
  path: string,
  selected: KindFilter,
): Promise<string | undefined> => {
  const segments = path.split('/').filter((segment) => segment !== '')
  for (const [i] of segments.entries()) {
    const entry = readEntry(join(root, ...segments.slice(0, i + 1)))
    if (entry === undefined) return undefined
    if (entry.isSymbolicLink()) return 'the path is a symbolic link, or below one'
    const last = i === segments.length - 1
    if (last !== entry.isFile() || (!last && !entry.isDirectory()))
      return last ? 'the path is not a file' : 'a file has the name of its folder'
  }
  return findContentObstacle(join(root, ...segments), selected)
}

const findContentObstacle = async (
  file: string,
  selected: KindFilter,
): Promise<string | undefined> => {
  let text: string | undefined
  try {
    text = readText(file)
  } catch (error) {
    return `the file cannot be read: ${getReason(error)}`
  }
  if (text === undefined) return undefined
  if (basename(file) === schemaFile)
    return isConfigSchema(text) ? undefined : 'the file is not a schema of svcctl'
  if (text.split('\n', 2)[1]?.trimEnd() !== writtenHere)
    return text.startsWith('{')
      ? 'a JSON file does not show whether export wrote it'
      : 'the file was not written by export'
  if (selected.all) return undefined
  const held = await readHeldKinds(text)
  if (held === undefined)
    return 'the file has content that export does not write, or is too large to check'
  const other = held.find((one) => !selected.has(one))
  return other === undefined
    ? undefined
    : `the file also contains ${other.kind}, which --only and --except leave out`
}

/** Refuses to export if any file is in the way. @throws Failure `usage`, before anything is written */
const refuseObstacles = (obstacles: readonly (readonly [string, string])[]): void => {
  const [first] = obstacles
  if (first === undefined) return
  const list = obstacles.slice(0, 20).map(([file, why]) => `${file}: ${why}`)
  const more = obstacles.length > list.length ? [`and ${obstacles.length - list.length} more`] : []
  throw usage(
    obstacles.length === 1
      ? `${first[0]} is in the way: ${first[1]}`
      : `${obstacles.length} files are in the way:\n  ${[...list, ...more].join('\n  ')}`,
    'Move the files, write to another folder, or exclude their content with --except.',
  )
}

/** Checks that a file may be overwritten. @throws Failure `usage` if foreign content is in its way */
export const checkFile = async (file: string, selected: KindFilter): Promise<void> => {
  const why = await findObstacle(dirname(file), basename(file), selected)
  if (why !== undefined) refuseObstacles([[file, why]])
}

/** Opens a file for writing. It appears, complete, when it is published. @throws Failure `failed` */
export const openFile = async (file: string): Promise<WholeFile> => {
  try {
    return await openWhole(file, { unlinked: true, durable: false })
  } catch (error) {
    throw toFileFailure('write', file, error)
  }
}

/** The outcome of one file of a folder. */
export interface ExportedFile {
  /** The absolute path. */
  readonly path: string
  readonly state: 'written' | 'unchanged' | 'removed'
  /** The size in bytes; absent if the file was removed. */
  readonly size?: number
}

/** A folder of exported files. Paths below it are separated by slashes. */
export class ExportFolder {
  /** The number of files that were written, were already the same, or were removed. */
  readonly counts = { written: 0, same: 0, removed: 0 }
  /** The files that were written, left unchanged or removed. */
  readonly files: ExportedFile[] = []
  /** The files that were in the folder before, by their paths in lower case. */
  readonly #before = new Map<string, string>()
  readonly #kept = new Set<string>()

  constructor(
    readonly root: string,
    readonly selected: KindFilter,
  ) {
    const below = Object.values(scopeFolders).flatMap((folder) =>
      readEntry(join(root, folder))?.isDirectory() === true ? listFilesBelow(root, folder) : [],
    )
    const site = readEntry(join(root, 'site.yml'))?.isFile() === true ? ['site.yml'] : []
    for (const path of [...site, ...below]) this.#before.set(path.toLowerCase(), path)
  }

  /** Returns the path of an existing file that differs only in case, else the path itself. */
  #findExistingPath(path: string): string {
    return this.#before.get(path.toLowerCase()) ?? path
  }

  /** Checks that all files may be written. @throws Failure `usage` that names every file in the way */
  async check(paths: readonly string[]): Promise<void> {
    if (readEntry(this.root)?.isSymbolicLink() === true)
      return refuseObstacles([[this.root, 'the path is a symbolic link']])
    const obstacles: (readonly [string, string])[] = []
    for (const path of [schemaFile, ...paths]) {
      const why = await findObstacle(this.root, this.#findExistingPath(path), this.selected)
      if (why !== undefined) obstacles.push([join(this.root, this.#findExistingPath(path)), why])
    }
    refuseObstacles(obstacles)
  }

  /** Keeps a file as it is, so that `removeStale` does not remove it. @returns true if the file exists */
  keep(path: string): boolean {
    this.#kept.add(path.toLowerCase())
    return this.#before.has(path.toLowerCase())
  }

  /** Writes a file, unless it has the same text already. @throws Failure `failed` */
  async write(path: string, text: string): Promise<void> {
    this.keep(path)
    const written = await this.#writeIfChanged(this.#findExistingPath(path), text)
    this.counts[written ? 'written' : 'same'] += 1
    this.files.push({
      path: join(this.root, ...this.#findExistingPath(path).split('/')),
      state: written ? 'written' : 'unchanged',
      size: Buffer.byteLength(text),
    })
  }

  /** Writes a file. @returns false if it had the same text already */
  async #writeIfChanged(path: string, text: string): Promise<boolean> {
    const file = join(this.root, ...path.split('/'))
    try {
      if (readText(file) === text) return false
      makeFolders(dirname(file))
      await writeWhole(file, text, { unlinked: true, durable: false })
      return true
    } catch (error) {
      throw toFileFailure('write', file, error)
    }
  }

  /** Writes the schema beside the files, if there are any, so that editors find it. @throws Failure `failed` */
  async writeSchema(schema: JsonSchema): Promise<void> {
    if (this.#kept.size > 0) await this.#writeIfChanged(schemaFile, `${JSON.stringify(schema)}\n`)
  }

  /** Removes the selected files of an earlier export that this one did not write or keep. @throws Failure `failed` */
  async removeStale(): Promise<void> {
    for (const [key, path] of this.#before) {
      const gone = !this.#kept.has(key)
      if (gone && (await findObstacle(this.root, path, this.selected)) === undefined)
        this.#remove(path)
    }
  }

  #remove(path: string): void {
    const file = join(this.root, ...path.split('/'))
    try {
      rmSync(file, { force: true })
    } catch (error) {
      throw toFileFailure('remove', file, error)
    }
    this.counts.removed += 1
    this.files.push({ path: file, state: 'removed' })
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      if (!removeIfEmpty(join(this.root, ...folder.split('/')))) return
  }
}

/** Removes a folder if it is empty. @returns true if it was removed */
const removeIfEmpty = (folder: string): boolean => {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false
  }
}

// The content of a file that was exported before.

/** A kind in a place, or in everything below a group. */
export interface HeldKind {
  readonly place: ManagedPlace
  readonly kind: string
}

/** The maximum number of tokens in a file that is checked: as many as the largest exported file has. */
const maxLexemes = 500_000

const requireMap = (value: unknown): Fields => {
  if (isObject(value)) return value
  throw new Failure('usage', 'export writes a map here')
}

/** Lists the kinds in a document that export wrote. @throws Failure for any other content */
const listHeldKinds = (document: unknown): readonly HeldKind[] => {
  const held: HeldKind[] = []
  const addKinds = (scope: ManagedPlace['scope'], path: string, value: unknown = {}): void => {
    for (const kind of Object.keys(requireMap(value))) held.push({ place: { scope, path }, kind })
  }
  const { version: _, site, groups = {}, projects = {}, ...others } = requireMap(document)
  if (Object.keys(others).length > 0) throw new Failure('usage', 'export writes no further keys')
  addKinds('site', '', site)
  for (const [key, value] of Object.entries(requireMap(groups))) {
    // A key that ends in two asterisks has kinds under `projects`, too.
    const { projects: below, ...own } = requireMap(value)
    if (!key.endsWith('/**')) addKinds('group', key, value)
    else {
      addKinds('group', key.slice(0, -3), own)
      addKinds('project', key, below)
    }
  }
  for (const [path, value] of Object.entries(requireMap(projects))) addKinds('project', path, value)
  return held
}

/** Returns the kinds in a text; undefined if the text contains anything else, or is not YAML. */
const readHeldKinds = async (text: string): Promise<readonly HeldKind[] | undefined> => {
  if (!(await isModestYaml(text, maxLexemes))) return undefined
  const [document, more] = (await loadYamlParser())(text)
  if (more !== undefined || (document?.errors.length ?? 0) > 0) return undefined
  try {
    return listHeldKinds(document?.toJS())
  } catch {
    return undefined
  }
}

// The assignment of places to files.

/** The folders of groups and projects. */
const scopeFolders = { group: 'groups', project: 'projects' } as const

/**
 * Returns the path of a place's file below the folder, separated by slashes.
 * @throws Failure `usage` for a path whose parts cannot be file names; nothing is written then
 */
const getFilePath = (place: ManagedPlace): string => {
  if (place.scope === 'site') return 'site.yml'
  if (!isPlacePath(place.path))
    throw usage(
      `the path of ${JSON.stringify(toPlaceText(place))} cannot be a file name`,
      'Exclude it with --except, or write to a single file.',
    )
  // The reader of folders skips names that begin with a dot, and `node_modules`.
  const names = place.path.split('/').map((name) => name.replace(/^(?=\.|node_modules$)/i, '_'))
  return `${[scopeFolders[place.scope], ...names].join('/')}.yml`
}

/**
 * Groups places into files, in their order. Paths that differ only in case share a file on every system.
 * @throws Failure `usage` if a path cannot be a file name, or a file has the name of a folder
 */
export const groupIntoFiles = <P extends ManagedPlace>(places: readonly P[]) => {
  const files = new Map<string, { readonly path: string; readonly places: P[] }>()
  for (const place of places) {
    const path = getFilePath(place)
    const known = files.get(path.toLowerCase())
    if (known === undefined) files.set(path.toLowerCase(), { path, places: [place] })
    else known.places.push(place)
  }
  for (const [key, { path }] of files)
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1))
      if (files.has(key.slice(0, end)))
        throw usage(
          `${path} would be both a folder and a file`,
          'Exclude one of them with --except, or write to a single file.',
        )
  return [...files.values()]
}

/** Writes the folder of a snapshot: one file per list, the manifest, and the progress file from which `--resume` continues. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, ftruncateSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../base/files/files.js'
import { type Lock, lock } from '../base/files/lock.js'
import { makeFolders } from '../base/files/regular.js'
import { createWrapper } from '../base/json/records.js'
import { manifestName, readManifest, unfinishedName } from '../client/manifest-schema.js'
import {
  hashSnapshotFile,
  isUnchanged,
  type SnapshotGap,
  type SnapshotKind,
  type SnapshotManifest,
  type SnapshotParent,
} from '../client/snapshot-manifest.js'
import type { LineAnswer } from '../engine/command/context.js'
import { getScope } from '../engine/command/derive.js'
import { explainUnread, Failure, getReason, recoverFrom, usage } from '../errors.js'
import {
  type InterruptedSnapshot,
  openPrivate,
  type PastParents,
  type ProgressLog,
  readUnfinished,
  tryFile,
  writeSynchronously,
} from './snapshot-progress.js'

/** The number of records that are written at once. */
const pieceSize = 1_000

const newline = Buffer.from('\n')

const toGap = (failure: Failure): SnapshotGap => ({
  status: failure.status,
  why: explainUnread(failure),
})

const getPartPath = (folder: string, kind: string): string => join(folder, `${kind}.ndjson.part`)

const getEnd = (parents: readonly SnapshotParent[]): number =>
  parents.reduce((end, { bytes }) => end + bytes, 0)

/** The part of a list that an interrupted snapshot read: its parents, and the digest of its lines. */
export interface PastList {
  readonly parents: readonly SnapshotParent[]
  readonly hash: Hash
}

/** Finds the part of a list that was read before an interruption; undefined if its file has changed since. */
export const findPast = async (
  folder: string,
  kind: string,
  { parents, sha256 }: PastParents,
): Promise<PastList | undefined> => {
  const path = getPartPath(folder, kind)
  const hash = await hashSnapshotFile(path, getEnd(parents)).catch(ignoreUnread)
  return hash?.copy().digest('hex') === sha256 ? { parents, hash } : undefined
}

/** A file that cannot be read counts as missing, so its list is read again. */
const ignoreUnread = (): undefined => undefined

/** True if the file of a complete list is unchanged, under its temporary or final name. */
export const isIntact = async (folder: string, kind: SnapshotKind): Promise<boolean> => {
  for (const path of [getPartPath(folder, kind.kind), join(folder, kind.file)])
    if (await isUnchanged(path, kind).catch(ignoreUnread)) return true
  return false
}

/** Writes the records of a list to its file. */
export class ListFile {
  readonly #path: string
  readonly #file: number
  readonly #hash: Hash
  readonly #log: ProgressLog
  readonly kind: string
  readonly parents: SnapshotParent[] = []
  #pending: Uint8Array[] = []
  #isOpen = true
  #at = 0
  #begins = 0
  #records = 0
  /** The failure to write the file. Later writes fail as well, because the file would have a gap. */
  failure: Failure | undefined
  column: 'project' | 'group' | undefined

  /** @param past the part that was read before an interruption */
  constructor(folder: string, kind: string, log: ProgressLog, past?: PastList) {
    this.kind = kind
    this.#log = log
    this.#path = getPartPath(folder, kind)
    this.#hash = past?.hash ?? createHash('sha256')
    for (const parent of past?.parents ?? []) this.parents.push(parent)
    this.#at = getEnd(this.parents)
    this.#begins = this.#at
    this.#file = tryFile(this.#path, () => {
      const file = openPrivate(this.#path, past !== undefined)
      if (past !== undefined) ftruncateSync(file, this.#at)
      return file
    })
  }

  /** Adds a record of a parent. The file keeps the order of the instance. */
  take(bytes: Uint8Array, name = ''): void {
    this.#pending.push(new Uint8Array(bytes))
    if (this.#pending.length >= pieceSize) this.#keep(() => this.#write(name))
  }

  /** Records that a parent was read completely, or could not be read. */
  endParent(name: string, failure: Failure | undefined): void {
    this.#keep(() => this.#write(name))
    const parent: SnapshotParent = {
      name,
      records: this.#records,
      at: this.#begins,
      bytes: this.#at - this.#begins,
      refused: failure && toGap(failure),
    }
    this.parents.push(parent)
    const sha256 = this.#hash.copy().digest('hex')
    this.#keep(() => this.#log.add({ kind: this.kind, parent, sha256 }))
    this.#begins = this.#at
    this.#records = 0
  }

  /** @throws Failure `failed` if the file cannot be written, and for all later writes */
  #keep(write: () => void): void {
    if (this.failure !== undefined) throw this.failure
    try {
      write()
    } catch (error) {
      this.failure = recoverFrom(error)
      throw error
    }
  }

  #write(name: string): void {
    const whole = this.column === undefined ? undefined : createWrapper(this.column, name)
    const piece = Buffer.concat(
      this.#pending.flatMap((bytes) => [whole?.(bytes) ?? bytes, newline]),
    )
    tryFile(this.#path, () => writeSynchronously(this.#file, piece))
    this.#hash.update(piece)
    this.#at += piece.length
    this.#records += this.#pending.length
    this.#pending = []
  }

  /** Closes the file, even if the list is incomplete. */
  release(): void {
    if (this.#isOpen) closeSync(this.#file)
    this.#isOpen = false
  }

  /** Closes the file of a complete list, and returns its entry in the manifest. */
  close(line: string, { plan, command, failure }: LineAnswer): SnapshotKind {
    this.release()
    const own = Object.values(command?.endpoints ?? {})
    const only = own.find((endpoint) => getScope(endpoint)?.kind === this.column)
    const placed = new Set(Object.keys(plan?.endpoint.path ?? {}))
    const filter = Object.entries(plan?.values ?? {}).flatMap(([name, value]) =>
      value === undefined || placed.has(name) ? [] : [[name, String(value)]],
    )
    const kind: SnapshotKind = {
      kind: this.kind,
      line,
      route: (plan?.endpoint ?? only)?.route ?? '',
      filter: Object.fromEntries(filter),
      file: `${this.kind}.ndjson`,
      records: this.parents.reduce((sum, { records }) => sum + records, 0),
      sha256: this.#hash.digest('hex'),
      column: this.column,
      refused: this.parents.length === 0 && failure ? toGap(failure) : undefined,
      parents: this.parents,
    }
    this.#log.add({ kind: this.kind, whole: kind })
    return kind
  }
}

/**
 * Creates a folder and locks it.
 * @throws Failure `conflict` if another process writes to it
 */
export const lockFolder = async (folder: string): Promise<Lock> => {
  tryFile(folder, () => makeFolders(folder, 0o700))
  const createHeldFailure = (owner: string): Failure =>
    new Failure('conflict', `${folder} is being written by ${owner}`, {
      hint: 'Wait until it ends, or choose another folder.',
    })
  try {
    return await lock(join(folder, '.lock'), { patience: 0, held: createHeldFailure })
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('failed', `cannot write to ${folder}: ${getReason(cause)}`, { cause })
  }
}

/**
 * Checks the folder before a snapshot, and returns the interrupted snapshot to resume.
 * @throws Failure `usage` if the folder has other files, or if the interrupted snapshot is damaged
 */
export const checkSnapshotFolder = (
  folder: string,
  flags: { readonly resume?: boolean; readonly overwrite?: boolean },
): InterruptedSnapshot | undefined => {
  const unfinished = readUnfinished(folder)
  if (flags.resume === true) {
    if (unfinished === undefined)
      throw usage(`${folder} holds no interrupted snapshot`, 'Omit --resume to take a new one.')
    if (!('damaged' in unfinished)) return unfinished
    throw usage(unfinished.damaged, 'Start again with --overwrite, or in another folder.')
  }
  if (unfinished !== undefined && flags.overwrite !== true)
    throw usage(
      `${folder} holds an interrupted snapshot`,
      'Continue it with --resume, or start again with --overwrite.',
    )
  if (readManifest(folder) !== undefined) {
    if (flags.overwrite === true) return undefined
    throw usage(
      `${folder} already holds a snapshot`,
      'Replace it with --overwrite, or choose another folder.',
    )
  }
  const own =
    unfinished === undefined || 'damaged' in unfinished ? [] : [...unfinished.whole.values()]
  const files = new Set([unfinishedName, ...own.map(({ file }) => file)])
  const others = readdirSync(folder).filter(
    (name) => !files.has(name) && !name.endsWith('.part') && !name.startsWith('.'),
  )
  if (others.length > 0)
    throw usage(`${folder} is not empty and holds no snapshot`, 'Choose another folder.')
  return undefined
}

/** Renames a list to its final name, unless an interrupted snapshot did so before. */
const publishList = (folder: string, name: string): void => {
  const part = join(folder, `${name}.part`)
  if (lstatSync(part, { throwIfNoEntry: false }) !== undefined) renameSync(part, join(folder, name))
}

/** Renames the files to their final names and writes the manifest. Only then does the snapshot exist. */
export const publishSnapshot = async (
  folder: string,
  manifest: SnapshotManifest,
): Promise<void> => {
  const known = readManifest(folder)
  const path = join(folder, manifestName)
  tryFile(path, () => {
    rmSync(path, { force: true })
    const names = new Set(manifest.kinds.map(({ file }) => file))
    for (const { file } of known?.kinds ?? [])
      if (!names.has(file)) rmSync(join(folder, file), { force: true })
    for (const name of names) publishList(folder, name)
    // An interrupted snapshot with other lists left these files.
    for (const name of readdirSync(folder))
      if (/^[\w-]+\.ndjson\.part$/.test(name)) rmSync(join(folder, name), { force: true })
  })
  await writeWhole(path, `${JSON.stringify(manifest, null, 2)}\n`, { own: true })
  rmSync(join(folder, unfinishedName), { force: true })
}

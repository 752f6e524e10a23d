/**
 * Writes the folder of a snapshot: a file per list, the manifest, and the progress file from which `--resume`
 * continues.
 */
import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { viewed } from '../base/bytes.js'
import { writeWhole } from '../base/files/files.js'
import { type Lock, lock } from '../base/files/lock.js'
import { nonBlocking, otherThanFile, readRegular } from '../base/files/regular.js'
import { wrapper } from '../base/json/records.js'
import {
  compareValues,
  getIdentity,
  manifestName,
  readManifest,
  type SnapshotGap,
  type SnapshotKind,
  type SnapshotManifest,
  type SnapshotParent,
} from '../client/snapshot-manifest.js'
import { getScope } from '../engine/command/derive.js'
import type { LineAnswer } from '../engine/command/services.js'
import { Failure, getReason, survived, usage, whyUnread } from '../errors.js'

// The walk, as far as it came: a line for each parent of each list, so that it can go on after an interruption.

const unfinishedName = 'unfinished.ndjson'

/** The first line of the progress file: what the snapshot is of. */
export interface SnapshotHeader {
  readonly began: string
  readonly instance: string
  readonly groups: readonly string[]
  readonly lines: readonly string[]
}

/** A line of the progress file: a parent was read, the whole list was read, or the list was started again. */
type Step =
  | { readonly kind: string; readonly parent: SnapshotParent }
  | { readonly kind: string; readonly whole: SnapshotKind }
  | { readonly kind: string; readonly again: true }

/** What an interrupted snapshot has read so far. */
export interface InterruptedSnapshot {
  readonly begun: SnapshotHeader
  /** Lists that are whole. */
  readonly whole: ReadonlyMap<string, SnapshotKind>
  /** Of the others, the parents that are. */
  readonly parents: ReadonlyMap<string, readonly SnapshotParent[]>
}

/** What steps come to, in their order. */
const sumSteps = (begun: SnapshotHeader, steps: readonly Step[]): InterruptedSnapshot => {
  const whole = new Map<string, SnapshotKind>()
  const parents = new Map<string, readonly SnapshotParent[]>()
  for (const step of steps)
    if ('whole' in step) whole.set(step.kind, step.whole)
    else if ('again' in step) parents.delete(step.kind)
    else parents.set(step.kind, [...(parents.get(step.kind) ?? []), step.parent])
  return { begun, whole, parents }
}

/** What is left of a walk that was interrupted; undefined where none was. */
const readUnfinished = (folder: string): InterruptedSnapshot | undefined => {
  const path = join(folder, unfinishedName)
  if (!existsSync(path)) return undefined
  // A line that was cut is one that was not written.
  const lines = tryFile(path, () => readRegular(path), 'read')
    .toString()
    .split('\n')
    .slice(0, -1)
  try {
    const [begun, ...steps] = lines.map((line) => JSON.parse(line))
    return begun === undefined ? undefined : sumSteps(begun, steps)
  } catch {
    throw usage(`${path} cannot be read`, 'Start again with --overwrite, or in another folder.')
  }
}

/** Nobody has to keep more of a parent in memory to have it sorted. */
const maxSorted = 100_000

/** How many records are written at once. */
const pieceSize = 1_000

const newline = Buffer.from('\n')

/**
 * Runs a file operation.
 * @throws Failure `failed` if the system refuses
 */
const tryFile = <T>(path: string, work: () => T, verb = 'write'): T => {
  try {
    return work()
  } catch (cause) {
    throw new Failure('failed', `cannot ${verb} ${path}: ${getReason(cause)}`, { cause })
  }
}

/**
 * Opens a file that only its owner may read; links are not followed.
 * @param append continue the file; otherwise it is replaced
 */
const openPrivate = (path: string, append: boolean): number => {
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants
  if (!append) rmSync(path, { force: true })
  const how = append ? O_APPEND | O_NOFOLLOW | nonBlocking : O_CREAT | O_EXCL
  const file = openSync(path, O_WRONLY | how, 0o600)
  const other = otherThanFile(fstatSync(file))
  if (other === undefined) return file
  closeSync(file)
  throw new Error(other)
}

/** Writes all of the bytes. A disk that is nearly full takes a part of them first, without an error. */
const writeAll = (file: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

/** The progress file of a snapshot: what is written down of the walk as it goes on. */
export class ProgressLog {
  readonly #path: string
  readonly #file: number

  /** @param resumes goes on with the file of an interrupted walk */
  constructor(folder: string, begun: SnapshotHeader, resumes: boolean) {
    this.#path = join(folder, unfinishedName)
    this.#file = tryFile(this.#path, () => openPrivate(this.#path, resumes))
    // A line that was cut by a full disk must not become a part of the next one.
    if (resumes) ftruncateSync(this.#file, readRegular(this.#path).lastIndexOf('\n') + 1)
    else this.add(begun)
  }

  add(value: SnapshotHeader | Step): void {
    tryFile(this.#path, () => writeAll(this.#file, Buffer.from(`${JSON.stringify(value)}\n`)))
  }

  close(): void {
    closeSync(this.#file)
  }
}

const toGap = (failure: Failure): SnapshotGap => ({
  status: failure.status,
  why: whyUnread(failure),
})

/** Writes the records of a list to its file. */
export class ListFile {
  readonly #path: string
  readonly #file: number
  readonly #hash: Hash = createHash('sha256')
  readonly #log: ProgressLog
  readonly kind: string
  readonly parents: SnapshotParent[] = []
  #pending: { readonly id: string; readonly bytes: Uint8Array }[] = []
  #at = 0
  #begins = 0
  #records = 0
  #sorted = true
  /** Why the file could not be written: what is read after that would leave a gap. */
  failure: Failure | undefined
  column: 'project' | 'group' | undefined

  /** @param past what of it was read before */
  constructor(folder: string, kind: string, past: readonly SnapshotParent[], log: ProgressLog) {
    this.kind = kind
    this.#log = log
    this.#path = join(folder, `${kind}.ndjson.part`)
    this.parents.push(...past)
    this.#at = past.reduce((end, { at, bytes }) => Math.max(end, at + bytes), 0)
    this.#begins = this.#at
    this.#file = tryFile(this.#path, () => {
      const file = openPrivate(this.#path, past.length > 0)
      if (past.length > 0) ftruncateSync(file, this.#at)
      return file
    })
    if (past.length > 0) this.#hash.update(readRegular(this.#path))
  }

  /** Takes a record of a parent. */
  take(bytes: Uint8Array, name = ''): void {
    this.#pending.push({
      id: getIdentity(JSON.parse(viewed(bytes).toString())),
      bytes: new Uint8Array(bytes),
    })
    if (this.#pending.length <= maxSorted) return
    this.#sorted = false
    this.#keep(() => this.#write(name))
  }

  /** A parent is read, or could not be. */
  settled(name: string, failure: Failure | undefined): void {
    this.#pending.sort((a, b) => compareValues(a.id, b.id))
    this.#keep(() => this.#write(name))
    const parent: SnapshotParent = {
      name,
      records: this.#records,
      at: this.#begins,
      bytes: this.#at - this.#begins,
      refused: failure && toGap(failure),
    }
    this.parents.push(parent)
    this.#keep(() => this.#log.add({ kind: this.kind, parent }))
    this.#begins = this.#at
    this.#records = 0
  }

  /** @throws Failure `failed` if the file cannot be written, and for every write after that */
  #keep(write: () => void): void {
    if (this.failure !== undefined) throw this.failure
    try {
      write()
    } catch (error) {
      this.failure = survived(error)
      throw error
    }
  }

  #write(name: string): void {
    const whole = this.column === undefined ? undefined : wrapper(this.column, name)
    // In pieces: all of them in one would take the memory of all once more.
    for (let from = 0; from < this.#pending.length; from += pieceSize) {
      const some = this.#pending.slice(from, from + pieceSize)
      const piece = Buffer.concat(some.flatMap(({ bytes }) => [whole?.(bytes) ?? bytes, newline]))
      tryFile(this.#path, () => writeAll(this.#file, piece))
      this.#hash.update(piece)
      this.#at += piece.length
    }
    this.#records += this.#pending.length
    this.#pending = []
  }

  /** What the manifest says of it. */
  close(line: string, { plan, command, failure }: LineAnswer): SnapshotKind {
    closeSync(this.#file)
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
      sorted: this.#sorted,
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
 * @throws Failure `conflict` if another process is writing to it
 */
export const lockFolder = async (folder: string): Promise<Lock> => {
  tryFile(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  const held = (owner: string): Failure =>
    new Failure('conflict', `${folder} is being written by ${owner}`, {
      hint: 'Wait until it ends, or choose another folder.',
    })
  try {
    return await lock(join(folder, '.lock'), { patience: 0, held })
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('failed', `cannot write to ${folder}: ${getReason(cause)}`, { cause })
  }
}

/**
 * Checks the folder before the snapshot, and returns the interrupted one to continue.
 * @throws Failure `usage` if something else is in it
 */
export const prepareFolder = (
  folder: string,
  flags: { readonly resume?: boolean; readonly overwrite?: boolean },
): InterruptedSnapshot | undefined => {
  const unfinished = readUnfinished(folder)
  if (flags.resume === true) {
    if (unfinished === undefined)
      throw usage(`${folder} holds no interrupted snapshot`, 'Omit --resume to take a new one.')
    return unfinished
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
  const others = readdirSync(folder).filter(
    (name) => name !== unfinishedName && !name.endsWith('.part') && !name.startsWith('.'),
  )
  if (others.length > 0)
    throw usage(`${folder} is not empty and holds no snapshot`, 'Choose another folder.')
  return undefined
}

/** Gives the files their final names and writes the manifest: from then on the snapshot exists. */
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
    for (const name of names) renameSync(join(folder, `${name}.part`), join(folder, name))
    // Left from an interrupted walk that had other lists.
    for (const name of readdirSync(folder))
      if (/^[\w-]+\.ndjson\.part$/.test(name)) rmSync(join(folder, name), { force: true })
  })
  await writeWhole(path, `${JSON.stringify(manifest, null, 2)}\n`, { own: true })
  rmSync(join(folder, unfinishedName), { force: true })
}

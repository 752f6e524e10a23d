/** The progress file of a snapshot: a line for each parent of each list, from which `--resume` continues. */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { nonBlocking, otherThanFile, readRegular } from '../base/files/regular.js'
import { isObject } from '../base/objects.js'
import { decodeText } from '../base/utf8.js'
import {
  areInOrder,
  isDigest,
  isSnapshotKind,
  isSnapshotParent,
  maxDocument,
  type SnapshotKind,
  type SnapshotParent,
} from '../client/snapshot-manifest.js'
import { Failure, getReason } from '../errors.js'

export const unfinishedName = 'unfinished.ndjson'

/** The first line of the progress file: what the snapshot is of. */
export interface SnapshotHeader {
  readonly began: string
  readonly instance: string
  readonly groups: readonly string[]
  readonly lines: readonly string[]
}

/** A line of the progress file: a parent was read, the whole list was read, or the list was started again. */
type Step =
  | { readonly kind: string; readonly parent: SnapshotParent; readonly sha256: string }
  | { readonly kind: string; readonly whole: SnapshotKind }
  | { readonly kind: string; readonly again: true }

/** The parents of a list that were read before an interruption, and the digest of their lines. */
export interface PastParents {
  readonly parents: readonly SnapshotParent[]
  readonly sha256: string
}

/** What an interrupted snapshot has read so far. */
export interface InterruptedSnapshot {
  readonly begun: SnapshotHeader
  /** Lists that are whole. */
  readonly whole: ReadonlyMap<string, SnapshotKind>
  /** Of the others, the parents that are. */
  readonly parents: ReadonlyMap<string, PastParents>
}

const areTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const isHeader = (value: unknown): value is SnapshotHeader =>
  isObject(value) &&
  typeof value.began === 'string' &&
  !Number.isNaN(Date.parse(value.began)) &&
  typeof value.instance === 'string' &&
  areTexts(value.groups) &&
  areTexts(value.lines) &&
  value.lines.length > 0

const isStep = (value: unknown): value is Step => {
  if (!isObject(value) || typeof value.kind !== 'string') return false
  if (value.again === true) return true
  if (value.whole === undefined) return isSnapshotParent(value.parent) && isDigest(value.sha256)
  return isSnapshotKind(value.whole) && value.whole.kind === value.kind
}

/** Adds up the steps, in their order; undefined if they contradict each other. */
const sumSteps = (
  begun: SnapshotHeader,
  steps: readonly Step[],
): InterruptedSnapshot | undefined => {
  const whole = new Map<string, SnapshotKind>()
  const parents = new Map<string, { parents: SnapshotParent[]; sha256: string }>()
  for (const step of steps) {
    if ('whole' in step) whole.set(step.kind, step.whole)
    else if ('again' in step) parents.delete(step.kind)
    else {
      const past = parents.get(step.kind)?.parents ?? []
      past.push(step.parent)
      parents.set(step.kind, { parents: past, sha256: step.sha256 })
    }
  }
  const follow = [...parents.values()].every((past) => areInOrder(past.parents))
  return follow ? { begun, whole, parents } : undefined
}

/** Parses the lines of a progress file; undefined if one is not a line of such a file. */
const parseSteps = (lines: readonly string[]): InterruptedSnapshot | undefined => {
  try {
    const [begun, ...steps]: readonly unknown[] = lines.map((line) => JSON.parse(line))
    return isHeader(begun) && steps.every(isStep) ? sumSteps(begun, steps) : undefined
  } catch {
    return undefined
  }
}

/** What a folder holds of a walk that was interrupted: nothing, what it read, or a file that does not say what it read. */
type UnfinishedState = undefined | InterruptedSnapshot | { readonly damaged: string }

/** Reads the progress file of a folder. */
export const readUnfinished = (folder: string): UnfinishedState => {
  const path = join(folder, unfinishedName)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  let text: string
  try {
    text = decodeText(readRegular(path, maxDocument), path)
  } catch (error) {
    if (error instanceof Failure) return { damaged: error.message }
    return { damaged: `cannot read ${path}: ${getReason(error)}` }
  }
  // A line that was cut is one that was not written.
  const lines = text.split('\n').slice(0, -1)
  if (lines.length === 0) return undefined
  return parseSteps(lines) ?? { damaged: `${path} is not the progress of a snapshot` }
}

/**
 * Runs a file operation.
 * @throws Failure `failed` if the system refuses
 */
export const tryFile = <T>(path: string, work: () => T, verb = 'write'): T => {
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
export const openPrivate = (path: string, append: boolean): number => {
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
export const writeAll = (file: number, bytes: Uint8Array): void => {
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
    try {
      if (resumes) ftruncateSync(this.#file, readRegular(this.#path).lastIndexOf('\n') + 1)
      else this.add(begun)
    } catch (error) {
      this.close()
      throw error
    }
  }

  add(value: SnapshotHeader | Step): void {
    tryFile(this.#path, () => writeAll(this.#file, Buffer.from(`${JSON.stringify(value)}\n`)))
  }

  close(): void {
    closeSync(this.#file)
  }
}

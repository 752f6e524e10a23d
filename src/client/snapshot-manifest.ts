/**
 * What a snapshot is: a folder with lists of an instance, a record a line, and a manifest that says what was read and what was
 * refused.
 */
import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { normalizeBaseUrl } from '../base/base-url.js'
import { nonBlocking, otherThanFile, readRegular } from '../base/files/regular.js'
import { resolvePath } from '../base/io.js'
import { getHead, tail } from '../base/json/records.js'
import { isObject } from '../base/objects.js'
import { decodeText } from '../base/utf8.js'
import { Failure, getErrorCode, getReason, usage } from '../errors.js'

/** A project or group that was asked for a list. */
export interface SnapshotParent {
  readonly name: string
  readonly records: number
  /** Where its lines begin in the file, and how many bytes they are. */
  readonly at: number
  readonly bytes: number
  /** Why it could not be read. */
  readonly refused?: SnapshotGap | undefined
}

/** Why something could not be read. */
export interface SnapshotGap {
  readonly status?: number | undefined
  readonly why: string
}

/** A list of a snapshot. */
export interface SnapshotKind {
  readonly kind: string
  /** The command line that reads it, without `svcctl`. */
  readonly line: string
  readonly route: string
  /** The filters that it was taken with, by parameter. */
  readonly filter: Readonly<Record<string, string>>
  readonly file: string
  readonly records: number
  readonly sha256: string
  /** What the records belong to; absent for a list of the instance. */
  readonly column?: 'project' | 'group'
  /** Why its projects or groups are not known. */
  readonly refused?: SnapshotGap | undefined
  /** For a list of the instance one without a name. */
  readonly parents: readonly SnapshotParent[]
}

/** What a snapshot says of itself. */
export interface SnapshotManifest {
  readonly format: 1
  readonly tool: string
  readonly instance: string
  readonly version: string | null
  readonly profile: string | null
  readonly user: string | null
  readonly began: string
  readonly ended: string
  /** The groups that it is limited to. */
  readonly groups: readonly string[]
  readonly kinds: readonly SnapshotKind[]
}

export const manifestName = 'manifest.json'

/** A larger manifest or progress file, in bytes, is none: a million parents take less. */
export const maxDocument = 1 << 28

const isText = (value: unknown): value is string => typeof value === 'string'

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

/** Whether a text is the address of an instance: requests are made for it, though none is sent. */
const isAddress = (value: unknown): boolean => {
  try {
    return isText(value) && normalizeBaseUrl(value) === value
  } catch {
    return false
  }
}

const isTime = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value))

/** Whether a value is a digest as a snapshot writes it. */
export const isDigest = (value: unknown): value is string =>
  isText(value) && /^[0-9a-f]{64}$/.test(value)

const isGap = (value: unknown): boolean =>
  isObject(value) && isText(value.why) && (value.status === undefined || isCount(value.status))

/** Whether a value is a project or group that was asked for a list. */
export const isSnapshotParent = (value: unknown): value is SnapshotParent =>
  isObject(value) &&
  isText(value.name) &&
  [value.records, value.at, value.bytes].every(isCount) &&
  (value.refused === undefined || isGap(value.refused))

/** Whether the lines of these parents follow each other in the file. */
export const areInOrder = (parents: readonly SnapshotParent[]): boolean => {
  let end = 0
  return parents.every(({ at, bytes }) => {
    const follows = at === end
    end += bytes
    return follows
  })
}

/** Whether a value is a list of a snapshot, with a file inside of the folder. */
export const isSnapshotKind = (value: unknown): value is SnapshotKind =>
  isObject(value) &&
  [value.kind, value.line, value.route].every(isText) &&
  /^[\w-]+$/.test(String(value.kind)) &&
  value.file === `${String(value.kind)}.ndjson` &&
  isCount(value.records) &&
  isDigest(value.sha256) &&
  isObject(value.filter) &&
  Object.values(value.filter).every(isText) &&
  (value.refused === undefined || isGap(value.refused)) &&
  Array.isArray(value.parents) &&
  value.parents.every(isSnapshotParent) &&
  areInOrder(value.parents) &&
  (value.column === undefined
    ? value.parents.length === 1
    : value.column === 'project' || value.column === 'group')

const isTextOrNull = (value: unknown): boolean => value === null || isText(value)

const isManifest = (value: unknown): value is SnapshotManifest =>
  isObject(value) &&
  value.format === 1 &&
  isAddress(value.instance) &&
  [value.began, value.ended].every(isTime) &&
  [value.version, value.profile, value.user].every(isTextOrNull) &&
  Array.isArray(value.groups) &&
  value.groups.every(isText) &&
  Array.isArray(value.kinds) &&
  value.kinds.every(isSnapshotKind)

/**
 * The manifest of a folder; undefined where there is none.
 * @throws Failure `usage` for one that cannot be read, or of another format
 */
export const readManifest = (folder: string): SnapshotManifest | undefined => {
  const path = join(folder, manifestName)
  const hint = 'Take another snapshot, in another folder: svcctl snapshot --to <folder>'
  let text: string
  try {
    text = decodeText(readRegular(path, maxDocument), path)
  } catch (error) {
    if (error instanceof Failure) throw usage(error.message, hint)
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw usage(`cannot read ${path}: ${getReason(error)}`, hint)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isManifest(value)) return value
  } catch {}
  throw usage(`${path} is not the manifest of a snapshot`, hint)
}

// What a record is called among those of its parent.

/** Fields that identify a record, the most certain first. */
const identifying = ['slug', 'id', 'geo_node_id', 'iid', 'domain', 'key'] as const

/** Fields that change by themselves: when something was last seen, and what is counted of it. */
export const volatileFields = new Set([
  'contacted_at',
  'last_activity_at',
  'last_activity_on',
  'last_used_at',
  'updated_at',
  // Paths are fields of their own.
  'web_url',
  'statistics',
])

/** What identifies a record; undefined for one that can only be told by all of it, such as an event. */
export const getIdentifier = (record: unknown): unknown =>
  isObject(record)
    ? identifying
        .map((name) => record[name])
        .find((value) => value !== undefined && value !== null && value !== '')
    : undefined

/** What a record is called among those of its parent. */
export const getIdentity = (record: unknown): string =>
  String(getIdentifier(record) ?? JSON.stringify(record))

/** In the order of numbers where both are numbers, else of texts. */
export const compareValues = (a: unknown, b: unknown): number => {
  const [x, y] = [String(a ?? ''), String(b ?? '')]
  if (/^\d+$/.test(x) && /^\d+$/.test(y)) return x.length - y.length || (x < y ? -1 : Number(x > y))
  return x < y ? -1 : Number(x > y)
}

/**
 * Opens a list of a snapshot.
 * @throws the system's error; an Error in words for what is no regular file, which might never end
 */
export const openKept = async (path: string): Promise<FileHandle> => {
  const file = await open(resolvePath(path), constants.O_RDONLY | nonBlocking)
  const other = otherThanFile(await file.stat())
  if (other === undefined) return file
  await file.close()
  throw new Error(other)
}

/** The failure of a file that is not as its manifest says. */
export const toChanged = (path: string): Failure =>
  new Failure('failed', `${path} or its manifest was changed since the snapshot was taken`, {
    hint: 'Restore it, or take another snapshot.',
  })

/**
 * The digest of the first bytes of a list; undefined if it has fewer.
 * @param whole true if it must not have more
 * @throws as `openKept`
 */
export const hashKept = async (
  path: string,
  bytes: number,
  whole = false,
): Promise<Hash | undefined> => {
  const file = await openKept(path)
  try {
    const { size } = await file.stat()
    if (whole ? size !== bytes : size < bytes) return undefined
    const hash = createHash('sha256')
    let read = 0
    const end = { end: bytes - 1, autoClose: false }
    if (bytes > 0)
      for await (const chunk of file.createReadStream(end)) {
        hash.update(chunk as Buffer)
        read += chunk.length
      }
    return read === bytes ? hash : undefined
  } finally {
    await file.close()
  }
}

/** Whether a list is in a file as its manifest says. @throws as `openKept` */
export const isKept = async (
  path: string,
  { parents, sha256 }: Pick<SnapshotKind, 'parents' | 'sha256'>,
): Promise<boolean> => {
  const bytes = parents.reduce((sum, parent) => sum + parent.bytes, 0)
  return (await hashKept(path, bytes, true))?.digest('hex') === sha256
}

/** Reads a whole file of a snapshot. @throws Failure `failed` where it is not as its manifest says, or cannot be read */
export const checkKept = async (path: string, kind: SnapshotKind): Promise<void> => {
  const kept = await isKept(path, kind).catch((cause: unknown) => {
    throw new Failure('failed', `cannot read ${path}: ${getReason(cause)}`, {
      hint: 'Restore it, or take another snapshot.',
      cause,
    })
  })
  if (!kept) throw toChanged(path)
}

const nothing = Buffer.alloc(0)

/** Where the lines of a parent stand, what stands on each before its record, and how many bytes behind it. */
export const getLineFrame = (kind: SnapshotKind, parent: SnapshotParent | undefined) => {
  const { at, bytes, name, refused } = parent ??
    kind.parents[0] ?? { at: 0, bytes: 0, name: '', refused: undefined }
  const { column } = kind
  const around =
    column === undefined
      ? { head: nothing, tail: 0 }
      : { head: getHead(column, name), tail: tail.length }
  return { at, bytes, refused, ...around }
}

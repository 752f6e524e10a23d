/**
 * What a snapshot is: a folder with lists of an instance, a record a line, and a manifest that says what was read and what was
 * refused.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { nonBlocking, readRegular } from '../base/files/regular.js'
import { getHead, tail } from '../base/json/records.js'
import { isObject } from '../base/objects.js'
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
  /** False where a parent has too many records to be sorted. */
  readonly sorted: boolean
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

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0

/** Whether these are parents, whose lines follow each other in the file. */
const areParents = (parents: readonly unknown[]): boolean => {
  let end = 0
  return parents.every((one) => {
    if (!isObject(one) || typeof one.name !== 'string' || one.at !== end || !isCount(one.bytes))
      return false
    end += one.bytes
    return one.refused === undefined || isObject(one.refused)
  })
}

const isManifest = (value: unknown): value is SnapshotManifest =>
  isObject(value) &&
  value.format === 1 &&
  typeof value.instance === 'string' &&
  typeof value.ended === 'string' &&
  Array.isArray(value.groups) &&
  Array.isArray(value.kinds) &&
  value.kinds.every(
    (kind) =>
      isObject(kind) &&
      typeof kind.kind === 'string' &&
      typeof kind.route === 'string' &&
      // A name, and no path out of the folder.
      /^[\w-]+\.ndjson$/.test(String(kind.file)) &&
      isObject(kind.filter) &&
      Object.values(kind.filter).every((value) => typeof value === 'string') &&
      Array.isArray(kind.parents) &&
      (kind.column === undefined
        ? kind.parents.length === 1
        : kind.column === 'project' || kind.column === 'group') &&
      areParents(kind.parents),
  )

/**
 * The manifest of a folder; undefined where there is none.
 * @throws Failure `usage` for one that cannot be read, or of another format
 */
export const readManifest = (folder: string): SnapshotManifest | undefined => {
  const path = join(folder, manifestName)
  let text: string
  try {
    text = readRegular(path).toString()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw usage(`cannot read ${path}: ${getReason(error)}`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (isManifest(value)) return value
  } catch {}
  throw usage(
    `${path} is not the manifest of a snapshot`,
    'Take another: svcctl snapshot --to <folder>',
  )
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

/** Opens a file of a snapshot; a pipe in its place makes nobody wait. */
export const openKept = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDONLY | nonBlocking)

/** The failure of a file that is not as its manifest says. */
export const toChanged = (path: string): Failure =>
  new Failure('failed', `${path} or its manifest was changed since the snapshot was taken`, {
    hint: 'Restore it, or take another snapshot.',
  })

/** Reads a whole file of a snapshot. @throws Failure `failed` where it is not as its manifest says, or cannot be read */
export const checkKept = async (path: string, kind: SnapshotKind): Promise<void> => {
  const hash = createHash('sha256')
  let size = 0
  try {
    const file = await openKept(path)
    for await (const chunk of file.createReadStream()) {
      hash.update(chunk as Buffer)
      size += chunk.length
    }
  } catch (cause) {
    throw new Failure('failed', `cannot read ${path}: ${getReason(cause)}`, { cause })
  }
  const listed = kind.parents.reduce((sum, { bytes }) => sum + bytes, 0)
  if (hash.digest('hex') !== kind.sha256 || size !== listed) throw toChanged(path)
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

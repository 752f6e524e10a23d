/**
 * Declares the format of snapshots, and checks their files. A snapshot is a folder with lists of an instance, one record per line, and a
 * manifest of everything that was read or refused.
 */

import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { DocumentValue } from '../base/documents/index.js'
import { describeOther, nonBlocking } from '../base/files/regular.js'
import { resolvePath } from '../base/io.js'
import { getHead, tail } from '../base/json/records.js'
import { isObject } from '../base/objects.js'
import { Failure, getReason } from '../errors.js'
import type { ListSchema, ManifestSchema, ParentSchema } from './manifest-schema.js'

/** A project or group whose list was read. */
export type SnapshotParent = DocumentValue<ParentSchema>

/** A list of a snapshot. */
export type SnapshotKind = DocumentValue<ListSchema>

/** The reason why a list or a parent could not be read. */
export type SnapshotGap = NonNullable<SnapshotKind['refused']>

/** The manifest of a snapshot. */
export type SnapshotManifest = DocumentValue<ManifestSchema>

/** True if a project or group is one of those to which a snapshot is limited, or below one. */
export const isWithin = (path: string, groups: SnapshotManifest['groups']): boolean =>
  groups.length === 0 ||
  groups.some((group) => `${path.toLowerCase()}/`.startsWith(`${group.toLowerCase()}/`))

// The identity of a record among those of its parent.

/** Fields that identify a record, the most certain first. */
const identifyingFields = ['slug', 'id', 'geo_node_id', 'iid', 'domain', 'key'] as const

/** Fields that change without a change of configuration, such as times of last use and statistics. */
export const volatileFields = new Set([
  'contacted_at',
  'last_activity_at',
  'last_activity_on',
  'last_used_at',
  'updated_at',
  // The clock moves those of jobs that run or wait; the others change with the status.
  'duration',
  'queued_duration',
  // A changed path is visible in other fields.
  'web_url',
  'statistics',
])

/** Returns the value that identifies a record; undefined for one that only its whole content identifies, such as an event. */
export const getIdentifier = (record: unknown): unknown =>
  isObject(record)
    ? identifyingFields
        .map((name) => record[name])
        .find((value) => value !== undefined && value !== null && value !== '')
    : undefined

/** Returns the text that names a record among those of its parent. */
export const getIdentity = (record: unknown): string =>
  String(getIdentifier(record) ?? JSON.stringify(record))

/** Compares values as numbers if both are whole numbers, else as texts. */
export const compareValues = (a: unknown, b: unknown): number => {
  const [x, y] = [String(a ?? ''), String(b ?? '')]
  if (/^\d+$/.test(x) && /^\d+$/.test(y)) return x.length - y.length || (x < y ? -1 : Number(x > y))
  return x < y ? -1 : Number(x > y)
}

/**
 * Opens a list of a snapshot.
 * @throws the system's error; an Error with a message for people if it is not a regular file, which might never end
 */
export const openSnapshotFile = async (path: string): Promise<FileHandle> => {
  const file = await open(resolvePath(path), constants.O_RDONLY | nonBlocking)
  const other = describeOther(await file.stat())
  if (other === undefined) return file
  await file.close()
  throw new Error(other)
}

/** Creates the failure of a file that does not match its manifest. */
export const createChangedFailure = (path: string): Failure =>
  new Failure('failed', `${path} or its manifest was changed since the snapshot was taken`, {
    hint: 'Restore it, or take another snapshot.',
  })

/**
 * Computes the digest of the first bytes of a list; undefined if it has fewer.
 * @param whole true if the list must not have more bytes
 * @throws as `openSnapshotFile`
 */
export const hashSnapshotFile = async (
  path: string,
  bytes: number,
  whole = false,
): Promise<Hash | undefined> => {
  const file = await openSnapshotFile(path)
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

/** True if a list in a file matches its manifest. @throws as `openSnapshotFile` */
export const isUnchanged = async (
  path: string,
  { parents, sha256 }: Pick<SnapshotKind, 'parents' | 'sha256'>,
): Promise<boolean> => {
  const bytes = parents.reduce((sum, parent) => sum + parent.bytes, 0)
  return (await hashSnapshotFile(path, bytes, true))?.digest('hex') === sha256
}

/** Checks a whole file of a snapshot. @throws Failure `failed` if the file does not match its manifest, or cannot be read */
export const checkSnapshotFile = async (path: string, kind: SnapshotKind): Promise<void> => {
  const kept = await isUnchanged(path, kind).catch((cause: unknown) => {
    throw new Failure('failed', `cannot read ${path}: ${getReason(cause)}`, {
      hint: 'Restore it, or take another snapshot.',
      cause,
    })
  })
  if (!kept) throw createChangedFailure(path)
}

const nothing = Buffer.alloc(0)

/** Returns the place of a parent's lines in the file, the text before each record, and the number of bytes after it. */
export const getLineFrame = (kind: SnapshotKind, parent: SnapshotParent | undefined) => {
  const { at, bytes, name, refused } = parent ??
    kind.parents[0] ?? { at: 0, bytes: 0, name: '', refused: undefined }
  const { column } = kind
  const frame =
    column === undefined
      ? { head: nothing, tail: 0 }
      : { head: getHead(column, name), tail: tail.length }
  return { at, bytes, refused, ...frame }
}

/** Splits the bytes of a file into its lines, without empty ones. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      if (end > 0) yield rest.subarray(0, end)
      rest = rest.subarray(end + 1)
    }
  }
  if (rest.length > 0) yield rest
}

/** Declares the schema of a snapshot's manifest, and reads a manifest: by its schema, and by rules that a schema cannot express. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Array as ArrayOf, Integer, Literal, Object as Obj, Optional, String as Str } from 'typebox'
import { normalizeBaseUrl } from '../base/base-url.js'
import { Findings } from '../base/documents/findings.js'
import type { Document, DocumentValue } from '../base/documents/index.js'
import { readJson } from '../base/documents/json.js'
import { Digest, MapOf, OneOf, strict } from '../base/documents/schemas.js'
import { readRegular } from '../base/files/regular.js'
import { resolvePath } from '../base/io.js'
import { quoteWord } from '../base/shell-words.js'
import { nullable } from '../catalogue/shapes/common.js'
import { type Failure, getErrorCode, getReason, usage } from '../errors.js'

const count = Integer({ minimum: 0 })
const gapSchema = Obj({ status: Optional(count), why: Str() }, strict)

/** The schema of a project or group whose list was read. It has the position and size of its lines, or why it could not be read. */
export const parentSchema = Obj(
  { name: Str(), records: count, at: count, bytes: count, refused: Optional(gapSchema) },
  { ...strict, title: 'a parent' },
)
export type ParentSchema = typeof parentSchema

/**
 * The schema of a list of a snapshot: the command line that reads it (without `svcctl`), its filters, and the column of its parents
 * (project or group). A list of the instance itself has no column, and one parent without a name.
 */
export const listSchema = Obj(
  {
    kind: Str({ title: 'name of a list', pattern: '^[\\w-]+$' }),
    line: Str(),
    route: Str(),
    filter: MapOf(Str()),
    file: Str(),
    records: count,
    sha256: Digest,
    column: Optional(OneOf(['project', 'group'])),
    refused: Optional(gapSchema),
    parents: ArrayOf(parentSchema),
  },
  { ...strict, title: 'a list' },
)
export type ListSchema = typeof listSchema

const time = Str({ format: 'date-time' })

const manifestSchema = Obj(
  {
    format: Literal(1),
    tool: Str(),
    instance: Str(),
    version: nullable(Str()),
    profile: nullable(Str()),
    user: nullable(Str()),
    began: time,
    ended: time,
    /** The groups to which the snapshot is limited. */
    groups: ArrayOf(Str()),
    kinds: ArrayOf(listSchema),
  },
  { ...strict, title: 'the manifest of a snapshot' },
)
export type ManifestSchema = typeof manifestSchema

export const manifestName = 'manifest.json'
/** The file with the progress of a snapshot, until it is complete. */
export const unfinishedName = 'unfinished.ndjson'

/** Creates the failure for a folder without a complete snapshot. The hint completes an interrupted one. */
export const createNoSnapshotFailure = (folder: string): Failure => {
  const line = `svcctl snapshot --to ${quoteWord(folder)}`
  return usage(
    `${folder} holds no complete snapshot`,
    existsSync(resolvePath(join(folder, unfinishedName)))
      ? `Complete the interrupted one: ${line} --resume`
      : `Take one: ${line}`,
  )
}

/** The maximum size of a manifest or progress file, in bytes. A million parents take less. */
export const maxDocument = 1 << 28

/** The maximum number of values of a manifest. Each of a million parents has some five. */
const maxValues = 20_000_000

/** True if the lines of these parents follow each other in the file without gaps. */
export const areContiguous = (parents: readonly DocumentValue<ParentSchema>[]): boolean => {
  let end = 0
  return parents.every(({ at, bytes }) => {
    const follows = at === end
    end += bytes
    return follows
  })
}

/** Checks that a list has its own file in the folder, exactly one parent if there is no column, and parents without gaps. */
export const checkList = (
  { kind, file, column, parents }: DocumentValue<ListSchema>,
  at: (...path: (string | number)[]) => ReturnType<Document<unknown>['at']>,
  findings: Findings,
): void => {
  if (file !== `${kind}.ndjson`) findings.add(at('file'), `file must be ${kind}.ndjson`)
  if (column === undefined && parents.length !== 1)
    findings.add(at('parents'), 'parents must have exactly one item, as there is no column')
  if (!areContiguous(parents))
    findings.add(at('parents'), 'the lines of the parents have gaps or overlap')
}

/** True if a text is a normalized base URL. Requests are built for it, although none is sent. */
const isBaseUrl = (text: string): boolean => {
  try {
    return normalizeBaseUrl(text) === text
  } catch {
    return false
  }
}

/**
 * Reads the manifest of a folder; returns undefined if there is none.
 * @throws Failure `usage` for a manifest that cannot be read, or is wrong
 */
export const readManifest = (folder: string): DocumentValue<ManifestSchema> | undefined => {
  const path = join(folder, manifestName)
  const hint = 'Take another snapshot, in another folder: svcctl snapshot --to <folder>'
  let bytes: Buffer
  try {
    bytes = readRegular(path, maxDocument)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw usage(`cannot read ${path}: ${getReason(error)}`, hint)
  }
  const findings = new Findings()
  const document = readJson(manifestSchema, bytes, path, findings, { maxValues })
  if (document !== undefined) {
    const { value, at } = document
    if (!isBaseUrl(value.instance)) findings.add(at(['instance']), 'instance must be a URL')
    for (const [i, list] of value.kinds.entries())
      checkList(list, (...inner) => at(['kinds', i, ...inner]), findings)
  }
  findings.refuse(hint)
  return document?.value
}

/** Lists the folders in a folder, which may be snapshots. @throws Failure `usage` for a folder that cannot be read */
export const listSubfolders = (folder: string): readonly string[] => {
  try {
    const entries = readdirSync(resolvePath(folder), { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .sort()
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return []
    throw usage(`cannot read ${folder}: ${getReason(error)}`)
  }
}

/** Reads the manifest of a snapshot by its schema, and what must hold of it beside. */

import { join } from 'node:path'
import { Array as ArrayOf, Integer, Literal, Object as Obj, Optional, String as Str } from 'typebox'
import { normalizeBaseUrl } from '../base/base-url.js'
import { Findings } from '../base/documents/findings.js'
import type { Document, DocumentValue } from '../base/documents/index.js'
import { readJson } from '../base/documents/json.js'
import { Digest, MapOf, OneOf, strict } from '../base/documents/schemas.js'
import { readRegular } from '../base/files/regular.js'
import { nullable } from '../catalogue/shapes/common.js'
import { getErrorCode, getReason, usage } from '../errors.js'

const count = Integer({ minimum: 0 })
const gapSchema = Obj({ status: Optional(count), why: Str() }, strict)

/** A project or group that was asked for a list: where its lines begin in the file, how many bytes they are, and why it could not be read. */
export const parentSchema = Obj(
  { name: Str(), records: count, at: count, bytes: count, refused: Optional(gapSchema) },
  { ...strict, title: 'a parent' },
)
export type ParentSchema = typeof parentSchema

/**
 * A list of a snapshot: the line that reads it, without `svcctl`; the filters that it was taken with; what its records belong to,
 * which is absent for a list of the instance. Of such a list there is one parent, without a name.
 */
export const kindSchema = Obj(
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
export type KindSchema = typeof kindSchema

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
    /** The groups that it is limited to. */
    groups: ArrayOf(Str()),
    kinds: ArrayOf(kindSchema),
  },
  { ...strict, title: 'the manifest of a snapshot' },
)
export type ManifestSchema = typeof manifestSchema

export const manifestName = 'manifest.json'

/** A larger manifest or progress file, in bytes, is none: a million parents take less. */
export const maxDocument = 1 << 28

/** As many values a manifest may have. */
const maxValues = 20_000_000

/** Returns true if the lines of these parents follow each other in the file. */
export const areInOrder = (parents: readonly DocumentValue<ParentSchema>[]): boolean => {
  let end = 0
  return parents.every(({ at, bytes }) => {
    const follows = at === end
    end += bytes
    return follows
  })
}

/** Checks what a schema cannot say of a list: its file is its own, and inside of the folder. */
export const checkKind = (
  { kind, file, column, parents }: DocumentValue<KindSchema>,
  at: (...path: (string | number)[]) => ReturnType<Document<unknown>['at']>,
  findings: Findings,
): void => {
  if (file !== `${kind}.ndjson`) findings.add(at('file'), `file must be ${kind}.ndjson`)
  if (column === undefined && parents.length !== 1)
    findings.add(at('parents'), 'parents must have exactly one item, as there is no column')
  if (!areInOrder(parents))
    findings.add(at('parents'), 'the parts of the file do not follow each other')
}

/** Returns true if a text is the address of an instance: requests are made for it, though none is sent. */
const isAddress = (text: string): boolean => {
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
  const document = readJson(manifestSchema, bytes, path, findings, { most: maxValues })
  if (document !== undefined) {
    const { value, at } = document
    if (!isAddress(value.instance)) findings.add(at(['instance']), 'instance must be a URL')
    for (const [i, kind] of value.kinds.entries())
      checkKind(kind, (...inner) => at(['kinds', i, ...inner]), findings)
  }
  findings.refuse(hint)
  return document?.value
}

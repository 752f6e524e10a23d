/** Reads and writes the progress file of a snapshot: a line for each parent of each list, from which `--resume` continues. */

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
import { Array as ArrayOf, Literal, Object as Obj, String as Str, Union } from 'typebox'
import { Findings } from '../base/documents/findings.js'
import type { DocumentValue } from '../base/documents/index.js'
import { readJson } from '../base/documents/json.js'
import { Digest, strict } from '../base/documents/schemas.js'
import { describeOther, nonBlocking, readRegular } from '../base/files/regular.js'
import { decodeStrictly } from '../base/utf8.js'
import {
  areContiguous,
  checkList,
  listSchema,
  maxDocument,
  parentSchema,
  unfinishedName,
} from '../client/manifest-schema.js'
import type { SnapshotKind, SnapshotParent } from '../client/snapshot-manifest.js'
import { Failure, getReason, usage } from '../errors.js'

/** The first line of the progress file, which describes the snapshot. */
const headerSchema = Obj(
  {
    began: Str({ format: 'date-time' }),
    instance: Str(),
    groups: ArrayOf(Str()),
    lines: ArrayOf(Str(), { minItems: 1 }),
  },
  { ...strict, title: 'the first line' },
)
export type SnapshotHeader = DocumentValue<typeof headerSchema>

/** Another line of the progress file: a parent was read, a list is complete, or a list was restarted. */
const stepSchema = Union([
  Obj({ kind: Str(), parent: parentSchema, sha256: Digest }, strict),
  Obj({ kind: Str(), whole: listSchema }, strict),
  Obj({ kind: Str(), again: Literal(true) }, strict),
])
type Step = DocumentValue<typeof stepSchema>

/** The parents of a list that were read before an interruption, and the digest of their lines. */
export interface PastParents {
  readonly parents: readonly SnapshotParent[]
  readonly sha256: string
}

/** The state of an interrupted snapshot. */
export interface InterruptedSnapshot {
  readonly begun: SnapshotHeader
  /** The complete lists by name. */
  readonly whole: ReadonlyMap<string, SnapshotKind>
  /** The parts of incomplete lists by name. */
  readonly parents: ReadonlyMap<string, PastParents>
}

/** Computes the state after all steps. */
const sumSteps = (begun: SnapshotHeader, steps: readonly Step[]): InterruptedSnapshot => {
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
  return { begun, whole, parents }
}

/** Parses a step. Mistakes are added to the findings. */
const readStep = (
  text: string,
  file: string,
  line: number,
  findings: Findings,
): Step | undefined => {
  const step = readJson(stepSchema, Buffer.from(text), file, findings, { line })
  if (step === undefined || !('whole' in step.value)) return step?.value
  const { kind, whole } = step.value
  checkList(whole, (...inner) => step.at(['whole', ...inner]), findings)
  if (whole.kind !== kind) findings.add(step.at(['whole', 'kind']), `kind must be ${kind}`)
  return step.value
}

/**
 * Parses the lines of a progress file.
 * @throws Failure `usage` with the position of a mistake
 */
const parseSteps = (lines: readonly string[], file: string): InterruptedSnapshot => {
  const findings = new Findings()
  const [first = '', ...rest] = lines
  const begun = readJson(headerSchema, Buffer.from(first), file, findings)
  const steps: Step[] = []
  for (const [i, text] of rest.entries()) {
    const step = readStep(text, file, i + 2, findings)
    if (step === undefined || findings.any) break
    steps.push(step)
  }
  findings.refuse()
  if (begun === undefined) throw usage(`${file} is not the progress of a snapshot`)
  const sum = sumSteps(begun.value, steps)
  if ([...sum.parents.values()].every(({ parents }) => areContiguous(parents))) return sum
  throw usage(`${file}: the lines of a list have gaps or overlap`)
}

/** The progress of a folder: none, that of an interrupted snapshot, or the reason why it cannot be used. */
type UnfinishedState = undefined | InterruptedSnapshot | { readonly damaged: string }

/** Reads the progress file of a folder. */
export const readUnfinished = (folder: string): UnfinishedState => {
  const path = join(folder, unfinishedName)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  try {
    const text = decodeStrictly(readRegular(path, maxDocument), path)
    // The last line is incomplete if writing it was interrupted, so it is ignored.
    const lines = text.split('\n').slice(0, -1)
    return lines.length === 0 ? undefined : parseSteps(lines, path)
  } catch (error) {
    if (error instanceof Failure) return { damaged: error.message }
    return { damaged: `cannot read ${path}: ${getReason(error)}` }
  }
}

/**
 * Runs an operation that writes a file.
 * @throws Failure `failed` if the system rejects it
 */
export const tryFile = <T>(path: string, work: () => T): T => {
  try {
    return work()
  } catch (cause) {
    throw new Failure('failed', `cannot write ${path}: ${getReason(cause)}`, { cause })
  }
}

/**
 * Opens a file that only its owner can read. Symbolic links are not followed.
 * @param append true to continue the file, false to replace it
 */
export const openPrivate = (path: string, append: boolean): number => {
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants
  if (!append) rmSync(path, { force: true })
  const how = append ? O_APPEND | O_NOFOLLOW | nonBlocking : O_CREAT | O_EXCL
  const file = openSync(path, O_WRONLY | how, 0o600)
  const other = describeOther(fstatSync(file))
  if (other === undefined) return file
  closeSync(file)
  throw new Error(other)
}

/** Writes all of the bytes. If the disk is nearly full, a single write may write only a part without an error. */
export const writeSynchronously = (file: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

/** Writes the steps of a snapshot to its progress file. */
export class ProgressLog {
  readonly #path: string
  readonly #file: number

  /** @param resumes true to continue the file of an interrupted snapshot */
  constructor(folder: string, begun: SnapshotHeader, resumes: boolean) {
    this.#path = join(folder, unfinishedName)
    this.#file = tryFile(this.#path, () => openPrivate(this.#path, resumes))
    // An incomplete line at the end is removed, so that the next one does not continue it.
    try {
      if (resumes) ftruncateSync(this.#file, readRegular(this.#path).lastIndexOf('\n') + 1)
      else this.add(begun)
    } catch (error) {
      this.close()
      throw error
    }
  }

  add(value: SnapshotHeader | Step): void {
    tryFile(this.#path, () =>
      writeSynchronously(this.#file, Buffer.from(`${JSON.stringify(value)}\n`)),
    )
  }

  close(): void {
    closeSync(this.#file)
  }
}

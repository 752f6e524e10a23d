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
import { Array as ArrayOf, Literal, Object as Obj, String as Str, Union } from 'typebox'
import { Findings } from '../base/documents/findings.js'
import type { DocumentValue } from '../base/documents/index.js'
import { readJson } from '../base/documents/json.js'
import { Digest, strict } from '../base/documents/schemas.js'
import { describeOther, nonBlocking, readRegular } from '../base/files/regular.js'
import { decodeStrictly } from '../base/utf8.js'
import {
  areInOrder,
  checkKind,
  kindSchema,
  maxDocument,
  parentSchema,
} from '../client/read-manifest.js'
import type { SnapshotKind, SnapshotParent } from '../client/snapshot-manifest.js'
import { Failure, getReason, usage } from '../errors.js'

export const unfinishedName = 'unfinished.ndjson'

/** The first line of the progress file: what the snapshot is of. */
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

/** A line of the progress file: a parent was read, the whole list was read, or the list was started again. */
const stepSchema = Union([
  Obj({ kind: Str(), parent: parentSchema, sha256: Digest }, strict),
  Obj({ kind: Str(), whole: kindSchema }, strict),
  Obj({ kind: Str(), again: Literal(true) }, strict),
])
type Step = DocumentValue<typeof stepSchema>

/** The parents of a list that were read before an interruption, and the digest of their lines. */
export interface PastParents {
  readonly parents: readonly SnapshotParent[]
  readonly sha256: string
}

/** The state of an interrupted snapshot: what it has read so far. */
export interface InterruptedSnapshot {
  readonly begun: SnapshotHeader
  /** Lists that are whole. */
  readonly whole: ReadonlyMap<string, SnapshotKind>
  /** Of the others, the parents that are. */
  readonly parents: ReadonlyMap<string, PastParents>
}

/** Adds up the steps, in their order. */
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

/** Reads a step; what is wrong is added to the findings. */
const readStep = (
  text: string,
  file: string,
  line: number,
  findings: Findings,
): Step | undefined => {
  const step = readJson(stepSchema, Buffer.from(text), file, findings, { line })
  if (step === undefined || !('whole' in step.value)) return step?.value
  const { kind, whole } = step.value
  checkKind(whole, (...inner) => step.at(['whole', ...inner]), findings)
  if (whole.kind !== kind) findings.add(step.at(['whole', 'kind']), `kind must be ${kind}`)
  return step.value
}

/**
 * Parses the lines of a progress file.
 * @throws Failure `usage` with the position of what is wrong
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
  if ([...sum.parents.values()].every(({ parents }) => areInOrder(parents))) return sum
  throw usage(`${file}: the parts of a list do not follow each other`)
}

/** The state of an interrupted walk in a folder: nothing, what it read, or a file that does not say what it read. */
type UnfinishedState = undefined | InterruptedSnapshot | { readonly damaged: string }

/** Reads the progress file of a folder. */
export const readUnfinished = (folder: string): UnfinishedState => {
  const path = join(folder, unfinishedName)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  try {
    const text = decodeStrictly(readRegular(path, maxDocument), path)
    // A line that was cut is one that was not written.
    const lines = text.split('\n').slice(0, -1)
    return lines.length === 0 ? undefined : parseSteps(lines, path)
  } catch (error) {
    if (error instanceof Failure) return { damaged: error.message }
    return { damaged: `cannot read ${path}: ${getReason(error)}` }
  }
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
  const other = describeOther(fstatSync(file))
  if (other === undefined) return file
  closeSync(file)
  throw new Error(other)
}

/** Writes all of the bytes. A disk that is nearly full takes a part of them first, without an error. */
export const writeSynchronously = (file: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

/** The progress file of a snapshot: the steps of the walk, as they happen. */
export class ProgressLog {
  readonly #path: string
  readonly #file: number

  /** @param resumes continues the file of an interrupted walk */
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
    tryFile(this.#path, () =>
      writeSynchronously(this.#file, Buffer.from(`${JSON.stringify(value)}\n`)),
    )
  }

  close(): void {
    closeSync(this.#file)
  }
}

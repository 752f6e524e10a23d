/**
 * Begins runs in the folder of runs, stores planned runs and removes old ones. Each run gets the next sequence number.
 */
import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/async.js'
import { dayLength } from '../../base/dates.js'
import { writeWhole } from '../../base/files/files.js'
import { lock } from '../../base/files/lock.js'
import { makeFolders } from '../../base/files/regular.js'
import { Failure, getErrorCode, getReason } from '../../errors.js'
import type { LockWait } from '../../profile/index.js'
import {
  getFormerFile,
  getPlanFile,
  getRunFileName,
  listRunNames,
  type RunEntry,
  type RunName,
  readFolderEntry,
  type WriteAuthor,
} from './folder.js'
import { formatLine, type Header } from './lines.js'
import { readRunHistory } from './reader.js'
import { createJournal, createJournalFailure, type Journal } from './writer.js'

/** The maximum time to wait for another process's lock, in milliseconds. Beginning a run takes far less. */
const lockTimeout = 30_000

const withFolderLock = async <T>(
  folder: string,
  { note, signal }: LockWait,
  work: () => Promise<T>,
): Promise<T> => {
  makeFolders(folder, 0o700)
  const directory = join(folder, '.lock')
  const createLockedFailure = (owner: string): Failure =>
    new Failure('conflict', `the folder of runs ${folder} is locked by ${owner}`, {
      hint: `Wait until it ends. If it has ended, delete ${directory}`,
    })
  const { release } = await lock(directory, {
    patience: lockTimeout,
    note,
    signal,
    held: createLockedFailure,
  })
  try {
    return await work()
  } finally {
    release()
  }
}

/**
 * Finds the next sequence number, and an ID that no other run has: the given one, if necessary with a number after it.
 */
const findNextPlace = async (folder: string, id: string): Promise<{ seq: number; id: string }> => {
  const names = await listRunNames(folder)
  const seq = Math.max(0, ...names.map((one) => one.seq ?? 0)) + 1
  const ids = new Set(names.map((one) => one.id))
  for (let n = 1; ; n++) {
    const own = n === 1 ? id : `${id}_${n}`
    if (!ids.has(own)) return { seq, id: own }
  }
}

/** Sets the sequence number and the ID of a header. Without a number, the run is only planned. */
const setPlace = (
  { run: _, id: __, ...header }: Header,
  { seq, id }: { seq: number | undefined; id: string },
): Header => ({ run: 1, seq, id, ...header, ...(seq === undefined ? {} : { seq }) })

/**
 * Writes a run file that refers to the file with the run's lines.
 * @returns the file with the reference
 */
const writeReference = async (
  folder: string,
  header: Header,
  seq: number,
  file: string,
): Promise<string> => {
  const reference = join(folder, getRunFileName(seq, header.id))
  await writeWhole(reference, formatLine({ ...header, seq, file }), { own: true, durable: false })
  return reference
}

/** The clock of a run's journal, and how to wait for another process. */
export interface BeginOptions extends LockWait {
  readonly clock: Clock
}

/**
 * Begins a run: creates its file in the folder, with the next sequence number.
 * @param named the file to create instead; a file in the folder then refers to it
 * @throws Failure as `createJournal`
 */
export const beginRun = async (
  folder: string,
  header: Header,
  { clock, ...waiting }: BeginOptions,
  named?: string,
): Promise<Journal> => {
  const begin = async (): Promise<Journal> => {
    const next = await findNextPlace(folder, header.id)
    const own = setPlace(header, next)
    const { seq, id } = next
    if (named === undefined) return createJournal(join(folder, getRunFileName(seq, id)), own, clock)
    const journal = await createJournal(named, own, clock)
    journal.referenceFile = await writeReference(folder, own, seq, named).catch(() => undefined)
    return journal
  }
  try {
    return await withFolderLock(folder, waiting, begin)
  } catch (error) {
    if (error instanceof Failure) throw error
    // If the folder cannot be written, the run has only the named file.
    if (named !== undefined) return createJournal(named, header, clock)
    throw createJournalFailure(join(folder, `${header.id}.ndjson`), getReason(error))
  }
}

/** The maximum number of planned runs by agents that wait for approval. */
const maxAgentPlans = 20

/** Finds the planned runs that have not begun, the newest first. Removes those that expired. */
export const findPlanned = async (folder: string, now: Date): Promise<readonly RunEntry[]> => {
  const waiting: RunEntry[] = []
  for (const { name, seq } of await listRunNames(folder)) {
    if (seq !== undefined) continue
    const entry = await readFolderEntry(folder, { name, seq }).catch(() => undefined)
    if (entry === undefined) continue
    const { expires = '' } = entry.header.planned ?? {}
    if (Date.parse(expires) > now.getTime()) waiting.push(entry)
    else await rm(entry.file, { force: true })
  }
  return waiting
}

/** Formats a planned run without its ID and times. Two planned runs are equal if these texts are equal. */
const formatPlan = ({ id: _, began: __, planned, ...header }: Header, text: string): string =>
  JSON.stringify([header, planned?.by, planned?.reason, text])

/**
 * Stores a planned run. If an equal one waits already, nothing is written.
 * @param text the lines of its objects
 * @returns the ID of the stored or equal run
 * @throws Failure `conflict` if too many planned runs by agents wait
 */
export const storePlanned = (
  folder: string,
  header: Header,
  text: string,
  waiting: LockWait,
): Promise<string> =>
  withFolderLock(folder, waiting, async () => {
    const plans = await findPlanned(folder, new Date(header.began))
    for (const { file, header: other } of plans) {
      const kept = await readFile(file, 'utf8')
      const rest = kept.slice(kept.indexOf('\n') + 1)
      if (formatPlan(other, rest) === formatPlan(header, text)) return other.id
    }
    const ofAgents = plans.filter((entry) => entry.header.planned?.by === 'agent')
    if (header.planned?.by === 'agent' && ofAgents.length >= maxAgentPlans)
      throw new Failure('conflict', `${maxAgentPlans} plans are waiting for approval`)
    const { id } = await findNextPlace(folder, header.id)
    const first = formatLine(setPlace(header, { seq: undefined, id }))
    await writeWhole(join(folder, getRunFileName(undefined, id)), `${first}${text}`, { own: true })
    return id
  })

/**
 * Begins a planned run. If several processes try to, only one succeeds.
 * @returns the file of the run
 * @throws Failure `conflict` if another process began or discarded the run
 */
export const beginPlanned = (
  folder: string,
  { id }: Pick<Header, 'id'>,
  waiting: LockWait,
): Promise<string> =>
  withFolderLock(folder, waiting, async () => {
    const { seq } = await findNextPlace(folder, id)
    const file = join(folder, getRunFileName(seq, id))
    try {
      await rename(join(folder, getRunFileName(undefined, id)), file)
      return file
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT')
        throw new Failure('conflict', `the planned run ${id} is gone`)
      throw error
    }
  })

/** Makes a run a planned one again if it began no object, so that it can still begin later. */
export const revertToPlanned = (
  folder: string,
  id: string,
  file: string,
  waiting: LockWait,
): Promise<void> =>
  withFolderLock(folder, waiting, async () => {
    if (!(await readRunHistory(file)).begun)
      await rename(file, join(folder, getRunFileName(undefined, id)))
  })

/**
 * Gives a resumed run the next sequence number if other runs began after it.
 * @param author the instance and the profile with which the run is resumed
 */
export const moveToLastPlace = async (
  folder: string,
  journal: Journal,
  author: WriteAuthor,
  waiting: LockWait,
): Promise<void> => {
  const { header, file } = journal
  await withFolderLock(folder, waiting, async () => {
    const [newest] = (await listRunNames(folder)).filter(({ seq }) => seq !== undefined)
    if (newest !== undefined && join(folder, newest.name) === file) return
    const { seq } = await findNextPlace(folder, header.id)
    journal.referenceFile = await writeReference(folder, { ...header, ...author }, seq, file)
  })
}

/** The number of newest runs that are always kept: of those over many objects, and of those over one. */
const alwaysKept = { many: 50, single: 250 } as const
/** The time for which an unfinished run is kept after its last change, in milliseconds. */
const maxUnfinishedAge = 30 * dayLength
/** True if a run is over one object, which its ID shows by a `-1` at the end. */
const isSingle = ({ id }: RunName): boolean => /-1(?:_\d+)?$/.test(id)

/**
 * True if a run may be removed: it completed, or did not change for thirty days. After that, a leftover lock is
 * ignored.
 */
const isRemovable = async (folder: string, name: RunName, now: number): Promise<boolean> => {
  const entry = await readFolderEntry(folder, name).catch(() => undefined)
  if (entry === undefined) return false
  const { end, locked, changed } = entry
  return (end === 'completed' && !locked) || now - changed > maxUnfinishedAge
}

/**
 * Removes old runs and their plans. Only runs beyond the number that is always kept are opened.
 * @returns the removed run files
 */
export const pruneJournals = async (folder: string, now: number): Promise<readonly string[]> => {
  const begun = (await listRunNames(folder)).filter(({ seq }) => seq !== undefined)
  const beyond = [
    ...begun.filter((name) => !isSingle(name)).slice(alwaysKept.many),
    ...begun.filter(isSingle).slice(alwaysKept.single),
  ]
  const gone: string[] = []
  for (const name of beyond)
    if (await isRemovable(folder, name, now)) gone.push(join(folder, name.name))
  for (const file of gone.flatMap((each) => [
    each,
    getPlanFile(each),
    getFormerFile(each),
    `${each}.lock`,
  ]))
    await rm(file, { recursive: true, force: true }).catch(() => {})
  return gone
}

/** Runs begin in the folder of runs, each in the place after the last, and old ones go. */
import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import { lock } from '../../base/files/lock.js'
import { makeFolders } from '../../base/files/regular.js'
import { Failure, getErrorCode, getReason } from '../../errors.js'
import {
  type Entry,
  getFormerFile,
  getRunFileName,
  listRunNames,
  planBeside,
  type RunName,
  readFolderEntry,
  type WriteAuthor,
} from './folder.js'
import { formatLine, type Header } from './lines.js'
import { readPast } from './reader.js'
import { createJournal, createJournalFailure, type Journal } from './writer.js'

/** The time to wait for others who begin a run, in milliseconds. */
const patience = 30_000

const withFolderLock = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
  makeFolders(folder, 0o700)
  const directory = join(folder, '.lock')
  const held = (owner: string): Failure =>
    new Failure('conflict', `the folder of runs ${folder} is locked by ${owner}`, {
      hint: `Wait until it ends. If it has ended, delete ${directory}`,
    })
  const { release } = await lock(directory, { patience, held })
  try {
    return await work()
  } finally {
    release()
  }
}

/** Finds the place of the next run, and a name that no other has. */
const findNextPlace = async (folder: string, id: string): Promise<{ seq: number; id: string }> => {
  const names = await listRunNames(folder)
  const seq = Math.max(0, ...names.map((one) => one.seq ?? 0)) + 1
  const ids = new Set(names.map((one) => one.id))
  for (let n = 1; ; n++) {
    const own = n === 1 ? id : `${id}_${n}`
    if (!ids.has(own)) return { seq, id: own }
  }
}

const withPlace = (
  { run: _, id: __, ...header }: Header,
  { seq, id }: { seq: number | undefined; id: string },
): Header => ({ run: 1, seq, id, ...header, ...(seq === undefined ? {} : { seq }) })

/** Writes down that the lines of the next run stand in another file. @returns the file that says so */
const noteElsewhere = async (
  folder: string,
  header: Header,
  seq: number,
  file: string,
): Promise<string> => {
  const beside = join(folder, getRunFileName(seq, header.id))
  await writeWhole(beside, formatLine({ ...header, seq, file }), { own: true, durable: false })
  return beside
}

/**
 * Begins a run: its file is made in the folder, in the next place.
 * @param named the file that is made in its stead
 * @throws Failure as `createJournal`
 */
export const beginRun = async (
  folder: string,
  header: Header,
  named?: string,
): Promise<Journal> => {
  const begin = async (): Promise<Journal> => {
    const next = await findNextPlace(folder, header.id)
    const own = withPlace(header, next)
    const { seq, id } = next
    if (named === undefined) return createJournal(join(folder, getRunFileName(seq, id)), own)
    const journal = await createJournal(named, own)
    journal.notedAs = await noteElsewhere(folder, own, seq, named).catch(() => undefined)
    return journal
  }
  try {
    return await withFolderLock(folder, begin)
  } catch (error) {
    if (error instanceof Failure) throw error
    // Where nothing can be kept but what was named, that is kept.
    if (named !== undefined) return createJournal(named, header)
    throw createJournalFailure(join(folder, `${header.id}.ndjson`), getReason(error))
  }
}

/** The maximum number of agents' plans that may wait. */
const maxWaiting = 20

/** Finds the runs that have not begun, the newest first. Those that expired are removed. */
export const findPlanned = async (folder: string, now: Date): Promise<readonly Entry[]> => {
  const waiting: Entry[] = []
  for (const { name, seq } of await listRunNames(folder)) {
    if (seq !== undefined) continue
    const entry = await readFolderEntry(folder, { name, seq }).catch(() => undefined)
    if (entry === undefined || entry === 'empty') continue
    const { expires = '' } = entry.header.planned ?? {}
    if (Date.parse(expires) > now.getTime()) waiting.push(entry)
    else await rm(entry.file, { force: true })
  }
  return waiting
}

/** Formats a plan so that two plans are equal if their texts are: without the ID and the time at which it began. */
const formatPlan = ({ id: _, began: __, planned, ...header }: Header, text: string): string =>
  JSON.stringify([header, planned?.by, planned?.reason, text])

/**
 * Keeps a run that has not begun; the same that waits already is that.
 * @param text the lines of its objects
 * @returns its id
 * @throws Failure `conflict` where too many of agents wait
 */
export const keepPlanned = (folder: string, header: Header, text: string): Promise<string> =>
  withFolderLock(folder, async () => {
    const waiting = await findPlanned(folder, new Date(header.began))
    for (const { file, header: other } of waiting) {
      const kept = await readFile(file, 'utf8')
      const rest = kept.slice(kept.indexOf('\n') + 1)
      if (formatPlan(other, rest) === formatPlan(header, text)) return other.id
    }
    const ofAgents = waiting.filter((entry) => entry.header.planned?.by === 'agent')
    if (header.planned?.by === 'agent' && ofAgents.length >= maxWaiting)
      throw new Failure('conflict', `${maxWaiting} plans are waiting for approval`)
    const { id } = await findNextPlace(folder, header.id)
    const first = formatLine(withPlace(header, { seq: undefined, id }))
    await writeWhole(join(folder, getRunFileName(undefined, id)), `${first}${text}`, { own: true })
    return id
  })

/**
 * Begins a run that was planned: of several who do, one.
 * @returns its file
 * @throws Failure `conflict` where it began, or was discarded, meanwhile
 */
export const beginPlanned = (folder: string, { id }: Pick<Header, 'id'>): Promise<string> =>
  withFolderLock(folder, async () => {
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

/** Takes back that a planned run began, where nothing of it was sent: it waits again. */
export const revertToPlanned = (folder: string, id: string, file: string): Promise<void> =>
  withFolderLock(folder, async () => {
    if (!(await readPast(file)).sent)
      await rename(file, join(folder, getRunFileName(undefined, id)))
  })

/**
 * Gives a run that goes on the next place, where others began since then.
 * @param author who goes on with it
 */
export const moveToLastPlace = async (
  folder: string,
  journal: Journal,
  author: WriteAuthor,
): Promise<void> => {
  const { header, file } = journal
  await withFolderLock(folder, async () => {
    const [newest] = (await listRunNames(folder)).filter(({ seq }) => seq !== undefined)
    if (newest !== undefined && join(folder, newest.name) === file) return
    const { seq } = await findNextPlace(folder, header.id)
    journal.notedAs = await noteElsewhere(folder, { ...header, ...author }, seq, file)
  })
}

/** The number of ended runs that are kept: of runs over many objects, and of those over one. */
const maxKept = { many: 50, single: 250 } as const
/** The time for which a run that did not come to its end is kept, in milliseconds. */
const keptFor = 30 * 24 * 3_600_000
const isSingle = ({ id }: RunName): boolean => /-1(?:_\d+)?$/.test(id)

/** True if a run may be removed: it completed, or was not resumed for thirty days, whatever lock a killed process left. */
const mayGo = async (folder: string, name: RunName, now: number): Promise<boolean> => {
  const entry = await readFolderEntry(folder, name).catch(() => undefined)
  if (entry === undefined || entry === 'empty') return false
  const { end, locked, changed } = entry
  return (end === 'completed' && !locked) || now - changed > keptFor
}

/** Removes runs that ended long ago, and their plans. Only those beyond so many are opened. */
export const pruneJournals = async (folder: string, now: number): Promise<readonly string[]> => {
  const begun = (await listRunNames(folder)).filter(({ seq }) => seq !== undefined)
  const beyond = [
    ...begun.filter((name) => !isSingle(name)).slice(maxKept.many),
    ...begun.filter(isSingle).slice(maxKept.single),
  ]
  const gone: string[] = []
  for (const name of beyond) if (await mayGo(folder, name, now)) gone.push(join(folder, name.name))
  for (const file of gone.flatMap((each) => [
    each,
    planBeside(each),
    getFormerFile(each),
    `${each}.lock`,
  ]))
    await rm(file, { recursive: true, force: true }).catch(() => {})
  return gone
}

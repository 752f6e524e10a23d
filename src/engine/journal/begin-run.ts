/** Runs begin in the folder of runs, each in the place after the last, and old ones go. */
import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import { lock } from '../../base/files/lock.js'
import { makeFolders } from '../../base/files/regular.js'
import { Failure, getErrorCode, getReason } from '../../errors.js'
import {
  type Entry,
  entryOf,
  fileName,
  formerBeside,
  namesIn,
  planBeside,
  type RunName,
  type WriteAuthor,
} from './folder.js'
import { formatLine, type Header } from './lines.js'
import { readPast } from './reader.js'
import { cannotCreate, createJournal, type Journal } from './writer.js'

/** So long others are waited for who begin a run, in milliseconds. */
const patience = 30_000

const underLock = async <T>(folder: string, work: () => Promise<T>): Promise<T> => {
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

/** The place of the next run, and a name that no other has. */
const nextIn = async (folder: string, id: string): Promise<{ seq: number; id: string }> => {
  const names = await namesIn(folder)
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
  const beside = join(folder, fileName(seq, header.id))
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
    const next = await nextIn(folder, header.id)
    const own = withPlace(header, next)
    const { seq, id } = next
    if (named === undefined) return createJournal(join(folder, fileName(seq, id)), own)
    const journal = await createJournal(named, own)
    journal.notedAs = await noteElsewhere(folder, own, seq, named).catch(() => undefined)
    return journal
  }
  try {
    return await underLock(folder, begin)
  } catch (error) {
    if (error instanceof Failure) throw error
    // Where nothing can be kept but what was named, that is kept.
    if (named !== undefined) return createJournal(named, header)
    throw cannotCreate(join(folder, `${header.id}.ndjson`), getReason(error))
  }
}

/** So many plans of agents may wait. */
const maxWaiting = 20

/** The runs that have not begun, the newest first. Those that expired are removed. */
export const findPlanned = async (folder: string, now: Date): Promise<readonly Entry[]> => {
  const waiting: Entry[] = []
  for (const { name, seq } of await namesIn(folder)) {
    if (seq !== undefined) continue
    const entry = await entryOf(folder, { name, seq }).catch(() => undefined)
    if (entry === undefined || entry === 'empty') continue
    const { expires = '' } = entry.header.planned ?? {}
    if (Date.parse(expires) > now.getTime()) waiting.push(entry)
    else await rm(entry.file, { force: true })
  }
  return waiting
}

/** What two plans are told apart by. */
const formatPlan = ({ id: _, began: __, planned, ...header }: Header, text: string): string =>
  JSON.stringify([header, planned?.by, planned?.reason, text])

/**
 * Keeps a run that has not begun; the same that waits already is that.
 * @param text the lines of its objects
 * @returns its id
 * @throws Failure `conflict` where too many of agents wait
 */
export const keepPlanned = (folder: string, header: Header, text: string): Promise<string> =>
  underLock(folder, async () => {
    const waiting = await findPlanned(folder, new Date(header.began))
    for (const { file, header: other } of waiting) {
      const kept = await readFile(file, 'utf8')
      const rest = kept.slice(kept.indexOf('\n') + 1)
      if (formatPlan(other, rest) === formatPlan(header, text)) return other.id
    }
    const ofAgents = waiting.filter((entry) => entry.header.planned?.by === 'agent')
    if (header.planned?.by === 'agent' && ofAgents.length >= maxWaiting)
      throw new Failure('conflict', `${maxWaiting} plans are waiting for approval`)
    const { id } = await nextIn(folder, header.id)
    const first = formatLine(withPlace(header, { seq: undefined, id }))
    await writeWhole(join(folder, fileName(undefined, id)), `${first}${text}`, { own: true })
    return id
  })

/**
 * Begins a run that was planned: of several who do, one.
 * @returns its file
 * @throws Failure `conflict` where it began, or was discarded, meanwhile
 */
export const beginPlanned = (folder: string, { id }: Pick<Header, 'id'>): Promise<string> =>
  underLock(folder, async () => {
    const { seq } = await nextIn(folder, id)
    const file = join(folder, fileName(seq, id))
    try {
      await rename(join(folder, fileName(undefined, id)), file)
      return file
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT')
        throw new Failure('conflict', `the planned run ${id} is gone`)
      throw error
    }
  })

/** Takes back that a planned run began, where nothing of it was sent: it waits again. */
export const unbeginPlanned = (folder: string, id: string, file: string): Promise<void> =>
  underLock(folder, async () => {
    if (!(await readPast(file)).sent) await rename(file, join(folder, fileName(undefined, id)))
  })

/**
 * Gives a run that goes on the next place, where others began since then.
 * @param author who goes on with it
 */
export const goOnLast = async (
  folder: string,
  journal: Journal,
  author: WriteAuthor,
): Promise<void> => {
  const { header, file } = journal
  await underLock(folder, async () => {
    const [newest] = (await namesIn(folder)).filter(({ seq }) => seq !== undefined)
    if (newest !== undefined && join(folder, newest.name) === file) return
    const { seq } = await nextIn(folder, header.id)
    journal.notedAs = await noteElsewhere(folder, { ...header, ...author }, seq, file)
  })
}

/** So many that ended are kept: of runs over many objects, and of those over one. */
const maxKept = { many: 50, single: 250 } as const
/** What did not come to its end is kept so long, in milliseconds. */
const keptFor = 30 * 24 * 3_600_000
const isSingle = ({ id }: RunName): boolean => /-1(?:_\d+)?$/.test(id)

/** Whether a run may go: it completed, or nobody resumed it for thirty days, whatever lock a killed process left. */
const mayGo = async (folder: string, name: RunName, now: number): Promise<boolean> => {
  const entry = await entryOf(folder, name).catch(() => undefined)
  if (entry === undefined || entry === 'empty') return false
  const { end, locked, changed } = entry
  return (end === 'completed' && !locked) || now - changed > keptFor
}

/** Removes runs that ended long ago, and their plans. Only those beyond so many are opened. */
export const pruneJournals = async (folder: string, now: number): Promise<readonly string[]> => {
  const begun = (await namesIn(folder)).filter(({ seq }) => seq !== undefined)
  const beyond = [
    ...begun.filter((name) => !isSingle(name)).slice(maxKept.many),
    ...begun.filter(isSingle).slice(maxKept.single),
  ]
  const gone: string[] = []
  for (const name of beyond) if (await mayGo(folder, name, now)) gone.push(join(folder, name.name))
  for (const file of gone.flatMap((each) => [
    each,
    planBeside(each),
    formerBeside(each),
    `${each}.lock`,
  ]))
    await rm(file, { recursive: true, force: true }).catch(() => {})
  return gone
}

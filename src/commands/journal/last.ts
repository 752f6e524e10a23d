/** `journal undo last`: the last write of this profile, where its journal is that of the last write for certain. */

import { existsSync } from 'node:fs'
import { lock } from '../../base/files/lock.js'
import { formatCount } from '../../base/text.js'
import type { Services } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import {
  checkNewest,
  type Entry,
  entryIn,
  type Journals,
  journalsIn,
  resolveJournalFile,
} from '../../engine/journal/folder.js'
import { type LastWrite, lastWritesIn, type WriteAuthor } from '../../engine/journal/last.js'
import { findInverse } from '../../engine/journaling/inverse.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { Failure, survived, usage } from '../../errors.js'
import { type AuditEntry, auditEntryIn, linesIn } from '../../profile/audit.js'
import { journalFolder } from '../../profile/index.js'

// The last write of a profile in its audit log, by the order of the lines.

interface LastAuditedWrite {
  /** The last write that the instance carried out, or may have; undefined where there is none. */
  readonly entry: AuditEntry | undefined
  /** Lines after it that cannot be read. */
  readonly unreadable: number
}

const mayBeDone = ({ outcome }: AuditEntry): boolean => outcome === 'done' || outcome === 'unknown'

/**
 * @param profile by name: several may share a log
 * @throws Failure `usage` where the file cannot be read
 */
const lastAudited = async (file: string, profile: string): Promise<LastAuditedWrite> => {
  let [last, unreadable]: [AuditEntry | undefined, number] = [undefined, 0]
  for await (const line of linesIn(file)) {
    if (line.trim() === '') continue
    const entry = auditEntryIn(line)
    if (entry === undefined) unreadable += 1
    else if (entry.profile === profile && mayBeDone(entry)) [last, unreadable] = [entry, 0]
  }
  return { entry: last, unreadable }
}

/** A killed run wrote no time of its end: its last request may have ended so much later than its last line. */
const slack = 2000

/** What is known of the writes on this machine. */
interface Known {
  readonly writer: WriteAuthor
  /** What the writer wrote last. */
  readonly last: LastWrite | undefined
  readonly others: readonly LastWrite[]
  readonly journals: Journals
}

const timeText = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

const runText = ({ header, changed }: Entry): string =>
  `${header.id} (${header.command}, written last at ${timeText(changed)})`

/** Whether two writes are told apart. */
const isSameAuthor = (one: WriteAuthor, other: WriteAuthor): boolean =>
  one.instance === other.instance && one.profile === other.profile

const byWhom = ({ instance, profile }: WriteAuthor): string =>
  profile === null ? `at ${instance} without a profile` : `with profile ${profile} at ${instance}`

const writeText = ({ command, request, journal, at }: LastWrite): string =>
  `${command} (${request ?? journal ?? 'a journal'}) at ${at}`

const byName = (id: string): string => `To undo a run, pass its ID: svcctl journal undo ${id}`

/** The newest run that can be undone: no undo, and none that was undone. */
const findProposal = (entries: readonly Entry[]): Entry | undefined => {
  const undone = new Set(entries.filter(isWhole).map(({ header }) => header.undoes))
  return entries.find(
    (entry) =>
      !isUndo(entry) &&
      !undone.has(entry.header.id) &&
      entry.header.irreversible === undefined &&
      wrote(entry),
  )
}

const refused = (why: string, known: Known, run?: Entry): Failure => {
  const mine = run === undefined || isUndo(run) ? findProposal(ownOf(known)) : run
  return usage(
    why,
    mine === undefined ? 'svcctl journal list shows the runs.' : byName(mine.header.id),
  )
}

const knownIn = async ({ place }: Services): Promise<Known> => {
  const folder = journalFolder(place.env)
  const { profile } = await place.session()
  const writer = { instance: await getInstanceName(place), profile: profile?.name ?? null }
  const writes = await lastWritesIn(folder)
  return {
    writer,
    last: writes.find((write) => isSameAuthor(write, writer)),
    others: writes.filter((write) => !isSameAuthor(write, writer)),
    journals: await journalsIn(folder),
  }
}

/** The journals of a writer, the one that was written last first. */
const ownOf = ({ journals, writer }: Known): readonly Entry[] =>
  journals.entries
    .filter(
      ({ header }) => header.instance === writer.instance && header.profile === writer.profile,
    )
    .toSorted((a, b) => b.changed - a.changed)

/** @throws Failure `usage` where it is not known which write was the last, or where that kept no journal */
const notedJournal = (known: Known): string => {
  const { last, writer, journals } = known
  const [newest] = ownOf(known)
  const [any] = journals.entries
  if (last?.journal !== undefined && existsSync(last.journal)) return last.journal
  if (last === undefined && newest === undefined) {
    const none = `no journal of a run ${byWhom(writer)}`
    if (any === undefined) throw usage(none, 'Every write is recorded in a journal.')
    throw refused(`${none}; the newest of all is ${runText(any)} ${byWhom(any.header)}`, known)
  }
  if (last === undefined)
    throw refused(
      `cannot tell whether ${newest === undefined ? 'a run' : runText(newest)} was the last write ${byWhom(writer)}: an older version of svcctl made it`,
      known,
      newest,
    )
  const gone =
    last.journal === undefined ? 'was not recorded in a journal' : 'no longer has a journal'
  throw refused(
    `the last write ${byWhom(writer)} ${gone}: ${writeText(last)}; ${newest === undefined ? 'there is no journal of another' : `the newest journal is ${runText(newest)}`}`,
    known,
    newest,
  )
}

/** @throws Failure `conflict` where a process still writes the journal */
const checkEnded = async ({ locked, file, header }: Entry): Promise<void> => {
  if (!locked) return
  const held = (owner: string): Failure =>
    new Failure('conflict', `the run ${header.id} is still running: ${owner} writes its journal`, {
      hint: `Wait until it ends. If it has ended, delete ${file}.lock`,
    })
  const { release } = await lock(`${file}.lock`, { patience: 0, held })
  release()
}

/** When a run began, by its id, in milliseconds of the epoch. */
const beganAt = ({ header: { id } }: Entry): number =>
  Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)-.*$/, '$1-$2-$3T$4:$5:$6Z'))

/** @throws Failure `usage` where the audit log of the profile has another last write, or cannot say */
const checkAudited = async ({ place }: Services, known: Known, run: Entry): Promise<void> => {
  const { profile } = await place.session()
  if (profile?.auditLog === undefined) return
  const { entry, unreadable } = await lastAudited(profile.auditLog, profile.name)
  const log = `the audit log ${profile.auditLog}`
  if (unreadable > 0)
    throw refused(
      `cannot tell whether ${runText(run)} was the last write: ${log} ends with ${formatCount(unreadable, 'unreadable line')}`,
      known,
      run,
    )
  if (entry === undefined) return
  const time = Date.parse(entry.time)
  const request = `${entry.method} ${entry.path} at ${entry.time}`
  if (time > run.changed + (run.end === undefined ? slack : 0))
    throw refused(`${log} contains a later write than ${runText(run)}: ${request}`, known, run)
  if (time < beganAt(run) && wrote(run))
    throw refused(
      `cannot tell whether ${runText(run)} was the last write: the last entry of ${log} is ${request}, before the run began; the clock may have changed`,
      known,
      run,
    )
}

/** Whether the line says which profile, or which instance, is meant. */
const isNamed = ({ place: { env, globals } }: Services): boolean =>
  globals.sandbox ||
  [globals.profile, globals.baseUrl, env.SVC_PROFILE, env.SVC_BASE_URL].some(Boolean)

/** Whether the run changed anything, as far as its end says. */
const wrote = ({ counts }: Entry): boolean =>
  counts === undefined || counts.done + counts.unknown > 0

/** A run that is to be undone, and what else was written since then where it is. */
interface LastRun {
  readonly file: string
  readonly since: readonly string[]
}

/** @throws Failure `usage` where another of the writer's journals was written later, or it is not said who is meant */
const checkOthers = (services: Services, known: Known, run: Entry): readonly string[] => {
  const later = ownOf(known).find(
    (entry) => entry.file !== run.file && entry.changed > run.changed && wrote(entry),
  )
  if (later !== undefined)
    throw refused(
      `cannot tell whether ${runText(run)} or ${runText(later)} was the last write: the clock may have changed, or a journal was copied`,
      known,
      run,
    )
  const since = known.others.filter(({ at }) => Date.parse(at) > run.changed)
  const [other] = since
  if (other !== undefined && !isNamed(services))
    throw usage(
      `there was a write ${byWhom(other)} after ${runText(run)}: ${writeText(other)}`,
      `Choose one: -p <profile>, or svcctl journal undo ${run.header.id}`,
    )
  return since
    .filter(({ instance }) => instance === known.writer.instance)
    .map((write) => `${writeText(write)} ${byWhom(write)}`)
}

/** Whether a run took back another one, rather than do again what was taken back. */
export const isUndo = ({ header: { redo, undoes } }: Pick<Entry, 'header'>): boolean =>
  undoes !== undefined && !redo

const isWhole = ({ counts, end }: Entry): boolean =>
  end === 'completed' && counts !== undefined && counts.failed + counts.unknown === 0

/**
 * The journal that the last write is undone, or done again, by: after an undo that left something, what that undid.
 * @throws Failure `usage` where it is the other way round
 */
const meant = async ({ place }: Services, run: Entry, redo: boolean): Promise<string> => {
  const { undoes = '' } = run.header
  if (redo && !isUndo(run)) throw usage(`the last write, ${runText(run)}, is not an undo`)
  if (redo || !isUndo(run)) return run.file
  if (isWhole(run))
    throw usage(
      `the last write already undid ${undoes}`,
      'To redo it, run `svcctl journal undo last --redo`. To undo another run, pass its ID.',
    )
  return resolveJournalFile(place, undoes)
}

/** @throws Failure `usage` where nothing takes the run back, or does it again */
const checkReversible = async (known: Known, run: Entry, redo: boolean): Promise<void> => {
  try {
    if (run.header.command === 'apply')
      (await import('../apply/undoing.js')).checkFormer(run.file, run.header.id)
    else await findInverse(run.header, redo)
  } catch (error) {
    const others = ownOf(known).filter((entry) => entry.file !== run.file)
    throw refused(
      `the last write was ${runText(run)}: ${survived(error).message}`,
      known,
      findProposal(others),
    )
  }
}

/**
 * The run that wrote last with this profile at this instance.
 * @param redo does again what the last undo took back
 * @throws Failure `usage` where that is not certain, kept no journal, or cannot be undone; `conflict` where it still goes on
 */
export const lastRunToUndo = async (services: Services, redo: boolean): Promise<LastRun> => {
  const known = await knownIn(services)
  const file = notedJournal(known)
  const run = await entryIn(file)
  checkNewest(known.journals, run.header.id)
  const since = checkOthers(services, known, run)
  await checkEnded(run)
  await checkAudited(services, known, run)
  const wanted = await meant(services, run, redo)
  await checkReversible(known, wanted === run.file ? run : await entryIn(wanted), redo)
  return { file: wanted, since }
}

/**
 * The run that a line names.
 * @throws Failure `usage`, with the newest run, where it names none
 */
export const nameRun = async (
  { place }: Services,
  { args: [name = ''] }: Pick<Given, 'args'>,
  verb: 'show' | 'undo',
): Promise<string> => {
  if (name !== '') return name
  const [newest] = (await journalsIn(journalFolder(place.env))).entries
  if (newest === undefined)
    throw usage(`journal ${verb} requires a run`, 'There are no journals yet.')
  const { id, undoes } = newest.header
  const undone = verb === 'undo' && isUndo(newest)
  throw usage(
    `journal ${verb} requires a run`,
    undone
      ? `The newest one undid ${undoes}. To redo that: svcctl journal undo last --redo`
      : `The newest one is ${runText(newest)}: svcctl journal ${verb} ${id}`,
  )
}

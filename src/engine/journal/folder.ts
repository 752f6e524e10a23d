/** The folder of runs, a file each, in the order in which they began: which there are, which was last, and which may go. */
import { constants, existsSync } from 'node:fs'
import { type FileHandle, readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { getCurrentIo } from '../../base/io.js'
import { type Failure, getErrorCode, usage } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'
import type { WorkspaceService } from '../command/context.js'
import type { Argument, Suggestion } from '../command/types.js'
import { type Counts, type End, formatOutcomeCounts } from '../work/report.js'
import { type Header, type Line, parseLine, Sums } from './lines.js'
import {
  createJournalGapFailure,
  isDone,
  openJournal,
  type RunHistory,
  readLinesFrom,
  readPast,
} from './reader.js'

// Whether a run may be gone on with: by the same user, at the same instance, with the same tool.

/** The user, the instance and the version with which a run is resumed. */
type RunIdentity = Pick<Header, 'instance' | 'user' | 'sudo' | 'version'>

const getMajorVersion = (version: string): string => version.split('.')[0] ?? ''
const formatSudo = (user: string | null): string =>
  user === null ? 'without --sudo' : `with --sudo ${user}`

/**
 * Holds who goes on against who began.
 * @returns what has to be confirmed first: whether it is the same user is not known
 * @throws Failure `usage` where it is another
 */
export const checkIdentity = (began: Header, now: RunIdentity): string | undefined => {
  const other = (was: string, is: string): Error =>
    usage(
      `the run ${began.id} was started ${was}, and this is ${is}`,
      'Resume it with the same profile and --sudo.',
    )
  if (began.instance !== now.instance) throw other(`at ${began.instance}`, now.instance)
  if (getMajorVersion(began.version) !== getMajorVersion(now.version))
    throw other(`by version ${began.version}`, now.version)
  if (began.sudo !== now.sudo) throw other(formatSudo(began.sudo), formatSudo(now.sudo))
  if (began.user === now.user) return undefined
  if (began.user !== null && now.user !== null) throw other(`by ${began.user}`, now.user)
  return `cannot tell whether the same user started the run ${began.id}`
}

/**
 * Checks that a run can be resumed at all.
 * @throws Failure `usage` if it cannot
 */
export const checkResumable = ({ id, final }: Header): void => {
  if (final !== undefined) throw usage(`the run ${id} cannot be resumed: ${final}`)
}

/** A last line is no longer. */
const tailBytes = 1 << 12

/** A run by its first line and its last. */
export interface Entry {
  /** The file that has its lines. */
  readonly file: string
  /** Its place among all runs; undefined where it is only planned. */
  readonly seq: number | undefined
  readonly header: Header
  /** Absent while it runs, and where it was killed. */
  readonly end?: End
  readonly counts?: Counts
  /** A process has it, or had when it was killed. */
  readonly locked: boolean
  /** When it was written last, in milliseconds of the epoch. */
  readonly changed: number
}

/** The runs in a folder of runs, the newest first. */
export interface Journals {
  readonly entries: readonly Entry[]
  /** Files that have the name of a run, and whose first line cannot be read. */
  readonly unreadable: readonly string[]
}

// The name of a file: `12-20261121T120102-runners-pause.ndjson`, and `planned-…` before the run begins.

/** The parts of the name of a file in the folder of runs. */
export interface RunName {
  readonly name: string
  readonly id: string
  /** Undefined where it is only planned. */
  readonly seq: number | undefined
}

const nameIn = (name: string): RunName | undefined => {
  const [, place, id] = /^([1-9]\d{0,14}|planned)-(.+)\.ndjson$/.exec(name) ?? []
  if (place === undefined || id === undefined) return undefined
  return { name, id, seq: place === 'planned' ? undefined : Number(place) }
}

export const getRunFileName = (seq: number | undefined, id: string): string =>
  `${seq ?? 'planned'}-${id}.ndjson`

/** `20261121T120102-runners-pause`, by UTC; with `-1` at its end where the run is over one object. */
export const createJournalId = (command: string, now: Date, single = false): string => {
  const time = now.toISOString().replace(/[-:]|\.\d+Z$/g, '')
  return `${time}-${command.replaceAll(/[^a-z0-9]+/gi, '-')}${single ? '-1' : ''}`
}

/** Returns the file beside a run that has its plan, if the run is one of declared state. */
export const planBeside = (journal: string): string =>
  `${journal.replace(/\.ndjson$/, '')}.plan.json`

/** Returns the file beside a run that declares what was there before, by which the run is undone. */
export const getFormerFile = (journal: string): string =>
  `${journal.replace(/\.ndjson$/, '')}.former.yml`

/** Compares runs by age, the newest first; those that are only planned come before all others. */
const compareByAge = (a: RunName, b: RunName): number =>
  a.seq === b.seq ? (a.id < b.id ? 1 : -1) : (b.seq ?? Infinity) - (a.seq ?? Infinity)

/** Lists the names in a folder of runs, the newest first. */
export const listRunNames = async (folder: string): Promise<readonly RunName[]> => {
  try {
    const names = await readdir(folder)
    return names.flatMap((name) => nameIn(name) ?? []).toSorted(compareByAge)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return []
    throw error
  }
}

// A run at a glance.

const parseLastLine = (bytes: Buffer, sums: Sums): Line | undefined => {
  const text = bytes.toString()
  const lines = text.slice(0, Math.max(0, text.lastIndexOf('\n'))).split('\n')
  return parseLine(sums.check(lines.at(-1) ?? ''))
}

const readFirstLine = async (
  handle: FileHandle,
  size: number,
  sums: Sums,
): Promise<string | undefined> => {
  const lines = readLinesFrom(
    handle,
    0,
    () => size,
    (text) => sums.check(text),
  )
  for await (const { texts } of lines) return texts[0]
  return undefined
}

/** Reads a file at a glance: `empty` if its run ended before the first line, undefined if it is no run. */
const peek = async (file: string): Promise<Omit<Entry, 'seq'> | 'empty' | undefined> => {
  const handle = await openJournal(file, constants.O_RDONLY, 'any')
  try {
    const { size, mtimeMs } = await handle.stat()
    const sums = new Sums()
    const first = await readFirstLine(handle, size, sums)
    if (first === undefined) return 'empty'
    const header = parseLine(first)
    if (header === undefined || !('run' in header)) return undefined
    const tail = Buffer.alloc(Math.min(tailBytes, size))
    const { bytesRead } = await handle.read(tail, { position: size - tail.length })
    const last = parseLastLine(tail.subarray(0, bytesRead), sums)
    const ended = last !== undefined && 'end' in last ? last : undefined
    return {
      file,
      header,
      end: ended?.end,
      counts: ended?.counts,
      locked: existsSync(`${file}.lock`),
      changed: ended?.at === undefined ? mtimeMs : Date.parse(ended.at),
    }
  } finally {
    await handle.close()
  }
}

/**
 * Reads a run of the folder at a glance. Its lines may stand in another file; the folder's own file says by whom they
 * were written last.
 */
export const readFolderEntry = async (
  folder: string,
  { name, seq }: Pick<RunName, 'name' | 'seq'>,
): Promise<Entry | 'empty' | undefined> => {
  const own = await peek(join(folder, name))
  if (own === undefined || own === 'empty') return own
  const { file, instance, profile } = own.header
  if (file === undefined) return { ...own, seq }
  const other = await peek(file).catch(() => undefined)
  if (other === undefined || other === 'empty') return { ...own, seq, file }
  return { ...other, seq, header: { ...other.header, instance, profile } }
}

/** Reads all runs of a folder, each once; files that are none are passed over. */
export const readJournalFolder = async (folder: string): Promise<Journals> => {
  const entries = new Map<string, Entry>()
  const unreadable: string[] = []
  for (const name of await listRunNames(folder)) {
    const entry = await readFolderEntry(folder, name).catch(() => undefined)
    if (entry === undefined) unreadable.push(join(folder, name.name))
    // A run that was gone on with is as new as that.
    else if (entry !== 'empty' && !entries.has(entry.file)) entries.set(entry.file, entry)
  }
  return { entries: [...entries.values()], unreadable }
}

/** True if a file is that of a run which has not begun. */
export const isPlannedFile = (file: string): boolean => {
  const name = nameIn(basename(file))
  return name !== undefined && name.seq === undefined
}

/** True if a run has not begun. */
export const isPlanned = ({ seq }: Entry): boolean => seq === undefined

const createHeadlessFailure = (file: string): Failure =>
  createJournalGapFailure(file, 'its first line, which says what the run was')

/** @throws Failure `partial` where a run that began later than this cannot be read: it may be the one that is meant */
export const checkNewest = (
  { unreadable }: Journals,
  run: Pick<Entry, 'seq'> | undefined,
): void => {
  const newer = unreadable.find((file) => {
    const { seq } = nameIn(basename(file)) ?? {}
    return seq !== undefined && seq > (run?.seq ?? 0)
  })
  if (newer !== undefined) throw createHeadlessFailure(newer)
}

/**
 * Reads one run at a glance.
 * @throws Failure `partial` if its first line cannot be read
 */
export const readRunEntry = async (file: string): Promise<Entry> => {
  const entry = await peek(file)
  if (entry === undefined || entry === 'empty') throw createHeadlessFailure(file)
  return { ...entry, seq: entry.header.seq }
}

/** True if an object of a run was begun, or another write sent. A run whose file is gone counts, because it may have sent something. */
const hasSent = async ({ file, seq, counts }: Entry): Promise<boolean> => {
  if (seq === undefined) return false
  if (counts !== undefined && counts.done + counts.unknown > 0) return true
  return !existsSync(file) || (await readPast(file, 'any')).sent
}

/** The instance and the profile whose writes are kept apart from others. */
export type WriteAuthor = Pick<Header, 'instance' | 'profile'>

/** The last write at an instance with a profile, and what others wrote since. */
export interface LastWrite {
  readonly run: Entry | undefined
  readonly since: readonly Entry[]
}

/**
 * Finds the last write of an author: the run that began last of those that sent anything.
 * @throws Failure `partial` where a newer run cannot be read
 */
export const findLastWrite = async (
  journals: Journals,
  { instance, profile }: WriteAuthor,
): Promise<LastWrite> => {
  const since: Entry[] = []
  for (const entry of journals.entries) {
    if (!(await hasSent(entry))) continue
    const { header } = entry
    if (header.instance !== instance || header.profile !== profile) {
      since.push(entry)
      continue
    }
    checkNewest(journals, entry)
    return { run: entry, since }
  }
  checkNewest(journals, undefined)
  return { run: undefined, since }
}

/** Finds the newest run that can be resumed, of those that `which` takes. */
export const findLastOpen = async (
  folder: string,
  which: (header: Header) => boolean,
): Promise<RunHistory | undefined> => {
  const journals = await readJournalFolder(folder)
  for (const entry of journals.entries) {
    if (isPlanned(entry) || !which(entry.header)) continue
    checkNewest(journals, entry)
    const past = await readPast(entry.file)
    if (!isDone(past)) return past
  }
  return undefined
}

// Runs by what people call them: a file, the id of a run, or its place.

type Place = Pick<WorkspaceService, 'cwd' | 'env'>

/**
 * Finds the file of a run.
 * @throws Failure `usage` if there is none of that name
 */
export const resolveJournalFile = async ({ cwd, env }: Place, name: string): Promise<string> => {
  const folder = getRunFolder(env)
  // A name that was left out never means the current folder.
  if (name === '')
    throw usage('an empty text names no journal', 'svcctl journal list names those that there are.')
  const known = (await listRunNames(folder)).filter(
    (one) => one.id === name || one.name === `${name}.ndjson` || String(one.seq) === name,
  )
  const files = await Promise.all(
    known.map(async (one) => {
      const entry = await readFolderEntry(folder, one).catch(() => undefined)
      return entry === undefined || entry === 'empty' ? join(folder, one.name) : entry.file
    }),
  )
  // What was gone on with as a copy is not the run itself.
  const kept = files.find((path, i) => path === join(folder, known[i]?.name ?? '')) ?? files[0]
  if (kept !== undefined) return kept
  const file = resolve(cwd, name)
  if (existsSync(file)) return file
  throw usage(`unknown journal "${name}"`, 'svcctl journal list names those that there are.')
}

/** Returns a few words about a run. */
const describeEntry = ({ header, counts, end, seq }: Entry): string => {
  const came = counts === undefined ? 'not finished' : formatOutcomeCounts(counts)
  const how = end === undefined || end === 'completed' ? '' : `, ${end}`
  return `${header.command}: ${seq === undefined ? 'planned' : `${came}${how}`}`
}

/** Lists the runs of a folder, for completion; none if it cannot be read. */
const suggestRuns = async (
  env: NodeJS.ProcessEnv,
  which: (entry: Entry) => boolean = () => true,
): Promise<readonly Suggestion[]> => {
  const { entries } = await readJournalFolder(getRunFolder(env)).catch(() => ({ entries: [] }))
  const runs = entries.filter(which).map((entry) => ({
    value: entry.header.id,
    text: describeEntry(entry),
  }))
  return runs.length === 0 ? [] : [{ value: 'last', text: 'the last of them' }, ...runs]
}

/** Lists the runs of a command that --resume may complete, for completion. */
export const suggestOpenRuns = (
  env: NodeJS.ProcessEnv,
  command: string,
): Promise<readonly Suggestion[]> =>
  suggestRuns(
    env,
    ({ header, end, counts, seq }) =>
      seq !== undefined &&
      header.command === command &&
      header.final === undefined &&
      (end !== 'completed' ||
        counts === undefined ||
        counts.failed + counts.unknown + counts.not_tried > 0),
  )

/** The argument that names a journal. */
export const journalArgument: Argument = {
  name: 'journal',
  required: true,
  variadic: false,
  help: 'run ID, file, or "last"',
  mayBeFile: true,
  values: () => suggestRuns(getCurrentIo().env),
}

/**
 * Reads the folder of runs, which has one file for each run: lists runs, finds the last one, and resolves the names of
 * runs.
 */
import { constants, existsSync } from 'node:fs'
import { type FileHandle, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { resolvePath } from '../../base/io.js'
import { type Failure, isNoFile, usage } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'
import type { WorkspaceService } from '../command/context.js'
import type { Argument, Suggestion } from '../command/types.js'
import { type Counts, type End, formatOutcomeCounts } from '../work/report.js'
import { type Header, type JournalLine, LineChecksums, parseLine } from './lines.js'
import {
  countOpen,
  createHeadlessFailure,
  isDone,
  openJournal,
  type RunHistory,
  readLinesFrom,
  readRunHistory,
} from './reader.js'

/** The maximum length of a last line, in bytes. */
const tailBytes = 1 << 12

/** A run as its first and its last line describe it. */
export interface RunEntry {
  /** The file with the lines of the run. */
  readonly file: string
  /** The sequence number; undefined if the run is only planned. */
  readonly seq: number | undefined
  readonly header: Header
  /** The end of the run; absent while it runs and after it was killed. */
  readonly end?: End
  readonly counts?: Counts
  /** True if a lock exists: a process writes the file, or was killed while it did. */
  readonly locked: boolean
  /** The time of the last change, in milliseconds since the epoch. */
  readonly changed: number
}

/** The runs in a folder of runs, the newest first. */
export interface RunFolder {
  readonly entries: readonly RunEntry[]
  /** Files that are named like a run but have an unreadable first line. */
  readonly unreadable: readonly string[]
}

// The name of a file: `12-20261121T120102-runners-pause.ndjson`, or `planned-…` before the run begins.

/** The parts of a file name in the folder of runs. */
export interface RunName {
  readonly name: string
  readonly id: string
  /** The sequence number; undefined if the run is only planned. */
  readonly seq: number | undefined
}

const parseRunName = (name: string): RunName | undefined => {
  const [, place, id] = /^([1-9]\d{0,14}|planned)-(.+)\.ndjson$/.exec(name) ?? []
  if (place === undefined || id === undefined) return undefined
  return { name, id, seq: place === 'planned' ? undefined : Number(place) }
}

export const getRunFileName = (seq: number | undefined, id: string): string =>
  `${seq ?? 'planned'}-${id}.ndjson`

/**
 * Creates the ID of a run, such as `20261121T120102-runners-pause`. The time is in UTC; a run over one object ends in
 * `-1`.
 */
export const createJournalId = (command: string, now: Date, single = false): string => {
  const time = now.toISOString().replace(/[-:]|\.\d+Z$/g, '')
  return `${time}-${command.replaceAll(/[^a-z0-9]+/gi, '-')}${single ? '-1' : ''}`
}

/** Returns the file next to a journal that contains the plan, for runs of declared state. */
export const getPlanFile = (journal: string): string =>
  `${journal.replace(/\.ndjson$/, '')}.plan.json`

/** Returns the file next to a journal that declares the previous state, by which the run is undone. */
export const getFormerFile = (journal: string): string =>
  `${journal.replace(/\.ndjson$/, '')}.former.yml`

/** Compares runs by age: planned runs first, then the newest. */
const compareByAge = (a: RunName, b: RunName): number =>
  a.seq === b.seq ? (a.id < b.id ? 1 : -1) : (b.seq ?? Infinity) - (a.seq ?? Infinity)

/** Lists the runs in a folder by their file names, the newest first. */
export const listRunNames = async (folder: string): Promise<readonly RunName[]> => {
  try {
    const names = await readdir(folder)
    return names.flatMap((name) => parseRunName(name) ?? []).toSorted(compareByAge)
  } catch (error) {
    if (isNoFile(error)) return []
    throw error
  }
}

// Reading only the first and the last line of a run.

const parseLastLine = (bytes: Buffer, sums: LineChecksums): JournalLine | undefined => {
  const text = bytes.toString()
  const lines = text.slice(0, Math.max(0, text.lastIndexOf('\n'))).split('\n')
  return parseLine(sums.check(lines.at(-1) ?? ''))
}

const readFirstLine = async (
  handle: FileHandle,
  size: number,
  sums: LineChecksums,
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

/**
 * Reads the first and the last line of a file. Returns undefined if the run ended before its first line.
 * @throws Failure `partial` if the file is no run
 */
const readEnds = async (file: string): Promise<Omit<RunEntry, 'seq'> | undefined> => {
  const handle = await openJournal(file, constants.O_RDONLY, 'any')
  try {
    const { size, mtimeMs } = await handle.stat()
    const sums = new LineChecksums()
    const first = await readFirstLine(handle, size, sums)
    if (first === undefined) return undefined
    const header = parseLine(first)
    if (header === undefined || !('run' in header)) throw createHeadlessFailure(file)
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
 * Reads the entry of a run in the folder. If the run's lines are in another file, the author in the folder's own file
 * counts: it names the last writer. Returns undefined if the run ended before its first line.
 * @throws Failure `partial` if the file is no run
 */
export const readFolderEntry = async (
  folder: string,
  { name, seq }: Pick<RunName, 'name' | 'seq'>,
): Promise<RunEntry | undefined> => {
  const own = await readEnds(join(folder, name))
  if (own === undefined) return undefined
  const { file, instance, profile } = own.header
  if (file === undefined) return { ...own, seq }
  const other = await readEnds(file).catch(() => undefined)
  return other === undefined
    ? { ...own, seq, file }
    : { ...other, seq, header: { ...other.header, instance, profile } }
}

/** Reads the entries of all runs in a folder, each run once. Empty files are skipped. */
export const readJournalFolder = async (folder: string): Promise<RunFolder> => {
  const entries = new Map<string, RunEntry>()
  const unreadable: string[] = []
  for (const name of await listRunNames(folder))
    try {
      const entry = await readFolderEntry(folder, name)
      // A resumed run counts as new as its last start.
      if (entry !== undefined && !entries.has(entry.file)) entries.set(entry.file, entry)
    } catch {
      unreadable.push(join(folder, name.name))
    }
  return { entries: [...entries.values()], unreadable }
}

/** True if a file name is that of a planned run. */
export const isPlannedFile = (file: string): boolean => {
  const name = parseRunName(basename(file))
  return name !== undefined && name.seq === undefined
}

/** True if a run is only planned. */
export const isPlanned = ({ seq }: RunEntry): boolean => seq === undefined

/**
 * Checks that all newer runs are readable.
 * @throws Failure `partial` if a run that began after this one cannot be read, as that could be the one that is meant
 */
export const checkNewest = (
  { unreadable }: RunFolder,
  run: Pick<RunEntry, 'seq'> | undefined,
): void => {
  const newer = unreadable.find((file) => {
    const { seq } = parseRunName(basename(file)) ?? {}
    return seq !== undefined && seq > (run?.seq ?? 0)
  })
  if (newer !== undefined) throw createHeadlessFailure(newer)
}

/**
 * Reads the entry of one run.
 * @throws Failure `partial` if its first line cannot be read
 */
export const readRunEntry = async (file: string): Promise<RunEntry> => {
  const entry = await readEnds(file)
  if (entry === undefined) throw createHeadlessFailure(file)
  return { ...entry, seq: entry.header.seq }
}

/** True if a run sent a write, or may have sent one. A run whose file is missing counts, because it may have. */
export const hasSent = async ({ file, seq, counts }: RunEntry): Promise<boolean> => {
  if (seq === undefined) return false
  if (counts !== undefined && counts.done + counts.unknown > 0) return true
  return !existsSync(file) || (await readRunHistory(file, 'any')).sent
}

/** The instance and the profile of a write. `journal undo last` only considers runs with the same two. */
export type WriteAuthor = Pick<Header, 'instance' | 'profile'>

/** The last write of an author, and the runs of others since. */
export interface LastWrite {
  readonly run: RunEntry | undefined
  readonly since: readonly RunEntry[]
}

/**
 * Finds the last write of an author: the newest run that sent something.
 * @throws Failure `partial` if a newer run cannot be read
 */
export const findLastWrite = async (
  journals: RunFolder,
  { instance, profile }: WriteAuthor,
): Promise<LastWrite> => {
  const since: RunEntry[] = []
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

/**
 * Finds the newest unfinished run that `which` accepts; undefined if all are complete.
 * @param none creates the failure that is thrown if `which` accepts no run
 * @throws Failure `partial` if a newer run cannot be read
 */
export const findLastOpen = async (
  folder: string,
  which: (header: Header, file: string) => boolean,
  none?: () => Failure,
): Promise<RunHistory | undefined> => {
  const journals = await readJournalFolder(folder)
  const found = journals.entries.filter(
    (entry) => !isPlanned(entry) && which(entry.header, entry.file),
  )
  for (const [i, entry] of found.entries()) {
    checkNewest(journals, entry)
    const past = await readRunHistory(entry.file)
    // A run that recorded no objects can never be completed. It hides the earlier ones only if it is the newest.
    if (!isDone(past) && (i === 0 || past.header.endpoint !== '')) return past
  }
  if (found.length > 0 || none === undefined) return undefined
  // The run that is meant may be an unreadable one.
  checkNewest(journals, undefined)
  throw none()
}

// Names that people use for runs: a file, the ID or the sequence number.

type Place = Pick<WorkspaceService, 'cwd' | 'env'>

/**
 * Finds the file of a run by its ID, sequence number or path.
 * @throws Failure `usage` if there is none
 */
export const resolveJournalFile = async ({ cwd, env }: Place, name: string): Promise<string> => {
  const folder = getRunFolder(env)
  // An empty name must not resolve to the current folder.
  if (name === '')
    throw usage('an empty text names no journal', 'svcctl journal list names those that there are.')
  const known = (await listRunNames(folder)).filter(
    (one) => one.id === name || one.name === `${name}.ndjson` || String(one.seq) === name,
  )
  const files = await Promise.all(
    known.map(async (one) => {
      const entry = await readFolderEntry(folder, one).catch(() => undefined)
      return entry?.file ?? join(folder, one.name)
    }),
  )
  // If a run was resumed from a copy, the file in the folder is preferred.
  const kept = files.find((path, i) => path === join(folder, known[i]?.name ?? '')) ?? files[0]
  if (kept !== undefined) return kept
  const file = resolvePath(name, cwd)
  if (existsSync(file)) return file
  throw usage(`unknown journal "${name}"`, 'svcctl journal list names those that there are.')
}

/** Describes a run in a few words. */
const describeEntry = ({ header, counts, end, seq }: RunEntry): string => {
  const came = counts === undefined ? 'not finished' : formatOutcomeCounts(counts)
  const how = end === undefined || end === 'completed' ? '' : `, ${end}`
  return `${header.command}: ${seq === undefined ? 'planned' : `${came}${how}`}`
}

/** Suggests runs for completion; none if the folder cannot be read. */
const suggestRuns = async (
  env: NodeJS.ProcessEnv,
  which: (entry: RunEntry) => boolean = () => true,
): Promise<readonly Suggestion[]> => {
  const { entries } = await readJournalFolder(getRunFolder(env)).catch(() => ({ entries: [] }))
  const runs = entries.filter(which).map((entry) => ({
    value: entry.header.id,
    text: describeEntry(entry),
  }))
  return runs.length === 0 ? [] : [{ value: 'last', text: 'the last of them' }, ...runs]
}

/** Suggests the runs of a command that --resume can complete. */
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
      (end !== 'completed' || counts === undefined || countOpen(counts) > 0),
  )

/** The positional argument that names a journal. */
export const journalArgument: Argument = {
  name: 'journal',
  required: true,
  variadic: false,
  help: 'run ID, file, or "last"',
  mayBeFile: true,
  values: ({ io }) => suggestRuns(io.env),
}

/** The positional argument that names a run that has begun. */
export const begunRunArgument: Argument = {
  ...journalArgument,
  values: ({ io }) => suggestRuns(io.env, ({ seq }) => seq !== undefined),
}

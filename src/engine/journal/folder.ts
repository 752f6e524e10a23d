/** The folder of journals: which there are, which is the last, and which may go. */
import { constants, existsSync } from 'node:fs'
import { type FileHandle, readdir, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { currentIo } from '../../base/io.js'
import { type Failure, getErrorCode, usage } from '../../errors.js'
import { journalFolder } from '../../profile/index.js'
import type { WorkspaceService } from '../command/services.js'
import type { Argument, Suggestion } from '../command/types.js'
import { type Counts, countsText, type End } from '../work/report.js'
import { type Header, type Line, parseLine, Sums } from './lines.js'
import { gapFailure, isDone, linesFrom, openJournal, type RunHistory, readPast } from './reader.js'

// Whether a run may be gone on with: by the same user, at the same instance, with the same tool.

/** Who goes on, and where. */
type RunIdentity = Pick<Header, 'instance' | 'user' | 'sudo' | 'version'>

const majorOf = (version: string): string => version.split('.')[0] ?? ''
const shown = (value: string | null): string => value ?? 'nobody'

/**
 * Holds who goes on against who began.
 * @returns what has to be confirmed first: whether it is the same user is not known
 * @throws Failure `usage` where it is another
 */
export const checkIdentity = (began: Header, now: RunIdentity): string | undefined => {
  const other = (what: string, was: string, is: string): Error =>
    usage(
      `the run ${began.id} was started ${what} ${was}, and this is ${is}`,
      'Resume it with the same profile and --sudo.',
    )
  if (began.instance !== now.instance) throw other('at', began.instance, now.instance)
  if (majorOf(began.version) !== majorOf(now.version))
    throw other('by version', began.version, now.version)
  if (began.sudo !== now.sudo) throw other('as', shown(began.sudo), shown(now.sudo))
  if (began.user === now.user) return undefined
  if (began.user !== null && now.user !== null) throw other('by', began.user, now.user)
  return `cannot tell whether the same user started the run ${began.id}`
}

/**
 * Whether a run can be resumed at all.
 * @throws Failure `usage`
 */
export const checkResumable = ({ id, final }: Header): void => {
  if (final !== undefined) throw usage(`the run ${id} cannot be resumed: ${final}`)
}

/** So many that ended are kept: of runs over many objects, and of those over one. */
const maxKept = { many: 50, single: 250 } as const
/** What did not come to its end is kept so long, in milliseconds. */
const keptFor = 30 * 24 * 3_600_000
/** A last line is no longer. */
const tailBytes = 1 << 12

/** A journal by its first line and its last. */
export interface Entry {
  readonly file: string
  readonly header: Header
  /** Absent while it runs, and where it was killed. */
  readonly end?: End
  readonly counts?: Counts
  /** A process has it, or had when it was killed. */
  readonly locked: boolean
  /** When it was written last, in milliseconds of the epoch. */
  readonly changed: number
}

/** What stands in a folder of journals, the newest first. */
export interface Journals {
  readonly entries: readonly Entry[]
  /** Files that have the name of a journal, and whose first line cannot be read. */
  readonly unreadable: readonly string[]
}

/** `20261121T120102-runners-pause`, by UTC; with `-1` at its end where the run is over one object. */
export const journalId = (command: string, now: Date, single = false): string => {
  const time = now.toISOString().replace(/[-:]|\.\d+Z$/g, '')
  return `${time}-${command.replaceAll(/[^a-z0-9]+/gi, '-')}${single ? '-1' : ''}`
}

const isSingle = (name: string): boolean => /-1(?:_\d+)?\.ndjson$/.test(name)

/** The file beside a journal that has the plan of its run, where it is one of declared state. */
export const planBeside = (journal: string): string =>
  `${journal.replace(/\.ndjson$/, '')}.plan.json`

/** The file beside it that declares what was there before, by which the run is taken back. */
export const formerBeside = (journal: string): string =>
  `${journal.replace(/\.ndjson$/, '')}.former.yml`

const lastLine = (bytes: Buffer, sums: Sums): Line | undefined => {
  const text = bytes.toString()
  const lines = text.slice(0, Math.max(0, text.lastIndexOf('\n'))).split('\n')
  return parseLine(sums.check(lines.at(-1) ?? ''))
}

const firstLine = async (
  handle: FileHandle,
  size: number,
  sums: Sums,
): Promise<string | undefined> => {
  for await (const { texts } of linesFrom(
    handle,
    0,
    () => size,
    (text) => sums.check(text),
  ))
    return texts[0]
  return undefined
}

/** A journal at a glance: `empty` where its run ended before the first line, undefined for what is none. */
const entryOf = async (file: string): Promise<Entry | 'empty' | undefined> => {
  const handle = await openJournal(file, constants.O_RDONLY, 'any')
  try {
    const { size, mtimeMs } = await handle.stat()
    const sums = new Sums()
    const first = await firstLine(handle, size, sums)
    if (first === undefined) return 'empty'
    const header = parseLine(first)
    if (header === undefined || !('journal' in header)) return undefined
    const tail = Buffer.alloc(Math.min(tailBytes, size))
    const { bytesRead } = await handle.read(tail, { position: size - tail.length })
    const last = lastLine(tail.subarray(0, bytesRead), sums)
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

const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return []
    throw error
  })

/** When a run began, by its name. */
const beganAt = (file: string): string => basename(file).slice(0, '20261121T120102'.length)
const isNamed = (file: string): boolean => /^\d{8}T\d{6}-/.test(basename(file))

/** The newest first; of those that began in one second, the one that was written last. */
const byAge = (a: Entry, b: Entry): number => {
  const [one, other] = [beganAt(a.file), beganAt(b.file)]
  return one === other ? b.changed - a.changed : one < other ? 1 : -1
}

/** All journals of a folder; files that are none are passed over. */
export const journalsIn = async (folder: string): Promise<Journals> => {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.ndjson'))
  const entries: Entry[] = []
  const unreadable: string[] = []
  for (const name of names) {
    const file = join(folder, name)
    const entry = await entryOf(file).catch(() => undefined)
    if (entry === undefined) unreadable.push(...(isNamed(file) ? [file] : []))
    else if (entry !== 'empty') entries.push(entry)
  }
  return { entries: entries.toSorted(byAge), unreadable: unreadable.toSorted().reverse() }
}

const headless = (file: string): Failure =>
  gapFailure(file, 'its first line, which says what the run was')

/**
 * @param run its file, or its id
 * @throws Failure `partial` where a journal that began later than a run cannot be read: it may be the one that is meant
 */
export const checkNewest = ({ unreadable: [newest] }: Journals, run: string): void => {
  if (newest !== undefined && beganAt(newest) >= beganAt(run)) throw headless(newest)
}

/**
 * One journal at a glance.
 * @throws Failure `partial` where its first line cannot be read
 */
export const entryIn = async (file: string): Promise<Entry> => {
  const entry = await entryOf(file)
  if (entry === undefined || entry === 'empty') throw headless(file)
  return entry
}

/**
 * The newest journal of a folder; undefined where there is none.
 * @throws Failure `partial` where a newer one cannot be read
 */
const newestIn = async (folder: string): Promise<Entry | undefined> => {
  const journals = await journalsIn(folder)
  const [newest] = journals.entries
  checkNewest(journals, newest?.file ?? '')
  return newest
}

/** The newest journal that is left to be gone on with, of those that `which` takes. */
export const lastOpen = async (
  folder: string,
  which: (header: Header) => boolean,
): Promise<RunHistory | undefined> => {
  const journals = await journalsIn(folder)
  for (const { file, header } of journals.entries) {
    if (!which(header)) continue
    checkNewest(journals, file)
    const past = await readPast(file)
    if (!isDone(past)) return past
  }
  return undefined
}

/** Whether a journal may go: its run completed, or nobody resumed it for thirty days, whatever lock a killed process left. */
const mayGo = async (file: string, now: number): Promise<boolean> => {
  const entry = await entryOf(file).catch(() => undefined)
  if (entry === undefined || entry === 'empty') return false
  const { end, locked, changed } = entry
  return (end === 'completed' && !locked) || now - changed > keptFor
}

/** Removes journals that ended long ago, and their plans. Only those beyond so many are opened. */
export const pruneJournals = async (folder: string, now: number): Promise<readonly string[]> => {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.ndjson'))
  const newest = names.toSorted().reverse()
  const beyond = [
    ...newest.filter((name) => !isSingle(name)).slice(maxKept.many),
    ...newest.filter(isSingle).slice(maxKept.single),
  ]
  const gone: string[] = []
  for (const file of beyond.map((name) => join(folder, name)))
    if (await mayGo(file, now)) gone.push(file)
  for (const file of gone.flatMap((each) => [
    each,
    planBeside(each),
    formerBeside(each),
    `${each}.lock`,
  ]))
    await rm(file, { recursive: true, force: true }).catch(() => {})
  return gone
}

// Journals by what people call them: a file, the id of a run, or `last`.

type Place = Pick<WorkspaceService, 'cwd' | 'env'>

/**
 * The file of a journal.
 * @throws Failure `usage` where there is none of that name
 */
export const resolveJournalFile = async ({ cwd, env }: Place, name: string): Promise<string> => {
  const folder = journalFolder(env)
  if (name === 'last') {
    const newest = await newestIn(folder)
    if (newest !== undefined) return newest.file
    throw usage('no journals yet', 'Every write is recorded in a journal.')
  }
  // A name that was left out never means the current folder.
  if (name === '')
    throw usage('an empty text names no journal', 'svcctl journal list names those that there are.')
  const kept = join(folder, `${name}.ndjson`)
  if (!name.includes('/') && existsSync(kept)) return kept
  const file = resolve(cwd, name)
  if (existsSync(file)) return file
  throw usage(`unknown journal "${name}"`, 'svcctl journal list names those that there are.')
}

/** Returns a few words about a run. */
const summarizeEntry = ({ header, counts, end }: Entry): string =>
  `${header.command}: ${counts === undefined ? 'not finished' : countsText(counts)}${
    end === undefined || end === 'completed' ? '' : `, ${end}`
  }`

/** The runs of a folder, for completion; none where it cannot be read. */
const suggestRuns = async (
  env: NodeJS.ProcessEnv,
  which: (entry: Entry) => boolean = () => true,
): Promise<readonly Suggestion[]> => {
  const { entries } = await journalsIn(journalFolder(env)).catch(() => ({ entries: [] }))
  const runs = entries.filter(which).map((entry) => ({
    value: basename(entry.file, '.ndjson'),
    text: summarizeEntry(entry),
  }))
  return runs.length === 0 ? [] : [{ value: 'last', text: 'the last of them' }, ...runs]
}

/** The runs of a command that --resume may complete, for completion. */
export const suggestOpenRuns = (
  env: NodeJS.ProcessEnv,
  command: string,
): Promise<readonly Suggestion[]> =>
  suggestRuns(
    env,
    ({ header, end, counts }) =>
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
  values: () => suggestRuns(currentIo().env),
}

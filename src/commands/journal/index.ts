/** Implements `svcctl journal list`, which lists the runs that wrote, and `journal show`, which shows the result of one. */
import { existsSync } from 'node:fs'
import { type Fields, isObject } from '../../base/objects.js'
import { boolean } from '../../catalogue/params.js'
import type { People } from '../../catalogue/views.js'
import type { Context } from '../../engine/command/context.js'
import type { Given } from '../../engine/command/types.js'
import { findPlanned } from '../../engine/journal/begin-run.js'
import {
  isPlanned,
  isPlannedFile,
  journalArgument,
  type RunEntry,
  readJournalFolder,
  resolveJournalFile,
} from '../../engine/journal/folder.js'
import type { BegunLine, FailedLine, Header } from '../../engine/journal/lines.js'
import { readObjectLines } from '../../engine/journal/objects.js'
import { type ObjectState, type RunHistory, readRunHistory } from '../../engine/journal/reader.js'
import { reportGap } from '../../engine/journaling/runs.js'
import {
  checkSameRun,
  findMainPart,
  findMissingShards,
} from '../../engine/journaling/sharded-run.js'
import {
  createExitRow,
  createNoteRow,
  type Row,
  type Rows,
  yieldRecord,
  yieldRecords,
} from '../../engine/rows.js'
import { type Counts, type End, formatOutcomeCounts } from '../../engine/work/report.js'
import { exitCodes } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'
import { isNarrow } from '../answers.js'
import { type Arguments, define } from '../define.js'
import { findLastRunFile, requireRunName } from './find-run.js'
import { formatPlannedLine } from './planned.js'
import { keepNamedProfile } from './writes.js'

/** True if a run was killed, interrupted or stopped, so that objects may be left. */
const isUnfinished = ({ end, total }: RunHistory): boolean =>
  end !== 'completed' || total === undefined

const getEnd = (parts: readonly RunHistory[]): End | undefined => {
  const ends = parts.map(({ end }) => end)
  if (ends.includes(undefined)) return undefined
  if (ends.every((end) => end === 'completed')) return 'completed'
  return ends.includes('interrupted') ? 'interrupted' : 'stopped'
}

const sumCounts = (all: readonly Counts[]): Counts => ({
  done: sum(all, 'done'),
  unchanged: sum(all, 'unchanged'),
  failed: sum(all, 'failed'),
  unknown: sum(all, 'unknown'),
  not_tried: sum(all, 'not_tried'),
})
const sum = (all: readonly Counts[], name: keyof Counts): number =>
  all.reduce((total, counts) => total + counts[name], 0)

/** The line of an object that failed, or whose outcome is unknown. */
type UnfinishedLine = FailedLine | BegunLine

const unfinishedStates: ReadonlySet<ObjectState | undefined> = new Set<ObjectState>([
  'failed',
  'unknown',
  'begun',
])

/** Reads the last line of each object that was begun and not done, in the order of the objects. */
export const readUnfinishedLines = async (past: RunHistory): Promise<readonly UnfinishedLine[]> => {
  const found = new Map<number, UnfinishedLine>()
  for await (const line of readObjectLines(past, 'any'))
    if (
      unfinishedStates.has(past.states.get(line.n)) &&
      (line.state === 'failed' || line.state === 'unknown' || line.state === 'begun')
    )
      found.set(line.n, line)
  return [...found.values()].toSorted((a, b) => a.n - b.n)
}

/** Converts a run to a record of the list. */
const toRunSummary = (header: Header, end: End | 'planned' | undefined, counts: Counts) => {
  const { id, seq = null, command, endpoint, instance, profile, user, sudo, source } = header
  const { undoes = null } = header
  const about = { id, seq, command, endpoint, instance, profile, user, sudo, source, undoes }
  return { ...about, end: end ?? null, ...counts }
}

/** Returns the counts of a run. The journal of a run that was killed has no counts, so its lines are counted. */
const readCounts = async ({ counts, file }: RunEntry): Promise<Counts> =>
  counts ?? (await readRunHistory(file, 'any')).counts

/** The rows of a narrow table, with all counts that are not zero in one column. The ID names the command. */
const narrowRuns: People = {
  columns: ['id', 'end', 'outcome'],
  rows: (records) =>
    records.filter(isObject).map((record) => ({ ...record, outcome: formatCounts(record) })),
}

const formatCounts = ({ done, unchanged, failed, unknown, not_tried }: Fields): string =>
  formatOutcomeCounts({
    done: Number(done),
    unchanged: Number(unchanged),
    failed: Number(failed),
    unknown: Number(unknown),
    not_tried: Number(not_tried),
  })

const columns = ['id', 'command', 'end', 'done', 'unchanged', 'failed', 'unknown', 'not_tried']
const narrowPlanned = ['id', 'objects', 'by', 'expires', 'reason']
const plannedColumns = ['id', 'command', 'objects', 'by', 'reason', 'expires']

const listFlags = {
  planned: boolean('list the runs that were planned and have not begun'),
} as const

/** Converts a planned run to a record of the list. */
const toPlannedSummary = async ({ header, file }: RunEntry) => {
  const { id, instance, profile, user, began, planned } = header
  const command = formatPlannedLine(header)
  const objects = (await readRunHistory(file)).total ?? 0
  const { by = null, reason = null, expires = null } = planned ?? {}
  return {
    id,
    command,
    objects,
    by,
    reason,
    profile,
    instance,
    user,
    planned: began,
    expires,
    file,
  }
}

async function* listPlanned({ answer, place }: Context): Rows {
  const all = await findPlanned(getRunFolder(place.env), place.clock.now())
  const waiting = keepNamedProfile(place, all)
  if (waiting.length === 0) yield createNoteRow('no planned runs are waiting')
  const records: unknown[] = []
  for (const entry of waiting) records.push(await toPlannedSummary(entry))
  const narrow = isNarrow(answer)
  yield* yieldRecords(
    records,
    narrow ? { columns: narrowPlanned } : { columns: plannedColumns, stacks: 'cut' },
  )
}

async function* listJournals(context: Context, given: Arguments<typeof listFlags>): Rows {
  if (given.flags.planned === true) return yield* listPlanned(context)
  const { ui, place } = context
  const folder = getRunFolder(place.env)
  await findPlanned(folder, place.clock.now())
  const all = await readJournalFolder(folder)
  const { unreadable } = all
  // A journal of --journal FILE may have been moved, and then its outcome is not known.
  const kept = all.entries.filter(({ file }) => existsSync(file))
  const entries = keepNamedProfile(place, kept)
  if (entries.length === 0) ui.note('no journals yet')
  for (const file of unreadable) ui.warn(`${file} is not a readable journal`)
  const records = (async function* () {
    for (const entry of entries) {
      const { header, file, seq } = entry
      const end = isPlanned(entry) ? 'planned' : entry.end
      yield { ...toRunSummary({ ...header, seq }, end, await readCounts(entry)), file }
    }
  })()
  const view = isNarrow(context.answer) ? { people: narrowRuns } : { stacks: 'cut' as const }
  yield* yieldRecords(records, { columns, ...view })
}

export const listCommand = define({
  description: [
    'Every write is recorded in a journal. A run without an end was killed or is still running. Resume it with <command> --resume last. A run that ends with "planned" has not begun. Carry it out with "journal run". -p limits the list to a profile.',
  ],
  flags: listFlags,
  rows: listJournals,
})

const describeEnd = (end: End | 'planned' | undefined): string =>
  end === undefined ? 'not finished: killed or still running' : end

/** Reads the journals of a line: one, or those of the shards of a run. */
const readNamedRuns = async (
  context: Context,
  given: Given,
): Promise<readonly [RunHistory, ...RunHistory[]]> => {
  const names = given.args.length > 1 ? given.args : [await requireRunName(context, given, 'show')]
  const find = (name: string): Promise<string> =>
    name === 'last' ? findLastRunFile(context) : resolveJournalFile(context.place, name)
  const files = await Promise.all(names.map(find))
  // A run may have several names: its number, its ID and its file. Its objects count once.
  const [first = '', ...others] = new Set(files)
  const parts: [RunHistory, ...RunHistory[]] = [await readRunHistory(first, 'any')]
  for (const file of others) parts.push(await readRunHistory(file, 'any'))
  return parts
}

/** Reports shards that are missing or not finished (exit 8). */
function* yieldUnfinished(
  { ui }: Context,
  parts: readonly RunHistory[],
  missing: readonly string[],
): Generator<Row> {
  const open = parts.filter(isUnfinished)
  for (const shard of missing) ui.warn(`the journal of shard ${shard} is missing`)
  for (const { file } of open) ui.warn(`${file} is not finished: its shard is not complete`)
  if (open.length > 0 || missing.length > 0) yield createExitRow(exitCodes.partial)
}

/** Yields the failures of a run. Programs get one record with the run and its failures. */
async function* showJournal(context: Context, given: Given): Rows {
  const { answer, ui } = context
  const parts = await readNamedRuns(context, given)
  const main = findMainPart(parts)
  checkSameRun(parts, main)
  const missing = parts.length > 1 ? findMissingShards(parts) : []
  const { header } = main
  const counts = sumCounts(parts.map((part) => part.counts))
  const ended = missing.length > 0 ? undefined : getEnd(parts)
  const end = isPlannedFile(main.file) ? 'planned' : ended
  const failures = (await Promise.all(parts.map(readUnfinishedLines))).flat()
  for (const part of parts) reportGap({ answer, ui }, part)
  if (parts.length > 1) yield* yieldUnfinished(context, parts, missing)
  if (answer.reader === 'programs')
    return yield* yieldRecord({
      ...toRunSummary(header, end, counts),
      ...(parts.length > 1
        ? { files: parts.map(({ file }) => file), missing }
        : { file: main.file }),
      values: header.input,
      ...(header.names && { names: header.names }),
      failures,
      gap: parts.find(({ gap }) => gap !== undefined)?.gap ?? null,
    })
  const { command, instance, profile } = header
  const by = profile === null ? '' : ` (profile ${profile})`
  ui.note(`${header.id}: ${command} on ${instance}${by}, ${describeEnd(end)}`)
  for (const [id, name] of Object.entries(header.names ?? {})) ui.note(`${name} is ${id}`)
  ui.note(formatOutcomeCounts(counts))
  yield* yieldRecords(failures, { columns: ['object', 'state', 'category', 'message'] })
}

export const showCommand = define({
  description: [
    'Several journals are the shards of one run, and shown as one. The exit code is 8 while a shard is missing or not finished. Use --resume to complete it.',
  ],
  args: [{ ...journalArgument, variadic: true, help: 'run IDs, files, or "last"' }],
  rows: showJournal,
})

export { discardCommand, runCommand } from './planned.js'
export { undoCommand } from './undo.js'

/** `svcctl journal list|show|undo|merge`: what was written. */
import { basename, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/async.js'
import { string } from '../../catalogue/params.js'
import type { Services } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import {
  type Entry,
  journalArgument,
  journalsIn,
  resolveJournalFile,
} from '../../engine/journal/folder.js'
import type { BegunLine, FailedLine, Header, ObjectLine } from '../../engine/journal/lines.js'
import { parseLine } from '../../engine/journal/lines.js'
import {
  type ObjectState,
  type RunHistory,
  readPast,
  textsIn,
} from '../../engine/journal/reader.js'
import { createJournal } from '../../engine/journal/writer.js'
import { tellGap } from '../../engine/journaling/runs.js'
import { parseShard } from '../../engine/journaling/shards.js'
import { createExitRow, type Rows, yieldRecord, yieldRecords } from '../../engine/rows.js'
import {
  type Counts,
  countsText,
  type End,
  getItemPlace,
  normalizeId,
} from '../../engine/work/report.js'
import { exitCodes, usage } from '../../errors.js'
import { journalFolder } from '../../profile/index.js'
import { type Arguments, define } from '../define.js'
import { nameRun } from './last.js'

// The journals of the parts of a run, as one.

interface MergeResult {
  readonly file: string
  readonly counts: Counts
  /** The shards of which there is no journal. */
  readonly missing: readonly string[]
  /** The journals that did not come to an end. */
  readonly open: readonly string[]
  /** Those that do not say what became of all their objects. */
  readonly damaged: readonly RunHistory[]
}

/** Of several lines about an object the best one is kept. */
const rank: Readonly<Record<ObjectState, number>> = {
  done: 5,
  unchanged: 4,
  failed: 3,
  unknown: 2,
  begun: 1,
  queued: 0,
}

const same = ['command', 'instance', 'endpoint', 'input'] as const

/** Of a shard without objects nothing was planned: only what was asked for is known. */
const isEmptyShard = ({ header }: RunHistory): boolean => header.endpoint === ''

const checkSame = (parts: readonly RunHistory[]): Header => {
  const first = parts.find((part) => !isEmptyShard(part)) ?? parts[0]
  if (first === undefined) throw usage('no journals to merge')
  for (const part of parts)
    for (const what of isEmptyShard(part) ? same.slice(0, 2) : same)
      if (!isDeepStrictEqual(part.header[what], first.header[what]))
        throw usage(
          `${part.file} and ${first.file} belong to different runs: ${what} differs`,
          'Merge only the journals of one sharded run.',
        )
  return first.header
}

/**
 * The shards of the whole that none of the journals is of: `4/7`.
 * @throws Failure `usage` where they are of runs that were divided otherwise
 */
const missingShards = (parts: readonly RunHistory[]): readonly string[] => {
  const shards = parts.map(({ header }) => header.shard)
  const [known] = shards.flatMap((text) => text ?? [])
  if (known === undefined) return []
  const { of } = parseShard(known)
  const other = parts.find(
    ({ header: { shard } }) => shard !== undefined && parseShard(shard).of !== of,
  )
  if (other !== undefined)
    throw usage(
      `${other.file} is shard ${other.header.shard}, but another journal is shard ${known}`,
      'Merge only the journals of one sharded run.',
    )
  // A journal without a shard is of the whole: of a run that was not divided, or of shards that were merged.
  if (shards.includes(undefined)) return []
  return Array.from({ length: of }, (_, i) => `${i + 1}/${of}`).filter(
    (one) => !shards.includes(one),
  )
}

/** What was asked of all parts together: no part of the objects. */
const ofWhole = ({ shard: _, ...header }: Header): Header => header

/** The best line about each object, by its parent and ID. */
type BestLines = Map<string, ObjectLine>

/** The best line about each object of a journal; a later one of the same worth takes its place. */
const gather = async ({ file, size }: RunHistory, best: BestLines): Promise<void> => {
  for await (const texts of textsIn(file, size))
    for (const text of texts) {
      const line = parseLine(text)
      if (line === undefined || !('n' in line)) continue
      const key = `${normalizeId(line.parent ?? '')}\0${normalizeId(line.object)}`
      const known = best.get(key)
      if (known === undefined || rank[line.state] >= rank[known.state])
        best.set(key, { ...knownBefore(known), ...line })
    }
}

/** What an earlier line about an object says, and the later one does not repeat. */
const knownBefore = (line: ObjectLine | undefined): Pick<BegunLine, 'before' | 'after'> => {
  if (line === undefined || !('before' in line)) return {}
  const { before } = line
  return line.state === 'queued' ? { before } : { before, after: line.after }
}

/** Whether objects of a run are left, or nobody knows of how many it was to be: it was killed, interrupted or stopped. */
const isUnfinished = ({ end, total }: RunHistory): boolean =>
  end !== 'completed' || total === undefined

const endOf = (parts: readonly RunHistory[], missing: readonly string[]): End | undefined => {
  const ends = parts.map(({ end }) => end)
  if (ends.includes(undefined) || missing.length > 0) return undefined
  if (ends.every((end) => end === 'completed')) return 'completed'
  return ends.includes('interrupted') ? 'interrupted' : 'stopped'
}

/**
 * Joins journals of the same command, endpoint, values and instance into a new one.
 * @throws Failure `usage` where they are of different runs, or the new one cannot be made
 */
export const mergeJournals = async (
  files: readonly string[],
  to: string,
  id: string,
  clock?: Clock,
): Promise<MergeResult> => {
  const parts: RunHistory[] = []
  for (const file of files) parts.push(await readPast(file))
  const header = ofWhole(checkSame(parts))
  const missing = missingShards(parts)
  const best: BestLines = new Map()
  for (const part of parts) await gather(part, best)
  const journal = await createJournal(to, { ...header, id, source: 'merge' }, clock)
  try {
    let n = 0
    for (const line of best.values()) {
      n += 1
      journal.add({ ...getItemPlace({ ...line, n }), state: 'queued' })
      if (line.state !== 'queued') journal.add({ ...line, n })
    }
    // Of what is not whole nobody knows how many there were.
    const isWhole = parts.every(({ gap, total }) => gap === undefined && total !== undefined)
    if (isWhole && missing.length === 0) await journal.append({ input: 'complete', total: n })
    const end = endOf(parts, missing)
    if (end !== undefined) await journal.end(end)
    journal.flush()
  } finally {
    await journal.close()
  }
  return {
    file: to,
    counts: journal.states.counts(),
    missing,
    open: parts.filter(isUnfinished).map(({ file }) => file),
    damaged: parts.filter(({ gap }) => gap !== undefined),
  }
}

// What of a run did not come to its end, as its journal knows it.

/** The line of an object that failed, or whose outcome is not known. */
type UnfinishedLine = FailedLine | BegunLine

const open: ReadonlySet<ObjectState | undefined> = new Set<ObjectState>([
  'failed',
  'unknown',
  'begun',
])

/** The latest line of each object that was begun and not done, in their order. */
export const unfinishedIn = async ({
  file,
  size,
  states,
}: RunHistory): Promise<readonly UnfinishedLine[]> => {
  const found = new Map<number, UnfinishedLine>()
  for await (const texts of textsIn(file, size, 'any'))
    for (const text of texts) {
      const line = parseLine(text)
      if (line === undefined || !('n' in line) || !open.has(states.get(line.n))) continue
      if (line.state === 'failed' || line.state === 'unknown' || line.state === 'begun')
        found.set(line.n, line)
    }
  return [...found.values()].toSorted((a, b) => a.n - b.n)
}

/** What a list says of a run. */
const summaryOf = (header: Header, end: End | undefined, counts: Counts, file: string) => {
  const { id, command, endpoint, instance, profile, user, sudo, source, undoes = null } = header
  const about = { id, command, endpoint, instance, profile, user, sudo, source, undoes }
  return { ...about, end: end ?? null, ...counts, file }
}

/** One that was killed has no counts at its end: they are counted. */
const countsOf = async ({ counts, file }: Entry): Promise<Counts> => {
  if (counts !== undefined) return counts
  return (await readPast(file, 'any')).counts
}

const columns = ['id', 'command', 'end', 'done', 'unchanged', 'failed', 'unknown', 'not_tried']

async function* listJournals({ ui, place }: Services): Rows {
  const { entries, unreadable } = await journalsIn(journalFolder(place.env))
  if (entries.length === 0) ui.note('no journals yet')
  for (const file of unreadable) ui.warn(`${file} is not a readable journal`)
  const records = (async function* () {
    for (const entry of entries)
      yield summaryOf(entry.header, entry.end, await countsOf(entry), entry.file)
  })()
  yield* yieldRecords(records, { columns, stacks: 'cut' })
}

export const listCommand = define({
  summary: 'List journals, newest first',
  description: [
    'Every write is recorded in a journal. A run without an end was killed or is still running. Resume it with <command> --resume last.',
  ],
  examples: ['journal list', 'journal list -o json --fields id,command,failed'],
  rows: listJournals,
})

const endText = (end: End | undefined): string =>
  end === undefined ? 'not finished: killed or still running' : end

/** Failures as rows; programs get the run with them. */
async function* showJournal(services: Services, given: Given): Rows {
  const { answer, ui, place } = services
  const file = await resolveJournalFile(place, await nameRun(services, given, 'show'))
  const past = await readPast(file, 'any')
  const { header, end, counts, gap } = past
  const failures = await unfinishedIn(past)
  tellGap({ answer, ui }, past)
  if (answer.reader === 'programs')
    return yield* yieldRecord({
      ...summaryOf(header, end, counts, file),
      values: header.input,
      failures,
      gap: gap ?? null,
    })
  const { command, instance, profile } = header
  const by = profile === null ? '' : ` (profile ${profile})`
  ui.note(`${header.id}: ${command} on ${instance}${by}, ${endText(end)}`)
  ui.note(countsText(counts))
  if (failures.length === 0) return
  yield* yieldRecords(failures, { columns: ['object', 'state', 'category', 'message'] })
}

export const showCommand = define({
  summary: 'Show the result of a run and its failures',
  args: [journalArgument],
  examples: ['journal show last', 'journal show last -o json --fields done,failed'],
  rows: showJournal,
})

const mergeFlags = {
  to: string('file to write; it must not exist', {
    completes: 'file',
    required: true,
    writes: true,
    placeholder: 'file',
  }),
} as const

async function* mergeGiven(
  { answer, ui, place }: Services,
  given: Arguments<typeof mergeFlags>,
): Rows {
  const { to } = given.flags
  if (to === undefined) throw usage('journal merge requires --to', 'Pass the file to write.')
  const files: string[] = []
  for (const name of given.args) files.push(await resolveJournalFile(place, name))
  const target = resolve(place.cwd, to)
  const id = basename(target, '.ndjson')
  const { counts, missing, open, damaged } = await mergeJournals(files, target, id)
  for (const shard of missing) ui.warn(`the journal of shard ${shard} is missing`)
  for (const file of open) ui.warn(`${file} is not finished: its shard is not complete`)
  for (const past of damaged) tellGap({ answer, ui }, past)
  if (open.length > 0 || missing.length > 0) yield createExitRow(exitCodes.partial)
  ui.note(countsText(counts))
  yield* yieldRecord({ file: target, ...counts, missing, open }, { changed: true })
}

export const mergeCommand = define({
  summary: 'Merge the journals of a sharded run',
  description: [
    'Keeps the best result of each object. The exit code is 8 while a shard is missing or not finished. Use --resume to complete the run.',
  ],
  args: [{ ...journalArgument, name: 'journals', variadic: true, help: 'files or run IDs' }],
  flags: mergeFlags,
  examples: [
    'journal merge part-1.ndjson part-2.ndjson --to whole.ndjson',
    'journal merge part-1.ndjson --to one.ndjson -o json',
  ],
  rows: mergeGiven,
})

export { undoCommand } from './undo.js'

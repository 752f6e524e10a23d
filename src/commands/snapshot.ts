/**
 * Implements `snapshot`, which writes lists of the instance to a folder. Commands can read it instead of the instance (`--from`), or
 * compare with it (`--since`).
 */

import { join } from 'node:path'
import { viewBytes } from '../base/bytes.js'
import { resolvePath } from '../base/io.js'
import { isObject, toText } from '../base/objects.js'
import { quoteWord } from '../base/shell-words.js'
import { formatCount } from '../base/text.js'
import { version } from '../base/version.js'
import { boolean, list, string } from '../catalogue/params.js'
import { account } from '../catalogue/undocumented.js'
import { isWithin, type SnapshotGap, type SnapshotKind } from '../client/snapshot-manifest.js'
import type { Context, LineAnswer } from '../engine/command/context.js'
import { addInstanceFlags } from '../engine/command/globals.js'
import { createNoteRow, type Rows, yieldRecords } from '../engine/rows.js'
import { exitCodes, explainUnread, Failure, isUnoffered, recoverFrom, usage } from '../errors.js'
import { type Arguments, define } from './define.js'
import {
  checkSnapshotFolder,
  findPast,
  isIntact,
  ListFile,
  lockFolder,
  type PastList,
  publishSnapshot,
} from './snapshot-folder.js'
import { chooseLists, listFlags, type WantedList } from './snapshot-lists.js'
import { type InterruptedSnapshot, ProgressLog, type SnapshotHeader } from './snapshot-progress.js'
import { readVersion } from './vocabulary-reading.js'

const flags = {
  to: {
    ...string('folder to write to', { placeholder: 'folder', writes: true, completes: 'file' }),
    required: true,
  },
  group: {
    ...list('string', 'limit to these groups and what is below them', { completes: 'group' }),
    short: 'G',
  },
  'dry-run': boolean(
    'print the lists and how many requests they take; read only projects and groups',
  ),
  resume: boolean('continue an interrupted snapshot'),
  overwrite: boolean('replace a snapshot that is there'),
} as const

type SnapshotGiven = Arguments<typeof flags>

/** True if the snapshot must stop: the line is wrong, or the instance cannot be reached. */
const isFatal = (failure: Failure): boolean =>
  failure.category === 'usage' || failure.details.unreached === true

/** Reads a list and writes its records to a file. */
const readList = async (
  { place }: Context,
  wanted: WantedList,
  file: ListFile,
  groups: readonly string[],
): Promise<LineAnswer> => {
  const { column } = wanted
  file.column = column
  const past = new Set(file.parents.map(({ name }) => name))
  const limited = wanted.kind === 'projects' && groups.length > 0
  let ending: Failure | undefined
  const answer = await place.runs.readLine({
    words: wanted.words,
    allowed: listFlags,
    takeRecord: (bytes, parent) => {
      if (!limited || isWithin(getProjectPath(bytes), groups)) file.take(bytes, parent?.name)
    },
    parents: {
      choose: (names) => names.filter((name) => isWithin(name, groups) && !past.has(name)).sort(),
      finishParent: (name, failure) => {
        if (failure !== undefined && isFatal(failure)) ending ??= failure
        // After that, parents are left for --resume.
        if (ending === undefined) file.endParent(name, failure)
      },
    },
  })
  const { failure } = answer
  ending ??= file.failure
  if (ending !== undefined) throw ending
  if (failure !== undefined && (isFatal(failure) || place.clock.signal.aborted)) throw failure
  if (column === undefined) file.endParent('', failure)
  return answer
}

const getProjectPath = (bytes: Uint8Array): string => {
  const record: unknown = JSON.parse(viewBytes(bytes).toString())
  return (isObject(record) ? toText(record.path_with_namespace) : undefined) ?? ''
}

/**
 * Reads the user of the token; null if the instance does not report it.
 * @throws Failure for an invalid token
 */
const readUser = async ({ instance }: Context): Promise<string | null> => {
  try {
    const { data } = await instance.call(account, {})
    return (isObject(data) ? toText(data.username) : undefined) ?? null
  } catch (error) {
    if (error instanceof Failure && error.status === 401) throw error
    recoverFrom(error)
    return null
  }
}

/** Returns the parts of a list that could not be read. */
const getGaps = ({ parents, refused }: SnapshotKind): readonly SnapshotGap[] =>
  [refused, ...parents.map((one) => one.refused)].filter((gap) => gap !== undefined)

/** Counts the minimum number of requests for each list, for `--dry-run`. */
async function* yieldRequestCounts(
  context: Context,
  all: readonly WantedList[],
  groups: readonly string[],
): Rows {
  const counts = new Map<string, number>()
  const rows: object[] = []
  for (const wanted of all) {
    const { column } = wanted
    const key = `${column} ${wanted.words.includes('--with-archived')}`
    if (column !== undefined && !counts.has(key)) {
      await context.place.runs.readLine({
        words: wanted.words,
        allowed: listFlags,
        takeRecord: () => {},
        parents: {
          choose: (names) => {
            counts.set(key, names.filter((name) => isWithin(name, groups)).length)
            return []
          },
          finishParent: () => {},
        },
      })
    }
    rows.push({
      kind: wanted.kind,
      line: wanted.line,
      requests: column === undefined ? 1 : (counts.get(key) ?? 0),
    })
  }
  yield* yieldRecords(rows, { columns: ['kind', 'line', 'requests'] })
  yield createNoteRow(
    'each list takes one request for every 100 records of a project, a group or the instance',
  )
}

interface ListContext {
  readonly folder: string
  readonly wanted: WantedList
  readonly begun: SnapshotHeader
  readonly log: ProgressLog
}

/** Reads a list into its file. Parents in `past` are not read again. */
const readKind = async (
  context: Context,
  reading: ListContext,
  past?: PastList,
): Promise<{ readonly kind: SnapshotKind; readonly failure: Failure | undefined }> => {
  const { folder, wanted, begun, log } = reading
  if (past === undefined) log.add({ kind: wanted.kind, again: true })
  const file = new ListFile(folder, wanted.kind, log, past)
  try {
    const came = await readList(context, wanted, file, begun.groups)
    // If no parent was left, the answer does not describe the request, so the list is read again.
    if (past !== undefined && came.plan === undefined) return await readKind(context, reading)
    return { kind: file.close(wanted.line, came), failure: came.failure }
  } finally {
    file.release()
  }
}

/** Finds the part of a list that an interrupted snapshot read, if the file has not changed since. */
const findRead = async (
  { ui }: Context,
  folder: string,
  { kind, column }: WantedList,
  unfinished: InterruptedSnapshot | undefined,
): Promise<{ readonly whole?: SnapshotKind; readonly past?: PastList }> => {
  const whole = unfinished?.whole.get(kind)
  const parents = unfinished?.parents.get(kind)
  if (whole !== undefined && (await isIntact(folder, whole))) return { whole }
  if (whole === undefined && (parents === undefined || column === undefined)) return {}
  const past = parents && whole === undefined && (await findPast(folder, kind, parents))
  if (past) return { past }
  ui.note(`${kind}: its file was changed since the interruption, so the list is read again`)
  return {}
}

/** Reads all lists. Lists with gaps are reported by `failed`. */
const readLists = async (
  context: Context,
  { folder, begun, log }: Omit<ListContext, 'wanted'>,
  unfinished: InterruptedSnapshot | undefined,
  failed: (wanted: WantedList, kind: SnapshotKind, failure: Failure) => void,
): Promise<readonly SnapshotKind[]> => {
  const lines = chooseLists(begun.lines, [])
  const kinds: SnapshotKind[] = []
  const reading = context.ui.showProgress('reading', async (say) => {
    for (const [i, wanted] of lines.entries()) {
      say(`reading ${wanted.kind}`, i / lines.length)
      const { whole, past } = await findRead(context, folder, wanted, unfinished)
      if (whole !== undefined) {
        kinds.push(whole)
        const [gap] = getGaps(whole)
        if (gap !== undefined) failed(wanted, whole, new Failure('partial', gap.why))
        continue
      }
      const { kind, failure } = await readKind(context, { folder, wanted, begun, log }, past)
      kinds.push(kind)
      if (failure !== undefined) failed(wanted, kind, failure)
    }
  })
  await reading.finally(() => log.close())
  return kinds
}

const listKinds = (folder: string, kinds: readonly SnapshotKind[]): Rows =>
  yieldRecords(
    kinds.map((one) => ({
      kind: one.kind,
      records: one.records,
      parents: one.column === undefined ? null : one.parents.length,
      refused: getGaps(one).length,
      line: one.line,
      path: join(folder, one.file),
    })),
    { columns: ['kind', 'records', 'parents', 'refused', 'line'] },
  )

/** @throws Failure `usage` for a line that is no list of the API, or whose parents are missing. Nothing is sent or written before. */
const checkLists = async ({ place }: Context, all: readonly WantedList[]): Promise<void> => {
  for (const { words } of all) await place.runs.checkLine({ words, allowed: listFlags })
}

async function* runSnapshot(context: Context, given: SnapshotGiven): Rows {
  const { place } = context
  const { group = [], to = '' } = given.flags
  const all = chooseLists(given.args, await context.place.listCommands())
  if (given.args.length > 0) await checkLists(context, all)
  if (given.flags['dry-run'] === true) return yield* yieldRequestCounts(context, all, group)
  if (to === '')
    throw usage(
      'snapshot requires --to, the folder to write to',
      `For example: ${addInstanceFlags(`svcctl snapshot ${given.args.map((line) => `${quoteWord(line)} `).join('')}--to before`, place.globals)}`,
    )
  const folder = resolvePath(to, place.cwd)
  const lock = await lockFolder(folder)
  try {
    yield* takeSnapshot(context, given, all, folder)
  } finally {
    lock.release()
  }
}

/**
 * Adds a hint to resume the snapshot to a failure.
 * @throws the failure with that hint
 */
const throwWithResumeHint = (error: unknown): never => {
  if (!(error instanceof Failure) || error.category === 'usage') throw error
  const hint = 'Continue the snapshot with --resume, or start again with --overwrite.'
  throw error.with({ advice: undefined, hint })
}

/** @throws Failure `usage` if the line does not match the interrupted snapshot */
const checkResumed = (
  { args, flags: { group } }: SnapshotGiven,
  begun: SnapshotHeader,
  asked: SnapshotHeader,
): void => {
  if (begun.instance !== asked.instance)
    throw usage(
      `the interrupted snapshot is of ${begun.instance}, not of ${asked.instance}`,
      'Choose its instance, or another folder.',
    )
  const isDifferent = (key: 'lines' | 'groups'): boolean =>
    begun[key].join('\n') !== asked[key].join('\n')
  if ((args.length > 0 && isDifferent('lines')) || (group !== undefined && isDifferent('groups')))
    throw usage(
      'the interrupted snapshot has other lists or groups than this line',
      'Pass --resume without lists and groups, or start again with --overwrite.',
    )
}

/** The address of the embedded instance in manifests. It has no port, because each line starts the instance at another one. */
const embeddedAddress = 'http://127.0.0.1'

/** Reads the lists into the locked folder. */
async function* takeSnapshot(
  context: Context,
  given: SnapshotGiven,
  all: readonly WantedList[],
  folder: string,
): Rows {
  const { answer, place, ui } = context
  const { baseUrl, profile, title = baseUrl } = await place.session()
  const { instance } = await place.getOrigin('known')
  const unfinished = checkSnapshotFolder(folder, given.flags)
  const lines = all.map(({ line }) => line)
  const began = place.clock.now().toISOString()
  const wantedSnapshot = { began, instance, groups: given.flags.group ?? [], lines }
  const begun = unfinished?.begun ?? wantedSnapshot
  checkResumed(given, begun, wantedSnapshot)
  const user = await readUser(context)
  const known = await readVersion(context).catch((error: unknown) => void recoverFrom(error))
  const log = new ProgressLog(folder, begun, unfinished !== undefined)
  const progress = { folder, begun, log }
  const kinds = await readLists(context, progress, unfinished, (wanted, kind, failure) => {
    ui.note(`${wanted.line}: ${describeGaps(kind, failure)}`)
    // A list that the instance does not offer is a gap only if the line names it.
    if (!isUnoffered(failure) || given.args.length > 0) answer.setExitCode(exitCodes.partial)
  }).catch(throwWithResumeHint)
  await publishSnapshot(folder, {
    format: 1,
    tool: `svcctl ${version}`,
    instance: place.globals.sandbox ? embeddedAddress : baseUrl,
    version: known ?? null,
    profile: profile?.name ?? null,
    user,
    began: begun.began,
    ended: place.clock.now().toISOString(),
    groups: begun.groups,
    kinds,
  })
  yield* listKinds(folder, kinds)
  yield createNoteRow(
    `snapshot of ${title} written to ${folder}: ${formatCount(kinds.length, 'list')}`,
  )
}

const describeGaps = (kind: SnapshotKind, failure: Failure): string => {
  if (kind.column === undefined || kind.refused !== undefined) return explainUnread(failure)
  const refused = getGaps(kind)
  return `${refused.length} of ${formatCount(kind.parents.length, kind.column)} could not be read, the first because: ${refused[0]?.why ?? failure.message}`
}

export const snapshot = define({
  description: [
    'Reads lists and writes each to a file of JSON lines, with a manifest that says what was read and what was refused. Commands that read take --from <folder> instead of an instance, and lists show with --since <folder> what changed.',
    'Without arguments, reads what the instance is: settings, projects, members, runners, approval rules, integrations, keys, domains and sites. Jobs, commits, events, issues, merge requests, vulnerabilities and dependencies are read only where a line asks for them.',
    'Secrets are masked. A snapshot is the state of a span of time, not of one moment: the manifest has its begin and its end.',
  ],
  args: [
    { name: 'lists', required: false, variadic: true, help: 'lines of list commands, quoted' },
  ],
  flags,
  readOnly: true,
  rows: runSnapshot,
})

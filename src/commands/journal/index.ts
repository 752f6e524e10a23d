/** `svcctl journal list|show|undo|merge`: what was written. */

import { basename, resolve } from 'node:path'
import { string } from '../../catalogue/params.js'
import type { Services } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import { unfinishedIn } from '../../engine/journal/failures.js'
import type { Entry } from '../../engine/journal/folder.js'
import { journalsIn } from '../../engine/journal/folder.js'
import type { Header } from '../../engine/journal/lines.js'
import { mergeJournals } from '../../engine/journal/merge.js'
import { readPast } from '../../engine/journal/past.js'
import { tellGap } from '../../engine/keeping/runs.js'
import { fileOf, journalArgument } from '../../engine/place/journals.js'
import type { Counts, End } from '../../engine/work/report.js'
import { exitCodes, usage } from '../../errors.js'
import { journalFolder } from '../../profile/index.js'
import { define, type GivenBy } from '../define.js'

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

const runList = async ({ answer, person, place }: Services): Promise<void> => {
  const { entries, unreadable } = await journalsIn(journalFolder(place.env))
  if (entries.length === 0) person.note('there is no journal yet')
  for (const file of unreadable) person.warn(`${file} is no journal that can be read`)
  const records = (async function* () {
    for (const entry of entries)
      yield summaryOf(entry.header, entry.end, await countsOf(entry), entry.file)
  })()
  await answer.printMany(records, { columns, stacks: 'cut' })
}

export const listCommand = define({
  summary: 'List journals, newest first',
  description: [
    'Every write keeps a journal. A run without an end was killed or is still running; <command> --resume last resumes it.',
  ],
  examples: ['journal list', 'journal list -o json --fields id,command,failed'],
  run: runList,
})

const words = ({ done, unchanged, failed, unknown, not_tried }: Counts): string =>
  [
    `${done} done`,
    ...(unchanged > 0 ? [`${unchanged} already so`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ...(not_tried > 0 ? [`${not_tried} not tried`] : []),
  ].join(', ')

const endText = (end: End | undefined): string =>
  end === undefined ? 'without an end: killed, or still under way' : end

const nameOf = (given: Given): string => given.args[0] ?? ''

/** Failures as rows; programs get the run with them. */
const runShow = async ({ answer, person, place }: Services, given: Given): Promise<void> => {
  const file = await fileOf(place, nameOf(given))
  const past = await readPast(file, 'any')
  const { header, end, counts, gap } = past
  const failures = await unfinishedIn(past)
  tellGap({ answer, person }, past)
  if (answer.reader === 'programs')
    return answer.print({
      ...summaryOf(header, end, counts, file),
      values: header.values,
      failures,
      gap: gap ?? null,
    })
  const { command, instance, profile } = header
  const by = profile === null ? '' : ` (profile ${profile})`
  person.note(`${header.id}: ${command} on ${instance}${by}, ${endText(end)}`)
  person.note(words(counts))
  if (failures.length === 0) return
  await answer.printMany(failures, { columns: ['object', 'state', 'category', 'message'] })
}

export const showCommand = define({
  summary: 'Show what a run came to, and what failed in it',
  args: [journalArgument],
  examples: ['journal show last', 'journal show last -o json --fields done,failed'],
  run: runShow,
})

const mergeFlags = {
  to: string('the journal to write; it must not exist', { completes: 'file', required: true }),
} as const

const runMerge = async (
  { answer, person, place }: Services,
  given: GivenBy<typeof mergeFlags>,
): Promise<void> => {
  const { to } = given.flags
  if (to === undefined) throw usage('journal merge needs --to', 'It names the journal to write.')
  const files: string[] = []
  for (const name of given.args) files.push(await fileOf(place, name))
  const target = resolve(place.cwd, to)
  const { counts, open, damaged } = await mergeJournals(files, target, basename(target, '.ndjson'))
  for (const file of open) person.warn(`${file} has no end: its part is still to be done`)
  for (const past of damaged) tellGap({ answer, person }, past)
  if (open.length > 0) answer.exit(exitCodes.partial)
  person.note(words(counts))
  await answer.print({ file: target, ...counts, open }, { changed: true })
}

export const mergeCommand = define({
  summary: 'Join the journals of the parts of a run',
  description: [
    'Of each object the best outcome is kept. Exit 8 while a part has no end; --resume goes on with what is left.',
  ],
  args: [{ ...journalArgument, name: 'journals', variadic: true, help: 'files, or ids of runs' }],
  flags: mergeFlags,
  examples: [
    'journal merge part-1.ndjson part-2.ndjson --to whole.ndjson',
    'journal merge part-1.ndjson --to one.ndjson -o json',
  ],
  run: runMerge,
})

export { undoCommand } from './undo.js'

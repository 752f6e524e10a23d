/**
 * Implements `vocabulary learn`, which creates a vocabulary file from answers of an instance, and `vocabulary check`
 * (`../vocabulary/README.md`).
 */

import { existsSync } from 'node:fs'
import { toDay } from '../base/dates.js'
import { writeWhole } from '../base/files/files.js'
import { resolvePath } from '../base/io.js'
import { quoteWord } from '../base/shell-words.js'
import { getProperties } from '../catalogue/fields.js'
import { project, string } from '../catalogue/params.js'
import type { Words } from '../catalogue/words.js'
import type { Context } from '../engine/command/context.js'
import { createExitRow, createTextRow, type Rows, yieldRecords } from '../engine/rows.js'
import { exitCodes, type Failure, toWriteFailure, usage } from '../errors.js'
import {
  formatVocabulary,
  keepSoundWords,
  learnFrom,
  loadChecked,
  loadCheckedText,
  maxChoices,
} from '../vocabulary/index.js'
import type { AnswerSample, Lesson, OpenWord } from '../vocabulary/learn.js'
import { listWritten } from './answers.js'
import { type Arguments, define } from './define.js'
import { discoverOwnInstance } from './known.js'
import {
  getVocabularyFile,
  type ReadAnswer,
  readAnswers,
  type UnreadAnswer,
  type VocabularyAnswers,
} from './vocabulary-reading.js'

const projectFlag = { ...project('project whose settings to read as well'), short: 'P' } as const

/** True if the user may not see an answer, which then proves nothing. */
const isRefused = ({ category }: Failure): boolean =>
  category === 'auth' || category === 'not_found'

/** @throws Failure, the first one, if no answer could be read */
const checkReached = ({ read, unread }: Pick<VocabularyAnswers, 'read' | 'unread'>): void => {
  const [first] = unread
  if (read.length === 0 && first !== undefined) throw first.failure
}

const noteUnread = ({ ui }: Context, unread: readonly UnreadAnswer[]): void => {
  for (const { what, failure } of unread) ui.note(`${what} could not be read: ${failure.message}`)
}

/** The maximum number of questions to a person. */
const maxQuestions = 3

/** Asks a person for the instance's word; undefined if no candidate is right. */
const askChoice = async (
  { ui }: Context,
  { word, names, candidates }: OpenWord,
): Promise<string | undefined> => {
  const choices = candidates.slice(0, maxChoices)
  ui.note(`What does this instance call "${word}" (${names.join(', ')})?`)
  for (const [i, choice] of choices.entries())
    ui.note(`  ${i + 1}. ${choice.own} (${choice.names.join(', ')})`)
  const reply = (await ui.ask('number, or 0 if none is right')) ?? '0'
  if (/^(0|)$/.test(reply)) return undefined
  const found = choices[Number(reply) - 1]
  if (found === undefined) ui.note(`there is no ${reply} in the list: skipped ${word}`)
  return found?.own
}

/** Learns words from answers of the instance and replies of a person. Each reply may determine further words. */
const learnWords = async (context: Context, heard: readonly AnswerSample[]): Promise<Lesson> => {
  const replies = new Map<string, string>()
  const passed = new Set<string>()
  const computeLesson = () =>
    keepSoundWords(learnFrom(heard, replies), (text) => loadCheckedText(text, 'learned'))
  let now = await computeLesson()
  while (context.ui.interactive && replies.size + passed.size < maxQuestions) {
    const next = now.open.find(({ word, candidates }) => candidates.length > 0 && !passed.has(word))
    if (next === undefined) break
    const own = await askChoice(context, next)
    if (own === undefined) passed.add(next.word)
    else replies.set(next.word, own)
    now = await computeLesson()
    // A word that contradicts the catalogue is not asked for again.
    if (now.open.some(({ word }) => word === next.word)) passed.add(next.word)
  }
  return now
}

const learnFlags = {
  to: string('file to write, instead of standard output', {
    completes: 'file',
    placeholder: 'file',
    writes: true,
  }),
  project: projectFlag,
} as const

async function* writeVocabulary(context: Context, text: string, to: string | undefined): Rows {
  if (to === undefined) return yield createTextRow(text)
  const file = resolvePath(to, context.place.cwd)
  if (existsSync(file)) await context.ui.confirm(`${file} is replaced.`, [file])
  await writeWhole(file, text).catch((error: unknown) => {
    throw toWriteFailure(to, error)
  })
  yield* listWritten(context, [{ path: file, size: Buffer.byteLength(text) }], false)
}

async function* learnVocabulary(context: Context, given: Arguments<typeof learnFlags>): Rows {
  const { ui, place } = context
  const { to } = given.flags
  const answers = await readAnswers(context, given.flags.project)
  checkReached(answers)
  noteUnread(context, answers.unread)
  if (answers.version === undefined) ui.note('the instance does not report its version')
  const lesson = await learnWords(context, answers.read)
  const { baseUrl, profile } = await place.session()
  const day = toDay(place.clock.now())
  const text = formatVocabulary(lesson, { baseUrl, version: answers.version, day })
  await loadCheckedText(text, to ?? 'the vocabulary')
  yield* writeVocabulary(context, text, to)
  await discoverOwnInstance(context)
  ui.note(`${lesson.words.length} learned, ${lesson.open.length} left as comments`)
  const name = profile?.name ?? '<profile>'
  const file = to === undefined ? '<file>' : quoteWord(to)
  ui.note(`use the file with: svcctl profile set ${name} --vocabulary ${file}`)
}

export const learn = define({
  description: [
    'Some documented names contain a neutral word for a product; the instance has its own word there. svcctl reads the version, the settings, and the error tracking, client keys and integrations of one project. It looks for the word that explains all such names in the responses. If several could, the choices become comments; on a terminal, svcctl asks up to three questions.',
  ],
  flags: learnFlags,
  rows: learnVocabulary,
})

interface NameRow {
  readonly name: string
  readonly own: string
  readonly answer: string
  readonly status: 'there' | 'absent'
}

/** Returns the renamed names of an answer, and whether the answer has them. */
const toRows = ({ what, shape, record }: ReadAnswer, words: Words): readonly NameRow[] =>
  Object.keys(getProperties(shape) ?? {}).flatMap((name): readonly NameRow[] => {
    const own = words.name(name)
    if (own === name) return []
    const isPresent = Object.keys(record).includes(own)
    return [{ name, own, answer: what, status: isPresent ? 'there' : 'absent' }]
  })

const checkFlags = { project: projectFlag } as const

async function* checkVocabulary(context: Context, given: Arguments<typeof checkFlags>): Rows {
  const { ui, place } = context
  const [named] = given.args
  const file = named === undefined ? getVocabularyFile(place) : resolvePath(named, place.cwd)
  if (file === undefined)
    throw usage(
      'no vocabulary is configured',
      'Pass a file, or run: svcctl profile set <profile> --vocabulary <file>',
    )
  const words = await loadChecked(file)
  const answers = await readAnswers(context, given.flags.project, words)
  const failed = answers.unread.filter(({ failure }) => !isRefused(failure))
  checkReached({ ...answers, unread: failed })
  noteUnread(context, answers.unread)
  const rows = answers.read.flatMap((one) => toRows(one, words))
  if (rows.length === 0) ui.note('none of its names appears in the data that can be read')
  yield* yieldRecords(rows, { columns: ['name', 'own', 'answer', 'status'] })
  await discoverOwnInstance(context, { words })
  if (failed.length > 0) yield createExitRow(exitCodes.partial)
  else if (rows.some(({ status }) => status === 'absent')) yield createExitRow(exitCodes.failed)
}

export const check = define({
  description: [
    'Without a file, svcctl checks the vocabulary of the environment or the profile. Exit code 1: a mapped name is missing in a response; 2: the file contradicts the API documents (with the line number); 8: some data could not be read.',
  ],
  args: [
    {
      name: 'file',
      required: false,
      variadic: false,
      help: 'vocabulary file',
      file: true,
    },
  ],
  flags: checkFlags,
  rows: checkVocabulary,
})

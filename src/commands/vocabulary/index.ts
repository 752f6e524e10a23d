/** `vocabulary learn` and `vocabulary check`: what an instance calls things (`../../vocabulary/README.md`). */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import { project, string } from '../../catalogue/params.js'
import { getProperties } from '../../catalogue/shapes/properties.js'
import type { Words } from '../../catalogue/words.js'
import type { Services } from '../../engine/command/services.js'
import { exitCodes, type Failure, usage } from '../../errors.js'
import {
  checkText,
  formatVocabulary,
  type Lesson,
  learnFrom,
  loadChecked,
  soundIn,
} from '../../vocabulary/index.js'
import { define, type GivenBy } from '../define.js'
import { type Answers, type Read, readAnswers, type Unanswered, vocabularyFile } from './reading.js'

const ofProject = { ...project('project whose settings to read as well'), short: 'P' } as const

/** Why nothing of an answer is known that this user may not see. */
const refused = ({ category }: Failure): boolean => category === 'auth' || category === 'not_found'

/** @throws Failure the first, where nothing at all could be read */
const checkReached = ({ read, unread }: Pick<Answers, 'read' | 'unread'>): void => {
  const [first] = unread
  if (read.length === 0 && first !== undefined) throw first.failure
}

const noteUnread = ({ ui }: Services, unread: readonly Unanswered[]): void => {
  for (const { what, failure } of unread) ui.note(`${what} could not be read: ${failure.message}`)
}

/** What a person says of the names that are left open, one after the other. */
const asked = async ({ ui }: Services, { open }: Lesson): Promise<ReadonlyMap<string, string>> => {
  const answers = new Map<string, string>()
  if (!ui.interactive) return answers
  // The likeliest first: what they took is no candidate of the others.
  const sorted = open.toSorted(
    (a, b) => Number(b.alike) - Number(a.alike) || a.candidates.length - b.candidates.length,
  )
  for (const { name, candidates } of sorted) {
    const left = candidates.filter((one) => ![...answers.values()].includes(one))
    if (left.length === 0) continue
    const said = await ui.ask(`name for ${name} (${left.join(', ')}; leave empty to skip)`)
    if (said === undefined || said === '') continue
    if (left.includes(said)) answers.set(name, said)
    else ui.note(`no response contains ${said}: skipped ${name}`)
  }
  return answers
}

const learnFlags = {
  to: string('file to write, instead of standard output', { completes: 'file' }),
  project: ofProject,
} as const

const write = async (services: Services, text: string, to: string | undefined): Promise<void> => {
  if (to === undefined) return services.answer.write(text)
  const file = resolve(services.place.cwd, to)
  if (existsSync(file)) await services.ui.confirm(`${file} is replaced.`, [file])
  await writeWhole(file, text)
}

const runLearn = async (services: Services, given: GivenBy<typeof learnFlags>): Promise<void> => {
  const { ui, place } = services
  const { to } = given.flags
  const answers = await readAnswers(services, given.flags.project)
  checkReached(answers)
  noteUnread(services, answers.unread)
  if (answers.version === undefined) ui.note('the instance does not report its version')
  const lesson = await soundIn(learnFrom(answers.read), (text) => checkText(text, 'learnt'))
  const answered = await asked(services, lesson)
  const { baseUrl, profile } = await place.session()
  const day = place.clock.now().toISOString().slice(0, 10)
  const text = formatVocabulary(lesson, { baseUrl, version: answers.version, day, answered })
  await checkText(text, to ?? 'the vocabulary')
  await write(services, text, to)
  const left = lesson.open.filter(({ name }) => !answered.has(name))
  const some = left.filter(({ candidates }) => candidates.length > 0).length
  ui.note(
    `${lesson.words.length + answered.size} learned; ${some} with candidates and ${left.length - some} without are comments`,
  )
  const name = profile?.name ?? '<profile>'
  ui.note(`use the file with: svcctl profile set ${name} --vocabulary ${to ?? '<file>'}`)
}

export const learn = define({
  summary: 'Create a vocabulary file from an instance’s responses',
  description: [
    'Reads the version, the settings, and the error tracking and integrations of one project. svcctl matches documented names that are missing in the responses with unknown names in them. It records a word if at least two names agree on it. Other candidates become comments; on a terminal, svcctl asks about them.',
  ],
  flags: learnFlags,
  examples: ['vocabulary learn', 'vocabulary learn --to words.yml -P platform/app'],
  run: runLearn,
})

interface Row {
  readonly name: string
  readonly own: string
  readonly answer: string
  readonly status: 'there' | 'absent'
}

/** The mapped names of an answer, and whether it has them. */
const rowsOf = ({ what, shape, record }: Read, words: Words): readonly Row[] =>
  Object.keys(getProperties(shape) ?? {}).flatMap((name): readonly Row[] => {
    const own = words.name(name)
    if (own === name) return []
    const there = Object.keys(record).includes(own)
    return [{ name, own, answer: what, status: there ? 'there' : 'absent' }]
  })

const checkFlags = { project: ofProject } as const

const runCheck = async (services: Services, given: GivenBy<typeof checkFlags>): Promise<void> => {
  const { answer, ui, place } = services
  const [named] = given.args
  const file = named === undefined ? vocabularyFile(place) : resolve(place.cwd, named)
  if (file === undefined)
    throw usage(
      'no vocabulary is configured',
      'Pass a file, or run: svcctl profile set <profile> --vocabulary <file>',
    )
  const words = await loadChecked(file)
  const answers = await readAnswers(services, given.flags.project, words)
  const failed = answers.unread.filter(({ failure }) => !refused(failure))
  checkReached({ ...answers, unread: failed })
  noteUnread(services, answers.unread)
  const rows = answers.read.flatMap((one) => rowsOf(one, words))
  if (rows.length === 0) ui.note('none of its names appears in the data that can be read')
  await answer.printMany(rows, { columns: ['name', 'own', 'answer', 'status'] })
  if (failed.length > 0) answer.exit(exitCodes.partial)
  else if (rows.some(({ status }) => status === 'absent')) answer.exit(exitCodes.failed)
}

export const check = define({
  summary: 'Check a vocabulary file against the instance',
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
  examples: ['vocabulary check work.yml', 'vocabulary check work.yml -o json'],
  run: runCheck,
})

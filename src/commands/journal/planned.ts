/** `journal run` and `journal discard`: runs that were planned, by an agent or with `--dry-run --save`, and have not begun. */
import { rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Environment } from '../../base/io.js'
import { serializeExact } from '../../base/json/json.js'
import { insertFlags, quoteWord } from '../../base/shell-words.js'
import { formatCount } from '../../base/text.js'
import { getLevelName } from '../../catalogue/shapes/common.js'
import type { Context } from '../../engine/command/context.js'
import type { Argument, RunOrigin } from '../../engine/command/types.js'
import { formatRunLine, hintAuthor } from '../../engine/journal/author.js'
import { beginPlanned, findPlanned, revertToPlanned } from '../../engine/journal/begin-run.js'
import type { RunEntry } from '../../engine/journal/folder.js'
import type { Header, OptionText, QueuedLine } from '../../engine/journal/lines.js'
import { readObjectLines } from '../../engine/journal/objects.js'
import {
  createJournalGapFailure,
  type RunHistory,
  readRunHistory,
} from '../../engine/journal/reader.js'
import { checkRunRequest } from '../../engine/journaling/recorded-line.js'
import { createExitRow, createNoteRow, type Rows } from '../../engine/rows.js'
import { Failure, getErrorCode, usage } from '../../errors.js'
import {
  checkReadOnly,
  createWaitOptions,
  getPaths,
  getRunFolder,
  openStore,
} from '../../profile/index.js'
import { type Arguments, define } from '../define.js'

type Given = Arguments<Record<never, never>>

const idArgument: Argument = {
  name: 'run',
  required: true,
  variadic: false,
  help: 'ID of the planned run',
  values: async ({ io }) => {
    const planned = await findPlanned(getRunFolder(io.env), io.now()).catch(() => [])
    return planned.map(({ header }) => ({ value: header.id, text: header.command }))
  },
}

/** @throws Failure `not_found` for a run that began, expired, or was never planned */
const findWaiting = async ({ place }: Context, id: string): Promise<RunEntry> => {
  const planned = await findPlanned(getRunFolder(place.env), place.clock.now())
  const found = planned.find(({ header }) => header.id === id)
  if (found !== undefined) return found
  throw new Failure('not_found', `no planned run "${id}" is waiting`, {
    hint: 'A plan lasts until it expires, and for one approval. List those that wait with: svcctl journal list --planned',
  })
}

/** @throws Failure `usage` where no person can read the plan and answer. `--yes` is an answer to a person's own plan. */
const checkPerson = async ({ place, ui }: Context, { header }: RunEntry): Promise<void> => {
  const { quiet, yes } = place.globals
  const isOwn = header.planned?.by === 'person'
  if (yes && isOwn) return
  if (yes || quiet)
    throw usage(
      `this plan does not allow --${yes ? 'yes' : 'quiet'}: a person must read it`,
      isOwn ? 'Pass --yes to confirm it unread.' : undefined,
    )
  if (!ui.interactive || !(await place.stdin.hasTerminal()))
    throw usage(
      'journal run requires a terminal with a person at it',
      `${isOwn ? 'Pass --yes, or run' : 'Run'} it in a terminal, without CI and SVC_NO_PROMPT. --dry-run shows the plan without one.`,
    )
}

const toName = (value: string | null): string => value ?? 'none'

/** Describes how to carry out a run as the one who planned it, which nobody can after the profile was deleted. */
const hintMaker = (env: Environment, header: Header, now: RunOrigin): string => {
  const { id, profile } = header
  if (profile !== null && !openStore(getPaths(env)).listNames().includes(profile))
    return `The profile ${profile} was deleted. Plan the run again, and remove this plan: svcctl journal discard ${id}`
  return hintAuthor(header, now, `Carry it out with: ${formatRunLine('journal run', header)}`)
}

/** @throws Failure `usage` where a run was planned for somebody else, or elsewhere */
const checkMaker = async ({ place }: Context, { header }: RunEntry): Promise<void> => {
  const now = await place.getOrigin()
  for (const what of ['instance', 'profile', 'user', 'sudo'] as const)
    if (header[what] !== now[what])
      throw usage(
        `the run ${header.id} was planned for the ${what === 'sudo' ? '--sudo user' : what} ${toName(header[what])}, and this is ${toName(now[what])}`,
        hintMaker(place.env, header, now),
      )
}

/** @throws Failure `usage` where an extension no longer has the command, or has another request for it */
const checkCommand = async ({ place }: Context, { header }: RunEntry): Promise<void> => {
  await checkRunRequest(header)
  const commands = await place.listCommands()
  if (commands.some(({ area, words }) => `${area} ${words}` === header.command)) return
  throw usage(
    `the run ${header.id} is of "svcctl ${header.command}", which is not a command any more`,
    'If it was of an extension, add its file again: svcctl extend add <file>',
  )
}

// The planned changes of each object, in lines for people.

const formatValue = (attribute: string, value: unknown): string =>
  getLevelName(attribute, value) ?? serializeExact(value) ?? '-'

const formatObject = (
  { sends = '', before, after }: QueuedLine,
  { name }: Context['naming'],
): readonly string[] => [
  `  ${sends}`,
  ...Object.entries(after ?? {}).map(([attribute, wanted]) => {
    const old = before?.[attribute]
    const text = formatValue(attribute, wanted)
    const label = `    ${name(attribute)}: `
    if (before === undefined || before === null) return label + text
    if (/^DELETE /.test(sends)) return label + formatValue(attribute, old)
    return isDeepStrictEqual(old, wanted)
      ? `${label}${text} (already in this state)`
      : `${label}${formatValue(attribute, old)} → ${text}`
  }),
]

/** Reads the objects of a planned run. */
const readObjects = async (past: RunHistory): Promise<readonly QueuedLine[]> => {
  const found: QueuedLine[] = []
  for await (const line of readObjectLines(past)) if (line.state === 'queued') found.push(line)
  return found
}

const formatFlag = (name: string, given: OptionText): string => {
  const text = typeof given === 'string' ? given : given.$file
  if (text === 'true') return `--${name}`
  return text === 'false' ? `--no-${name}` : `--${name} ${quoteWord(text)}`
}

/** Formats the line that was planned, without its objects. */
export const formatPlannedLine = ({ command, options }: Header): string =>
  [
    `svcctl ${command}`,
    ...(options?.args ?? []).map(quoteWord),
    ...Object.entries(options?.flags ?? {}).flatMap(([name, texts]) =>
      texts.map((text) => formatFlag(name, text)),
    ),
  ].join(' ')

const showPlan = (
  { answer, naming, ui }: Context,
  { header }: RunEntry,
  objects: readonly QueuedLine[],
): void => {
  const say = (text: string): void => ui.note(answer.text.safe(text))
  const { id, began, planned } = header
  say(`Run ${id}, planned by ${planned?.by === 'agent' ? 'an agent' : 'a person'} at ${began}:`)
  say(`  ${formatPlannedLine(header)}`)
  if (planned?.reason !== undefined)
    say(`Reason that the agent gives (not checked): "${planned.reason}"`)
  say(`Changes to ${formatCount(objects.length, 'object')}:`)
  for (const line of objects.flatMap((one) => formatObject(one, naming))) say(line)
}

async function* runPlanned(context: Context, given: Given): Rows {
  const { place, ui } = context
  const { dryRun } = place.globals
  const entry = await findWaiting(context, given.args[0] ?? '')
  if (!dryRun) await checkPerson(context, entry)
  await checkMaker(context, entry)
  await checkCommand(context, entry)
  const past = await readRunHistory(entry.file)
  if (past.gap !== undefined) throw createJournalGapFailure(entry.file, past.gap.text)
  const objects = await readObjects(past)
  showPlan(context, entry, objects)
  if (dryRun) return
  const session = await place.session()
  const { header } = entry
  // A plan lasts for one approval, which a profile that only reads would waste.
  const [method = '', path = ''] = objects[0]?.sends?.split(' ') ?? []
  checkReadOnly(session.profile, method, path)
  await ui.confirm(`This carries out run ${header.id}.`, [], session, objects.length)
  const folder = getRunFolder(place.env)
  const waiting = createWaitOptions(context)
  const file = await beginPlanned(folder, header, waiting)
  // It was shown and confirmed above, with what a profile asks for.
  const { profile } = session
  const agreed = ['--yes', ...(profile?.protected === true ? ['--confirm', profile.name] : [])]
  const words = insertFlags([...header.command.split(' ')], ['--resume', file, ...agreed])
  try {
    yield createExitRow(await place.runs.runLine({ words }))
  } finally {
    // A run that could not begin, such as for a missing variable, may be tried again.
    await revertToPlanned(folder, header.id, file, waiting)
  }
}

export const runCommand = define({
  description: [
    'Shows a run that --dry-run --save or an agent planned, and asks you to confirm. svcctl reads each object again. An object that changed since then is a conflict: svcctl skips it and changes the others. The journal is that of any run, and journal undo can revert it.',
    'A plan of an agent requires you at a terminal: --yes, --quiet, CI and SVC_NO_PROMPT are not allowed. --yes confirms your own plan without a terminal. A plan of an agent lasts 24 hours, yours a week. It belongs to the instance, profile and user for which it was made.',
    'This is a rule for agents that use only the protocol. An agent that has a shell with your credentials can do what you can do.',
  ],
  writes: true,
  ownNames: true,
  args: [idArgument],
  rows: runPlanned,
})

export const discardCommand = define({
  args: [{ ...idArgument, variadic: true }],
  rows: async function* (context, { args }: Given) {
    const found: RunEntry[] = []
    for (const id of new Set(args)) found.push(await findWaiting(context, id))
    for (const { file, header } of found) {
      try {
        rmSync(file)
      } catch (error) {
        if (getErrorCode(error) !== 'ENOENT') throw error
      }
      yield createNoteRow(`${header.id} discarded`)
    }
  },
})

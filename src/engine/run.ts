/**
 * What a line asks for, done:
 *
 *     targets             →  actions              →  stages                 →  executor             →  answer
 *     arguments, stdin,      what the command        confirmed together,       sent, or shown beside   records or outcomes,
 *     --select, a journal    wants of each           journalled, paced         what is there, or       in the order of
 *     × projects, groups     (`context.ts`)                                    printed as curl         the targets
 *
 * Lists go to the instance page by page: conditions, single records, order and limit are stages of theirs. Several instances are
 * several runs of the line around this (`instances/`); `--watch` and `--wait-until` do all of it again, with the same targets.
 */

import { resolvePath } from '../base/io.js'
import type { Words } from '../catalogue/words.js'
import { Failure, usage } from '../errors.js'
import { parseRate } from '../http/gate.js'
import { getSelects, isRehearsal } from './command/derive.js'
import type { Globals } from './command/globals.js'
import { isRepeated } from './command/globals.js'
import type { UiService } from './command/services.js'
import type { Command, Given } from './command/types.js'
import { asNeutral } from './command/words.js'
import type { JournalOptions } from './journaling/runs.js'
import type { StartedRun } from './line-parts.js'
import { parseGiven } from './plan/given.js'
import { withoutParents } from './plan/parents.js'
import type { WaitCondition } from './repeat.js'
import type { Rows } from './rows.js'
import { goesOn, inPart, type LineInput, type ObjectsLine, readsInput } from './targets/objects.js'
import type { Selection } from './targets/selection.js'

// What is said and refused of a line before anything of it is done.

interface UncheckedLine {
  readonly command: Command
  readonly globals: Globals
  readonly ui: Pick<UiService, 'note'>
  readonly words?: Words
}

/**
 * @param early what was noted as the line was read
 * @throws Failure `usage` for flags that do not go together
 */
export const preflight = async (
  { command, globals, ui, words }: UncheckedLine,
  early: readonly string[],
): Promise<void> => {
  for (const text of early) ui.note(text)
  if (globals.rate !== undefined) parseRate(globals.rate)
  if (globals.web && isRepeated(globals))
    throw usage(
      `--web and --${globals.watch === undefined ? 'wait-until' : 'watch'} exclude each other`,
    )
  // What a rehearsal shows has fields of its own, and nothing is written by then.
  if (globals.fields === undefined || isRehearsal({ command, globals })) return
  const { checkFields } = await import('./records/known-fields.js')
  await checkFields(command, globals.fields, words)
}

// From a line to its targets.

/** A line that is understood, in a run that is there. */
interface RunLine extends ObjectsLine {
  readonly signal: AbortSignal
  readonly running: StartedRun
  /** The instance's own, where a vocabulary is in force. */
  readonly words?: Words
  /** What is waited for, where the rounds end by themselves. */
  readonly until?: WaitCondition
}

/** Seconds from round to round, where nobody says so. */
const defaultRound = 2

/** The line of the run that is gone on with; undefined where nothing of it is left. */
const takenUp = async (line: RunLine): Promise<RunLine | undefined> => {
  if (line.globals.resume === undefined || line.command.ownJournal === true) return line
  const { takeUp } = await import('./journaling/resume.js')
  const taken = await takeUp({ ...line, ...line.running })
  return taken === undefined ? undefined : { ...line, ...taken }
}

/** What of a run whose input was cut cannot be done. */
const checkWhole = ({ journaling: { resumed } }: RunLine): void => {
  if (resumed === undefined || resumed.again || resumed.past.total !== undefined) return
  throw new Failure(
    'partial',
    'the input of the run was interrupted: the remaining objects were not processed',
    {
      hint: 'Pass the same input again with - or --select. Objects in the journal are skipped.',
    },
  )
}

/** Keeps the digest of what was read of a file: it may be another when the journal is made. */
const digesting =
  ({ digests }: JournalOptions) =>
  async (path: string, bytes: Uint8Array): Promise<void> => {
    const { createHash } = await import('node:crypto')
    digests.set(resolvePath(path), createHash('sha256').update(bytes).digest('hex'))
  }

/** What the line says, as values: flags, `--input`, standard input and rows checked. */
const asked = async (
  line: RunLine,
  { stream, rowFields }: Pick<LineInput, 'stream' | 'rowFields'>,
): Promise<Given> => {
  const { command, raw, parents, input, signal, running, journaling, words } = line
  const { ui } = running.services
  const said = await parseGiven(command, parents === undefined ? raw : withoutParents(raw), {
    project: parents && '',
    env: running.services.place.env,
    stdin: input.text,
    stream,
    rowFields,
    note: (text) => ui.note(text),
    warn: (text) => ui.warn(text),
    read: digesting(journaling),
    signal,
  })
  return asNeutral(said, raw, command, words)
}

/** The same for each of several projects or groups. */
async function* followOver(
  line: RunLine & { readonly parents: NonNullable<RunLine['parents']> },
  given: Given,
  selection: Selection | undefined,
): Rows {
  const { runOverParents } = await import('./targets/index.js')
  const part = await inPart(line, given)
  if (part === undefined) return yield* line.running.endEmptyShard()
  yield* runOverParents({ ...line, selection, narrow: part.narrow, given })
}

/** Once, or again and again. */
const repeatedly = async (line: RunLine, round: () => Rows): Promise<void> => {
  const { globals, running, until } = line
  const { watch: seconds = defaultRound, curl } = globals
  if (!isRepeated(globals) || curl) return running.print(round())
  const { services, polls, printing, exchange } = running
  const { watch } = await import('./repeat.js')
  const exhausted = async (): Promise<boolean> => (await exchange.gate()).exhausted
  await watch(services, { seconds, polls, printing, until, exhausted }, () =>
    running.print(round()),
  )
}

/** `--select`, of what was asked; undefined where nothing is to be selected. */
const openSelection = async (
  { command, globals: { select }, running }: RunLine,
  { flags }: Given,
): Promise<Selection | undefined> => {
  if (select === undefined) {
    const alone = getSelects(command)?.by?.find((name) => flags[name] === true)
    if (alone !== undefined) throw usage(`--${alone} requires --select`)
    return undefined
  }
  const { Selection } = await import('./targets/selection.js')
  return new Selection(running, select)
}

const followTargets = async (taken: RunLine): Promise<void> => {
  const { stream, rowFields, ...read }: LineInput = readsInput(taken)
    ? await (await import('./targets/stdin.js')).readInput(taken)
    : {}
  const line = { ...taken, ...read }
  const { parents, running, journaling } = line
  const [target] = line.targets ?? []
  if (target !== undefined) journaling.parents = target.parent.column
  const said = await asked(line, { stream, rowFields })
  const selection = await openSelection(line, said)
  if (parents !== undefined) return running.print(followOver({ ...line, parents }, said, selection))
  const selected =
    selection === undefined
      ? said
      : await (goesOn(line) ? selection.stream(said) : selection.of(said))
  if (selected === undefined)
    return selection === undefined ? undefined : running.print(selection.nothing())
  const part = await inPart(line, selected)
  if (part === undefined) return running.print(running.endEmptyShard())
  const { given } = part
  const targets = given.stream && { stream: given.stream }
  await repeatedly(line, () => running.rowsOf(given, targets))
}

/** Does what a line asks for: once, again and again, for each of several parents, or gone on with. */
export const follow = async (line: RunLine): Promise<void> => {
  const taken = await takenUp(line)
  if (taken !== undefined) await followTargets(taken)
  checkWhole(taken ?? line)
}

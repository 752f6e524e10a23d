/**
 * Does what a line asks for, in five steps:
 *
 *     1. targets: arguments, standard input, `--select` or a journal, for each of several projects or groups.
 *     2. actions: what the command wants of each target (`context.ts`).
 *     3. stages: actions are confirmed together, written to the journal and paced.
 *     4. executor: requests are sent, or shown beside what is there, or printed as curl commands.
 *     5. answer: records or outcomes, in the order of the targets.
 *
 * Lists go to the instance page by page: conditions, single records, order and limit are stages of theirs. Several instances are
 * several runs of the line around this (`answer/instances.ts`); `--watch` and `--wait-until` do all of it again, with the same targets.
 */

import { resolvePath } from '../base/io.js'
import type { Words } from '../catalogue/words.js'
import { Failure, usage } from '../errors.js'
import { parseRate } from '../http/gate.js'
import type { UiService } from './command/context.js'
import { getSelects, isRehearsal } from './command/derive.js'
import type { Globals } from './command/globals.js'
import { isRepeated } from './command/globals.js'
import type { Command, Given } from './command/types.js'
import { toNeutralNames } from './command/words.js'
import type { JournalOptions } from './journaling/runs.js'
import type { LineParts } from './line-parts.js'
import { parseGiven } from './plan/given.js'
import { removeParentFlags } from './plan/parents.js'
import type { WaitCondition } from './repeat.js'
import type { Rows } from './rows.js'
import {
  canStreamObjects,
  type LineInput,
  narrowToShard,
  type ObjectsLine,
  readsInput,
} from './targets/objects.js'
import type { Selection } from './targets/selection.js'

// What is said and refused of a line before anything of it is done.

interface UncheckedLine {
  readonly command: Command
  readonly globals: Globals
  readonly ui: Pick<UiService, 'note'>
  readonly words?: Words
}

/**
 * Checks flags that do not go together, and prints the early notes.
 * @param early what was noted as the line was read
 * @throws Failure `usage` for flags that do not go together
 */
export const checkRunFlags = async (
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
  readonly running: LineParts
  /** The instance's own, where a vocabulary is in force. */
  readonly words?: Words
  /** The condition that is waited for, if the rounds end by themselves. */
  readonly until?: WaitCondition
}

/** The seconds from round to round, unless the line says otherwise. */
const defaultRound = 2

/** Loads the run that --resume names. Returns undefined if none of its objects is left to do. */
const loadResumedRun = async (line: RunLine): Promise<RunLine | undefined> => {
  if (line.globals.resume === undefined || line.command.ownJournal === true) return line
  const { takeUp } = await import('./journaling/resume.js')
  const taken = await takeUp({ ...line, ...line.running })
  return taken === undefined ? undefined : { ...line, ...taken }
}

/** Fails (exit 8) if the interrupted run had not read all of its input: the rest was never tried. */
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
const createDigester =
  ({ digests }: JournalOptions) =>
  async (path: string, bytes: Uint8Array): Promise<void> => {
    const { createHash } = await import('node:crypto')
    digests.set(resolvePath(path), createHash('sha256').update(bytes).digest('hex'))
  }

/** Parses what the line says into values: flags, `--input`, standard input and rows are checked. */
const parseArguments = async (
  line: RunLine,
  { stream, rowFields }: Pick<LineInput, 'stream' | 'rowFields'>,
): Promise<Given> => {
  const { command, raw, parents, input, signal, running, journaling, words } = line
  const { place, ui } = running.context
  const said = await parseGiven(command, parents === undefined ? raw : removeParentFlags(raw), {
    project: parents && '',
    env: place.env,
    asOf: await place.clock.asOf(),
    stdin: input.text,
    stream,
    rowFields,
    note: (text) => ui.note(text),
    warn: (text) => ui.warn(text),
    read: createDigester(journaling),
    signal,
  })
  return toNeutralNames(said, raw, command, words)
}

/** Does what a line asks for in each of several projects or groups. */
async function* followOver(
  line: RunLine & { readonly parents: NonNullable<RunLine['parents']> },
  given: Given,
  selection: Selection | undefined,
): Rows {
  const { runOverParents } = await import('./targets/index.js')
  const part = await narrowToShard(line, given)
  if (part === undefined) return yield* line.running.endEmptyShard()
  yield* runOverParents({ ...line, selection, narrow: part.narrow, given })
}

/** Runs a round once, or again and again. */
const runRepeatedly = async (line: RunLine, round: () => Rows): Promise<void> => {
  const { globals, running, until } = line
  const { watch: seconds = defaultRound, curl } = globals
  if (!isRepeated(globals) || curl) return running.print(round())
  const { context, polls, printing, exchange } = running
  const { watch } = await import('./repeat.js')
  const exhausted = async (): Promise<boolean> => (await exchange.gate()).exhausted
  await watch(context, { seconds, polls, printing, until, exhausted }, () => running.print(round()))
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
  const said = await parseArguments(line, { stream, rowFields })
  const selection = await openSelection(line, said)
  if (parents !== undefined) return running.print(followOver({ ...line, parents }, said, selection))
  const selected =
    selection === undefined
      ? said
      : await (canStreamObjects(line) ? selection.stream(said) : selection.of(said))
  if (selected === undefined)
    return selection === undefined ? undefined : running.print(selection.nothing())
  const part = await narrowToShard(line, selected)
  if (part === undefined) return running.print(running.endEmptyShard())
  const { given } = part
  const targets = given.stream && { stream: given.stream }
  await runRepeatedly(line, () => running.rowsOf(given, targets))
}

/** Does what a line asks for: once, again and again, for each of several parents, or gone on with. */
export const follow = async (line: RunLine): Promise<void> => {
  const taken = await loadResumedRun(line)
  if (taken !== undefined) await followTargets(taken)
  checkWhole(taken ?? line)
}

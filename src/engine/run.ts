/**
 * Carries out a line in five steps:
 *
 *     1. targets: arguments, standard input, `--select` or a journal name the objects, in each of several projects or groups.
 *     2. actions: the command plans an action for each target (`context.ts`).
 *     3. stages: actions are confirmed together, recorded in the journal and paced.
 *     4. executor: requests are sent, previewed beside the present values, or printed as curl commands.
 *     5. answer: records or outcomes come in the order of the targets.
 *
 * Lists are read page by page; conditions, single records, order and limit are stages over their records. Several instances are
 * several runs of one line (`answer/instances.ts`). `--watch` and `--wait-until` repeat all steps but the first.
 */

import { resolvePath } from '../base/io.js'
import { Failure, usage } from '../errors.js'
import { parseRate } from '../http/gate.js'
import type { UiService } from './command/context.js'
import { getSelectList, isPreview } from './command/derive.js'
import { type Globals, isRepeated } from './command/globals.js'
import { toDocumentedNames } from './command/load-words.js'
import { yieldNone } from './command/outcomes.js'
import type { Command, Given } from './command/types.js'
import type { JournalOptions } from './journaling/runs.js'
import type { LineParts } from './line-parts.js'
import { isFromStdin, parseGiven } from './plan/given.js'
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

// Checks of a line before it is carried out.

interface UncheckedLine {
  readonly command: Command
  readonly globals: Globals
  readonly ui: Pick<UiService, 'note'>
}

/**
 * Checks flags that do not go together, and prints the early notes.
 * @param early notes from parsing the line, which are printed first
 * @throws Failure `usage` for flags that do not go together
 */
export const checkRunFlags = async (
  { command, globals, ui }: UncheckedLine,
  early: readonly string[],
): Promise<void> => {
  for (const text of early) ui.note(text)
  if (globals.rate !== undefined) parseRate(globals.rate)
  // A preview has fields of its own, which the answer checks.
  if (globals.fields === undefined || isPreview({ command, globals })) return
  const { checkFields } = await import('./records/known-fields.js')
  await checkFields(command, globals.fields)
}

// From a line to its targets and rows.

/** A parsed line with the run that carries it out. */
interface RunLine extends ObjectsLine {
  readonly signal: AbortSignal
  readonly running: LineParts
  /** The condition that ends the rounds (`--wait-until`), if there is one. */
  readonly until?: WaitCondition
}

/** The seconds between two rounds, unless the line says otherwise. */
const defaultRound = 2

/** Loads the run that --resume names. Returns undefined if none of its objects is left to do. */
const loadResumedRun = async (line: RunLine): Promise<RunLine | undefined> => {
  if (line.globals.resume === undefined || line.command.ownResume === true) return line
  const { restoreRunLine } = await import('./journaling/resume.js')
  const taken = await restoreRunLine({ ...line, ...line.running })
  return taken === undefined ? undefined : { ...line, ...taken }
}

/** Fails (exit 8) if the interrupted run had not read all of its input: the rest was never tried. */
const checkInputComplete = ({ journaling: { resumed } }: RunLine): void => {
  if (resumed === undefined || resumed.again || resumed.past.total !== undefined) return
  throw new Failure(
    'partial',
    'the input of the run was interrupted: the remaining objects were not processed',
    {
      hint: 'Pass the same input again with - or --select. Objects in the journal are skipped.',
    },
  )
}

/** Creates the function that keeps the digest of a file. The file may change before the journal is made. */
const createDigester =
  ({ digests }: JournalOptions) =>
  async (path: string, bytes: Uint8Array): Promise<void> => {
    const { createHash } = await import('node:crypto')
    digests.set(resolvePath(path), createHash('sha256').update(bytes).digest('hex'))
  }

/** Parses the arguments of a line into values, and checks flags, `--input`, standard input and rows. */
const parseArguments = async (
  line: RunLine,
  { objects: stream, rowFields }: Pick<LineInput, 'objects' | 'rowFields'>,
): Promise<Given> => {
  const { command, raw, parents, input, signal, running, journaling } = line
  const { place, ui } = running.context
  const given = await parseGiven(command, parents === undefined ? raw : removeParentFlags(raw), {
    project: parents && '',
    env: place.env,
    now: await place.clock.asOf(),
    readStdin: input.text,
    stream,
    rowFields,
    note: (text) => ui.note(text),
    warn: (text) => ui.warn(text),
    onFileRead: createDigester(journaling),
    signal,
  })
  const documented = await toDocumentedNames(given, raw, command)
  if (parents !== undefined || stream !== undefined || !isFromStdin(raw)) return documented
  const { withPipedIds } = await import('./targets/piped-names.js')
  return withPipedIds(command, raw, documented, { context: running.context, journaling })
}

/** Yields the rows of a line for each of several projects or groups. */
async function* yieldOverParents(
  line: RunLine & { readonly parents: NonNullable<RunLine['parents']> },
  given: Given,
  selection: Selection | undefined,
): Rows {
  const { runOverParents } = await import('./targets/index.js')
  const part = await narrowToShard(line, given, line.running.context.place.env)
  if (part === undefined) return yield* line.running.endEmptyShard()
  yield* runOverParents({ ...line, selection, narrow: part.narrow, given })
}

/** Runs a round once, or repeatedly for `--watch` and `--wait-until`. */
const runRepeatedly = async (line: RunLine, round: () => Rows): Promise<void> => {
  const { globals, running, until } = line
  const { watch: seconds = defaultRound, curl } = globals
  if (!isRepeated(globals) || curl) return running.print(round())
  const { context, polls, printing, exchange } = running
  const { watch } = await import('./repeat.js')
  const isGateExhausted = async (): Promise<boolean> => (await exchange.openGate()).exhausted
  await watch(
    context,
    { seconds, polls, printer: printing, until, isExhausted: isGateExhausted },
    () => running.print(round()),
  )
}

/** Opens the selection of `--select`; undefined without the flag. */
const openSelection = async (
  { command, globals: { select }, running }: RunLine,
  { flags }: Given,
): Promise<Selection | undefined> => {
  if (select === undefined) {
    const alone = getSelectList(command)?.by?.find((name) => flags[name] === true)
    if (alone !== undefined) throw usage(`--${alone} requires --select`)
    return undefined
  }
  const { Selection } = await import('./targets/selection.js')
  return new Selection(running, select)
}

const carryOutTargets = async (taken: RunLine): Promise<void> => {
  const {
    objects: stream,
    rowFields,
    ...read
  }: LineInput = readsInput(taken)
    ? await (await import('./targets/stdin.js')).readInput(taken)
    : {}
  const line = { ...taken, ...read }
  const { parents, running, journaling } = line
  const [target] = line.targets ?? []
  if (target !== undefined) journaling.parents = target.parent.column
  const typed = await parseArguments(line, { objects: stream, rowFields })
  const selection = await openSelection(line, typed)
  if (parents !== undefined)
    return running.print(yieldOverParents({ ...line, parents }, typed, selection))
  const selected =
    selection === undefined
      ? typed
      : await (canStreamObjects(line) ? selection.streamObjects(typed) : selection.select(typed))
  if (selected === undefined)
    return selection === undefined ? undefined : running.print(selection.yieldNoMatch())
  const part = await narrowToShard(line, selected, running.context.place.env)
  if (part === undefined) return running.print(running.endEmptyShard())
  const { given } = part
  const targets = given.stream && { stream: given.stream }
  await runRepeatedly(line, () => running.yieldRows(given, targets))
}

/** Carries out a line: once, repeatedly, for each of several parents, or as the rest of an interrupted run. */
export const carryOutLine = async (line: RunLine): Promise<void> => {
  const taken = await loadResumedRun(line)
  if (taken === undefined) await line.running.print(yieldNone(line.running.answer))
  else await carryOutTargets(taken)
  checkInputComplete(taken ?? line)
}

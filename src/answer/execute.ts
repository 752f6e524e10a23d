/** Runs one command from its parsed flags to its exit code. */

import { getCurrentIo } from '../base/io.js'
import { StandardInput } from '../base/standard-input.js'
import { isNumeric } from '../catalogue/params.js'
import type { Words } from '../catalogue/words.js'
import { toUnprintedRun } from '../engine/bulk/plan-work.js'
import {
  getCommandName,
  isFullySent,
  mayChangeInstance,
  takesSeveral,
} from '../engine/command/derive.js'
import { writesFiles } from '../engine/command/flags.js'
import { type Globals, isAggregate } from '../engine/command/globals.js'
import type { InnerRuns } from '../engine/command/services.js'
import type { Command } from '../engine/command/types.js'
import { loadOwnWords, type WordsFinder } from '../engine/command/words.js'
import type { JournalOptions } from '../engine/journaling/runs.js'
import { ChosenRecords, type SharedServices } from '../engine/options.js'
import { PrintedError } from '../engine/perform/live.js'
import { checkPathNames, isFromStdin, keepOwnTexts, parseGlobals } from '../engine/plan/given.js'
import type { Raw } from '../engine/plan/line.js'
import { getLineParents, getParentColumn, type Parents } from '../engine/plan/parents.js'
import { withPaths } from '../engine/plan/places.js'
import type { WaitCondition } from '../engine/repeat.js'
import { checkRunFlags, follow } from '../engine/run.js'
import { checkSelection, spreadBy } from '../engine/targets/objects.js'
import { Failure, usage } from '../errors.js'
import { checkShown, chooseFormat } from './choose-format.js'
import { getFailureFormat } from './failure-report.js'
import type { AnswerOptions, AskedLine, FailureFormat, InnerLine, LinePart } from './options.js'
import { RunParts } from './run-parts.js'

/** Creates the options of a line's journal, before anything of the line is understood. */
const createJournalOptions = (
  command: Command,
  raw: Raw,
  globals: Globals,
  parents: Parents | undefined,
): JournalOptions => {
  const source =
    parents !== undefined
      ? 'parents'
      : globals.select !== undefined
        ? 'select'
        : isFromStdin(raw)
          ? 'stdin'
          : 'arguments'
  const many = takesSeveral(command) && raw.args.length > 1
  return {
    source,
    raw,
    several: source !== 'arguments' || many,
    digests: new Map(),
    parents: parents && getParentColumn(parents),
  }
}

/**
 * Runs a command.
 * @param decided takes the form in which a failure is reported
 * @param own finds the words of its instance
 * @param parse understands lines that the command runs itself
 * @returns the exit code
 * @throws Failure for whatever ended it
 */
export const execute = async (
  command: Command,
  raw: Raw,
  signal: AbortSignal,
  decided: (how: FailureFormat) => void,
  own: WordsFinder,
  parse: AskedLine['parse'],
): Promise<number> => {
  const line = { command, raw, signal, decided, own, parse }
  if (writesFiles(command, raw))
    await (await import('../engine/plan/outputs.js')).checkOutputs(command, raw)
  const from = raw.flags.get('from')?.at(-1)
  if (from !== undefined && from !== '') {
    const { executeSnapshots, isOneSnapshot } = await import('./snapshots.js')
    if (!isOneSnapshot(from)) return executeSnapshots(line, from, executeOne)
  }
  const profile = raw.flags.get('profile')?.at(-1) ?? ''
  if (!/[,*?@]/.test(profile) && !raw.flags.has('all-profiles')) return executeOne(line)
  if (raw.flags.has('web')) throw usage('--web opens the page of a single object of one instance')
  const { executeSeveral } = await import('./instances.js')
  return executeSeveral(line, executeOne)
}

const refuseAllFields = (command: Command): Failure =>
  command.flags.some(({ name }) => name === 'since')
    ? usage(
        `--all-fields is for lists that --since compares with a snapshot; --since of ${getCommandName(command)} is a time`,
      )
    : usage('--all-fields requires --since')

/** @throws Failure `usage` for flags that say nothing of this line */
const checkLine = (
  command: Command,
  raw: Raw,
  globals: Globals,
  part: LinePart | undefined,
): void => {
  if (globals.allFields && globals.since === undefined) throw refuseAllFields(command)
  checkPathNames(command, raw)
  checkSelection(command, globals)
  checkOrder(command, raw, globals)
  if (globals.save && !globals.dryRun)
    throw usage('--save requires --dry-run', 'A plan is saved as the dry run shows it.')
  if (part === undefined && globals.tolerate?.includes('unreachable'))
    throw usage(
      '--tolerate unreachable requires several instances',
      'Pass several profiles, such as -p staging,prod.',
    )
}

/** @throws Failure `usage` for what has no place beside an order */
const checkOrder = (command: Command, raw: Raw, globals: Globals): void => {
  if (globals.sort !== undefined && !isAggregate(globals) && mayChangeInstance(command, raw.args))
    throw usage('--sort works only with lists')
}

/** Creates the condition that is waited for; undefined if there is none. */
const createUntil = async (
  command: Command,
  { waitUntil: texts, waitTimeout: timeout }: Globals,
  words: Words | undefined,
): Promise<WaitCondition | undefined> => {
  if (texts === undefined) {
    if (timeout === undefined) return undefined
    throw usage('--wait-timeout requires --wait-until', 'For example: --wait-until status=success')
  }
  const { WaitCondition } = await import('../engine/repeat.js')
  return new WaitCondition(texts, { command, timeout, words })
}

/** Interprets what a line says, before anything is done for it. */
const interpretLine = async (
  { command, raw: line, signal, decided, own }: AskedLine,
  part: LinePart | undefined,
  env: NodeJS.ProcessEnv,
  inner: InnerLine | undefined,
) => {
  const raw = keepOwnTexts(command, line)
  const early: string[] = []
  const note = (text: string): void => void early.push(text)
  const globals = parseGlobals(command, line, env, note)
  const format =
    inner?.format ?? part?.format ?? (await chooseFormat(command, globals, env, note, signal))
  decided(getFailureFormat(globals, format))
  checkLine(command, line, globals, part)
  const parents = getLineParents(await spreadBy(command, globals), raw)
  const journaling = createJournalOptions(command, raw, globals, parents)
  const found = await loadOwnWords(command, own)
  // One of several takes the names of the others as well.
  const words = part?.words ?? found
  const until = await createUntil(command, globals, words)
  const isSilent =
    globals.to === undefined &&
    writesFiles(command, raw) &&
    (await import('../engine/plan/outputs.js')).writesReportToStdout(command, raw)
  return { raw, early, parents, said: { globals, format, journaling, words, until, isSilent } }
}

/** Creates the functions that run commands and lines within a run. */
export const createInnerRuns = (
  outer: AnswerOptions,
  sharing: SharedServices,
  parse: AskedLine['parse'],
): InnerRuns => {
  const inside = { outer, sharing, parse, run: executeOne }
  return {
    command: async (ask) => (await import('./subcommand.js')).runWithin(outer, sharing, ask),
    line: async (ask) => (await import('./inner-line.js')).runLineWithin(inside, ask),
    typed: async (ask) => (await import('./inner-line.js')).runTypedWithin(inside, ask),
  }
}

const isPartial = (error: unknown): boolean =>
  error instanceof Failure && error.category === 'partial'

/** The line with paths in the place of addresses and IDs in that of names, which its journal has as well. */
const placeLine = async (
  { services }: Pick<RunParts, 'services'>,
  line: Pick<AskedLine, 'command' | 'raw'> & {
    readonly parents: Parents | undefined
    readonly journaling: JournalOptions
  },
) => {
  const { command, raw, parents, journaling } = line
  const placed = await withPaths(command, { raw, parents }, async () => {
    const { baseUrl } = await services.place.session()
    return baseUrl
  })
  // Several projects may each have an object of the name.
  const mayBeNamed = parents === undefined && isNumeric(command.args[0]?.param)
  if (mayBeNamed && placed.raw.args.some((text) => !/^[-+]?\d*$/.test(text)))
    placed.raw = await (await import('./named-objects.js')).withIds(command, placed.raw, services)
  journaling.raw = placed.raw
  return placed
}

/** Runs a command on one instance. */
const executeOne = async (line: AskedLine, part?: LinePart, inner?: InnerLine): Promise<number> => {
  const { command, signal, own, parse } = line
  const env = inner?.env ?? part?.env ?? getCurrentIo().env
  const input = line.input ?? part?.input ?? new StandardInput(signal)
  const { raw, early, parents, said } = await interpretLine(line, part, env, inner)
  const { globals, format, journaling, words } = said
  const options: AnswerOptions = {
    ...said,
    own,
    part,
    command,
    env,
    inner: inner?.part,
    signal,
    stdin: input,
    listed: journaling.source !== 'arguments' || globals.resume !== undefined,
    runs: (sharing) => createInnerRuns(options, sharing, parse),
    chosen: new ChosenRecords(),
  }
  const running = await RunParts.open(options)
  const { printing, close } = running
  let failed: unknown
  try {
    const { ui } = running.services
    const placed = await placeLine(running, { command, raw, parents, journaling })
    await checkRunFlags({ command, globals, ui, words }, early)
    checkShown(format, command, globals)
    const all = { ...said, ...placed, command, signal, running, input }
    if (globals.since === undefined) await follow(all)
    else await running.print((await import('../engine/since.js')).yieldChanges(all))
  } catch (error) {
    if (!(error instanceof PrintedError)) failed = error
  }
  await journaling.resumed?.journal.close()
  input.close()
  const wrote = isFullySent(options) && mayChangeInstance(command, raw.args)
  await close({ failed, code: printing.code }).catch((error: unknown) => {
    // An output that cannot be ended must not hide what ended the run, nor what the run has done.
    if (failed === undefined) failed = wrote ? toUnprintedRun(error, command) : error
    else if (isPartial(failed) && error instanceof Failure) running.services.ui.report(error)
  })
  if (failed !== undefined) throw failed
  return printing.code
}

/** Runs one command from its parsed flags to its exit code. */

import { hasOwnProcess, type Io } from '../base/io.js'
import { StandardInput } from '../base/standard-input.js'
import { isNumeric } from '../catalogue/params.js'
import type { InnerRuns } from '../engine/command/context.js'
import { getCommandName, mayChangeInstance } from '../engine/command/derive.js'
import { writesFiles } from '../engine/command/flags.js'
import { type Globals, isAggregate } from '../engine/command/globals.js'
import {
  getFlagTarget,
  getListTarget,
  mayNameSite,
  withTargets,
} from '../engine/command/target-fields.js'
import type { Command } from '../engine/command/types.js'
import type { JournalOptions } from '../engine/journaling/runs.js'
import { ChosenRecords, type InnerPart } from '../engine/options.js'
import { chooseEndpoint } from '../engine/plan/choose.js'
import {
  checkPathNames,
  isFromStdin,
  keepOwnTexts,
  parseGiven,
  parseGlobals,
} from '../engine/plan/given.js'
import type { Raw } from '../engine/plan/line.js'
import {
  getParentColumn,
  type Parents,
  parseLineParents,
  removeParentFlags,
} from '../engine/plan/parents.js'
import { withPaths } from '../engine/plan/places.js'
import type { WaitCondition } from '../engine/repeat.js'
import { carryOutLine, checkRunFlags } from '../engine/run.js'
import { checkSelection, createIdConflict, findScopeCommand } from '../engine/targets/objects.js'
import { type Failure, usage } from '../errors.js'
import { checkFormat, chooseFormat } from './choose-format.js'
import { getFailureFormat } from './failure-report.js'
import { type LineRun, runLine } from './line-run.js'
import type { AnswerOptions, AskedLine, OuterLine } from './options.js'

/** Creates the options of a line's journal from its flags. */
const createJournalOptions = (
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
  return {
    source,
    raw,
    digests: new Map(),
    names: {},
    parents: parents && getParentColumn(parents),
  }
}

/** @throws Failure `usage` for files that the line cannot write */
const checkFiles = async (command: Command, raw: Raw, io: Io): Promise<void> => {
  if (writesFiles(command, raw))
    await (await import('../engine/plan/outputs.js')).checkOutputs(command, raw, io)
}

/**
 * Runs a command.
 * @returns the exit code
 * @throws Failure if the run ended early
 */
export const execute = async (line: AskedLine): Promise<number> => {
  const { command, raw } = line
  await checkFiles(command, raw, line.io)
  const from = raw.flags.get('from')?.at(-1)
  if (from !== undefined && from !== '') {
    const { executeSnapshots, isOneSnapshot } = await import('./snapshots.js')
    if (!isOneSnapshot(from)) return executeSnapshots(line, from, executeOne)
  }
  const profile = raw.flags.get('profile')?.at(-1) ?? ''
  if (!/[,*?@]/.test(profile) && !raw.flags.has('all-profiles')) {
    const runs = raw.flags.get('resume') ?? []
    if (runs.length < 2) return executeOne(line)
    return (await import('./resumed-runs.js')).executeResumedRuns(line, runs, executeOne)
  }
  const { executeSeveral } = await import('./instances.js')
  return executeSeveral(line, executeOne)
}

const refuseAllFields = (command: Command): Failure =>
  command.flags.some(({ name }) => name === 'since')
    ? usage(
        `--all-fields is for lists that --since compares with a snapshot; --since of ${getCommandName(command)} is a time`,
      )
    : usage('--all-fields requires --since')

/** @throws Failure `usage` for flags that do not apply to this line */
const checkLine = (command: Command, raw: Raw, globals: Globals, { part }: OuterLine): void => {
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

/** @throws Failure `usage` for `--sort` of anything but a list */
const checkOrder = (command: Command, raw: Raw, globals: Globals): void => {
  if (globals.sort !== undefined && !isAggregate(globals) && mayChangeInstance(command, raw.args))
    throw usage('--sort works only with lists')
}

/** Creates the condition of `--wait-until`; undefined without the flag. */
const createUntil = async (
  command: Command,
  { waitUntil: texts, waitTimeout: timeout }: Globals,
): Promise<WaitCondition | undefined> => {
  if (texts === undefined) {
    if (timeout === undefined) return undefined
    throw usage('--wait-timeout requires --wait-until', 'For example: --wait-until status=success')
  }
  const { WaitCondition } = await import('../engine/repeat.js')
  return new WaitCondition(texts, { command, timeout })
}

/** Interprets and checks a line before it is carried out. */
const interpretLine = async (
  line: Omit<AskedLine, 'parse'>,
  outer: OuterLine,
  env: NodeJS.ProcessEnv,
) => {
  const { command } = line
  const raw = keepOwnTexts(command, line.raw)
  const early: string[] = []
  const note = (text: string): void => void early.push(text)
  const globals = parseGlobals(command, line.raw, env, { note, now: line.io.now() })
  const format = outer.format ?? (await chooseFormat(line, globals, env, note))
  line.onFormat(getFailureFormat(globals, format))
  checkLine(command, line.raw, globals, outer)
  const parents = parseLineParents(await findScopeCommand(command, globals), raw)
  const journaling = createJournalOptions(raw, globals, parents)
  const until = await createUntil(command, globals)
  const isSilent =
    globals.to === undefined &&
    writesFiles(command, raw) &&
    (await import('../engine/plan/outputs.js')).writesReportToStdout(command, raw)
  return { raw, early, parents, said: { globals, format, journaling, until, isSilent } }
}

/** True if a line reads a file or standard input for one of its values. */
const readsValues = ({ args, flags }: Raw): boolean =>
  flags.has('input') ||
  [...args, ...[...flags.values()].flat()].some((text) => /^-$|^@|=@/.test(text))

/**
 * Checks a line as it is checked before it is carried out. Nothing is read or sent.
 * @throws Failure `usage` for a line that would be refused
 */
export const checkTypedLine = async (command: Command, typed: Raw, io: Io): Promise<void> => {
  const { signal } = new AbortController()
  const { env } = io
  const asked = { command, raw: typed, io, signal, onFormat: () => {} }
  const silent = { note: () => {}, warn: () => {} }
  await checkFiles(command, typed, io)
  const { checkSeveralInstances, getAskedProfiles } = await import('./sites.js')
  const profiles = getAskedProfiles(typed)
  if ('several' in profiles) checkSeveralInstances(command, typed, 'all' in profiles)
  const { raw, parents, said } = await interpretLine(asked, {}, env)
  const { format, globals } = said
  await checkRunFlags({ command, globals, ui: silent }, [])
  checkFormat(format, command, globals)
  if (raw.args.length > 0 && raw.flags.has('select')) throw createIdConflict()
  if (readsValues(raw)) return
  const project = parents && ''
  const own = parents === undefined ? raw : removeParentFlags(raw)
  const options = { env, now: io.now(), signal, project, readStdin: async () => '', ...silent }
  const given = await parseGiven(command, own, options)
  if (command.rows === undefined) chooseEndpoint(command, given, env)
}

/** Creates the functions that run commands and lines inside a run. */
export const createInnerRuns = (
  outer: AnswerOptions,
  sharing: InnerPart,
  parse: AskedLine['parse'],
): InnerRuns => {
  const inside = { outer, shared: sharing, parse, run: executeOne }
  return {
    shellOutput: hasOwnProcess(outer.io) ? undefined : outer.io.stderr,
    runCommand: async (ask) => (await import('./inner-run.js')).runInnerCommand(inside, ask),
    readLine: async (ask) => (await import('./inner-run.js')).runInnerLine(inside, ask),
    checkLine: async (ask) => (await import('./reading-line.js')).checkReadingLine(inside, ask),
    runLine: async (ask) => (await import('./inner-run.js')).runInnerTypedLine(inside, ask),
  }
}

/** Replaces addresses by paths, and names by IDs. The journal records the line with these. */
const placeLine = async (
  { context }: Pick<LineRun, 'context'>,
  line: Pick<AskedLine, 'command' | 'raw'> & {
    readonly parents: Parents | undefined
    readonly journaling: JournalOptions
  },
) => {
  const { command, raw, parents, journaling } = line
  const placed = await withPaths(command, { raw, parents }, async () => {
    const { baseUrl } = await context.place.session()
    return baseUrl
  })
  // Several projects may each have an object of the name: they are looked up when the projects are known.
  const mayBeNamed = parents === undefined && isNumeric(command.args[0]?.param)
  if (mayBeNamed && placed.raw.args.some((text) => !/^[-+]?\d*$/.test(text)))
    placed.raw = await (await import('../engine/targets/named-objects.js')).withIds(
      command,
      placed.raw,
      { context, journaling },
    )
  journaling.raw = placed.raw
  return placed
}

const withLineTargets = (command: Command, parents: Parents | undefined, part: OuterLine['part']) =>
  withTargets(command, [part?.column, parents && getParentColumn(parents)])

/** Returns the profile or the snapshot that answers, by its column. Returns nothing unless the line has a field for it. */
const findOnlySite = async ({ place }: LineRun, globals: Globals) => {
  if (!mayNameSite(globals)) return {}
  const snapshot = (await place.snapshot())?.manifest.began
  const profile = (await place.profile())?.name
  return { ...(snapshot && { snapshot }), ...(profile && { profile }) }
}

/** Runs a command on one instance. */
const executeOne = async (line: AskedLine, outer: OuterLine = {}): Promise<number> => {
  const { io, signal, parse } = line
  const { env = io.env, input = new StandardInput(io, signal) } = outer
  const { screen, isKept, part, inner } = outer
  const { raw, early, parents, said } = await interpretLine(line, outer, env)
  const { globals, format, journaling } = said
  const { command, addOnly } = withLineTargets(line.command, parents, part)
  const known = { part, command, io, env, signal }
  const options: AnswerOptions = {
    ...said,
    ...known,
    inner,
    screen,
    isKept,
    stdin: input,
    onListed: (plan) => addOnly(getListTarget(plan)),
    listed: journaling.source !== 'arguments' || globals.resume !== undefined,
    createInnerRuns: (sharing) => createInnerRuns(options, sharing, parse),
    chosen: new ChosenRecords(),
  }
  return runLine(options, async (running) => {
    try {
      const { ui } = running.context
      const placed = await placeLine(running, { command, raw, parents, journaling })
      addOnly(getFlagTarget(command, placed.raw.flags))
      await checkRunFlags({ command, globals, ui }, early)
      checkFormat(format, command, globals)
      if (part === undefined) addOnly(await findOnlySite(running, globals))
      const all = { ...said, ...placed, command, signal, running, input }
      if (globals.since === undefined) await carryOutLine(all)
      else await running.print((await import('../engine/since.js')).yieldChanges(all))
    } finally {
      input.close()
    }
  })
}

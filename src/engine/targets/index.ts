/** Runs a command over several projects or groups: finds them, confirms them, and yields the rows of each. */

import { isObject, toText } from '../../base/objects.js'
import { maskAddresses } from '../../base/secrets/mask.js'
import { formatCount } from '../../base/text.js'
import { projects } from '../../catalogue/areas/projects.js'
import { isNumeric } from '../../catalogue/params.js'
import { groupAt } from '../../catalogue/undocumented.js'
import { placeFailure, recoverFrom, usage } from '../../errors.js'
import { isAddress } from '../../profile/index.js'
import type { Context } from '../command/context.js'
import {
  getCommandName,
  hasScopeEndpoint,
  isPreview,
  mayChangeInstance,
} from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import { getCommonIrreversible, withReversal } from '../command/reversal.js'
import type { Command, Given } from '../command/types.js'
import { createExclusion } from '../exclusions.js'
import type { JournalOptions } from '../journaling/runs.js'
import type { LineParts } from '../line-parts.js'
import { parseReference } from '../plan/arguments.js'
import type { Raw } from '../plan/line.js'
import { readObjects } from '../plan/objects.js'
import {
  getParentFlag,
  isFound,
  type Parents,
  type ParentTarget,
  parseParentTarget,
  toGiven,
} from '../plan/parents.js'
import { toPath } from '../plan/places.js'
import { checkSegment } from '../plan/segments.js'
import { parsePipedObjects } from '../plan/stdin/reader.js'
import type { Rows } from '../rows.js'
import { findIdsInParents } from './named-objects.js'
import { runTogether, selectInParents } from './parent-objects.js'
import { yieldParentRows } from './parent-rows.js'
import type { Selection } from './selection.js'
import { findVisibleParents, type ProjectChoice } from './visible-parents.js'

// Finding the projects or groups of a line.

/** Parses the names in standard input: the output of a list of projects, or one name a line. */
const parsePipedNames = async (
  { kind }: Parents,
  text: string,
  { naming }: Pick<Command, 'naming'>,
): Promise<readonly string[]> => {
  const argument = {
    name: kind,
    required: true,
    variadic: true,
    help: kind,
    param: { type: 'string', help: kind, completes: kind },
  } as const
  const found = await parsePipedObjects(text, await readObjects(argument, naming))
  if (found.length === 0) throw usage(`standard input contains no ${kind}`)
  for (const { text: name, place } of found)
    try {
      checkSegment(kind, argument.param, name)
    } catch (error) {
      throw placeFailure(error, place)
    }
  return [...new Set(found.map(({ text: name }) => name))]
}

/** Parses the names in standard input. Addresses are replaced by paths, and paths are cleaned. */
const parsePipedPaths = async (
  { place }: Context,
  ...named: Parameters<typeof parsePipedNames>
): Promise<readonly string[]> => {
  const names = await parsePipedNames(...named)
  const { baseUrl } = names.some(isAddress) ? await place.session() : { baseUrl: '' }
  return [...new Set(names.map((name) => toPath(name, named[0].kind, () => baseUrl)))]
}

const isNumber = (name: string): boolean => /^\d+$/.test(name)

/** Finds the path of a project or group by its ID. Returns the ID if the object cannot be read. */
const findPathById = async (
  { instance }: Context,
  kind: Parents['kind'],
  id: string,
): Promise<string> => {
  try {
    const [endpoint, field] =
      kind === 'project' ? [projects.get, 'path_with_namespace'] : [groupAt, 'full_path']
    const { data } = await instance.call(endpoint, { id: Number(id) })
    return (isObject(data) ? toText(data[field]) : undefined) ?? id
  } catch (error) {
    recoverFrom(error)
    return id
  }
}

/**
 * Removes projects or groups that are named twice: in upper and lower case and, before a write, by ID and by path. A write must reach each
 * once. A read asks for no paths.
 */
const removeDuplicates = async (
  context: Context,
  kind: Parents['kind'],
  names: readonly string[],
  writing: boolean,
): Promise<readonly string[]> => {
  const both = writing && names.some(isNumber) && !names.every(isNumber)
  const given = names.filter((name) => !isNumber(name)).map((name) => name.toLowerCase())
  const paths = new Set(given)
  const kept = new Map<string, string>()
  for (const name of names) {
    const path = both && isNumber(name) ? await findPathById(context, kind, name) : undefined
    const key = (path ?? name).toLowerCase()
    if ((path === undefined || !paths.has(key)) && !kept.has(key)) kept.set(key, name)
  }
  return [...kept.values()]
}

/**
 * Finds the projects or groups of a line.
 * @param writing true if each may appear only once, whatever name the line has for it
 * @throws Failure `not_found` if there is none
 */
const resolveTargets = async (
  context: Context,
  parents: Parents,
  writing: boolean,
  choice: ProjectChoice & Pick<Command, 'naming'>,
): Promise<readonly ParentTarget[]> => {
  const { kind, origin } = parents
  if (isFound(parents)) return findVisibleParents(context, parents, choice)
  const text = origin === 'piped' ? await context.place.stdin.text() : undefined
  const names =
    text === undefined ? parents.names : await parsePipedPaths(context, parents, text, choice)
  const once = await removeDuplicates(context, kind, names, writing)
  return once.map((name) => parseParentTarget(kind, name))
}

/** A run of a command over several projects or groups. */
interface ParentRun {
  readonly command: Command
  readonly raw: Raw
  readonly journaling: Pick<JournalOptions, 'names'>
  readonly given: Given
  readonly running: LineParts
  readonly parents: Parents
  /** The parents that standard input names together with their objects. */
  readonly targets?: readonly ParentTarget[]
  /** Returns the parents in the shard of the run. */
  readonly narrow?: (targets: readonly ParentTarget[]) => readonly ParentTarget[]
  readonly globals: Globals
  readonly signal: AbortSignal
  /** The selection of objects in each parent (`--select`). */
  readonly selection?: Selection | undefined
}

/** Checks that no object names its own project, since the line runs in several projects. */
const checkObjects = ({ args: [argument] }: Command, { args }: Given): void => {
  for (const text of argument?.variadic === true ? args : args.slice(0, 1)) {
    const own =
      /^https?:/i.test(text) || parseReference(text, argument, () => '').project !== undefined
    if (own && isNumeric(argument?.param))
      throw usage(
        `${text} already names its project, but several projects are given`,
        'Pass only the number, or remove the projects.',
      )
  }
}

/** Describes the number of projects and groups: `5 projects`, `2 groups and 3 projects`. */
const formatTargetCounts = (targets: readonly ParentTarget[]): string =>
  (['group', 'project'] as const)
    .map((kind) => [kind, targets.filter((target) => target.kind === kind).length] as const)
    .flatMap(([kind, count]) => (count === 0 ? [] : [formatCount(count, kind)]))
    .join(' and ')

/** Confirms a run over targets that the line did not name. A command that deletes asks by itself. */
const confirmAll = async (
  { command, given, running }: ParentRun,
  targets: readonly ParentTarget[],
): Promise<void> => {
  const deletes = command.open === true && /^delete$/i.test(given.args[0] ?? '')
  if (deletes || Object.values(command.endpoints).some((e) => e.destructive !== undefined)) return
  const call = command.open === true ? ` ${maskAddresses(given.args.join(' '))}` : ''
  const due = targets.filter(({ failure }) => failure === undefined)
  const what = `This runs ${getCommandName(command)}${call} in ${formatTargetCounts(due)}.`
  const names = due.map(({ parent, value }) => (parent.column === 'of' ? parent.name : value))
  const question = withReversal(what, getCommonIrreversible(command))
  await running.context.ui.confirm(question, names)
}

/** Finds the parents of a line. The instance is asked if the line names none. */
const findTargets = async (asked: ParentRun) => {
  const { globals, running, parents, targets, command, given } = asked
  if (globals.curl && isFound(parents))
    throw createExclusion(
      asked,
      ['curl', getParentFlag(parents)],
      'A list of the instance would be read first. Name the projects: --project accepts several, also from standard input (-).',
    )
  const writing = mayChangeInstance(command, given.args) && !globals.curl
  const choice = {
    withoutSubgroups: globals.recursive === false,
    archived: globals.withArchived,
    naming: command.naming,
  }
  return targets ?? resolveTargets(running.context, parents, writing, choice)
}

/** Runs a command on the selected objects of each parent (`--select`). */
async function* runSelected(
  run: ParentRun,
  selection: Selection,
  targets: readonly ParentTarget[],
): Rows {
  const { command, running, given, signal } = run
  const { context } = running
  const choosing = { selection, context, given, signal, gate: await running.exchange.openGate() }
  const chosen = await selectInParents(choosing, targets)
  if (chosen.length === 0) return yield* selection.yieldNoMatch()
  if (!hasScopeEndpoint(command, 'project') && !hasScopeEndpoint(command, 'group'))
    return yield* runTogether(choosing, chosen, (all) => running.yieldRows(all))
  yield* runOverTargets({ ...run, given: selection.removeListFlags(given) }, chosen)
}

/** Runs a command in several projects or groups: once for all of them, or once in each. */
async function* runOverTargets(run: ParentRun, targets: readonly ParentTarget[]): Rows {
  const { command, given, running } = run
  const { rows } = command
  if (rows === undefined || command.eachParent !== true)
    return yield* running.yieldRows({ ...given, several: true }, { targets })
  const { curl, context } = running
  if (curl === undefined)
    return yield* yieldParentRows(running, given, rows, targets, Number.POSITIVE_INFINITY)
  for (const target of targets) yield* curl.yieldUnanswered(rows(context, toGiven(given, target)))
}

/** Yields the rows of a line in each of several projects or groups. */
export async function* runOverParents(run: ParentRun): Rows {
  const { command, parents, given, globals, selection } = run
  checkObjects(command, given)
  const found = await findTargets(run)
  const options = { ...run, context: run.running.context }
  const all = selection === undefined ? await findIdsInParents(options, found) : found
  const targets = run.narrow?.(all) ?? all
  if (targets.length === 0) return yield* run.running.endEmptyShard()
  if (selection !== undefined) return yield* runSelected(run, selection, targets)
  if (
    mayChangeInstance(command, given.args) &&
    isFound(parents) &&
    !isPreview(run) &&
    !globals.curl
  )
    await confirmAll(run, targets)
  yield* runOverTargets(run, targets)
}

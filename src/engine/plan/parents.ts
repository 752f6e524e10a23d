/** Determines from the flags of a line whether a command runs for several projects or groups, and which. */

import { type JsonValues, toJsonFields } from '../../base/objects.js'
import { splitList } from '../../base/text.js'
import { toIdOrText } from '../../catalogue/values.js'
import { type Failure, usage } from '../../errors.js'
import { canSelectAcrossProjects, getCommandName, hasScopeEndpoint } from '../command/derive.js'
import type { Command, Given, Parent } from '../command/types.js'
import { createExclusion } from '../exclusions.js'
import type { GivenObject } from '../work/report.js'
import { describeForms } from './choose.js'
import type { Raw } from './line.js'
import { checkSingleStdinReader } from './parse-values.js'

type ParentKind = 'project' | 'group'

/**
 * The origin of the parents. `named`: on the line. `piped`: from standard input. `everything`: all visible projects or groups.
 * `projects-of`: the projects of groups. `tree`: groups with their subgroups and projects.
 */
type Origin = 'named' | 'piped' | 'everything' | 'projects-of' | 'tree'

/** The several parents of a line. */
export interface Parents {
  readonly origin: Origin
  readonly kind: ParentKind
  /** The names on the line, without duplicates. */
  readonly names: readonly string[]
}

/** Returns the name of the column that shows the parent of a record. */
export const getParentColumn = ({ origin, kind }: Parents): Parent['column'] =>
  origin === 'tree' ? 'of' : kind

/** True if the parents are found by a list of the instance. */
export const isFound = ({ origin }: Parents): boolean => origin !== 'named' && origin !== 'piped'

/** Returns the name of the flag by which the instance finds the parents. */
export const getParentFlag = ({ origin, kind }: Parents): string => {
  if (origin === 'everything') return `all-${kind}s`
  return origin === 'tree' ? 'recursive' : 'group'
}

const kinds = ['project', 'group'] as const

/** True if a command has a form for this kind of parent. An open command has a placeholder for it in its path. */
const takesKind = (command: Command, { args }: Raw, kind: ParentKind): boolean =>
  command.open === true
    ? args.some((arg) => arg.includes(`{${kind}}`))
    : hasScopeEndpoint(command, kind)

/** @throws Failure `usage` for a flag of an open command whose placeholder is not in the path */
const checkPlaces = (command: Command, raw: Raw): void => {
  const [project, group] = kinds.map((kind) => takesKind(command, raw, kind))
  const places: readonly (readonly [flag: string, given: boolean, place: string | undefined])[] = [
    ['project', raw.flags.has('project'), project ? undefined : '{project}'],
    ['group', raw.flags.has('group'), project || group ? undefined : '{project} or {group}'],
    [
      'all-projects',
      getSwitchValue(raw, 'all-projects') === true,
      project ? undefined : '{project}',
    ],
    ['all-groups', getSwitchValue(raw, 'all-groups') === true, group ? undefined : '{group}'],
    [
      'recursive',
      getSwitchValue(raw, 'recursive') === true,
      project && !group ? undefined : '{project} alone',
    ],
  ]
  for (const [flag, given, place] of places)
    if (given && place !== undefined) throw usage(`--${flag} requires ${place} in the path`)
  if (raw.flags.has('project') && raw.flags.has('group') && !group)
    throw createExclusion({ command, raw }, ['project', 'group'])
}

const parseNames = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap(splitList)),
]

/** @throws Failure `usage` for flags that work only with one parent, such as those that write one file */
const checkFlags = (command: Command, raw: Raw, kind: ParentKind): void => {
  if (Object.values(command.endpoints).some((e) => e.returns.kind === 'file'))
    throw usage(
      `${getCommandName(command)} downloads from a single ${kind}`,
      `Run the command once for each ${kind}.`,
    )
  for (const flag of ['page', 'watch', 'wait-until', 'report'])
    if (raw.flags.has(flag))
      throw createExclusion(
        { command, raw },
        [flag, [kind, `all-${kind}s`, 'recursive'].find((name) => raw.flags.has(name)) ?? kind],
        `The line names several ${kind}s. Give ${getCommandName(command)} one.`,
      )
}

/** Returns the parents that are named on the line or read from standard input; undefined for a single one. */
const parseNamedParents = (command: Command, raw: Raw): Parents | undefined => {
  const given = kinds.filter((kind) => raw.flags.has(kind) && takesKind(command, raw, kind))
  for (const kind of given) {
    const texts = raw.flags.get(kind) ?? []
    const names = parseNames(texts)
    const piped = names.includes('-')
    // A list that a program joined may come to one name: `a/b,` and `a/b,a/b`.
    const isList =
      names.length > 1 || (names.length === 1 && texts.some((one) => one.includes(',')))
    if (!isList && !piped) continue
    if (given.length > 1) throw createExclusion({ command, raw }, ['project', 'group'])
    if (piped && names.length > 1)
      throw usage(
        `--${kind} - cannot be combined with other values, because standard input lists all of them`,
      )
    if (piped) checkSingleStdinReader(raw, `--${kind} -`)
    return piped ? { origin: 'piped', kind, names: [] } : { origin: 'named', kind, names }
  }
  return undefined
}

/** Returns the value of a boolean flag; undefined if the line does not have it. */
const getSwitchValue = (raw: Raw, flag: string): boolean | undefined => {
  const text = raw.flags.get(flag)?.at(-1)
  return text === undefined ? undefined : text === 'true'
}

const checkGroups = (names: readonly string[], flag: string): void => {
  if (names.includes('-')) throw usage(`${flag} cannot read groups from standard input`)
}

/** Returns the parents that a list of the instance finds; undefined if no flag requires that. */
const parseFoundParents = (command: Command, raw: Raw): Parents | undefined => {
  const scoped = kinds.filter((kind) => raw.flags.has(kind))
  const all = kinds.filter((kind) => getSwitchValue(raw, `all-${kind}s`) === true)
  for (const kind of all) {
    const other = scoped[0] ?? (all.length > 1 ? 'all-groups' : undefined)
    if (other !== undefined) throw createExclusion({ command, raw }, [`all-${kind}s`, other])
    if (!takesKind(command, raw, kind) && !(kind === 'project' && canSelectAcrossProjects(command)))
      throw usage(
        `${getCommandName(command)} is not available for a ${kind}`,
        `Available: ${describeForms(command)}.`,
      )
    return { origin: 'everything', kind, names: [] }
  }
  const names = parseNames(raw.flags.get('group') ?? [])
  const tree = getSwitchValue(raw, 'recursive') === true
  if (names.length === 0 || scoped.length > 1 || !takesKind(command, raw, 'project')) {
    if (tree)
      throw usage(
        '--recursive requires --group',
        'It includes the subgroups and projects of a group.',
      )
    return undefined
  }
  if (!takesKind(command, raw, 'group')) {
    checkGroups(names, '--group')
    return { origin: 'projects-of', kind: 'project', names }
  }
  if (!tree) return undefined
  checkGroups(names, '--recursive')
  return { origin: 'tree', kind: 'group', names }
}

/**
 * Returns the parents of a line; undefined if it names at most one. Only the flags are considered.
 * @throws Failure `usage` for flags that cannot be combined with several parents
 */
export const parseLineParents = (command: Command, raw: Raw): Parents | undefined => {
  if (command.open === true && !raw.flags.has('resume')) checkPlaces(command, raw)
  const parents = parseFoundParents(command, raw) ?? parseNamedParents(command, raw)
  if (parents !== undefined) checkFlags(command, raw, parents.kind)
  const found = parents !== undefined && isFound(parents)
  const own = command.flags.some(({ name }) => name === 'with-archived')
  if (!found && !own && getSwitchValue(raw, 'with-archived') === true)
    throw usage('--with-archived requires --all-projects or --group')
  return parents
}

/** Returns the line without the flags that named several parents. */
export const removeParentFlags = (raw: Raw): Raw => ({
  ...raw,
  flags: new Map([...raw.flags].filter(([name]) => name !== 'project' && name !== 'group')),
})

/** One of several parents: its name in records, and the value of its flag. */
export interface ParentTarget {
  readonly parent: Parent
  readonly kind: ParentKind
  readonly value: string
  /** The parent's own objects, if each parent has its own. */
  readonly args?: readonly string[]
  /** The attributes of each of these objects. */
  readonly rows?: Given['rows']
  /** The failure to find the parent's objects. */
  readonly failure?: Failure
}

/** The columns that name the parent of a record, in output over several parents. */
export type ParentColumn = Parent['column']
export const parentColumns: readonly ParentColumn[] = ['project', 'group', 'of']

export const isParentColumn = (name: string | undefined): name is ParentColumn =>
  parentColumns.some((one) => one === name)

/** True if a cell names a parent. A record may have a field of the column's name, whose value is an object. */
export const namesParent = (column: string | undefined, cell: string): column is ParentColumn =>
  isParentColumn(column) && cell !== '' && !cell.startsWith('{')

/** Parses the name of a parent in its column. In a tree, the kind precedes the name. */
export const parseParentTarget = (column: Parent['column'], name: string): ParentTarget => {
  if (column !== 'of') return { kind: column, value: name, parent: { column, name } }
  const kind = name.startsWith('group:') ? 'group' : 'project'
  return createTreeTarget(kind, name.slice(kind.length + 1))
}

/** Collects parents with their objects. Consecutive objects of the same parent are grouped. */
export class TargetsWithObjects {
  readonly targets: (ParentTarget & {
    readonly args: string[]
    readonly rows: (JsonValues | undefined)[]
  })[] = []

  /** @param column the column that names the parent of the object */
  add(column: Parent['column'], { object, parent = '', row }: GivenObject): void {
    const target = parseParentTarget(column, parent)
    const own = row && toJsonFields(row)
    const last = this.targets.at(-1)
    if (last?.parent.name === target.parent.name) {
      last.args.push(object)
      last.rows.push(own)
    } else this.targets.push({ ...target, args: [object], rows: [own] })
  }
}

/** Creates the target for a project or group of a tree. */
export const createTreeTarget = (kind: ParentKind, name: string): ParentTarget => ({
  kind,
  value: name,
  parent: { column: 'of', name: `${kind}:${name}` },
})

/** Returns the parsed arguments with one of several parents set. */
export const toGiven = (given: Given, { kind, value, args, rows }: ParentTarget): Given => ({
  ...given,
  args: args ?? given.args,
  ...(rows?.some((row) => row !== undefined) === true ? { rows } : {}),
  flags: { ...given.flags, [kind]: toIdOrText(value) },
})

/** Creates the parents of a line that named several of a kind. */
export const createNamedParents = (kind: ParentKind): Parents => ({
  origin: 'named',
  kind,
  names: [],
})

/** Several projects or groups on one line: which flags say so, and what they name. */
import type { JsonValues } from '../../base/objects.js'
import { toIdOrText } from '../../catalogue/values.js'
import { type Failure, usage } from '../../errors.js'
import { canSelectAcrossProjects, getCommandName, hasForm } from '../command/derive.js'
import type { Command, Given, Parent } from '../command/types.js'
import { createExclusion } from '../pairs.js'
import type { Raw } from './line.js'
import { checkOneReader } from './values.js'

type ParentKind = 'project' | 'group'

/**
 * The origin of parents: named on the line or from standard input; every project or every group that can be seen; the
 * projects of groups, or groups with all that is below them.
 */
type Origin = 'named' | 'piped' | 'everything' | 'projects-of' | 'tree'

/** The several parents that a line has. */
export interface Parents {
  readonly origin: Origin
  readonly kind: ParentKind
  /** As they were given, each once. */
  readonly names: readonly string[]
}

/** Returns the column that names each parent. */
export const getParentColumn = ({ origin, kind }: Parents): Parent['column'] =>
  origin === 'tree' ? 'of' : kind

/** True if a list of the instance says which parents these are. */
export const isFound = ({ origin }: Parents): boolean => origin !== 'named' && origin !== 'piped'

const kinds = ['project', 'group'] as const

/** True if a line has a form for what belongs to that kind. An open command has the place of the kind in its path. */
const takesKind = (command: Command, { args }: Raw, kind: ParentKind): boolean =>
  command.open === true ? args.some((arg) => arg.includes(`{${kind}}`)) : hasForm(command, kind)

/** @throws Failure `usage` for a flag of an open command that nothing in its path stands for */
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

const parseNames = (texts: readonly string[]): readonly string[] => {
  const names = texts.flatMap((text) => text.split(',').map((name) => name.trim()))
  return [...new Set(names.filter((name) => name !== ''))]
}

/** @throws Failure `usage` for what does not go with several: of one file each would replace that before it */
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

/** Returns several parents that the line names, or standard input. */
const getNamedParents = (command: Command, raw: Raw): Parents | undefined => {
  const given = kinds.filter((kind) => raw.flags.has(kind) && takesKind(command, raw, kind))
  for (const kind of given) {
    const names = parseNames(raw.flags.get(kind) ?? [])
    const piped = names.includes('-')
    if (names.length < 2 && !piped) continue
    if (given.length > 1) throw createExclusion({ command, raw }, ['project', 'group'])
    if (piped && names.length > 1)
      throw usage(
        `--${kind} - cannot be combined with other values, because standard input lists all of them`,
      )
    if (piped) checkOneReader(raw, `--${kind} -`)
    return piped ? { origin: 'piped', kind, names: [] } : { origin: 'named', kind, names }
  }
  return undefined
}

/** Returns the value of a boolean flag of the line; undefined if the line does not have it. */
const getSwitchValue = (raw: Raw, flag: string): boolean | undefined => {
  const text = raw.flags.get(flag)?.at(-1)
  return text === undefined ? undefined : text === 'true'
}

const checkGroups = (names: readonly string[], flag: string): void => {
  if (names.includes('-')) throw usage(`${flag} cannot read groups from standard input`)
}

/** Returns the parents that a list of the instance has to find; undefined if the line has none such. */
const getFoundParents = (command: Command, raw: Raw): Parents | undefined => {
  const scoped = kinds.filter((kind) => raw.flags.has(kind))
  const all = kinds.filter((kind) => getSwitchValue(raw, `all-${kind}s`) === true)
  for (const kind of all) {
    const other = scoped[0] ?? (all.length > 1 ? 'all-groups' : undefined)
    if (other !== undefined) throw createExclusion({ command, raw }, [`all-${kind}s`, other])
    if (!takesKind(command, raw, kind) && !(kind === 'project' && canSelectAcrossProjects(command)))
      throw usage(`${getCommandName(command)} is not available for a ${kind}`)
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
 * Returns the several parents of a line; undefined if it has one, or none. The flags alone decide.
 * @throws Failure `usage` for what does not go with several
 */
export const getLineParents = (command: Command, raw: Raw): Parents | undefined => {
  if (command.open === true && !raw.flags.has('resume')) checkPlaces(command, raw)
  const parents = getFoundParents(command, raw) ?? getNamedParents(command, raw)
  if (parents !== undefined) checkFlags(command, raw, parents.kind)
  const found = parents !== undefined && isFound(parents)
  const own = command.flags.some(({ name }) => name === 'with-archived')
  if (!found && !own && getSwitchValue(raw, 'with-archived') === true)
    throw usage('--with-archived requires --all-projects or --group')
  return parents
}

/** Removes from the line the flags that named several parents. */
export const removeParentFlags = (raw: Raw): Raw => ({
  ...raw,
  flags: new Map([...raw.flags].filter(([name]) => name !== 'project' && name !== 'group')),
})

/** A parent among several: how its records name it, and what it is given as by which flag. */
export interface ParentTarget {
  readonly parent: Parent
  readonly kind: ParentKind
  readonly value: string
  /** Its own objects, where each has others. */
  readonly args?: readonly string[]
  /** The attributes of each of these. */
  readonly rows?: Given['rows']
  /** Why its objects are not known. */
  readonly failure?: Failure
}

/** Parses a parent as its column has it: in a tree its kind stands before its name. */
export const parseParentTarget = (column: Parent['column'], name: string): ParentTarget => {
  if (column !== 'of') return { kind: column, value: name, parent: { column, name } }
  const kind = name.startsWith('group:') ? 'group' : 'project'
  return createTreeTarget(kind, name.slice(kind.length + 1))
}

/** Parents with the objects of each: those that follow each other are one. */
export class TargetsWithObjects {
  readonly targets: (ParentTarget & {
    readonly args: string[]
    readonly rows: (JsonValues | undefined)[]
  })[] = []

  add(target: ParentTarget, text: string, row?: JsonValues): void {
    const last = this.targets.at(-1)
    if (last?.parent.name === target.parent.name) {
      last.args.push(text)
      last.rows.push(row)
    } else this.targets.push({ ...target, args: [text], rows: [row] })
  }
}

/** Creates a parent of a tree, in which there are both kinds. */
export const createTreeTarget = (kind: ParentKind, name: string): ParentTarget => ({
  kind,
  value: name,
  parent: { column: 'of', name: `${kind}:${name}` },
})

/** Returns what was asked, for one of several parents. */
export const toGiven = (given: Given, { kind, value, args, rows }: ParentTarget): Given => ({
  ...given,
  args: args ?? given.args,
  ...(rows?.some((row) => row !== undefined) === true ? { rows } : {}),
  flags: { ...given.flags, [kind]: toIdOrText(value) },
})

/** Creates the parents of a line that would have named several of a kind. */
export const createNamedParents = (kind: ParentKind): Parents => ({
  origin: 'named',
  kind,
  names: [],
})

/** Several projects or groups on one line: which flags say so, and what they name. */
import type { JsonValues } from '../../base/objects.js'
import { idOrText } from '../../catalogue/values.js'
import { type Failure, usage } from '../../errors.js'
import { getCommandName, hasForm, spreads } from '../command/derive.js'
import type { Command, Given, Parent } from '../command/types.js'
import { createExclusion } from '../pairs.js'
import type { Raw } from './line.js'
import { checkOneReader } from './values.js'

type ParentKind = 'project' | 'group'

/**
 * Where parents come from: named on the line, from standard input, every project or every group that can be seen,
 * the projects of groups, or groups with all that is below them.
 */
type Origin = 'named' | 'piped' | 'everything' | 'projects-of' | 'tree'

/** What a line says of several parents. */
export interface Parents {
  readonly origin: Origin
  readonly kind: ParentKind
  /** As they were given, each once. */
  readonly names: readonly string[]
}

/** The column that names each. */
export const getParentColumn = ({ origin, kind }: Parents): Parent['column'] =>
  origin === 'tree' ? 'of' : kind

/** Whether a list of the instance says which they are. */
export const isFound = ({ origin }: Parents): boolean => origin !== 'named' && origin !== 'piped'

const kinds = ['project', 'group'] as const

/** Whether a line has a form for what belongs to that kind: that of an open command has its place in its path. */
const takesKind = (command: Command, { args }: Raw, kind: ParentKind): boolean =>
  command.open === true ? args.some((arg) => arg.includes(`{${kind}}`)) : hasForm(command, kind)

/** @throws Failure `usage` for a flag of an open command that nothing in its path stands for */
const checkPlaces = (command: Command, raw: Raw): void => {
  const [project, group] = kinds.map((kind) => takesKind(command, raw, kind))
  const places: readonly (readonly [flag: string, given: boolean, place: string | undefined])[] = [
    ['project', raw.flags.has('project'), project ? undefined : '{project}'],
    ['group', raw.flags.has('group'), project || group ? undefined : '{project} or {group}'],
    ['all-projects', said(raw, 'all-projects') === true, project ? undefined : '{project}'],
    ['all-groups', said(raw, 'all-groups') === true, group ? undefined : '{group}'],
    [
      'recursive',
      said(raw, 'recursive') === true,
      project && !group ? undefined : '{project} alone',
    ],
  ]
  for (const [flag, given, place] of places)
    if (given && place !== undefined) throw usage(`--${flag} requires ${place} in the path`)
  if (raw.flags.has('project') && raw.flags.has('group') && !group)
    throw createExclusion({ command, raw }, ['project', 'group'])
}

const namesIn = (texts: readonly string[]): readonly string[] => {
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

/** Several that the line names, or standard input. */
const namedIn = (command: Command, raw: Raw): Parents | undefined => {
  const given = kinds.filter((kind) => raw.flags.has(kind) && takesKind(command, raw, kind))
  for (const kind of given) {
    const names = namesIn(raw.flags.get(kind) ?? [])
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

/** What a boolean flag of the line says; undefined where it is not there. */
const said = (raw: Raw, flag: string): boolean | undefined => {
  const text = raw.flags.get(flag)?.at(-1)
  return text === undefined ? undefined : text === 'true'
}

const checkGroups = (names: readonly string[], flag: string): void => {
  if (names.includes('-')) throw usage(`${flag} cannot read groups from standard input`)
}

/** Those that a list of the instance has to find. */
const foundBy = (command: Command, raw: Raw): Parents | undefined => {
  const scoped = kinds.filter((kind) => raw.flags.has(kind))
  const all = kinds.filter((kind) => said(raw, `all-${kind}s`) === true)
  for (const kind of all) {
    const other = scoped[0] ?? (all.length > 1 ? 'all-groups' : undefined)
    if (other !== undefined) throw createExclusion({ command, raw }, [`all-${kind}s`, other])
    if (!takesKind(command, raw, kind) && !(kind === 'project' && spreads(command)))
      throw usage(`${getCommandName(command)} is not available for a ${kind}`)
    return { origin: 'everything', kind, names: [] }
  }
  const names = namesIn(raw.flags.get('group') ?? [])
  const tree = said(raw, 'recursive') === true
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
 * The several parents of a line; undefined where it has one, or none. Decided by the flags alone.
 * @throws Failure `usage` for what does not go with several
 */
export const parentsIn = (command: Command, raw: Raw): Parents | undefined => {
  if (command.open === true && !raw.flags.has('resume')) checkPlaces(command, raw)
  const parents = foundBy(command, raw) ?? namedIn(command, raw)
  if (parents !== undefined) checkFlags(command, raw, parents.kind)
  const found = parents !== undefined && isFound(parents)
  const own = command.flags.some(({ name }) => name === 'with-archived')
  if (!found && !own && said(raw, 'with-archived') === true)
    throw usage('--with-archived requires --all-projects or --group')
  return parents
}

/** The line without the flags that named several parents. */
export const withoutParents = (raw: Raw): Raw => ({
  ...raw,
  flags: new Map([...raw.flags].filter(([name]) => name !== 'project' && name !== 'group')),
})

/** One of several: how its records name it, and what it is given as by which flag. */
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

/** One as its column has it: in a tree its kind stands before its name. */
export const targetIn = (column: Parent['column'], name: string): ParentTarget => {
  if (column !== 'of') return { kind: column, value: name, parent: { column, name } }
  const kind = name.startsWith('group:') ? 'group' : 'project'
  return targetOfTree(kind, name.slice(kind.length + 1))
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

/** One of a tree, in which there are both kinds. */
export const targetOfTree = (kind: ParentKind, name: string): ParentTarget => ({
  kind,
  value: name,
  parent: { column: 'of', name: `${kind}:${name}` },
})

/** What was asked, of one of several. */
export const givenFor = (given: Given, { kind, value, args, rows }: ParentTarget): Given => ({
  ...given,
  args: args ?? given.args,
  ...(rows?.some((row) => row !== undefined) === true ? { rows } : {}),
  flags: { ...given.flags, [kind]: idOrText(value) },
})

/** What a line would have said that names such parents. */
export const namedParents = (kind: ParentKind): Parents => ({
  origin: 'named',
  kind,
  names: [],
})

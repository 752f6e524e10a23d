/** Finds projects and groups in the lists of the instance, for lines that do not name each of them. */

import { listObjects, toText } from '../../base/objects.js'
import { listPathsTo } from '../../base/text.js'
import { projects } from '../../catalogue/areas/projects.js'
import { groupsAll } from '../../catalogue/undocumented.js'
import { Failure, isDenied, recoverFrom } from '../../errors.js'
import { findSegmentProblem } from '../../http/request/address.js'
import type { Context } from '../command/context.js'
import {
  createTreeTarget,
  type Parents,
  type ParentTarget,
  parseParentTarget,
} from '../plan/parents.js'

/** The options for the choice of projects. */
export interface ProjectChoice {
  /** True if projects of subgroups are left out. */
  readonly withoutSubgroups: boolean
  readonly archived: boolean
}

interface VisibleProject {
  /** The full path; the ID if the instance does not show the path. */
  readonly path: string
  /** The group of the project; undefined for a project of a user. */
  readonly group: { readonly id: number; readonly path: string } | undefined
}

/** Lists all visible projects in the order of their IDs, with only the fields that are used here. */
const listVisibleProjects = async (
  { instance }: Context,
  archived: boolean,
): Promise<readonly VisibleProject[]> => {
  const found: VisibleProject[] = []
  const order = { order_by: 'id', sort: 'asc' } as const
  // The predicate keeps only the needed fields and returns false, so that full records are not held in memory.
  await instance.readRecords(projects.list, archived ? order : { ...order, archived: false }, {
    where: ({ id: project, path_with_namespace, namespace }) => {
      const known = Number.isInteger(project) ? String(project) : undefined
      const path = toText(path_with_namespace) || known
      const group = toText(namespace?.full_path)
      const own = namespace?.kind === 'group' && group !== undefined
      const id = Number(namespace?.id)
      if (path !== undefined) found.push({ path, group: own ? { id, path: group } : undefined })
      return false
    },
  })
  return found
}

const toLowerCase = (text: string): string => text.toLowerCase()

/** True if a group has this path, or is a subgroup of it. */
const isWithin = (path: string, root: string): boolean =>
  toLowerCase(path) === toLowerCase(root) || toLowerCase(path).startsWith(`${toLowerCase(root)}/`)

/** Returns the path of a group. For an ID, one of the group's projects must show its path; otherwise the ID is returned. */
const findGroupPath = (name: string, found: readonly VisibleProject[]): string =>
  (/^\d+$/.test(name)
    ? found.find(({ group }) => group?.id === Number(name))?.group?.path
    : undefined) ?? name

const createNoVisibleProjectFailure = (what: string): Failure =>
  new Failure('not_found', `no visible project ${what}`, {
    hint: 'The API does not show groups without projects. Use --with-archived to include archived projects.',
  })

/** Returns the projects of a group and, unless `withoutSubgroups`, of its subgroups. */
const getGroupProjects = (
  name: string,
  found: readonly VisibleProject[],
  withoutSubgroups: boolean,
): readonly string[] => {
  const root = findGroupPath(name, found)
  const paths = found.flatMap(({ path, group }) => {
    if (group === undefined) return []
    const inside = withoutSubgroups
      ? toLowerCase(group.path) === toLowerCase(root)
      : isWithin(group.path, root)
    return inside ? [path] : []
  })
  if (paths.length === 0) throw createNoVisibleProjectFailure(`of group ${name}`)
  return paths
}

/**
 * Lists all groups; undefined if the instance denies its list of groups, which is not documented. A snapshot of such an instance has a part
 * that could not be read.
 */
const listAllGroups = async ({ instance }: Context): Promise<readonly string[] | undefined> => {
  try {
    const found = await instance.readRecords(groupsAll, {})
    return listObjects(found).flatMap((group) => toText(group.full_path) ?? [])
  } catch (error) {
    const failure = recoverFrom(error)
    if (!isDenied(failure) && failure.category !== 'partial') throw error
    return undefined
  }
}

const noGroupsListed =
  'the instance does not list groups, so groups without projects are not included'

/** Lists all visible groups. Without a list of groups, only those with visible projects are found. */
const listVisibleGroups = async (context: Context): Promise<readonly ParentTarget[]> => {
  const all = await listAllGroups(context)
  if (all === undefined) context.ui.note(noGroupsListed)
  const paths =
    all ??
    (await listVisibleProjects(context, true)).flatMap(({ group }) =>
      listPathsTo(group?.path ?? ''),
    )
  const unique = [...new Set(paths)].filter((path) => path !== '').sort()
  if (unique.length === 0) throw new Failure('not_found', 'no visible groups')
  return unique.map((path) => checkTarget(parseParentTarget('group', path)))
}

/** Returns a group, its subgroups and their projects. */
const buildTree = (
  name: string,
  found: readonly VisibleProject[],
  others: readonly string[],
): readonly ParentTarget[] => {
  const root = findGroupPath(name, found)
  const inside = found.filter(({ group }) => group !== undefined && isWithin(group.path, root))
  const known = [...inside.flatMap(({ group }) => listPathsTo(group?.path ?? root)), ...others]
  const below = known.filter(
    (path) => isWithin(path, root) && toLowerCase(path) !== toLowerCase(root),
  )
  const unique = [...new Map(below.map((path) => [toLowerCase(path), path])).values()].sort()
  return [
    ...[root, ...unique].map((path) => createTreeTarget('group', path)),
    ...inside.map(({ path }) => createTreeTarget('project', path)),
  ]
}

/** Returns the reason why a target cannot be named by its path; undefined if it can. */
const findPathProblem = ({ kind, value }: ParentTarget): string | undefined => {
  if (kind === 'group' && /^\d+$/.test(value)) return 'the API takes it for an ID'
  return value.includes(',') ? 'it contains a comma' : findSegmentProblem(value)
}

/** Adds a failure to a target whose path cannot be sent. */
const checkTarget = (target: ParentTarget): ParentTarget => {
  const problem = findPathProblem(target)
  if (problem === undefined) return target
  const text = `its path cannot be sent: ${problem}`
  const hint = `Name it by its ID, which "svcctl api /${target.kind}s" shows.`
  return { ...target, failure: new Failure('failed', text, { unsent: true, hint }) }
}

const removeDuplicates = (targets: readonly ParentTarget[]): readonly ParentTarget[] => [
  ...new Map(targets.map((target) => [target.parent.name, target])).values(),
]

/**
 * Finds the projects and groups of a line in the lists of the instance.
 * @throws Failure `not_found` if there is none
 */
export const findVisibleParents = async (
  context: Context,
  { origin, kind, names }: Parents,
  { withoutSubgroups, archived }: ProjectChoice,
): Promise<readonly ParentTarget[]> => {
  if (origin === 'everything' && kind === 'group') return listVisibleGroups(context)
  const found = await listVisibleProjects(context, archived)
  if (origin === 'tree') {
    const others = await listAllGroups(context)
    if (others === undefined) context.ui.note(noGroupsListed)
    return removeDuplicates(names.flatMap((name) => buildTree(name, found, others ?? []))).map(
      checkTarget,
    )
  }
  if (origin === 'projects-of') {
    const paths = names.flatMap((name) => getGroupProjects(name, found, withoutSubgroups))
    return removeDuplicates(paths.map((path) => parseParentTarget('project', path))).map(
      checkTarget,
    )
  }
  if (found.length === 0) throw createNoVisibleProjectFailure('at all')
  return found.map(({ path }) => checkTarget(parseParentTarget('project', path)))
}

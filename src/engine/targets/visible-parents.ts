/** The projects and groups that a line means and nobody named: those that the instance's lists tell of. */

import { objects, toText } from '../../base/objects.js'
import { projects } from '../../catalogue/areas/projects.js'
import { groupsAll } from '../../catalogue/undocumented.js'
import { Failure, survived } from '../../errors.js'
import { findSegmentProblem } from '../../http/request/address.js'
import type { Services } from '../command/services.js'
import { type Parents, type ParentTarget, targetIn, targetOfTree } from '../plan/parents.js'

/** How the projects of a line are narrowed. */
export interface ProjectChoice {
  /** Only of the groups themselves, not of those below. */
  readonly alone: boolean
  readonly archived: boolean
}

interface VisibleProject {
  /** Its full path; its ID if the instance does not tell the path. */
  readonly path: string
  /** The group that it is in; undefined where it is a user's own. */
  readonly group: { readonly id: number; readonly path: string } | undefined
}

/** Every project that can be seen, in the order of their ids; of each only what is asked here. */
const seen = async (
  { instance }: Services,
  archived: boolean,
): Promise<readonly VisibleProject[]> => {
  const found: VisibleProject[] = []
  const order = { order_by: 'id', sort: 'asc' } as const
  await instance.records(projects.list, archived ? order : { ...order, archived: false }, {
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

const lower = (text: string): string => text.toLowerCase()

/** Whether a group is the one of that path, or below it. */
const within = (path: string, root: string): boolean =>
  lower(path) === lower(root) || lower(path).startsWith(`${lower(root)}/`)

/** The path of a group as it was given: by its number where projects of it tell that. */
const pathOf = (name: string, found: readonly VisibleProject[]): string =>
  (/^\d+$/.test(name)
    ? found.find(({ group }) => group?.id === Number(name))?.group?.path
    : undefined) ?? name

const none = (what: string): Failure =>
  new Failure('not_found', `no visible project ${what}`, {
    hint: 'The API does not show groups without projects. Use --with-archived to include archived projects.',
  })

/** The projects of a group, and of those below it. */
const ofGroup = (
  name: string,
  found: readonly VisibleProject[],
  alone: boolean,
): readonly string[] => {
  const root = pathOf(name, found)
  const paths = found.flatMap(({ path, group }) => {
    if (group === undefined) return []
    const inside = alone ? lower(group.path) === lower(root) : within(group.path, root)
    return inside ? [path] : []
  })
  if (paths.length === 0) throw none(`of group ${name}`)
  return paths
}

/** A path, and every group above it. */
const above = (path: string): readonly string[] =>
  path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))

/** The groups that the instance's own list has; undefined where there is none. */
const listed = async ({ instance }: Services): Promise<readonly string[] | undefined> => {
  try {
    const found = await instance.records(groupsAll, {})
    return objects(found).flatMap((group) => toText(group.full_path) ?? [])
  } catch (error) {
    survived(error)
    return undefined
  }
}

const noGroupsListed =
  'the instance does not list groups, so groups without projects are not included'

/** Every group that can be seen. */
const groupsSeen = async (services: Services): Promise<readonly ParentTarget[]> => {
  const all = await listed(services)
  if (all === undefined) services.ui.note(noGroupsListed)
  const paths = all ?? (await seen(services, true)).flatMap(({ group }) => above(group?.path ?? ''))
  const unique = [...new Set(paths)].filter((path) => path !== '').sort()
  if (unique.length === 0) throw new Failure('not_found', 'no visible groups')
  return unique.map((path) => checked(targetIn('group', path)))
}

/** A group with the groups below it, and their projects. */
const treeOf = (
  name: string,
  found: readonly VisibleProject[],
  others: readonly string[],
): readonly ParentTarget[] => {
  const root = pathOf(name, found)
  const inside = found.filter(({ group }) => group !== undefined && within(group.path, root))
  const known = [...inside.flatMap(({ group }) => above(group?.path ?? root)), ...others]
  const below = known.filter((path) => within(path, root) && lower(path) !== lower(root))
  const unique = [...new Map(below.map((path) => [lower(path), path])).values()].sort()
  return [
    ...[root, ...unique].map((path) => targetOfTree('group', path)),
    ...inside.map(({ path }) => targetOfTree('project', path)),
  ]
}

/** Says why no flag or request can name a target by its path; undefined if they can. */
const findPathProblem = ({ kind, value }: ParentTarget): string | undefined => {
  if (kind === 'group' && /^\d+$/.test(value)) return 'the API takes it for an ID'
  return value.includes(',') ? 'it contains a comma' : findSegmentProblem(value)
}

/** A target that the instance told of; it failed already if no request can name it. */
const checked = (target: ParentTarget): ParentTarget => {
  const problem = findPathProblem(target)
  if (problem === undefined) return target
  const text = `its path cannot be sent: ${problem}`
  const hint = `Name it by its ID, which "svcctl api /${target.kind}s" shows.`
  return { ...target, failure: new Failure('failed', text, { unsent: true, hint }) }
}

const each = (targets: readonly ParentTarget[]): readonly ParentTarget[] => [
  ...new Map(targets.map((target) => [target.parent.name, target])).values(),
]

/**
 * The parents that the instance tells of.
 * @throws Failure `not_found` where there is none
 */
export const findVisibleParents = async (
  services: Services,
  { origin, kind, names }: Parents,
  { alone, archived }: ProjectChoice,
): Promise<readonly ParentTarget[]> => {
  if (origin === 'everything' && kind === 'group') return groupsSeen(services)
  const found = await seen(services, archived)
  if (origin === 'tree') {
    const others = await listed(services)
    if (others === undefined) services.ui.note(noGroupsListed)
    return each(names.flatMap((name) => treeOf(name, found, others ?? []))).map(checked)
  }
  if (origin === 'projects-of') {
    const paths = names.flatMap((name) => ofGroup(name, found, alone))
    return each(paths.map((path) => targetIn('project', path))).map(checked)
  }
  if (found.length === 0) throw none('at all')
  return found.map(({ path }) => checked(targetIn('project', path)))
}

/** Projects and groups that nobody named: those that the instance's list of projects tells of. */
import { objects, textOf } from '../../base/objects.js'
import { projects } from '../../catalogue/areas/projects.js'
import { groupsAll } from '../../catalogue/implied.js'
import { Failure, survived } from '../../errors.js'
import type { Services } from '../command/services.js'
import { type Parents, type Slot, slotOf, slotOfTree } from '../plan/parents.js'

/** How the projects of a line are narrowed. */
export interface ProjectChoice {
  /** Only of the groups themselves, not of those below. */
  readonly alone: boolean
  readonly archived: boolean
}

interface Found {
  readonly path: string
  /** The group that it is in; undefined where it is a user's own. */
  readonly group: { readonly id: number; readonly path: string } | undefined
}

/** Every project that can be seen, in the order of their ids; of each only what is asked here. */
const seen = async ({ instance }: Services, archived: boolean): Promise<readonly Found[]> => {
  const found: Found[] = []
  const order = { order_by: 'id', sort: 'asc' } as const
  await instance.records(projects.list, archived ? order : { ...order, archived: false }, {
    where: ({ path_with_namespace, namespace }) => {
      const path = textOf(path_with_namespace)
      const group = textOf(namespace?.full_path)
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
const pathOf = (name: string, found: readonly Found[]): string =>
  (/^\d+$/.test(name)
    ? found.find(({ group }) => group?.id === Number(name))?.group?.path
    : undefined) ?? name

const none = (what: string): Failure =>
  new Failure('not_found', `no project ${what} can be seen`, {
    hint: 'Groups without projects cannot be seen by the documented endpoints; archived projects count with --with-archived.',
  })

/** The projects of a group, and of those below it. */
const ofGroup = (name: string, found: readonly Found[], alone: boolean): readonly string[] => {
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
    return objects(found).flatMap((group) => textOf(group.full_path) ?? [])
  } catch (error) {
    survived(error)
    return undefined
  }
}

const noGroupsListed = 'the instance lists no groups: those without projects are not included'

/** Every group that can be seen. */
const groupsSeen = async (services: Services): Promise<readonly Slot[]> => {
  const all = await listed(services)
  if (all === undefined) services.person.note(noGroupsListed)
  const paths = all ?? (await seen(services, true)).flatMap(({ group }) => above(group?.path ?? ''))
  const unique = [...new Set(paths)].filter((path) => path !== '').sort()
  if (unique.length === 0) throw new Failure('not_found', 'no group can be seen')
  return unique.map((path) => slotOf('group', path))
}

/** A group with the groups below it, and their projects. */
const treeOf = (
  name: string,
  found: readonly Found[],
  others: readonly string[],
): readonly Slot[] => {
  const root = pathOf(name, found)
  const inside = found.filter(({ group }) => group !== undefined && within(group.path, root))
  const known = [...inside.flatMap(({ group }) => above(group?.path ?? root)), ...others]
  const below = known.filter((path) => within(path, root) && lower(path) !== lower(root))
  const unique = [...new Map(below.map((path) => [lower(path), path])).values()].sort()
  return [
    ...[root, ...unique].map((path) => slotOfTree('group', path)),
    ...inside.map(({ path }) => slotOfTree('project', path)),
  ]
}

const each = (slots: readonly Slot[]): readonly Slot[] => [
  ...new Map(slots.map((slot) => [slot.parent.name, slot])).values(),
]

/**
 * The parents that the instance tells of.
 * @throws Failure `not_found` where there is none
 */
export const foundSlots = async (
  services: Services,
  { origin, kind, names }: Parents,
  { alone, archived }: ProjectChoice,
): Promise<readonly Slot[]> => {
  if (origin === 'everything' && kind === 'group') return groupsSeen(services)
  const found = await seen(services, archived)
  if (origin === 'tree') {
    const others = await listed(services)
    if (others === undefined) services.person.note(noGroupsListed)
    return each(names.flatMap((name) => treeOf(name, found, others ?? [])))
  }
  if (origin === 'projects-of') {
    const paths = names.flatMap((name) => ofGroup(name, found, alone))
    return each(paths.map((path) => slotOf('project', path)))
  }
  if (found.length === 0) throw none('at all')
  return found.map(({ path }) => slotOf('project', path))
}

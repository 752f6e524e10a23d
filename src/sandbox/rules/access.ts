/**
 * Determines access levels and visibility (`sandbox/README.md`). The highest level of a user counts: of a direct membership, those of the
 * groups above, and shares.
 */
import { accessLevels } from '../../catalogue/shapes/common.js'
import type {
  GroupRecord,
  ProjectRecord,
  SourceType,
  UserRecord,
} from '../state/people-and-projects.js'
import type { State } from '../state/state.js'

export type Role = keyof typeof accessLevels
export const getRoleLevel = (role: Role): number => accessLevels[role]

export const isSameText = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Finds a user by ID (digits) or by username, in any case. */
export const findUser = ({ users }: State, reference: string): UserRecord | undefined =>
  /^\d+$/.test(reference)
    ? users.get(Number(reference))
    : users.find(({ username }) => isSameText(username, reference))

/** Returns the role of an access level, such as `maintainer` for 40; undefined if there is none. */
export const getRoleOf = (level: number): string | undefined =>
  Object.entries(accessLevels).find(([, value]) => value === level)?.[0]

/** Finds the protection of a branch; undefined if the branch is not protected. */
export const findProtection = (
  { protectedBranches }: State,
  { id }: { readonly id: number },
  name: string,
) => protectedBranches.find({ project_id: id, name })

/** Lists a group and its ancestors, the nearest first. */
export const listLineage = (state: State, group: GroupRecord | undefined): GroupRecord[] => {
  const line: GroupRecord[] = []
  for (let at = group; at !== undefined; at = state.groups.get(at.parent_id)) line.push(at)
  return line
}

/** Lists a group and all its descendants. */
export const listFamily = (state: State, group: GroupRecord): GroupRecord[] =>
  state.groups.filter(
    (other) => other.id === group.id || other.full_path.startsWith(`${group.full_path}/`),
  )

/** Lists the projects of a group and of its descendants. */
export const listProjectsWithin = (state: State, group: GroupRecord): ProjectRecord[] => {
  const ids = new Set(listFamily(state, group).map(({ id }) => id))
  return state.projects.filter((p) => p.namespace_kind === 'group' && ids.has(p.namespace_id))
}

/** Returns the group of a project; undefined for a personal project. */
export const getProjectGroup = (state: State, project: ProjectRecord): GroupRecord | undefined =>
  project.namespace_kind === 'group' ? state.groups.get(project.namespace_id) : undefined

/** True if a membership or share is still valid. It ends at the beginning of the day on which it expires. */
export const isCurrent = (expires: string | null, today: string): boolean =>
  expires === null || expires > today

type Source = readonly [SourceType, number]

const findDirectLevel = (
  state: State,
  user: UserRecord,
  sources: readonly Source[],
  today: string,
): number => {
  let level = 0
  for (const [type, id] of sources)
    for (const member of state.members.filter({
      user_id: user.id,
      source_type: type,
      source_id: id,
    }))
      if (isCurrent(member.expires_at, today)) level = Math.max(level, member.access_level)
  return level
}

const listGroupSources = (state: State, group: GroupRecord | undefined): Source[] =>
  listLineage(state, group).map(({ id }) => ['group', id] as const)

const findSharedLevel = (
  state: State,
  user: UserRecord,
  sources: readonly Source[],
  today: string,
): number => {
  let level = 0
  for (const [type, id] of sources)
    for (const share of state.shares.filter({ source_type: type, source_id: id })) {
      if (!isCurrent(share.expires_at, today)) continue
      const own = findDirectLevel(
        state,
        user,
        listGroupSources(state, state.groups.get(share.group_id)),
        today,
      )
      level = Math.max(level, Math.min(own, share.group_access))
    }
  return level
}

const findHighestLevel = (
  state: State,
  user: UserRecord,
  sources: Source[],
  today: string,
): number =>
  Math.max(
    findDirectLevel(state, user, sources, today),
    findSharedLevel(state, user, sources, today),
  )

/** Returns the access level of a user in a group, 0 for none. That the user is an administrator does not count. */
export const getGroupLevel = (
  state: State,
  user: UserRecord,
  group: GroupRecord,
  today: string,
): number => findHighestLevel(state, user, listGroupSources(state, group), today)

/** Returns the access level of a user in a project, 0 for none. That the user is an administrator does not count. */
export const getProjectLevel = (
  state: State,
  user: UserRecord,
  project: ProjectRecord,
  today: string,
): number => {
  if (project.namespace_kind === 'user' && project.namespace_id === user.id)
    return accessLevels.maintainer
  const group = getProjectGroup(state, project)
  return findHighestLevel(
    state,
    user,
    [['project', project.id], ...listGroupSources(state, group)],
    today,
  )
}

/** True if visibility alone gives access: a public object to everyone, and an internal one to all users except external ones. */
export const isVisibleTo = (
  visibility: ProjectRecord['visibility'],
  user: UserRecord | undefined,
): boolean =>
  visibility === 'public' ||
  (visibility === 'internal' && user !== undefined && !user.external) ||
  user?.admin === true

export const canSeeProject = (
  state: State,
  user: UserRecord | undefined,
  project: ProjectRecord,
  today: string,
): boolean =>
  isVisibleTo(project.visibility, user) ||
  (user !== undefined && getProjectLevel(state, user, project, today) >= accessLevels.guest)

/** True if a user may see a group. Members of any descendant of a private group may see it, too. */
export const canSeeGroup = (
  state: State,
  user: UserRecord | undefined,
  group: GroupRecord,
  today: string,
): boolean => {
  if (isVisibleTo(group.visibility, user)) return true
  if (user === undefined) return false
  return (
    listFamily(state, group).some((g) => getGroupLevel(state, user, g, today) > 0) ||
    listProjectsWithin(state, group).some(
      (p) => getProjectLevel(state, user, p, today) >= accessLevels.guest,
    )
  )
}

const roleWords: readonly (readonly [RegExp, Role])[] = [
  [/\bReporter\b/, 'reporter'],
  [/\bDeveloper\b/, 'developer'],
  [/\bMaintainers?\b/, 'maintainer'],
  [/^Owners\b/, 'owner'],
]

/** Returns the lowest sufficient role in a text of the catalogue, such as `at least Developer of the project`. */
export const getRoleIn = (access: string): Role | undefined =>
  roleWords.find(([pattern]) => pattern.test(access))?.[1]

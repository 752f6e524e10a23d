/** Groups themselves. The documents show what belongs to them alone. */
import { createRandomBytes } from '../../base/random.js'
import { boolean, group, integer, list, oneOf, string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { createRoutes } from '../extra-routes.js'
import { presentShares, simpleProject } from '../present/project.js'
import { badRequest, forbidden, lazily, Reply } from '../reply.js'
import { family, getRoleLevel, projectsWithin } from '../rules/access.js'
import { holdsText, searchParameter, sortRecords } from '../rules/filters.js'
import { removeGroup } from '../rules/removal.js'
import type { GroupRecord } from '../state/people-and-projects.js'

interface GroupInput {
  readonly id: string | number
}

const present = (call: Call, group: GroupRecord) => {
  const { id, name, path, full_path, full_name, parent_id, description, visibility } = group
  const { lfs_enabled, request_access_enabled, created_at } = group
  return {
    id,
    name,
    path,
    full_path,
    full_name,
    parent_id,
    description,
    visibility,
    web_url: call.url(`groups/${full_path}`),
    avatar_url: null,
    created_at,
    lfs_enabled,
    request_access_enabled,
    share_with_group_lock: false,
    require_two_factor_authentication: false,
    two_factor_grace_period: 48,
    project_creation_level: 'developer',
    subgroup_creation_level: 'maintainer',
    default_branch_protection: 2,
    auto_devops_enabled: null,
    emails_disabled: null,
    mentions_disabled: null,
  }
}

interface Filters {
  readonly search?: string
  readonly owned?: boolean
  readonly min_access_level?: number
  readonly top_level_only?: boolean
  readonly skip_groups?: readonly number[]
  readonly order_by: 'id' | 'name' | 'path'
  readonly sort: 'asc' | 'desc'
}

const listGroups = (call: Call, filters: Filters) => {
  const { search, owned, top_level_only, skip_groups = [], order_by, sort } = filters
  const least = owned === true ? getRoleLevel('owner') : (filters.min_access_level ?? 0)
  const rows = call.state.groups.filter(
    (one) =>
      call.seesGroup(one) &&
      holdsText(search, [one.name, one.full_path]) &&
      (least === 0 || call.groupLevel(one) >= least) &&
      (top_level_only !== true || one.parent_id === null) &&
      !skip_groups.includes(one.id),
  )
  return lazily(
    sortRecords(rows, (one) => [one[order_by]], sort),
    (one) => present(call, one),
  )
}

/** A group with whom it is shared, and its own projects unless they are not wanted. */
const getGroup = (
  call: Call,
  { id, with_projects }: GroupInput & { readonly with_projects: boolean },
) => {
  const of = call.group(id)
  const projects = call.state.projects.filter(
    (p) => p.namespace_kind === 'group' && p.namespace_id === of.id && call.sees(p),
  )
  return {
    ...present(call, of),
    shared_with_groups: presentShares(call.state, 'group', of.id),
    ...(with_projects ? { projects: projects.map((p) => simpleProject(call, p)) } : {}),
  }
}

type Attributes = Partial<
  Pick<
    GroupRecord,
    'name' | 'path' | 'description' | 'visibility' | 'lfs_enabled' | 'request_access_enabled'
  >
>

/** The full path of a group below its parent. Refuses what is no path, and one that is taken. */
const getFullPath = (
  call: Call,
  parent: GroupRecord | undefined,
  path: string,
  id?: number,
): string => {
  if (!/^\w[\w.-]*$/.test(path)) throw badRequest({ path: ['is invalid'] })
  const full_path = parent === undefined ? path : `${parent.full_path}/${path}`
  const taken = call.findGroup(full_path) ?? call.findProject(full_path)
  if (taken !== undefined && taken.id !== id) throw badRequest({ path: ['has already been taken'] })
  return full_path
}

const getFullName = (parent: GroupRecord | undefined, name: string): string =>
  parent === undefined ? name : `${parent.full_name} / ${name}`

const create = (
  call: Call,
  given: Attributes & {
    readonly name: string
    readonly path: string
    readonly parent_id?: string | number
  },
) => {
  const user = call.signedIn()
  const { parent_id, name, path } = given
  const parent = parent_id === undefined ? undefined : call.group(parent_id, { role: 'maintainer' })
  if (parent === undefined && user.external) throw forbidden()
  const created_at = call.clock.iso()
  const added = call.state.groups.add({
    description: '',
    visibility: parent?.visibility ?? 'private',
    lfs_enabled: true,
    request_access_enabled: true,
    storage: 'default',
    ...given,
    full_path: getFullPath(call, parent, path),
    full_name: getFullName(parent, name),
    parent_id: parent?.id ?? null,
    created_at,
    runners_token: createRandomBytes(15).toString('base64url'),
  })
  call.state.members.add({
    source_type: 'group',
    source_id: added.id,
    user_id: user.id,
    access_level: getRoleLevel('owner'),
    created_at,
    expires_at: null,
  })
  return getGroup(call, { id: added.id, with_projects: true })
}

/** Has all that is below a group follow its new path and name. */
const move = (call: Call, of: GroupRecord, path: string, name: string): void => {
  const { full_path, full_name } = of
  const follow = (text: string, old: string, fresh: string) => fresh + text.slice(old.length)
  for (const project of projectsWithin(call.state, of))
    call.state.projects.change(project.id, {
      path_with_namespace: follow(project.path_with_namespace, full_path, path),
      name_with_namespace: follow(project.name_with_namespace, full_name, name),
    })
  for (const one of family(call.state, of))
    call.state.groups.change(one.id, {
      full_path: follow(one.full_path, full_path, path),
      full_name: follow(one.full_name, full_name, name),
    })
}

const update = (call: Call, { id, ...given }: GroupInput & Attributes) => {
  const of = call.group(id, { role: 'owner' })
  const parent = call.state.groups.get(of.parent_id)
  const { path = of.path, name = of.name } = given
  move(call, of, getFullPath(call, parent, path, of.id), getFullName(parent, name))
  call.state.groups.change(of.id, given)
  return getGroup(call, { id: of.id, with_projects: true })
}

const remove = (call: Call, { id }: GroupInput) => {
  const of = call.group(id, { role: 'owner' })
  call.unmodified(of)
  removeGroup(call.state, of)
  return new Reply(202, { message: '202 Accepted' })
}

const attributes = {
  description: string('description'),
  visibility: oneOf(['private', 'internal', 'public'], 'who sees it'),
  lfs_enabled: boolean('large files'),
  request_access_enabled: boolean('let users ask for access'),
} as const

export const groupRoutes = createRoutes({
  path: '/groups',
  one: { id: group() },
  access: 'Owners of the group',
  list: [
    {
      ...searchParameter,
      owned: boolean('only those that you own'),
      min_access_level: integer('least access level'),
      top_level_only: boolean('without subgroups'),
      skip_groups: list('integer', 'groups to leave out'),
      order_by: oneOf(['id', 'name', 'path'], 'order', { default: 'id' }),
      sort: oneOf(['asc', 'desc'], 'direction', { default: 'asc' }),
    },
    listGroups,
    { credential: 'optional' },
  ],
  get: [{ with_projects: boolean('include its projects', { default: true }) }, getGroup],
  create: [
    {
      name: string('name', { required: true }),
      path: string('path', { required: true }),
      parent_id: group('parent group'),
      ...attributes,
    },
    create,
  ],
  update: [{ name: string('name'), path: string('path'), ...attributes }, update],
  delete: remove,
})

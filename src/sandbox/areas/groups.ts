/** Serves groups, for which the documented API has no endpoints of their own. */
import { boolean, group, integer, list, oneOf, string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { createRoutes } from '../extra-routes.js'
import constantFields from '../present/constant-fields.json' with { type: 'json' }
import { showShares, showSimpleProject } from '../present/project.js'
import { badRequest, forbidden, Reply } from '../reply.js'
import { type ProjectInput, resource } from '../resource.js'
import { getRoleLevel, listFamily, listProjectsWithin } from '../rules/access.js'
import { searchParameter } from '../rules/filters.js'
import { removeGroup } from '../rules/removal.js'
import type { GroupRecord } from '../state/people-and-projects.js'

const showGroup = (call: Call, group: GroupRecord) => {
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
    web_url: call.getWebUrl(`groups/${full_path}`),
    avatar_url: null,
    created_at,
    lfs_enabled,
    request_access_enabled,
    ...constantFields.group,
  }
}

/** Presents a group with the groups that it is shared with, and with its own projects unless the request excludes them. */
const showFullGroup = (call: Call, of: GroupRecord, withProjects = true) => {
  const projects = call.state.projects.filter(
    (p) => p.namespace_kind === 'group' && p.namespace_id === of.id && call.canSeeProject(p),
  )
  return {
    ...showGroup(call, of),
    shared_with_groups: showShares(call.state, 'group', of.id),
    ...(withProjects ? { projects: projects.map((p) => showSimpleProject(call, p)) } : {}),
  }
}

/** Returns the full path of a group below its parent. @throws Refusal 400 if the path is invalid or taken */
const buildFullPath = (
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

/** Updates the paths and names of all groups and projects in a group that was moved or renamed. */
const move = (call: Call, of: GroupRecord, path: string, name: string): void => {
  const { full_path, full_name } = of
  const follow = (text: string, old: string, fresh: string) => fresh + text.slice(old.length)
  for (const project of listProjectsWithin(call.state, of))
    call.state.projects.change(project.id, {
      path_with_namespace: follow(project.path_with_namespace, full_path, path),
      name_with_namespace: follow(project.name_with_namespace, full_name, name),
    })
  for (const one of listFamily(call.state, of))
    call.state.groups.change(one.id, {
      full_path: follow(one.full_path, full_path, path),
      full_name: follow(one.full_name, full_name, name),
    })
}

const hasLevel = (call: Call, least: number, of: GroupRecord): boolean =>
  least === 0 || call.getGroupLevel(of) >= least

const names = {
  name: string('name', { required: true }),
  path: string('path', { required: true }),
}
const attributes = {
  description: string('description'),
  visibility: oneOf(['private', 'internal', 'public'], 'who sees it'),
  lfs_enabled: boolean('large files'),
  request_access_enabled: boolean('let users ask for access'),
} as const

const groups = resource({
  table: 'groups',
  what: 'Group',
  parent: (call: Call, _: object) => call,
  // `accept` checks the permission to create a group, and `refuse` the permission to change one.
  managed: (call) => {
    call.requireUser()
    return call
  },
  holds: () => true,
  sees: (call, of) => call.canSeeGroup(of),
  key: ['id', 'id', 'full_path'],
  fold: true,
  filters: {
    ...searchParameter,
    owned: boolean('only those that you own'),
    min_access_level: integer('least access level'),
    top_level_only: boolean('without subgroups'),
    skip_groups: list('integer', 'groups to leave out'),
    order_by: oneOf(['id', 'name', 'path'], 'order', { default: 'id' }),
    sort: oneOf(['asc', 'desc'], 'direction', { default: 'asc' }),
  },
  search: ['name', 'full_path'],
  tests: {
    owned: (wanted, of, call) => !wanted || hasLevel(call, getRoleLevel('owner'), of),
    min_access_level: (least, of, call) => hasLevel(call, least, of),
    top_level_only: (wanted, of) => !wanted || of.parent_id === null,
    skip_groups: (ids, of) => !ids.includes(of.id),
  },
  present: (call, of) => showFullGroup(call, of),
  presentListed: showGroup,
  refuse: (call, { id }) => {
    call.requireGroup(id, { role: 'owner' })
  },
  attributes: { ...names, parent_id: group('parent group'), ...attributes },
  changes: { ...names, ...attributes },
  accept: (call, { parent_id: above, ...given }, _, of) => {
    const { name = of?.name ?? '', path = of?.path ?? '' } = given
    const place = above === undefined ? undefined : call.requireGroup(above, { role: 'maintainer' })
    const parent = of === undefined ? place : call.state.groups.get(of.parent_id)
    if (of === undefined && parent === undefined && call.user?.external === true) throw forbidden()
    const full_path = buildFullPath(call, parent, path, of?.id)
    return { ...given, full_path, full_name: getFullName(parent, name), parent_id: parent?.id }
  },
  changing: (call, of, { full_path = '', full_name = '' }) => move(call, of, full_path, full_name),
  defaults: (call, _, { parent_id }) => ({
    description: '',
    visibility: call.state.groups.get(parent_id)?.visibility ?? 'private',
    lfs_enabled: true,
    request_access_enabled: true,
    storage: 'default',
    parent_id: null,
    created_at: call.clock.iso(),
    runners_token: call.clock.createSecret(15, 'base64url'),
  }),
  created: (call, { id, created_at }) => {
    call.state.members.add({
      source_type: 'group',
      source_id: id,
      user_id: call.requireUser().id,
      access_level: getRoleLevel('owner'),
      created_at,
      expires_at: null,
    })
  },
})

const getGroup = (
  call: Call,
  { id, with_projects }: ProjectInput & { readonly with_projects: boolean },
) => showFullGroup(call, call.requireGroup(id), with_projects)

const remove = (call: Call, input: ProjectInput) => {
  const of = groups.managed(call, input)
  call.checkUnmodified(of)
  removeGroup(call.state, of)
  return new Reply(202, { message: '202 Accepted' })
}

export const groupRoutes = createRoutes({
  path: '/groups',
  one: { id: group() },
  access: 'Owners of the group',
  of: groups,
  list: [groups.filters ?? {}, groups.list, { credential: 'optional' }],
  get: [{ with_projects: boolean('include its projects', { default: true }) }, getGroup],
  delete: remove,
})

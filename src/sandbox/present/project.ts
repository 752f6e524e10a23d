/** Presents projects in responses (`catalogue/reference/projects.md`). */
import { Project, SimpleProject } from '../../catalogue/shapes/project.js'
import type { Call } from '../call.js'
import { apiRoot } from '../call.js'
import { getRoleLevel } from '../rules/access.js'
import type { ProjectRecord, SourceType } from '../state/people-and-projects.js'
import type { State } from '../state/state.js'
import { toShape } from './common.js'
import constantFields from './constant-fields.json' with { type: 'json' }

const computeSimple = (call: Call, project: ProjectRecord) => {
  const { path_with_namespace } = project
  const web_url = call.getWebUrl(path_with_namespace)
  return {
    ssh_url_to_repo: `git@${new URL(call.base).hostname}:${path_with_namespace}.git`,
    http_url_to_repo: `${web_url}.git`,
    web_url,
    readme_url: `${web_url}/-/blob/${project.default_branch}/README.md`,
    tag_list: [...project.topics],
    forks_count: call.state.projects.filter((p) => p.forked_from_id === project.id).length,
    avatar_url: null,
    star_count: project.starred_by.length,
  }
}

/** Presents the fields of the view `simple`, which are the only ones in responses to requests without a credential. */
export const showSimpleProject = (call: Call, project: ProjectRecord) =>
  toShape(SimpleProject, project, computeSimple(call, project))

const getNamespace = (call: Call, project: ProjectRecord) => {
  const { namespace_kind, namespace_id } = project
  if (namespace_kind === 'group') {
    const { id, name, path, full_path } = call.state.groups.get(namespace_id) ?? unknown
    return { namespace: { id, name, path, kind: 'group', full_path } }
  }
  const { id, name, username, created_at } = call.state.users.get(namespace_id) ?? unknown
  return {
    owner: { id, name, created_at },
    namespace: { id, name, path: username, kind: 'user', full_path: username },
  }
}
const unknown = { id: 0, name: '', path: '', full_path: '', username: '', created_at: '' }

const getAccess = (call: Call, type: SourceType, id: number) => {
  const levels = call.state.members
    .filter((m) => m.source_type === type && m.source_id === id && m.user_id === call.user?.id)
    .map((m) => m.access_level)
  return levels.length === 0 ? null : { access_level: Math.max(...levels), notification_level: 3 }
}

/** Returns the acting user's access. The user of a personal project is not a member of it, but has the access of a Maintainer. */
const getProjectAccess = (call: Call, project: ProjectRecord) => {
  const own = project.namespace_kind === 'user' && project.namespace_id === call.user?.id
  return own
    ? { access_level: getRoleLevel('maintainer'), notification_level: 3 }
    : getAccess(call, 'project', project.id)
}

/** Presents the groups that a project or group is shared with. */
export const showShares = ({ shares, groups }: State, type: SourceType, id: number) =>
  shares.filter({ source_type: type, source_id: id }).flatMap((s) => {
    const group = groups.get(s.group_id)
    return group === undefined
      ? []
      : {
          group_id: group.id,
          group_name: group.name,
          group_full_path: group.full_path,
          group_access_level: s.group_access,
          expires_at: s.expires_at,
        }
  })

const buildLinks = (call: Call, project: ProjectRecord) => {
  const self = `${call.base}${apiRoot}/projects/${project.id}`
  return {
    self,
    ...(project.issues_enabled ? { issues: `${self}/issues` } : {}),
    ...(project.merge_requests_enabled ? { merge_requests: `${self}/merge_requests` } : {}),
    repo_branches: `${self}/repository/branches`,
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
  }
}

const addTotal = ({ commit_count, ...sizes }: ProjectRecord['statistics']) => {
  const storage_size = Object.values(sizes).reduce((sum, size) => sum + size, 0)
  return { commit_count, storage_size, ...sizes }
}

interface ExtraFields {
  /** True if sizes are included. The acting user has to be at least a Reporter. */
  readonly statistics?: boolean
  readonly custom_attributes?: boolean
}

/** Presents a project with the fields for signed-in users. */
export const showFullProject = (call: Call, project: ProjectRecord, extra: ExtraFields) => {
  const level = call.getProjectLevel(project)
  const open = call.state.issues.filter((i) => i.project_id === project.id && i.state === 'opened')
  const reports = level >= getRoleLevel('reporter')
  const maintains = level >= getRoleLevel('maintainer')
  const attributes = Object.entries(project.custom_attributes)
  return toShape(Project, project, {
    ...computeSimple(call, project),
    ...getNamespace(call, project),
    ...constantFields.project,
    container_registry_image_prefix: `${new URL(call.base).host}/${project.path_with_namespace}`,
    can_create_merge_request_in:
      project.merge_requests_enabled && level >= getRoleLevel('developer'),
    open_issues_count: project.issues_enabled ? open.length : undefined,
    shared_with_groups: showShares(call.state, 'project', project.id),
    approvals_before_merge: project.approvals.approvals_before_merge,
    marked_for_deletion_at: project.marked_for_deletion_on,
    permissions: {
      project_access: getProjectAccess(call, project),
      group_access:
        project.namespace_kind === 'group' ? getAccess(call, 'group', project.namespace_id) : null,
    },
    _links: buildLinks(call, project),
    runners_token: maintains ? project.runners_token : undefined,
    repository_storage: call.isAdmin ? project.repository_storage : undefined,
    statistics: extra.statistics === true && reports ? addTotal(project.statistics) : undefined,
    custom_attributes:
      extra.custom_attributes === true
        ? attributes.map(([key, value]) => ({ key, value }))
        : undefined,
  })
}

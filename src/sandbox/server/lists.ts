/**
 * Lists that deployed instances have and the documents do not show; shells complete from them, and
 * prompts offer what they hold. Who sees what is as in the documented lists beside them.
 */
import { issues } from '../../catalogue/areas/issues.js'
import type { CheckedOf } from '../../catalogue/inferred.js'
import { boolean, group, oneOf, project, string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { branches } from '../git/read.js'
import type { AnyHandler } from '../handlers.js'
import { pipelineBrief } from '../present/common.js'
import { projectWithJobs } from '../present/job.js'
import { sharesOf, simpleProject } from '../present/project.js'
import { listIssues } from '../rules/planning/issue-list.js'
import { labelsAround } from '../rules/planning/planning-filters.js'
import type { GroupRecord } from '../state/people-and-projects.js'
import { type Accepts, holds, searched } from './accepts.js'
import { apiRoot } from './root.js'

interface Held {
  readonly id: string | number
}
interface Searching {
  readonly search?: string
}

const groupFields = (call: Call, group: GroupRecord) => {
  const { id, name, path, full_path, full_name, parent_id, description, visibility } = group
  const web_url = call.url(`groups/${full_path}`)
  return { id, name, path, full_path, full_name, parent_id, description, visibility, web_url }
}

const groupsOf = (call: Call, { search }: Searching) =>
  call.state.groups
    .filter((group) => call.seesGroup(group) && holds(`${group.name}\n${group.full_path}`, search))
    .map((group) => groupFields(call, group))

/** A group with whom it is shared, and its own projects unless they are not wanted. */
const groupOf = (call: Call, { id, with_projects = true }: Held & { with_projects?: boolean }) => {
  const of = call.group(id)
  const projects = call.state.projects.filter(
    (p) => p.namespace_kind === 'group' && p.namespace_id === of.id && call.sees(p),
  )
  return {
    ...groupFields(call, of),
    created_at: of.created_at,
    shared_with_groups: sharesOf(call.state, 'group', of.id),
    ...(with_projects ? { projects: projects.map((p) => simpleProject(call, p)) } : {}),
  }
}

type IssueInput = CheckedOf<(typeof issues)['list']>

/** Those of the documented list of issues; in one project everybody's count, in an archived one too. */
const issueParams = {
  ...issues.list.params,
  scope: { ...issues.list.params.scope, default: 'all' },
  non_archived: { ...issues.list.params.non_archived, default: false },
}

/** The documented list of issues, with its project fixed. */
const issuesOf = (call: Call, { id, ...filters }: Held & IssueInput) => {
  const from = call.project(id)
  return listIssues(call, [from], filters, from)
}

const statuses = [
  'created',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
] as const
const orders = ['id', 'status', 'ref', 'updated_at', 'user_id'] as const
interface PipelineInput extends Held {
  readonly status?: (typeof statuses)[number]
  readonly ref?: string
  readonly order_by?: (typeof orders)[number]
  readonly sort?: 'asc' | 'desc'
}

const pipelinesOf = (call: Call, input: PipelineInput) => {
  const { status, ref, order_by: key = 'id', sort = 'desc' } = input
  const of = projectWithJobs(call, input.id)
  const direction = sort === 'asc' ? 1 : -1
  return call.state.pipelines
    .filter((p) => p.project_id === of.id)
    .filter((p) => [undefined, p.status].includes(status) && [undefined, p.ref].includes(ref))
    .sort((a, b) => direction * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : a.id - b.id))
    .map(pipelineBrief)
}

const pipelineParams = {
  status: oneOf(statuses, 'status'),
  ref: string('only those of this branch or tag'),
  order_by: oneOf(orders, 'field that they are sorted by'),
  sort: oneOf(['asc', 'desc'], 'direction'),
}

const branchesOf = async (call: Call, { id, search }: Held & Searching) => {
  const of = call.project(id, { member: 'reporter' })
  const found = await branches(await call.git.open(of))
  return found
    .filter(({ name }) => holds(name, search))
    .map(({ name, id: tip, title }) => ({
      name,
      default: name === of.default_branch,
      commit: { id: tip, short_id: tip.slice(0, 8), title },
    }))
}

const labelsOf = (call: Call, { id, search }: Held & Searching) =>
  labelsAround(call, call.project(id))
    .filter(({ name }) => holds(name, search))
    .map(({ id: label, name, color, description }) => ({ id: label, name, color, description }))

const protectedOf = (call: Call, { id, search }: Held & Searching) => {
  const of = call.project(id, { role: 'maintainer' })
  return call.state.protectedBranches
    .filter(({ project_id, name }) => project_id === of.id && holds(name, search))
    .map(({ id: branch, name }) => ({ id: branch, name }))
}

const resourceGroupsOf = async (call: Call, { id }: Held) => {
  const { listGroups } = await import('../areas/resource-groups.js')
  return listGroups(call, id)
}

/** The placeholder of a path. */
const placeOf = (path: string): Accepts['path'] => {
  if (!path.includes(':id')) return {}
  return { id: path.startsWith('/groups') ? group() : project() }
}

const list = (path: string, params: Accepts['params'], handle: AnyHandler) => ({
  method: 'GET' as const,
  path: `${apiRoot}${path}`,
  accepts: { path: placeOf(path), params },
  handle,
})

export const listRoutes = [
  list('/groups', searched, groupsOf),
  list('/groups/:id', { with_projects: boolean('whether its projects are shown') }, groupOf),
  list('/projects/:id/issues', issueParams, issuesOf),
  list('/projects/:id/labels', searched, labelsOf),
  list('/projects/:id/pipelines', pipelineParams, pipelinesOf),
  list('/projects/:id/protected_branches', searched, protectedOf),
  list('/projects/:id/repository/branches', searched, branchesOf),
  list('/projects/:id/resource_groups', {}, resourceGroupsOf),
]

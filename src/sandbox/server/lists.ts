/**
 * Lists that deployed instances have and the documents do not show; shells complete from them, and
 * prompts offer what they hold. Who sees what is as in the documented lists beside them.
 */
import { issues } from '../../catalogue/areas/issues.js'
import type { CheckedOf } from '../../catalogue/inferred.js'
import { oneOf, project } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import { branches } from '../git/read.js'
import type { AnyHandler } from '../handlers.js'
import { pipelineBrief } from '../present/common.js'
import { projectWithJobs } from '../present/job.js'
import { listIssues } from '../rules/planning/issue-list.js'
import { labelsAround } from '../rules/planning/planning-filters.js'
import { type Accepts, holds, searched } from './accepts.js'
import { apiRoot } from './root.js'

interface Held {
  readonly id: string | number
}
interface Searching {
  readonly search?: string
}

const groupsOf = (call: Call, { search }: Searching) =>
  call.state.groups
    .filter((group) => call.seesGroup(group) && holds(`${group.name}\n${group.full_path}`, search))
    .map(({ id, name, path, full_path, full_name, parent_id, description, visibility }) => ({
      id,
      name,
      path,
      full_path,
      full_name,
      parent_id,
      description,
      visibility,
      web_url: call.url(`groups/${full_path}`),
    }))

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
interface PipelineInput extends Held {
  readonly status?: (typeof statuses)[number]
}

const pipelinesOf = (call: Call, { id, status }: PipelineInput) => {
  const of = projectWithJobs(call, id)
  return call.state.pipelines
    .filter((p) => p.project_id === of.id && (status === undefined || p.status === status))
    .sort((a, b) => b.id - a.id)
    .map(pipelineBrief)
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

const ofProject = { id: project() } as const

const list = (path: string, params: Accepts['params'], handle: AnyHandler) => ({
  method: 'GET' as const,
  path: `${apiRoot}${path}`,
  accepts: { path: path.includes(':id') ? ofProject : {}, params },
  handle,
})

export const listRoutes = [
  list('/groups', searched, groupsOf),
  list('/projects/:id/issues', issueParams, issuesOf),
  list('/projects/:id/labels', searched, labelsOf),
  list('/projects/:id/pipelines', { status: oneOf(statuses, 'status') }, pipelinesOf),
  list('/projects/:id/protected_branches', searched, protectedOf),
  list('/projects/:id/repository/branches', searched, branchesOf),
  list('/projects/:id/resource_groups', {}, resourceGroupsOf),
]

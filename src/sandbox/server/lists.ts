/**
 * Lists that deployed instances have and the documents do not show; shells complete from them, and
 * prompts offer what they hold. Who sees what is as in the documented lists beside them.
 */
import type { Call } from '../call.js'
import { branches } from '../git/read.js'
import { labelsAround } from '../planning-filters.js'
import { pipelineBrief } from '../present.js'
import { presentIssue, seesIssue } from '../present-issue.js'
import { projectWithJobs } from '../present-job.js'
import { apiRoot } from './root.js'

type Path = Readonly<Record<string, string>>

/** The project of a path: digits are an ID. */
const holderOf = ({ id = '' }: Path): string | number => (/^\d+$/.test(id) ? Number(id) : id)

const groupsOf = (call: Call) =>
  call.state.groups
    .filter((group) => call.seesGroup(group))
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

const issuesOf = (call: Call, path: Path) => {
  const project = call.project(holderOf(path))
  return call.state.issues
    .filter((issue) => issue.project_id === project.id && seesIssue(call, project, issue))
    .sort((a, b) => b.iid - a.iid)
    .map((issue) => presentIssue(call, project, issue))
}

const pipelinesOf = (call: Call, path: Path) => {
  const project = projectWithJobs(call, holderOf(path))
  return call.state.pipelines
    .filter((pipeline) => pipeline.project_id === project.id)
    .sort((a, b) => b.id - a.id)
    .map(pipelineBrief)
}

const branchesOf = async (call: Call, path: Path) => {
  const project = call.project(holderOf(path), { member: 'reporter' })
  const found = await branches(await call.git.open(project))
  return found.map(({ name, id, title }) => ({
    name,
    default: name === project.default_branch,
    commit: { id, short_id: id.slice(0, 8), title },
  }))
}

const labelsOf = (call: Call, path: Path) =>
  labelsAround(call, call.project(holderOf(path))).map(({ id, name, color, description }) => ({
    id,
    name,
    color,
    description,
  }))

const resourceGroupsOf = async (call: Call, path: Path) => {
  const { listGroups } = await import('../areas/resource-groups.js')
  return listGroups(call, holderOf(path))
}

const ofProject = `${apiRoot}/projects/:id`

export const listRoutes = [
  { method: 'GET', path: `${apiRoot}/groups`, handle: groupsOf },
  { method: 'GET', path: `${ofProject}/issues`, handle: issuesOf },
  { method: 'GET', path: `${ofProject}/labels`, handle: labelsOf },
  { method: 'GET', path: `${ofProject}/pipelines`, handle: pipelinesOf },
  { method: 'GET', path: `${ofProject}/repository/branches`, handle: branchesOf },
  { method: 'GET', path: `${ofProject}/resource_groups`, handle: resourceGroupsOf },
] as const

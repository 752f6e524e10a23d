/** Issues as the API shows them, and who may see them. */
import type { Call } from '../call.js'
import { apiRoot } from '../call.js'
import { notFound } from '../reply.js'
import { labelsAround } from '../rules/planning/planning-filters.js'
import type { ProjectRecord, UserRecord } from '../state/people-and-projects.js'
import type { IssueRecord } from '../state/planning.js'
import {
  milestone,
  presentLabel,
  presentUser,
  presentUsers,
  references,
  taskCompletion,
  timeStats,
  userSummary,
} from './common.js'

const reporter = 20

/** Whether an issue of a visible project shows: confidential ones only to those concerned. */
export const seesIssue = (call: Call, project: ProjectRecord, issue: IssueRecord): boolean => {
  if (!project.issues_enabled) return false
  if (!issue.confidential) return true
  const { user } = call
  if (user === undefined) return false
  return (
    issue.author_id === user.id ||
    issue.assignee_ids.includes(user.id) ||
    call.projectLevel(project) >= reporter
  )
}

/** An author that is always there. */
export const presentAuthor = (call: Call, id: number) => {
  const user: UserRecord | undefined = call.state.users.get(id)
  if (user === undefined) throw notFound('User')
  return userSummary(call, user)
}

/** Label names, or the labels themselves (`with_labels_details`). */
export const presentLabels = (
  call: Call,
  project: ProjectRecord,
  names: readonly string[],
  details: boolean | undefined,
) => {
  if (details !== true) return [...names]
  const known = labelsAround(call, project)
  return names.flatMap((name) => {
    const label = known.find((l) => l.name === name)
    return label === undefined ? [] : [presentLabel(label)]
  })
}

export const presentMilestone = (call: Call, id: number | null) => {
  const record = call.state.milestones.get(id)
  return record === undefined ? null : milestone(call, record)
}

/** How often a thumb was raised and lowered. */
export const votes = (reactions: IssueRecord['reactions']) => ({
  upvotes: reactions.filter((r) => r.name === 'thumbsup').length,
  downvotes: reactions.filter((r) => r.name === 'thumbsdown').length,
})

export const notesCount = (call: Call, type: string, id: number): number =>
  call.state.notes.filter((n) => n.noteable_type === type && n.noteable_id === id && !n.system)
    .length

const epicOf = (call: Call, id: number | null) => {
  const epic = call.state.epics.get(id)
  if (epic === undefined) return null
  const path = call.state.groups.get(epic.group_id)?.full_path
  const url = `/groups/${path}/-/epics/${epic.iid}`
  return { id: epic.id, iid: epic.iid, title: epic.title, url, group_id: epic.group_id }
}

const tasksOf = (description: string) => {
  const task_completion_status = taskCompletion(description)
  const { count, completed_count } = task_completion_status
  const has_tasks = count > 0
  if (!has_tasks) return { has_tasks, task_completion_status }
  const task_status = `${completed_count} of ${count} tasks completed`
  return { has_tasks, task_status, task_completion_status }
}

const linksOf = (call: Call, project: ProjectRecord, iid: number) => {
  const home = `${call.base}${apiRoot}/projects/${project.id}`
  const self = `${home}/issues/${iid}`
  return { self, notes: `${self}/notes`, award_emoji: `${self}/award_emoji`, project: home }
}

export interface IssueView {
  /** The project it is asked for from, if any. */
  readonly from?: ProjectRecord
  readonly labelDetails?: boolean | undefined
}

/** Who it concerns and where it belongs. */
const people = (call: Call, issue: IssueRecord) => ({
  author: presentAuthor(call, issue.author_id),
  assignees: presentUsers(call, issue.assignee_ids),
  assignee: presentUser(call, issue.assignee_ids[0]),
  closed_by: presentUser(call, issue.closed_by_id),
})

const premium = (call: Call, issue: IssueRecord) => {
  const epic = epicOf(call, issue.epic_id)
  return {
    weight: issue.weight,
    epic,
    epic_iid: epic?.iid ?? null,
    health_status: issue.health_status,
  }
}

export const presentIssue = (
  call: Call,
  project: ProjectRecord,
  issue: IssueRecord,
  view: IssueView = {},
) => ({
  id: issue.id,
  iid: issue.iid,
  project_id: issue.project_id,
  title: issue.title,
  description: issue.description,
  state: issue.state as string,
  type: issue.issue_type.toUpperCase(),
  issue_type: issue.issue_type as string,
  ...people(call, issue),
  milestone: presentMilestone(call, issue.milestone_id),
  labels: presentLabels(call, project, issue.labels, view.labelDetails),
  created_at: issue.created_at,
  updated_at: issue.updated_at,
  closed_at: issue.closed_at,
  moved_to_id: issue.moved_to_id,
  ...votes(issue.reactions),
  merge_requests_count: call.state.mergeRequests.filter(
    (m) => m.project_id === project.id && m.closes_iids.includes(issue.iid),
  ).length,
  user_notes_count: notesCount(call, 'Issue', issue.id),
  due_date: issue.due_date,
  web_url: issueUrl(call, project, issue),
  references: references(project, '#', issue.iid, view.from),
  time_stats: timeStats(issue),
  ...tasksOf(issue.description),
  confidential: issue.confidential,
  discussion_locked: issue.discussion_locked,
  _links: linksOf(call, project, issue.iid),
  ...premium(call, issue),
})

export const issueUrl = (call: Call, project: ProjectRecord, issue: IssueRecord): string =>
  call.url(`${project.path_with_namespace}/-/issues/${issue.iid}`)

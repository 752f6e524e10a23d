/**
 * Serves lists of issues and related merge requests, to-do items, subscriptions, time tracking and promotion to an epic
 * (`catalogue/reference/issues.md`).
 */
import { parseDuration } from '../../base/dates.js'
import { issues } from '../../catalogue/areas/issues.js'
import { Note, Todo } from '../../catalogue/shapes/planning.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import { getTimeStats, showProjectSummary, toShape } from '../present/common.js'
import {
  canSeeRequests,
  getIssueUrl,
  showAuthor,
  showIssue,
  showRequest,
} from '../present/planning.js'
import {
  badRequest,
  createLazyList,
  createUnchangedReply,
  forbidden,
  invalid,
  notFound,
} from '../reply.js'
import { getProjectGroup, listProjectsWithin } from '../rules/access.js'
import { closeIssue } from '../rules/pushes.js'
import type { GroupRecord, ProjectRecord } from '../state/people-and-projects.js'
import type { EpicRecord, IssueRecord, NoteRecord } from '../state/planning.js'
import { findIssue, type IssueInput, listIssues } from './issue-records.js'

// The promotion of an issue to an epic by a note with `/promote` (`catalogue/reference/issues.md`).

const command = /^\/promote\b/m
const reporter = 20

const checkPromotion = (call: Call, project: ProjectRecord, issue: IssueRecord, body: string) => {
  if (!command.test(body))
    throw badRequest({ body: ['must contain /promote at the start of a line'] })
  const group = getProjectGroup(call.state, project)
  if (group === undefined)
    throw badRequest({ commands_only: ['Only issues of a group’s project can be promoted.'] })
  if (call.getGroupLevel(group) < reporter) throw forbidden()
  if (issue.state === 'closed')
    throw badRequest({ commands_only: ['Cannot promote issue because it is closed.'] })
  return group
}

const addEpic = (call: Call, group: GroupRecord, issue: IssueRecord): EpicRecord =>
  call.state.epics.add({
    iid: call.state.epics.filter({ group_id: group.id }).length + 1,
    group_id: group.id,
    title: issue.title,
    description: issue.description,
    state: 'opened',
    author_id: call.requireUser().id,
    created_at: call.clock.iso(),
  })

const addNote = (call: Call, issue: IssueRecord, body: string, system: boolean): NoteRecord => {
  const now = call.clock.iso()
  return call.state.notes.add({
    project_id: issue.project_id,
    author_id: call.requireUser().id,
    noteable_type: 'Issue',
    noteable_id: issue.id,
    noteable_iid: issue.iid,
    body,
    system,
    confidential: false,
    resolvable: false,
    created_at: now,
    updated_at: now,
  })
}

const recordEvents = (call: Call, issue: IssueRecord, note: NoteRecord, epic: EpicRecord): void => {
  call.recordEvent({
    action: 'commented',
    project_id: issue.project_id,
    target_type: 'Note',
    target_id: note.id,
    target_iid: note.id,
    target_title: issue.title,
    note_id: note.id,
  })
  call.recordItemEvent('created', 'Epic', epic)
}

const showNote = (call: Call, note: NoteRecord) =>
  toShape(Note, note, {
    type: null,
    attachment: null,
    author: showAuthor(call, note.author_id),
    commands_changes: { promote_to_epic: true },
  })

/** Closes the issue and opens an epic in its group instead. @returns the note */
const convertToEpic = (call: Call, project: ProjectRecord, issue: IssueRecord, body: string) => {
  const group = checkPromotion(call, project, issue, body)
  const epic = addEpic(call, group, issue)
  const note = addNote(call, issue, body, false)
  addNote(call, issue, `promoted to epic &${epic.iid}`, true)
  recordEvents(call, issue, note, epic)
  closeIssue(call, issue)
  return showNote(call, note)
}

type FoundIssue = ReturnType<typeof findIssue>

/** Finds an issue that a Reporter may change, if its project is not archived. */
const findWritableIssue = (call: Call, input: IssueInput): FoundIssue => {
  const found = findIssue(call, input)
  call.requireProject(found.project.id, { role: 'reporter' })
  if (found.project.archived) throw forbidden()
  return found
}

const removeSubscription = (call: Call, { project, issue }: FoundIssue) => {
  const { id } = call.requireUser()
  const subscriber_ids = issue.subscriber_ids.filter((other) => other !== id)
  call.state.issues.change(issue.id, { subscriber_ids })
  return showIssue(call, project, issue, { from: project, subscribed: false })
}

const addTodo = (call: Call, { project, issue }: FoundIssue) => {
  const user = call.requireUser()
  const pending = {
    user_id: user.id,
    target_type: 'Issue',
    target_id: issue.id,
    state: 'pending',
  } as const
  if (call.state.todos.some(pending)) return createUnchangedReply()
  const todo = call.state.todos.add({
    ...pending,
    author_id: user.id,
    project_id: project.id,
    action_name: 'marked',
    created_at: call.clock.iso(),
  })
  return toShape(Todo, todo, {
    project: showProjectSummary(project),
    author: showAuthor(call, todo.author_id),
    target: showIssue(call, project, issue, { from: project }),
    target_url: getIssueUrl(call, project, issue),
    body: issue.title,
  })
}

const parseSeconds = (duration: string): number => {
  const seconds = parseDuration(duration)
  if (seconds === undefined) throw invalid('duration is invalid')
  return seconds
}

/** Sets the estimate of an issue or the time spent on it, both in seconds. */
const setTimes = (
  call: Call,
  issue: IssueRecord,
  change: { readonly time_estimate?: number; readonly total_time_spent?: number },
) => {
  call.state.issues.change(issue.id, { ...change, updated_at: call.clock.iso() })
  return getTimeStats(issue)
}

const setEstimate = (call: Call, issue: IssueRecord, duration: string) => {
  const time_estimate = parseSeconds(duration)
  if (time_estimate < 0) throw badRequest({ time_estimate: ['must not be negative'] })
  return setTimes(call, issue, { time_estimate })
}

const addSpentTime = (call: Call, issue: IssueRecord, duration: string) => {
  const seconds = parseSeconds(duration)
  if (seconds === 0) throw badRequest({ spent_at: ['time spent must not be nothing'] })
  const total_time_spent = issue.total_time_spent + seconds
  if (total_time_spent < 0)
    throw badRequest({ base: ['Time to subtract exceeds the total time spent'] })
  return setTimes(call, issue, { total_time_spent })
}

/** Lists the merge requests that close the issue or whose description mentions it. */
const listRelated = (call: Call, { project, issue }: FoundIssue) => {
  const short = new RegExp(`(^|[^\\w/])#${issue.iid}\\b`)
  const full = `${project.path_with_namespace}#${issue.iid}`
  const rows = call.state.mergeRequests.filter((m) => {
    const home = call.state.projects.get(m.project_id)
    if (home === undefined || !canSeeRequests(call, home)) return false
    const own = home.id === project.id
    return (
      (own && (m.closes_iids.includes(issue.iid) || short.test(m.description))) ||
      `${m.description} `.split(/[\s,.;)]/).includes(full)
    )
  })
  return createLazyList(rows, (m) => {
    const home = call.state.projects.get(m.project_id)
    if (home === undefined) throw notFound('Project')
    return showRequest(call, home, m, { from: project })
  })
}

export const served = serve(issues, {
  list: (call, input) =>
    listIssues(
      call,
      call.state.projects.filter((p) => call.canSeeProject(p)),
      input,
    ),
  listOfGroup: (call, { id, ...filters }) => {
    const projects = listProjectsWithin(call.state, call.requireGroup(id)).filter((p) =>
      call.canSeeProject(p),
    )
    return listIssues(call, projects, filters)
  },
  unsubscribe: (call, input) => removeSubscription(call, findIssue(call, input)),
  todo: (call, input) => addTodo(call, findIssue(call, input)),
  relatedMergeRequests: (call, input) => listRelated(call, findIssue(call, input)),
  promote: (call, input) => {
    const { project, issue } = findWritableIssue(call, input)
    return convertToEpic(call, project, issue, input.body)
  },
  timeStats: (call, input) => getTimeStats(findIssue(call, input).issue),
  estimate: (call, input) =>
    setEstimate(call, findWritableIssue(call, input).issue, input.duration),
  resetEstimate: (call, input) =>
    setTimes(call, findWritableIssue(call, input).issue, { time_estimate: 0 }),
  spend: (call, input) => addSpentTime(call, findWritableIssue(call, input).issue, input.duration),
  resetSpent: (call, input) =>
    setTimes(call, findWritableIssue(call, input).issue, { total_time_spent: 0 }),
})

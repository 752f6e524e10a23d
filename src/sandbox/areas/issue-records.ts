/** Lists issues for all endpoints that list them, and serves single issues of a project, for which the documented API has no endpoints. */

import { dayLength, toDay } from '../../base/dates.js'
import { issues } from '../../catalogue/areas/issues.js'
import { boolean, date, integer, list, oneOf, string } from '../../catalogue/params.js'
import { issueTypes } from '../../catalogue/shapes/planning.js'
import type { Call } from '../call.js'
import type { ParamInput } from '../check.js'
import { createRoutes } from '../extra-routes.js'
import { canSeeIssue, countVotes, showIssue } from '../present/planning.js'
import { forbidden, notFound } from '../reply.js'
import { type ProjectInput, resource } from '../resource.js'
import { getRoleLevel } from '../rules/access.js'
import { hasMilestone, hasNone, listUsableLabels, workItemTests } from '../rules/filters.js'
import { createIssueState } from '../rules/pushes.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { IssueRecord } from '../state/planning.js'
import { addMissingLabels } from './labels.js'

const addDays = (today: string, days: number): string => toDay(Date.parse(today) + days * dayLength)

/** Returns the last day of the month that is `months` after the present one. */
const getMonthEnd = (today: string, months: number): string => {
  const [year = 0, month = 1] = today.split('-').map(Number)
  return toDay(Date.UTC(year, month + months, 0))
}

/**
 * Returns the first and the last day of a due-date filter: the week (from Monday), the month, or the documented longest period: from two
 * weeks ago to the end of next month.
 */
const getDuePeriod = (word: string, today: string): readonly [string, string] => {
  const weekday = (new Date(today).getUTCDay() + 6) % 7
  if (word === 'week') return [addDays(today, -weekday), addDays(today, 6 - weekday)]
  if (word === 'month') return [`${today.slice(0, 8)}01`, getMonthEnd(today, 0)]
  return [addDays(today, -14), getMonthEnd(today, 1)]
}

/** True if a due date passes its filter. The filter `0` is passed by no due date. */
const matchesDueDate = (call: Call, word: string, date: string | null): boolean => {
  const today = call.clock.day()
  if (word === '0') return date === null
  if (date === null) return false
  if (word === 'overdue') return date < today
  const [first, last] = getDuePeriod(word, today)
  return date >= first && date <= last
}

/** Returns the lowest priority number of an issue's labels; null if none has a priority. */
const getLabelPriority = (call: Call, issue: IssueRecord): number | null => {
  const project = call.state.projects.get(issue.project_id)
  if (project === undefined) return null
  const priorities = listUsableLabels(call, project)
    .filter((l) => issue.labels.includes(l.name))
    .flatMap((l) => l.priority ?? [])
  return priorities.length === 0 ? null : Math.min(...priorities)
}

const getMilestoneDue = (call: Call, issue: IssueRecord): string | null =>
  call.state.milestones.get(issue.milestone_id)?.due_date ?? null

/** The attributes that the author of an issue may set. */
const authorAttributes = {
  title: string('title', { filled: true }),
  description: string('description'),
  issue_type: oneOf(issueTypes, 'type'),
  confidential: boolean('show it to members only'),
} as const

/** The further attributes that reporters and above may set. */
const reporterAttributes = {
  assignee_ids: list('integer', 'users'),
  milestone_id: integer('milestone', { nullable: true }),
  labels: list('string', 'labels', { join: 'comma' }),
  due_date: date('day', { clears: true }),
  weight: integer('weight', { min: 0, nullable: true }),
  discussion_locked: boolean('close the discussion'),
} as const

/** The parameters that only an update has. */
const updateParams = {
  add_labels: list('string', 'labels to add', { join: 'comma' }),
  remove_labels: list('string', 'labels to remove', { join: 'comma' }),
  state_event: oneOf(['close', 'reopen'], 'state change'),
} as const

const issueAttributes = { ...authorAttributes, ...reporterAttributes } as const
type IssueAttributes = typeof issueAttributes

const isReporter = (call: Call, project: ProjectRecord): boolean =>
  call.getProjectLevel(project) >= getRoleLevel('reporter')

/** The values of a new issue that nobody set. */
const newIssue = {
  description: '',
  state: 'opened',
  issue_type: 'issue',
  confidential: false,
  assignee_ids: [],
  milestone_id: null,
  iteration_id: null,
  epic_id: null,
  labels: [],
  closed_at: null,
  closed_by_id: null,
  moved_to_id: null,
  reactions: [],
  due_date: null,
  discussion_locked: null,
  weight: null,
  health_status: null,
  time_estimate: 0,
  total_time_spent: 0,
} as const

/** Returns the attributes that close or reopen an issue; empty if it has the requested state already. */
const getStateChange = (
  call: Call,
  issue: IssueRecord | undefined,
  event: 'close' | 'reopen' | undefined,
) => {
  const state = event === 'close' ? 'closed' : 'opened'
  if (event === undefined || issue === undefined || issue.state === state) return {}
  return createIssueState(call, state)
}

/** The projects whose issues are listed, and the project of the request's path, if it has one. */
interface IssueParent {
  readonly ids: ReadonlySet<number>
  readonly from?: ProjectRecord
}

const createParent = (projects: readonly ProjectRecord[], from?: ProjectRecord): IssueParent => ({
  ids: new Set(projects.map(({ id }) => id)),
  ...(from && { from }),
})

/** Finds the project of the request's path. @throws Refusal 404 if the acting user cannot see it */
const findProjectParent = (call: Call, { id }: ProjectInput): IssueParent => {
  const project = call.requireProject(id)
  return createParent([project], project)
}

/** Returns a project by its ID. @throws Refusal 404 if there is none */
const requireIssueProject = ({ state }: Call, id: number | undefined): ProjectRecord => {
  const home = state.projects.get(id)
  if (home === undefined) throw notFound('Project')
  return home
}

const { scope, non_archived } = issues.list.params

/** Returns the labels of an issue after labels were added and removed. */
const mergeLabels = (
  current: readonly string[],
  { add_labels = [], remove_labels = [] }: ParamInput<typeof updateParams>,
): readonly string[] => [
  ...new Set([...current.filter((name) => !remove_labels.includes(name)), ...add_labels]),
]

/** Returns the attributes that the acting user may set. */
const pickAllowed = (
  call: Call,
  project: ProjectRecord,
  given: ParamInput<IssueAttributes>,
): ParamInput<IssueAttributes> => {
  const allowed = isReporter(call, project) ? issueAttributes : authorAttributes
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(allowed, name)))
}

const issueResource = resource({
  table: 'issues',
  what: 'Issue',
  parent: findProjectParent,
  managed: (call, input) => {
    const place = findProjectParent(call, input)
    call.requireUser()
    if (place.from?.archived === true) throw forbidden()
    return place
  },
  key: ['issue_iid', 'iid'],
  holds: ({ project_id }, { ids }) => ids.has(project_id),
  sees: (call, issue) => canSeeIssue(call, requireIssueProject(call, issue.project_id), issue),
  // The filters of the documented list. In one project, the issues of all users are listed, also if it is archived.
  filters: {
    ...issues.list.params,
    scope: { ...scope, default: 'all' as const },
    non_archived: { ...non_archived, default: false as const },
  },
  tests: {
    ...workItemTests,
    due_date: (word, { due_date }, call) => matchesDueDate(call, word, due_date),
    milestone_id: (wanted, issue, call) => hasMilestone(call, wanted, issue),
    not: ({ milestone_id }, issue, call) =>
      hasNone(milestone_id, (wanted) => hasMilestone(call, wanted, issue)),
  },
  orders: {
    label_priority: (issue, call) => [getLabelPriority(call, issue)],
    milestone_due: (issue, call) => [getMilestoneDue(call, issue)],
    popularity: ({ reactions }) => [countVotes(reactions).upvotes],
    priority: (issue, call) => [getMilestoneDue(call, issue), getLabelPriority(call, issue)],
    title: ({ title }) => [title.toLowerCase()],
  },
  present: (call, issue, { from }) =>
    showIssue(call, requireIssueProject(call, issue.project_id), issue, {
      ...(from && { from }),
      subscribed: call.user !== undefined && issue.subscriber_ids.includes(call.user.id),
    }),
  presentListed: (call, issue, { from }, { with_labels_details: labelDetails }) =>
    showIssue(call, requireIssueProject(call, issue.project_id), issue, {
      ...(from && { from }),
      labelDetails,
    }),
  attributes: { ...issueAttributes, title: string('title', { required: true, filled: true }) },
  changes: { ...issueAttributes, ...updateParams },
  refuse: (call, { project_id, author_id, assignee_ids }) => {
    const { id } = call.requireUser()
    const isOwn = author_id === id || assignee_ids.includes(id)
    if (!isOwn && !isReporter(call, requireIssueProject(call, project_id))) throw forbidden()
  },
  // Attributes that the acting user may not set are ignored.
  accept: (call, { add_labels, remove_labels, state_event, ...given }, place, issue) => {
    const project = requireIssueProject(call, place.from?.id)
    if (!project.issues_enabled) throw forbidden()
    const current = given.labels ?? issue?.labels ?? []
    const labels = mergeLabels(current, { add_labels, remove_labels })
    const allowed = pickAllowed(call, project, { ...given, labels })
    if (allowed.labels !== undefined) addMissingLabels(call, project, allowed.labels)
    const assignee_ids = allowed.assignee_ids?.filter(
      (id) => call.state.users.get(id) !== undefined,
    )
    const due_date = allowed.due_date === '' ? null : allowed.due_date
    return { ...allowed, ...getStateChange(call, issue, state_event), assignee_ids, due_date }
  },
  changing: (call, issue, { state }) => {
    if (state !== undefined)
      call.recordItemEvent(state === 'closed' ? 'closed' : 'reopened', 'Issue', issue)
  },
  defaults: (call, { from }) => {
    const user = call.requireUser()
    const { id } = requireIssueProject(call, from?.id)
    const iids = call.state.issues.filter((i) => i.project_id === id).map(({ iid }) => iid)
    const iid = Math.max(0, ...iids) + 1
    const now = call.clock.iso()
    return {
      ...newIssue,
      project_id: id,
      iid,
      relative_position: iid * 500,
      author_id: user.id,
      subscriber_ids: [user.id],
      created_at: now,
      updated_at: now,
    }
  },
  created: (call, issue) => void call.recordItemEvent('created', 'Issue', issue),
  // Only owners of a project may delete its issues.
  remove: (call, { id, project_id }) => {
    if (!call.isOwnerOf(requireIssueProject(call, project_id))) throw forbidden()
    const { issues: rows, notes, todos } = call.state
    for (const note of notes.filter((n) => n.noteable_type === 'Issue' && n.noteable_id === id))
      notes.remove(note.id)
    for (const todo of todos.filter({ target_type: 'Issue', target_id: id })) todos.remove(todo.id)
    rows.remove(id)
  },
})

/** Lists the issues of these projects that the acting user may see and that pass the filters. */
export const listIssues = (
  call: Call,
  projects: readonly ProjectRecord[],
  filters: ParamInput<typeof issues.list.params>,
) => {
  if (filters.scope !== 'all') call.requireUser()
  return issueResource.listIn(call, createParent(projects), filters)
}

export type IssueInput = ProjectInput & { readonly issue_iid: number }

/** Finds an issue that the acting user may see, and its project. */
export const findIssue = (call: Call, input: IssueInput) => {
  const place = findProjectParent(call, input)
  const issue = issueResource.findIn(call, place, input)
  return { project: requireIssueProject(call, issue.project_id), issue }
}

export const issueRoutes = createRoutes({
  path: '/projects/:id/issues',
  one: { issue_iid: integer('IID') },
  of: issueResource,
})

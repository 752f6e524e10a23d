/** Issues of a project one by one, and their changes. The documents show lists and single actions alone. */
import { issues } from '../../catalogue/areas/issues.js'
import { boolean, date, integer, list, oneOf, string } from '../../catalogue/params.js'
import { issueTypes } from '../../catalogue/shapes/planning.js'
import type { Call } from '../call.js'
import { createRoutes } from '../extra-routes.js'
import { presentIssue } from '../present/planning.js'
import { badRequest, forbidden } from '../reply.js'
import { getRoleLevel } from '../rules/access.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { IssueRecord } from '../state/planning.js'
import { findIssue, type IssueInput, listOfProject } from './issues.js'
import { bringLabels } from './labels.js'

/** Attributes that anybody gives their own issue, and those that Reporters set. */
const own = {
  title: string('title'),
  description: string('description'),
  issue_type: oneOf(issueTypes, 'type'),
  confidential: boolean('show it to members only'),
} as const
const reporters = {
  assignee_ids: list('integer', 'users'),
  milestone_id: integer('milestone', { nullable: true }),
  labels: list('string', 'labels', { join: 'comma' }),
  due_date: date('day', { clears: true }),
  weight: integer('weight', { min: 0, nullable: true }),
  discussion_locked: boolean('close the discussion'),
} as const
const changes = {
  add_labels: list('string', 'labels to add', { join: 'comma' }),
  remove_labels: list('string', 'labels to remove', { join: 'comma' }),
  state_event: oneOf(['close', 'reopen'], 'what becomes of it'),
} as const

type Attributes = Partial<
  Pick<
    IssueRecord,
    | 'title'
    | 'description'
    | 'issue_type'
    | 'confidential'
    | 'assignee_ids'
    | 'milestone_id'
    | 'labels'
    | 'due_date'
    | 'weight'
    | 'discussion_locked'
  >
>
interface Changes extends Attributes {
  readonly add_labels?: readonly string[]
  readonly remove_labels?: readonly string[]
  readonly state_event?: 'close' | 'reopen'
}

const isReporter = (call: Call, project: ProjectRecord): boolean =>
  call.projectLevel(project) >= getRoleLevel('reporter')

/** What was given as it is kept: without what the acting user may not set. */
const accept = (call: Call, project: ProjectRecord, given: Attributes): Attributes => {
  if (given.title?.trim() === '') throw badRequest({ title: ["can't be blank"] })
  const names = isReporter(call, project) ? { ...own, ...reporters } : own
  const kept = Object.entries(given).filter(([name]) => Object.hasOwn(names, name))
  const taken: Attributes = Object.fromEntries(kept)
  const assignee_ids = taken.assignee_ids?.filter((id) => call.state.users.get(id) !== undefined)
  if (taken.labels !== undefined) bringLabels(call, project, taken.labels)
  return { ...taken, assignee_ids, due_date: taken.due_date === '' ? null : taken.due_date }
}

const tell = (call: Call, action: 'created' | 'closed' | 'reopened', issue: IssueRecord): void => {
  call.record({
    action,
    project_id: issue.project_id,
    target_type: 'Issue',
    target_id: issue.id,
    target_iid: issue.iid,
    target_title: issue.title,
  })
}

const fresh = {
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

const create = (
  call: Call,
  { id, ...given }: Pick<IssueInput, 'id'> & Attributes & { readonly title: string },
) => {
  const project = call.project(id)
  const user = call.signedIn()
  if (!project.issues_enabled || project.archived) throw forbidden()
  const taken = accept(call, project, given)
  const iids = call.state.issues.filter((i) => i.project_id === project.id).map(({ iid }) => iid)
  const iid = Math.max(0, ...iids) + 1
  const now = call.clock.iso()
  const issue = call.state.issues.add({
    ...fresh,
    project_id: project.id,
    iid,
    relative_position: iid * 500,
    author_id: user.id,
    subscriber_ids: [user.id],
    created_at: now,
    updated_at: now,
    title: given.title,
    ...Object.fromEntries(Object.entries(taken).filter(([, value]) => value !== undefined)),
  })
  tell(call, 'created', issue)
  return presentIssue(call, project, issue, { from: project, subscribed: true })
}

const turn = (call: Call, issue: IssueRecord, event: Changes['state_event']): void => {
  const state = event === 'close' ? 'closed' : 'opened'
  if (event === undefined || issue.state === state) return
  const isClosed = state === 'closed'
  call.state.issues.change(issue.id, {
    state,
    closed_at: isClosed ? call.clock.iso() : null,
    closed_by_id: isClosed ? call.signedIn().id : null,
  })
  tell(call, isClosed ? 'closed' : 'reopened', issue)
}

const update = (
  call: Call,
  {
    id,
    issue_iid,
    add_labels = [],
    remove_labels = [],
    state_event,
    ...given
  }: IssueInput & Changes,
) => {
  const { project, issue } = findIssue(call, { id, issue_iid })
  const user = call.signedIn()
  const isOwn = issue.author_id === user.id || issue.assignee_ids.includes(user.id)
  if (project.archived || (!isOwn && !isReporter(call, project))) throw forbidden()
  const kept = (given.labels ?? issue.labels).filter((name) => !remove_labels.includes(name))
  const labels = [...new Set([...kept, ...add_labels])]
  const taken = accept(call, project, { ...given, labels })
  call.state.issues.change(issue.id, { ...taken, updated_at: call.clock.iso() })
  turn(call, issue, state_event)
  return presentIssue(call, project, issue, { from: project })
}

const get = (call: Call, input: IssueInput) => {
  const { project, issue } = findIssue(call, input)
  const subscribed = call.user !== undefined && issue.subscriber_ids.includes(call.user.id)
  return presentIssue(call, project, issue, { from: project, subscribed })
}

/** Whoever owns a project deletes its issues. */
const remove = (call: Call, input: IssueInput): undefined => {
  const { project, issue } = findIssue(call, input)
  if (!call.owns(project)) throw forbidden()
  call.unmodified(issue)
  const { notes, todos } = call.state
  for (const { id } of notes.filter(
    (n) => n.noteable_type === 'Issue' && n.noteable_id === issue.id,
  ))
    notes.remove(id)
  for (const { id } of todos.filter((t) => t.target_type === 'Issue' && t.target_id === issue.id))
    todos.remove(id)
  call.state.issues.remove(issue.id)
}

export const issueRoutes = createRoutes({
  path: '/projects/:id/issues',
  one: { issue_iid: integer('IID') },
  // Those of the documented list; in one project everybody's count, in an archived one too.
  list: [
    {
      ...issues.list.params,
      scope: { ...issues.list.params.scope, default: 'all' },
      non_archived: { ...issues.list.params.non_archived, default: false },
    },
    listOfProject,
  ],
  get: [{}, get],
  create: [{ ...own, ...reporters, title: string('title', { required: true }) }, create],
  update: [{ ...own, ...reporters, ...changes }, update],
  delete: remove,
})

/** Serves the lists of events, without those that the acting user may not see (`catalogue/reference/events.md`). */
import { dayLength } from '../../base/dates.js'
import { Event, events } from '../../catalogue/areas/events.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import { toShape } from '../present/common.js'
import { canSeeIssue, canSeeRequests, showAuthor } from '../present/planning.js'
import { notFound } from '../reply.js'
import { resource } from '../resource.js'
import { getProjectLevel } from '../rules/access.js'
import { removeExpired } from '../rules/members.js'
import type { EventAction, EventRecord, UserRecord } from '../state/people-and-projects.js'
import type { NoteRecord } from '../state/planning.js'

type Filters = Omit<CheckedOf<(typeof events)['listOfProject']>, 'project_id'>

const names: Partial<Record<EventAction, string>> = {
  created: 'opened',
  commented: 'commented on',
}
/** The types of targets for which `created` events are presented as "created". For all others, they are presented as "opened". */
const made = ['Project', 'WikiPage::Meta', 'DesignManagement::Design']

const getActionName = ({ action, target_type }: EventRecord): string =>
  action === 'created' && made.includes(target_type ?? '') ? action : (names[action] ?? action)

const kinds: Readonly<Record<NonNullable<Filters['target_type']>, string>> = {
  issue: 'Issue',
  milestone: 'Milestone',
  merge_request: 'MergeRequest',
  note: 'Note',
  project: 'Project',
  snippet: 'Snippet',
  user: 'User',
}

const showNote = (call: Call, record: NoteRecord) =>
  toShape(Event.properties.note, record, {
    attachment: null,
    author: showAuthor(call, record.author_id),
  })

const showEvent = (call: Call, event: EventRecord, inProject: boolean) => {
  const about = call.state.notes.get(event.note_id)
  const author = showAuthor(call, event.author_id)
  return toShape(Event, event, {
    title: null,
    action_name: getActionName(event),
    target_iid: inProject ? event.target_iid : undefined,
    author,
    author_username: author.username,
    data: inProject ? null : undefined,
    push_data: event.push_data ?? undefined,
    note: about && showNote(call, about),
  })
}

const years = 3

/** Returns the time before which events are no longer listed. */
const getOldestMoment = (call: Call): string => {
  const at = call.clock.now()
  return new Date(
    Date.UTC(at.getUTCFullYear() - years, at.getUTCMonth(), at.getUTCDate()),
  ).toISOString()
}

/** Returns the end of a day, in milliseconds since the epoch. */
const getEnd = (day: string): number => Date.parse(day) + dayLength

/** True if the acting user may see the project of an event, and also its issue if that is confidential. */
const canSeeTarget = (call: Call, event: EventRecord): boolean => {
  const project = call.state.projects.get(event.project_id)
  if (project === undefined) {
    const group = call.state.groups.get(event.group_id)
    return group !== undefined ? call.canSeeGroup(group) : event.author_id === call.user?.id
  }
  if (!call.canSeeProject(project)) return false
  const about = call.state.notes.get(event.note_id)
  const type = about?.noteable_type ?? event.target_type
  const id = about === undefined ? event.target_id : about.noteable_id
  if (type === 'MergeRequest') return canSeeRequests(call, project)
  const issue = type === 'Issue' ? call.state.issues.get(id) : undefined
  return issue === undefined || canSeeIssue(call, project, issue)
}

/** The events that are listed, and whether they are those of the project in the path. */
interface Place {
  readonly since: string
  readonly wanted: (event: EventRecord) => boolean
  readonly inProject?: boolean
}

const records = resource({
  table: 'events',
  parent: (_, place: Place) => place,
  holds: (event, { since, wanted }) => event.created_at >= since && wanted(event),
  sees: canSeeTarget,
  key: ['id'],
  filters: events.listOfProject.params,
  tests: {
    action: (action, event) => event.action === action,
    target_type: (type, event) => event.target_type === kinds[type],
    before: (day, event) => event.created_at < day,
    after: (day, event) => Date.parse(event.created_at) >= getEnd(day),
  },
  order: ['desc', ({ created_at }) => [created_at]],
  present: (call, event, { inProject = false }) => showEvent(call, event, inProject),
})

const listEvents = (call: Call, filters: Filters, wanted: Place['wanted'], inProject = false) => {
  removeExpired(call)
  return records.listIn(call, { since: getOldestMoment(call), wanted, inProject }, filters)
}

/** Returns the IDs of the projects of which a user is a member. Administrators are not members of every project. */
const listOwnProjects = (call: Call, user: UserRecord): Set<number> =>
  new Set(
    call.state.projects
      .filter((p) => getProjectLevel(call.state, user, p, call.clock.day()) > 0)
      .map(({ id }) => id),
  )

const requireUserByReference = (call: Call, reference: string): UserRecord => {
  const user = call.findUser(reference)
  if (user === undefined) throw notFound('User')
  return user
}

export const served = serve(events, {
  list: (call, { scope, ...filters }) => {
    const user = call.requireUser()
    if (scope !== 'all') return listEvents(call, filters, (e) => e.author_id === user.id)
    const projects = listOwnProjects(call, user)
    return listEvents(
      call,
      filters,
      (e) => e.author_id === user.id || (e.project_id !== null && projects.has(e.project_id)),
    )
  },
  listOfUser: (call, { id, ...filters }) => {
    const user = requireUserByReference(call, id)
    return listEvents(call, filters, (e) => e.author_id === user.id)
  },
  listOfProject: (call, { project_id, ...filters }) => {
    const project = call.requireProject(project_id)
    return listEvents(call, filters, (e) => e.project_id === project.id, true)
  },
})

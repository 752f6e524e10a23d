/** Promotes an issue to an epic by a note with `/promote` (`catalogue/reference/issues.md`). */

import type { Call } from '../../call.js'
import { authorOf } from '../../present/issue.js'
import { badRequest, forbidden } from '../../reply.js'
import type { GroupRecord, ProjectRecord } from '../../state/people-and-projects.js'
import type { EpicRecord, IssueRecord, NoteRecord } from '../../state/planning.js'
import { groupOf } from '../people/access.js'

const command = /^\/promote\b/m
const reporter = 20

const check = (call: Call, project: ProjectRecord, issue: IssueRecord, body: string) => {
  if (!command.test(body))
    throw badRequest({ body: ['must contain /promote at the start of a line'] })
  const group = groupOf(call.state, project)
  if (group === undefined)
    throw badRequest({ commands_only: ['Only issues of a group’s project can be promoted.'] })
  if (call.groupLevel(group) < reporter) throw forbidden()
  if (issue.state === 'closed')
    throw badRequest({ commands_only: ['Cannot promote issue because it is closed.'] })
  return group
}

const addEpic = (call: Call, group: GroupRecord, issue: IssueRecord): EpicRecord =>
  call.state.epics.add({
    iid: call.state.epics.filter((e) => e.group_id === group.id).length + 1,
    group_id: group.id,
    title: issue.title,
    description: issue.description,
    state: 'opened',
    author_id: call.signedIn().id,
    created_at: call.clock.iso(),
  })

const addNote = (call: Call, issue: IssueRecord, body: string, system: boolean): NoteRecord => {
  const now = call.clock.iso()
  return call.state.notes.add({
    project_id: issue.project_id,
    author_id: call.signedIn().id,
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

const close = (call: Call, issue: IssueRecord): void => {
  const now = call.clock.iso()
  issue.state = 'closed'
  issue.closed_at = now
  issue.updated_at = now
  issue.closed_by_id = call.signedIn().id
}

const leaveEvents = (call: Call, issue: IssueRecord, note: NoteRecord, epic: EpicRecord): void => {
  const { project_id, title: target_title } = issue
  call.record({
    action: 'commented',
    project_id,
    target_type: 'Note',
    target_id: note.id,
    target_iid: note.id,
    target_title,
    note_id: note.id,
  })
  call.record({
    action: 'created',
    group_id: epic.group_id,
    target_type: 'Epic',
    target_id: epic.id,
    target_iid: epic.iid,
    target_title: epic.title,
  })
  call.record({
    action: 'closed',
    project_id,
    target_type: 'Issue',
    target_id: issue.id,
    target_iid: issue.iid,
    target_title,
  })
}

const present = (call: Call, note: NoteRecord) => {
  const { id, body, system, noteable_id, noteable_type, noteable_iid, resolvable } = note
  return {
    id,
    type: null,
    body,
    attachment: null,
    author: authorOf(call, note.author_id),
    created_at: note.created_at,
    updated_at: note.updated_at,
    system,
    noteable_id,
    noteable_type,
    noteable_iid,
    resolvable,
    confidential: note.confidential,
    commands_changes: { promote_to_epic: true },
  }
}

/** Closes the issue, opens an epic of its group in its place, and returns the note. */
export const promote = (call: Call, project: ProjectRecord, issue: IssueRecord, body: string) => {
  const group = check(call, project, issue, body)
  const epic = addEpic(call, group, issue)
  const note = addNote(call, issue, body, false)
  addNote(call, issue, `promoted to epic &${epic.iid}`, true)
  close(call, issue)
  leaveEvents(call, issue, note, epic)
  return present(call, note)
}

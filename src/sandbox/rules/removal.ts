/** Removes groups and projects with all their records, and replaces deleted users by ghosts. */
import type { GroupRecord, SourceType, UserRecord } from '../state/people-and-projects.js'
import { getTable, type State, tableNames } from '../state/state.js'
import { listFamily, listProjectsWithin } from './access.js'

/** Removes all records that refer to another record by this attribute. */
const removeReferring = (state: State, attribute: string, id: number): void => {
  for (const name of tableNames) {
    const table = getTable(state, name)
    for (const row of table.all()) if (row[attribute] === id) table.remove(row.id)
  }
}

const removeMemberships = (
  { members, shares }: State,
  of: { readonly type: SourceType; readonly id: number },
): void => {
  for (const table of [members, shares])
    for (const { id, source_type, source_id } of table.all())
      if (source_type === of.type && source_id === of.id) table.remove(id)
}

/** Removes a project or group from its runners, and also the runners that have no other project or group. */
const removeRunners = (
  { runners }: State,
  attribute: 'project_ids' | 'group_ids',
  id: number,
): void => {
  for (const runner of runners.filter((one) => one[attribute].includes(id))) {
    const ids = runner[attribute].filter((other) => other !== id)
    if (ids.length === 0) runners.remove(runner.id)
    else runners.change(runner.id, { [attribute]: ids })
  }
}

const removeProject = (state: State, id: number): void => {
  removeReferring(state, 'project_id', id)
  removeMemberships(state, { type: 'project', id })
  removeRunners(state, 'project_ids', id)
  for (const key of state.deployKeys.all()) {
    const projects = key.projects.filter((one) => one.project_id !== id)
    if (projects.length === 0) state.deployKeys.remove(key.id)
    else if (projects.length < key.projects.length) state.deployKeys.change(key.id, { projects })
  }
  for (const fork of state.projects.filter({ forked_from_id: id }))
    state.projects.change(fork.id, { forked_from_id: null })
  state.projects.remove(id)
}

/** Removes a group with its descendants, their projects, and all their records. */
export const removeGroup = (state: State, group: GroupRecord): void => {
  for (const { id } of listProjectsWithin(state, group)) removeProject(state, id)
  for (const { id } of listFamily(state, group)) {
    removeReferring(state, 'group_id', id)
    removeMemberships(state, { type: 'group', id })
    removeRunners(state, 'group_ids', id)
    state.groups.remove(id)
  }
}

/** Turns a user into a ghost, who stays the author of what the user wrote but can no longer sign in. */
export const removeUser = (state: State, { id }: UserRecord): void => {
  for (const table of [state.tokens, state.members, state.todos])
    for (const row of table.all()) if (row.user_id === id) table.remove(row.id)
  state.users.change(id, {
    name: 'Ghost User',
    username: `ghost${id}`,
    email: `ghost${id}@localhost`,
    public_email: null,
    state: 'blocked',
    admin: false,
    ghost: true,
  })
}

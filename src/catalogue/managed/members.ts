/** Direct members of groups and projects, as files declare them. */
import { members } from '../areas/members.js'
import { managed } from './managed.js'

const common = {
  name: 'members',
  holds: 'set',
  identity: 'username',
  by: 'user',
  at: { user_id: 'id' },
  keep: ['access_level'],
  // No answer shows them.
  without: ['invite_source', 'areas_of_focus'],
} as const

export const groupMembers = managed({
  ...common,
  scope: 'group',
  read: members.listOfGroup,
  create: members.addToGroup,
  update: members.updateOfGroup,
  remove: members.removeFromGroup,
})

export const projectMembers = managed({
  ...common,
  scope: 'project',
  read: members.listOfProject,
  create: members.addToProject,
  update: members.updateOfProject,
  remove: members.removeFromProject,
})

/** Resource groups of a project, as files declare them; a job's use is what makes one. */
import { resourceGroups } from '../areas/resource-groups.js'
import { managed } from './managed.js'

export const projectResourceGroups = managed({
  name: 'resource_groups',
  scope: 'project',
  holds: 'set',
  identity: 'key',
  read: resourceGroups.get,
  unlisted: '/projects/:id/resource_groups',
  update: resourceGroups.update,
  at: { key: 'key' },
})

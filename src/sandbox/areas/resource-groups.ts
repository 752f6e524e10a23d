/** Serves the endpoints of resource groups (`catalogue/reference/resource-groups.md`). */
import { ResourceGroup, resourceGroups } from '../../catalogue/areas/resource-groups.js'
import { serve } from '../handlers.js'
import { toShape } from '../present/common.js'
import { requireProjectWithJobs } from '../present/job.js'
import { forbidden } from '../reply.js'
import { resource } from '../resource.js'

const groups = resource({
  table: 'resourceGroups',
  what: 'Resource group',
  parent: (call, { id }: { readonly id: string | number }) => requireProjectWithJobs(call, id),
  managed: (call, { id }) => {
    const project = call.requireProject(id, { role: 'developer' })
    if (project.archived) throw forbidden()
    return project
  },
  key: ['key', 'key'],
  present: (_, record) => toShape(ResourceGroup, record, {}),
  changes: resourceGroups.update.params,
})

/** Lists the resource groups of a project. The documented API has no such list, but deployed instances have it. */
export const listGroups = groups.list

export const served = serve(resourceGroups, {
  get: groups.get,
  update: groups.update,
})

/** Resource groups (`catalogue/reference/resource-groups.md`). */
import { ResourceGroup, type resourceGroups } from '../../catalogue/areas/resource-groups.js'
import type { Handlers } from '../handlers.js'
import { resource } from '../handlers.js'
import { presentAs } from '../present/common.js'
import { projectWithJobs } from '../present/job.js'
import { forbidden } from '../reply.js'
import type { ResourceGroupRecord } from '../state/ci.js'

const groups = resource({
  what: 'Resource group',
  parent: (call, { id }: { readonly id: string | number }) => projectWithJobs(call, id),
  managed: (call, { id }) => {
    const project = call.project(id, { role: 'developer' })
    if (project.archived) throw forbidden()
    return project
  },
  all: ({ state }, { id }) => state.resourceGroups.filter((r) => r.project_id === id),
  isNamed: (record, { key }: { readonly key: string }) => record.key === key,
  present: (_, record: ResourceGroupRecord) => presentAs(ResourceGroup, record, {}),
})

/** All resource groups of a project. The documents show no such list; deployed instances have it. */
export const listGroups = groups.list

export const handlers: Handlers<typeof resourceGroups> = {
  get: groups.get,
  update: (call, input) => {
    const { process_mode } = input
    const record = groups.managed(call, input)
    if (process_mode !== undefined && process_mode !== record.process_mode)
      call.state.resourceGroups.change(record.id, { process_mode, updated_at: call.clock.iso() })
    return presentAs(ResourceGroup, record, {})
  },
}

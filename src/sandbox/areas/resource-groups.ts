/** Resource groups (`catalogue/reference/resource-groups.md`). */
import { ResourceGroup, type resourceGroups } from '../../catalogue/areas/resource-groups.js'
import type { Call } from '../call.js'
import type { Handlers } from '../handlers.js'
import { projectWithJobs } from '../present/job.js'
import { presentAs } from '../present/shape.js'
import { forbidden, notFound } from '../reply.js'
import type { ResourceGroupRecord } from '../state/ci.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

const found = (call: Call, project: ProjectRecord, key: string): ResourceGroupRecord => {
  const record = call.state.resourceGroups.find((r) => r.project_id === project.id && r.key === key)
  if (record === undefined) throw notFound('Resource group')
  return record
}

const present = (record: ResourceGroupRecord) => presentAs(ResourceGroup, record, {})

/** All resource groups of a project. The documents show no such list; deployed instances have it. */
export const listGroups = (call: Call, id: string | number) => {
  const project = projectWithJobs(call, id)
  return call.state.resourceGroups.filter((r) => r.project_id === project.id).map(present)
}

export const handlers: Handlers<typeof resourceGroups> = {
  get: (call, { id, key }) => present(found(call, projectWithJobs(call, id), key)),
  update: (call, { id, key, process_mode }) => {
    const project = call.project(id, { role: 'developer' })
    if (project.archived) throw forbidden()
    const record = found(call, project, key)
    if (process_mode !== undefined && process_mode !== record.process_mode)
      call.state.resourceGroups.change(record.id, { process_mode, updated_at: call.clock.iso() })
    return present(record)
  },
}

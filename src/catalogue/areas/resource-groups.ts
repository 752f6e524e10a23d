/** Declares the endpoints of resource groups: jobs in the same group never run at the same time. */
import { endpoint, one } from '../endpoint.js'
import { oneOf, project, string } from '../params.js'
import { Int, Obj, OpenEnum, Str, Timestamp } from '../shapes/common.js'

const modes = ['unordered', 'oldest_first', 'newest_first'] as const

export const ResourceGroup = Obj(
  {
    id: Int(),
    key: Str(),
    process_mode: OpenEnum(modes),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Resource group' },
)

const path = {
  id: project(),
  key: string('key of the resource group', { completes: 'resource-group' }),
} as const

export const resourceGroups = {
  get: endpoint('GET /projects/:id/resource_groups/:key', one(ResourceGroup), {
    summary: 'Show a resource group',
    command: 'get',
    args: ['key'],
    path,
    params: {},
  }),
  update: endpoint('PUT /projects/:id/resource_groups/:key', one(ResourceGroup), {
    summary: 'Change the process mode of a resource group',
    command: 'update',
    changes: true,
    args: ['key'],
    path,
    params: { process_mode: oneOf(modes, 'order in which waiting jobs start') },
    access: 'at least Developer of the project',
  }),
} as const

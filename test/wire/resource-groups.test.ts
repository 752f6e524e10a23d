import { resourceGroups } from '../../src/catalogue/areas/resource-groups.js'
import { checkRequests } from './pin.js'

checkRequests('resource-groups', resourceGroups, [
  {
    key: 'get',
    values: { id: 3, key: 'review/x.y' },
    sends: 'GET /projects/3/resource_groups/review%2Fx.y',
  },
  {
    key: 'update',
    values: { id: 3, key: 'production', process_mode: 'oldest_first' },
    sends: 'PUT /projects/3/resource_groups/production',
    body: '{"process_mode":"oldest_first"}',
  },
])

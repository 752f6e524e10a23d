import { geo } from '../../src/catalogue/areas/geo.js'
import { checkRequests } from './pin.js'

const named = { name: 'south', url: 'https://south.test' }

checkRequests('geo', geo, [
  {
    key: 'create',
    values: {
      ...named,
      enabled: false,
      repos_max_capacity: 30,
      selective_sync_type: 'namespaces',
      selective_sync_shards: [],
      selective_sync_namespace_ids: [1, 25],
    },
    sends: 'POST /geo_nodes',
    body:
      '{"name":"south","url":"https://south.test","enabled":false,"repos_max_capacity":30,' +
      '"selective_sync_type":"namespaces","selective_sync_shards":[],' +
      '"selective_sync_namespace_ids":[1,25]}',
  },
  { key: 'list', values: {}, sends: 'GET /geo_nodes' },
  { key: 'get', values: { id: 2 }, sends: 'GET /geo_nodes/2' },
  {
    key: 'update',
    values: { id: 2, ...named, selective_sync_type: null },
    sends: 'PUT /geo_nodes/2',
    body: '{"name":"south","url":"https://south.test","selective_sync_type":null}',
  },
  { key: 'delete', values: { id: 2 }, sends: 'DELETE /geo_nodes/2' },
  { key: 'repair', values: { id: 2 }, sends: 'POST /geo_nodes/2/repair' },
  { key: 'status', values: {}, sends: 'GET /geo_nodes/status' },
])

/** Replication nodes, as files declare them. */
import { geo } from '../areas/geo.js'
import { managed } from './managed.js'

export const geoNodes = managed({
  name: 'geo_nodes',
  scope: 'site',
  holds: 'set',
  identity: 'name',
  also: 'url',
  read: geo.list,
  create: geo.create,
  update: geo.update,
  remove: geo.delete,
  at: { id: 'id' },
  refs: { selective_sync_namespace_ids: 'group' },
  first: 'primary',
  renames: true,
})

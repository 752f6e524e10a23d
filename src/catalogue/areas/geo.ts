/** Replication nodes. */
import { empty, endpoint, many, one } from '../endpoint.js'
import { boolean, integer, list, oneOf, string } from '../params.js'
import { GeoNode, GeoNodeStatus } from '../shapes/geo.js'

const ofNode = { id: integer('node ID', { completes: 'geo-node' }) } as const
const named = {
  name: string('unique name; must match the configured node name or the external URL', {
    required: true,
  }),
  url: string('external URL', { required: true, format: 'url' }),
} as const
const help = {
  primary: 'make this the primary node',
  enabled: 'enable replication',
  files: 'maximum number of concurrent file transfers',
  repos: 'maximum number of concurrent repository transfers',
  verification: 'maximum number of concurrent verifications',
  containers: 'maximum number of concurrent container repository transfers',
  objects: 'replicate object storage',
} as const
const rest = {
  internal_url: string('URL that other nodes use [url]', { format: 'url' }),
  selective_sync_type: oneOf(
    ['namespaces', 'shards'],
    'type of selective sync; empty for full replication',
    {
      nullable: true,
    },
  ),
  selective_sync_shards: list('string', 'storages to replicate (selective sync)', {
    completes: 'storage',
  }),
  selective_sync_namespace_ids: list('integer', 'group IDs to replicate (selective sync)'),
  minimum_reverification_interval: integer(
    'days after which repositories are verified again; no effect on secondary nodes',
  ),
} as const
const common = { access: 'administrators', edition: 'PREMIUM' } as const
const onPrimary = 'Works on a primary node only.'

export const geo = {
  create: endpoint('POST /geo_nodes', one(GeoNode), {
    ...common,
    summary: 'Create a replication node',
    command: 'nodes create',
    inverse: 'delete',
    path: {},
    params: {
      ...named,
      primary: boolean(help.primary, { default: false }),
      enabled: boolean(help.enabled, { default: true }),
      files_max_capacity: integer(help.files, { default: 10 }),
      repos_max_capacity: integer(help.repos, { default: 25 }),
      verification_max_capacity: integer(help.verification, { default: 100 }),
      container_repositories_max_capacity: integer(help.containers, { default: 10 }),
      sync_object_storage: boolean(help.objects, { default: false }),
      ...rest,
    },
  }),
  list: endpoint('GET /geo_nodes', many(GeoNode), {
    ...common,
    summary: 'List the replication nodes',
    command: 'nodes list',
    path: {},
    params: {},
    columns: ['id', 'name', 'url', 'primary', 'enabled', 'current'],
    lists: 'geo-node',
  }),
  get: endpoint('GET /geo_nodes/:id', one(GeoNode), {
    ...common,
    summary: 'Show a replication node',
    command: 'nodes get',
    args: ['id'],
    path: ofNode,
    params: {},
  }),
  update: endpoint('PUT /geo_nodes/:id', one(GeoNode), {
    ...common,
    summary: 'Change a replication node',
    command: 'nodes update',
    selects: { list: 'geo nodes list' },
    changes: true,
    args: ['id'],
    path: ofNode,
    params: {
      ...named,
      primary: boolean(help.primary),
      enabled: boolean(help.enabled),
      files_max_capacity: integer(help.files),
      repos_max_capacity: integer(help.repos),
      verification_max_capacity: integer(help.verification),
      container_repositories_max_capacity: integer(help.containers),
      sync_object_storage: boolean(help.objects),
      ...rest,
    },
    notes: [
      onPrimary,
      'If you omit the name or the URL, svcctl reads the node and sends its current value.',
    ],
  }),
  delete: endpoint('DELETE /geo_nodes/:id', empty, {
    inverse: 'create',
    ...common,
    summary: 'Remove a replication node',
    command: 'nodes delete',
    selects: { list: 'geo nodes list' },
    args: ['id'],
    path: ofNode,
    params: {},
    done: 'removed',
    destructive: 'The node stops replicating and its registration is deleted.',
    notes: ['Works on a primary node only.'],
  }),
  repair: endpoint('POST /geo_nodes/:id/repair', one(GeoNode), {
    irreversible: 'a repair cannot be undone',
    ...common,
    summary: 'Repair the OAuth authentication of a replication node',
    command: 'nodes repair',
    selects: { list: 'geo nodes list' },
    args: ['id'],
    path: ofNode,
    params: {},
    notes: [onPrimary],
  }),
  status: endpoint('GET /geo_nodes/status', many(GeoNodeStatus), {
    ...common,
    summary: 'Show the status of all replication nodes',
    command: 'status',
    path: {},
    params: {},
    columns: [
      'geo_node_id',
      'healthy',
      'health_status',
      'db_replication_lag_seconds',
      'projects_count',
      'repositories_synced_in_percentage',
      'repositories_failed_count',
    ],
    lists: 'geo-node',
  }),
} as const

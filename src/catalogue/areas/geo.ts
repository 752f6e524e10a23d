/** Declares the endpoints of Geo nodes, and the shapes of a node and of its status. */

import type { TSchema } from 'typebox'
import { empty, endpoint, many, one } from '../endpoint.js'
import { boolean, integer, list, oneOf, string } from '../params.js'
import {
  ArrayOf,
  Bool,
  Int,
  maybe,
  nullable,
  Obj,
  OpenEnum,
  Str,
  Version,
} from '../shapes/common.js'

export const GeoNode = Obj(
  {
    id: Int(),
    name: Str(),
    url: Str(),
    internal_url: Str({ description: 'equals url if unset' }),
    primary: Bool(),
    enabled: Bool(),
    current: Bool(),
    files_max_capacity: Int(),
    repos_max_capacity: Int(),
    verification_max_capacity: Int(),
    container_repositories_max_capacity: Int(),
    selective_sync_type: nullable(OpenEnum(['namespaces', 'shards'])),
    selective_sync_shards: ArrayOf(Str()),
    selective_sync_namespace_ids: ArrayOf(Int()),
    minimum_reverification_interval: Int({ description: 'days' }),
    sync_object_storage: Bool(),
    clone_protocol: OpenEnum(['http']),
    web_edit_url: Str(),
    web_geo_projects_url: maybe(Str({ description: 'secondary nodes' })),
    _links: Obj({ self: Str(), status: Str(), repair: Str() }),
  },
  { title: 'Replication node' },
)

/** The kinds of data that are copied as files. */
const fileKinds = ['attachments', 'lfs_objects', 'job_artifacts'] as const
/** The kinds of data that are copied by their own rules, and verified elsewhere. */
const registryKinds = ['container_repositories', 'design_repositories'] as const
/** The kinds of git data. They are checked, and have checksums and a verification. */
const gitKinds = ['repositories', 'wikis'] as const
/** The kinds of data of the newer replication framework, which verifies exactly what it has copied. */
export const blobKinds = ['merge_request_diffs', 'package_files', 'pages_deployments'] as const
/** All kinds of data that the status of a node counts, in the documented order. */
export const geoKinds = [...fileKinds, ...registryKinds, ...gitKinds, ...blobKinds] as const

const Count = nullable(Int())
const Percentage = Str({ description: 'a percentage, as text' })

const synced = {
  count: Count,
  synced_count: Count,
  failed_count: Count,
  synced_in_percentage: Percentage,
}
const git = {
  ...synced,
  checked_count: Count,
  checked_in_percentage: Percentage,
  checksummed_count: Count,
  checksum_failed_count: Count,
  checksummed_in_percentage: Percentage,
  verified_count: Count,
  verification_failed_count: Count,
  verified_in_percentage: Percentage,
  checksum_mismatch_count: Count,
  retrying_verification_count: Count,
}
const blobs = {
  ...synced,
  checksum_total_count: Count,
  checksummed_count: Count,
  checksum_failed_count: Count,
  registry_count: Count,
  verification_total_count: Count,
  verified_count: Count,
  verification_failed_count: Count,
  verified_in_percentage: Percentage,
}

type PrefixedFields<K extends string, F> = { [N in keyof F & string as `${K}_${N}`]: F[N] }

/** Creates the same fields for several kinds of data, such as `lfs_objects_count`. */
const createPrefixedFields = <const K extends string, F extends Readonly<Record<string, TSchema>>>(
  kinds: readonly K[],
  fields: F,
): PrefixedFields<K, F> =>
  Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(fields).map(([name, field]) => [`${kind}_${name}`, field]),
    ),
  ) as PrefixedFields<K, F>

export const GeoNodeStatus = Obj(
  {
    geo_node_id: Int(),
    healthy: Bool(),
    health: Str(),
    health_status: Str(),
    missing_oauth_application: Bool(),
    db_replication_lag_seconds: Count,
    last_event_id: Count,
    last_event_timestamp: Count,
    cursor_last_event_id: Count,
    cursor_last_event_timestamp: Count,
    last_successful_status_check_timestamp: Count,
    version: nullable(Version),
    revision: nullable(Str()),
    projects_count: Count,
    replication_slots_count: Count,
    replication_slots_used_count: Count,
    replication_slots_used_in_percentage: Percentage,
    replication_slots_max_retained_wal_bytes: Count,
    ...createPrefixedFields(fileKinds, { ...synced, synced_missing_on_primary_count: Count }),
    ...createPrefixedFields(registryKinds, synced),
    ...createPrefixedFields(gitKinds, git),
    ...createPrefixedFields(blobKinds, blobs),
  },
  { title: 'Replication node status' },
)

const ofNode = { id: integer('node ID', { completes: 'geo-node' }) } as const
const named = {
  name: string('unique name; must match the configured node name or the external URL', {
    required: true,
    filled: true,
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
    { least: 1 },
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
      files_max_capacity: integer(help.files, { least: 0, default: 10 }),
      repos_max_capacity: integer(help.repos, { least: 0, default: 25 }),
      verification_max_capacity: integer(help.verification, { least: 0, default: 100 }),
      container_repositories_max_capacity: integer(help.containers, { least: 0, default: 10 }),
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
      files_max_capacity: integer(help.files, { least: 0 }),
      repos_max_capacity: integer(help.repos, { least: 0 }),
      verification_max_capacity: integer(help.verification, { least: 0 }),
      container_repositories_max_capacity: integer(help.containers, { least: 0 }),
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

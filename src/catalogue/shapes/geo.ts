/** Replication nodes and their status. */
import type { TSchema } from 'typebox'
import { ArrayOf, Bool, Int, maybe, nullable, Obj, Str, Version, Word } from './common.js'

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
    selective_sync_type: nullable(Word(['namespaces', 'shards'])),
    selective_sync_shards: ArrayOf(Str()),
    selective_sync_namespace_ids: ArrayOf(Int()),
    minimum_reverification_interval: Int({ description: 'days' }),
    sync_object_storage: Bool(),
    clone_protocol: Word(['http']),
    web_edit_url: Str(),
    web_geo_projects_url: maybe(Str({ description: 'secondary nodes' })),
    _links: Obj({ self: Str(), status: Str(), repair: Str() }),
  },
  { title: 'Replication node' },
)

/** Data kinds that are copied as files. */
const fileKinds = ['attachments', 'lfs_objects', 'job_artifacts'] as const
/** Data kinds that are copied and, on their own terms, verified elsewhere. */
const registryKinds = ['container_repositories', 'design_repositories'] as const
/** Git data: checked, checksummed and verified. */
const gitKinds = ['repositories', 'wikis'] as const
/** Data kinds of the newer framework, which verifies what it copies. */
export const blobKinds = ['merge_request_diffs', 'package_files', 'pages_deployments'] as const
/** Every data kind that a node's status counts, in the order of the documents. */
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

type Prefixed<K extends string, F> = { [N in keyof F & string as `${K}_${N}`]: F[N] }

/** The same fields for each of several data kinds: `lfs_objects_count` … */
const each = <const K extends string, F extends Readonly<Record<string, TSchema>>>(
  kinds: readonly K[],
  fields: F,
): Prefixed<K, F> =>
  Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(fields).map(([name, field]) => [`${kind}_${name}`, field]),
    ),
  ) as Prefixed<K, F>

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
    ...each(fileKinds, { ...synced, synced_missing_on_primary_count: Count }),
    ...each(registryKinds, synced),
    ...each(gitKinds, git),
    ...each(blobKinds, blobs),
  },
  { title: 'Replication node status' },
)

/** The status of a replication node (`catalogue/reference/geo.md`), derived from what was measured. */
import type { geo } from '../../../catalogue/areas/geo.js'
import type { ResultOf } from '../../../catalogue/inferred.js'
import {
  blobKinds,
  fileKinds,
  type GeoKind,
  gitKinds,
  registryKinds,
} from '../../../catalogue/shapes/geo.js'
import type { Call } from '../../call.js'
import type { GeoNodeRecord } from '../../state/geo.js'

type Status = ResultOf<typeof geo.status>[number]
type Measured = { readonly count: number; readonly synced: number; readonly failed: number }

const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(2)}%`

const synced = ({ count, synced, failed }: Measured) => ({
  count,
  synced_count: synced,
  failed_count: failed,
  synced_in_percentage: percent(synced, count),
})

const git = (m: Measured) => ({
  ...synced(m),
  checked_count: m.synced,
  checked_in_percentage: percent(m.synced, m.count),
  checksummed_count: m.count,
  checksum_failed_count: 0,
  checksummed_in_percentage: percent(m.count, m.count),
  verified_count: m.synced,
  verification_failed_count: m.failed,
  verified_in_percentage: percent(m.synced, m.count),
  checksum_mismatch_count: 0,
  retrying_verification_count: m.failed,
})

const blobs = (m: Measured) => ({
  ...synced(m),
  checksum_total_count: m.count,
  checksummed_count: m.count,
  checksum_failed_count: 0,
  registry_count: m.synced + m.failed,
  verification_total_count: m.synced,
  verified_count: m.synced,
  verification_failed_count: 0,
  verified_in_percentage: percent(m.synced, m.synced),
})

const nothing: Measured = { count: 0, synced: 0, failed: 0 }

/** The fields of several data kinds, each name with its kind before it. */
const each = (
  node: GeoNodeRecord,
  kinds: readonly GeoKind[],
  fields: (measured: Measured) => Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(fields(node.status.kinds[kind] ?? nothing)).map(([name, value]) => [
        `${kind}_${name}`,
        value,
      ]),
    ),
  )

const counts = (node: GeoNodeRecord): Record<string, unknown> => ({
  ...each(node, fileKinds, (m) => ({ ...synced(m), synced_missing_on_primary_count: 0 })),
  ...each(node, registryKinds, synced),
  ...each(node, gitKinds, git),
  ...each(node, blobKinds, blobs),
})

/** All documented fields, in the order of the documents. */
export const statusOf = (call: Call, node: GeoNodeRecord): Status => {
  const { status, oauth_application } = node
  const { version, revision } = call.state.config
  const healthy = status.healthy && oauth_application
  const slots = status.replication_slots_count
  return {
    geo_node_id: node.id,
    healthy,
    health: oauth_application
      ? status.health
      : 'This node is missing its OAuth application: repair its authentication.',
    health_status: healthy ? status.health_status : 'Unhealthy',
    missing_oauth_application: !oauth_application,
    db_replication_lag_seconds: status.db_replication_lag_seconds,
    last_event_id: status.last_event_id,
    last_event_timestamp: status.last_event_timestamp,
    cursor_last_event_id: status.cursor_last_event_id,
    cursor_last_event_timestamp: status.cursor_last_event_timestamp,
    last_successful_status_check_timestamp: status.last_successful_status_check_timestamp,
    version,
    revision,
    projects_count: call.state.projects.size,
    replication_slots_count: slots,
    replication_slots_used_count: status.replication_slots_used_count,
    replication_slots_used_in_percentage: percent(status.replication_slots_used_count, slots),
    replication_slots_max_retained_wal_bytes: status.replication_slots_max_retained_wal_bytes,
    ...counts(node),
  } as Status
}

/** What is measured of a node that has not replicated anything yet. */
export const unmeasured = (now: Date): GeoNodeRecord['status'] => {
  const seconds = Math.floor(now.getTime() / 1000)
  return {
    healthy: true,
    health: 'Healthy',
    health_status: 'Healthy',
    db_replication_lag_seconds: null,
    last_event_id: 0,
    last_event_timestamp: seconds,
    cursor_last_event_id: 0,
    cursor_last_event_timestamp: seconds,
    last_successful_status_check_timestamp: seconds,
    replication_slots_count: 0,
    replication_slots_used_count: 0,
    replication_slots_max_retained_wal_bytes: null,
    kinds: {},
  }
}

/** A primary node and a secondary one that lags a little. */
import type { GeoMeasurements, GeoNodeRecord } from '../../state/features.js'
import type { State } from '../../state/state.js'
import { origin } from '../origin.js'

const moment = Math.floor(Date.parse(origin) / 1000)

const counts: Readonly<Record<string, readonly [count: number, synced: number, failed: number]>> = {
  attachments: [1240, 1232, 2],
  lfs_objects: [310, 310, 0],
  job_artifacts: [8420, 8101, 14],
  container_repositories: [12, 9, 1],
  design_repositories: [3, 3, 0],
  repositories: [14, 13, 1],
  wikis: [14, 14, 0],
  merge_request_diffs: [96, 96, 0],
  package_files: [27, 25, 0],
  pages_deployments: [5, 5, 0],
}

const kinds = (complete: boolean): GeoMeasurements['kinds'] =>
  Object.fromEntries(
    Object.entries(counts).map(([kind, [count, synced, failed]]) => [
      kind,
      complete ? { count, synced: count, failed: 0 } : { count, synced, failed },
    ]),
  )

const common: Omit<GeoNodeRecord, 'id' | 'name' | 'url' | 'primary' | 'current' | 'status'> = {
  internal_url: null,
  enabled: true,
  files_max_capacity: 10,
  repos_max_capacity: 25,
  verification_max_capacity: 100,
  container_repositories_max_capacity: 10,
  selective_sync_type: null,
  selective_sync_shards: [],
  selective_sync_namespace_ids: [],
  minimum_reverification_interval: 7,
  sync_object_storage: false,
  clone_protocol: 'http',
  oauth_application: true,
}

const measured = {
  last_event_id: 23_405,
  last_event_timestamp: moment,
  cursor_last_event_id: 23_405,
  cursor_last_event_timestamp: moment,
  last_successful_status_check_timestamp: moment,
  replication_slots_count: 1,
  replication_slots_used_count: 1,
  replication_slots_max_retained_wal_bytes: 483_328,
}

export const seedGeo = (state: State): void => {
  state.geoNodes.add({
    ...common,
    name: 'north',
    url: 'https://north.example.test/',
    internal_url: 'https://north.internal.example.test/',
    primary: true,
    current: true,
    status: {
      ...measured,
      healthy: true,
      health: 'Healthy',
      health_status: 'Healthy',
      db_replication_lag_seconds: null,
      kinds: kinds(true),
    },
  })
  state.geoNodes.add({
    ...common,
    name: 'south',
    url: 'https://south.example.test/',
    primary: false,
    current: false,
    sync_object_storage: true,
    oauth_application: false,
    status: {
      ...measured,
      healthy: true,
      health: 'Healthy',
      health_status: 'Healthy',
      db_replication_lag_seconds: 3,
      cursor_last_event_id: 23_398,
      cursor_last_event_timestamp: moment - 42,
      kinds: kinds(false),
    },
  })
}

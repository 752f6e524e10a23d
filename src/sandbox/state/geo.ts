/** What the instance remembers about the nodes it is replicated to. */

export interface GeoNodeRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  name: string
  url: string
  internal_url: string | null
  primary: boolean
  enabled: boolean
  current: boolean
  files_max_capacity: number
  repos_max_capacity: number
  verification_max_capacity: number
  container_repositories_max_capacity: number
  selective_sync_type: 'namespaces' | 'shards' | null
  selective_sync_shards: string[]
  selective_sync_namespace_ids: number[]
  minimum_reverification_interval: number
  sync_object_storage: boolean
  clone_protocol: string
  /** False until repaired: the node's OAuth application is missing. */
  oauth_application: boolean
  /** The measured part of its status; counts of each data kind and the rest are derived. */
  status: GeoMeasurements
}

export interface GeoMeasurements {
  healthy: boolean
  health: string
  health_status: string
  db_replication_lag_seconds: number | null
  last_event_id: number
  last_event_timestamp: number
  cursor_last_event_id: number
  cursor_last_event_timestamp: number
  last_successful_status_check_timestamp: number
  replication_slots_count: number
  replication_slots_used_count: number
  replication_slots_max_retained_wal_bytes: number | null
  /** Data kind → how many there are, were synced, failed. */
  kinds: Record<string, { count: number; synced: number; failed: number }>
}

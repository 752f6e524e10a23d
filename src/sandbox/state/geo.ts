/** What the instance remembers about the nodes it is replicated to. */

export interface GeoNodeRecord {
  readonly id: number
  /** Once it has been changed. */
  readonly updated_at?: string
  readonly name: string
  readonly url: string
  readonly internal_url: string | null
  readonly primary: boolean
  readonly enabled: boolean
  readonly current: boolean
  readonly files_max_capacity: number
  readonly repos_max_capacity: number
  readonly verification_max_capacity: number
  readonly container_repositories_max_capacity: number
  readonly selective_sync_type: 'namespaces' | 'shards' | null
  readonly selective_sync_shards: readonly string[]
  readonly selective_sync_namespace_ids: readonly number[]
  readonly minimum_reverification_interval: number
  readonly sync_object_storage: boolean
  readonly clone_protocol: string
  /** False until repaired: the node's OAuth application is missing. */
  readonly oauth_application: boolean
  /** The measured part of its status; counts of each data kind and the rest are derived. */
  readonly status: GeoMeasurements
}

export interface GeoMeasurements {
  readonly healthy: boolean
  readonly health: string
  readonly health_status: string
  readonly db_replication_lag_seconds: number | null
  readonly last_event_id: number
  readonly last_event_timestamp: number
  readonly cursor_last_event_id: number
  readonly cursor_last_event_timestamp: number
  readonly last_successful_status_check_timestamp: number
  readonly replication_slots_count: number
  readonly replication_slots_used_count: number
  readonly replication_slots_max_retained_wal_bytes: number | null
  /** Data kind → how many there are, were synced, failed. */
  readonly kinds: Readonly<
    Record<string, { readonly count: number; readonly synced: number; readonly failed: number }>
  >
}

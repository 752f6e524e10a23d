/** What the instance remembers about keys, security, monitoring, replication and itself. */

export interface DeployKeyRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  title: string
  key: string
  created_at: string
  /** Who added it first. */
  user_id: number
  projects: { project_id: number; can_push: boolean }[]
}

export interface PagesDomainRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  project_id: number
  domain: string
  auto_ssl_enabled: boolean
  /** PEM; null when none is attached. */
  certificate: string | null
  key: string | null
}

export interface FindingRecord {
  id: number
  project_id: number
  vulnerability_id: number | null
  name: string
  description: string | null
  severity: string
  confidence: string
  report_type: string
  location_fingerprint: string
  project_fingerprint: string
  metadata_version: string
  primary_identifier_id: number
  scanner_id: number
  uuid: string
  raw_metadata: string
  created_at: string
  updated_at: string
}

export interface VulnerabilityRecord {
  id: number
  project_id: number
  finding_id: number
  title: string
  description: string | null
  state: 'detected' | 'confirmed' | 'resolved' | 'closed'
  severity: string
  confidence: string
  report_type: string
  author_id: number
  updated_by_id: number | null
  last_edited_by_id: number | null
  closed_by_id: number | null
  dismissed_by_id: number | null
  resolved_by_id: number | null
  start_date: string | null
  due_date: string | null
  created_at: string
  updated_at: string
  last_edited_at: string | null
  closed_at: string | null
  dismissed_at: string | null
  resolved_at: string | null
  resolved_on_default_branch: boolean
}

export interface DependencyRecord {
  id: number
  project_id: number
  name: string
  version: string
  package_manager: string
  dependency_file_path: string
  vulnerabilities: { name: string; severity: string }[]
}

export interface IntegrationRecord {
  id: number
  project_id: number
  slug: string
  title: string
  active: boolean
  created_at: string
  updated_at: string
  /** What was set: the family's parameters and event flags, by name. */
  properties: Record<string, unknown>
}

export interface AlertEndpointRecord {
  id: number
  project_id: number
  name: string
  /** The last part of its address. */
  identifier: string
  key: string
  active: boolean
  /** Close the linked incident when the alert is resolved. */
  auto_close_incident: boolean
  /** Alert property → path in the payload it is read from. */
  mapping: Record<string, string[]>
}

export interface AlertRecord {
  id: number
  iid: number
  project_id: number
  endpoint_id: number
  title: string
  description: string | null
  severity: string
  state: 'triggered' | 'resolved'
  started_at: string
  ended_at: string | null
  service: string | null
  monitoring_tool: string | null
  hosts: string[]
  environment: string | null
  /** What makes two payloads the same alert. */
  fingerprint: string
  events: number
  payload: Record<string, unknown>
  issue_id: number | null
  created_at: string
  updated_at: string
}

export interface ErrorTrackingRecord {
  id: number
  project_id: number
  active: boolean
  project_name: string
  errsvc_external_url: string
  api_url: string
  integrated: boolean
}

export interface ClientKeyRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  project_id: number
  active: boolean
  public_key: string
  created_at: string
}

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

/** Switches of the instance itself; not application settings. */
export interface InstanceConfig {
  version: string
  revision: string
  impersonation_enabled: boolean
  registration_token: string
  /** Storage name → whether it is a clustered one. */
  storages: Record<string, { cluster: boolean }>
}

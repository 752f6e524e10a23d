/** What the instance remembers of what projects and the instance have beside code: keys, integrations, sites, alerts, vulnerabilities, replication. */

// What the instance remembers about deploy keys.

export interface DeployKeyRecord {
  readonly id: number
  /** Once it has been changed. */
  readonly updated_at?: string
  readonly title: string
  readonly key: string
  readonly created_at: string
  /** Who added it first. */
  readonly user_id: number
  readonly projects: readonly { readonly project_id: number; readonly can_push: boolean }[]
}

// What the instance remembers about the integrations of projects.

export interface IntegrationRecord {
  readonly id: number
  readonly project_id: number
  readonly slug: string
  readonly title: string
  readonly active: boolean
  readonly created_at: string
  readonly updated_at: string
  /** What was set: the family's parameters and event flags, by name. */
  readonly properties: Readonly<Record<string, unknown>>
}

// What the instance remembers about the domains of static sites.

export interface PagesDomainRecord {
  readonly id: number
  /** Once it has been changed. */
  readonly updated_at?: string
  readonly project_id: number
  readonly domain: string
  readonly auto_ssl_enabled: boolean
  /** PEM; null when none is attached. */
  readonly certificate: string | null
  readonly key: string | null
}

// What the instance remembers about alerts and the tracking of errors.

export interface AlertEndpointRecord {
  readonly id: number
  readonly project_id: number
  readonly name: string
  /** The last part of its address. */
  readonly identifier: string
  readonly key: string
  readonly active: boolean
  /** Close the linked incident when the alert is resolved. */
  readonly auto_close_incident: boolean
  /** Alert property → path in the payload it is read from. */
  readonly mapping: Readonly<Record<string, readonly string[]>>
}

export interface AlertRecord {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly endpoint_id: number
  readonly title: string
  readonly description: string | null
  readonly severity: string
  readonly state: 'triggered' | 'resolved'
  readonly started_at: string
  readonly ended_at: string | null
  readonly service: string | null
  readonly monitoring_tool: string | null
  readonly hosts: readonly string[]
  readonly environment: string | null
  /** What makes two payloads the same alert. */
  readonly fingerprint: string
  readonly events: number
  readonly payload: Readonly<Record<string, unknown>>
  readonly issue_id: number | null
  readonly created_at: string
  readonly updated_at: string
}

export interface ErrorTrackingRecord {
  readonly id: number
  readonly project_id: number
  readonly active: boolean
  readonly project_name: string
  readonly errsvc_external_url: string
  readonly api_url: string
  readonly integrated: boolean
}

export interface ClientKeyRecord {
  readonly id: number
  /** Once it has been changed. */
  readonly updated_at?: string
  readonly project_id: number
  readonly active: boolean
  readonly public_key: string
  readonly created_at: string
}

// What the instance remembers about vulnerabilities: findings, what became of them, and dependencies.

export interface FindingRecord {
  readonly id: number
  readonly project_id: number
  readonly vulnerability_id: number | null
  readonly name: string
  readonly description: string | null
  readonly severity: string
  readonly confidence: string
  readonly report_type: string
  readonly location_fingerprint: string
  readonly project_fingerprint: string
  readonly metadata_version: string
  readonly primary_identifier_id: number
  readonly scanner_id: number
  readonly uuid: string
  readonly raw_metadata: string
  readonly created_at: string
  readonly updated_at: string
}

export interface VulnerabilityRecord {
  readonly id: number
  readonly project_id: number
  readonly finding_id: number
  readonly title: string
  readonly description: string | null
  readonly state: 'detected' | 'confirmed' | 'resolved' | 'closed'
  readonly severity: string
  readonly confidence: string
  readonly report_type: string
  readonly author_id: number
  readonly updated_by_id: number | null
  readonly last_edited_by_id: number | null
  readonly closed_by_id: number | null
  readonly dismissed_by_id: number | null
  readonly resolved_by_id: number | null
  readonly start_date: string | null
  readonly due_date: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly last_edited_at: string | null
  readonly closed_at: string | null
  readonly dismissed_at: string | null
  readonly resolved_at: string | null
  readonly resolved_on_default_branch: boolean
}

export interface DependencyRecord {
  readonly id: number
  readonly project_id: number
  readonly name: string
  readonly version: string
  readonly package_manager: string
  readonly dependency_file_path: string
  readonly vulnerabilities: readonly { readonly name: string; readonly severity: string }[]
}

// What the instance remembers about the nodes it is replicated to.

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

interface GeoMeasurements {
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

// What the instance remembers of kinds that are declared when it starts.

export interface DeclaredRecord {
  readonly id: number
  /** The path of its list, its placeholders filled. */
  readonly at: string
  readonly updated_at?: string
  readonly [attribute: string]: unknown
}

/** Declares what the embedded instance stores about deploy keys, integrations, Pages domains, alerts, vulnerabilities and Geo nodes. */

import type { Dependency } from '../../catalogue/areas/dependencies.js'
import type { InstanceDeployKey } from '../../catalogue/areas/deploy-keys.js'
import type { ClientKey, ErrorTrackingSettings } from '../../catalogue/areas/error-tracking.js'
import type { GeoNode } from '../../catalogue/areas/geo.js'
import type { IntegrationSummary } from '../../catalogue/areas/integrations.js'
import type { ListedVulnerability } from '../../catalogue/shapes/vulnerability.js'
import type { StoredRecord } from './stored.js'

/** A deploy key, with the projects that may use it. */
export type DeployKeyRecord = StoredRecord<
  typeof InstanceDeployKey,
  {
    /** Absent until the key is first changed. */
    readonly updated_at?: string
    /** The user who first added the key. */
    readonly user_id: number
    readonly projects: readonly { readonly project_id: number; readonly can_push: boolean }[]
  }
>

/** An integration that a project has configured. */
export type IntegrationRecord = StoredRecord<
  typeof IntegrationSummary,
  {
    readonly project_id: number
    /** The values that were set, by name: the parameters of the integration's family, and event flags. */
    readonly properties: Readonly<Record<string, unknown>>
  }
>

/** The domain of a project's static site. */
export interface PagesDomainRecord {
  readonly id: number
  /** Absent until the domain is first changed. */
  readonly updated_at?: string
  readonly project_id: number
  readonly domain: string
  readonly auto_ssl_enabled: boolean
  /** The certificate in PEM; null if the domain has none. */
  readonly certificate: string | null
  readonly key: string | null
}

/** An address of a project that accepts alerts. */
export interface AlertEndpointRecord {
  readonly id: number
  readonly project_id: number
  readonly name: string
  /** The last segment of the URL. */
  readonly identifier: string
  readonly key: string
  readonly active: boolean
  /** True if the resolution of an alert closes its incident, too. */
  readonly auto_close_incident: boolean
  /** Maps a property of alerts to the path of its value in the payload. */
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
  /** The text by which a later payload is recognized as the same alert. */
  readonly fingerprint: string
  readonly events: number
  readonly payload: Readonly<Record<string, unknown>>
  readonly issue_id: number | null
  readonly created_at: string
  readonly updated_at: string
}

export type ErrorTrackingRecord = StoredRecord<
  typeof ErrorTrackingSettings,
  { readonly id: number; readonly project_id: number }
>

export type ClientKeyRecord = StoredRecord<
  typeof ClientKey,
  {
    /** Absent until the key is first changed. */
    readonly updated_at?: string
    readonly project_id: number
    readonly created_at: string
  }
>

/** The report of a scanner. The state of the vulnerability is in `VulnerabilityRecord`. */
export type FindingRecord = StoredRecord<
  NonNullable<(typeof ListedVulnerability)['properties']['finding']>,
  { readonly description: string | null; readonly uuid: string }
>

export type VulnerabilityRecord = StoredRecord<
  typeof ListedVulnerability,
  {
    readonly project_id: number
    readonly finding_id: number
  }
>

export type DependencyRecord = StoredRecord<
  typeof Dependency,
  {
    readonly id: number
    readonly project_id: number
    readonly vulnerabilities: readonly { readonly name: string; readonly severity: string }[]
  }
>

/** A node that the instance replicates its data to. */
export type GeoNodeRecord = StoredRecord<
  typeof GeoNode,
  {
    /** Absent until the node is first changed. */
    readonly updated_at?: string
    readonly internal_url: string | null
    /** False if the node's OAuth application is missing, until the node is repaired. */
    readonly oauth_application: boolean
    /** The measured part of the node's status. The other fields are computed from it. */
    readonly status: {
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
      /** Maps a kind of data to its number of objects, and to how many of them were synced and failed. */
      readonly kinds: Readonly<
        Record<string, { readonly count: number; readonly synced: number; readonly failed: number }>
      >
    }
  }
>

/** A record of a kind that is declared when the embedded instance starts, such as one of an extension. */
export interface DeclaredRecord {
  readonly id: number
  /** The path of the list that has the record, with values for the placeholders. */
  readonly at: string
  readonly updated_at?: string
  readonly [attribute: string]: unknown
}

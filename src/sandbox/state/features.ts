/** The stored records of features besides code: keys, integrations, sites, alerts, vulnerabilities, replication. */

import type { Dependency } from '../../catalogue/areas/dependencies.js'
import type { InstanceDeployKey } from '../../catalogue/areas/deploy-keys.js'
import type { ClientKey, ErrorTrackingSettings } from '../../catalogue/areas/error-tracking.js'
import type { GeoNode } from '../../catalogue/areas/geo.js'
import type { IntegrationSummary } from '../../catalogue/areas/integrations.js'
import type { ListedVulnerability } from '../../catalogue/shapes/vulnerability.js'
import type { StoredRecord } from './stored.js'

// What the instance remembers about deploy keys.

export type DeployKeyRecord = StoredRecord<
  typeof InstanceDeployKey,
  {
    /** Once it has been changed. */
    readonly updated_at?: string
    /** The user who added it first. */
    readonly user_id: number
    readonly projects: readonly { readonly project_id: number; readonly can_push: boolean }[]
  }
>

// What the instance remembers about the integrations of projects.

export type IntegrationRecord = StoredRecord<
  typeof IntegrationSummary,
  {
    readonly project_id: number
    /** The properties that were set: the family's parameters and event flags, by name. */
    readonly properties: Readonly<Record<string, unknown>>
  }
>

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
  /** The text that two payloads of the same alert have in common. */
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
    /** Once it has been changed. */
    readonly updated_at?: string
    readonly project_id: number
    readonly created_at: string
  }
>

// What the instance remembers about vulnerabilities: findings, what became of them, and dependencies.

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

// What the instance remembers about the nodes it is replicated to.

export type GeoNodeRecord = StoredRecord<
  typeof GeoNode,
  {
    /** Once it has been changed. */
    readonly updated_at?: string
    readonly internal_url: string | null
    /** False until repaired: the node's OAuth application is missing. */
    readonly oauth_application: boolean
    /** The measured part of its status; counts of each data kind and the rest are derived. */
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
      /** Data kind → how many there are, were synced, failed. */
      readonly kinds: Readonly<
        Record<string, { readonly count: number; readonly synced: number; readonly failed: number }>
      >
    }
  }
>

// What the instance remembers of kinds that are declared when it starts.

export interface DeclaredRecord {
  readonly id: number
  /** The path of its list, its placeholders filled. */
  readonly at: string
  readonly updated_at?: string
  readonly [attribute: string]: unknown
}

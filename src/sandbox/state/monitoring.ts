/** What the instance remembers about alerts and the tracking of errors. */

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

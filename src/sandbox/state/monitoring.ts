/** What the instance remembers about alerts and the tracking of errors. */

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

/** What the instance remembers about vulnerabilities: findings, what became of them, and dependencies. */

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

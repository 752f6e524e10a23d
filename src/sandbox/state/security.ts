/** What the instance remembers about vulnerabilities: findings, what became of them, and dependencies. */

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

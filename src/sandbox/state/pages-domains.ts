/** What the instance remembers about the domains of static sites. */

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

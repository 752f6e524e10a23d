/** What the instance remembers about the domains of static sites. */

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

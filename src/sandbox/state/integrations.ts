/** What the instance remembers about the integrations of projects. */

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

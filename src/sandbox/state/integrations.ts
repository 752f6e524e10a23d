/** What the instance remembers about the integrations of projects. */

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

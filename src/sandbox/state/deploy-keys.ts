/** What the instance remembers about deploy keys. */

export interface DeployKeyRecord {
  readonly id: number
  /** Once it has been changed. */
  readonly updated_at?: string
  readonly title: string
  readonly key: string
  readonly created_at: string
  /** Who added it first. */
  readonly user_id: number
  readonly projects: readonly { readonly project_id: number; readonly can_push: boolean }[]
}

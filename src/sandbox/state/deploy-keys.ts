/** What the instance remembers about deploy keys. */

export interface DeployKeyRecord {
  id: number
  /** Once it has been changed. */
  updated_at?: string
  title: string
  key: string
  created_at: string
  /** Who added it first. */
  user_id: number
  projects: { project_id: number; can_push: boolean }[]
}

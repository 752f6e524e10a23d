/** What the instance remembers about itself. */

/** Switches of the instance itself; not application settings. */
export interface InstanceConfig {
  version: string
  revision: string
  impersonation_enabled: boolean
  registration_token: string
  /** Storage name → whether it is a clustered one. */
  storages: Record<string, { cluster: boolean }>
}

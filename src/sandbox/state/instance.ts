/** What the instance remembers about itself. */

/** Switches of the instance itself; not application settings. */
export interface InstanceConfig {
  version: string
  revision: string
  impersonation_enabled: boolean
  registration_token: string
  /** How jobs end that a runner takes: `pass` (unless given), `fail=<glob of names>`, or `hold`. */
  jobs?: string
  /** Storage name → whether it is a clustered one. */
  storages: Record<string, { cluster: boolean }>
}

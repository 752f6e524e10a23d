/** A row an area of the embedded instance: its handlers and what it adds to the catalogue. */
import type { AreaName } from '../catalogue/index.js'
import type { AnyHandlers, AreaExtras } from './handlers.js'

// The addresses of alert endpoints: `/<project path>/alerts/notify/<name>/<identifier>.json`.

/** The names of the groups are no properties of an alert. */
const alertAddress =
  /^\/(?<endpoint_project>.+)\/alerts\/notify\/[^/]+\/(?<endpoint_identifier>[^/]+)\.json$/

export interface HandlerRow extends AreaExtras {
  readonly load: () => Promise<AnyHandlers>
}

/** By the area's name in the catalogue. */
export const registry: Readonly<Record<AreaName, HandlerRow>> = {
  commits: { load: async () => (await import('./areas/commits.js')).handlers },
  runners: { load: async () => (await import('./areas/runners.js')).handlers },
  jobs: { load: async () => (await import('./areas/jobs.js')).handlers },
  artifacts: { load: async () => (await import('./areas/artifacts.js')).handlers },
  'resource-groups': { load: async () => (await import('./areas/resource-groups.js')).handlers },
  ci: { load: async () => (await import('./areas/ci.js')).handlers },
  issues: { load: async () => (await import('./areas/issues.js')).handlers },
  mr: { load: async () => (await import('./areas/mr.js')).handlers },
  approvals: { load: async () => (await import('./areas/approvals.js')).handlers },
  members: { load: async () => (await import('./areas/members.js')).handlers },
  events: {
    load: async () => (await import('./areas/events.js')).handlers,
    scopes: { list: ['read_user'], listOfUser: ['read_user'] },
  },
  projects: { load: async () => (await import('./areas/projects.js')).handlers },
  integrations: { load: async () => (await import('./areas/integrations.js')).handlers },
  alerts: {
    load: async () => (await import('./areas/alerts.js')).handlers,
    urls: { send: alertAddress },
  },
  settings: { load: async () => (await import('./areas/settings.js')).handlers },
  'deploy-keys': { load: async () => (await import('./areas/deploy-keys.js')).handlers },
  'pages-domains': { load: async () => (await import('./areas/pages-domains.js')).handlers },
  vulnerabilities: { load: async () => (await import('./areas/vulnerabilities.js')).handlers },
  dependencies: { load: async () => (await import('./areas/dependencies.js')).handlers },
  geo: { load: async () => (await import('./areas/geo.js')).handlers },
  'error-tracking': { load: async () => (await import('./areas/error-tracking.js')).handlers },
  'storage-move': { load: async () => (await import('./areas/storage-move.js')).handlers },
}

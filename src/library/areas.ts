/** The catalogue's areas by the names that the client has for them. */
import { approvals } from '../catalogue/areas/approvals.js'
import { artifacts } from '../catalogue/areas/artifacts.js'
import { ci } from '../catalogue/areas/ci.js'
import { commits } from '../catalogue/areas/commits.js'
import { dependencies } from '../catalogue/areas/dependencies.js'
import { deployKeys } from '../catalogue/areas/deploy-keys.js'
import { errorTracking } from '../catalogue/areas/error-tracking.js'
import { events } from '../catalogue/areas/events.js'
import { geo } from '../catalogue/areas/geo.js'
import { integrations } from '../catalogue/areas/integrations.js'
import { issues } from '../catalogue/areas/issues.js'
import { jobs } from '../catalogue/areas/jobs.js'
import { members } from '../catalogue/areas/members.js'
import { mr } from '../catalogue/areas/mr.js'
import { pagesDomains } from '../catalogue/areas/pages-domains.js'
import { projects } from '../catalogue/areas/projects.js'
import { resourceGroups } from '../catalogue/areas/resource-groups.js'
import { runners } from '../catalogue/areas/runners.js'
import { settings } from '../catalogue/areas/settings.js'
import { storageMove } from '../catalogue/areas/storage-move.js'
import { vulnerabilities } from '../catalogue/areas/vulnerabilities.js'

export const areas = {
  approvals,
  artifacts,
  ci,
  commits,
  dependencies,
  deployKeys,
  errorTracking,
  events,
  geo,
  integrations,
  issues,
  jobs,
  members,
  mr,
  pagesDomains,
  projects,
  resourceGroups,
  runners,
  settings,
  storageMove,
  vulnerabilities,
}

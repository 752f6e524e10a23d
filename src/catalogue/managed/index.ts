/** The kinds that files can declare, in the order in which what they want is done. */
import { approvalRules, projectApprovals } from './approvals.js'
import { projectKeys } from './deploy-keys.js'
import { projectErrorTracking } from './error-tracking.js'
import { geoNodes } from './geo.js'
import { projectIntegrations } from './integrations.js'
import type { Managed } from './managed.js'
import { groupMembers, projectMembers } from './members.js'
import { projectDomains } from './pages-domains.js'
import { projectResourceGroups } from './resource-groups.js'
import { projectRunners, siteRunners } from './runners.js'
import { siteSettings } from './settings.js'

export const managedKinds: readonly Managed[] = [
  siteSettings,
  geoNodes,
  groupMembers,
  projectMembers,
  siteRunners,
  projectRunners,
  projectApprovals,
  approvalRules,
  projectKeys,
  projectDomains,
  projectIntegrations,
  projectErrorTracking,
  projectResourceGroups,
]

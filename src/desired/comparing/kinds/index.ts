/** What facts cannot say of kinds, by their names; a kind without a row needs nothing more. */
import type { Managed } from '../../../catalogue/managed/managed.js'
import type { KindHooks } from '../types.js'
import { approvalRules } from './approval-rules.js'
import { deployKeys } from './deploy-keys.js'
import { errorTracking } from './error-tracking.js'
import { integrations } from './integrations.js'
import { members } from './members.js'
import { pagesDomains } from './pages-domains.js'
import { resourceGroups } from './resource-groups.js'
import { projectRunners, siteRunners } from './runners.js'
import { settings } from './settings.js'

const rows: Readonly<Record<string, KindHooks>> = {
  'group members': members,
  'project members': members,
  'site settings': settings,
  'site runners': siteRunners,
  'project runners': projectRunners,
  'project approval_rules': approvalRules,
  'project deploy_keys': deployKeys,
  'project pages_domains': pagesDomains,
  'project integrations': integrations,
  'project error_tracking': errorTracking,
  'project resource_groups': resourceGroups,
}

/** The hooks of a kind. */
export const hooksOf = ({ scope, name }: Pick<Managed, 'scope' | 'name'>): KindHooks =>
  rows[`${scope} ${name}`] ?? {}

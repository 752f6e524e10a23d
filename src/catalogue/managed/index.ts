/** The kinds that files can declare, each as a fact, in the order in which what they want is done. */

import { approvals } from '../areas/approvals.js'
import { deployKeys } from '../areas/deploy-keys.js'
import { errorTracking } from '../areas/error-tracking.js'
import { geo } from '../areas/geo.js'
import { integrations } from '../areas/integrations.js'
import { members } from '../areas/members.js'
import { pagesDomains } from '../areas/pages-domains.js'
import { resourceGroups } from '../areas/resource-groups.js'
import { runners } from '../areas/runners.js'
import { settings } from '../areas/settings.js'
import { integrationFamilies } from '../integration-families.js'
import { settingsRequirements } from '../settings-attributes.js'
import { type Managed, managed } from './managed.js'

// The instance itself.

const siteSettings = managed({
  name: 'settings',
  scope: 'site',
  holds: 'one',
  read: settings.get,
  update: settings.update,
  open: true,
  requires: settingsRequirements,
})

/** Replication nodes. */
const geoNodes = managed({
  name: 'geo_nodes',
  scope: 'site',
  holds: 'set',
  identity: 'name',
  also: 'url',
  read: geo.list,
  create: geo.create,
  update: geo.update,
  remove: geo.delete,
  at: { id: 'id' },
  refs: { selective_sync_namespace_ids: 'group' },
  first: 'primary',
  renames: true,
})

/** Runners of the instance, by rules. */
const siteRunners = managed({
  name: 'runners',
  scope: 'site',
  holds: 'rules',
  identity: 'id',
  label: 'description',
  read: runners.listAll,
  each: runners.get,
  update: runners.update,
  at: { id: 'id' },
  operational: ['active'],
  forAdministrators: true,
})

// Direct members.

const member = {
  name: 'members',
  holds: 'set',
  identity: 'username',
  by: 'user',
  at: { user_id: 'id' },
  keep: ['access_level'],
  // No answer shows them.
  without: ['invite_source', 'areas_of_focus'],
  // A bot belongs to a token.
  spared: /^(?:project|group)_\d+_bot/,
} as const

export const groupMembers = managed({
  ...member,
  scope: 'group',
  read: members.listOfGroup,
  create: members.addToGroup,
  update: members.updateOfGroup,
  remove: members.removeFromGroup,
})

export const projectMembers = managed({
  ...member,
  scope: 'project',
  read: members.listOfProject,
  create: members.addToProject,
  update: members.updateOfProject,
  remove: members.removeFromProject,
})

// What else a project has.

/** Which runners it has. */
export const projectRunners = managed({
  name: 'runners',
  scope: 'project',
  holds: 'set',
  identity: 'id',
  label: 'description',
  by: 'runner',
  read: runners.listOfProject,
  everywhere: runners.listAll,
  enable: runners.enable,
  remove: runners.disable,
  at: { runner_id: 'id' },
  only: { runner_type: ['project_type'] },
  // Those of the instance and of groups are shown with them, and are nothing of its own.
  query: { type: 'project_type' },
})

/** How its merge requests are approved. */
const projectApprovals = managed({
  name: 'approvals',
  scope: 'project',
  holds: 'one',
  read: approvals.get,
  update: approvals.update,
})

export const approvalRules = managed({
  name: 'approval_rules',
  scope: 'project',
  holds: 'set',
  identity: 'name',
  read: approvals.rulesList,
  create: approvals.rulesCreate,
  update: approvals.rulesUpdate,
  remove: approvals.rulesDelete,
  at: { approval_rule_id: 'id' },
  from: {
    user_ids: 'users[].id',
    group_ids: 'groups[].id',
    protected_branch_ids: 'protected_branches[].id',
  },
  refs: { user_ids: 'user', group_ids: 'group', protected_branch_ids: 'branch' },
  // A change without approvers takes them away.
  keep: ['user_ids', 'group_ids'],
  keepAny: ['protected_branch_ids'],
  mask: { group_ids: 'contains_hidden_groups' },
  only: { rule_type: ['regular', 'any_approver'] },
  usual: { rule_type: 'regular' },
  single: { field: 'rule_type', value: 'any_approver', text: 'the rule for any approver' },
  renames: true,
  after: ['members'],
})

export const projectKeys = managed({
  name: 'deploy_keys',
  scope: 'project',
  holds: 'set',
  identity: 'key',
  label: 'title',
  read: deployKeys.list,
  everywhere: deployKeys.listAll,
  create: deployKeys.add,
  update: deployKeys.update,
  remove: deployKeys.delete,
  enable: deployKeys.enable,
  at: { key_id: 'id' },
})

/** Custom domains of its Pages site. */
const projectDomains = managed({
  name: 'pages_domains',
  scope: 'project',
  holds: 'set',
  identity: 'domain',
  read: pagesDomains.list,
  everywhere: pagesDomains.listAll,
  create: pagesDomains.add,
  update: pagesDomains.update,
  remove: pagesDomains.delete,
  at: { domain: 'domain' },
  from: { certificate: 'certificate.certificate' },
  alone: true,
  ignoresCase: true,
  // Automatic certificates are nobody's.
  pair: { shown: 'certificate', hidden: 'key', unless: 'auto_ssl_enabled' },
})

export const projectIntegrations = managed({
  name: 'integrations',
  scope: 'project',
  holds: 'set',
  identity: 'slug',
  read: integrations.list,
  each: integrations.get,
  create: integrations.update,
  update: integrations.update,
  remove: integrations.delete,
  at: { slug: 'slug' },
  // The record's own title is what the integration is called.
  from: { title: 'properties.title' },
  present: 'active',
  families: integrationFamilies,
})

const projectErrorTracking = managed({
  name: 'error_tracking',
  scope: 'project',
  holds: 'one',
  read: errorTracking.get,
  update: errorTracking.update,
  optional: true,
  onlyIf: {
    why: 'error tracking was never configured, and the API can only enable or disable it',
    off: { active: false },
  },
})

/** A job's use is what makes one. */
const projectResourceGroups = managed({
  name: 'resource_groups',
  scope: 'project',
  holds: 'set',
  identity: 'key',
  read: resourceGroups.get,
  unlisted: '/projects/:id/resource_groups',
  update: resourceGroups.update,
  at: { key: 'key' },
  onlyIf: { why: 'does not exist until a job uses it, so there is nothing to change yet' },
})

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

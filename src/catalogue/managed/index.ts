/** The kinds that files can declare, in the order in which what they want is done. */

import { deployKeys } from '../areas/deploy-keys.js'
import { geo } from '../areas/geo.js'
import { integrations } from '../areas/integrations.js'
import { resourceGroups } from '../areas/resource-groups.js'
import { settings } from '../areas/settings.js'
import { integrationFamilies } from '../integration-families.js'
import { approvalRules, projectApprovals } from './approvals.js'
import { projectErrorTracking } from './error-tracking.js'
import { type Managed, managed } from './managed.js'
import { groupMembers, projectMembers } from './members.js'
import { projectDomains } from './pages-domains.js'
import { projectRunners, siteRunners } from './runners.js'

// Integrations of a project, as files declare them.

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

// Replication nodes, as files declare them.

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

// Deploy keys of a project, as files declare them.

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

// Resource groups of a project, as files declare them; a job's use is what makes one.

const projectResourceGroups = managed({
  name: 'resource_groups',
  scope: 'project',
  holds: 'set',
  identity: 'key',
  read: resourceGroups.get,
  unlisted: '/projects/:id/resource_groups',
  update: resourceGroups.update,
  at: { key: 'key' },
})

// The instance's application settings, as files declare them.

const siteSettings = managed({
  name: 'settings',
  scope: 'site',
  holds: 'one',
  read: settings.get,
  update: settings.update,
  open: true,
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

/** Integrations of a project, as files declare them. */
import { integrations } from '../areas/integrations.js'
import { integrationFamilies } from '../integration-families.js'
import { managed } from './managed.js'

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

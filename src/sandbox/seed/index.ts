/** The sample data of a fresh instance: always the same. */
import { restore, type SavedState, type State } from '../state/state.js'
import { seedDeployKeys } from './deploy-keys.js'
import { seedEvents } from './events.js'
import { seedGeo } from './geo.js'
import { seedGroups, seedMembers } from './groups.js'
import { seedIntegrations } from './integrations.js'
import { seedIssues } from './issues.js'
import { seedMergeRequests } from './merge-requests.js'
import { seedMonitoring } from './monitoring.js'
import { seedPagesDomains } from './pages-domains.js'
import { seedPeople } from './people.js'
import { seedPipelines } from './pipelines.js'
import { seedProjects } from './projects.js'
import { seedRunners } from './runners.js'
import { seedSecurity } from './security.js'
import { seedSettings } from './settings.js'
import { seedSnippets } from './snippets.js'

const config = {
  version: '14.6.0-ee',
  revision: 'a1b2c3d4e5f',
  impersonation_enabled: true,
  registration_token: 'sandbox-instance-registration',
  storages: {
    default: { cluster: false },
    second: { cluster: false },
    cluster: { cluster: true },
  },
}

export const seedState = (): State => {
  const state = restore({ config: structuredClone(config) })
  seedPeople(state)
  seedGroups(state)
  seedProjects(state)
  seedMembers(state)
  seedRunners(state)
  seedPipelines(state)
  seedIssues(state)
  seedMergeRequests(state)
  seedDeployKeys(state)
  seedPagesDomains(state)
  seedIntegrations(state)
  seedMonitoring(state)
  seedSnippets(state)
  seedSecurity(state)
  seedGeo(state)
  seedSettings(state)
  seedEvents(state)
  // As it would be read from a file: no list of the sample data is shared between instances.
  const saved: SavedState = JSON.parse(JSON.stringify(state))
  return restore(saved)
}

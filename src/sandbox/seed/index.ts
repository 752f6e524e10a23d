/** The sample data of a fresh instance: always the same. */
import { restore, type State, takeChanges } from '../state/state.js'
import { seedIntegrations, seedMonitoring, seedPagesDomains } from './instance/features.js'
import { seedGeo } from './instance/geo.js'
import { seedSecurity } from './instance/security.js'
import { seedSettings } from './instance/settings.js'
import { seedGroups, seedMembers } from './people/groups.js'
import { seedPeople } from './people/people.js'
import { seedProjects, seedSnippets } from './people/projects.js'
import { seedEvents } from './planning/events.js'
import { seedIssues } from './planning/issues.js'
import { seedMergeRequests } from './planning/merge-requests.js'
import { seedDeployKeys } from './repository/deploy-keys.js'
import { seedPipelines } from './repository/pipelines.js'
import { seedRunners } from './repository/runners.js'

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
  const state = restore({ config })
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
  // Sample data are no changes.
  takeChanges(state)
  return state
}

/** The sample data of a fresh instance: always the same. */
import { restore, type State, takeChanges } from '../state/state.js'
import { seedDeployKeys, seedPipelines, seedRunners } from './ci.js'
import {
  seedGeo,
  seedIntegrations,
  seedMonitoring,
  seedPagesDomains,
  seedSecurity,
  seedSettings,
} from './instance.js'
import { seedMergeRequests } from './merge-requests.js'
import { seedGroups, seedMembers, seedPeople, seedProjects, seedSnippets } from './people.js'
import { seedEvents, seedIssues } from './planning.js'

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

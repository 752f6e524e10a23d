/** The sample data of a fresh instance: always the same. */
import { restore, type State } from '../state/state.js'
import { seedGroups, seedMembers } from './groups.js'
import { seedPeople } from './people.js'
import { seedProjects } from './projects.js'
import { seedRunners } from './runners.js'

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
  return state
}

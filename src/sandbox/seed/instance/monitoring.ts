/** Alert endpoints, and the tracking of errors with its client keys. */
import type { State } from '../../state/state.js'
import { ago } from '../origin.js'

export const seedMonitoring = (state: State): void => {
  const endpoint = { active: true, auto_close_incident: true }
  state.alertEndpoints.add({
    ...endpoint,
    project_id: 1,
    name: 'monitoring',
    identifier: '3a1f0c5d9b7e2468',
    key: 'sandbox-alert-key',
    mapping: {},
  })
  state.alertEndpoints.add({
    ...endpoint,
    project_id: 1,
    name: 'probes',
    identifier: '86420e7b9d5c0f1a',
    key: 'sandbox-probe-key',
    mapping: { title: ['check', 'name'], severity: ['check', 'level'] },
  })
  state.errorTracking.add({
    project_id: 1,
    active: true,
    project_name: 'app',
    errsvc_external_url: 'https://errors.example.test/example/app',
    api_url: 'https://errors.example.test/api/0/projects/example/app',
    integrated: false,
  })
  for (const [project_id, public_key] of [
    [1, '1d2c3b4a5f6e7d8c9b0a1f2e3d4c5b6a'],
    [1, 'a0b1c2d3e4f5061728394a5b6c7d8e9f'],
    [6, '0f1e2d3c4b5a69788796a5b4c3d2e1f0'],
  ] as const)
    state.clientKeys.add({ project_id, active: project_id === 1, public_key, created_at: ago(66) })
}

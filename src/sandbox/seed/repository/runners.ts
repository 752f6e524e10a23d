/** Runners of all three types: online, offline, paused, never connected. */
import type { RunnerRecord } from '../../state/ci.js'
import type { State } from '../../state/state.js'
import { ago } from '../origin.js'

type Row = Partial<RunnerRecord> & Pick<RunnerRecord, 'description' | 'runner_type' | 'online'>

const rows: readonly Row[] = [
  {
    description: 'shared-linux-1',
    runner_type: 'instance_type',
    online: true,
    tag_list: ['linux', 'docker'],
  },
  {
    description: 'shared-linux-2',
    runner_type: 'instance_type',
    online: false,
    tag_list: ['linux', 'docker'],
  },
  {
    description: 'shared-macos',
    runner_type: 'instance_type',
    online: true,
    active: false,
    platform: 'darwin',
    architecture: 'arm64',
    tag_list: ['macos'],
    run_untagged: false,
  },
  {
    description: 'platform-builder',
    runner_type: 'group_type',
    online: true,
    group_ids: [1],
    tag_list: ['linux', 'large'],
  },
  { description: 'web-builder', runner_type: 'group_type', online: null, group_ids: [4] },
  {
    description: 'app-deployer',
    runner_type: 'project_type',
    online: true,
    project_ids: [1],
    tag_list: ['deploy'],
    access_level: 'ref_protected',
    run_untagged: false,
    locked: true,
    maximum_timeout: 3600,
  },
  {
    description: 'gpu',
    runner_type: 'project_type',
    online: false,
    project_ids: [1, 2],
    tag_list: ['gpu', 'linux'],
  },
  {
    description: 'site-preview',
    runner_type: 'project_type',
    online: false,
    active: false,
    project_ids: [6],
  },
  { description: 'shop-tests', runner_type: 'project_type', online: null, project_ids: [7] },
  {
    description: 'docs-renderer',
    runner_type: 'project_type',
    online: true,
    project_ids: [8],
    tag_list: ['docs'],
  },
]

export const seedRunners = (state: State): void => {
  for (const [index, row] of rows.entries()) {
    const connected = row.online !== null
    state.runners.add({
      ip_address: connected ? `10.0.0.${index + 10}` : '',
      active: true,
      name: connected ? 'svc-runner' : null,
      architecture: connected ? 'amd64' : null,
      platform: connected ? 'linux' : null,
      revision: connected ? '58ba2b95' : null,
      version: connected ? '14.6.0' : null,
      contacted_at: connected ? ago(row.online === true ? 0 : 20 + index) : null,
      tag_list: [],
      access_level: 'not_protected',
      maximum_timeout: null,
      run_untagged: true,
      locked: false,
      project_ids: [],
      group_ids: [],
      token: `sandbox-runner-${index + 1}`,
      created_at: ago(300 - index * 11),
      ...row,
    })
  }
}

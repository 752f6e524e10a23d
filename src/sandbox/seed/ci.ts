/** Sample pipelines, jobs in every state, archives, resource groups, runners and deploy keys. */
import type {
  ArtifactEntry,
  JobRecord,
  JobStatus,
  PipelineRecord,
  RunnerRecord,
} from '../state/ci.js'
import type { State } from '../state/state.js'
import { getCommitCard } from './histories.js'
import { ago } from './origin.js'
import { getUserId, type Username } from './people.js'

// Deploy keys.

const keys = [
  {
    title: 'deploy',
    key: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBn+FFRajqwAUyDuJYTgOB9AErkVoXRxLDIrC2J+Cnnw',
      ' deploy@example.test',
    ].join(''),
    user_id: 3,
    projects: [
      { project_id: 1, can_push: true },
      { project_id: 5, can_push: false },
    ],
  },
  {
    title: 'mirror',
    key: [
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIHqF2ZdEGnMd4PXlSydmpuiIwAqLh10A33AFJqhswtZ',
      ' mirror@example.test',
    ].join(''),
    user_id: 2,
    projects: [{ project_id: 2, can_push: false }],
  },
  {
    title: 'old',
    key: [
      'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC+sU5q3LXrHqmq+K9rp7IvWrvs8itA6sqzBQWeRPpd',
      'MOnCs94+H+iu+yZu3k1P0Ao+WXnQNCWD4j5pwciq6RGpvvlsxR7j2FlGkVmjM71J+Fr7ETALylga0I2S',
      '1i0pefgEd7NzeZg+Ex7KfExOD/6oYgSlP65T+FEEfvE8PeBBtmSHby7GJhX/Lg/g0toHtTTN4xIVWXTE',
      'Ret6gY55mI6QOm0OX96CJG5npsq3vMzTtl0rrOUesf36HYJopFfdw2QVlALmP++ZwlqkyeF9uvUeQpT2',
      '3Ig3uqnxVlxZTEt0z8ybyX2LYMrnIqJFG99zZV6S5/DazEWz1Fliheneft/5 old@example.test',
    ].join(''),
    user_id: 3,
    projects: [{ project_id: 7, can_push: false }],
  },
]

export const seedDeployKeys = (state: State): void => {
  for (const [index, key] of keys.entries())
    state.deployKeys.add({ ...structuredClone(key), created_at: ago(200 - index * 50) })
}

// Runners of all three types: online, offline, paused, never connected.

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

interface Plan {
  readonly project: number
  readonly ref: string
  readonly tag?: true
  readonly commit: string
  readonly status: string
  readonly days: number
  readonly user: Username
  readonly parent?: number
  readonly source?: string
  readonly jobs: readonly Job[]
}

type Job = readonly [name: string, stage: string, status: JobStatus, extra?: Partial<JobRecord>]

const text = (path: string, content: string): ArtifactEntry => ({ path, content, encoding: 'text' })

const dist: ArtifactEntry[] = [
  text('dist/app.txt', 'name = app\nport = 8080\n'),
  text('dist/docs/index.html', '<h1>App</h1>\n'),
  text('dist/docs/was ist das?.txt', 'A name with blanks.\n'),
  {
    path: 'dist/logo.png',
    content:
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    encoding: 'base64',
  },
]

const built: Partial<JobRecord> = { archive: dist, runner_id: 1, tag_list: ['linux'] }
const tested: Partial<JobRecord> = {
  runner_id: 4,
  coverage: 87.4,
  reports: [{ file_type: 'junit', filename: 'junit.xml.gz', file_format: 'gzip', size: 812 }],
}

const plans: readonly Plan[] = [
  {
    project: 1,
    ref: 'v1.0.0',
    tag: true,
    commit: 'v1',
    status: 'success',
    days: 200,
    user: 'ben',
    jobs: [
      ['build', 'build', 'success', { ...built, artifacts_expire_at: ago(193) }],
      ['unit', 'test', 'success', tested],
      ['deploy', 'deploy', 'success', { runner_id: 6, tag_list: ['deploy'] }],
    ],
  },
  {
    project: 1,
    ref: 'main',
    commit: 'merge',
    status: 'success',
    days: 40,
    user: 'ben',
    jobs: [
      ['build', 'build', 'success', { ...built, artifacts_expire_at: ago(-3650) }],
      ['unit', 'test', 'failed', { ...tested, retried: true }],
      ['unit', 'test', 'success', tested],
      ['lint', 'test', 'failed', { allow_failure: true, runner_id: 2 }],
      ['package', 'deploy', 'success', { kind: 'bridge', downstream_pipeline_id: 3 }],
      ['rollout', 'deploy', 'success', { kind: 'bridge', downstream_pipeline_id: 4 }],
    ],
  },
  {
    project: 1,
    ref: 'main',
    commit: 'merge',
    status: 'success',
    days: 40,
    user: 'ben',
    parent: 2,
    source: 'parent_pipeline',
    jobs: [
      ['build', 'build', 'success', { ...built, archive: [text('dist/child.txt', 'child\n')] }],
      [
        'docs',
        'build',
        'success',
        { ...built, archive: [text('site/index.html', '<p>Docs</p>\n')] },
      ],
    ],
  },
  {
    project: 5,
    ref: 'main',
    commit: 'head',
    status: 'success',
    days: 40,
    user: 'ben',
    source: 'pipeline',
    jobs: [['rollout', 'deploy', 'success', { runner_id: 1 }]],
  },
  {
    project: 1,
    ref: 'main',
    commit: 'head',
    status: 'running',
    days: 10,
    user: 'ana',
    jobs: [
      ['build', 'build', 'success', built],
      ['unit', 'test', 'running', { runner_id: 1, token: 'sandbox-job-token' }],
      ['lint', 'test', 'pending', { tag_list: ['macos'] }],
      ['scan', 'test', 'created'],
      ['deploy', 'deploy', 'manual', { allow_failure: true }],
    ],
  },
  {
    project: 1,
    ref: 'feature/login',
    commit: 'login',
    status: 'failed',
    days: 28,
    user: 'chi',
    jobs: [
      ['build', 'build', 'success', built],
      ['unit', 'test', 'failed', { runner_id: 7 }],
      ['deploy', 'deploy', 'skipped'],
    ],
  },
  {
    project: 1,
    ref: 'feature/logging',
    commit: 'logging',
    status: 'canceled',
    days: 25,
    user: 'dov',
    jobs: [
      ['build', 'build', 'canceled', { runner_id: 2 }],
      ['unit', 'test', 'skipped'],
    ],
  },
  {
    project: 1,
    ref: 'feature/auto',
    commit: 'auto',
    status: 'running',
    days: 4,
    user: 'ben',
    jobs: [['build', 'build', 'running', { runner_id: 4, token: 'sandbox-ben-job-token' }]],
  },
  {
    project: 6,
    ref: 'main',
    commit: 'head',
    status: 'success',
    days: 46,
    user: 'chi',
    jobs: [
      [
        'build',
        'build',
        'success',
        { ...built, archive: [text('public/index.html', '<p>Hi</p>\n')] },
      ],
      ['check', 'test', 'success', { runner_id: 8 }],
    ],
  },
  {
    project: 2,
    ref: 'main',
    commit: 'head',
    status: 'failed',
    days: 42,
    user: 'chi',
    jobs: [
      ['build', 'build', 'failed', { runner_id: 7, tag_list: ['gpu'] }],
      ['check', 'test', 'skipped'],
    ],
  },
]

const seedPipeline = (state: State, plan: Plan): PipelineRecord => {
  const commit = getCommitCard(plan.project, plan.commit)
  const done = plan.status === 'running' ? null : ago(plan.days, -1)
  return state.pipelines.add({
    project_id: plan.project,
    ref: plan.ref,
    tag: plan.tag ?? false,
    sha: commit.id,
    before_sha: '0'.repeat(40),
    status: plan.status,
    source: plan.source ?? 'push',
    user_id: getUserId(plan.user),
    parent_id: plan.parent ?? null,
    created_at: ago(plan.days),
    updated_at: done ?? ago(plan.days),
    started_at: ago(plan.days, -0.05),
    finished_at: done,
    commit,
  })
}

const ended: readonly JobStatus[] = ['success', 'failed', 'canceled']

const seedJob = (state: State, plan: Plan, pipeline: number, index: number, job: Job): void => {
  const [name, stage, status, extra = {}] = job
  const began = status === 'running' || ended.includes(status)
  const id = state.jobs.add({
    project_id: plan.project,
    pipeline_id: pipeline,
    kind: 'build',
    name,
    stage,
    status,
    allow_failure: false,
    coverage: null,
    created_at: ago(plan.days, -index / 10),
    started_at: began ? ago(plan.days, -(index + 1) / 10) : null,
    finished_at: ended.includes(status) ? ago(plan.days, -(index + 2) / 10) : null,
    tag_list: [],
    runner_id: null,
    user_id: getUserId(plan.user),
    retried: false,
    downstream_pipeline_id: null,
    archive: null,
    reports: [],
    trace_size: began ? 1500 + index * 250 : 0,
    artifacts_expire_at: null,
    token: '',
    ...structuredClone(extra),
  })
  if (id.token === '') state.jobs.change(id.id, { token: `sandbox-job-${id.id}-token` })
}

export const seedPipelines = (state: State): void => {
  for (const plan of plans) {
    const { id } = seedPipeline(state, plan)
    for (const [index, job] of plan.jobs.entries()) seedJob(state, plan, id, index, job)
  }
  state.agents.add({ name: 'production', config_project_id: 5, project_ids: [1, 5] })
  state.agents.add({ name: 'staging', config_project_id: 5, project_ids: [1] })
  const group = { created_at: ago(150), updated_at: ago(20) }
  const keys = ['production', 'staging', 'review/feature/login'] as const
  for (const key of keys)
    state.resourceGroups.add({ project_id: 1, key, process_mode: 'unordered', ...group })
}

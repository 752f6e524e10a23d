/** Declares the endpoints of runners, the machines that run jobs. */
import { empty, endpoint, many, one } from '../endpoint.js'
import { boolean, group, hash, integer, list, oneOf, project, string } from '../params.js'
import {
  ArrayOf,
  Bool,
  Int,
  maybe,
  Num,
  nullable,
  Obj,
  OpenEnum,
  ProjectSummary,
  Secret,
  Str,
  Timestamp,
  Unknown,
  User,
  Version,
} from '../shapes/common.js'

const types = ['instance_type', 'group_type', 'project_type'] as const
const states = ['active', 'paused', 'online', 'offline'] as const
const accessLevels = ['not_protected', 'ref_protected'] as const

const summary = {
  id: Int(),
  description: Str(),
  ip_address: Str(),
  active: Bool(),
  is_shared: Bool(),
  runner_type: OpenEnum(types),
  name: nullable(Str()),
  online: nullable(Bool({ description: 'null if the runner never connected' })),
  status: OpenEnum(['online', 'offline', 'paused', 'not_connected']),
}
export const RunnerSummary = Obj(summary, { title: 'Runner summary' })
export const Runner = Obj(
  {
    ...summary,
    architecture: nullable(Str()),
    platform: nullable(Str()),
    revision: nullable(Str()),
    version: nullable(Version),
    contacted_at: nullable(Timestamp),
    projects: ArrayOf(ProjectSummary),
    tag_list: ArrayOf(Str()),
    access_level: OpenEnum(accessLevels),
    maximum_timeout: nullable(Int({ description: 'seconds' })),
    run_untagged: maybe(Bool()),
    locked: maybe(Bool()),
  },
  { title: 'Runner' },
)
export const RunnerJob = Obj(
  {
    id: Int(),
    ip_address: nullable(Str()),
    status: OpenEnum(['running', 'success', 'failed', 'canceled']),
    stage: Str(),
    name: Str(),
    ref: Str(),
    tag: Bool(),
    coverage: nullable(Num()),
    created_at: Timestamp,
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    duration: nullable(Num({ description: 'seconds' })),
    user: nullable(User),
    commit: Unknown(),
    pipeline: Obj({ id: Int(), sha: Str(), ref: Str(), status: Str() }),
    project: ProjectSummary,
  },
  { title: 'Runner job' },
)
const RegisteredRunner = Obj({ id: maybe(Int()), token: Secret }, { title: 'Registered runner' })

const runnerId = integer('runner ID', { name: 'id', completes: 'runner' })
const filters = {
  type: oneOf(types, 'filter by runner type', { keeps: { field: 'runner_type' } }),
  status: oneOf(states, 'filter by status'),
  tag_list: list('string', 'filter by tags (all of them)', {
    join: 'comma',
    exact: true,
  }),
} as const
const scopeHelp = 'filter by type or status (deprecated)'
const scope = { deprecated: 'type or status' } as const
const listed = {
  scope: oneOf(states, scopeHelp, scope),
  ...filters,
} as const
const columns = ['id', 'description', 'runner_type', 'status', 'ip_address', 'active'] as const
const editable = 'anyone who can edit the runner (Maintainers of its projects, administrators)'

export const runners = {
  list: endpoint('GET /runners', many(RunnerSummary), {
    summary: 'List runners: yours, or of the instance, a project or group',
    command: 'list',
    path: {},
    params: listed,
    columns,
    lists: 'runner',
    access: 'any signed-in user',
  }),
  listAll: endpoint('GET /runners/all', many(RunnerSummary), {
    summary: 'List all runners of the instance',
    command: 'list',
    when: { flag: 'instance', help: 'list all runners of the instance (administrators)' },
    path: {},
    params: {
      ...listed,
      scope: oneOf([...states, 'specific', 'shared'], scopeHelp, scope),
    },
    columns,
    lists: 'runner',
    access: 'administrators',
  }),
  get: endpoint('GET /runners/:id', one(Runner), {
    summary: 'Show a runner',
    command: 'get',
    args: ['id'],
    path: { id: runnerId },
    params: {},
    access: 'at least Maintainer for a project or group runner, any signed-in user otherwise',
  }),
  update: endpoint('PUT /runners/:id', one(Runner), {
    summary: 'Change a runner',
    command: 'update',
    selects: { list: 'runners list', by: ['instance'], spread: true },
    changes: true,
    args: ['id'],
    path: { id: runnerId },
    params: {
      description: string('description'),
      active: boolean('let the runner accept jobs'),
      tag_list: list('string', 'complete set of tags'),
      run_untagged: boolean('let the runner accept untagged jobs'),
      locked: boolean('lock the runner to its projects'),
      access_level: oneOf(accessLevels, 'access level: any ref, or protected refs only'),
      maximum_timeout: integer('maximum job duration in seconds', { nullable: true }),
    },
    access: editable,
  }),
  jobs: endpoint('GET /runners/:id/jobs', many(RunnerJob), {
    summary: 'List the jobs of a runner',
    command: 'jobs',
    args: ['id'],
    path: { id: runnerId },
    params: {
      status: oneOf(['running', 'success', 'failed', 'canceled'], 'filter by job state', {
        exact: true,
      }),
      order_by: oneOf(['id'], 'sort field'),
      sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
    },
    columns: ['id', 'status', 'project.path_with_namespace', 'stage', 'name', 'ref', 'duration'],
    lists: 'job',
  }),
  listOfProject: endpoint('GET /projects/:id/runners', many(RunnerSummary), {
    summary: 'List the runners available in a project',
    command: 'list',
    path: { id: project() },
    params: listed,
    columns,
    lists: 'runner',
  }),
  enable: endpoint('POST /projects/:id/runners', one(RunnerSummary), {
    summary: 'Enable a runner for a project',
    command: 'enable',
    args: ['runner_id'],
    inverse: 'disable',
    path: { id: project() },
    params: {
      runner_id: integer('runner ID', { required: true, name: 'id', completes: 'runner' }),
    },
    access: 'at least Maintainer of the project',
  }),
  disable: endpoint('DELETE /projects/:id/runners/:runner_id', empty, {
    summary: 'Disable a runner for a project',
    command: 'disable',
    selects: { list: 'runners list' },
    args: ['runner_id'],
    inverse: 'enable',
    path: { id: project(), runner_id: runnerId },
    params: {},
    access: 'at least Maintainer of the project',
    done: 'disabled',
    destructive: 'The runner no longer accepts jobs of this project.',
    notes: ['Works only if the runner has another project.'],
  }),
  listOfGroup: endpoint('GET /groups/:id/runners', many(RunnerSummary), {
    summary: 'List the runners available in a group and its ancestors',
    command: 'list',
    path: { id: group() },
    params: filters,
    refuses: ['scope'],
    columns,
    lists: 'runner',
  }),
  register: endpoint('POST /runners', one(RegisteredRunner), {
    irreversible: 'the API has no endpoint that removes a runner',
    summary: 'Register a runner and print its authentication token',
    reveals:
      'Prints the runner’s authentication token in full, this one time. Use a registration token of the instance, a group or a project.',
    command: 'register',
    path: {},
    params: {
      token: string('registration token', { required: true, secret: true }),
      description: string('description'),
      info: hash('runner details: name, version, revision, platform, architecture'),
      active: boolean('let the runner accept jobs'),
    },
    credential: 'parameter',
    access: 'anyone with a registration token',
  }),
} as const

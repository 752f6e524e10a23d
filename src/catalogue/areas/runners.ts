/** Runners: the machines that run jobs. */
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
  ProjectSummary,
  Secret,
  Str,
  Timestamp,
  Unknown,
  User,
  Version,
  Word,
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
  runner_type: Word(types),
  name: nullable(Str()),
  online: nullable(Bool({ description: 'null when the runner never connected' })),
  status: Word(['online', 'offline', 'paused', 'not_connected']),
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
    access_level: Word(accessLevels),
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
    status: Word(['running', 'success', 'failed', 'canceled']),
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
export const RegisteredRunner = Obj(
  { id: maybe(Int()), token: Secret },
  { title: 'Registered runner' },
)

const runnerId = integer('runner ID', { name: 'id', completes: 'runner' })
const filters = {
  type: oneOf(types, 'only runners of this type'),
  status: oneOf(states, 'only runners in this state'),
  tag_list: list('string', 'only runners with all of these tags', {
    join: 'comma',
    exact: true,
  }),
} as const
const scopeHelp = 'only runners in this scope'
const scope = { deprecated: 'type or status' } as const
const listed = {
  scope: oneOf(states, scopeHelp, scope),
  ...filters,
} as const
const columns = ['id', 'description', 'runner_type', 'status', 'ip_address', 'active'] as const
const editable = 'whoever may edit the runner (its projects’ Maintainers, administrators)'

export const runners = {
  list: endpoint('GET /runners', many(RunnerSummary), {
    summary: 'List runners: yours, or those of the instance, a project or a group',
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
    when: { flag: 'instance', help: 'those of the whole instance (administrators)' },
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
    summary: 'Show a runner in full',
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
      active: boolean('whether the runner takes jobs'),
      tag_list: list('string', 'the complete set of tags to end up assigned'),
      run_untagged: boolean('whether it takes jobs without tags'),
      locked: boolean('whether it is locked to its projects'),
      access_level: oneOf(accessLevels, 'whether it runs on protected refs only'),
      maximum_timeout: integer('longest time a job may take, in seconds', { nullable: true }),
    },
    access: editable,
  }),
  jobs: endpoint('GET /runners/:id/jobs', many(RunnerJob), {
    summary: 'List the jobs a runner works on or has done',
    command: 'jobs',
    args: ['id'],
    path: { id: runnerId },
    params: {
      status: oneOf(['running', 'success', 'failed', 'canceled'], 'only jobs in this state', {
        exact: true,
      }),
      order_by: oneOf(['id'], 'order by'),
      sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
    },
    columns: ['id', 'status', 'project.path_with_namespace', 'stage', 'name', 'ref', 'duration'],
    lists: 'job',
  }),
  listOfProject: endpoint('GET /projects/:id/runners', many(RunnerSummary), {
    summary: 'List the specific and shared runners available in a project',
    command: 'list',
    path: { id: project() },
    params: listed,
    columns,
    lists: 'runner',
  }),
  enable: endpoint('POST /projects/:id/runners', one(RunnerSummary), {
    summary: 'Let a specific runner work for a project',
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
    summary: 'Take a specific runner away from a project',
    command: 'disable',
    selects: { list: 'runners list' },
    args: ['runner_id'],
    inverse: 'enable',
    path: { id: project(), runner_id: runnerId },
    params: {},
    access: 'at least Maintainer of the project',
    done: 'disabled',
    destructive: 'The runner stops taking jobs of this project.',
    notes: ['Works only when the project is not the runner’s only project.'],
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
    irreversible: 'the documents show no way to remove a runner',
    summary: 'Register a runner and print its authentication token',
    command: 'register',
    path: {},
    params: {
      token: string('registration token', { required: true, secret: true }),
      description: string('description'),
      info: hash('what runs it: name, version, revision, platform, architecture'),
      active: boolean('whether the runner takes jobs'),
    },
    credential: 'parameter',
    access: 'holders of a registration token',
  }),
} as const

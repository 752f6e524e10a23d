/** Serves lists of runners, single runners, their projects and their registration (`catalogue/reference/runners.md`). */
import { Runner, RunnerJob, RunnerSummary, runners } from '../../catalogue/areas/runners.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { checkInput } from '../check.js'
import { serve } from '../handlers.js'
import { showFullUser, showPipelineBrief, showProjectSummary, toShape } from '../present/common.js'
import { badRequest, createLazyList, forbidden, notFound } from '../reply.js'
import { resource } from '../resource.js'
import { listLineage } from '../rules/access.js'
import { findRunners, startRunnerJobsEnd } from '../rules/job-runs.js'
import type { JobRecord, RunnerRecord } from '../state/ci.js'
import type { ProjectRecord } from '../state/people-and-projects.js'
import type { State } from '../state/state.js'

// The presentation of runners and their jobs (`catalogue/reference/runners.md`).

const getStatus = (runner: RunnerRecord): string => {
  if (!runner.active) return 'paused'
  if (runner.online === null) return 'not_connected'
  return runner.online ? 'online' : 'offline'
}

const showSummary = (runner: RunnerRecord) =>
  toShape(RunnerSummary, runner, {
    is_shared: runner.runner_type === 'instance_type',
    status: getStatus(runner),
  })

const showDetails = (call: Call, runner: RunnerRecord) => {
  const projects = runner.project_ids.flatMap((id) => call.state.projects.get(id) ?? [])
  return toShape(Runner, runner, {
    ...showSummary(runner),
    projects: projects.map(showProjectSummary),
  })
}

/** Presents a job in the list of its runner's jobs. */
const showRunnerJob = (call: Call, runner: RunnerRecord, record: JobRecord) => {
  const project = call.state.projects.get(record.project_id)
  const pipeline = call.state.pipelines.get(record.pipeline_id)
  if (project === undefined || pipeline === undefined) throw notFound('Pipeline')
  const user = call.state.users.get(record.user_id)
  const seconds = (Date.parse(record.finished_at ?? call.clock.iso()) - getStart(record)) / 1000
  return toShape(RunnerJob, record, {
    ip_address: runner.ip_address,
    ref: pipeline.ref,
    tag: pipeline.tag,
    duration: record.started_at === null ? null : seconds,
    user: user === undefined ? null : showFullUser(call, user),
    commit: pipeline.commit,
    pipeline: showPipelineBrief(pipeline),
    project: showProjectSummary(project),
  })
}

const getStart = (record: JobRecord): number => Date.parse(record.started_at ?? record.created_at)

type Runners = typeof runners
type Filters = CheckedOf<Runners['listAll']>

const isInState: Readonly<Record<string, (runner: RunnerRecord) => boolean>> = {
  active: ({ active }) => active,
  paused: ({ active }) => !active,
  online: ({ online }) => online === true,
  offline: ({ online }) => online === false,
  never_contacted: ({ online }) => online === null,
  specific: ({ runner_type }) => runner_type !== 'instance_type',
  shared: ({ runner_type }) => runner_type === 'instance_type',
}

/** True if the acting user may change a runner. Only administrators may change instance runners. */
const canEdit = (call: Call, runner: RunnerRecord): boolean =>
  call.isAdmin ||
  runner.project_ids.some((id) => {
    const project = call.state.projects.get(id)
    return project !== undefined && call.getProjectLevel(project) >= 40
  }) ||
  runner.group_ids.some((id) => {
    const group = call.state.groups.get(id)
    return group !== undefined && call.getGroupLevel(group) >= 40
  })

const findRunner = (call: Call, id: number): RunnerRecord => {
  const runner = call.state.runners.get(id)
  if (runner === undefined) throw notFound('Runner')
  return runner
}

/** Checks that a runner accepts untagged jobs or has a tag. @throws Refusal 400 */
const checkNotIdle = ({
  run_untagged,
  tag_list,
}: {
  run_untagged: boolean
  tag_list: readonly string[]
}) => {
  if (!run_untagged && tag_list.length === 0)
    throw badRequest({
      tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'],
    })
}

/** The runners that are listed; all runners if `among` is absent. */
interface Place {
  readonly among?: ReadonlySet<RunnerRecord>
}

const createNoAccess = () => forbidden('No access granted')

const records = resource({
  table: 'runners',
  what: 'Runner',
  parent: (_, __: object): Place => ({}),
  holds: (runner, { among }) => among?.has(runner) !== false,
  key: ['id'],
  filters: runners.listAll.params,
  tests: {
    scope: (state, runner) => isInState[state]?.(runner) !== false,
    status: (state, runner) => isInState[state]?.(runner) !== false,
  },
  present: showDetails,
  presentListed: (_, runner) => showSummary(runner),
  changes: runners.update.params,
  some: true,
  refuse: (call, runner) => {
    if (!canEdit(call, runner)) throw createNoAccess()
  },
  accept: (_, given, __, runner) => {
    const { tag_list = runner?.tag_list ?? [], run_untagged = runner?.run_untagged ?? true } = given
    checkNotIdle({ run_untagged, tag_list })
    return { ...given, tag_list: [...new Set(tag_list)] }
  },
})

/** Lists the runners that pass the filters. */
const listFiltered = (call: Call, among: readonly RunnerRecord[], filters: Filters) =>
  records.listIn(call, { among: new Set(among) }, filters)

const enable = (call: Call, project: ProjectRecord, id: number): RunnerRecord => {
  const runner = findRunner(call, id)
  if (runner.runner_type === 'instance_type') throw forbidden('Runner is an instance type')
  if (runner.runner_type === 'group_type') throw forbidden('Runner is a group type')
  if (runner.locked) throw forbidden('Runner is locked')
  if (!canEdit(call, runner)) throw createNoAccess()
  if (runner.project_ids.includes(project.id))
    throw badRequest({ runner: ['has already been taken'] })
  call.state.runners.change(id, {
    project_ids: [...runner.project_ids, project.id],
    updated_at: call.clock.iso(),
  })
  return runner
}

const disable = (call: Call, project: ProjectRecord, id: number): void => {
  const runner = findRunner(call, id)
  if (!runner.project_ids.includes(project.id)) throw notFound('Runner')
  call.checkUnmodified(runner)
  if (runner.project_ids.length === 1)
    throw forbidden('Only one project associated with the runner. Please remove the runner instead')
  const project_ids = runner.project_ids.filter((other) => other !== project.id)
  call.state.runners.change(id, { project_ids })
}

/** Returns the scope of a new runner, which its registration token determines. */
const resolveScope = (call: Call, token: string) => {
  if (token === call.state.config.value.registration_token)
    return { runner_type: 'instance_type', project_ids: [], group_ids: [] } as const
  const project = call.state.projects.find((p) => p.runners_token === token)
  if (project !== undefined)
    return { runner_type: 'project_type', project_ids: [project.id], group_ids: [] } as const
  const group = call.state.groups.find({ runners_token: token })
  if (group === undefined) throw forbidden()
  return { runner_type: 'group_type', project_ids: [], group_ids: [group.id] } as const
}

type Settings = Partial<CheckedOf<{ path: object; params: Runners['update']['params'] }>>

/** Registers a runner. Instances accept the same settings as for a change of the runner. */
const register = (call: Call, input: CheckedOf<Runners['register']>) => {
  const place = resolveScope(call, input.token)
  const { info = {} } = input
  const settings: Settings = checkInput(
    { path: {}, params: runners.update.params, changes: true },
    {},
    { ...call.sent.params, ...input },
  )
  const { tag_list = [], run_untagged = true } = settings
  checkNotIdle({ run_untagged, tag_list })
  return call.state.runners.add({
    ...place,
    ip_address: '127.0.0.1',
    active: true,
    name: info.name ?? null,
    online: null,
    architecture: info.architecture ?? null,
    platform: info.platform ?? null,
    revision: info.revision ?? null,
    version: info.version ?? null,
    contacted_at: null,
    access_level: 'not_protected',
    maximum_timeout: null,
    locked: false,
    ...settings,
    description: settings.description ?? info.name ?? '',
    run_untagged,
    tag_list: [...new Set(tag_list)],
    token: call.clock.createSecret(15, 'base64url'),
    created_at: call.clock.iso(),
  })
}

const listGroupRunners = (
  state: State,
  groups: readonly { readonly id: number }[],
): RunnerRecord[] => {
  const ids = groups.map(({ id }) => id)
  return state.runners.filter((r) => r.group_ids.some((id) => ids.includes(id)))
}

export const served = serve(runners, {
  list: (call, input) =>
    listFiltered(
      call,
      call.state.runners.filter((r) => r.runner_type === 'instance_type' || canEdit(call, r)),
      input,
    ),
  listAll: (call, input) => {
    call.requireAdmin()
    return listFiltered(call, call.state.runners.all(), input)
  },
  get: (call, { id }) => {
    const runner = findRunner(call, id)
    if (runner.runner_type !== 'instance_type' && !canEdit(call, runner)) throw createNoAccess()
    return showDetails(call, runner)
  },
  update: (call, input) => {
    const shown = records.update(call, input)
    const runner = findRunner(call, input.id)
    if (!runner.active) startRunnerJobsEnd(call, runner)
    return shown
  },
  jobs: (call, { id, status, sort }) => {
    const runner = records.managed(call, { id })
    const rows = call.state.jobs.filter(
      (j) => j.runner_id === id && (status === undefined || j.status === status),
    )
    const order = sort === 'asc' ? 1 : -1
    return createLazyList(
      rows.sort((a, b) => order * (a.id - b.id)),
      (record) => showRunnerJob(call, runner, record),
    )
  },
  listOfProject: (call, input) =>
    listFiltered(
      call,
      findRunners(call.state, call.requireProject(input.id, { role: 'maintainer' })),
      input,
    ),
  enable: (call, { id, runner_id }) =>
    showSummary(enable(call, call.requireProject(id, { role: 'maintainer' }), runner_id)),
  disable: (call, { id, runner_id }) => {
    disable(call, call.requireProject(id, { role: 'maintainer' }), runner_id)
    return undefined
  },
  listOfGroup: (call, input) =>
    listFiltered(
      call,
      listGroupRunners(
        call.state,
        listLineage(call.state, call.requireGroup(input.id, { role: 'maintainer' })),
      ),
      input,
    ),
  register: (call, input) => {
    const { id, token } = register(call, input)
    return { id, token }
  },
})

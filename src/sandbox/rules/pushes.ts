/** Updates the instance after a push: events, pipelines, issues and merge requests. It also moves repositories to other storages. */
import type { Call, DueEvent, Instance } from '../call.js'
import { lintContent, type PipelinePlan } from '../ci-lint/index.js'
import { hasConflicts, mergeBase } from '../git/apply-commits.js'
import {
  findBranchHead,
  type GitCommit,
  listCommits,
  type Person,
  readCommit,
} from '../git/commits-and-refs.js'
import { copyCommit, deleteBranch } from '../git/create-commits.js'
import { forbidden } from '../reply.js'
import type { CommitHeader, PipelineRecord } from '../state/ci.js'
import type { ProjectRecord, StorageMoveRecord } from '../state/people-and-projects.js'
import type { IssueRecord, MergeRequestRecord } from '../state/planning.js'
import { getTable, type State } from '../state/state.js'
import { findProtection } from './access.js'
import {
  type BranchCommit,
  createPushContext,
  readConfigurationAt,
  readFilesAt,
} from './configuration.js'

// The pipeline of a push, from the configuration at the new commit.

const toCommitHeader = ({ id, message, author, committer }: GitCommit): CommitHeader => ({
  id,
  short_id: id.slice(0, 8),
  title: message.split('\n')[0] ?? '',
  message,
  author_name: author.name,
  author_email: author.email,
  created_at: committer.date,
})

const noJob = {
  coverage: null,
  started_at: null,
  finished_at: null,
  runner_id: null,
  retried: false,
  downstream_pipeline_id: null,
  archive: null,
  trace_size: 0,
  artifacts_expire_at: null,
  token: '',
} as const

/** Adds the planned jobs in the order of their stages. The scheduler starts them. */
const addJobs = (call: Call, { jobs }: PipelinePlan, pipeline: PipelineRecord): void => {
  const ids = new Map<string, number>()
  const inOrder = jobs.toSorted((a, b) => a.place - b.place)
  const added = inOrder.map((planned) => {
    const { kind, name, stage, allow_failure, tag_list, place, when } = planned
    const { start_in, resource_group, artifacts } = planned
    const job = call.state.jobs.add({
      ...noJob,
      reports: [],
      project_id: pipeline.project_id,
      pipeline_id: pipeline.id,
      kind,
      name,
      stage,
      status: 'created',
      allow_failure,
      tag_list: [...tag_list],
      created_at: pipeline.created_at,
      user_id: pipeline.user_id,
      course: { place, when, start_in, resource_group, artifacts },
    })
    call.state.jobs.change(job.id, { token: `sandbox-job-${job.id}-token` })
    ids.set(name, job.id)
    return [planned, job] as const
  })
  for (const [{ needs }, { id, course }] of added)
    if (course !== undefined && needs !== undefined) {
      const found = needs.flatMap((name) => ids.get(name) ?? [])
      call.state.jobs.change(id, { course: { ...course, needs: found } })
    }
}

/** Adds the resource groups of the jobs that do not exist yet. */
const addGroups = (
  call: Call,
  { jobs }: PipelinePlan,
  { project_id, created_at }: PipelineRecord,
) => {
  const { resourceGroups } = call.state
  for (const { resource_group: key } of jobs)
    if (key !== undefined && !resourceGroups.some({ project_id, key }))
      resourceGroups.add({
        project_id,
        key,
        process_mode: 'unordered',
        created_at,
        updated_at: created_at,
      })
}

const skips = /\[(skip ci|ci skip)\]/i

const addParts = (...of: Parameters<typeof addGroups>): void => {
  addGroups(...of)
  addJobs(...of)
}

/** Creates a pipeline after a push or on request. @returns undefined if the configuration excludes one */
export const startPipeline = async (
  call: Call,
  project: ProjectRecord,
  at: BranchCommit,
): Promise<PipelineRecord | undefined> => {
  const { source = 'push' } = at
  if (!project.jobs_enabled) return undefined
  const content = await readConfigurationAt(call, project, at.revision)
  if (content === undefined) return undefined
  const found = await readCommit(await call.git.open(project), at.revision)
  if (source === 'push' && skips.test(found.message)) return undefined
  const { errors, plan } = await lintContent(content, {
    files: readFilesAt(call, project, at.revision),
    occasion: createPushContext(call, project, at),
    plan: true,
    asOf: call.instance.asOf,
  })
  if (plan?.jobs.length === 0) return undefined
  const now = call.clock.iso()
  const failed = plan === undefined || errors.length > 0
  const pipeline = call.state.pipelines.add({
    project_id: project.id,
    ref: at.branch,
    tag: false,
    sha: at.revision,
    before_sha: at.before ?? '0'.repeat(40),
    status: failed ? 'failed' : 'created',
    yaml_errors: failed ? errors.join(', ') : undefined,
    source,
    user_id: call.requireUser().id,
    parent_id: null,
    created_at: now,
    updated_at: now,
    started_at: null,
    finished_at: failed ? now : null,
    commit: toCommitHeader(found),
  })
  if (!failed) addParts(call, plan, pipeline)
  return pipeline
}

// Issues that a message closes: `Closes #4, #6 and fixes platform/app#7`.

const reference = String.raw`(?:[\w./-]+)?#\d+`
const closing = new RegExp(
  String.raw`\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):? +` +
    `(?:issues? +)?${reference}(?:(?:,? +and +|, *| +)(?:issues? +)?${reference})*`,
  'gi',
)

/** Finds the IIDs of the project's issues that a text closes. */
const findClosedIssues = (text: string, { path_with_namespace: own }: ProjectRecord): number[] =>
  [...text.matchAll(closing)].flatMap(([part]) =>
    [...part.matchAll(/(?<![\w./-])([\w./-]*)#(\d+)/g)].flatMap(([, path, iid]) =>
      path === '' || path === own ? [Number(iid)] : [],
    ),
  )

/** Returns the attributes of an issue that the acting user closes now, or reopens. */
export const createIssueState = (call: Call, state: IssueRecord['state']) => {
  const isClosed = state === 'closed'
  const closed_at = isClosed ? call.clock.iso() : null
  return { state, closed_at, closed_by_id: isClosed ? call.requireUser().id : null }
}

/** Closes an issue as the acting user. */
export const closeIssue = (call: Call, issue: IssueRecord): void => {
  const updated_at = call.clock.iso()
  call.state.issues.change(issue.id, { ...createIssueState(call, 'closed'), updated_at })
  call.recordItemEvent('closed', 'Issue', issue)
}

/** Closes the open issues among these that the acting user may close. */
export const closeIssues = (call: Call, project: ProjectRecord, iids: readonly number[]): void => {
  const user = call.requireUser()
  const level = call.getProjectLevel(project)
  const issues = call.state.issues.filter(
    (i) => i.project_id === project.id && i.state === 'opened' && iids.includes(i.iid),
  )
  for (const issue of issues) {
    const own = issue.author_id === user.id || issue.assignee_ids.includes(user.id)
    if (project.issues_enabled && (level >= 20 || own)) closeIssue(call, issue)
  }
}

/** The maximum number of commits in a push whose messages are searched for issues. */
const maxMessages = 1000

interface Push {
  readonly branch: string
  /** The previous head of the branch; undefined for a new branch. */
  readonly from: string | undefined
  readonly to: string
  readonly commits: number
  readonly title: string
  /** True if the push creates no pipeline. */
  readonly skipCi?: boolean
}

/** Creates the signature of the acting user for git, with the current time. */
export const createSignature = (call: Call): Person => {
  const { name, email } = call.requireUser()
  return { name, email, date: call.clock.iso() }
}

/** True if the acting user may push: a Developer, or a user with the level that the protection of the branch requires. */
export const canPushTo = (call: Call, project: ProjectRecord, branch: string): boolean => {
  if (project.archived) return false
  const rule = findProtection(call.state, project, branch)
  return call.getProjectLevel(project) >= (rule?.push_access_level ?? 30)
}

/** Checks that the acting user may push to a branch, and that the repository is not being moved. @throws Refusal 401 or 403 */
export const checkCanPush = (call: Call, project: ProjectRecord, branch: string): void => {
  call.requireUser()
  if (!canPushTo(call, project, branch))
    throw forbidden('You are not allowed to push into this branch')
  checkNotMoving(call, project)
}

/** Updates the head and the merge base of a merge request, and checks again whether it has conflicts. */
export const updateMergeRequest = async (
  call: Call,
  request: MergeRequestRecord,
): Promise<void> => {
  const target = call.state.projects.get(request.project_id)
  const source = call.state.projects.get(request.source_project_id)
  if (target === undefined || source === undefined) return
  const [into, from] = [await call.git.open(target), await call.git.open(source)]
  const head = await findBranchHead(from, request.source_branch)
  const onto = await findBranchHead(into, request.target_branch)
  if (head === undefined || onto === undefined) return
  await copyCommit(from, into, head)
  const { mergeRequests } = call.state
  if (head !== request.sha) {
    mergeRequests.change(request.id, { sha: head, updated_at: call.clock.iso() })
    if (target.approvals.reset_approvals_on_push)
      mergeRequests.change(request.id, { approved_by_ids: [] })
  }
  mergeRequests.change(request.id, {
    base_sha: (await mergeBase(into, head, onto)) ?? request.base_sha,
    conflicts: await hasConflicts(into, onto, head),
    merge_check_started_at: call.clock.iso(),
  })
}

/** Closes the issues that new commits on the default branch name. For another branch, its merge requests will close them. */
const closeNamedIssues = async (
  call: Call,
  project: ProjectRecord,
  { branch, from, to }: Push,
  requests: readonly MergeRequestRecord[],
): Promise<void> => {
  const isDefault = branch === project.default_branch
  if (!isDefault && requests.length === 0) return
  const revision = from === undefined ? to : `${from}..${to}`
  const count = from === undefined ? 1 : maxMessages
  const found = await listCommits(await call.git.open(project), { revision }, 0, count)
  const text = found.map(({ message }) => message).join('\n')
  if (isDefault) closeIssues(call, project, findClosedIssues(text, project))
  for (const request of requests) {
    const target = call.state.projects.get(request.project_id)
    if (target?.default_branch === request.target_branch)
      call.state.mergeRequests.change(request.id, {
        closes_iids: [...new Set([...request.closes_iids, ...findClosedIssues(text, target)])],
      })
  }
}

/** Records a push of the acting user after the branch was moved. */
export const recordPush = async (call: Call, project: ProjectRecord, push: Push): Promise<void> => {
  const { branch, from, to, commits, title } = push
  const { statistics } = project
  const commit_count = statistics.commit_count + commits
  call.state.projects.change(project.id, { statistics: { ...statistics, commit_count } })
  call.recordEvent({
    action: 'pushed',
    project_id: project.id,
    push_data: {
      commit_count: commits,
      action: from === undefined ? 'created' : 'pushed',
      ref_type: 'branch',
      commit_from: from ?? null,
      commit_to: to,
      ref: branch,
      commit_title: title,
    },
  })
  const affected = call.state.mergeRequests.filter(
    (m) =>
      m.state === 'opened' &&
      ((m.source_project_id === project.id && m.source_branch === branch) ||
        (m.project_id === project.id && m.target_branch === branch)),
  )
  for (const request of affected) await updateMergeRequest(call, request)
  const at = { branch, revision: to, before: from }
  const pipeline = push.skipCi === true ? undefined : await startPipeline(call, project, at)
  const own = affected.filter(
    (m) => m.source_project_id === project.id && m.source_branch === branch,
  )
  for (const { id } of own)
    call.state.mergeRequests.change(id, { pipeline_id: pipeline?.id ?? null })
  await closeNamedIssues(call, project, push, own)
}

/** Deletes a branch and records that as an action of the acting user. @returns false if the branch is no longer at the commit */
export const removeBranch = async (
  call: Call,
  project: ProjectRecord,
  branch: string,
  at: string,
): Promise<boolean> => {
  if (!(await deleteBranch(await call.git.open(project), branch, at))) return false
  call.recordEvent({
    action: 'pushed',
    project_id: project.id,
    push_data: {
      commit_count: 0,
      action: 'removed',
      ref_type: 'branch',
      commit_from: at,
      commit_to: null,
      ref: branch,
      commit_title: null,
    },
  })
  return true
}

// Moves of repositories to another storage. During a move, the repository is read-only.

/** The duration of a move in seconds. */
const moveSeconds = 3

/** The table of each kind of record with a repository, and the attribute with its storage. */
export const storagePlaces = {
  project: ['projects', 'repository_storage'],
  snippet: ['snippets', 'storage'],
  group: ['groups', 'storage'],
} as const

const endMove = (
  state: State,
  { id, kind, object_id, destination_storage_name }: StorageMoveRecord,
): void => {
  const [table, attribute] = storagePlaces[kind]
  state.storageMoves.remove(id)
  getTable(state, table).change(object_id, { [attribute]: destination_storage_name })
}

/** Lists the moves in progress. */
export const listDueMoves = ({ state, clock }: Instance): DueEvent[] =>
  state.storageMoves.all().map((move) => ({
    at: clock.due(move.created_at, moveSeconds),
    play: () => endMove(state, move),
  }))

export const isMoving = (call: Call, kind: StorageMoveRecord['kind'], id: number): boolean =>
  call.state.storageMoves.some({ kind, object_id: id })

/** Checks that a repository is not being moved. @throws Refusal 403 */
export const checkNotMoving = (call: Call, project: Pick<ProjectRecord, 'id'>): void => {
  if (isMoving(call, 'project', project.id))
    throw forbidden('The repository is temporarily read-only. Please try again later.')
}

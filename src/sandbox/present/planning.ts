/** Presents issues and merge requests in responses, and decides which users may see them. */
import {
  HeadPipeline,
  Issue,
  LabelDetails,
  ListedMergeRequest,
  MergeRequest,
  Milestone,
  RequestPipeline,
  SimpleMergeRequest,
} from '../../catalogue/shapes/planning.js'
import { apiRoot, type Call } from '../call.js'
import { countChangedLines } from '../git/commits-and-refs.js'
import { forbidden, notFound } from '../reply.js'
import { listUsableLabels } from '../rules/filters.js'
import { isRebasing } from '../rules/merge-requests.js'
import type { PipelineRecord } from '../state/ci.js'
import type { ProjectRecord, UserRecord } from '../state/people-and-projects.js'
import type {
  IssueRecord,
  LabelRecord,
  MergeRequestRecord,
  MilestoneRecord,
} from '../state/planning.js'
import {
  getPipelineUrl,
  getTimeStats,
  showUser,
  showUserSummary,
  showUsers,
  toShape,
} from './common.js'

/** Builds the references of a record. `sigil` is `#` for issues and `!` for merge requests, and `from` is the project of the request. */
const buildReferences = (
  project: ProjectRecord,
  sigil: '#' | '!',
  iid: number,
  from?: ProjectRecord,
) => {
  const short = `${sigil}${iid}`
  const full = `${project.path_with_namespace}${short}`
  return { short, relative: from?.id === project.id ? short : full, full }
}

/** Counts the tasks of a description: `- [ ] open`, `- [x] done`. */
const countTasks = (text: string) => {
  const tasks = [...text.matchAll(/^[ \t]*[-*+]\s+\[([ xX])\]\s/gm)]
  return {
    count: tasks.length,
    completed_count: tasks.filter(([, mark]) => mark !== ' ').length,
  }
}

const toMilestone = (call: Call, record: MilestoneRecord) => {
  const project = call.state.projects.get(record.project_id)
  const group = call.state.groups.get(record.group_id)
  const home = project?.path_with_namespace ?? `groups/${group?.full_path}`
  return toShape(Milestone, record, {
    project_id: record.project_id ?? undefined,
    group_id: record.project_id === null ? record.group_id : undefined,
    web_url: call.getWebUrl(`${home}/-/milestones/${record.iid}`),
  })
}

/** Presents a label in the form of `with_labels_details`. */
export const showLabel = (label: LabelRecord) =>
  toShape(LabelDetails, label, { description_html: label.description ?? '' })

const reporter = 20

/** True if the acting user may see an issue of a visible project. Only authors, assignees and Reporters may see a confidential one. */
export const canSeeIssue = (call: Call, project: ProjectRecord, issue: IssueRecord): boolean => {
  if (!project.issues_enabled) return false
  if (!issue.confidential) return true
  const { user } = call
  if (user === undefined) return false
  return (
    issue.author_id === user.id ||
    issue.assignee_ids.includes(user.id) ||
    call.getProjectLevel(project) >= reporter
  )
}

/** Presents an author. Authors are never deleted. */
export const showAuthor = (call: Call, id: number) => {
  const user: UserRecord | undefined = call.state.users.get(id)
  if (user === undefined) throw notFound('User')
  return showUserSummary(call, user)
}

/** Presents the names of labels, or the labels themselves for `with_labels_details`. */
const showLabels = (
  call: Call,
  project: ProjectRecord,
  names: readonly string[],
  details: boolean | undefined,
) => {
  if (details !== true) return [...names]
  const known = listUsableLabels(call, project)
  return names.flatMap((name) => {
    const label = known.find((l) => l.name === name)
    return label === undefined ? [] : [showLabel(label)]
  })
}

const showMilestone = (call: Call, id: number | null) => {
  const record = call.state.milestones.get(id)
  return record === undefined ? null : toMilestone(call, record)
}

export const countVotes = (reactions: IssueRecord['reactions']) => ({
  upvotes: reactions.filter((r) => r.name === 'thumbsup').length,
  downvotes: reactions.filter((r) => r.name === 'thumbsdown').length,
})

const countNotes = (call: Call, type: string, id: number): number =>
  call.state.notes.filter((n) => n.noteable_type === type && n.noteable_id === id && !n.system)
    .length

const getEpic = (call: Call, id: number | null) => {
  const epic = call.state.epics.get(id)
  if (epic === undefined) return null
  const path = call.state.groups.get(epic.group_id)?.full_path
  const url = `/groups/${path}/-/epics/${epic.iid}`
  return { id: epic.id, iid: epic.iid, title: epic.title, url, group_id: epic.group_id }
}

const describeTasks = (description: string) => {
  const task_completion_status = countTasks(description)
  const { count, completed_count } = task_completion_status
  const has_tasks = count > 0
  if (!has_tasks) return { has_tasks, task_completion_status }
  const task_status = `${completed_count} of ${count} tasks completed`
  return { has_tasks, task_status, task_completion_status }
}

const getLinks = (call: Call, project: ProjectRecord, iid: number) => {
  const home = `${call.base}${apiRoot}/projects/${project.id}`
  const self = `${home}/issues/${iid}`
  return { self, notes: `${self}/notes`, award_emoji: `${self}/award_emoji`, project: home }
}

/** The options for the presentation of an issue or merge request. */
interface PlanningView {
  /** The project of the request's path, if it has one. */
  readonly from?: ProjectRecord
  readonly labelDetails?: boolean | undefined
}

export const showIssue = (
  call: Call,
  project: ProjectRecord,
  issue: IssueRecord,
  view: PlanningView & { readonly subscribed?: boolean },
) => {
  const epic = getEpic(call, issue.epic_id)
  return toShape(Issue, issue, {
    type: issue.issue_type.toUpperCase(),
    author: showAuthor(call, issue.author_id),
    assignees: showUsers(call, issue.assignee_ids),
    assignee: showUser(call, issue.assignee_ids[0]),
    closed_by: showUser(call, issue.closed_by_id),
    milestone: showMilestone(call, issue.milestone_id),
    labels: showLabels(call, project, issue.labels, view.labelDetails),
    ...countVotes(issue.reactions),
    merge_requests_count: call.state.mergeRequests.filter(
      (m) => m.project_id === project.id && m.closes_iids.includes(issue.iid),
    ).length,
    user_notes_count: countNotes(call, 'Issue', issue.id),
    web_url: getIssueUrl(call, project, issue),
    references: buildReferences(project, '#', issue.iid, view.from),
    time_stats: getTimeStats(issue),
    ...describeTasks(issue.description),
    subscribed: view.subscribed,
    _links: getLinks(call, project, issue.iid),
    epic,
    epic_iid: epic?.iid ?? null,
  })
}

export const getIssueUrl = (call: Call, project: ProjectRecord, issue: IssueRecord): string =>
  call.getWebUrl(`${project.path_with_namespace}/-/issues/${issue.iid}`)

// Merge requests.

/** The seconds after which the mergeability of a merge request is known. */
const checkSeconds = 2

/** Returns the mergeability of a merge request, or `checking` if it is not known yet. */
export const mergeStatus = (call: Call, request: MergeRequestRecord): string => {
  const { merge_check_started_at: start, conflicts } = request
  if (start !== null && !call.clock.over(start, checkSeconds)) return 'checking'
  return conflicts ? 'cannot_be_merged' : 'can_be_merged'
}

/** True if the acting user may see the merge requests of a project. In private projects, only Reporters may. */
export const canSeeRequests = (call: Call, project: ProjectRecord): boolean =>
  project.merge_requests_enabled &&
  call.canSeeProject(project) &&
  (project.visibility !== 'private' || call.getProjectLevel(project) >= 20)

/** The parameters that name a merge request. */
export interface MergeRequestInput {
  readonly id: string | number
  readonly merge_request_iid: number
}

/**
 * Finds a merge request by project and IID.
 * @throws Refusal 403 if the acting user may not list merge requests, and 404 if there is none
 */
export const findMergeRequest = (call: Call, { id, merge_request_iid: iid }: MergeRequestInput) => {
  call.requireUser()
  const project = call.requireProject(id)
  if (!canSeeRequests(call, project)) throw forbidden()
  const request = call.state.mergeRequests.find((m) => m.project_id === project.id && m.iid === iid)
  if (request === undefined) throw notFound()
  return { project, request }
}

const getRequestUrl = (call: Call, project: ProjectRecord, iid: number): string =>
  call.getWebUrl(`${project.path_with_namespace}/-/merge_requests/${iid}`)

/** Presents the fields of the view `simple`: IID, web address, title, description and state. */
export const showSimpleRequest = (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
) => toShape(SimpleMergeRequest, request, { web_url: getRequestUrl(call, project, request.iid) })

/** Computes the fields that lists and single merge requests have in common. */
const computeFields = (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
  view: PlanningView,
) => {
  const merge_status = mergeStatus(call, request)
  return {
    web_url: getRequestUrl(call, project, request.iid),
    merged_by: showUser(call, request.merged_by_id),
    closed_by: showUser(call, request.closed_by_id),
    author: showAuthor(call, request.author_id),
    assignees: showUsers(call, request.assignee_ids),
    assignee: showUser(call, request.assignee_ids[0]),
    reviewers: showUsers(call, request.reviewer_ids),
    target_project_id: request.project_id,
    allow_maintainer_to_push: request.allow_collaboration,
    ...countVotes(request.reactions),
    labels: showLabels(call, project, request.labels, view.labelDetails),
    work_in_progress: request.draft,
    milestone: showMilestone(call, request.milestone_id),
    merge_status,
    has_conflicts: merge_status === 'cannot_be_merged',
    force_remove_source_branch: request.should_remove_source_branch,
    user_notes_count: countNotes(call, 'MergeRequest', request.id),
    references: buildReferences(project, '!', request.iid, view.from),
    time_stats: getTimeStats(request),
    task_completion_status: countTasks(request.description),
  }
}

/** Presents a merge request in a list, without the fields that need its commits or its pipeline. */
export const showRequest = (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
  view: PlanningView,
) =>
  toShape(ListedMergeRequest, request, {
    ...computeFields(call, project, request, view),
    changes_count: undefined,
  })

const showHeadPipeline = (call: Call, pipeline: PipelineRecord) => {
  const web_url = getPipelineUrl(call, pipeline)
  return {
    pipeline: toShape(RequestPipeline, pipeline, { web_url }),
    head_pipeline: toShape(HeadPipeline, pipeline, {
      web_url,
      yaml_errors: pipeline.yaml_errors ?? null,
      user: showUser(call, pipeline.user_id),
    }),
  }
}

const findDeployTime = (request: MergeRequestRecord): string | null =>
  request.deployments
    .filter((d) => d.environment === 'production')
    .map((d) => d.deployed_at)
    .sort()[0] ?? null

/**
 * Counts the files that a merge request changes. The count is `1000+` if the diff exceeds the limits in the settings. If the commits do
 * not exist, it is the stored number.
 */
const getChanges = async (call: Call, project: ProjectRecord, request: MergeRequestRecord) => {
  const { base_sha, sha } = request
  const lines = await countChangedLines(await call.git.open(project), base_sha, sha)
  if (lines === undefined) return { changes_count: String(request.changes_count), overflow: false }
  const most = Number(call.state.settings.value.diff_max_files)
  const sum = lines.reduce((all, count) => all + count, 0)
  const changes_count = lines.length > most ? `${most}+` : String(lines.length)
  const overflow = lines.length > most || sum > Number(call.state.settings.value.diff_max_lines)
  return { changes_count, overflow }
}

/** Presents a single merge request, with all its fields. */
export const showFullRequest = async (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
  withRebase = false,
) => {
  const pipeline = call.state.pipelines.get(request.pipeline_id)
  return toShape(MergeRequest, request, {
    ...computeFields(call, project, request, { from: project }),
    ...(await getChanges(call, project, request)),
    subscribed: call.user !== undefined && request.subscriber_ids.includes(call.user.id),
    latest_build_started_at: pipeline?.started_at ?? null,
    latest_build_finished_at: pipeline?.finished_at ?? null,
    first_deployed_to_production_at: findDeployTime(request),
    ...(pipeline === undefined
      ? { pipeline: null, head_pipeline: null }
      : showHeadPipeline(call, pipeline)),
    diff_refs: { base_sha: request.base_sha, head_sha: request.sha, start_sha: request.base_sha },
    rebase_in_progress: withRebase ? isRebasing(request) : undefined,
  })
}

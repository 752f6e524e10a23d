/**
 * Counts approvals (`catalogue/reference/approvals.md`), merges requests whose pipelines have succeeded, and rebases them
 * (`sandbox/README.md`).
 */
import { getReason } from '../../errors.js'
import { Call, type DueEvent, type Instance } from '../call.js'
import { getTree, mergeBase, mergeCommits, rebaseBranch } from '../git/apply-commits.js'
import { countCommits, findBranchHead, readCommit } from '../git/commits-and-refs.js'
import { copyCommit, moveBranch, writeCommit } from '../git/create-commits.js'
import type { Repository } from '../git/repositories.js'
import { conflict, forbidden } from '../reply.js'
import type { ProjectRecord, UserRecord } from '../state/people-and-projects.js'
import type { ApprovalRuleRecord, MergeRequestRecord } from '../state/planning.js'
import { findProtection, getProjectLevel } from './access.js'
import {
  canPushTo,
  checkNotMoving,
  closeIssues,
  createSignature,
  isMoving,
  recordPush,
  removeBranch,
} from './pushes.js'

/** Returns the approval rules of a project, without those of single merge requests. */
export const getApprovalRules = (
  call: Call,
  project: { readonly id: number },
): ApprovalRuleRecord[] =>
  call.state.approvalRules.filter({ project_id: project.id, merge_request_id: null })

const listOwnRules = (call: Call, request: MergeRequestRecord): ApprovalRuleRecord[] =>
  call.state.approvalRules.filter({ merge_request_id: request.id })

/** True if a merge request has approval rules of its own. */
export const hasOwnRules = (call: Call, request: MergeRequestRecord): boolean =>
  listOwnRules(call, request).length > 0

const isForBranch = (call: Call, rule: ApprovalRuleRecord, branch: string): boolean =>
  rule.protected_branch_ids.length === 0 ||
  rule.protected_branch_ids.some((id) => call.state.protectedBranches.get(id)?.name === branch)

/** Lists the rules that apply to a merge request: its own, or else those of its project and branch. */
export const listApplicable = (call: Call, request: MergeRequestRecord): ApprovalRuleRecord[] => {
  const own = listOwnRules(call, request)
  if (own.length > 0) return own
  return getApprovalRules(call, { id: request.project_id }).filter((rule) =>
    isForBranch(call, rule, request.target_branch),
  )
}

const listActive = (call: Call, ids: Iterable<number>): UserRecord[] =>
  [...new Set(ids)]
    .flatMap((id) => call.state.users.get(id) ?? [])
    .filter((u) => u.state === 'active')

/** Lists the users of a rule who are members of its project, and the direct members of its groups. */
export const listEligible = (call: Call, rule: ApprovalRuleRecord): UserRecord[] => {
  const project = call.state.projects.get(rule.project_id)
  const users = project === undefined ? [] : filterMembers(call, project, rule.user_ids)
  const members = call.state.members
    .filter((m) => m.source_type === 'group' && rule.group_ids.includes(m.source_id))
    .map((m) => m.user_id)
  return listActive(call, [...users, ...members])
}

/** Returns the IDs of the approvers of a merge request: those of its rules, and those that were set on it. */
export const getApprovers = (call: Call, request: MergeRequestRecord): number[] => [
  ...new Set([
    ...request.approver_ids,
    ...listApplicable(call, request).flatMap((rule) =>
      listEligible(call, rule).map(({ id }) => id),
    ),
  ]),
]

/** Lists the users whose approvals count for a rule. */
export const listApprovedUnder = (
  call: Call,
  rule: ApprovalRuleRecord,
  request: MergeRequestRecord,
): readonly number[] => {
  if (rule.rule_type === 'any_approver') return request.approved_by_ids
  const ids = listEligible(call, rule).map(({ id }) => id)
  return request.approved_by_ids.filter((id) => ids.includes(id))
}

/** Counts the required approvals of a merge request, and the missing ones. */
export const countApprovals = (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
): { readonly approvals_required: number; readonly approvals_left: number } => {
  const rules = listApplicable(call, request)
  const atLeast = request.approvals_before_merge ?? project.approvals.approvals_before_merge
  const byRules = rules.reduce((sum, rule) => sum + rule.approvals_required, 0)
  const left = rules.map((rule) =>
    Math.max(0, rule.approvals_required - listApprovedUnder(call, rule, request).length),
  )
  const approvals_required = Math.max(byRules, atLeast)
  const approvals_left = Math.max(
    left.reduce((sum, n) => sum + n, 0),
    atLeast - request.approved_by_ids.length,
    0,
  )
  return { approvals_required, approvals_left }
}

/** Selects the users of these IDs who are members of the project. */
export const filterMembers = (
  call: Call,
  project: ProjectRecord,
  ids: readonly number[],
): number[] =>
  listActive(call, ids)
    .filter((u) => getProjectLevel(call.state, u, project, call.clock.day()) > 0)
    .map(({ id }) => id)

const canMerge = (call: Call, project: ProjectRecord, branch: string): boolean => {
  const rule = findProtection(call.state, project, branch)
  return !project.archived && call.getProjectLevel(project) >= (rule?.merge_access_level ?? 30)
}

/** Returns the reason why a merge request may not be merged, as far as its commits do not matter; undefined if there is none. */
const getRefusal = (call: Call, target: ProjectRecord, request: MergeRequestRecord) => {
  if (request.draft) return 'it is a draft'
  const { approvals_left: left } = countApprovals(call, target, request)
  if (left > 0) return `it needs ${left} more ${left === 1 ? 'approval' : 'approvals'}`
  if (!canMerge(call, target, request.target_branch))
    return `${call.requireUser().username} may not merge into ${request.target_branch}`
  return isMoving(call, 'project', target.id) ? 'the repository is read-only' : undefined
}

/** The previous and the new head of the target branch, and the commits that the merge created. */
interface MergeResult {
  readonly onto: string
  readonly head: string
  /** Null if the branch was only moved forward. */
  readonly merge_commit_sha: string | null
  /** Null if the commits were not squashed. */
  readonly squash_commit_sha: string | null
}

const isSquashed = ({ squash_option }: ProjectRecord, { squash }: MergeRequestRecord): boolean =>
  squash_option === 'always' || (squash && squash_option !== 'never')

/** Creates one commit with all changes of a merge request since its branch left the target branch. */
const squashCommits = async (
  call: Call,
  repository: Repository,
  { sha, title, author_id }: MergeRequestRecord,
  base: string,
): Promise<string> => {
  const committer = createSignature(call)
  const author = { ...committer, ...call.state.users.get(author_id) }
  const tree = await getTree(repository, sha)
  return writeCommit(repository, { tree, parents: [base], message: title, author, committer })
}

/** Creates the merge commit. @returns undefined if there is a conflict */
const writeMergeCommit = async (
  call: Call,
  repository: Repository,
  { path_with_namespace }: ProjectRecord,
  { source_branch, target_branch, title, iid }: MergeRequestRecord,
  [onto, merged]: readonly [string, string],
): Promise<string | undefined> => {
  const tree = await mergeCommits(repository, onto, merged)
  if (tree === undefined) return undefined
  return writeCommit(repository, {
    tree,
    parents: [onto, merged],
    message: `Merge branch '${source_branch}' into '${target_branch}'\n\n${title}\n\nSee merge request ${path_with_namespace}!${iid}`,
    author: createSignature(call),
    committer: createSignature(call),
  })
}

/** Creates the commits of a merge by the project's merge method. @returns a text with the reason if that is impossible */
const writeMerge = async (
  call: Call,
  repository: Repository,
  target: ProjectRecord,
  request: MergeRequestRecord,
): Promise<MergeResult | string> => {
  const { sha, target_branch } = request
  const onto = await findBranchHead(repository, target_branch)
  if (onto === undefined) return `the branch ${target_branch} is gone`
  const base = await mergeBase(repository, sha, onto)
  if (base === undefined) return 'its branch has no commit in common with the target branch'
  if (target.merge_method !== 'merge' && base !== onto)
    return 'its branch has to be rebased onto the target branch first'
  const squash_commit_sha = isSquashed(target, request)
    ? await squashCommits(call, repository, request, base)
    : null
  const merged = squash_commit_sha ?? sha
  if (target.merge_method === 'ff')
    return { onto, head: merged, merge_commit_sha: null, squash_commit_sha }
  const head = await writeMergeCommit(call, repository, target, request, [onto, merged])
  if (head === undefined) return 'there are merge conflicts'
  return { onto, head, merge_commit_sha: head, squash_commit_sha }
}

const storeMerge = (
  call: Call,
  request: MergeRequestRecord,
  { merge_commit_sha, squash_commit_sha }: MergeResult,
): void => {
  call.state.mergeRequests.change(request.id, {
    state: 'merged',
    merged_at: call.clock.iso(),
    merged_by_id: call.requireUser().id,
    merge_commit_sha,
    squash_commit_sha,
  })
  call.recordItemEvent('merged', 'MergeRequest', request)
}

/** Deletes the source branch of a merged request if the request is set to do so and no other merge request uses the branch. */
const removeSource = async (
  call: Call,
  source: ProjectRecord,
  { should_remove_source_branch: wanted, source_branch: branch, sha }: MergeRequestRecord,
): Promise<void> => {
  const isKept =
    branch === source.default_branch ||
    !canPushTo(call, source, branch) ||
    findProtection(call.state, source, branch) !== undefined
  if (wanted === true && !isKept) await removeBranch(call, source, branch, sha)
}

/** Merges a request. @returns the reason why that failed, or null */
const merge = async (call: Call, request: MergeRequestRecord): Promise<string | null> => {
  const target = call.state.projects.get(request.project_id)
  const source = call.state.projects.get(request.source_project_id)
  if (target === undefined || source === undefined) return 'its project is gone'
  const refusal = getRefusal(call, target, request)
  if (refusal !== undefined) return refusal
  const [into, from] = [await call.git.open(target), await call.git.open(source)]
  return into.exclusive(async () => {
    await copyCommit(from, into, request.sha)
    const merged = await writeMerge(call, into, target, request)
    if (typeof merged === 'string') return merged
    const { onto, head } = merged
    if (!(await moveBranch(into, request.target_branch, onto, head)))
      return 'the target branch has moved meanwhile'
    storeMerge(call, request, merged)
    const { message } = await readCommit(into, head)
    await recordPush(call, target, {
      branch: request.target_branch,
      from: onto,
      to: head,
      commits: (await countCommits(into, { revision: `${onto}..${head}` })) ?? 1,
      title: message.split('\n')[0] ?? '',
    })
    if (request.target_branch === target.default_branch)
      closeIssues(call, target, request.closes_iids)
    await removeSource(call, source, request)
    return null
  })
}

/** Merges a request whose pipeline has succeeded. Even if the merge fails, the request no longer waits for the pipeline. */
const endMerge = async (then: Instance, request: MergeRequestRecord): Promise<void> => {
  const { users, mergeRequests } = then.state
  const user = users.get(request.author_id)
  mergeRequests.change(request.id, {
    merge_when_pipeline_succeeds: false,
    updated_at: then.clock.iso(),
  })
  if (user === undefined) return
  const call = new Call(then, { user }, { params: {}, headers: {} })
  const why = await merge(call, request).catch(getReason)
  const merge_error = why === null ? null : `Merge request was not merged: ${why}`
  mergeRequests.change(request.id, { merge_error })
}

/** Lists the merge requests that wait for a pipeline which has succeeded. */
export const listDueMerges = ({ state }: Instance): DueEvent[] =>
  state.mergeRequests.watched().flatMap((request): DueEvent[] => {
    if (!request.merge_when_pipeline_succeeds || request.state !== 'opened') return []
    const pipeline = state.pipelines.get(request.pipeline_id)
    return pipeline?.status === 'success'
      ? [{ at: Date.parse(pipeline.updated_at), play: (then) => endMerge(then, request) }]
      : []
  })

// Rebases of merge requests.

/** The duration of a rebase in seconds. */
const rebaseSeconds = 2

const failure = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.'

export const isRebasing = (request: MergeRequestRecord): boolean =>
  request.rebase_started_at !== null

/** True if the acting user may push to the branch of a fork, because its author permits that to developers of the target. */
const canCollaborate = (call: Call, project: ProjectRecord, request: MergeRequestRecord): boolean =>
  request.allow_collaboration && call.getProjectLevel(project) >= 30 && !project.archived

/** Starts a rebase. @throws Refusal 403 if the acting user may not push, and 409 if the request is closed or already busy */
export const startRebase = (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
  skipCi: boolean,
): void => {
  const source = call.state.projects.get(request.source_project_id)
  if (source === undefined) throw forbidden('Source branch does not exist')
  if (!canPushTo(call, source, request.source_branch) && !canCollaborate(call, project, request))
    throw forbidden('Cannot push to source branch')
  checkNotMoving(call, source)
  if (request.state !== 'opened') throw conflict('The merge request is not open')
  if (isRebasing(request)) throw conflict('A rebase of the merge request is in progress already')
  call.state.mergeRequests.change(request.id, {
    rebase_started_at: call.clock.iso(),
    rebase_skip_ci: skipCi,
    rebase_user_id: call.requireUser().id,
    merge_error: null,
  })
}

/** Rebases the source branch. @returns the reason why that failed, or null */
const rebaseSource = async (
  call: Call,
  source: ProjectRecord,
  target: ProjectRecord,
  request: MergeRequestRecord,
): Promise<string | null> => {
  const [from, into] = [await call.git.open(source), await call.git.open(target)]
  const head = await findBranchHead(from, request.source_branch)
  const onto = await findBranchHead(into, request.target_branch)
  if (head === undefined || onto === undefined) return 'Rebase failed: a branch is missing.'
  await copyCommit(into, from, onto)
  const done = await rebaseBranch(from, head, onto, createSignature(call))
  if (done === undefined) return failure
  if (done.head === head) return null
  if (!(await moveBranch(from, request.source_branch, head, done.head))) return failure
  const { message } = await readCommit(from, done.head)
  await recordPush(call, source, {
    branch: request.source_branch,
    from: head,
    to: done.head,
    commits: done.commits,
    title: message.split('\n')[0] ?? '',
    skipCi: request.rebase_skip_ci,
  })
  return null
}

/** Rebases a merge request and stores the result. An error ends the rebase, too. */
const endRebase = async (then: Instance, request: MergeRequestRecord): Promise<void> => {
  const source = then.state.projects.get(request.source_project_id)
  const target = then.state.projects.get(request.project_id)
  const user = then.state.users.get(request.rebase_user_id)
  const carry = async () => {
    if (source === undefined || target === undefined || user === undefined) return null
    const acting = new Call(then, { user }, { params: {}, headers: {} })
    return (await then.git.open(source)).exclusive(() =>
      rebaseSource(acting, source, target, request),
    )
  }
  const merge_error = await carry().catch((error) => `Rebase failed: ${getReason(error)}`)
  // The end of the rebase and its error are stored together. Requests in the meantime see it in progress.
  then.state.mergeRequests.change(request.id, {
    rebase_started_at: null,
    updated_at: then.clock.iso(),
    merge_error,
  })
}

/** Lists the rebases in progress. */
export const listDueRebases = ({ state, clock }: Instance): DueEvent[] =>
  state.mergeRequests.watched().flatMap((request) =>
    request.rebase_started_at === null
      ? []
      : {
          at: clock.due(request.rebase_started_at, rebaseSeconds),
          play: (then) => endRebase(then, request),
        },
  )

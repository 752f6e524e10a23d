/** Approval rules (`catalogue/reference/approvals.md`): who may approve, and what is still missing. */

import type { Call } from '../call.js'
import type { ProjectRecord, UserRecord } from '../state/people-and-projects.js'
import type { ApprovalRuleRecord, MergeRequestRecord } from '../state/planning.js'
import { projectLevel } from './access.js'

/** The rules of a project itself. */
export const getApprovalRules = (
  call: Call,
  project: { readonly id: number },
): ApprovalRuleRecord[] =>
  call.state.approvalRules.filter((r) => r.project_id === project.id && r.merge_request_id === null)

const ownRules = (call: Call, request: MergeRequestRecord): ApprovalRuleRecord[] =>
  call.state.approvalRules.filter((r) => r.merge_request_id === request.id)

/** Whether rules were set on the merge request itself. */
export const overwritten = (call: Call, request: MergeRequestRecord): boolean =>
  ownRules(call, request).length > 0

const covers = (call: Call, rule: ApprovalRuleRecord, branch: string): boolean =>
  rule.protected_branch_ids.length === 0 ||
  rule.protected_branch_ids.some((id) => call.state.protectedBranches.get(id)?.name === branch)

/** The rules that apply to a merge request: its own, else those of its project and branch. */
export const applicable = (call: Call, request: MergeRequestRecord): ApprovalRuleRecord[] => {
  const own = ownRules(call, request)
  if (own.length > 0) return own
  return getApprovalRules(call, { id: request.project_id }).filter((rule) =>
    covers(call, rule, request.target_branch),
  )
}

const active = (call: Call, ids: Iterable<number>): UserRecord[] =>
  [...new Set(ids)]
    .flatMap((id) => call.state.users.get(id) ?? [])
    .filter((u) => u.state === 'active')

/** The users of a rule who still belong to its project, and the direct members of its groups. */
export const eligible = (call: Call, rule: ApprovalRuleRecord): UserRecord[] => {
  const project = call.state.projects.get(rule.project_id)
  const users = project === undefined ? [] : membersAmong(call, project, rule.user_ids)
  const members = call.state.members
    .filter((m) => m.source_type === 'group' && rule.group_ids.includes(m.source_id))
    .map((m) => m.user_id)
  return active(call, [...users, ...members])
}

/** Everyone whom the rules of a merge request, or the request itself, name as an approver. */
export const getApprovers = (call: Call, request: MergeRequestRecord): number[] => [
  ...new Set([
    ...request.approver_ids,
    ...applicable(call, request).flatMap((rule) => eligible(call, rule).map(({ id }) => id)),
  ]),
]

/** Who of those that approved counts for a rule. */
export const approvedUnder = (
  call: Call,
  rule: ApprovalRuleRecord,
  request: MergeRequestRecord,
): readonly number[] => {
  if (rule.rule_type === 'any_approver') return request.approved_by_ids
  const ids = eligible(call, rule).map(({ id }) => id)
  return request.approved_by_ids.filter((id) => ids.includes(id))
}

/** How many approvals a merge request needs in all, and how many are still missing. */
export const approvalCounts = (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
): { readonly approvals_required: number; readonly approvals_left: number } => {
  const rules = applicable(call, request)
  const atLeast = request.approvals_before_merge ?? project.approvals.approvals_before_merge
  const byRules = rules.reduce((sum, rule) => sum + rule.approvals_required, 0)
  const left = rules.map((rule) =>
    Math.max(0, rule.approvals_required - approvedUnder(call, rule, request).length),
  )
  const approvals_required = Math.max(byRules, atLeast)
  const approvals_left = Math.max(
    left.reduce((sum, n) => sum + n, 0),
    atLeast - request.approved_by_ids.length,
    0,
  )
  return { approvals_required, approvals_left }
}

/** Of the users named as approvers those who exist and belong to the project. */
export const membersAmong = (
  call: Call,
  project: ProjectRecord,
  ids: readonly number[],
): number[] =>
  active(call, ids)
    .filter((u) => projectLevel(call.state, u, project, call.clock.day()) > 0)
    .map(({ id }) => id)

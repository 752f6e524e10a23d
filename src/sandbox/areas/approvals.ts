/**
 * Serves the endpoints for approval rules, their configuration, and the approvals of merge requests (`catalogue/reference/approvals.md`).
 */
import {
  ApprovalConfiguration,
  ApprovalRule,
  Approvals as ApprovalsShape,
  approvals,
} from '../../catalogue/areas/approvals.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { getManagedProject, serve } from '../handlers.js'
import { showProtection, showUserSummary, showUsers, toShape } from '../present/common.js'
import { findMergeRequest, mergeStatus } from '../present/planning.js'
import { badRequest, forbidden } from '../reply.js'
import { resource } from '../resource.js'
import {
  countApprovals,
  filterMembers,
  getApprovalRules,
  hasOwnRules,
  listApplicable,
  listApprovedUnder,
  listEligible,
} from '../rules/merge-requests.js'
import type {
  GroupRecord,
  ProjectRecord,
  ProtectedBranchRecord,
} from '../state/people-and-projects.js'
import type { ApprovalRuleRecord, MergeRequestRecord } from '../state/planning.js'

// The presentation of approval rules ("Approval rule" in `catalogue/reference/approvals.md`).

const getGroup = (call: Call, group: GroupRecord) =>
  toShape(ApprovalRule.properties.groups.items, group, {
    avatar_url: null,
    web_url: call.getWebUrl(`groups/${group.full_path}`),
    ldap_cn: null,
    ldap_access: null,
  })

const showBranch = (record: ProtectedBranchRecord) => ({
  ...showProtection(record),
  code_owner_approval_required: String(record.code_owner_approval_required),
})

/** Presents a rule without the groups that the acting user may not see, and with a field that is true if there are any. */
const showRule = (call: Call, rule: ApprovalRuleRecord) => {
  const groups = rule.group_ids.flatMap((id) => call.state.groups.get(id) ?? [])
  const visible = groups.filter((group) => call.canSeeGroup(group))
  return toShape(ApprovalRule, rule, {
    eligible_approvers: listEligible(call, rule).map((user) => showUserSummary(call, user)),
    users: showUsers(call, rule.user_ids),
    groups: visible.map((group) => getGroup(call, group)),
    protected_branches: rule.protected_branch_ids.flatMap((id) => {
      const found = call.state.protectedBranches.get(id)
      return found === undefined ? [] : [showBranch(found)]
    }),
    contains_hidden_groups: visible.length < groups.length,
  })
}

type Approvals = typeof approvals
type NewRule = CheckedOf<Approvals['rulesCreate']>

const getConfiguration = (project: ProjectRecord) => ({ ...project.approvals })

const updateConfiguration = (
  call: Call,
  project: ProjectRecord,
  input: CheckedOf<Approvals['update']>,
) => {
  const given = Object.fromEntries(
    Object.entries(input).filter(([name]) => Object.hasOwn(ApprovalConfiguration.properties, name)),
  )
  call.state.projects.change(project.id, { approvals: { ...project.approvals, ...given } })
  return getConfiguration(project)
}

/** Finds a project whose approval rules the acting user may change. */
const findEditable = (call: Call, input: { readonly id: string | number }): ProjectRecord => {
  const project = getManagedProject(call, input)
  if (project.archived) throw forbidden()
  return project
}

/** Finds a project whose approvals the acting user may see. @throws Refusal 401 without a user, even if the project is public */
const findReadable = (call: Call, { id }: { readonly id: string | number }): ProjectRecord => {
  call.requireUser()
  return call.requireProject(id, { member: 'reporter' })
}

/** Returns the named users who may approve, and the named groups that exist and that the acting user may see. */
const filterApprovers = (
  call: Call,
  project: ProjectRecord,
  { user_ids = [], group_ids = [] }: Pick<NewRule, 'user_ids' | 'group_ids'>,
) => ({
  user_ids: filterMembers(call, project, user_ids),
  group_ids: [...new Set(group_ids)].filter((id) => {
    const group = call.state.groups.get(id)
    return group !== undefined && call.canSeeGroup(group)
  }),
})

const filterBranches = (call: Call, project: ProjectRecord, ids: readonly number[]): number[] =>
  [...new Set(ids)].filter((id) => call.state.protectedBranches.get(id)?.project_id === project.id)

/** Returns the groups of a rule that the acting user may not see. */
const getHidden = (call: Call, { group_ids }: ApprovalRuleRecord): number[] =>
  group_ids.filter((id) => {
    const group = call.state.groups.get(id)
    return group !== undefined && !call.canSeeGroup(group)
  })

const rules = resource({
  table: 'approvalRules',
  parent: findReadable,
  managed: findEditable,
  all: getApprovalRules,
  key: ['approval_rule_id'],
  present: showRule,
  attributes: approvals.rulesCreate.params,
  changes: approvals.rulesUpdate.params,
  // Approvers and groups that are not sent are removed, except groups that the acting user may not see.
  accept: (call, given, project, rule) => {
    const { name, approvals_required, rule_type = rule?.rule_type } = given
    const { protected_branch_ids: ids } = given
    const others = getApprovalRules(call, project).filter((other) => other !== rule)
    if (others.some((other) => other.name === name))
      throw badRequest({ name: ['has already been taken'] })
    const any = rule_type === 'any_approver'
    if (any && others.some((other) => other.rule_type === 'any_approver'))
      throw badRequest({ rule_type: ['any-approver for the project already exists'] })
    const { user_ids, group_ids } = filterApprovers(call, project, any ? {} : given)
    const hidden = rule === undefined ? [] : getHidden(call, rule)
    return {
      name,
      approvals_required,
      rule_type,
      user_ids,
      group_ids: [...group_ids, ...hidden],
      protected_branch_ids: ids && filterBranches(call, project, ids),
    }
  },
  defaults: (_, { id }) => ({ project_id: id, merge_request_id: null, protected_branch_ids: [] }),
})

const showApprovals = (call: Call, project: ProjectRecord, request: MergeRequestRecord) =>
  toShape(ApprovalsShape, request, {
    merge_status: mergeStatus(call, request),
    ...countApprovals(call, project, request),
    approved_by: showUsers(call, request.approved_by_ids).map((user) => ({ user })),
  })

const getState = (call: Call, request: MergeRequestRecord) => ({
  approval_rules_overwritten: hasOwnRules(call, request),
  rules: listApplicable(call, request).map((rule) => {
    const approved_by = showUsers(call, listApprovedUnder(call, rule, request))
    const approved = approved_by.length >= rule.approvals_required
    return { ...showRule(call, rule), approved_by, approved }
  }),
})

const setRequired = (
  call: Call,
  project: ProjectRecord,
  request: MergeRequestRecord,
  count: number,
): void => {
  const mayChange = call.getProjectLevel(project) >= 30 || request.author_id === call.user?.id
  if (!mayChange || project.approvals.disable_overriding_approvers_per_merge_request)
    throw forbidden()
  if (count < project.approvals.approvals_before_merge)
    throw badRequest({ approvals_required: ['must not be less than the project requires'] })
  call.state.mergeRequests.change(request.id, {
    approvals_before_merge: count,
    updated_at: call.clock.iso(),
  })
}

export const served = serve(approvals, {
  get: (call, input) => getConfiguration(findReadable(call, input)),
  update: (call, input) => updateConfiguration(call, findEditable(call, input), input),
  rulesList: rules.list,
  rulesCreate: rules.create,
  rulesGet: rules.get,
  rulesUpdate: rules.update,
  rulesDelete: rules.delete,
  mrGet: (call, input) => {
    const { project, request } = findMergeRequest(call, input)
    return showApprovals(call, project, request)
  },
  mrUpdate: (call, input) => {
    const { project, request } = findMergeRequest(call, input)
    setRequired(call, project, request, input.approvals_required)
    return showApprovals(call, project, request)
  },
  mrState: (call, input) => getState(call, findMergeRequest(call, input).request),
})

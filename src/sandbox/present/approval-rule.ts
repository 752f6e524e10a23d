/** Approval rules as the API shows them (Approval rule in `catalogue/reference/approvals.md`). */

import { accessLevels } from '../../catalogue/shapes/common.js'
import type { Call } from '../call.js'
import { eligible } from '../rules/planning/approval-rules.js'
import type { GroupRecord, ProtectedBranchRecord } from '../state/people-and-projects.js'
import type { ApprovalRuleRecord } from '../state/planning.js'
import { userSummary, usersOf } from './common.js'

const groupOf = (call: Call, group: GroupRecord) => ({
  id: group.id,
  name: group.name,
  path: group.path,
  description: group.description,
  visibility: group.visibility as string,
  lfs_enabled: group.lfs_enabled,
  avatar_url: null,
  web_url: call.url(`groups/${group.full_path}`),
  request_access_enabled: group.request_access_enabled,
  full_name: group.full_name,
  full_path: group.full_path,
  parent_id: group.parent_id,
  ldap_cn: null,
  ldap_access: null,
})

/** `40` → `Maintainers`. */
const levels = (access_level: number) => {
  const name = Object.entries(accessLevels).find(([, level]) => level === access_level)?.[0]
  const title = name === undefined ? 'Unknown' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const access_level_description = access_level === 0 ? 'No one' : `${title}s`
  return [{ access_level, access_level_description }]
}

const branch = (record: ProtectedBranchRecord) => ({
  id: record.id,
  name: record.name,
  push_access_levels: levels(record.push_access_level),
  merge_access_levels: levels(record.merge_access_level),
  unprotect_access_levels: levels(record.unprotect_access_level),
  code_owner_approval_required: String(record.code_owner_approval_required),
})

/** Groups that the acting user cannot see are left out, and said to be there. */
export const presentRule = (call: Call, rule: ApprovalRuleRecord) => {
  const groups = rule.group_ids.flatMap((id) => call.state.groups.get(id) ?? [])
  const visible = groups.filter((group) => call.seesGroup(group))
  return {
    id: rule.id,
    name: rule.name,
    rule_type: rule.rule_type as string,
    eligible_approvers: eligible(call, rule).map((user) => userSummary(call, user)),
    approvals_required: rule.approvals_required,
    users: usersOf(call, rule.user_ids),
    groups: visible.map((group) => groupOf(call, group)),
    protected_branches: rule.protected_branch_ids.flatMap((id) => {
      const found = call.state.protectedBranches.get(id)
      return found === undefined ? [] : [branch(found)]
    }),
    contains_hidden_groups: visible.length < groups.length,
  }
}

/** How merge requests of a project are approved, as files declare it. */
import { approvals } from '../areas/approvals.js'
import { managed } from './managed.js'

export const projectApprovals = managed({
  name: 'approvals',
  scope: 'project',
  holds: 'one',
  read: approvals.get,
  update: approvals.update,
})

export const approvalRules = managed({
  name: 'approval_rules',
  scope: 'project',
  holds: 'set',
  identity: 'name',
  read: approvals.rulesList,
  create: approvals.rulesCreate,
  update: approvals.rulesUpdate,
  remove: approvals.rulesDelete,
  at: { approval_rule_id: 'id' },
  from: {
    user_ids: 'users[].id',
    group_ids: 'groups[].id',
    protected_branch_ids: 'protected_branches[].id',
  },
  refs: { user_ids: 'user', group_ids: 'group', protected_branch_ids: 'branch' },
  // A change without approvers takes them away.
  keep: ['user_ids', 'group_ids'],
  only: { rule_type: ['regular', 'any_approver'] },
  renames: true,
  after: ['members'],
})

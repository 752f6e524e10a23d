import { approvals } from '../../src/catalogue/areas/approvals.js'
import { checkRequests } from './pin.js'

checkRequests('approvals', approvals, [
  { key: 'get', values: { id: 3 }, sends: 'GET /projects/3/approvals' },
  {
    key: 'update',
    values: { id: 3, reset_approvals_on_push: false, require_password_to_approve: true },
    sends: 'POST /projects/3/approvals',
    body: '{"reset_approvals_on_push":false,"require_password_to_approve":true}',
  },
  { key: 'rulesList', values: { id: 3 }, sends: 'GET /projects/3/approval_rules' },
  {
    key: 'rulesCreate',
    values: {
      id: 3,
      name: 'QA',
      approvals_required: 2,
      rule_type: 'regular',
      user_ids: [4],
      group_ids: [],
      protected_branch_ids: [1, 2],
    },
    sends: 'POST /projects/3/approval_rules',
    body: '{"name":"QA","approvals_required":2,"rule_type":"regular","user_ids":[4],"group_ids":[],"protected_branch_ids":[1,2]}',
  },
  {
    key: 'rulesGet',
    values: { id: 3, approval_rule_id: 5 },
    sends: 'GET /projects/3/approval_rules/5',
  },
  {
    key: 'rulesUpdate',
    values: { id: 3, approval_rule_id: 5, name: 'QA', approvals_required: 1, user_ids: [4, 5] },
    sends: 'PUT /projects/3/approval_rules/5',
    body: '{"name":"QA","approvals_required":1,"user_ids":[4,5]}',
  },
  {
    key: 'rulesDelete',
    values: { id: 3, approval_rule_id: 5 },
    sends: 'DELETE /projects/3/approval_rules/5',
  },
  {
    key: 'mrGet',
    values: { id: 3, merge_request_iid: 42 },
    sends: 'GET /projects/3/merge_requests/42/approvals',
  },
  {
    key: 'mrUpdate',
    values: { id: 3, merge_request_iid: 42, approvals_required: 0 },
    sends: 'POST /projects/3/merge_requests/42/approvals',
    body: '{"approvals_required":0}',
  },
  {
    key: 'mrState',
    values: { id: 3, merge_request_iid: 42 },
    sends: 'GET /projects/3/merge_requests/42/approval_state',
  },
])

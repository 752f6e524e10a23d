/** Declares the endpoints and shapes of approval rules, their configuration, and the approvals of merge requests. */
import { empty, endpoint, many, one } from '../endpoint.js'
import { boolean, integer, list, oneOf, project, string } from '../params.js'
import {
  AccessLevel,
  ArrayOf,
  Bool,
  Int,
  maybe,
  nullable,
  Obj,
  OpenEnum,
  OrderedEnum,
  Str,
  Timestamp,
  Unknown,
  UserSummary,
} from '../shapes/common.js'
import { visibilities } from '../shapes/project.js'

export const ApprovalConfiguration = Obj(
  {
    approvals_before_merge: Int(),
    reset_approvals_on_push: Bool(),
    disable_overriding_approvers_per_merge_request: Bool(),
    merge_requests_author_approval: Bool(),
    merge_requests_disable_committers_approval: Bool(),
    require_password_to_approve: Bool(),
  },
  { title: 'Approval configuration' },
)

const levels = ArrayOf(Obj({ access_level: AccessLevel, access_level_description: Str() }))

export const ApprovalRule = Obj(
  {
    id: Int(),
    name: Str(),
    rule_type: OpenEnum(['regular', 'any_approver']),
    eligible_approvers: ArrayOf(UserSummary),
    approvals_required: Int(),
    users: ArrayOf(UserSummary),
    groups: ArrayOf(
      Obj({
        id: Int(),
        name: Str(),
        path: Str(),
        description: nullable(Str()),
        visibility: OrderedEnum(visibilities),
        lfs_enabled: Bool(),
        avatar_url: nullable(Str()),
        web_url: Str(),
        request_access_enabled: Bool(),
        full_name: Str(),
        full_path: Str(),
        parent_id: nullable(Int()),
        ldap_cn: maybe(nullable(Str())),
        ldap_access: maybe(nullable(Int())),
      }),
    ),
    protected_branches: maybe(
      ArrayOf(
        Obj({
          id: Int(),
          name: Str(),
          push_access_levels: levels,
          merge_access_levels: levels,
          unprotect_access_levels: levels,
          code_owner_approval_required: Str(),
        }),
      ),
    ),
    contains_hidden_groups: Bool(),
  },
  { title: 'Approval rule' },
)

export const Approvals = Obj(
  {
    id: Int(),
    iid: Int(),
    project_id: Int(),
    title: Str(),
    description: nullable(Str()),
    state: Str(),
    created_at: Timestamp,
    updated_at: Timestamp,
    merge_status: Str(),
    approvals_required: Int(),
    approvals_left: Int(),
    approved_by: ArrayOf(Obj({ user: UserSummary })),
  },
  { title: 'Merge request approvals' },
)
const ApprovalState = Obj(
  {
    approval_rules_overwritten: Bool({ description: 'the merge request has its own rules' }),
    rules: maybe(ArrayOf(Unknown())),
  },
  { title: 'Approval state' },
)

const instead = { deprecated: 'approval rules' } as const
const common = { access: 'at least Maintainer of the project', edition: 'PREMIUM' } as const
const reading = { edition: 'PREMIUM' } as const
const rule = {
  id: project(),
  approval_rule_id: integer('approval rule ID', { name: 'rule-id', completes: 'approval-rule' }),
} as const
const request = {
  id: project(),
  merge_request_iid: integer('merge request IID', { name: 'iid', completes: 'mr' }),
} as const
const ruleArgs = ['approval_rule_id'] as const
const requestArgs = ['merge_request_iid'] as const
const required = {
  name: string('name of the rule', { required: true, filled: true }),
  approvals_required: integer('number of required approvals', { required: true, min: 0 }),
} as const
const approvers = {
  user_ids: list('integer', 'user IDs of approvers', { echo: { field: 'users' } }),
  group_ids: list('integer', 'group IDs of approvers', {
    echo: { field: 'groups', hidden: 'contains_hidden_groups' },
  }),
  protected_branch_ids: list('integer', 'IDs of the protected branches that the rule applies to', {
    edition: 'PREMIUM',
    echo: { field: 'protected_branches' },
  }),
} as const

export const approvals = {
  get: endpoint('GET /projects/:id/approvals', one(ApprovalConfiguration), {
    summary: 'Show the approval settings of a project',
    command: 'get',
    path: { id: project() },
    params: {},
    ...reading,
  }),
  update: endpoint('POST /projects/:id/approvals', one(ApprovalConfiguration), {
    summary: 'Change the approval settings of a project',
    command: 'update',
    changes: true,
    path: { id: project() },
    params: {
      approvals_before_merge: integer('number of required approvals', { ...instead, min: 0 }),
      reset_approvals_on_push: boolean('remove approvals when new commits are pushed'),
      disable_overriding_approvers_per_merge_request: boolean(
        'prevent changes of approvers in merge requests',
      ),
      merge_requests_author_approval: boolean('let authors approve their own merge requests'),
      merge_requests_disable_committers_approval: boolean('prevent approval by committers'),
      require_password_to_approve: boolean('require the user’s password to approve'),
    },
    ...common,
  }),
  rulesList: endpoint('GET /projects/:id/approval_rules', many(ApprovalRule), {
    summary: 'List the approval rules of a project',
    command: 'rules list',
    path: { id: project() },
    params: {},
    columns: ['id', 'name', 'rule_type', 'approvals_required', 'users', 'groups'],
    lists: 'approval-rule',
    ...reading,
  }),
  rulesCreate: endpoint('POST /projects/:id/approval_rules', one(ApprovalRule), {
    summary: 'Add an approval rule to a project',
    command: 'rules create',
    inverse: 'rulesDelete',
    path: { id: project() },
    params: {
      ...required,
      rule_type: oneOf(
        ['regular', 'any_approver'],
        'rule type: the listed approvers (regular) or any approver',
        {
          default: 'regular',
        },
      ),
      ...approvers,
    },
    ...common,
  }),
  rulesGet: endpoint('GET /projects/:id/approval_rules/:approval_rule_id', one(ApprovalRule), {
    summary: 'Show an approval rule of a project',
    command: 'rules get',
    args: ruleArgs,
    path: rule,
    params: {},
    ...reading,
  }),
  rulesUpdate: endpoint('PUT /projects/:id/approval_rules/:approval_rule_id', one(ApprovalRule), {
    summary: 'Change an approval rule of a project',
    command: 'rules update',
    selects: { list: 'approvals rules list' },
    changes: true,
    args: ruleArgs,
    path: rule,
    params: { ...required, ...approvers },
    empties: ['user_ids', 'group_ids'],
    notes: ['Users and groups that you do not list are removed from the rule.'],
    ...common,
  }),
  rulesDelete: endpoint('DELETE /projects/:id/approval_rules/:approval_rule_id', empty, {
    inverse: 'rulesCreate',
    summary: 'Delete an approval rule of a project',
    command: 'rules delete',
    selects: { list: 'approvals rules list' },
    args: ruleArgs,
    path: rule,
    params: {},
    done: 'deleted',
    destructive: 'Merge requests no longer need the approvals that this rule requires.',
    ...common,
  }),
  mrGet: endpoint('GET /projects/:id/merge_requests/:merge_request_iid/approvals', one(Approvals), {
    summary: 'Show the approvals of a merge request',
    command: 'mr get',
    args: requestArgs,
    path: request,
    params: {},
    ...reading,
  }),
  mrUpdate: endpoint(
    'POST /projects/:id/merge_requests/:merge_request_iid/approvals',
    one(Approvals),
    {
      summary: 'Change the required approvals of a merge request',
      command: 'mr update',
      selects: { list: 'mr list' },
      changes: true,
      args: requestArgs,
      path: request,
      params: {
        approvals_required: integer('number of required approvals', {
          ...instead,
          required: true,
          min: 0,
        }),
      },
      access: 'at least Developer of the project',
      edition: 'PREMIUM',
    },
  ),
  mrState: endpoint(
    'GET /projects/:id/merge_requests/:merge_request_iid/approval_state',
    one(ApprovalState),
    {
      summary: 'Show the approval state of a merge request',
      command: 'mr state',
      args: requestArgs,
      path: request,
      params: {},
      ...reading,
    },
  ),
} as const

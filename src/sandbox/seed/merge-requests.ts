/** Merge requests that rebase cleanly, that conflict, that wait, and their approval rules. */
import type { MergeRequestRecord } from '../state/planning.js'
import type { State } from '../state/state.js'
import { getCommitCard } from './histories.js'
import { ago } from './origin.js'
import { getUserId, type Username } from './people.js'

interface Row {
  readonly project: number
  readonly title: string
  readonly author: Username
  readonly days: number
  readonly branch: string
  /** Keys of its head and of where it left the target. */
  readonly head: string
  readonly base: string
  readonly extra?: Partial<MergeRequestRecord>
}

const rows: readonly Row[] = [
  {
    project: 1,
    title: 'Let people sign in and out',
    author: 'chi',
    days: 28,
    branch: 'feature/login',
    head: 'login',
    base: 'limits',
    extra: {
      description: 'Closes #2',
      closes_iids: [2],
      labels: ['enhancement'],
      milestone_id: 1,
      assignee_ids: [4],
      reviewer_ids: [3],
      approved_by_ids: [5],
      pipeline_id: 6,
      changes_count: 1,
      subscriber_ids: [3, 4],
      reactions: [{ user_id: 2, name: 'rocket' }],
    },
  },
  {
    project: 1,
    title: 'Log as text',
    author: 'dov',
    days: 25,
    branch: 'feature/logging',
    head: 'logging',
    base: 'limits',
    extra: {
      conflicts: true,
      labels: ['backend'],
      pipeline_id: 7,
      reviewer_ids: [2],
      closes_iids: [3],
    },
  },
  {
    project: 1,
    title: 'Search by name',
    author: 'chi',
    days: 50,
    branch: 'feature/search',
    head: 'search',
    base: 'limits',
    extra: {
      state: 'merged',
      merged_at: ago(40),
      merged_by_id: 3,
      merge_commit_sha: getCommitCard(1, 'merge').id,
      closes_iids: [5],
      description: 'Closes #5',
      approved_by_ids: [2, 3],
      deployments: [{ environment: 'production', deployed_at: ago(39) }],
      pipeline_id: 2,
    },
  },
  {
    project: 1,
    title: 'Draft: Try another port',
    author: 'chi',
    days: 5,
    branch: 'feature/draft',
    head: 'draft',
    base: 'head',
    extra: { draft: true },
  },
  {
    project: 1,
    title: 'Rewrite everything',
    author: 'eva',
    days: 150,
    branch: 'feature/rewrite',
    head: 'v1',
    base: 'guide',
    extra: { state: 'closed', closed_at: ago(140), closed_by_id: 2 },
  },
  {
    project: 1,
    title: 'Translate the greeting',
    author: 'ben',
    days: 8,
    branch: 'from-fork',
    head: 'fork',
    base: 'merge',
    extra: { source_project_id: 14, allow_collaboration: true },
  },
  {
    project: 1,
    title: 'Thank contributors',
    author: 'ben',
    days: 4,
    branch: 'feature/auto',
    head: 'auto',
    base: 'head',
    extra: { merge_when_pipeline_succeeds: true, pipeline_id: 8, assignee_ids: [3] },
  },
  {
    project: 6,
    title: 'Show a banner',
    author: 'chi',
    days: 6,
    branch: 'banner',
    head: 'banner',
    base: 'head',
    extra: { closes_iids: [1], description: 'Fixes #1', assignee_ids: [2] },
  },
]

/** What nothing has happened to. */
const untouched = {
  description: '',
  state: 'opened',
  merged_by_id: null,
  merged_at: null,
  closed_by_id: null,
  closed_at: null,
  target_branch: 'main',
  assignee_ids: [],
  reviewer_ids: [],
  labels: [],
  milestone_id: null,
  draft: false,
  merge_when_pipeline_succeeds: false,
  merge_commit_sha: null,
  squash_commit_sha: null,
  squash: false,
  merge_check_started_at: null,
  conflicts: false,
  rebase_started_at: null,
  rebase_skip_ci: false,
  rebase_user_id: null,
  merge_error: null,
  reactions: [],
  discussion_locked: null,
  should_remove_source_branch: null,
  allow_collaboration: false,
  time_estimate: 0,
  total_time_spent: 0,
  changes_count: 1,
  pipeline_id: null,
  closes_iids: [],
  approved_by_ids: [],
  approver_ids: [],
  approvals_before_merge: null,
  deployments: [],
} satisfies Partial<MergeRequestRecord>

const request = (iid: number, row: Row): Omit<MergeRequestRecord, 'id'> => ({
  ...structuredClone(untouched),
  iid,
  project_id: row.project,
  source_project_id: row.project,
  title: row.title,
  created_at: ago(row.days),
  updated_at: ago(Math.min(row.days, 3)),
  source_branch: row.branch,
  author_id: getUserId(row.author),
  sha: getCommitCard(row.project, row.head).id,
  base_sha: getCommitCard(row.project, row.base).id,
  subscriber_ids: [getUserId(row.author)],
  ...structuredClone(row.extra ?? {}),
})

export const seedMergeRequests = (state: State): void => {
  for (const row of rows) {
    const iid = state.mergeRequests.filter((m) => m.project_id === row.project).length + 1
    state.mergeRequests.add(request(iid, row))
  }
  const rule = { project_id: 1, merge_request_id: null, group_ids: [], protected_branch_ids: [] }
  state.approvalRules.add({
    ...rule,
    name: 'All members',
    rule_type: 'any_approver',
    approvals_required: 0,
    user_ids: [],
  })
  state.approvalRules.add({
    ...rule,
    name: 'Security',
    rule_type: 'regular',
    approvals_required: 1,
    user_ids: [2, 3],
    group_ids: [2],
    protected_branch_ids: [1],
  })
}

import { mr } from '../../src/catalogue/areas/mr.js'
import { checkRequests } from './pin.js'

checkRequests('mr', mr, [
  {
    key: 'list',
    values: {
      state: 'opened',
      approver_ids: 'Any',
      approved_by_ids: [1, 2],
      reviewer_id: 'None',
      in: ['title', 'description'],
      wip: 'yes',
    },
    sends:
      'GET /merge_requests?state=opened&approver_ids=Any&approved_by_ids[]=1&approved_by_ids[]=2&reviewer_id=None&in=title,description&wip=yes',
  },
  {
    key: 'list',
    values: {
      view: 'simple',
      scope: 'assigned_to_me',
      source_branch: 'feature/x',
      deployed_after: '2026-01-01T00:00:00Z',
      environment: 'review/x',
    },
    sends:
      'GET /merge_requests?view=simple&scope=assigned_to_me&source_branch=feature/x&environment=review/x&deployed_after=2026-01-01T00:00:00Z',
  },
  {
    key: 'listOfProject',
    values: {
      id: 'g/p',
      iids: [4],
      with_merge_status_recheck: true,
      not: { author_id: 5, labels: ['x'] },
    },
    sends:
      'GET /projects/g%2Fp/merge_requests?with_merge_status_recheck=true&not[author_id]=5&not[labels]=x&iids[]=4',
  },
  {
    key: 'get',
    values: { id: 3, merge_request_iid: 42, include_rebase_in_progress: true },
    sends: 'GET /projects/3/merge_requests/42?include_rebase_in_progress=true',
  },
  {
    key: 'rebase',
    values: { id: 3, merge_request_iid: 42 },
    sends: 'PUT /projects/3/merge_requests/42/rebase',
  },
  {
    key: 'rebase',
    values: { id: 3, merge_request_iid: 42, skip_ci: true },
    sends: 'PUT /projects/3/merge_requests/42/rebase',
    body: '{"skip_ci":true}',
  },
  {
    key: 'cancelAutoMerge',
    values: { id: 3, merge_request_iid: 42 },
    sends: 'POST /projects/3/merge_requests/42/cancel_merge_when_pipeline_succeeds',
  },
  {
    key: 'closesIssues',
    values: { id: 3, merge_request_iid: 42 },
    sends: 'GET /projects/3/merge_requests/42/closes_issues',
  },
  {
    key: 'subscribe',
    values: { id: 3, merge_request_iid: 42 },
    sends: 'POST /projects/3/merge_requests/42/subscribe',
  },
  {
    key: 'unsubscribe',
    values: { id: 3, merge_request_iid: 42 },
    sends: 'POST /projects/3/merge_requests/42/unsubscribe',
  },
])

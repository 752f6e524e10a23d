import { issues } from '../../src/catalogue/areas/issues.js'
import { checkRequests } from './pin.js'

checkRequests('issues', issues, [
  { key: 'list', values: {}, sends: 'GET /issues' },
  {
    key: 'list',
    values: {
      assignee_id: 'None',
      labels: ['a b', 'c'],
      iids: [1, 2],
      in: ['title'],
      milestone: 'Any',
      weight: 3,
    },
    sends:
      'GET /issues?assignee_id=None&iids[]=1&iids[]=2&in=title&labels=a%20b,c&milestone=Any&weight=3',
  },
  {
    key: 'list',
    values: {
      assignee_username: ['ana'],
      created_after: '2026-01-01T00:00:00+01:00',
      due_date: '0',
      scope: 'all',
      non_archived: false,
    },
    sends:
      'GET /issues?assignee_username[]=ana&created_after=2026-01-01T00:00:00%2B01:00&due_date=0&non_archived=false&scope=all',
  },
  {
    key: 'list',
    values: {
      not: { labels: ['a', 'b'], iids: [3], assignee_username: ['x'], milestone_id: 'Started' },
      labels: 'None',
    },
    sends:
      'GET /issues?labels=None&not[labels]=a,b&not[iids][]=3&not[assignee_username][]=x&not[milestone_id]=Started',
  },
  {
    key: 'listOfGroup',
    values: { id: 'platform/core', my_reaction_emoji: 'thumbsup', with_labels_details: true },
    sends: 'GET /groups/platform%2Fcore/issues?my_reaction_emoji=thumbsup&with_labels_details=true',
  },
  {
    key: 'unsubscribe',
    values: { id: 3, issue_iid: 7 },
    sends: 'POST /projects/3/issues/7/unsubscribe',
  },
  { key: 'todo', values: { id: 3, issue_iid: 7 }, sends: 'POST /projects/3/issues/7/todo' },
  {
    key: 'relatedMergeRequests',
    values: { id: 3, issue_iid: 7 },
    sends: 'GET /projects/3/issues/7/related_merge_requests',
  },
  {
    key: 'promote',
    values: { id: 3, issue_iid: 7, body: 'So be it.\n/promote' },
    sends: 'POST /projects/3/issues/7/notes',
    body: '{"body":"So be it.\\n/promote"}',
  },
  {
    key: 'timeStats',
    values: { id: 3, issue_iid: 7 },
    sends: 'GET /projects/3/issues/7/time_stats',
  },
  {
    key: 'estimate',
    values: { id: 3, issue_iid: 7, duration: '3h30m' },
    sends: 'POST /projects/3/issues/7/time_estimate',
    body: '{"duration":"3h30m"}',
  },
  {
    key: 'resetEstimate',
    values: { id: 3, issue_iid: 7 },
    sends: 'POST /projects/3/issues/7/reset_time_estimate',
  },
  {
    key: 'spend',
    values: { id: 3, issue_iid: 7, duration: '-1h', summary: 'Too much' },
    sends: 'POST /projects/3/issues/7/add_spent_time',
    body: '{"duration":"-1h","summary":"Too much"}',
  },
  {
    key: 'resetSpent',
    values: { id: 3, issue_iid: 7 },
    sends: 'POST /projects/3/issues/7/reset_spent_time',
  },
])

import { members } from '../../src/catalogue/areas/members.js'
import { checkRequests } from './pin.js'

checkRequests('members', members, [
  {
    key: 'listOfGroup',
    values: { id: 'platform/core', query: 'a b' },
    sends: 'GET /groups/platform%2Fcore/members?query=a%20b',
  },
  {
    key: 'listOfProject',
    values: { id: 3, user_ids: [1, 2] },
    sends: 'GET /projects/3/members?user_ids[]=1&user_ids[]=2',
  },
  { key: 'listAllOfGroup', values: { id: 3 }, sends: 'GET /groups/3/members/all' },
  { key: 'listAllOfProject', values: { id: 'g/p' }, sends: 'GET /projects/g%2Fp/members/all' },
  { key: 'getOfGroup', values: { id: 3, user_id: 5 }, sends: 'GET /groups/3/members/5' },
  { key: 'getOfProject', values: { id: 3, user_id: 5 }, sends: 'GET /projects/3/members/5' },
  { key: 'getAllOfGroup', values: { id: 3, user_id: 5 }, sends: 'GET /groups/3/members/all/5' },
  { key: 'getAllOfProject', values: { id: 3, user_id: 5 }, sends: 'GET /projects/3/members/all/5' },
  {
    key: 'addToGroup',
    values: { id: 3, user_id: '5,6', access_level: 50, expires_at: '2030-01-31' },
    sends: 'POST /groups/3/members',
    body: '{"user_id":"5,6","access_level":50,"expires_at":"2030-01-31"}',
  },
  {
    key: 'addToProject',
    values: { id: 3, user_id: 5, access_level: 30, invite_source: 'api', areas_of_focus: 'docs' },
    sends: 'POST /projects/3/members',
    body: '{"user_id":5,"access_level":30,"invite_source":"api","areas_of_focus":"docs"}',
  },
  {
    key: 'updateOfGroup',
    values: { id: 3, user_id: 5, access_level: 20 },
    sends: 'PUT /groups/3/members/5',
    body: '{"access_level":20}',
  },
  {
    key: 'updateOfProject',
    values: { id: 3, user_id: 5, expires_at: '' },
    sends: 'PUT /projects/3/members/5',
    body: '{"expires_at":""}',
  },
  {
    key: 'removeFromGroup',
    values: { id: 'g/h', user_id: 5 },
    sends: 'DELETE /groups/g%2Fh/members/5',
  },
  {
    key: 'removeFromProject',
    values: { id: 3, user_id: 5 },
    sends: 'DELETE /projects/3/members/5',
  },
  {
    key: 'billableList',
    values: { id: 3, search: 'ana', sort: 'last_activity_on_desc' },
    sends: 'GET /groups/3/billable_members?search=ana&sort=last_activity_on_desc',
  },
  {
    key: 'billableMemberships',
    values: { id: 3, user_id: 5 },
    sends: 'GET /groups/3/billable_members/5/memberships',
  },
  {
    key: 'billableRemove',
    values: { id: 3, user_id: 5 },
    sends: 'DELETE /groups/3/billable_members/5',
  },
])

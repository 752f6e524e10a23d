import { runners } from '../../src/catalogue/areas/runners.js'
import { checkRequests } from './pin.js'

checkRequests('runners', runners, [
  {
    key: 'list',
    values: { type: 'group_type', status: 'paused' },
    sends: 'GET /runners?type=group_type&status=paused',
  },
  { key: 'list', values: { tag_list: ['linux', 'gpu'] }, sends: 'GET /runners?tag_list=linux,gpu' },
  { key: 'listAll', values: { scope: 'specific' }, sends: 'GET /runners/all?scope=specific' },
  { key: 'get', values: { id: 7 }, sends: 'GET /runners/7' },
  {
    key: 'update',
    values: { id: 7, active: false, tag_list: [], maximum_timeout: null },
    sends: 'PUT /runners/7',
    body: '{"active":false,"tag_list":[],"maximum_timeout":null}',
  },
  {
    key: 'jobs',
    values: { id: 7, status: 'failed', order_by: 'id', sort: 'asc' },
    sends: 'GET /runners/7/jobs?status=failed&order_by=id&sort=asc',
  },
  {
    key: 'listOfProject',
    values: { id: 'platform/app' },
    sends: 'GET /projects/platform%2Fapp/runners',
  },
  {
    key: 'enable',
    values: { id: 'a/b.c', runner_id: 9 },
    sends: 'POST /projects/a%2Fb%2Ec/runners',
    body: '{"runner_id":9}',
  },
  { key: 'disable', values: { id: 3, runner_id: 9 }, sends: 'DELETE /projects/3/runners/9' },
  {
    key: 'listOfGroup',
    values: { id: 'platform/core', tag_list: ['x'] },
    sends: 'GET /groups/platform%2Fcore/runners?tag_list=x',
  },
  {
    key: 'register',
    values: { token: 'secret', description: 'One', info: { version: '16.1' }, active: true },
    sends: 'POST /runners',
    body: '{"token":"secret","description":"One","info":{"version":"16.1"},"active":true}',
  },
])

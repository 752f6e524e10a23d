import { projects } from '../../src/catalogue/areas/projects.js'
import { checkRequests } from './pin.js'

checkRequests('projects', projects, [
  { key: 'list', values: {}, sends: 'GET /projects' },
  {
    key: 'list',
    values: {
      archived: false,
      id_after: 7,
      last_activity_after: '2026-01-02T03:04:05+02:00',
      membership: true,
      min_access_level: 40,
      order_by: 'last_activity_at',
      sort: 'asc',
      topic: ['ruby', 'on rails'],
      visibility: 'internal',
      with_programming_language: 'C++',
      custom_attributes: { team: 'infra', 'cost centre': '7' },
    },
    sends:
      'GET /projects?archived=false&id_after=7&membership=true&min_access_level=40' +
      '&last_activity_after=2026-01-02T03:04:05%2B02:00&order_by=last_activity_at&sort=asc' +
      '&topic=ruby,on%20rails&visibility=internal&with_programming_language=C%2B%2B' +
      '&custom_attributes[team]=infra&custom_attributes[cost%20centre]=7',
  },
  {
    key: 'list',
    values: { repository_storage: 'default' },
    extra: { pagination: 'keyset', order_by: 'id' },
    sends: 'GET /projects?repository_storage=default&pagination=keyset&order_by=id',
  },
  {
    key: 'listOfUser',
    values: { user_id: 'ana.b', owned: true, order_by: 'path' },
    sends: 'GET /users/ana.b/projects?owned=true&order_by=path',
  },
  { key: 'get', values: { id: 12 }, sends: 'GET /projects/12' },
  { key: 'get', values: { id: 'platform/app.js' }, sends: 'GET /projects/platform%2Fapp%2Ejs' },
])

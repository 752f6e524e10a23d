import { events } from '../../src/catalogue/areas/events.js'
import { checkRequests } from './pin.js'

checkRequests('events', events, [
  {
    key: 'list',
    values: { action: 'pushed', target_type: 'merge_request', scope: 'all' },
    sends: 'GET /events?action=pushed&target_type=merge_request&scope=all',
  },
  {
    key: 'listOfUser',
    values: { id: 'ana', before: '2026-02-01', after: '2026-01-01', sort: 'asc' },
    sends: 'GET /users/ana/events?before=2026-02-01&after=2026-01-01&sort=asc',
  },
  {
    key: 'listOfProject',
    values: { project_id: 'g/p', target_type: 'note' },
    sends: 'GET /projects/g%2Fp/events?target_type=note',
  },
])

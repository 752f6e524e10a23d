import { errorTracking } from '../../src/catalogue/areas/error-tracking.js'
import { checkRequests } from './pin.js'

checkRequests('error-tracking', errorTracking, [
  { key: 'get', values: { id: 'a/b' }, sends: 'GET /projects/a%2Fb/error_tracking/settings' },
  {
    key: 'update',
    values: { id: 5, active: true, integrated: false },
    sends: 'PATCH /projects/5/error_tracking/settings',
    body: '{"active":true,"integrated":false}',
  },
  { key: 'keysList', values: { id: 5 }, sends: 'GET /projects/5/error_tracking/client_keys' },
  { key: 'keysCreate', values: { id: 5 }, sends: 'POST /projects/5/error_tracking/client_keys' },
  {
    key: 'keysDelete',
    values: { id: 5, key_id: 13 },
    sends: 'DELETE /projects/5/error_tracking/client_keys/13',
  },
])

import { deployKeys } from '../../src/catalogue/areas/deploy-keys.js'
import { checkRequests } from './pin.js'

checkRequests('deploy-keys', deployKeys, [
  { key: 'listAll', values: {}, sends: 'GET /deploy_keys' },
  { key: 'list', values: { id: 'a/b' }, sends: 'GET /projects/a%2Fb/deploy_keys' },
  { key: 'get', values: { id: 5, key_id: 11 }, sends: 'GET /projects/5/deploy_keys/11' },
  {
    key: 'add',
    values: { id: 5, title: 'ci', key: 'ssh-ed25519 AAAA+/= me@here', can_push: true },
    sends: 'POST /projects/5/deploy_keys',
    body: '{"title":"ci","key":"ssh-ed25519 AAAA+/= me@here","can_push":true}',
  },
  {
    key: 'update',
    values: { id: 5, key_id: 11, can_push: false },
    sends: 'PUT /projects/5/deploy_keys/11',
    body: '{"can_push":false}',
  },
  { key: 'delete', values: { id: 5, key_id: 11 }, sends: 'DELETE /projects/5/deploy_keys/11' },
  {
    key: 'enable',
    values: { id: 'a/b', key_id: 11 },
    sends: 'POST /projects/a%2Fb/deploy_keys/11/enable',
  },
])

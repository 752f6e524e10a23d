import { vulnerabilities } from '../../src/catalogue/areas/vulnerabilities.js'
import { checkRequests } from './pin.js'

checkRequests('vulnerabilities', vulnerabilities, [
  { key: 'list', values: { id: 'a/b' }, sends: 'GET /projects/a%2Fb/vulnerabilities' },
  {
    key: 'create',
    values: { id: 5, finding_id: '17' },
    sends: 'POST /projects/5/vulnerabilities?finding_id=17',
  },
  { key: 'get', values: { id: 3 }, sends: 'GET /vulnerabilities/3' },
  { key: 'confirm', values: { id: 3 }, sends: 'POST /vulnerabilities/3/confirm' },
  { key: 'resolve', values: { id: 3 }, sends: 'POST /vulnerabilities/3/resolve' },
  { key: 'dismiss', values: { id: 3 }, sends: 'POST /vulnerabilities/3/dismiss' },
  { key: 'revert', values: { id: 3 }, sends: 'POST /vulnerabilities/3/revert' },
])

import { dependencies } from '../../src/catalogue/areas/dependencies.js'
import { checkRequests } from './pin.js'

checkRequests('dependencies', dependencies, [
  { key: 'list', values: { id: 5 }, sends: 'GET /projects/5/dependencies' },
  {
    key: 'list',
    values: { id: 'a/b', package_manager: ['npm', 'yarn'] },
    sends: 'GET /projects/a%2Fb/dependencies?package_manager=npm,yarn',
  },
])

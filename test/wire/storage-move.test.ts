import { storageMove } from '../../src/catalogue/areas/storage-move.js'
import { checkRequests } from './pin.js'

const values = { source_storage_name: 'old disk', destination_storage_name: 'new' }
const body = '{"source_storage_name":"old disk","destination_storage_name":"new"}'

checkRequests('storage-move', storageMove, [
  { key: 'projects', values, body, sends: 'POST /project_repository_storage_moves' },
  { key: 'snippets', values, body, sends: 'POST /snippet_repository_storage_moves' },
  { key: 'groups', values, body, sends: 'POST /group_repository_storage_moves' },
])

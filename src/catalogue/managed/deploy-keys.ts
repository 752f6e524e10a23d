/** Deploy keys of a project, as files declare them. */
import { deployKeys } from '../areas/deploy-keys.js'
import { managed } from './managed.js'

export const projectKeys = managed({
  name: 'deploy_keys',
  scope: 'project',
  holds: 'set',
  identity: 'key',
  label: 'title',
  read: deployKeys.list,
  everywhere: deployKeys.listAll,
  create: deployKeys.add,
  update: deployKeys.update,
  remove: deployKeys.delete,
  enable: deployKeys.enable,
  at: { key_id: 'id' },
})

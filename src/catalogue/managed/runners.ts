/** Runners, as files declare them: of the instance by rules, of a project by which of them it has. */
import { runners } from '../areas/runners.js'
import { managed } from './managed.js'

export const siteRunners = managed({
  name: 'runners',
  scope: 'site',
  holds: 'rules',
  identity: 'id',
  label: 'description',
  read: runners.listAll,
  each: runners.get,
  update: runners.update,
  at: { id: 'id' },
  operational: ['active'],
})

export const projectRunners = managed({
  name: 'runners',
  scope: 'project',
  holds: 'set',
  identity: 'id',
  label: 'description',
  by: 'runner',
  read: runners.listOfProject,
  everywhere: runners.listAll,
  enable: runners.enable,
  remove: runners.disable,
  at: { runner_id: 'id' },
  only: { runner_type: ['project_type'] },
})

/**
 * Serves the list of dependencies. Vulnerabilities are only in it for users of the security dashboard
 * (`catalogue/reference/dependencies.md`).
 */
import { Dependency, dependencies } from '../../catalogue/areas/dependencies.js'
import { serve } from '../handlers.js'
import { toShape } from '../present/common.js'
import { type ProjectInput, resource } from '../resource.js'
import { getRoleLevel } from '../rules/access.js'

const records = resource({
  table: 'dependencies',
  parent: (call, { id }: ProjectInput) => call.requireProject(id, { member: 'reporter' }),
  key: ['id'],
  filters: dependencies.list.params,
  present: (call, dependency, project) => {
    const isSecurity = call.getProjectLevel(project) >= getRoleLevel('developer')
    return toShape(Dependency, dependency, {
      vulnerabilities: isSecurity ? [...dependency.vulnerabilities] : undefined,
    })
  },
})

export const served = serve(dependencies, { list: records.list })

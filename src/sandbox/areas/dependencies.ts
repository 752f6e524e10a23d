/**
 * Serves the list of dependencies. Vulnerabilities are only in it for users of the security dashboard
 * (`catalogue/reference/dependencies.md`).
 */
import { Dependency, dependencies } from '../../catalogue/areas/dependencies.js'
import { serve } from '../handlers.js'
import { toShape } from '../present/common.js'
import { createLazyList } from '../reply.js'
import { getRoleLevel } from '../rules/access.js'
import { createDeclaredTests } from '../rules/filters.js'

export const served = serve(dependencies, {
  list: (call, input) => {
    const project = call.requireProject(input.id, { member: 'reporter' })
    const security = call.getProjectLevel(project) >= getRoleLevel('developer')
    const tests = createDeclaredTests(call.state, dependencies.list.params, input)
    const rows = call.state.dependencies.filter(
      (d) => d.project_id === project.id && tests.every((test) => test(d)),
    )
    return createLazyList(rows, (dependency) =>
      toShape(Dependency, dependency, {
        vulnerabilities: security ? [...dependency.vulnerabilities] : undefined,
      }),
    )
  },
})

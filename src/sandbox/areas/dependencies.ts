/** Dependencies (`catalogue/reference/dependencies.md`): vulnerabilities only for who may use the security dashboard. */
import type { dependencies } from '../../catalogue/areas/dependencies.js'
import type { Handlers } from '../handlers.js'
import { lazily } from '../reply.js'
import { getRoleLevel } from '../rules/people/access.js'

export const handlers: Handlers<typeof dependencies> = {
  list: (call, { id, package_manager = [] }) => {
    const project = call.project(id, { member: 'reporter' })
    const security = call.projectLevel(project) >= getRoleLevel('developer')
    const rows = call.state.dependencies.filter(
      (d) =>
        d.project_id === project.id &&
        (package_manager.length === 0 || package_manager.includes(d.package_manager)),
    )
    return lazily(rows, ({ name, version, package_manager, dependency_file_path, ...rest }) => ({
      name,
      version,
      package_manager,
      dependency_file_path,
      ...(security ? { vulnerabilities: rest.vulnerabilities } : {}),
    }))
  },
}

/** Who may call an endpoint at all, by what the catalogue says of it: asked before fault is found with what was sent. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import type { Role } from '../rules/people/access.js'
import { convert } from './check.js'

const roles: readonly (readonly [RegExp, Role])[] = [
  [/\bReporter\b/, 'reporter'],
  [/\bDeveloper\b/, 'developer'],
  [/\bMaintainers?\b/, 'maintainer'],
  [/^Owners\b/, 'owner'],
]

/**
 * Refuses whoever may not call it, whatever is sent. Where the catalogue names no role of the project or group that the path
 * holds, it has to be seen.
 * @throws Refusal 401, 403 or 404
 */
export const refuseOutsider = (
  call: Call,
  { access = '', path }: Endpoint,
  given: Readonly<Record<string, unknown>>,
): void => {
  if (access.startsWith('administrators')) call.admin()
  for (const [name, param] of Object.entries(path)) {
    if (param.type !== 'project' && param.type !== 'group') continue
    const place = convert(name, param, given[name])
    if (typeof place !== 'string' && typeof place !== 'number') continue
    const role = roles.find(([pattern]) => pattern.test(access))?.[1]
    if (param.type === 'project') call.project(place, { role })
    else call.group(place, { role })
  }
}

/** What commands and their flags are called. */

import { type Endpoint, getPath } from '../../../catalogue/endpoint.js'
import type { Param } from '../../../catalogue/params.js'
import type { Command } from '../types.js'

// What an endpoint's object belongs to: a project, a group or a user.

const scopeRoots = { projects: 'project', groups: 'group', users: 'user' } as const
export type ScopeKind = (typeof scopeRoots)[keyof typeof scopeRoots]

/** What an endpoint's object belongs to: the placeholder behind /projects, /groups or /users. */
export const getScope = (
  e: Pick<Endpoint, 'route' | 'args'>,
): { kind: ScopeKind; placeholder: string } | undefined => {
  const [, root, holder] = getPath(e).split('/')
  if (root === undefined || holder === undefined || !holder.startsWith(':')) return undefined
  if (!(root in scopeRoots)) return undefined
  const placeholder = holder.slice(1)
  if (e.args?.includes(placeholder)) return undefined
  return { kind: scopeRoots[root as keyof typeof scopeRoots], placeholder }
}

/** The words of a command, as in `approvals rules list`. */
export const getCommandName = (command: Pick<Command, 'area' | 'words'>): string =>
  [command.area, command.words].filter((w) => w !== '').join(' ')

/** The API's name as flags write names. */
export const kebab = (name: string): string => name.replaceAll('_', '-')
/** The flag name of a parameter. */
export const flagName = (name: string, param: Param): string => param.name ?? kebab(name)

/** Members: those that groups above have, bots, and the owner of a namespace. */
import type { JsonValue } from '../../../base/json/value.js'
import { members as endpoints } from '../../../catalogue/areas/members.js'
import { groupMembers, projectMembers } from '../../../catalogue/managed/members.js'
import type { ManagedPlace } from '../../address.js'
import type { SeenItem, SeenKind } from '../../seen.js'
import type { Comparing, ComparingSight, KindHooks } from '../types.js'

const bot = /^(project|group)_\d+_bot/

/** The number of an access level; 0 where there is none. */
export const levelOf = (value: JsonValue | undefined): number =>
  typeof value === 'number' ? value : 0

export const isBot = ({ identity }: SeenItem): boolean => bot.test(identity)

/** Who the group above a place has, whatever above makes them members; undefined where there is none. */
export const above = ({ scope, path }: ManagedPlace): ManagedPlace | undefined => {
  const cut = path.lastIndexOf('/')
  return scope === 'site' || cut < 0 ? undefined : { scope: 'group', path: path.slice(0, cut) }
}

/** One a scope: what follows from a fact is worked out once. */
const inherited = {
  group: { ...groupMembers, name: 'members/all', read: endpoints.listAllOfGroup },
  project: { ...projectMembers, name: 'members/all', read: endpoints.listAllOfProject },
}

/** All members of a place, also those by a group above. */
export const allMembers = (sight: ComparingSight, place: ManagedPlace): Promise<SeenKind> =>
  sight.see(place, place.scope === 'group' ? inherited.group : inherited.project)

const isPersonal = ({ how, place }: Comparing): boolean =>
  place.scope === 'project' && how.about?.(place.path)?.namespace === 'user'

/** Whose the namespace of a project is. */
const ownsNamespace = (c: Comparing, username: string): boolean =>
  isPersonal(c) && c.place.path.split('/')[0]?.toLowerCase() === username.toLowerCase()

export const members: KindHooks = {
  spares: (c, item) => isBot(item) || ownsNamespace(c, item.identity),
  impossible: async (c, { before }, wished) => {
    const meant = before?.identity ?? wished?.identity ?? ''
    const username = typeof meant === 'number' ? c.sight.names.name('user', meant, c.place) : meant
    return username !== undefined && ownsNamespace(c, username)
      ? 'the project is in the namespace of this user, who stays its owner'
      : undefined
  },
}

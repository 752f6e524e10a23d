/** Groups with subgroups, and who belongs to them and to their projects. */
import type { SourceKind, Visibility } from '../../state/people-and-projects.js'
import type { State } from '../../state/state.js'
import { ago, dayAgo } from '../origin.js'
import { getUserId, type Username } from './people.js'

const groups: readonly (readonly [string, string, Visibility, string])[] = [
  ['platform', 'Platform', 'public', 'What everything else runs on'],
  ['platform/core', 'Core', 'private', 'The engine and its protocol'],
  ['platform/tools', 'Tools', 'internal', 'Tools for those who build and deploy'],
  ['web', 'Web', 'public', 'Everything customers see'],
  ['labs', 'Labs', 'private', 'Experiments'],
  ['partners', 'Partners', 'private', 'People from outside'],
]

type Membership = readonly [SourceKind, number, Username, number, string?]

const owner = 50
const maintainer = 40
const developer = 30
const reporter = 20
const guest = 10

/** Kind and ID of group or project, who, level, last day. */
const memberships: readonly Membership[] = [
  ['group', 1, 'ana', owner],
  ['group', 1, 'ben', maintainer],
  ['group', 1, 'chi', developer],
  ['group', 1, 'dov', reporter],
  ['group', 1, 'eva', guest],
  ['group', 2, 'chi', maintainer],
  ['group', 3, 'dov', developer, dayAgo(-3650)],
  ['group', 4, 'ben', owner],
  ['group', 4, 'chi', maintainer],
  ['group', 4, 'ana', developer],
  ['group', 4, 'fay', developer, dayAgo(30)],
  ['group', 5, 'dov', owner],
  ['group', 5, 'eva', reporter],
  ['group', 6, 'gus', developer],
  ['group', 6, 'ana', owner],
  ['project', 1, 'dov', guest],
  ['project', 1, 'gus', developer],
  ['project', 6, 'eva', developer],
  ['project', 7, 'dov', reporter, dayAgo(-3650)],
]

export const seedGroups = (state: State): void => {
  for (const [full_path, name, visibility, description] of groups) {
    const path = full_path.split('/').at(-1) ?? full_path
    const parent = state.groups.find((g) => full_path === `${g.full_path}/${path}`)
    state.groups.add({
      name,
      path,
      full_path,
      full_name: parent === undefined ? name : `${parent.full_name} / ${name}`,
      parent_id: parent?.id ?? null,
      description,
      visibility,
      lfs_enabled: true,
      request_access_enabled: true,
      created_at: ago(900 - state.groups.size * 30),
      storage: full_path === 'labs' ? 'second' : 'default',
      runners_token: `sandbox-group-${path}-registration`,
    })
  }
}

export const seedMembers = (state: State): void => {
  for (const [index, [source_type, source_id, who, access_level, expires]] of memberships.entries())
    state.members.add({
      source_type,
      source_id,
      user_id: getUserId(who),
      access_level,
      created_at: ago(800 - index * 20),
      expires_at: expires ?? null,
    })
  state.members.add({
    source_type: 'project',
    source_id: 1,
    user_id: 9,
    access_level: maintainer,
    created_at: ago(90),
    expires_at: null,
  })
  const share = { group_access: developer, expires_at: null }
  state.shares.add({ source_type: 'project', source_id: 6, group_id: 1, ...share })
  state.shares.add({ source_type: 'group', source_id: 3, group_id: 6, ...share })
}

/** Declares the endpoints of the members of groups and projects, and of the billable members of a group. */
import { empty, endpoint, many, one } from '../endpoint.js'
import { date, group, integer, list, oneOf, project, string } from '../params.js'
import {
  AccessLevel,
  accessLevels,
  assignableLevels,
  Bool,
  Day,
  Int,
  maybe,
  nullable,
  Obj,
  OpenEnum,
  Str,
  Timestamp,
  Union,
  Unknown,
  UserSummary,
} from '../shapes/common.js'

/** The name of an access level in the API, such as `Developer`. */
const AccessLevelName = Str({ 'x-levels': accessLevels })

const ofEach = {
  ...UserSummary.properties,
  access_level: AccessLevel,
  expires_at: nullable(Timestamp),
  email: maybe(nullable(Str({ description: 'for users with a public email address' }))),
  group_saml_identity: maybe(
    nullable(
      Obj(
        { extern_uid: Str(), provider: Str(), saml_provider_id: Int() },
        { description: 'shown to owners of groups with single sign-on' },
      ),
    ),
  ),
}
const Member = Obj({ ...ofEach, created_at: Timestamp }, { title: 'Member' })
const ListedMember = Obj({ ...ofEach, created_at: maybe(Timestamp) }, { title: 'Listed member' })
/** The response to a request that adds several members. */
const MembersAdded = Obj(
  {
    status: OpenEnum(['success', 'error']),
    message: maybe(Unknown({ description: 'error messages by username' })),
  },
  { title: 'Members added' },
)

const BillableMember = Obj(
  {
    ...UserSummary.properties,
    email: maybe(nullable(Str())),
    last_activity_on: nullable(Day),
    membership_type: OpenEnum(['group_member', 'group_invite']),
    removable: Bool(),
    created_at: Timestamp,
  },
  { title: 'Billable member' },
)
const Membership = Obj(
  {
    id: Int(),
    source_id: Int(),
    source_full_name: Str(),
    source_members_url: Str(),
    created_at: Timestamp,
    expires_at: nullable(Day),
    access_level: Obj({ string_value: AccessLevelName, integer_value: AccessLevel }),
  },
  { title: 'Membership' },
)

const filters = {
  query: string('filter by text in name or username'),
  user_ids: list('integer', 'filter by user ID'),
} as const
const notes = [
  'Tables and CSV show access levels by name, as --access-level takes them. Other formats show the number.',
] as const
const columns = ['id', 'username', 'name', 'state', 'access_level', 'expires_at'] as const
const userId = integer('user ID', { completes: 'user', suggests: 'member' })
const ofGroup = { id: group() } as const
const ofProject = { id: project() } as const
const oneOfGroup = { id: group(), user_id: userId } as const
const oneOfProject = { id: project(), user_id: userId } as const
const args = ['user_id'] as const
const level = 'access level, by number or name'
const ends = date('date on which the membership expires', { clears: true, ahead: true })

/** Returns the access levels by name, and the names that members of a group or project can get. */
const createLevelValues = (place: keyof typeof assignableLevels) =>
  ({ names: accessLevels, offers: assignableLevels[place] }) as const

const createMemberParams = (place: keyof typeof assignableLevels) =>
  ({
    user_id: string('user ID, or several separated by commas', {
      required: true,
      format: 'csv',
      completes: 'user',
      suggests: 'username',
    }),
    // Only the response about a single user is a member.
    access_level: integer(level, {
      required: true,
      echo: { field: 'access_level' },
      ...createLevelValues(place),
    }),
    expires_at: { ...ends, echo: { field: 'expires_at' } },
    invite_source: string('source of the invitation'),
    areas_of_focus: string('tasks for the new member'),
  }) as const
const projectAccess = 'at least Maintainer of the project'
const groupAccess = 'Owners of the group'
const topLevel = ['Billable members exist for top-level groups only.'] as const
const billable = { access: groupAccess, notes: topLevel } as const

/** The properties of the endpoints that remove a member. The documentation mentions them without an example. */
const removing = {
  command: 'remove',
  selects: { list: 'members list' },
  args,
  params: {},
  done: 'removed',
  implied: true,
} as const

/** The flag for lists that include members of the groups above. */
const inherited = {
  flag: 'inherited',
  help: 'include inherited and invited members',
} as const

export const members = {
  listOfGroup: endpoint('GET /groups/:id/members', many(ListedMember), {
    summary: 'List the direct members of a project or group',
    command: 'list',
    path: ofGroup,
    params: filters,
    columns,
    lists: 'user',
    notes,
  }),
  listOfProject: endpoint('GET /projects/:id/members', many(ListedMember), {
    summary: 'List the direct members of a project',
    command: 'list',
    path: ofProject,
    params: filters,
    columns,
    lists: 'user',
    notes,
  }),
  listAllOfGroup: endpoint('GET /groups/:id/members/all', many(ListedMember), {
    summary: 'List the direct and inherited members of a group',
    command: 'list',
    when: inherited,
    path: ofGroup,
    params: filters,
    columns,
    lists: 'user',
    notes,
  }),
  listAllOfProject: endpoint('GET /projects/:id/members/all', many(ListedMember), {
    summary: 'List the direct and inherited members of a project',
    command: 'list',
    when: inherited,
    path: ofProject,
    params: filters,
    columns,
    lists: 'user',
    notes,
  }),
  getOfGroup: endpoint('GET /groups/:id/members/:user_id', one(Member), {
    summary: 'Show a direct member of a project or group',
    command: 'get',
    args,
    path: oneOfGroup,
    params: {},
  }),
  getOfProject: endpoint('GET /projects/:id/members/:user_id', one(Member), {
    summary: 'Show a direct member of a project',
    command: 'get',
    args,
    path: oneOfProject,
    params: {},
  }),
  getAllOfGroup: endpoint('GET /groups/:id/members/all/:user_id', one(Member), {
    summary: 'Show a direct or inherited member of a group',
    command: 'get',
    when: inherited,
    args,
    path: oneOfGroup,
    params: {},
  }),
  getAllOfProject: endpoint('GET /projects/:id/members/all/:user_id', one(Member), {
    summary: 'Show a direct or inherited member of a project',
    command: 'get',
    when: inherited,
    args,
    path: oneOfProject,
    params: {},
  }),
  addToGroup: endpoint('POST /groups/:id/members', one(Union([Member, MembersAdded])), {
    inverse: 'removeFromGroup',
    summary: 'Add members to a project or group',
    command: 'add',
    args,
    path: ofGroup,
    params: createMemberParams('group'),
    access: groupAccess,
  }),
  addToProject: endpoint('POST /projects/:id/members', one(Union([Member, MembersAdded])), {
    inverse: 'removeFromProject',
    summary: 'Add members to a project',
    command: 'add',
    args,
    path: ofProject,
    params: createMemberParams('project'),
    access: projectAccess,
  }),
  updateOfGroup: endpoint('PUT /groups/:id/members/:user_id', one(Member), {
    summary: 'Change the access level or expiry of a membership',
    command: 'update',
    selects: { list: 'members list' },
    changes: true,
    args,
    path: oneOfGroup,
    params: { access_level: integer(level, createLevelValues('group')), expires_at: ends },
    access: groupAccess,
  }),
  updateOfProject: endpoint('PUT /projects/:id/members/:user_id', one(Member), {
    summary: 'Change the access level or expiry of a project membership',
    command: 'update',
    selects: { list: 'members list' },
    changes: true,
    args,
    path: oneOfProject,
    params: { access_level: integer(level, createLevelValues('project')), expires_at: ends },
    access: projectAccess,
  }),
  removeFromGroup: endpoint('DELETE /groups/:id/members/:user_id', empty, {
    ...removing,
    summary: 'Remove direct members from a project or group',
    path: oneOfGroup,
    inverse: 'addToGroup',
    destructive:
      'The user loses access to the group and to the subgroups and projects that inherit from it.',
    access: groupAccess,
    notes: [
      'The last owner of a group cannot be removed. Some instances also end direct memberships below the group.',
    ],
  }),
  removeFromProject: endpoint('DELETE /projects/:id/members/:user_id', empty, {
    ...removing,
    summary: 'Remove direct members from a project',
    path: oneOfProject,
    inverse: 'addToProject',
    destructive: 'The user loses access to the project, unless it is inherited from a group.',
    access: projectAccess,
  }),
  billableList: endpoint('GET /groups/:id/billable_members', many(BillableMember), {
    summary: 'List the billable members of a group',
    command: 'billable list',
    path: ofGroup,
    params: {
      search: string('filter by text in name, username or email address'),
      sort: oneOf(
        [
          'access_level_asc',
          'access_level_desc',
          'last_joined',
          'name_asc',
          'name_desc',
          'oldest_joined',
          'oldest_sign_in',
          'recent_sign_in',
          'last_activity_on_asc',
          'last_activity_on_desc',
        ],
        'order',
      ),
    },
    columns: ['id', 'username', 'name', 'membership_type', 'last_activity_on', 'removable'],
    lists: 'user',
    ...billable,
  }),
  billableMemberships: endpoint(
    'GET /groups/:id/billable_members/:user_id/memberships',
    many(Membership),
    {
      summary: 'List the memberships of a billable member',
      command: 'billable memberships',
      args,
      path: oneOfGroup,
      params: {},
      columns: ['id', 'source_full_name', 'access_level.string_value', 'expires_at'],
      ...billable,
    },
  ),
  billableRemove: endpoint('DELETE /groups/:id/billable_members/:user_id', empty, {
    irreversible: 'it ends many memberships at once; "members remove-everywhere" records them',
    summary: 'Remove a billable member from a group and all below it',
    command: 'billable remove',
    selects: { list: 'members billable list' },
    args,
    path: oneOfGroup,
    params: {},
    done: 'removed',
    destructive: 'The user loses every membership in the group, its subgroups and projects.',
    ...billable,
  }),
} as const

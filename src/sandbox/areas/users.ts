/** Serves users and the token of the request, which the documented API has only as parts of other objects. */
import { boolean, integer, oneOf, string } from '../../catalogue/params.js'
import { apiRoot, type Call } from '../call.js'
import { createRoutes } from '../extra-routes.js'
import { showFullUser, showUserSummary } from '../present/common.js'
import { badRequest, conflict, forbidden, notFound } from '../reply.js'
import { resource } from '../resource.js'
import { searchParameter } from '../rules/filters.js'
import { removeUser } from '../rules/removal.js'
import type { UserRecord } from '../state/people-and-projects.js'

/** Presents a user with the fields that only this user and administrators may see. */
const showPrivateUser = (call: Call, user: UserRecord) => ({
  ...showFullUser(call, user),
  job_title: '',
  work_information: null,
  bot: /^(?:project|group)_\d+_bot/.test(user.username),
  last_sign_in_at: user.last_sign_in_at,
  confirmed_at: user.created_at,
  last_activity_on: user.last_activity_on,
  email: user.email,
  commit_email: user.email,
  theme_id: 1,
  color_scheme_id: 1,
  projects_limit: 100_000,
  current_sign_in_at: user.last_sign_in_at,
  identities: [],
  can_create_group: !user.external,
  can_create_project: !user.external,
  two_factor_enabled: false,
  external: user.external,
  private_profile: false,
  ...(call.isAdmin ? { is_admin: user.admin } : {}),
})

const users = resource({
  table: 'users',
  what: 'User',
  parent: (call, _: object) => call.requireUser(),
  managed: (call) => call.requireAdmin(),
  holds: ({ ghost }) => ghost !== true,
  key: ['id'],
  filters: {
    ...searchParameter,
    username: string('exact username'),
    active: boolean('only active ones'),
    blocked: boolean('only blocked ones'),
    external: boolean('only external ones'),
    admins: boolean('only administrators'),
    order_by: oneOf(['id', 'name', 'username', 'created_at'], 'order', { default: 'id' }),
    sort: oneOf(['asc', 'desc'], 'direction', { default: 'asc' }),
  },
  search: ['name', 'username'],
  tests: {
    username: (name, user) => user.username.toLowerCase() === name.toLowerCase(),
    active: (wanted, { state }) => !wanted || state === 'active',
    blocked: (wanted, { state }) => !wanted || state === 'blocked',
    external: (wanted, { external }) => !wanted || external,
    admins: (wanted, { admin }) => !wanted || admin,
  },
  present: (call, user) => (call.isAdmin ? showPrivateUser(call, user) : showFullUser(call, user)),
  presentListed: (call, user) =>
    call.isAdmin ? showPrivateUser(call, user) : showUserSummary(call, user),
  // Only administrators create, change and delete users.
  attributes: {
    name: string('name', { required: true }),
    username: string('username', { required: true }),
    email: string('email', { required: true }),
    admin: boolean('administrator'),
    external: boolean('sees internal projects only as a member'),
    public_email: string('email that everybody sees'),
    bio: string('biography'),
    location: string('location'),
    organization: string('organization'),
  },
  accept: ({ state }, given, _, user) => {
    const { email, username } = given
    if (username !== undefined && !/^\w[\w.-]*$/.test(username))
      throw badRequest({ username: ['is invalid'] })
    const others = state.users.filter((other) => other !== user)
    if (others.some((other) => other.email === email))
      throw conflict('Email has already been taken')
    if (others.some((other) => other.username.toLowerCase() === username?.toLowerCase()))
      throw conflict('Username has already been taken')
    return given
  },
  defaults: (call) => ({
    public_email: null,
    admin: false,
    external: false,
    bio: null,
    location: null,
    organization: null,
    state: 'active' as const,
    created_at: call.clock.iso(),
    last_activity_on: null,
    last_sign_in_at: null,
  }),
  remove: (call, user, own) => {
    if (user.id === own.id) throw forbidden()
    removeUser(call.state, user)
  },
})

const setState = (state: UserRecord['state']) => (call: Call, input: { readonly id: number }) => {
  const user = users.managed(call, input)
  if (user.id === call.user?.id) throw forbidden()
  call.state.users.change(user.id, { state })
  return true
}

/** Presents the token of the request. */
const showOwnToken = ({ token }: Call) => {
  if (token === undefined || token.kind === 'oauth' || token.kind === 'session') throw notFound()
  const { id, name, revoked, created_at, scopes, user_id } = token
  const expires_at = token.expires_at?.slice(0, 10) ?? null
  return {
    id,
    name,
    revoked,
    created_at,
    scopes,
    user_id,
    last_used_at: null,
    active: true,
    expires_at,
  }
}

const reading = ['read_user']
export const userRoutes = [
  {
    method: 'GET',
    path: `${apiRoot}/user`,
    scopes: reading,
    handle: (call: Call) => showPrivateUser(call, call.requireUser()),
  } as const,
  ...createRoutes({
    path: '/users',
    one: { id: integer('ID') },
    access: 'administrators',
    scopes: reading,
    of: users,
    actions: { block: [setState('blocked')], unblock: [setState('active')] },
  }),
  {
    method: 'GET',
    path: `${apiRoot}/personal_access_tokens/self`,
    scopes: [...reading, 'sudo'],
    handle: showOwnToken,
  } as const,
]

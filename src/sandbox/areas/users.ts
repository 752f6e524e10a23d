/** Users, and who asks. The documents show users in other answers alone. */
import { boolean, integer, oneOf, string } from '../../catalogue/params.js'
import { apiRoot, type Call } from '../call.js'
import { createRoutes } from '../extra-routes.js'
import { longUser, userSummary } from '../present/common.js'
import { badRequest, conflict, forbidden, lazily, notFound } from '../reply.js'
import { holdsText, searchParameter, sortRecords } from '../rules/filters.js'
import { removeUser } from '../rules/removal.js'
import type { UserRecord } from '../state/people-and-projects.js'

/** A user as they see themselves, and administrators everybody. */
const present = (call: Call, user: UserRecord) => ({
  ...longUser(call, user),
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

interface Filters {
  readonly username?: string
  readonly search?: string
  readonly active?: boolean
  readonly blocked?: boolean
  readonly external?: boolean
  readonly admins?: boolean
  readonly order_by: 'id' | 'name' | 'username' | 'created_at'
  readonly sort: 'asc' | 'desc'
}

const isWanted = (user: UserRecord, { username, search, ...f }: Filters): boolean =>
  user.ghost !== true &&
  [undefined, user.username.toLowerCase()].includes(username?.toLowerCase()) &&
  holdsText(search, [user.name, user.username]) &&
  (f.active !== true || user.state === 'active') &&
  (f.blocked !== true || user.state === 'blocked') &&
  (f.external !== true || user.external) &&
  (f.admins !== true || user.admin)

const listUsers = (call: Call, filters: Filters) => {
  const { order_by, sort } = filters
  const rows = call.state.users.filter((user) => isWanted(user, filters))
  const show = call.isAdmin ? present : userSummary
  return lazily(
    sortRecords(rows, (user) => [user[order_by]], sort),
    (user) => show(call, user),
  )
}

interface UserInput {
  readonly id: number
}

const find = (call: Call, { id }: UserInput): UserRecord => {
  const user = call.state.users.get(id)
  if (user === undefined || user.ghost === true) throw notFound('User')
  return user
}

const getUser = (call: Call, input: UserInput) => {
  const show = call.isAdmin ? present : longUser
  return show(call, find(call, input))
}

// Administrators make, change and delete users.

type Attributes = Partial<
  Pick<
    UserRecord,
    | 'name'
    | 'username'
    | 'email'
    | 'public_email'
    | 'admin'
    | 'external'
    | 'bio'
    | 'location'
    | 'organization'
  >
>

const check = ({ state }: Call, { email, username }: Attributes, id?: number): void => {
  if (username !== undefined && !/^\w[\w.-]*$/.test(username))
    throw badRequest({ username: ['is invalid'] })
  const others = state.users.filter((other) => other.id !== id)
  if (others.some((other) => other.email === email)) throw conflict('Email has already been taken')
  if (others.some((other) => other.username.toLowerCase() === username?.toLowerCase()))
    throw conflict('Username has already been taken')
}

const create = (
  call: Call,
  given: Attributes & { readonly name: string; readonly username: string; readonly email: string },
) => {
  call.admin()
  check(call, given)
  const user = call.state.users.add({
    public_email: null,
    admin: false,
    external: false,
    bio: null,
    location: null,
    organization: null,
    ...given,
    state: 'active',
    created_at: call.clock.iso(),
    last_activity_on: null,
    last_sign_in_at: null,
  })
  return present(call, user)
}

const update = (call: Call, { id, ...given }: UserInput & Attributes) => {
  call.admin()
  const user = find(call, { id })
  check(call, given, id)
  call.state.users.change(id, given)
  return present(call, user)
}

const remove = (call: Call, input: UserInput): undefined => {
  const own = call.admin()
  const user = find(call, input)
  if (user.id === own.id) throw forbidden()
  call.unmodified(user)
  removeUser(call.state, user)
}

const setState = (state: UserRecord['state']) => (call: Call, input: UserInput) => {
  const own = call.admin()
  const user = find(call, input)
  if (user.id === own.id) throw forbidden()
  call.state.users.change(user.id, { state })
  return true
}

const attributes = {
  admin: boolean('administrator'),
  external: boolean('sees internal projects only as a member'),
  public_email: string('email that everybody sees'),
  bio: string('biography'),
  location: string('location'),
  organization: string('organization'),
} as const

const order = ['id', 'name', 'username', 'created_at'] as const

/** The token that was sent. */
const ownToken = ({ token }: Call) => {
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
    handle: (call: Call) => present(call, call.signedIn()),
  } as const,
  ...createRoutes({
    path: '/users',
    one: { id: integer('ID') },
    access: 'administrators',
    scopes: reading,
    list: [
      {
        ...searchParameter,
        username: string('exact username'),
        active: boolean('only active ones'),
        blocked: boolean('only blocked ones'),
        external: boolean('only external ones'),
        admins: boolean('only administrators'),
        order_by: oneOf(order, 'order', { default: 'id' }),
        sort: oneOf(['asc', 'desc'], 'direction', { default: 'asc' }),
      },
      listUsers,
    ],
    get: [{}, getUser],
    create: [
      {
        name: string('name', { required: true }),
        username: string('username', { required: true }),
        email: string('email', { required: true }),
        ...attributes,
      },
      create,
    ],
    update: [
      { name: string('name'), username: string('username'), email: string('email'), ...attributes },
      update,
    ],
    delete: remove,
    actions: { block: [setState('blocked')], unblock: [setState('active')] },
  }),
  {
    method: 'GET',
    path: `${apiRoot}/personal_access_tokens/self`,
    scopes: [...reading, 'sudo'],
    handle: ownToken,
  } as const,
]

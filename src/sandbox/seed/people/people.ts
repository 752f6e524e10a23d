/** Users of every role, with tokens of every kind and condition. */
import type { TokenRecord, UserRecord } from '../../state/people-and-projects.js'
import type { State } from '../../state/state.js'
import { ago, dayAgo } from '../origin.js'

/** The users that `sandbox serve` prints, and what each is there for. */
export const cast = [
  { id: 1, username: 'root', name: 'Administrator', role: 'administrator' },
  { id: 2, username: 'ana', name: 'Ana Alves', role: 'owner of platform' },
  { id: 3, username: 'ben', name: 'Ben Baker', role: 'maintainer of platform, owner of web' },
  { id: 4, username: 'chi', name: 'Chi Chen', role: 'developer of platform' },
  { id: 5, username: 'dov', name: 'Dov Dahan', role: 'reporter of platform, owner of labs' },
  { id: 6, username: 'eva', name: 'Eva Engel', role: 'guest of platform' },
  { id: 7, username: 'fay', name: 'Fay Fuchs', role: 'blocked' },
  { id: 8, username: 'gus', name: 'Gus Grant', role: 'external, developer of platform/app' },
] as const

export type Username = (typeof cast)[number]['username']

/** The ID of a user of the cast. */
export const getUserId = (username: Username): number =>
  cast.find((person) => person.username === username)?.id ?? 1

/** The personal access token of a user of the cast. */
export const sampleToken = (username: Username): string => `sandbox-${username}-token`

const user = (id: number, username: string, name: string): Omit<UserRecord, 'id'> => ({
  name,
  username,
  state: username === 'fay' ? 'blocked' : 'active',
  email: `${username}@example.test`,
  public_email: id % 2 === 0 ? `${username}@example.test` : null,
  admin: username === 'root',
  external: username === 'gus',
  created_at: ago(1200 - id * 40),
  bio: null,
  location: id % 3 === 0 ? 'Lisbon' : null,
  organization: 'Example',
  last_activity_on: dayAgo(id),
  last_sign_in_at: id === 8 ? null : ago(id, 3),
})

type Extra = Partial<Omit<TokenRecord, 'id'>> & Pick<TokenRecord, 'user_id' | 'value'>

const token = (extra: Extra): Omit<TokenRecord, 'id'> => ({
  kind: 'personal',
  name: extra.value,
  scopes: ['api'],
  created_at: ago(90),
  expires_at: null,
  revoked: false,
  refresh_token: null,
  ...extra,
})

/** Tokens for trying out what tokens may and may not do. */
const specialTokens = (botId: number): Extra[] => [
  { user_id: 1, value: 'sandbox-root-nosudo-token' },
  { user_id: 2, value: 'sandbox-ana-sudo-token', scopes: ['api', 'sudo'] },
  { user_id: 2, value: 'sandbox-ana-read-token', scopes: ['read_api'] },
  { user_id: 2, value: 'sandbox-ana-user-token', scopes: ['read_user'] },
  { user_id: 3, value: 'sandbox-ben-expired-token', expires_at: dayAgo(10) },
  { user_id: 3, value: 'sandbox-ben-revoked-token', revoked: true },
  { user_id: 4, value: 'sandbox-chi-impersonation-token', kind: 'impersonation' },
  { user_id: botId, value: 'sandbox-app-project-token', kind: 'project' },
  {
    user_id: 2,
    value: 'sandbox-ana-oauth-token',
    kind: 'oauth',
    refresh_token: 'sandbox-ana-refresh-token',
  },
  {
    user_id: 3,
    value: 'sandbox-ben-oauth-expired-token',
    kind: 'oauth',
    expires_at: ago(1),
    refresh_token: 'sandbox-ben-refresh-token',
  },
  { user_id: 2, value: 'sandbox-ana-session', kind: 'session', scopes: [] },
]

export const seedPeople = (state: State): void => {
  for (const { id, username, name } of cast) {
    state.users.add({ id, ...user(id, username, name) })
    const scopes = username === 'root' ? ['api', 'read_user', 'sudo'] : ['api', 'read_user']
    state.tokens.add(token({ user_id: id, value: sampleToken(username), scopes }))
  }
  const bot = state.users.add(user(9, 'project_1_bot', 'App automation'))
  for (const special of specialTokens(bot.id)) state.tokens.add(token(special))
}

/** Sample users with their tokens, projects, groups and members. */
import type {
  ProjectRecord,
  SourceKind,
  TokenRecord,
  UserRecord,
  Visibility,
} from '../state/people-and-projects.js'
import type { State } from '../state/state.js'
import { ago, dayAgo } from './origin.js'

// A dozen projects of all visibilities, in groups and in personal namespaces.

export const seedSnippets = (state: State): void => {
  state.snippets.add({ project_id: 1, author_id: 4, title: 'Start by hand', storage: 'default' })
  state.snippets.add({ project_id: null, author_id: 2, title: 'A shell loop', storage: 'second' })
}

type Row = readonly [
  path: string,
  visibility: Visibility,
  description: string,
  extra?: Partial<ProjectRecord>,
]

const rows: readonly Row[] = [
  [
    'platform/app',
    'private',
    'The application',
    {
      topics: ['service', 'flagship'],
      starred_by: [2, 3, 4],
      programming_languages: ['TypeScript', 'Shell'],
      custom_attributes: { team: 'platform', tier: '1' },
      merge_method: 'rebase_merge',
    },
  ],
  [
    'platform/core/engine',
    'private',
    'Runs the jobs',
    { topics: ['service'], programming_languages: ['Rust'], custom_attributes: { team: 'core' } },
  ],
  [
    'platform/core/protocol',
    'private',
    'What the parts say to each other',
    { repository_storage: 'cluster', programming_languages: ['Rust'] },
  ],
  [
    'platform/tools/cli',
    'internal',
    'The command line',
    { topics: ['cli'], starred_by: [2], programming_languages: ['TypeScript'] },
  ],
  ['platform/tools/deploy', 'internal', 'Deploys the rest', { programming_languages: ['Shell'] }],
  [
    'web/site',
    'public',
    'The public web site',
    { topics: ['web'], starred_by: [2, 5, 6], programming_languages: ['HTML', 'TypeScript'] },
  ],
  [
    'web/shop',
    'private',
    'The shop',
    {
      topics: ['web', 'service'],
      repository_storage: 'second',
      programming_languages: ['Ruby'],
      repository_checksum_failed: true,
    },
  ],
  [
    'web/docs',
    'public',
    'The handbook',
    {
      repository_storage: 'second',
      issues_enabled: false,
      external_tracker: true,
      wiki_checksum_failed: true,
    },
  ],
  ['web/legacy', 'internal', 'About to go', { marked_for_deletion_on: dayAgo(3) }],
  ['labs/prototype', 'private', 'An idea that ended', { archived: true }],
  ['labs/sensors', 'private', 'Nothing here yet', { merge_requests_enabled: false }],
  ['ana/dotfiles', 'public', 'Settings of a shell', { programming_languages: ['Shell'] }],
  ['chi/notes', 'private', 'Private notes'],
  ['ben/app', 'private', 'A fork of the application', { forked_from_id: 1 }],
]

const flags = {
  archived: false,
  forked_from_id: null,
  starred_by: [],
  issues_enabled: true,
  merge_requests_enabled: true,
  jobs_enabled: true,
  wiki_enabled: true,
  snippets_enabled: true,
  shared_runners_enabled: true,
  public_jobs: true,
  merge_method: 'merge',
  squash_option: 'default_on',
  marked_for_deletion_on: null,
  repository_storage: 'default',
  topics: [],
  programming_languages: [],
  custom_attributes: {},
  repository_checksum_failed: false,
  wiki_checksum_failed: false,
  pages_enabled: true,
  external_tracker: false,
} satisfies Partial<ProjectRecord>

const approvals = {
  approvals_before_merge: 0,
  reset_approvals_on_push: true,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
}

const statistics = (id: number): ProjectRecord['statistics'] => ({
  commit_count: 10 + id,
  repository_size: 1_048_576 * id,
  wiki_size: 4_096 * id,
  lfs_objects_size: 0,
  job_artifacts_size: 65_536 * (15 - id),
  packages_size: 1_024 * ((id * 7) % 11),
  snippets_size: 512,
})

const place = (state: State, namespace: string) => {
  const group = state.groups.find((g) => g.full_path === namespace)
  if (group !== undefined)
    return { namespace_kind: 'group', namespace_id: group.id, title: group.full_name } as const
  const user = state.users.find((u) => u.username === namespace)
  return { namespace_kind: 'user', namespace_id: user?.id ?? 1, title: user?.name ?? '' } as const
}

const titled = (path: string): string => path.charAt(0).toUpperCase() + path.slice(1)

export const seedProjects = (state: State): void => {
  for (const [index, [full, visibility, description, extra = {}]] of rows.entries()) {
    const id = index + 1
    const path = full.split('/').at(-1) ?? full
    const { title, ...namespace } = place(state, full.slice(0, -path.length - 1))
    state.projects.add({
      id,
      name: titled(path),
      path,
      path_with_namespace: full,
      name_with_namespace: `${title} / ${titled(path)}`,
      description,
      ...namespace,
      creator_id: namespace.namespace_kind === 'user' ? namespace.namespace_id : 2,
      visibility,
      default_branch: 'main',
      created_at: ago(700 - id * 25),
      updated_at: ago(id * 2),
      last_activity_at: ago(id, id),
      runners_token: `sandbox-project-${id}-registration`,
      statistics: statistics(id),
      approvals: { ...approvals, approvals_before_merge: id === 1 ? 1 : 0 },
      variables: {},
      ...structuredClone(flags),
      ...extra,
    })
  }
  for (const { id, default_branch } of state.projects.all())
    state.protectedBranches.add({
      project_id: id,
      name: default_branch,
      push_access_level: 40,
      merge_access_level: 30,
      unprotect_access_level: 40,
      code_owner_approval_required: false,
    })
}

// Groups with subgroups, and who belongs to them and to their projects.

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

/** The personal access token of a user. */
export const sampleToken = (username: string): string => `sandbox-${username}-token`

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

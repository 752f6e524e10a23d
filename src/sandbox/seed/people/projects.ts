/** A dozen projects of all visibilities, in groups and in personal namespaces. */
import type { ProjectRecord, Visibility } from '../../state/people-and-projects.js'
import type { State } from '../../state/state.js'
import { ago, dayAgo } from '../origin.js'

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

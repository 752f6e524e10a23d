/** Declares the endpoints that list projects and read single ones. */
import { endpoint, many, one } from '../endpoint.js'
import { boolean, datetime, hash, integer, list, oneOf, project, string } from '../params.js'
import { accessLevels } from '../shapes/common.js'
import { Project, visibilities } from '../shapes/project.js'

const orders = ['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at'] as const
const adminOrders = ['repository_size', 'storage_size', 'packages_size', 'wiki_size'] as const

const shared = {
  archived: boolean('filter by archived status', { exact: true }),
  id_after: integer('list projects with a greater ID'),
  id_before: integer('list projects with a smaller ID'),
  membership: boolean('list only projects that you are a member of'),
  min_access_level: integer('filter by your minimum access level', {
    names: accessLevels,
  }),
  owned: boolean('list only projects that you own'),
  search: string('filter by text in name, path or description'),
  simple: boolean('return fewer fields; always so without authentication'),
} as const
const orderHelp = 'sort field'
const newest = { default: 'created_at' } as const
const columns = [
  'id',
  'path_with_namespace',
  'visibility',
  'default_branch',
  'last_activity_at',
] as const
const brief = {
  simple: ['id', 'path_with_namespace', 'default_branch', 'last_activity_at'],
} as const

export const projects = {
  list: endpoint('GET /projects', many(Project), {
    summary: 'List the projects that you can see',
    command: 'list',
    path: {},
    params: {
      ...shared,
      last_activity_after: datetime('list projects with activity after this time'),
      last_activity_before: datetime('list projects with activity before this time'),
      order_by: oneOf([...orders, 'similarity', ...adminOrders], orderHelp, newest),
      repository_checksum_failed: boolean('list projects whose repository checksum failed', {
        edition: 'PREMIUM',
      }),
      wiki_checksum_failed: boolean('list projects whose wiki checksum failed', {
        edition: 'PREMIUM',
      }),
      repository_storage: string('filter by storage (administrators)', {
        completes: 'storage',
      }),
      search_namespaces: boolean('also search in parent namespaces', { default: false }),
      sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
      starred: boolean('list only projects that you starred'),
      statistics: boolean('include statistics (Reporter or higher)'),
      topic: list('string', 'filter by topics (all of them)', {
        join: 'comma',
        keeps: { field: 'topics' },
      }),
      visibility: oneOf(visibilities, 'filter by visibility', { exact: true }),
      with_custom_attributes: boolean('include custom attributes (administrators)'),
      with_issues_enabled: boolean('list projects with issues enabled'),
      with_merge_requests_enabled: boolean('list projects with merge requests enabled'),
      with_programming_language: string('filter by programming language'),
      custom_attributes: hash('filter by custom attribute (administrators)', {
        name: 'custom-attribute',
      }),
    },
    columns,
    brief,
    keyset: true,
    lists: 'project',
    credential: 'optional',
    access: 'anyone; without authentication, only public projects with fewer fields',
    notes: [
      'The order "similarity" requires a search among your own projects.',
      'Only administrators can order by repository_size, storage_size, packages_size or wiki_size.',
      'Offset paging ends at 50,000 records; then order by ID and pass id_after.',
    ],
  }),
  listOfUser: endpoint('GET /users/:user_id/projects', many(Project), {
    summary: 'List the visible projects that a user owns',
    command: 'list',
    path: {
      user_id: string('user: ID or username', {
        name: 'user',
        format: 'username',
        completes: 'user',
      }),
    },
    params: { ...shared, order_by: oneOf(orders, orderHelp, newest) },
    columns,
    brief,
    lists: 'project',
    credential: 'optional',
    access: 'anyone; without authentication, only public projects with fewer fields',
  }),
  get: endpoint('GET /projects/:id', one(Project), {
    summary: 'Show a project',
    command: 'get',
    args: ['id'],
    path: { id: project() },
    params: {},
    credential: 'optional',
    access: 'anyone for a public project, members for a private one',
    implied: true,
  }),
} as const

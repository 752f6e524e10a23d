/** Projects. */
import { endpoint, many, one } from '../endpoint.js'
import { boolean, datetime, hash, integer, list, oneOf, project, string } from '../params.js'
import { accessLevels } from '../shapes/common.js'
import { Project, visibilities } from '../shapes/project.js'

const orders = ['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at'] as const
const adminOrders = ['repository_size', 'storage_size', 'packages_size', 'wiki_size'] as const

const shared = {
  archived: boolean('only archived ones, or only those that are not', { exact: true }),
  id_after: integer('only with an ID greater than this'),
  id_before: integer('only with an ID less than this'),
  membership: boolean('only projects that you are a member of'),
  min_access_level: integer('only where your access level is at least this', {
    names: accessLevels,
  }),
  owned: boolean('only projects that you own'),
  search: string('only those whose name, path or description holds this'),
  simple: boolean('limited fields; no effect without authentication'),
} as const
const orderHelp = 'order by'
const newest = { default: 'created_at' } as const
const columns = [
  'id',
  'path_with_namespace',
  'visibility',
  'default_branch',
  'last_activity_at',
] as const

export const projects = {
  list: endpoint('GET /projects', many(Project), {
    summary: 'List the projects that you may see',
    command: 'list',
    path: {},
    params: {
      ...shared,
      last_activity_after: datetime('only with activity after this moment'),
      last_activity_before: datetime('only with activity before this moment'),
      order_by: oneOf([...orders, 'similarity', ...adminOrders], orderHelp, newest),
      repository_checksum_failed: boolean('only where the repository checksum failed', {
        edition: 'PREMIUM',
      }),
      wiki_checksum_failed: boolean('only where the wiki checksum failed', { edition: 'PREMIUM' }),
      repository_storage: string('only those on this storage (administrators)', {
        completes: 'storage',
      }),
      search_namespaces: boolean('match the namespaces above, too', { default: false }),
      sort: oneOf(['asc', 'desc'], 'direction', { default: 'desc' }),
      starred: boolean('only those that you starred'),
      statistics: boolean('with statistics (Reporter or higher)'),
      topic: list('string', 'only with all of these topics', { join: 'comma' }),
      visibility: oneOf(visibilities, 'only of this visibility', { exact: true }),
      with_custom_attributes: boolean('with custom attributes (administrators)'),
      with_issues_enabled: boolean('only where issues are enabled'),
      with_merge_requests_enabled: boolean('only where merge requests are enabled'),
      with_programming_language: string('only those that use this programming language'),
      custom_attributes: hash('only with this custom attribute (administrators)', {
        name: 'custom-attribute',
      }),
    },
    columns,
    keyset: true,
    lists: 'project',
    credential: 'optional',
    access: 'anyone; without authentication public projects in their simple form',
    notes: [
      'Order similarity works only while searching, among your own projects.',
      'Orders repository_size, storage_size, packages_size and wiki_size are for administrators.',
      'Offset pages end at 50,000 records; beyond, order by id and continue with id_after or id_before.',
    ],
  }),
  listOfUser: endpoint('GET /users/:user_id/projects', many(Project), {
    summary: 'List the visible projects that a user owns',
    command: 'list',
    path: { user_id: string('user: ID or username', { name: 'user', completes: 'user' }) },
    params: { ...shared, order_by: oneOf(orders, orderHelp, newest) },
    columns,
    lists: 'project',
    credential: 'optional',
    access: 'anyone; without authentication public projects in their simple form',
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

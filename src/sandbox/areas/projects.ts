/** Serves single projects, and lists of them with offset and keyset pagination (`catalogue/reference/projects.md`). */
import { projects } from '../../catalogue/areas/projects.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { checkInput, parsePosition } from '../check.js'
import { serve } from '../handlers.js'
import { showFullProject, showSimpleProject } from '../present/project.js'
import { forbidden, Keyset, notFound, Refusal } from '../reply.js'
import { resource } from '../resource.js'
import { getProjectLevel, getRoleLevel } from '../rules/access.js'
import { containsText } from '../rules/filters.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

type Filters = CheckedOf<(typeof projects)['list']>
type Order = NonNullable<Filters['order_by']>

/** The number of projects after which lists have no further offset pages (`http/README.md`). */
const offsetLimit = 50_000

const createNotAllowed = (error: string): Refusal => new Refusal(405, { error })

/** Returns the acting user's level from memberships alone, since administrators are not members of every project. */
const getMemberLevel = (call: Call, project: ProjectRecord): number =>
  call.user === undefined ? 0 : getProjectLevel(call.state, call.user, project, call.clock.day())

const isOwner = (call: Call, project: ProjectRecord): boolean =>
  (project.namespace_kind === 'user' && project.namespace_id === call.user?.id) ||
  getMemberLevel(call, project) >= getRoleLevel('owner')

const sizes = {
  repository_size: (p) => [p.statistics.repository_size],
  wiki_size: (p) => [p.statistics.wiki_size],
  packages_size: (p) => [p.statistics.packages_size],
  storage_size: ({ statistics: { commit_count: _, ...bytes } }) => [
    Object.values(bytes).reduce((sum, size) => sum + size, 0),
  ],
} as const satisfies Partial<Record<Order, (p: ProjectRecord) => readonly number[]>>
const isSize = (order: Order): order is keyof typeof sizes => Object.hasOwn(sizes, order)

const defaultOrder = projects.list.params.order_by.default

/** Scores how well the path of a project matches a search: 2 for an equal name, 1 for a prefix, and 0 otherwise. */
const scoreSimilarity = (p: ProjectRecord, search: string): number => {
  const [name, text] = [p.path.toLowerCase(), search.toLowerCase()]
  return name === text ? 2 : name.startsWith(text) ? 1 : 0
}

/** Checks that only administrators use the filters, orders and fields that are reserved for them. @throws Refusal */
const checkRights = (call: Call, f: Filters): void => {
  if (call.isAdmin) return
  const reserved =
    f.repository_storage !== undefined ||
    f.custom_attributes !== undefined ||
    f.with_custom_attributes === true ||
    isSize(f.order_by)
  if (reserved) throw forbidden()
}

/** The projects that are listed: those of a namespace, or all. */
interface Place {
  readonly among?: (project: ProjectRecord) => boolean
}

const records = resource({
  table: 'projects',
  parent: (_, place: Place) => place,
  holds: (project, { among }) => among?.(project) !== false,
  sees: (call, project) => call.canSeeProject(project),
  key: ['id'],
  filters: projects.list.params,
  tests: {
    search: (text, p, _, { search_namespaces }) =>
      containsText(
        text,
        search_namespaces === true
          ? [p.path_with_namespace, p.name_with_namespace, p.description]
          : [p.name, p.path, p.description],
      ),
    repository_storage: (storage, p) => p.repository_storage === storage,
    with_issues_enabled: (wanted, p) => !wanted || p.issues_enabled,
    with_merge_requests_enabled: (wanted, p) => !wanted || p.merge_requests_enabled,
    repository_checksum_failed: (wanted, p) => !wanted || p.repository_checksum_failed,
    wiki_checksum_failed: (wanted, p) => !wanted || p.wiki_checksum_failed,
    with_programming_language: (language, p) =>
      p.programming_languages.some((one) => one.toLowerCase() === language.toLowerCase()),
    custom_attributes: (wanted, p) =>
      Object.entries(wanted).every(([key, value]) => p.custom_attributes[key] === value),
    id_after: (id, p) => p.id > id,
    id_before: (id, p) => p.id < id,
    last_activity_after: (time, p) => Date.parse(p.last_activity_at) > Date.parse(time),
    last_activity_before: (time, p) => Date.parse(p.last_activity_at) < Date.parse(time),
    membership: (wanted, p, call) => !wanted || getMemberLevel(call, p) > 0,
    owned: (wanted, p, call) => !wanted || isOwner(call, p),
    starred: (wanted, p, { user }) =>
      !wanted || (user !== undefined && p.starred_by.includes(user.id)),
    min_access_level: (level, p, call) => getMemberLevel(call, p) >= level,
    order_by: (order, p, call) => order !== 'similarity' || getMemberLevel(call, p) > 0,
  },
  orders: {
    ...sizes,
    similarity: (p, _, text) => (text === '' ? [p[defaultOrder]] : [scoreSimilarity(p, text)]),
  },
  present: (_, project) => project,
  presentListed: (call, project, _, f) =>
    call.user === undefined || f.simple === true
      ? showSimpleProject(call, project)
      : showFullProject(call, project, {
          statistics: f.statistics,
          custom_attributes: f.with_custom_attributes,
        }),
})

/** Lists the projects of a place that the acting user may see and that pass the filters. */
const listProjects = (call: Call, f: Filters, place: Place = {}) => {
  checkRights(call, f)
  return records.listIn(call, place, f)
}

/** Lists projects with keyset pagination. The link to the next page has the ID of the last project as a filter. */
const listKeyset = async (call: Call, f: Filters) => {
  if (f.order_by !== 'id')
    throw createNotAllowed('Keyset pagination is not yet available for this type of request')
  const all = listProjects(call, f)
  const { perPage } = parsePosition(call.sent.params)
  const page = await all.slice(0, perPage)
  const last = page.at(-1)
  const after = f.sort === 'asc' ? 'id_after' : 'id_before'
  const more = all.size > page.length && last !== undefined
  return new Keyset(page, more ? { [after]: String(last.id) } : null)
}

const list = (call: Call, f: Filters) => {
  if (call.sent.params.pagination === 'keyset') return listKeyset(call, f)
  const { page, perPage } = parsePosition(call.sent.params)
  if ((page - 1) * perPage >= offsetLimit)
    throw createNotAllowed(
      `Offset pagination has a maximum allowed offset of ${offsetLimit} for requests that return ` +
        'objects of type Project. Remaining records can be retrieved using keyset pagination.',
    )
  return listProjects(call, f)
}

/** Lists a user's own projects. The documentation ends after the filter `simple`; instances accept all filters of the list. */
const listOfUser = (call: Call, reference: string) => {
  const user = call.findUser(reference)
  if (user === undefined) throw notFound('User')
  const f = checkInput({ path: {}, params: projects.list.params }, {}, call.sent.params) as Filters
  const isOwned = (p: ProjectRecord) => p.namespace_kind === 'user' && p.namespace_id === user.id
  return listProjects(call, f, { among: isOwned })
}

export const served = serve(projects, {
  list,
  listOfUser: (call, { user_id }) => listOfUser(call, user_id),
  get: (call, { id }) => {
    const project = call.requireProject(id)
    if (call.user === undefined) return showSimpleProject(call, project)
    const given = checkInput({ path: {}, params: projects.list.params }, {}, call.sent.params)
    const { statistics, with_custom_attributes } = given as Filters
    return showFullProject(call, project, {
      statistics: statistics === true,
      custom_attributes: with_custom_attributes === true && call.isAdmin,
    })
  },
})

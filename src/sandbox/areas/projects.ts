/** Projects (`catalogue/reference/projects.md`): lists by offset and by keyset, and one of them. */
import { projects } from '../../catalogue/areas/projects.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { checkInput, parsePosition } from '../check.js'
import type { Handlers } from '../handlers.js'
import { fullProject, simpleProject } from '../present/project.js'
import { forbidden, Keyset, lazily, notFound, Refusal } from '../reply.js'
import { getRoleLevel, projectLevel } from '../rules/access.js'
import { declaredTests } from '../rules/filters.js'
import type { ProjectRecord } from '../state/people-and-projects.js'

type Filters = CheckedOf<(typeof projects)['list']>
type Order = NonNullable<Filters['order_by']>

/** Offset pages of projects end here (`http/README.md`). */
const offsetLimit = 50_000

const refused = (error: string): Refusal => new Refusal(405, { error })

/** The acting user's level by memberships alone: an administrator is no member of everything. */
const memberLevel = (call: Call, project: ProjectRecord): number =>
  call.user === undefined ? 0 : projectLevel(call.state, call.user, project, call.clock.day())

const owns = (call: Call, project: ProjectRecord): boolean =>
  (project.namespace_kind === 'user' && project.namespace_id === call.user?.id) ||
  memberLevel(call, project) >= getRoleLevel('owner')

const holds = (text: string | null, part: string): boolean =>
  text?.toLowerCase().includes(part.toLowerCase()) === true

const found = (project: ProjectRecord, { search, search_namespaces }: Filters): boolean => {
  if (search === undefined || search === '') return true
  const { name, path, description, path_with_namespace, name_with_namespace } = project
  const places =
    search_namespaces === true
      ? [path_with_namespace, name_with_namespace, description]
      : [name, path, description]
  return places.some((text) => holds(text, search))
}

/** A boolean filter that says nothing when false. */
const only = (wanted: boolean | undefined, fact: () => boolean): boolean =>
  wanted !== true || fact()

const byContent = (p: ProjectRecord, f: Filters): boolean =>
  (f.repository_storage === undefined || f.repository_storage === p.repository_storage) &&
  only(f.with_issues_enabled, () => p.issues_enabled) &&
  only(f.with_merge_requests_enabled, () => p.merge_requests_enabled) &&
  only(f.repository_checksum_failed, () => p.repository_checksum_failed) &&
  only(f.wiki_checksum_failed, () => p.wiki_checksum_failed) &&
  (f.with_programming_language === undefined ||
    p.programming_languages.some(
      (l) => l.toLowerCase() === f.with_programming_language?.toLowerCase(),
    )) &&
  Object.entries(f.custom_attributes ?? {}).every(([k, v]) => p.custom_attributes[k] === v) &&
  found(p, f)

const byPlace = (p: ProjectRecord, f: Filters): boolean =>
  p.id > (f.id_after ?? 0) &&
  p.id < (f.id_before ?? Number.POSITIVE_INFINITY) &&
  (f.last_activity_after === undefined ||
    Date.parse(p.last_activity_at) > Date.parse(f.last_activity_after)) &&
  (f.last_activity_before === undefined ||
    Date.parse(p.last_activity_at) < Date.parse(f.last_activity_before))

const byRelation = (call: Call, p: ProjectRecord, f: Filters): boolean =>
  only(f.membership, () => memberLevel(call, p) > 0) &&
  only(f.owned, () => owns(call, p)) &&
  only(f.starred, () => call.user !== undefined && p.starred_by.includes(call.user.id)) &&
  (f.min_access_level === undefined || memberLevel(call, p) >= f.min_access_level) &&
  (f.order_by !== 'similarity' || call.isAdmin || memberLevel(call, p) > 0)

const sizes = {
  repository_size: (p) => p.statistics.repository_size,
  wiki_size: (p) => p.statistics.wiki_size,
  packages_size: (p) => p.statistics.packages_size,
  storage_size: ({ statistics: { commit_count: _, ...bytes } }) =>
    Object.values(bytes).reduce((sum, size) => sum + size, 0),
} as const satisfies Partial<Record<Order, (p: ProjectRecord) => number>>
const isSize = (order: Order): order is keyof typeof sizes => Object.hasOwn(sizes, order)

/** 2 for the whole name, 1 for its beginning, 0 for anything else. */
const similarity = (p: ProjectRecord, search: string): number => {
  const [name, text] = [p.path.toLowerCase(), search.toLowerCase()]
  return name === text ? 2 : name.startsWith(text) ? 1 : 0
}

const getKey = (p: ProjectRecord, order: Order, search: string): string | number => {
  if (isSize(order)) return sizes[order](p)
  return order === 'similarity' ? similarity(p, search) : p[order]
}

const sorted = (rows: ProjectRecord[], f: Filters): ProjectRecord[] => {
  const searching = f.search !== undefined && f.search !== ''
  const order =
    f.order_by === 'similarity' && !searching ? projects.list.params.order_by.default : f.order_by
  const direction = f.sort === 'asc' ? 1 : -1
  const keys = new Map(rows.map((p) => [p, getKey(p, order, f.search ?? '')]))
  const compare = (a: ProjectRecord, b: ProjectRecord): number => {
    const [left, right] = [keys.get(a) ?? 0, keys.get(b) ?? 0]
    return direction * (left < right ? -1 : left > right ? 1 : a.id - b.id)
  }
  return rows.sort(compare)
}

/** Filters, orders and fields that the documents keep for administrators. */
const checkRights = (call: Call, f: Filters): void => {
  if (call.isAdmin) return
  const reserved =
    f.repository_storage !== undefined ||
    f.custom_attributes !== undefined ||
    f.with_custom_attributes === true ||
    isSize(f.order_by)
  if (reserved) throw forbidden()
}

const presenter = (call: Call, f: Filters) => (project: ProjectRecord) =>
  call.user === undefined || f.simple === true
    ? simpleProject(call, project)
    : fullProject(call, project, {
        statistics: f.statistics,
        custom_attributes: f.with_custom_attributes,
      })

const select = (call: Call, f: Filters, among: (p: ProjectRecord) => boolean) => {
  checkRights(call, f)
  const tests = declaredTests(call.state, projects.list.params, f)
  const rows = call.state.projects.filter(
    (p) =>
      among(p) &&
      tests.every((test) => test(p)) &&
      byPlace(p, f) &&
      byContent(p, f) &&
      call.sees(p) &&
      byRelation(call, p, f),
  )
  return sorted(rows, f)
}

/** The page begins where the filters do; the next one a record further. */
const keyset = (call: Call, f: Filters) => {
  if (f.order_by !== 'id')
    throw refused('Keyset pagination is not yet available for this type of request')
  const rows = select(call, f, () => true)
  const { perPage } = parsePosition(call.sent.params)
  const page = rows.slice(0, perPage)
  const last = page.at(-1)
  const after = f.sort === 'asc' ? 'id_after' : 'id_before'
  const more = rows.length > page.length && last !== undefined
  return new Keyset(page.map(presenter(call, f)), more ? { [after]: String(last.id) } : null)
}

const list = (call: Call, f: Filters) => {
  if (call.sent.params.pagination === 'keyset') return keyset(call, f)
  const { page, perPage } = parsePosition(call.sent.params)
  if ((page - 1) * perPage >= offsetLimit)
    throw refused(
      `Offset pagination has a maximum allowed offset of ${offsetLimit} for requests that return ` +
        'objects of type Project. Remaining records can be retrieved using keyset pagination.',
    )
  return lazily(
    select(call, f, () => true),
    presenter(call, f),
  )
}

/** The documents break off after `simple`; instances take the other filters of the list here, too. */
const listOfUser = (call: Call, reference: string) => {
  const user = call.findUser(reference)
  if (user === undefined) throw notFound('User')
  const f = checkInput({ path: {}, params: projects.list.params }, {}, call.sent.params) as Filters
  const owned = (p: ProjectRecord) => p.namespace_kind === 'user' && p.namespace_id === user.id
  return lazily(select(call, f, owned), presenter(call, f))
}

export const handlers: Handlers<typeof projects> = {
  list,
  listOfUser: (call, { user_id }) => listOfUser(call, user_id),
  get: (call, { id }) => {
    const project = call.project(id)
    if (call.user === undefined) return simpleProject(call, project)
    const given = checkInput({ path: {}, params: projects.list.params }, {}, call.sent.params)
    const { statistics, with_custom_attributes } = given as Filters
    return fullProject(call, project, {
      statistics: statistics === true,
      custom_attributes: with_custom_attributes === true && call.isAdmin,
    })
  },
}

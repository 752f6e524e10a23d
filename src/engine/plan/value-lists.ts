/** Says which lists of the instance have the possible values of a parameter, for shell completion and prompts. `read-values.ts` reads them. */
import type { JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { listAreas, loadAreaEndpoints } from '../../catalogue/index.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { getScope, type ScopeKind } from '../command/derive.js'

interface ValueFields {
  /** The field with the value, and the field that describes it. By default, that is the title of its kind. */
  readonly value: string
  readonly text?: string | undefined
}
interface CatalogueList extends ValueFields {
  readonly area: string
  readonly key: string
  readonly values?: JsonValues
}
/** A list that instances have, although the catalogue does not (`catalogue/README.md`). */
interface RawList extends ValueFields {
  readonly path: string
}
export type ValueSource = CatalogueList | RawList

/** The lists of each kind of value. If the instance rejects one, the next one is tried. */
export const sources: Readonly<Record<string, readonly ValueSource[]>> = {
  runner: [
    { area: 'runners', key: 'listAll', value: 'id' },
    { area: 'runners', key: 'list', value: 'id' },
  ],
  project: [
    {
      area: 'projects',
      key: 'list',
      value: 'path_with_namespace',
      text: 'description',
      values: { simple: true },
    },
  ],
  job: [{ area: 'jobs', key: 'list', value: 'id' }],
  'job-name': [{ area: 'jobs', key: 'list', value: 'name', text: 'stage' }],
  member: [
    { area: 'members', key: 'listOfProject', value: 'username', text: 'name' },
    { area: 'members', key: 'listOfGroup', value: 'username', text: 'name' },
  ],
  mr: [{ area: 'mr', key: 'listOfProject', value: 'iid' }],
  'deploy-key': [{ area: 'deploy-keys', key: 'list', value: 'id' }],
  integration: [{ area: 'integrations', key: 'list', value: 'slug' }],
  'geo-node': [{ area: 'geo', key: 'list', value: 'id' }],
  'pages-domain': [{ area: 'pages-domains', key: 'list', value: 'domain', text: 'url' }],
  storage: [{ area: 'settings', key: 'get', value: 'repository_storages' }],
  vulnerability: [{ area: 'vulnerabilities', key: 'list', value: 'id' }],
  commit: [{ area: 'commits', key: 'list', value: 'id' }],
  'approval-rule': [{ area: 'approvals', key: 'rulesList', value: 'id' }],
  'client-key': [{ area: 'error-tracking', key: 'keysList', value: 'id' }],
  'resource-group': [{ path: '/projects/:id/resource_groups', value: 'key', text: 'process_mode' }],
  user: [{ path: '/users', value: 'id' }],
  username: [{ path: '/users', value: 'username', text: 'name' }],
  group: [{ path: '/groups', value: 'full_path', text: 'name' }],
  issue: [{ path: '/projects/:id/issues', value: 'iid' }],
  pipeline: [{ path: '/projects/:id/pipelines', value: 'id', text: 'ref' }],
  branch: [{ path: '/projects/:id/repository/branches', value: 'name' }],
  ref: [{ path: '/projects/:id/repository/branches', value: 'name' }],
  label: [{ path: '/projects/:id/labels', value: 'name', text: 'description' }],
}

export const hasSource = (what: string): boolean =>
  Object.hasOwn(sources, what) || getKindByName(what) !== undefined

/** Returns the lists of a kind that an extension declares: those in its areas that return such objects. */
const getOwnSources = async (what: string): Promise<readonly ValueSource[]> => {
  const { areas = [], names: [value] = [], title } = getKindByName(what) ?? {}
  if (value === undefined) return []
  const rows = listAreas().filter(({ name }) => areas.includes(name))
  const all = rows.map(async ({ name: area, load }) =>
    Object.entries(await load()).flatMap(([key, { lists }]) =>
      lists === what ? [{ area, key, value, text: title }] : [],
    ),
  )
  return (await Promise.all(all)).flat()
}

/** Returns the lists of a kind of value. */
export const getSources = async (what: string): Promise<readonly ValueSource[]> =>
  sources[what] ?? (await getOwnSources(what))

/** Loads the endpoint of a source; undefined if the catalogue does not have it. */
export const loadSourceEndpoint = async (source: ValueSource): Promise<Endpoint | undefined> => {
  if ('path' in source)
    return (await import('../../catalogue/undocumented.js')).createListEndpoint(source.path)
  return (await loadAreaEndpoints(source.area))[source.key]
}

/** The project and group of a line, by ID or path. */
export type NamedPlaces = Readonly<Partial<Record<ScopeKind, string>>>

/** Returns the scope of a source's lists: a project, either a project or a group, or undefined for the instance. */
export const getPlaceOfValues = async (what: string): Promise<'project' | 'either' | undefined> => {
  const kinds = new Set<ScopeKind | undefined>()
  for (const source of await getSources(what)) {
    const endpoint = await loadSourceEndpoint(source)
    kinds.add(endpoint === undefined ? undefined : getScope(endpoint)?.kind)
  }
  if (kinds.has('group')) return 'either'
  return kinds.has('project') ? 'project' : undefined
}
